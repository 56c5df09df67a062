// Index functions as text; first the comments, which all languages share.
#include "core/codegen/index/index_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <set>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/expr/linear_sum.h"

namespace tessera::codegen {
namespace {

std::string rangeText(const IndexParameter& p) {
  if (p.range.lo == p.range.hi) return fmt::format("{} = {}", p.name, p.range.lo);
  // If hi + 1 exceeds 64 bits, or for a range from 1.
  if (p.range.lo == 1 || p.range.hi == INT64_MAX) return fmt::format("{} <= {} <= {}", p.range.lo, p.name, p.range.hi);
  return fmt::format("{} <= {} < {}", p.range.lo, p.name, p.range.hi + 1);
}

// The sentences as lines, broken at blanks.
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

// A comparison of two expressions.
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

// Index functions in C99 and CUDA C++.

const char* typeName(bool wide) { return wide ? "long long" : "int"; }

// Quotient and remainder that round down, for values that may be negative: C rounds towards 0.
constexpr std::string_view kQuotient = "return a / b - (a % b != 0 && (a < 0) != (b < 0));";
constexpr std::string_view kRemainder = "const {0} r = b == -1 ? 0 : a % b; return r >= 0 ? r : b > 0 ? r + b : r - b;";

std::string joined(const std::vector<Spelled>& all, std::string_view separator) {
  return fmt::format("{}", fmt::join(mapped<std::string>(all, &Spelled::text), separator));
}

class PrinterC {
 public:
  explicit PrinterC(bool cuda) : cuda_(cuda), before_(cuda ? "__host__ __device__ inline" : "static inline") {}

  void function(const IndexFunction& f) {
    const SpelledBody body = spellValues(f, Dialect::C);
    FactBase facts(f.box());
    std::vector<bool> wide;
    for (const IndexValue& v : f.values) wide.push_back(!fitsInt(facts.of(v.value).interval));
    helpers(body);
    const bool single = wide.size() == 1;
    if (!single) structure(f, wide);
    for (const std::string& line : commentOf(f)) out_ += "// " + line + "\n";
    const std::string type = single ? typeName(wide[0]) : (cuda_ ? "" : "struct ") + f.name + "_result";
    head(f, type, f.name);
    locals(f, body);
    std::string result;
    for (std::size_t k = 0; k < wide.size(); ++k) {
      const bool narrowed = body.values[k].wide && !wide[k];
      const std::string& text = body.values[k].text;
      result += (k == 0 ? "" : ", ") + (narrowed ? "(int)(" + text + ")" : text);
    }
    if (!single) result = (cuda_ ? "{" : "(" + type + "){") + result + "}";
    out_ += "  return " + result + ";\n}\n";
    if (!f.guards.empty()) predicate(f);
  }

  void line(const std::string& text) { out_ += text + "\n"; }
  std::string take() { return std::move(helpers_) + std::move(out_); }

 private:
  void predicate(const IndexFunction& f) {
    const SpelledBody body = spellGuards(f, Dialect::C);
    helpers(body);
    head(f, cuda_ ? "bool" : "int", f.predicate);
    locals(f, body);
    const std::string all = joined(body.values, " && ");
    out_ += "  return " + (all == "0" && cuda_ ? "false" : all) + ";\n}\n";
  }

  void head(const IndexFunction& f, const std::string& type, const std::string& name) {
    std::string list;
    for (const IndexParameter& p : f.parameters)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", typeName(!fitsInt(p.range)), p.name);
    out_ += fmt::format("{} {} {}({}) {{\n", before_, type, name, list.empty() && !cuda_ ? "void" : list);
  }

  void locals(const IndexFunction& f, const SpelledBody& body) {
    for (std::size_t k = 0; k < f.parameters.size(); ++k)
      if (!body.uses[k]) out_ += fmt::format("  (void){};\n", f.parameters[k].name);
    for (const Local& l : body.locals) out_ += fmt::format("  const {} {} = {};\n", typeName(l.wide), l.name, l.text);
  }

