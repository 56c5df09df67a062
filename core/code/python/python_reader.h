// PythonWords, PythonExpressions, PythonStatements: a recursive descent over the words of Python source.
//
//     lambda i, j: i * padded + j      Lambda (i, j) [Binary + [Binary * [i, padded], j]]
//     f(a, *b, order=(1, 0))           Call [f, a, Star [b], Keyword order [Tuple [1, 0]]]
//     [x * 2 for x in r if x]          Opaque "comprehension" [Binary *, For [x, r, Empty], If [x, Empty, Empty]]
//     with T.block("B") as v: ...      Block "with" [Expression [Assign [v, Call]], Block [...]]
//     a = b = 3                        Expression [Assign [a, Assign [b, 3]]]
//     x: int = 3                       Declare x [int, 3]; a type has no effect in Python
//     assert a < b                     Directive "assert a < b" [Binary <]; import, pass, raise, del: Directives
//     try, except, finally             Blocks with these qualifiers, side by side
//
// A parameter's `type` is the text of its annotation; `*args` and `**kwargs` keep their stars in the name.
// A line that is not Python becomes an Opaque, and its indented body follows it. So does the `else` of a loop.
// Not kept: where the indentation of the first line was lost when it was copied, the lines after it are at its level.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/code/python/python_tokens.h"
#include "core/code/tree.h"

namespace tessera::code {

// A position in the words.
class PythonWords {
 public:
  explicit PythonWords(std::string_view text) : text_(text), tokens_(pythonTokens(text)) {}

 protected:
  using Kind = Tree::Kind;

  [[nodiscard]] const PythonToken& here() const { return tokens_[at_]; }
  [[nodiscard]] const PythonToken& next() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  [[nodiscard]] std::size_t begin() const { return here().span.begin; }
  [[nodiscard]] bool at(std::string_view text) const;  // an operator or a word
  [[nodiscard]] bool atLineEnd() const;
  bool accept(std::string_view text);
  [[nodiscard]] Result<void> expect(std::string_view text, std::string_view where);
  [[nodiscard]] Result<std::string> name(std::string_view what);
  // Where the word before the cursor ends.
  [[nodiscard]] std::size_t endBefore() const { return at_ > 0 ? tokens_[at_ - 1].span.end : 0; }
  // "EXPECTED is missing here", at the word under the cursor.
  [[nodiscard]] Diag missing(std::string_view expected) const;
  // The reading as a whole fails.
  [[nodiscard]] Diag tooDeep();
  [[nodiscard]] bool failedWhole() const { return failedWhole_; }
  template <typename... Trees>
  [[nodiscard]] static std::vector<Tree> moved(Trees&&... trees) {
    std::vector<Tree> out;
    (out.push_back(std::forward<Trees>(trees)), ...);
    return out;
  }
  // A node that ends with the word before the cursor.
  [[nodiscard]] Tree node(Kind kind, std::size_t begin, std::vector<Tree> children = {}, std::string text = {}) const;
  [[nodiscard]] Tree absent() const { return node(Kind::Empty, endBefore()); }
  // All words to the end of the line.
  [[nodiscard]] Tree restOfLine(Kind kind);

  [[nodiscard]] std::size_t position() const { return at_; }
  void seek(std::size_t at) { at_ = at; }
  [[nodiscard]] std::string textOf(Span span) const {
    return std::string(text_.substr(span.begin, span.end - span.begin));
  }

 private:
  std::string_view text_;
  std::vector<PythonToken> tokens_;
  std::size_t at_ = 0;
  bool failedWhole_ = false;
};

class PythonExpressions : public PythonWords {
 public:
  using PythonWords::PythonWords;
  // One expression, all of the text.
  [[nodiscard]] Result<Tree> whole();

 protected:
  [[nodiscard]] Result<Tree> expressions();  // a, *b: a Tuple if there is a comma
  [[nodiscard]] Result<Tree> expression();
  [[nodiscard]] Result<Tree> withoutCondition();  // the target of a loop: no comparison, as `in` follows it
  [[nodiscard]] Result<std::vector<Tree::Parameter>> parameters(std::string_view end);

 private:
  [[nodiscard]] Result<Tree> lambda();
  static constexpr int kAnyBinding = 1;
  [[nodiscard]] Result<Tree> operators(int least);
  [[nodiscard]] std::string acceptInfix(int least, int& binding);
  [[nodiscard]] Result<Tree> unary();
  [[nodiscard]] Result<Tree> power();
  [[nodiscard]] Result<Tree> postfix();
  [[nodiscard]] Result<Tree> atom();
  [[nodiscard]] Result<Tree> number();
  [[nodiscard]] Result<Tree> strings();
  [[nodiscard]] Result<Tree> parenthesized();
  [[nodiscard]] Result<Tree> list();
  [[nodiscard]] Result<Tree> dictionary();
  [[nodiscard]] Result<Tree> comprehension(std::size_t begin, std::vector<Tree> elements);
  [[nodiscard]] Result<Tree> element();  // an expression, *expression or **expression
  [[nodiscard]] Result<Tree> call(std::size_t begin, Tree called);
  [[nodiscard]] Result<Tree> argument();
  [[nodiscard]] Result<Tree> subscript(std::size_t begin, Tree array);
  [[nodiscard]] Result<Tree> index();
  [[nodiscard]] Result<Tree::Parameter> parameter(std::string_view end);
};

class PythonStatements : public PythonExpressions {
 public:
  using PythonExpressions::PythonExpressions;
  [[nodiscard]] Result<std::vector<Tree>> all();

 private:
  [[nodiscard]] Result<void> block(int indent, std::vector<Tree>& out);
  [[nodiscard]] Result<void> line(int indent, std::vector<Tree>& out);
  [[nodiscard]] Result<Tree> compound(int indent);
  [[nodiscard]] bool atCompound() const;
  [[nodiscard]] Result<Tree> suite(int indent);
  [[nodiscard]] Result<void> simpleStatements(std::vector<Tree>& out);
  [[nodiscard]] Result<Tree> simpleStatement();
  [[nodiscard]] Result<Tree> directive();
  [[nodiscard]] Result<Tree> assignment();
  [[nodiscard]] Result<Tree> assigned(std::size_t begin, Tree target);
  [[nodiscard]] Result<Tree> annotated(std::size_t begin, Tree target);
  [[nodiscard]] Result<Tree> ifStatement(int indent);
  [[nodiscard]] Result<Tree> forStatement(int indent);
  [[nodiscard]] Result<Tree> whileStatement(int indent);
  [[nodiscard]] Result<Tree> function(int indent);
  [[nodiscard]] Result<Tree> classStatement(int indent);
  [[nodiscard]] Result<Tree> withStatement(int indent);
  [[nodiscard]] Result<Tree> tryStatement(int indent);
  bool acceptContinuation(int indent, std::string_view word);
};

}  // namespace tessera::code
