// What the texts have in common: the sentences of a comment.
#include "core/codegen/index/index_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/arith.h"
#include "core/expr/linear_sum.h"

namespace tessera::codegen {
namespace {

std::string rangeText(const IndexParameter& p) {
  if (p.range.lo == p.range.hi) return fmt::format("{} = {}", p.name, p.range.lo);
  // Where hi + 1 is no number of 64 bits, or where one writes it like that.
  if (p.range.lo == 1 || p.range.hi == INT64_MAX) return fmt::format("{} <= {} <= {}", p.range.lo, p.name, p.range.hi);
  return fmt::format("{} <= {} < {}", p.range.lo, p.name, p.range.hi + 1);
}

// The sentences in lines, broken at blanks.
std::vector<std::string> filled(const std::vector<std::string>& sentences) {
  constexpr std::size_t kWidth = 100;
  std::vector<std::string> lines(1);
  std::string all = fmt::format("{} ", fmt::join(sentences, " "));
  for (std::size_t at = 0, end = 0; (end = all.find(' ', at)) != std::string::npos; at = end + 1) {
    const std::string word = all.substr(at, end - at);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > kWidth) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

// One side of a comparison against the other.
struct Comparison {
  Expr left, right;
  std::string_view sign;
};

// e >= 0, e <= 0 (sign -1) or e == 0 with what is subtracted on the other side: n - 1 - i >= 0 is i < n.
std::optional<Comparison> compared(const Expr& e, i64 bound, int sign, FactBase& facts) {
  const auto whole = linearSum(e);
  if (!whole) return std::nullopt;
  Linear added, taken;
  for (const Term& t : whole->terms) {
    if (t.coefficient == INT64_MIN || t.coefficient == 0) return std::nullopt;
    (t.coefficient > 0 ? added : taken).terms.push_back({t.part, std::abs(t.coefficient)});
  }
  if (taken.terms.empty()) return std::nullopt;          // e remains alone
  const auto over = checkedSub(whole->constant, bound);  // added - taken + over, against 0
  if (!over || *over == INT64_MIN) return std::nullopt;
  const bool strict = sign > 0 ? *over == -1 : sign < 0 && *over == 1;
  if (!strict) (*over > 0 ? added : taken).constant = std::abs(*over);
  const Expr left = built(taken), right = built(added);  // taken <= added
  if (!facts.of(left).fits || !facts.of(right).fits) return std::nullopt;
  if (sign == 0) return Comparison{left, right, "=="};
  if (sign > 0) return Comparison{left, right, strict ? "<" : "<="};
  return Comparison{left, right, strict ? ">" : ">="};
}

void compare(const Guard& g, FactBase& facts, std::vector<Comparison>& out) {
  const Range r = facts.of(g.value).interval;
  const bool below = r.lo<g.lo, above = r.hi> g.hi;
  const auto add = [&](i64 bound, int sign) {
    const std::string_view plain = sign == 0 ? "==" : sign > 0 ? ">=" : "<=";
    out.push_back(compared(g.value, bound, sign, facts).value_or(Comparison{g.value, Expr::constant(bound), plain}));
  };
  if (below && above && g.lo == g.hi) return add(g.lo, 0);
  if (below) add(g.lo, 1);
  if (above) add(g.hi, -1);
}

}  // namespace

std::string commentLine(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  std::string out;
  for (const char c : text.substr(0, kLongest)) out += static_cast<unsigned char>(c) < ' ' || c == 127 ? ' ' : c;
  if (text.size() > kLongest) {
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xc0) == 0x80) out.pop_back();  // half a letter
    if (!out.empty() && (static_cast<unsigned char>(out.back()) & 0x80) != 0) out.pop_back();
    out += " ...";
  }
  while (!out.empty() && (out.back() == '\\' || out.back() == ' ')) out.pop_back();
  return out;
}

std::vector<std::string> commentOf(const IndexFunction& f) {
  std::vector<std::string> parts;
  for (const IndexParameter& p : f.parameters)
    parts.push_back(rangeText(p) + (p.remark.empty() ? "" : " (" + p.remark + ")"));
  std::vector<std::string> sentences;
  if (!parts.empty()) sentences.push_back(fmt::format("{}.", fmt::join(parts, ", ")));
  if (!f.back) {
    FactBase facts(f.box());
    parts.clear();
    for (const IndexValue& v : f.values) {
      const Range r = facts.of(v.value).interval;
      parts.push_back(fmt::format("{} in [{}, {}]", f.values.size() == 1 ? "The result lies" : v.name, r.lo, r.hi));
    }
    sentences.push_back(fmt::format("{}.", fmt::join(parts, ", ")));
  }
  for (const std::string& remark : f.remarks) sentences.push_back(commentLine(remark));
  if (!f.guards.empty()) sentences.push_back(fmt::format("Means something only where {} says so.", f.predicate));
  return filled(sentences);
}

SpelledBody spell(const std::vector<Expr>& roots, const Environment& box, const std::vector<std::string>& names,
                  Dialect dialect) {
  FactBase facts(box);
  return spell(roots, facts, dialect, [&](int k) { return names[static_cast<std::size_t>(k)]; });
}

SpelledBody spellValues(const IndexFunction& f, Dialect dialect) {
  std::vector<Expr> roots;
  for (const IndexValue& v : f.values) roots.push_back(v.value);
  return spell(roots, f.box(), namesOf(f), dialect);
}

SpelledBody spellGuards(const IndexFunction& f, Dialect dialect) {
  FactBase facts(f.box());
  std::vector<Comparison> comparisons;
  for (const Guard& g : f.guards) {
    const Range r = facts.of(g.value).interval;
    if (r.hi < g.lo || r.lo > g.hi || g.lo > g.hi) {  // no value meets it
      SpelledBody never;
      never.values.push_back({dialect == Dialect::Python ? "False" : "0"});
      never.uses.assign(f.parameters.size(), false);
      return never;
    }
    compare(g, facts, comparisons);
  }
  std::vector<Expr> roots;
  for (const Comparison& c : comparisons) roots.insert(roots.end(), {c.left, c.right});
  SpelledBody body = spell(roots, f.box(), namesOf(f), dialect);
  std::vector<Spelled> values;
  const auto side = [](const Spelled& s) { return s.loose ? "(" + s.text + ")" : s.text; };
  for (std::size_t k = 0; k < comparisons.size(); ++k)
    values.push_back(
        {fmt::format("{} {} {}", side(body.values[2 * k]), comparisons[k].sign, side(body.values[2 * k + 1]))});
  body.values = std::move(values);
  return body;
}

}  // namespace tessera::codegen
