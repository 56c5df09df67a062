// The worksheet language: text -> statements -> outcomes. Pure: claims, searches and drawings leave as requests, which
// app/engine answers with the solver and the views.
//
//     A = (64,64):(64,1)            Statement{Bind "A"}    -> value
//     size(A)                       Statement{Expression}  -> value
//     show A as grid                Statement{Show}        -> ShowRequest{value, "grid"}
//     prove injective(A) by z3      Statement{Prove}       -> Claim
//     assert size(A) == 4096        Statement{Assert}      -> value (bool), an error when it is false
//
// Law: parsing never fails as a whole: each statement is a line (or a bracketed run of lines, or a named block) and
// stands or falls alone; an error in one line leaves every other line's outcome as it was.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/claim/claim.h"
#include "core/worksheet/value.h"

namespace tessera {

enum class StatementKind : unsigned char { Bind, Expression, Show, Prove, Assert, Find, Run, Block, Invalid };

struct Statement {
  StatementKind kind = StatementKind::Invalid;
  Span span;         // bytes of the whole document, without the comment and the newline
  int line = 1;      // 1-based line where it begins
  std::string text;  // the bytes of span
  std::string name;  // Bind, Block: the name
  // Invalid: why, with its place in the document (a byte that is not UTF-8, an unfinished bracket, too long ...).
  std::optional<Diag> diag;
};

// What one statement and one document may hold; beyond it they are Invalid statements that say so.
inline constexpr std::size_t kMaxStatementBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxBlockBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxStatements = 500'000;

// Splits a document into statements; comments (// and /* */) and blank lines vanish. `;` outside brackets ends a
// statement too. A statement runs on over the lines while a bracket is open, unless that bracket never closes before
// the next line that begins a statement: then only its first line is Invalid, and the others stand. Never fails.
// Handles CR LF, NUL and invalid UTF-8 (those become Invalid statements whose Diag names the byte),
// and is linear in the length of the text.
[[nodiscard]] std::vector<Statement> splitStatements(std::string_view document);

struct ShowRequest {
  Value value;
  std::string name;                    // "S" or the expression's text
  std::string view;                    // "" = default
  std::vector<std::string> arguments;  // words after the view name
};

// How a value came about, when by one algebra operation: drawn as "inputs beside result".
struct Operation {
  std::string function;  // "composition"
  std::vector<Value> inputs;
};

// find swizzle for LAYOUT where ...: answered at once by the exhaustive search, or (method Z3) by the solver.
struct FindRequest {
  std::string text;  // the layout as typed
  CuteLayout layout;
  int elementBits = 0;
  std::vector<AccessSpec> specs;
  Method method = Method::Auto;
};

// What evaluating one statement yields. Exactly one of value, show, claim, find is set on success; diag on failure.
struct Evaluated {
  std::optional<Value> value;
  std::optional<Operation> operation;  // with a diag: the algebra operation that was refused
  std::optional<ShowRequest> show;
  std::optional<Claim> claim;
  std::optional<FindRequest> find;
  bool negated = false;      // `not CLAIM`: it is the refutation that is asked for
  std::optional<Diag> diag;  // span is relative to the document when the statement came from one
  std::vector<Diag> notes;
};

// Scope: name -> value, with the operation it came from.
class Scope {
 public:
  void bind(const std::string& name, Value value, std::optional<Operation> operation = {});
  [[nodiscard]] const Value* find(const std::string& name) const;
  [[nodiscard]] const Operation* operationOf(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  struct Bound {
    Value value;
    std::optional<Operation> operation;
  };
  std::map<std::string, Bound> bound_;
};

// Evaluates one statement; binds its name in scope on success.
[[nodiscard]] Evaluated evaluate(const Statement& statement, Scope& scope);

// The functions of the language, for help, completion and "did you mean".
struct FunctionInfo {
  std::string_view name;       // "composition"
  std::string_view signature;  // "composition(A, B)"
  std::string_view what;       // "R(i) = A(B(i))"
};
[[nodiscard]] std::vector<FunctionInfo> functions();

// "line 3, column 5: message\n  (8,4):(4,1,2)\n        ^^^^^^^\n  expected: ...\n  hint: ..."
[[nodiscard]] std::string printDiag(const Diag& diag, std::string_view document);
// 1-based line and column (in code points) of a byte.
struct LineColumn {
  int line = 1, column = 1;
};
[[nodiscard]] LineColumn lineColumn(std::string_view document, std::size_t byte);

}  // namespace tessera
