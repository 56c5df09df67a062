// Index functions in C99 and CUDA C++.
#include <fmt/format.h>

#include <set>

#include "core/codegen/index/index_text.h"

namespace tessera::codegen {
namespace {

const char* typeName(bool wide) { return wide ? "long long" : "int"; }
bool wideRange(Range r) { return r.lo < INT32_MIN || r.hi > INT32_MAX; }

// Quotient and remainder that round down, for values that may be negative: C rounds towards 0.
constexpr std::string_view kQuotient = "return a / b - (a % b != 0 && (a < 0) != (b < 0));";
constexpr std::string_view kRemainder = "const {0} r = b == -1 ? 0 : a % b; return r >= 0 ? r : b > 0 ? r + b : r - b;";

class PrinterC {
 public:
  explicit PrinterC(bool cuda) : cuda_(cuda), before_(cuda ? "__host__ __device__ inline" : "static inline") {}

  void function(const IndexFunction& f) {
    const SpelledBody body = spellValues(f, Dialect::C);
    FactBase facts(f.box());
    std::vector<bool> wide;
    for (const IndexValue& v : f.values) wide.push_back(wideRange(facts.of(v.value).interval));
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
    std::string all;
    for (const Spelled& s : body.values) all += (all.empty() ? "" : " && ") + s.text;
    out_ += "  return " + (all == "0" && cuda_ ? "false" : all) + ";\n}\n";
  }

  void head(const IndexFunction& f, const std::string& type, const std::string& name) {
    std::string list;
    for (const IndexParameter& p : f.parameters)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", typeName(wideRange(p.range)), p.name);
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

  // Once in a text, and once in a file that several texts are pasted into.
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

// Index functions in Python 3: `//` and `%` round down there, and integers have no last bit.

// Inside """ ... """: no quote and no backslash.
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
    std::string list;
    for (const IndexValue& v : f.values) list += (list.empty() ? "" : ", ") + v.name;
    out += fmt::format("    Returns ({}).\n", list);
  }
  out += "    \"\"\"\n";
  locals(body, out);
  std::string result;
  for (const Spelled& s : body.values) result += (result.empty() ? "" : ", ") + s.text;
  out += "    return " + result + "\n";
  if (f.guards.empty()) return;
  const SpelledBody conditions = spellGuards(f, Dialect::Python);
  out += "\n\n";
  head(f, f.predicate, out);
  locals(conditions, out);
  std::string all;
  for (const Spelled& s : conditions.values) all += (all.empty() ? "" : " and ") + s.text;
  out += "    return " + all + "\n";
}

}  // namespace

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
