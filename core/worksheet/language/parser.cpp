// The piece that an error underlines, its message, and the operators, loosest first: each level reads the next tighter
// one, and a chain of one operator becomes one node.
#include <fmt/format.h>

#include "core/atlas/atlas.h"
#include "core/base/chars.h"
#include "core/worksheet/language/expression_parser.h"
#include "core/worksheet/language/place.h"
#include "core/worksheet/language/words.h"

namespace tessera {

Result<NodePtr> ExpressionParser::whole() {
  spend();
  TESSERA_TRY(NodePtr node, expression());
  in_.skipBlanks();
  if (!done()) return afterExpression();
  return node;
}

Span ExpressionParser::pieceHere() const {
  const std::size_t begin = in_.position();
  if (begin >= text().size()) return {std::max<std::size_t>(trimEnd(text(), 0, text().size()), 1) - 1, text().size()};
  const std::size_t end = skipWord(text(), begin);
  return {begin, end > begin ? end : nextCodePoint(text(), begin)};
}

std::string shownPiece(std::string_view text, Span piece) {
  return cleaned(text.substr(piece.begin, std::min<std::size_t>(piece.end - piece.begin, 40)));
}

Diag ExpressionParser::expected(std::string_view what, std::string hint) {
  in_.skipBlanks();
  const Span span = pieceHere();
  if (done()) return Diag{"the text ends too early", std::string(what), std::move(hint), span};
  return Diag{fmt::format("unexpected '{}'", shownPiece(text(), span)), std::string(what), std::move(hint), span};
}

Diag ExpressionParser::afterExpression() {
  if (peek() == ')' || peek() == ']' || peek() == '}') {
    return Diag{fmt::format("'{}' closes nothing", peek()), "the end of the statement", "", pieceHere()};
  }
  if (peek() == ':') return expected("the end of the statement", "a layout is shape:stride, with one ':'");
  if (peek() == '=') return expected("the end of the statement", "compare with ==; bind with NAME = expression");
  if (peek() == '[') {
    return expected("the end of the statement",
                    "an XLA shape begins with an element type, f32[2,3]{1,0}; bf16, s8, pred");
  }
  if (peek() == ',') return expected("the end of the statement", "a tuple needs parentheses: (a, b)");
  return expected("an operator or the end of the statement");
}

Diag ExpressionParser::tooDeep() const {
  return Diag{fmt::format("the expression nests more than {} levels deep", Nesting::kMost), "a flatter expression",
              "bind the inner parts to names", pieceHere()};
}

Diag ExpressionParser::neverClosed(std::size_t open, std::string wanted) const {
  return Diag{fmt::format("this '{}' is never closed", text()[open]), std::move(wanted), "", {open, open + 1}};
}

NodePtr makeNode(Node::Kind kind, Span span) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->span = span;
  return node;
}

Result<NodePtr> parseExpression(std::string_view text, std::size_t from, std::size_t to, const NameLookup& names) {
  return ExpressionParser(text, from, to, names).whole();
}

namespace {

constexpr std::string_view kRing = "\xE2\x88\x98";  // the ring operator, used for composition in papers
constexpr std::string_view kOpenChain = "\x01";     // text of a chain that may still grow; not a valid name

// Extends a chain; the first operand is already there.
void join(NodePtr& left, Node::Kind kind, std::string op, NodePtr right) {
  if (left->kind != kind || left->text != kOpenChain) {
    NodePtr chain = makeNode(kind, left->span);
    chain->text = kOpenChain;
    chain->children.push_back(std::move(left));
    left = std::move(chain);
  }
  left->span.end = right->span.end;
  left->operators.push_back(std::move(op));
  left->children.push_back(std::move(right));
}

// Closes a chain, so that (a+b)+c does not merge with a+b+c.
NodePtr sealed(NodePtr node) {
  if (node->text == kOpenChain) node->text.clear();
  return node;
}

// `A o L over f16`: the type applies to the whole. L stays in `node`; the call gets its first argument later.
NodePtr takeElementType(NodePtr& node) {
  const bool typed = node->kind == Node::Kind::Call && node->text == "over" && node->children.size() == 2 &&
                     node->children[1]->kind == Node::Kind::Name && elementBits(node->children[1]->text).ok();
  if (!typed) return nullptr;
  NodePtr call = std::move(node);
  node = std::move(call->children.front());
  call->children.erase(call->children.begin());
  return call;
}

}  // namespace

Result<NodePtr> ExpressionParser::expression() {
  const Nesting level;
  if (level.tooDeep()) return tooDeep();
  TESSERA_TRY(NodePtr alone, literalAlone());
  if (alone) return alone;
  TESSERA_TRY(NodePtr left, conjunction());
  while (in_.acceptWord("or")) {
    TESSERA_TRY(NodePtr right, conjunction());
    join(left, Node::Kind::Or, "or", std::move(right));
  }
  return sealed(std::move(left));
}

