// The parts of the C++ reader (read_cpp*.cpp): tokens, and a recursive descent over them. Private to this folder.
//
//     Layout<Int<N>>{} + a     Name `<` Name `<` Name `>` `>` `{` `}` Mark Name End
//
// A `>` is always a token by itself; expressions join `>>` and `>=`. A `<` opens template arguments if its `>` is there
// and the tokens around it fit (opensTemplate). Each `<` is matched once, so this takes time linear in the text.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/cursor.h"
#include "core/base/result.h"
#include "core/code/tree.h"

namespace tessera::code::cpp {

struct Token {
  enum class Kind : unsigned char { Name, Number, Character, String, Mark, Directive, End };
  Kind kind = Kind::End;
  Span span;
  int match = -1;  // of a bracket ( [ {: the token that closes it, and the other way round
};

// The tokens of a part of a text, with an End. Comments and directives inside () and [] are no tokens.
[[nodiscard]] std::vector<Token> tokensOf(std::string_view text, Span part);

// Where the reader is.
class In {
 public:
  In(std::string_view text, std::vector<Token> tokens);

  int at = 0;              // the next token
  bool angle = false;      // directly inside template arguments: `>` closes them
  bool fragment = false;   // an unclosed bracket ends with the text
  std::string structName;  // of the struct around, whose name is that of its constructors

  [[nodiscard]] std::string_view source() const { return text_; }
  [[nodiscard]] const Token& token(int i) const { return tokens_[std::min<std::size_t>(i, tokens_.size() - 1)]; }
  [[nodiscard]] Token::Kind kind(int ahead = 0) const { return token(at + ahead).kind; }
  // "" at the end. A string or character literal is no word and no mark: its text begins with a quote or R, u, L.
  [[nodiscard]] std::string_view text(int i) const;
  [[nodiscard]] bool isAt(int i, std::string_view what) const { return text(i) == what; }
  [[nodiscard]] bool is(std::string_view what, int ahead = 0) const { return text(at + ahead) == what; }
  [[nodiscard]] bool atEnd() const { return kind() == Token::Kind::End; }
  [[nodiscard]] bool nameAt(int i) const { return token(i).kind == Token::Kind::Name; }
  // The tokens i and i + 1 touch.
  [[nodiscard]] bool touches(int i) const { return token(i).span.end == token(i + 1).span.begin; }
  void next();
  [[nodiscard]] bool accept(std::string_view what);
  [[nodiscard]] Result<void> expect(std::string_view what, std::string_view where);
  [[nodiscard]] Span spanFrom(int first) const;
  [[nodiscard]] Diag fail(std::string message, std::string expected = {}) const;
  [[nodiscard]] Result<void> enough(const Nesting& level) const;  // a Diag if it is too deep

  // The `>` of the `<` at token i; -1: none.
  [[nodiscard]] int angleEnd(int i);
  // Whether the `<` at token i, after a name, opens template arguments. forType: a declared name may follow.
  [[nodiscard]] bool opensTemplate(int i, bool forType);
  // The token after the type that begins at i; -1: none begins there. *sure: it can be nothing else.
  [[nodiscard]] int skipType(int i, bool* sure);

 private:
  void matchAngles(int i);
  [[nodiscard]] int skipName(int i, bool* sure);

  std::string_view text_;
  std::vector<Token> tokens_;
  std::vector<int> angles_;     // per token: the `>` of a `<`; -1 none; -2 not yet known
  std::vector<char> compares_;  // per token `<`: a `&&`, `||`, `?` or `=` is directly between it and its `>`
};

// Reads with `>` as an operator again, inside a bracket.
class Bracketed {
 public:
  explicit Bracketed(In& in) : in_(in), before_(std::exchange(in.angle, false)) {}
  ~Bracketed() { in_.angle = before_; }
  Bracketed(const Bracketed&) = delete;
  Bracketed& operator=(const Bracketed&) = delete;