  void structure(const IndexFunction& f, const std::vector<bool>& wide) {
    out_ += fmt::format("struct {}_result {{\n", f.name);
    for (std::size_t k = 0; k < wide.size(); ++k)
      out_ += fmt::format("  {} {};\n", typeName(wide[k]), f.values[k].name);
    out_ += "};\n";
  }

  // Each once per text, and once in a file with several such texts.
  void helpers(const SpelledBody& body) {
    for (const std::string& name : body.calls) {
      if (!there_.insert(name).second) continue;
      const std::string type = typeName(name.ends_with("64"));
      std::string macro = "TESSERA_" + name;
      for (char& c : macro) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
      helpers_ += fmt::format("#ifndef {0}\n#define {0}\n{1} {2} {3}({2} a, {2} b) {{  // rounds down, C towards 0\n",
                              macro, before_, type, name);
      helpers_ += fmt::format("  {}\n}}\n#endif\n",
                              name.starts_with("floor_div") ? std::string(kQuotient) : fmt::format(kRemainder, type));
    }
  }

  bool cuda_;
  std::string_view before_;
  std::string helpers_, out_;
  std::set<std::string> there_;
};

// Index functions in Python 3, where `//` and `%` round down and integers are unbounded.

// For use inside """ ... """: without quotes and backslashes.
std::string quoted(std::string text) {
  for (char& c : text) c = c == '"' ? '\'' : c == '\\' ? '/' : c;
  return text;
}

void head(const IndexFunction& f, const std::string& name, std::string& out) {
  out += fmt::format("def {}({}):\n", name, fmt::join(namesOf(f), ", "));
}

void locals(const SpelledBody& body, std::string& out) {
  for (const Local& l : body.locals) out += fmt::format("    {} = {}\n", l.name, l.text);
}

void function(const IndexFunction& f, const std::string& title, std::string& out) {
  const SpelledBody body = spellValues(f, Dialect::Python);
  head(f, f.name, out);
  out += "    \"\"\"" + quoted(title) + "\n\n";
  for (const std::string& line : commentOf(f)) out += "    " + quoted(line) + "\n";
  if (f.values.size() > 1) {
    out += fmt::format("    Returns ({}).\n", fmt::join(mapped<std::string>(f.values, &IndexValue::name), ", "));
  }
  out += "    \"\"\"\n";
  locals(body, out);
  out += "    return " + joined(body.values, ", ") + "\n";
  if (f.guards.empty()) return;
  const SpelledBody conditions = spellGuards(f, Dialect::Python);
  out += "\n\n";
  head(f, f.predicate, out);
  locals(conditions, out);
  out += "    return " + joined(conditions.values, " and ") + "\n";
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
  if (!f.guards.empty()) sentences.push_back(fmt::format("Valid only where {} holds.", f.predicate));
  return filled(sentences);
}

SpelledBody spell(const std::vector<Expr>& roots, const Environment& box, const std::vector<std::string>& names,
                  Dialect dialect) {
  FactBase facts(box);
  return spell(roots, facts, dialect, [&](int k) { return names[static_cast<std::size_t>(k)]; });
}

SpelledBody spellValues(const IndexFunction& f, Dialect dialect) {
  return spell(mapped<Expr>(f.values, &IndexValue::value), f.box(), namesOf(f), dialect);
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

std::string printC(const IndexFunctions& functions, const std::string& title, bool cuda) {
  PrinterC printer(cuda);
  printer.line("// " + commentLine(title));
  printer.function(functions.forward);
  if (functions.inverse) {
    printer.line("");
    printer.function(*functions.inverse);
  } else {
    printer.line("// No inverse: " + commentLine(functions.noInverse) + ".");
  }
  return printer.take();
}

std::string printPython(const IndexFunctions& functions, const std::string& title) {
  std::string out;
  function(functions.forward, commentLine(title), out);
  out += "\n\n";
  if (functions.inverse) {
    function(*functions.inverse, fmt::format("{}, inverted", functions.forward.name), out);
  } else {
    out += "# No inverse: " + commentLine(functions.noInverse) + ".\n";
  }
  return out;
}

}  // namespace tessera::codegen
