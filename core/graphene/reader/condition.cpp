#include "core/graphene/reader/condition.h"

#include <fmt/format.h>

namespace tessera::graphene {
namespace {

Result<std::string> comparisonSign(Cursor& in) {
  for (const std::string_view op : {"<=", ">=", "==", "!=", "<", ">"})
    if (in.accept(op)) return std::string(op);
  return in.fail("a comparison is missing here", "< <= > >= == or !=");
}

// `== row` after `order`, which is known to stand for a word.
Result<bool> wordsCompared(Cursor& in, const std::string& left, const WordOf& wordOf) {
  TESSERA_TRY(const std::string op, comparisonSign(in));
  if (op != "==" && op != "!=") return in.fail(fmt::format("{} compares numbers", op), "== or != between words");
  in.skipBlanks();
  std::string right(in.peekWord());
  if (right.empty() && (in.raw() == '+' || in.raw() == '-' || in.raw() == '*')) right = in.raw();
  if (right.empty()) return in.fail("a word is missing here", "what the parameter may be");
  in.advance(right.size());
  return (left == wordOf(right).value_or(right)) == (op == "==");
}

}  // namespace

Result<Comparison> readComparison(Reader& reader) {
  Comparison c;
  TESSERA_TRY(c.left, reader.number());
  TESSERA_TRY(c.op, comparisonSign(reader.cursor()));
  TESSERA_TRY(c.right, reader.number());
  return c;
}

Result<Condition> readCondition(Reader& reader, const WordOf& wordOf) {
  Cursor& in = reader.cursor();
  Condition out;
  bool all = true;
  do {
    const std::string word(in.peekWord());
    if (const auto left = word.empty() ? std::nullopt : wordOf(word)) {
      in.advance(word.size());
      TESSERA_TRY(const bool same, wordsCompared(in, *left, wordOf));
      all = all && same;
      continue;
    }
    TESSERA_TRY(Comparison c, readComparison(reader));
    if (c.left.isConstant() && c.right.isConstant()) {
      all = all && comparisonHolds(c.left.value(), c.op, c.right.value());
    } else {
      out.open.push_back(std::move(c));
    }
  } while (in.accept("&&"));
  if (!all || out.open.empty()) out.known = all;
  return out;
}

}  // namespace tessera::graphene