 private:
  In& in_;
  bool before_;
};

[[nodiscard]] bool isBuiltinType(std::string_view word);  // int, unsigned, auto, ...
[[nodiscard]] bool isKnownType(std::string_view word);    // half, uint32_t, float4, ...
[[nodiscard]] bool isKeyword(std::string_view word);      // a word that is neither a name nor a type: return, if, ...
[[nodiscard]] bool isSpecifier(std::string_view word);    // static, constexpr, __device__, CUTE_HOST_DEVICE, ...

// The node's height from its parts.
[[nodiscard]] Tree finished(Tree tree);
[[nodiscard]] Tree node(Tree::Kind kind, Span span, std::string text = {}, std::vector<Tree> children = {});

// An absent part, after the last token.
[[nodiscard]] Tree emptyAt(const In& in);

// read_cpp_expression.cpp
[[nodiscard]] Result<Tree> expression(In& in);   // with commas
[[nodiscard]] Result<Tree> assignment(In& in);   // without
[[nodiscard]] Result<Tree> initializer(In& in);  // assignment or {a, b}
// The arguments up to `closer`, which is read; appended to `out`.
[[nodiscard]] Result<void> arguments(In& in, std::string_view closer, std::vector<Tree>& out);

[[nodiscard]] Result<Tree> unary(In& in);
// of{a, b}
[[nodiscard]] Result<Tree> bracedList(In& in, Tree of, int first);
// The finished tree; a Diag if it is too high.
[[nodiscard]] Result<Tree> checked(In& in, Tree tree);
[[nodiscard]] bool beginsOperand(const In& in, int i);

// read_cpp_primary.cpp
[[nodiscard]] Result<Tree> primary(In& in);
// Whether `(` begins (T)x.
[[nodiscard]] bool isCast(In& in);
[[nodiscard]] Result<Tree> castExpression(In& in);
// Whether `(` begins (T[]){a, b}.
[[nodiscard]] bool isArrayLiteral(const In& in);
[[nodiscard]] Result<Tree> arrayLiteral(In& in);

// read_cpp_name.cpp
[[nodiscard]] Result<Tree> name(In& in, bool forType);
[[nodiscard]] Result<Tree> type(In& in);                // with const, *, &
[[nodiscard]] Result<Tree> plainType(In& in);           // without
[[nodiscard]] Result<Tree> decorated(In& in, Tree of);  // what follows a type: const, *, &
[[nodiscard]] Result<void> templateArguments(In& in, std::vector<Tree>& out);

// read_cpp_statement.cpp
[[nodiscard]] Result<void> statement(In& in, std::vector<Tree>& out);
[[nodiscard]] Result<Tree> block(In& in);  // { ... }
[[nodiscard]] Result<void> statements(In& in, std::vector<Tree>& out);

[[nodiscard]] Result<void> endOfStatement(In& in);
// The text of the tokens read since `first`.
[[nodiscard]] std::string written(const In& in, int first);

// read_cpp_directive.cpp
[[nodiscard]] Result<Tree> directive(In& in);

// read_cpp_types.cpp
[[nodiscard]] Result<Tree> aliasStatement(In& in);
[[nodiscard]] Result<Tree> typedefStatement(In& in);
[[nodiscard]] Result<Tree> namespaceStatement(In& in);
[[nodiscard]] Result<void> templateStatement(In& in, std::vector<Tree>& out);
// Position of the `{` or `;` of a struct; -1: this is no struct.
[[nodiscard]] int structBody(In& in);
[[nodiscard]] Result<void> structStatement(In& in, int bodyAt, std::vector<Tree>& out);

// read_cpp_declare.cpp
[[nodiscard]] bool isDeclaration(In& in);
[[nodiscard]] Result<void> declaration(In& in, std::vector<Tree>& out);
[[nodiscard]] Result<void> parametersOf(In& in, std::string_view closer, std::vector<Tree::Parameter>& out);
[[nodiscard]] std::string specifiers(In& in);

}  // namespace tessera::code::cpp
