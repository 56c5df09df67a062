// Index functions in Python 3: `//` and `%` round down there, and integers have no last bit.
#include <fmt/format.h>

#include "core/codegen/index/index_expression.h"
#include "core/codegen/index/index_text.h"

namespace tessera::codegen {
namespace {

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
