// The reader of programs: the attribute and the operands of a specification.
#include <fmt/format.h>

#include "core/graphene/reader/constructs.h"

namespace tessera::graphene {

namespace {

// Move(%x[@t]): a view has a line of its own.
Result<void> inlineView(Cursor& in, const std::string& name, std::size_t begin) {
  const std::size_t end = std::min(in.text().find_first_of("\n{", begin), in.text().size());
  std::string_view view = in.text().substr(begin, end - begin);
  int open = 0;
  for (std::size_t k = 0; k < view.size(); ++k) {
    open += view[k] == '(' || view[k] == '[' ? 1 : view[k] == ')' || view[k] == ']' ? -1 : 0;
    if (open < 0 || (open == 0 && view[k] == ',')) view = view.substr(0, k);
  }
  in.seek(begin + view.size());
  return in.failFrom(begin, fmt::format("{} is a view: an operand is a name", view), "%NAME",
                     fmt::format("{0}_view = {1} on a line above, then {0}_view here", name, view));
}

Result<void> configuration(ProgramText& text, Spec& out) {
  TESSERA_TRY(Tensor first, text.known());
  TESSERA_CHECKED(text.in.expect(",", "between the blocks and the threads"));
  TESSERA_TRY(Tensor second, text.known());
  TESSERA_CHECKED(text.in.expect(">>>", "after the threads"));
  if (first.element != "block" || second.element != "thread")
    return text.in.fail("a configuration is blocks, then threads", "<<<#BLOCKS, #THREADS>>>");
  out.blocks.push_back(std::move(first));
  out.threads.push_back(std::move(second));
  return {};
}

// bulk %f>, after the <
Result<void> bulk(ProgramText& text, Spec& out) {
  text.in.advance(4);
  out.attribute = "bulk";
  TESSERA_TRY(Tensor barrier, readBarrier(text));
  out.barriers.push_back(std::move(barrier));
  return text.in.expect(">", "after the barrier");
}

}  // namespace

// <<<#b, #t>>>(%1, %2)
Result<void> readOperands(ProgramText& text, Spec& out) {
  if (text.in.accept("<<<")) TESSERA_CHECKED(configuration(text, out));
  if (text.in.accept('(') && !text.in.accept(')')) {
    do {
      text.in.skipBlanks();
      const std::size_t first = text.in.position();
      TESSERA_TRY(Tensor t, text.known());
      if (t.threads) return text.in.fail("a specification reads data", "%NAME");
      TESSERA_CHECKED(noBarrier(text.in, t, first));
      if (text.in.peek() == '[' || text.in.peek() == '.') return inlineView(text.in, nameOf(t), first);
      out.inputs.push_back(std::move(t));
    } while (text.in.accept(','));
    TESSERA_CHECKED(text.in.expect(")", "after the inputs"));
  }
  return {};
}

// <+>, <exp>, <max, 1>, <bfly 16>, and Init(0)
Result<void> readAttribute(ProgramText& text, Spec& out, std::size_t begin) {
  const bool round = out.kind == SpecKind::Init && text.in.peek() == '(';
  if (round || (text.in.peek() == '<' && text.in.text().substr(text.in.position(), 3) != "<<<")) {
    text.in.advance();
    if (!round && out.kind == SpecKind::Move && text.in.peekWord() == "bulk") return bulk(text, out);
    const std::size_t close = text.in.text().find(round ? ')' : '>', text.in.position());
    const std::size_t line = text.in.text().find('\n', text.in.position());
    if (close == std::string_view::npos || close > line)
      return text.in.failFrom(begin, "this attribute is never closed", ">");
    for (const char c : text.names.withWords(text.in.text().substr(text.in.position(), close - text.in.position())))
      if (!isBlank(c)) out.attribute += c;
    if (out.kind == SpecKind::Move && out.attribute.starts_with("bulk"))
      return text.in.failFrom(begin, fmt::format("there is no Move<{}>", out.attribute),
                              "Move<bulk %f> with a barrier");
    text.in.seek(close + 1);
  }
  const bool needed = out.kind == SpecKind::UnaryPointwise || out.kind == SpecKind::BinaryPointwise ||
                      out.kind == SpecKind::Reduction || out.kind == SpecKind::Shfl || out.kind == SpecKind::Init;
  if (needed && out.attribute.empty())
    return text.in.failFrom(begin, fmt::format("{} of what?", name(out.kind)),
                            fmt::format("{}<...>: an operation, an axis, an offset or a value", name(out.kind)));
  return {};
}

}  // namespace tessera::graphene
