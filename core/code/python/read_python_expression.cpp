#include <algorithm>
#include <array>
#include <optional>

#include "core/base/cursor.h"
#include "core/code/python/python_reader.h"

namespace tessera::code {
namespace {

// How strongly an infix operator binds; all of these are left-associative.
enum PythonBinding : int { kReadOr = 1, kReadAnd, kReadNot, kReadCompare, kReadBar };
struct InfixSign {
  std::string_view sign;
  int binding;
};
constexpr auto kInfixSigns = std::to_array<InfixSign>(
    {{"or", kReadOr},       {"and", kReadAnd},   {"==", kReadCompare}, {"!=", kReadCompare}, {"<=", kReadCompare},
     {">=", kReadCompare},  {"<", kReadCompare}, {">", kReadCompare},  {"in", kReadCompare}, {"is", kReadCompare},
     {"not", kReadCompare}, {"|", kReadBar},     {"^", kReadBar + 1},  {"&", kReadBar + 2},  {"<<", kReadBar + 3},
     {">>", kReadBar + 3},  {"+", kReadBar + 4}, {"-", kReadBar + 4},  {"*", kReadBar + 5},  {"//", kReadBar + 5},
     {"/", kReadBar + 5},   {"%", kReadBar + 5}, {"@", kReadBar + 5}});

}  // namespace

Result<Tree> PythonExpressions::whole() {
  seek(1);
  TESSERA_TRY(Tree tree, expressions());
  if (here().kind == PythonToken::Kind::Line) seek(position() + 1);
  if (here().kind != PythonToken::Kind::End) return missing("the end of the expression");
  return tree;
}

Result<Tree> PythonExpressions::expressions() {
  const std::size_t from = begin();
  TESSERA_TRY(Tree first, element());
  if (!at(",")) return first;
  std::vector<Tree> elements;
  elements.push_back(std::move(first));
  while (accept(",")) {
    if (atLineEnd() || at("=") || at(")") || at("]") || at(":")) break;
    TESSERA_TRY(Tree more, element());
    elements.push_back(std::move(more));
  }
  return node(Kind::Tuple, from, std::move(elements));
}

Result<Tree> PythonExpressions::element() {
  const std::size_t from = begin();
  for (const std::string_view star : {"**", "*"})
    if (accept(star)) {
      TESSERA_TRY(Tree operand, expression());
      return node(Kind::Star, from, moved(std::move(operand)), std::string(star));
    }
  return expression();
}

Result<Tree> PythonExpressions::expression() {
  const Nesting level;
  if (level.tooDeep()) return tooDeep();
  if (at("lambda")) return lambda();
  const std::size_t from = begin();
  TESSERA_TRY(Tree value, operators(kReadOr));
  if (accept(":=")) {
    TESSERA_TRY(Tree assigned, expression());
    return node(Kind::Assign, from, moved(std::move(value), std::move(assigned)), ":=");
  }
  if (!accept("if")) return value;
  TESSERA_TRY(Tree condition, operators(kReadOr));
  TESSERA_CHECKED(expect("else", "after the condition"));
  TESSERA_TRY(Tree otherwise, expression());
  return node(Kind::Conditional, from, moved(std::move(condition), std::move(value), std::move(otherwise)));
}

Result<Tree> PythonExpressions::lambda() {
  const std::size_t from = begin();
  accept("lambda");
  TESSERA_TRY(std::vector<Tree::Parameter> names, parameters(":"));
  TESSERA_CHECKED(expect(":", "after the parameters"));
  TESSERA_TRY(Tree body, expression());
  Tree out = node(Kind::Lambda, from, moved(std::move(body)));
  out.parameters = std::move(names);
  return out;
}

Result<std::vector<Tree::Parameter>> PythonExpressions::parameters(std::string_view end) {
  std::vector<Tree::Parameter> out;
  while (!at(end)) {
    if (!accept("/")) {
      TESSERA_TRY(Tree::Parameter one, parameter(end));
      if (one.name != "*") out.push_back(std::move(one));
    }
    if (!accept(",")) break;
  }
  return out;
}

Result<Tree::Parameter> PythonExpressions::parameter(std::string_view end) {
  Tree::Parameter out;
  out.span.begin = begin();
  for (const std::string_view star : {"**", "*"})
    if (accept(star)) {
      out.name = star;
      break;
    }
  if (out.name.empty() || here().kind == PythonToken::Kind::Name) {
    TESSERA_TRY(const std::string written, name("a parameter"));
    out.name += written;
  }
  if (end != ":" && accept(":")) {
    TESSERA_TRY(const Tree annotation, expression());
    out.type = textOf(annotation.span);
  }
  if (accept("=")) {
    TESSERA_TRY(Tree value, expression());
    out.byDefault.push_back(std::move(value));
  }
  out.span.end = endBefore();
  return out;
}

// Moves past the sign here if it binds at least so strongly; "" if there is none. `not in`, `is not` are single signs.
std::string PythonExpressions::acceptInfix(int least, int& binding) {
  const auto* const row = std::ranges::find_if(kInfixSigns, [&](const InfixSign& i) { return at(i.sign); });
  if (row == kInfixSigns.end() || row->binding < least || (row->sign == "not" && next().text != "in")) return {};
  binding = row->binding;
  accept(row->sign);
  if (row->sign == "not") return accept("in") ? "not in" : "";
  if (row->sign == "is" && accept("not")) return "is not";
  return std::string(row->sign);
}

// Precedence climbing: one frame of the stack for all operators that bind at least so strongly.
// a < b < c is a < b and b < c.
Result<Tree> PythonExpressions::operators(int least) {
  const Nesting level;
  if (level.tooDeep()) return tooDeep();
  const std::size_t from = begin();
  Tree left;
  if (least <= kReadNot && accept("not")) {
    TESSERA_TRY(Tree operand, operators(kReadNot));
    left = node(Kind::Unary, from, moved(std::move(operand)), "not");
  } else {
    TESSERA_TRY(left, unary());
  }
  std::optional<Tree> compared;  // the right side of the last comparison
  int binding = 0;
  for (std::string sign = acceptInfix(least, binding); !sign.empty(); sign = acceptInfix(least, binding)) {
    TESSERA_TRY(Tree right, operators(binding + 1));
    if (binding != kReadCompare) {
      left = node(Kind::Binary, from, moved(std::move(left), std::move(right)), std::move(sign));
      compared.reset();
    } else if (!compared) {
      compared = right;
      left = node(Kind::Binary, from, moved(std::move(left), std::move(right)), std::move(sign));
    } else {
      const std::size_t middle = compared->span.begin;
      Tree before = *std::move(compared);
      compared = right;
      Tree second = node(Kind::Binary, middle, moved(std::move(before), std::move(right)), std::move(sign));
      left = node(Kind::Binary, from, moved(std::move(left), std::move(second)), "and");
    }
    if (left.height > kMostHeight) return tooDeep();
  }
  return left;
}

Result<Tree> PythonExpressions::withoutCondition() {
  const std::size_t from = begin();
  std::vector<Tree> targets;
  bool tuple = false;
  while (!at("in")) {
    if (accept("*")) tuple = true;
    TESSERA_TRY(Tree one, operators(kReadBar));
    targets.push_back(std::move(one));
    if (!accept(",")) break;
    tuple = true;
  }
  if (targets.empty()) return missing("a target");
  return tuple ? node(Kind::Tuple, from, std::move(targets)) : std::move(targets.front());
}

Result<Tree> PythonExpressions::unary() {
  const std::size_t from = begin();
  for (const std::string_view sign : {"-", "+", "~"})
    if (accept(sign)) {
      const Nesting level;
      if (level.tooDeep()) return tooDeep();
      TESSERA_TRY(Tree operand, unary());
      return node(Kind::Unary, from, moved(std::move(operand)), std::string(sign));
    }
  return power();
}

Result<Tree> PythonExpressions::power() {
  const std::size_t from = begin();
  if (at("await")) accept("await");
  TESSERA_TRY(Tree left, postfix());
  if (!accept("**")) return left;
  const Nesting level;
  if (level.tooDeep()) return tooDeep();
  TESSERA_TRY(Tree right, unary());
  return node(Kind::Binary, from, moved(std::move(left), std::move(right)), "**");
}

Result<Tree> PythonExpressions::postfix() {
  const std::size_t from = begin();
  TESSERA_TRY(Tree out, atom());
  while (true) {
    if (accept("(")) {
      TESSERA_TRY(out, call(from, std::move(out)));
    } else if (accept("[")) {
      TESSERA_TRY(out, subscript(from, std::move(out)));
    } else if (accept(".")) {
      TESSERA_TRY(std::string member, name("a name after `.`"));
      out = node(Kind::Member, from, moved(std::move(out)), std::move(member));
    } else {
      return out;
    }
    if (out.height > kMostHeight) return tooDeep();
  }
}

Result<Tree> PythonExpressions::call(std::size_t from, Tree called) {
  std::vector<Tree> children;
  children.push_back(std::move(called));
  while (!at(")")) {
    TESSERA_TRY(Tree one, argument());
    children.push_back(std::move(one));
    if (!accept(",")) break;
  }
  TESSERA_CHECKED(expect(")", "after the arguments"));
  return node(Kind::Call, from, std::move(children));
}

Result<Tree> PythonExpressions::argument() {
  const std::size_t from = begin();
  if (here().kind == PythonToken::Kind::Name && next().text == "=" && next().kind == PythonToken::Kind::Operator) {
    std::string word(here().text);
    seek(position() + 2);
    TESSERA_TRY(Tree value, expression());
    return node(Kind::Keyword, from, moved(std::move(value)), std::move(word));
  }
  TESSERA_TRY(Tree value, element());
  if (!at("for") && !at("async")) return value;
  return comprehension(from, moved(std::move(value)));
}

Result<Tree> PythonExpressions::subscript(std::size_t from, Tree array) {
  std::vector<Tree> children;
  children.push_back(std::move(array));
  while (!at("]")) {
    TESSERA_TRY(Tree one, index());
    children.push_back(std::move(one));
    if (!accept(",")) break;
  }
  TESSERA_CHECKED(expect("]", "after the subscripts"));
  return node(Kind::Subscript, from, std::move(children));
}

Result<Tree> PythonExpressions::index() {
  const std::size_t from = begin();
  std::vector<Tree> parts;
  bool slice = false;
  for (int k = 0; k < 3; ++k) {
    if (at(":") || at("]") || at(",")) {
      parts.push_back(k == 0 ? node(Kind::Empty, from) : absent());
    } else {
      TESSERA_TRY(Tree part, element());
      parts.push_back(std::move(part));
    }
    if (k == 2 || !accept(":")) break;
    slice = true;
  }
  if (!slice)
    return parts.front().kind == Kind::Empty ? Result<Tree>(missing("a subscript")) : std::move(parts.front());
  while (parts.size() < 3) parts.push_back(absent());
  return node(Kind::Slice, from, std::move(parts));
}

}  // namespace tessera::code
