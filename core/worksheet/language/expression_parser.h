// ExpressionParser: recursive descent directly over the text. (There is no token list, because tokens depend on the
// notation.) syntax.h has the tree and the precedence.
//
//     2 * Sw<3,3,3> o A(1, _)      operators      parser.cpp
//     A(1, _)   X over (8,16)      calls          parser_calls.cpp
//     Sw<3,3,3>   (M,8):(8,1)      literals       parser_literals.cpp
//
// Law: every nesting level is a Nesting; every error has a place, an expectation and, if possible, a hint. The text is
// read once from left to right, except for a literal that turns out to be followed by an operator; it is cached.
// Internal: the interface is parseExpression (syntax.h).
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/cursor.h"
#include "core/worksheet/language/literals.h"
#include "core/worksheet/language/syntax.h"

namespace tessera {

// The piece of a text for a message: at most 40 bytes, without control characters.
[[nodiscard]] std::string shownPiece(std::string_view text, Span piece);

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::size_t from, std::size_t to, const NameLookup& names)
      : in_(text.substr(0, to), {}, from), names_(names) {}

  Result<NodePtr> whole();

 private:
  // ---- text
  [[nodiscard]] std::string_view text() const { return in_.text(); }
  [[nodiscard]] bool done() const { return in_.position() >= text().size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const { return in_.raw(ahead); }
  [[nodiscard]] bool starts(std::string_view s) const {
    return text().substr(std::min(in_.position(), text().size()), s.size()) == s;
  }
  // Advances by one byte; returns its position.
  std::size_t step() {
    in_.advance();
    return in_.position() - 1;
  }
  // The piece at the position that an error underlines: a name, a number, or one character.
  [[nodiscard]] Span pieceHere() const;

  // ---- errors
  [[nodiscard]] Diag expected(std::string_view what, std::string hint = "");
  [[nodiscard]] Diag afterExpression();
  [[nodiscard]] Diag tooDeep() const;
  [[nodiscard]] Diag neverClosed(std::size_t open, std::string wanted) const;

  // ---- operators
  Result<NodePtr> expression();
  Result<NodePtr> conjunction();
  Result<NodePtr> negation();
  [[nodiscard]] std::string_view comparisonHere();
  Result<NodePtr> comparison();
  Result<NodePtr> composed();
  Result<NodePtr> exclusive();
  Result<NodePtr> sum();
  Result<NodePtr> product();
  Result<bool> atMinus();
  Result<NodePtr> unary();

  // ---- calls
  Result<NodePtr> application();
  Result<NodePtr> method(NodePtr object);
  Result<NodePtr> sharded(NodePtr mesh);
  Result<NodePtr> bound(NodePtr layout);
  Result<NodePtr> nameOrCall();
  bool rangedExpression(Node& call);
  Result<void> arguments(Node& node);

  // ---- literals
  Result<std::optional<Literal>> literalHere();
  Result<NodePtr> literalAlone();
  Result<NodePtr> layout();
  Result<NodePtr> primary();
  Result<NodePtr> literal(Literal read);
  Result<NodePtr> wordLiteral(std::size_t end);
  Result<NodePtr> hexLiteral();
  [[nodiscard]] Diag malformedNumber();
  Result<NodePtr> parenthesised();
  Result<NodePtr> brackets(char close);

  Cursor in_;
  const NameLookup& names_;
  std::optional<std::optional<Literal>> ahead_;  // the literal at aheadAt_, or that there is none
  std::size_t aheadAt_ = 0;
  NotLiterals notLiterals_;
  const int outer_ = Nesting::levels();
  int inAngles_ = 0;  // nesting depth of <...>, where `>` closes
};

}  // namespace tessera
