// Literals, and expressions built with brackets and colons: (a, b), <3:4, 8:2>, [2:1; _], (M,8):(8,1).
#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "core/base/chars.h"
#include "core/worksheet/language/expression_parser.h"
#include "core/worksheet/language/words.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

bool hexadecimal(const Cursor& in) { return in.raw() == '0' && (in.raw(1) == 'x' || in.raw(1) == 'X'); }

}  // namespace

// The literal that begins here, cached because operators ask again at the same place.
Result<std::optional<Literal>> ExpressionParser::literalHere() {
  if (ahead_ && aheadAt_ == in_.position()) return std::exchange(ahead_, std::nullopt).value();
  TESSERA_TRY(std::optional<Literal> read, readLiteral(text(), in_.position(), text().size(), names_, notLiterals_));
  spend(1 + static_cast<Work>(read ? (read->end - in_.position()) / 16 : 0));
  return read;
}

// Fast path: a literal of numbers followed by a comma, a bracket or the end, as most arguments are. Null if it does not
// apply; then only blanks were skipped.
Result<NodePtr> ExpressionParser::literalAlone() {
  in_.skipBlanks();
  if ((peek() != '(' && !isDigit(peek())) || hexadecimal(in_)) return NodePtr();
  const std::size_t begin = in_.position();
  TESSERA_TRY(std::optional<Literal> found, readLiteral(text(), begin, text().size(), names_, notLiterals_));
  if (found) {
    in_.seek(found->end);
    in_.skipBlanks();
    const bool alone = done() || peek() == ',' || peek() == ')' || peek() == ']';
    in_.seek(begin);
    if (alone) return literal(*std::move(found));
  }
  ahead_ = std::move(found);
  aheadAt_ = begin;
  return NodePtr();
}

// primary [: primary]
Result<NodePtr> ExpressionParser::layout() {
  TESSERA_TRY(NodePtr shape, primary());
  in_.skipBlanks();
  if (peek() != ':' || peek(1) == ':') return shape;
  if (shape->kind == Node::Kind::Literal && shape->literal == LiteralKind::Layout) return shape;  // a second ':'
  const std::size_t colon = step();
  in_.skipBlanks();
  if (done()) {
    return Diag{"the stride is missing after ':'", "a stride for each mode of the shape", "", {colon, colon + 1}};
  }
  NodePtr stride;
  TESSERA_TRY(const bool minus, atMinus());
  if (minus) {
    const std::size_t begin = step();
    TESSERA_TRY(NodePtr operand, primary());
    stride = makeNode(Node::Kind::Negate, {begin, operand->span.end});
    stride->children.push_back(std::move(operand));
  } else {
    TESSERA_TRY(stride, primary());
  }
  NodePtr node = makeNode(Node::Kind::Layout, {shape->span.begin, stride->span.end});
  node->children.push_back(std::move(shape));
  node->children.push_back(std::move(stride));
  return node;
}

Result<NodePtr> ExpressionParser::primary() {
  in_.skipBlanks();
  if (done()) return expected("an expression");
  if (hexadecimal(in_)) return hexLiteral();
  TESSERA_TRY(std::optional<Literal> found, literalHere());
  if (found) return literal(*std::move(found));
  const char c = peek();
  if (c == '(') return parenthesised();
  if (c == '[') return brackets(']');
  if (c == '<') return brackets('>');
  if ((c == 'S' || c == 'R') && peek(1) == '[') {  // otherwise it would be a literal
    return neverClosed(in_.position() + 1, "S[extents:strides], with a ']'");
  }
  if (isNameStart(c)) return nameOrCall();
  if (c == ':') {
    return Diag{"the shape is missing before ':'", "a shape: an extent or a tuple of extents", "", pieceHere()};
  }
  if (c == '#') {
    std::size_t open = in_.position() + 1;
    while (open < text().size() && (isNamePart(text()[open]) || text()[open] == '.')) ++open;
    if (open < text().size() && text()[open] == '<') {
      return neverClosed(open, "the attribute up to its '>'");
    }
    return expected("an attribute such as #ttg.blocked<{...}>, or #NAME");
  }
  if (c == '"') return Diag{"this text is never closed", "a closing \"", "", pieceHere()};
  if (isDigit(c)) return malformedNumber();
  if (c == '@') {
    return Diag{"a scaled basis needs its value before '@'", "VALUE@MODE, as in 1@0", "1@0", pieceHere()};
  }
  if (c == '=') return expected("an expression", "compare with ==; bind with NAME = expression");
  return expected("an expression");
}

