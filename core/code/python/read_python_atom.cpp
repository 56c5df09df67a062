#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

#include "core/base/chars.h"
#include "core/code/python/python_reader.h"

namespace tessera::code {
namespace {

constexpr std::array<std::string_view, 16> kNoOperand = {"if",    "else",   "elif", "for",  "while", "def",
                                                         "class", "return", "in",   "is",   "and",   "or",
                                                         "not",   "import", "with", "yield"};

// nullopt if it is no integer or does not fit 64 bits.
std::optional<i64> pythonInteger(std::string_view written) {
  std::string digits;
  std::copy_if(written.begin(), written.end(), std::back_inserter(digits), [](char c) { return c != '_'; });
  const char radix = digits.size() > 2 && digits[0] == '0' ? lowerCase(digits[1]) : '0';
  const int base = radix == 'x' ? 16 : radix == 'b' ? 2 : radix == 'o' ? 8 : 10;
  i64 value = 0;
  const char* const begin = digits.data() + (base == 10 ? 0 : 2);
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(begin, end, value, base);
  if (error != std::errc{} || stop != end || begin == end || *begin == '-') return std::nullopt;
  return value;
}

bool isPythonNumber(std::string_view written) {
  return pythonInteger(written).has_value() ||
         std::all_of(
             written.begin(), written.end(),
             [](char c) { return isDigit(c) || std::string_view("._eE+-jJ").find(c) != std::string_view::npos; }) ||
         (written.starts_with("0x") && std::all_of(written.begin() + 2, written.end(), [](char c) {
            return isDigit(c) || (lowerCase(c) >= 'a' && lowerCase(c) <= 'f');
          }));
}

}  // namespace

Result<Tree> PythonExpressions::atom() {
  const PythonToken& word = here();
  switch (word.kind) {
    case PythonToken::Kind::Number:
      return number();
    case PythonToken::Kind::String:
      return strings();
    case PythonToken::Kind::Name:
      if (std::find(kNoOperand.begin(), kNoOperand.end(), word.text) != kNoOperand.end()) break;
      seek(position() + 1);
      return node(Kind::Name, word.span.begin, {}, std::string(word.text));
    default:
      if (accept("...")) return node(Kind::Name, word.span.begin, {}, "...");
      if (at("(")) return parenthesized();
      if (at("[")) return list();
      if (at("{")) return dictionary();
      break;
  }
  return missing("an expression");
}

Result<Tree> PythonExpressions::number() {
  const PythonToken& word = here();
  if (!isPythonNumber(word.text)) return missing("a number");
  seek(position() + 1);
  Tree out = node(Kind::Number, word.span.begin, {}, std::string(word.text));
  out.value = pythonInteger(word.text);
  return out;
}

// Adjacent strings are one.
Result<Tree> PythonExpressions::strings() {
  const std::size_t from = begin();
  std::string text;
  for (; here().kind == PythonToken::Kind::String; seek(position() + 1)) text += here().text;
  return node(Kind::String, from, {}, std::move(text));
}

Result<Tree> PythonExpressions::parenthesized() {
  const std::size_t from = begin();
  accept("(");
  if (accept(")")) return node(Kind::Tuple, from);
  TESSERA_TRY(Tree first, element());
  if (at("for") || at("async")) {
    std::vector<Tree> elements;
    elements.push_back(std::move(first));
    TESSERA_TRY(Tree out, comprehension(from, std::move(elements)));
    TESSERA_CHECKED(expect(")", "at the end of the comprehension"));
    out.span.end = endBefore();
    return out;
  }
  if (accept(")")) return first;
  std::vector<Tree> elements;
  elements.push_back(std::move(first));
  while (accept(",") && !at(")")) {
    TESSERA_TRY(Tree more, element());
    elements.push_back(std::move(more));
  }
  TESSERA_CHECKED(expect(")", "at the end of the tuple"));
  return node(Kind::Tuple, from, std::move(elements));
}

Result<Tree> PythonExpressions::list() {
  const std::size_t from = begin();
  accept("[");
  std::vector<Tree> elements;
  while (!at("]")) {
    TESSERA_TRY(Tree one, element());
    elements.push_back(std::move(one));
    if (elements.size() == 1 && (at("for") || at("async"))) {
      TESSERA_TRY(Tree out, comprehension(from, std::move(elements)));
      TESSERA_CHECKED(expect("]", "at the end of the comprehension"));
      out.span.end = endBefore();
      return out;
    }
    if (!accept(",")) break;
  }
  TESSERA_CHECKED(expect("]", "at the end of the list"));
  return node(Kind::List, from, std::move(elements));
}

// {k: v} or a set {a, b}, which is a Braces without a type.
Result<Tree> PythonExpressions::dictionary() {
  const std::size_t from = begin();
  accept("{");
  std::vector<Tree> elements;
  bool set = false;
  while (!at("}")) {
    TESSERA_TRY(Tree key, element());
    elements.push_back(std::move(key));
    if (accept(":")) {
      TESSERA_TRY(Tree value, expression());
      elements.push_back(std::move(value));
    } else {
      set = true;
    }
    if (at("for") || at("async")) {
      TESSERA_TRY(Tree out, comprehension(from, std::move(elements)));
      TESSERA_CHECKED(expect("}", "at the end of the comprehension"));
      out.span.end = endBefore();
      return out;
    }
    if (!accept(",")) break;
  }
  TESSERA_CHECKED(expect("}", "at the end of the dictionary"));
  if (set) {
    Tree none = node(Kind::Empty, from);
    none.span.end = from;
    elements.insert(elements.begin(), std::move(none));
  }
  return node(set ? Kind::Braces : Kind::Dictionary, from, std::move(elements));
}

Result<Tree> PythonExpressions::comprehension(std::size_t from, std::vector<Tree> elements) {
  while (at("for") || at("async") || at("if")) {
    const std::size_t part = begin();
    accept("async");
    if (accept("if")) {
      TESSERA_TRY(Tree condition, operators(kAnyBinding));
      Tree none = absent();
      elements.push_back(node(Kind::If, part, moved(std::move(condition), none, none)));
      continue;
    }
    TESSERA_CHECKED(expect("for", "in the comprehension"));
    TESSERA_TRY(Tree target, withoutCondition());
    TESSERA_CHECKED(expect("in", "after the target"));
    TESSERA_TRY(Tree range, operators(kAnyBinding));
    elements.push_back(node(Kind::For, part, moved(std::move(target), std::move(range), absent()), "in"));
  }
  return node(Kind::Opaque, from, std::move(elements), "comprehension");
}

}  // namespace tessera::code
