// PTX's description of a fragment: rows and columns by cases, in words.
#include <fmt/format.h>

#include <vector>

#include "core/base/chars.h"
#include "core/paste/code/index_reading.h"

namespace tessera::paste {
namespace {

struct Case {
  std::string value, condition;  // condition "": otherwise
};
struct Definition {
  std::string name;
  std::vector<Case> cases;
};

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::size_t wordAt(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || !isNamePart(text[at - 1]);
    const bool ends = at + word.size() >= text.size() || !isNamePart(text[at + word.size()]);
    if (begins && ends) return at;
  }
  return std::string_view::npos;
}

// i = {0,..,3}: 0 <= i && i <= 3
std::string setAsC(std::string_view name, std::string_view set) {
  std::vector<std::string> numbers;
  for (std::size_t i = 0; i < set.size();) {
    std::size_t end = i;
    while (end < set.size() && isDigit(set[end])) ++end;
    if (end > i) numbers.emplace_back(set.substr(i, end - i));
    i = std::max(end, i + 1);
  }
  if (numbers.empty()) return "";
  if (set.find("..") != std::string_view::npos)
    return fmt::format("{0} <= {1} && {1} <= {2}", numbers.front(), name, numbers.back());
  std::string text;
  for (const std::string& n : numbers) text += fmt::format("{}{} == {}", text.empty() ? "" : " || ", name, n);
  return text;
}

// One comparison chain: 0 <= i < 2 is 0 <= i && i < 2.
std::string chainAsC(std::string_view chain) {
  std::vector<std::string> operands(1), operators;
  for (std::size_t i = 0; i < chain.size();) {
    if (chain[i] != '<' && chain[i] != '>' && chain[i] != '=' && chain[i] != '!') {
      operands.back() += chain[i++];
      continue;
    }
    const std::size_t size = i + 1 < chain.size() && chain[i + 1] == '=' ? 2 : 1;
    std::string op(chain.substr(i, size));
    operators.push_back(op == "=" ? "==" : op);
    operands.emplace_back();
    i += size;
  }
  if (operators.empty()) return "";
  if (operators.size() == 1 && operators[0] == "==" && operands[1].find('{') != std::string::npos)
    return setAsC(stripped(operands[0]), operands[1]);
  std::string text;
  for (std::size_t k = 0; k < operators.size(); ++k)
    text +=
        fmt::format("{}{} {} {}", k == 0 ? "" : " && ", stripped(operands[k]), operators[k], stripped(operands[k + 1]));
  return text;
}

// "0 <= i < 2 || 4 <= i < 6", "i = 0 or 1", "i = {0,..,3}".
std::string conditionAsC(std::string text) {
  for (const auto& [word, op] : {std::pair{"or", "||"}, std::pair{"and", "&&"}})
    for (std::size_t at = wordAt(text, word); at != std::string::npos; at = wordAt(text, word))
      text.replace(at, std::string_view(word).size(), op);
  std::string out, name;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const std::string_view op = std::string_view(text).substr(i, 2);
    if (i < text.size() && op != "||" && op != "&&") continue;
    const std::string_view part = stripped(std::string_view(text).substr(begin, i - begin));
    std::string one = chainAsC(part);
    if (!one.empty()) {
      const std::size_t equals = part.find_first_of("=<>");
      name = stripped(part.substr(0, equals));
    } else if (!name.empty() && !part.empty()) {
      one = fmt::format("{} == {}", name, part);  // i = 0 or 1
    }
    if (one.empty()) return "";
    out += "(" + one + ")";
    if (i < text.size()) out += fmt::format(" {} ", op);
    begin = i + 2;
    ++i;
  }
  return out;
}

// "c0 and c1", "a0, a1, a4": i == 0 || i == 1; "" if the words are others.
std::string elementsAsC(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && isNamePart(text[end])) ++end;
    const std::string_view word = text.substr(i, end - i);
    if (word.size() >= 2 && word[0] >= 'a' && word[0] <= 'd' && isDigit(word[1])) {
      out += fmt::format("{}i == {}", out.empty() ? "" : " || ", word.substr(1));
    } else if (!word.empty() && word != "and" && word != "or") {
      return "";
    }
    i = std::max(end, i + 1);
  }
  return out;
}

// A line of a definition: its value, then "for ai where CONDITION", "for a0 and a1" or "otherwise".
bool addCase(Definition& to, std::string_view line) {
  const std::string low = lowerCase(line);
  Case c;
  if (const std::size_t at = wordAt(low, "otherwise"); at != std::string::npos) {
    c.value = stripped(line.substr(0, at));
    to.cases.push_back(std::move(c));
    return true;
  }
  const std::size_t at = wordAt(low, "for"), where = wordAt(low, "where");
  c.value = stripped(line.substr(0, at));
  if (at == std::string::npos) {
    to.cases.push_back(std::move(c));
    return true;
  }
  if (where != std::string::npos && where > at) {
    c.condition = conditionAsC(std::string(line.substr(where + 5)));
  } else {
    c.condition = elementsAsC(line.substr(at + 3));
  }
  const bool ok = !c.condition.empty() && !c.value.empty();
  to.cases.push_back(std::move(c));
  return ok;
}

}  // namespace

std::string fragmentProseAsC(std::string_view text) {
  const std::string low = lowerCase(text);
  const bool cases = wordAt(low, "otherwise") != std::string::npos ||
                     (wordAt(low, "for") != std::string::npos && wordAt(low, "where") != std::string::npos);
  if (!cases && text.find("%laneid") == std::string_view::npos) return "";
  if (text.find(';') != std::string_view::npos) return "";
  std::vector<Definition> definitions;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = stripped(text.substr(at, end - at));
    at = end + 1;
    if (line.empty()) continue;
    std::size_t name = 0;
    while (name < line.size() && isNamePart(line[name])) ++name;
    std::size_t equals = name;
    while (equals < line.size() && isBlank(line[equals])) ++equals;
    if (name > 0 && equals < line.size() && line[equals] == '=' && line.substr(equals, 2) != "==") {
      definitions.push_back({std::string(line.substr(0, name)), {}});
      line = stripped(line.substr(equals + 1));
    }
    if (definitions.empty() || line.empty()) continue;
    if (!addCase(definitions.back(), line)) return "";
  }
  std::string out;
  for (const Definition& d : definitions) {
    if (d.cases.empty()) continue;
    std::string value;
    for (std::size_t k = 0; k < d.cases.size(); ++k) {
      const bool last = k + 1 == d.cases.size();
      value += last ? fmt::format("({})", d.cases[k].value)
                    : fmt::format("({}) ? ({}) : ", d.cases[k].condition, d.cases[k].value);
      if (!last && d.cases[k].condition.empty()) return "";
    }
    out += fmt::format("int {} = {};\n", d.name, replaced(value, "%laneid", "laneid"));
  }
  return out;
}

}  // namespace tessera::paste