Result<NodePtr> ExpressionParser::conjunction() {
  TESSERA_TRY(NodePtr left, negation());
  while (in_.acceptWord("and")) {
    TESSERA_TRY(NodePtr right, negation());
    join(left, Node::Kind::And, "and", std::move(right));
  }
  return sealed(std::move(left));
}

Result<NodePtr> ExpressionParser::negation() {
  in_.skipBlanks();
  const std::size_t begin = in_.position();
  if (!in_.acceptWord("not")) return comparison();
  const Nesting level;
  if (level.tooDeep()) return tooDeep();
  TESSERA_TRY(NodePtr operand, negation());
  NodePtr node = makeNode(Node::Kind::Not, {begin, operand->span.end});
  node->children.push_back(std::move(operand));
  return node;
}

std::string_view ExpressionParser::comparisonHere() {
  in_.skipBlanks();
  for (const std::string_view op : {"==", "!=", "<=", ">=", "<", ">"}) {
    if (starts(op)) return op;
  }
  return {};
}

Result<NodePtr> ExpressionParser::comparison() {
  TESSERA_TRY(NodePtr left, composed());
  const std::string_view op = comparisonHere();
  if (op.empty() || inAngles_ > 0) return left;
  NodePtr node = makeNode(Node::Kind::Compare, left->span);
  node->name = {in_.position(), in_.position() + op.size()};
  in_.advance(op.size());
  TESSERA_TRY(NodePtr right, composed());
  node->span.end = right->span.end;
  node->operators.emplace_back(op);
  node->children.push_back(std::move(left));
  node->children.push_back(std::move(right));
  if (!comparisonHere().empty()) {
    return expected("'and', 'or' or the end", "comparisons do not chain: write a < b and b < c");
  }
  return node;
}

Result<NodePtr> ExpressionParser::composed() {
  TESSERA_TRY(NodePtr left, exclusive());
  for (;;) {
    in_.skipBlanks();
    if (starts(kRing)) {
      in_.advance(kRing.size());
    } else if (!in_.acceptWord("o")) {
      break;
    }
    TESSERA_TRY(NodePtr right, exclusive());
    NodePtr typed = takeElementType(right);
    join(left, Node::Kind::Compose, "o", std::move(right));
    if (typed == nullptr) continue;
    typed->span.begin = left->span.begin;
    typed->children.insert(typed->children.begin(), std::move(left));
    left = std::move(typed);
  }
  return sealed(std::move(left));
}

// `^` and `xor` bind loosest of the numeric operators, as in C and in indexing maps.
Result<NodePtr> ExpressionParser::exclusive() {
  TESSERA_TRY(NodePtr left, sum());
  for (;;) {
    in_.skipBlanks();
    if (peek() == '^') {
      step();
    } else if (!in_.acceptWord("xor")) {
      break;
    }
    TESSERA_TRY(NodePtr right, sum());
    join(left, Node::Kind::Sum, "^", std::move(right));
  }
  return sealed(std::move(left));
}

Result<NodePtr> ExpressionParser::sum() {
  TESSERA_TRY(NodePtr left, product());
  for (;;) {
    in_.skipBlanks();
    if (peek() != '+' && peek() != '-') break;
    std::string op(1, text()[step()]);
    TESSERA_TRY(NodePtr right, product());
    join(left, Node::Kind::Sum, std::move(op), std::move(right));
  }
  return sealed(std::move(left));
}

Result<NodePtr> ExpressionParser::product() {
  TESSERA_TRY(NodePtr left, unary());
  for (;;) {
    in_.skipBlanks();
    std::string op;
    if (starts("//")) {
      in_.advance(2);
      op = "/";
    } else if (peek() == '*' || peek() == '/' || peek() == '%') {
      op = text()[step()];
    } else if (in_.acceptWord("floordiv")) {
      op = "/";
    } else if (in_.acceptWord("mod")) {
      op = "%";
    } else {
      break;
    }
    TESSERA_TRY(NodePtr right, unary());
    join(left, Node::Kind::Product, std::move(op), std::move(right));
  }
  return sealed(std::move(left));
}

// A `-` that does not begin a literal: -4 is one, and so is `- register=1 -> (0, 1) ...`.
Result<bool> ExpressionParser::atMinus() {
  if (peek() != '-') return false;
  TESSERA_TRY(const std::optional<Literal> literal,
              readLiteral(text(), in_.position(), text().size(), names_, notLiterals_));
  return !literal;
}

Result<NodePtr> ExpressionParser::unary() {
  in_.skipBlanks();
  TESSERA_TRY(const bool minus, atMinus());
  if (minus) {
    const Nesting level;
    if (level.tooDeep()) return tooDeep();
    const std::size_t begin = step();
    TESSERA_TRY(NodePtr operand, unary());
    NodePtr node = makeNode(Node::Kind::Negate, {begin, operand->span.end});
    node->children.push_back(std::move(operand));
    return node;
  }
  return application();
}

}  // namespace tessera
