// Operands: literals, names, casts, lambdas.
#include <charconv>

#include "core/base/chars.h"
#include "core/code/cpp/read_cpp.h"

namespace tessera::code::cpp {

namespace {

using Kind = Tree::Kind;

Result<Tree> namedCast(In& in) {
  const int first = in.at;
  Tree out = node(Kind::Cast, {}, std::string(in.text(in.at)));
  in.next();
  TESSERA_CHECKED(templateArguments(in, out.children));
  if (out.children.size() != 1) return in.fail("a cast has one type");
  TESSERA_CHECKED(in.expect("(", "after the type of a cast"));
  TESSERA_CHECKED(arguments(in, ")", out.children));
  out.span = in.spanFrom(first);
  if (out.children.size() != 2) return in.fail("a cast has one operand");
  return checked(in, std::move(out));
}

std::optional<i64> numberValue(std::string_view written) {
  std::string digits;
  for (const char c : written)
    if (c != '\'') digits += c;
  int base = 10;
  std::size_t skip = 0;
  if (digits.size() > 1 && digits[0] == '0') {
    const char mark = lowerCase(digits[1]);
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
    skip = base == 8 ? 0 : 2;
  }
  u64 value = 0;
  const auto [end, error] = std::from_chars(digits.data() + skip, digits.data() + digits.size(), value, base);
  if (error != std::errc() || end == digits.data() + skip || value > static_cast<u64>(INT64_MAX)) return std::nullopt;
  const std::string rest = lowerCase(std::string_view(end, digits.data() + digits.size() - end));
  const bool integer = rest.find_first_not_of("ulz") == std::string::npos || rest == "_c";
  return integer ? std::optional(static_cast<i64>(value)) : std::nullopt;
}

Tree literal(In& in) {
  const Token& token = in.token(in.at);
  Tree out = node(Kind::Number, token.span, std::string(in.text(in.at)));
  if (token.kind == Token::Kind::Number) out.value = numberValue(out.text);
  if (token.kind == Token::Kind::Character && out.text.size() == 3) out.value = out.text[1];
  if (token.kind == Token::Kind::Name) out.value = out.text == "true" ? 1 : 0;
  in.next();
  return out;
}

// Adjacent literals are one.
Tree strings(In& in) {
  const int first = in.at;
  Tree out = node(Kind::String, {});
  for (; in.kind() == Token::Kind::String; in.next()) {
    std::string_view text = in.text(in.at);
    text.remove_prefix(text.find('"') + 1);
    if (text.ends_with('"')) text.remove_suffix(1);
    out.text += text;
  }
  out.span = in.spanFrom(first);
  return out;
}

Result<Tree> lambda(In& in) {
  const int first = in.at;
  const int close = in.token(in.at).match;
  Tree out = node(Kind::Lambda, {});
  const Span inside{in.token(first).span.end, in.token(std::max(close, first)).span.begin};
  if (close < 0) return in.fail("`]` is missing after the captures of a lambda", "]");
  out.text = std::string(stripped(in.source().substr(inside.begin, inside.end - inside.begin)));
  in.at = close;
  in.next();
  const Bracketed brackets(in);
  if (in.accept("(")) TESSERA_CHECKED(parametersOf(in, ")", out.parameters));
  while (in.is("mutable") || in.is("constexpr") || in.is("noexcept") ||
         (in.nameAt(in.at) && isSpecifier(in.text(in.at))))
    in.next();
  if (in.accept("->")) {
    if (auto result = type(in); !result) return result.error();
  }
  if (!in.is("{")) return in.fail("the body of a lambda is missing here", "{");
  TESSERA_TRY(Tree body, block(in));
  out.children.push_back(std::move(body));
  out.span = in.spanFrom(first);
  return checked(in, std::move(out));
}

}  // namespace

// Whether `(` begins (T)x.
bool isCast(In& in) {
  const int close = in.token(in.at).match;
  bool sure = false;
  if (close < 0 || in.skipType(in.at + 1, &sure) != close || !beginsOperand(in, close + 1)) return false;
  if (sure || in.isAt(close - 1, "*") || in.isAt(close - 1, "&")) return true;
  const Token& after = in.token(close + 1);
  return after.kind != Token::Kind::Mark || in.isAt(close + 1, "~") || in.isAt(close + 1, "!");
}

// (T[]){a, b}, a list of C, is T{a, b}.
bool isArrayLiteral(const In& in) {
  const int close = in.token(in.at).match, open = in.at + 2;
  return in.is("(") && close > 0 && in.nameAt(in.at + 1) && in.isAt(open, "[") && in.token(open).match + 1 == close &&
         in.isAt(close + 1, "{");
}

Result<Tree> arrayLiteral(In& in) {
  const int first = in.at, close = in.token(in.at).match;
  in.next();
  TESSERA_TRY(Tree of, name(in, true));
  while (in.at <= close) in.next();
  return bracedList(in, std::move(of), first);
}

Result<Tree> castExpression(In& in) {
  const int first = in.at;
  in.next();
  const Bracketed inside(in);
  TESSERA_TRY(Tree to, type(in));
  TESSERA_CHECKED(in.expect(")", "after the type of a cast"));
  TESSERA_TRY(Tree operand, unary(in));
  Tree out = node(Kind::Cast, in.spanFrom(first));
  out.children.push_back(std::move(to));
  out.children.push_back(std::move(operand));
  return checked(in, std::move(out));
}

Result<Tree> primary(In& in) {
  const int first = in.at;
  switch (in.kind()) {
    case Token::Kind::Number:
    case Token::Kind::Character:
      return literal(in);
    case Token::Kind::String:
      return strings(in);
    case Token::Kind::Name:
      break;
    default:
      if (in.is("[")) return lambda(in);
      if (in.is("::")) return name(in, false);
      // Of a fold expression: (... + sizes)
      if (in.accept("...")) return node(Kind::Name, in.spanFrom(first), "...");
      if (!in.is("(")) return in.fail("an expression is missing here", "an expression");
      in.next();
      const Bracketed inside(in);
      TESSERA_TRY(Tree out, expression(in));
      TESSERA_CHECKED(in.expect(")", "after an expression"));
      return out;
  }
  const std::string_view word = in.text(in.at);
  if (word == "true" || word == "false") return literal(in);
  if (word.ends_with("_cast") && in.is("<", 1) && in.opensTemplate(in.at + 1, false)) return namedCast(in);
  if (isBuiltinType(word) || word == "decltype") return plainType(in);
  if (word == "this") {
    in.next();
    return node(Kind::Name, in.spanFrom(first), "this");
  }
  if (isKeyword(word) && word != "template" && word != "struct" && word != "operator")
    return in.fail("`" + std::string(word) + "` is no expression", "an expression");
  return name(in, false);
}

}  // namespace tessera::code::cpp
