// Shared by all parts of the parser: the piece that an error underlines, and its message.
#include <fmt/format.h>

#include "core/base/chars.h"
#include "core/base/work_budget.h"
#include "core/worksheet/language/expression_parser.h"
#include "core/worksheet/language/place.h"

namespace tessera {
namespace {

// The last byte that is no blank.
std::size_t lastSolid(std::string_view text) {
  std::size_t k = text.size();
  while (k > 0 && isBlank(text[k - 1])) --k;
  return k > 0 ? k - 1 : 0;
}

}  // namespace

Result<NodePtr> ExpressionParser::whole() {
  spend();
  TESSERA_TRY(NodePtr node, expression());
  in_.skipBlanks();
  if (!done()) return afterExpression();
  return node;
}

// The piece at the position that an error underlines: a name, a number, or one character.
Span ExpressionParser::pieceHere() const {
  std::size_t end = in_.position();
  if (end >= text().size()) return {text().size() > 0 ? lastSolid(text()) : 0, text().size()};
  if (isNamePart(text()[end])) {
    while (end < text().size() && isNamePart(text()[end])) ++end;
  } else {
    ++end;
    while (end < text().size() && (static_cast<unsigned char>(text()[end]) & 0xC0U) == 0x80) ++end;
  }
  return {in_.position(), end};
}

std::string ExpressionParser::shown(Span s) const {
  return cleaned(text().substr(s.begin, std::min<std::size_t>(s.end - s.begin, 40)));
}

Diag ExpressionParser::expected(std::string_view what, std::string hint) {
  in_.skipBlanks();
  const Span span = pieceHere();
  if (done()) return Diag{"the text ends too early", std::string(what), std::move(hint), span};
  return Diag{fmt::format("unexpected '{}'", shown(span)), std::string(what), std::move(hint), span};
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

NodePtr makeNode(Node::Kind kind, Span span) {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->span = span;
  return node;
}

Result<NodePtr> parseExpression(std::string_view text, std::size_t from, std::size_t to, const NameLookup& names) {
  return ExpressionParser(text, from, to, names).whole();
}

}  // namespace tessera