Result<NodePtr> ExpressionParser::literal(Literal read) {
  NodePtr node = makeNode(Node::Kind::Literal, {in_.position(), read.end});
  node->literal = read.kind;
  node->row = read.row;
  node->value = std::move(read.value);
  node->text = text().substr(in_.position(), read.end - in_.position());
  in_.seek(read.end);
  return node;
}

Result<NodePtr> ExpressionParser::wordLiteral(std::size_t end) {
  return literal(
      {Value(Text{std::string(text().substr(in_.position(), end - in_.position()))}), LiteralKind::Word, end, nullptr});
}

Result<NodePtr> ExpressionParser::hexLiteral() {
  const std::size_t end = skipWord(text(), in_.position() + 2);
  const Span here{in_.position(), end};
  const std::string_view digits = text().substr(in_.position() + 2, end - in_.position() - 2);
  i64 n = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n, 16);
  if (error == std::errc::result_out_of_range) {
    return Diag{fmt::format("{} does not fit in 64 bits", shownPiece(text(), here)), "an integer below 2^63", "", here};
  }
  if (error != std::errc{} || stop != digits.data() + digits.size())
    return Diag{fmt::format("'{}' is not a number", shownPiece(text(), here)), "an integer", "", here};
  return literal({Value(n), LiteralKind::Integer, end, nullptr});
}

Diag ExpressionParser::malformedNumber() {
  const Span here{in_.position(), skipWord(text(), in_.position())};
  std::size_t digitsEnd = here.begin;
  while (digitsEnd < here.end && isDigit(text()[digitsEnd])) ++digitsEnd;
  return Diag{fmt::format("'{}' is neither a number nor a name", shownPiece(text(), here)), "an integer",
              std::string(text().substr(here.begin, std::min<std::size_t>(digitsEnd - here.begin, 40))), here};
}

// ( expression ) groups; ( a, b ) and ( a, ) are tuples.
Result<NodePtr> ExpressionParser::parenthesised() {
  const std::size_t open = step();
  NodePtr tuple = makeNode(Node::Kind::Tuple, {open, open + 1});
  in_.skipBlanks();
  if (peek() == ')') {
    tuple->span.end = step() + 1;
    return tuple;
  }
  const int angles = std::exchange(inAngles_, 0);
  bool comma = false;
  for (;;) {
    in_.skipBlanks();
    if (comma && peek() == ')') break;
    if (peek() == ',') return expected("an element of the tuple", "remove one of the commas");
    TESSERA_TRY(NodePtr element, expression());
    tuple->children.push_back(std::move(element));
    in_.skipBlanks();
    if (peek() == ')') break;
    if (done()) return neverClosed(open, "a ')'");
    if (peek() != ',') return expected("',' or ')'", "elements are separated by commas");
    comma = true;
    in_.advance();
  }
  inAngles_ = angles;
  tuple->span.end = step() + 1;
  if (!comma) {  // grouping; it keeps the span of its parentheses
    NodePtr inner = std::move(tuple->children.front());
    inner->span = tuple->span;
    return inner;
  }
  return tuple;
}

// <3:4, 8:2> and [(4,8):(1,4); _; 2:1]
Result<NodePtr> ExpressionParser::brackets(char close) {
  const std::size_t open = step();
  NodePtr node = makeNode(Node::Kind::Brackets, {open, open + 1});
  node->text = close == '>' ? "<" : "[";
  const int angles = std::exchange(inAngles_, close == '>' ? 1 : 0);
  in_.skipBlanks();
  while (peek() != close) {
    TESSERA_TRY(NodePtr element, expression());
    node->children.push_back(std::move(element));
    in_.skipBlanks();
    if (peek() == close) break;
    if (done()) break;
    if (peek() != ',' && peek() != ';') return expected(fmt::format("',' or '{}'", close));
    node->operators.emplace_back(1, text()[step()]);
    in_.skipBlanks();
  }
  inAngles_ = angles;
  if (done()) return neverClosed(open, fmt::format("a '{}'", close));
  node->span.end = step() + 1;
  return node;
}

}  // namespace tessera
