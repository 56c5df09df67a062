// The worksheet language: text -> statements -> outcomes. Pure: claims, searches and drawings leave as requests
// (requests.h), which app/engine answers with the solver and the views.
//
//     A = (64,64):(64,1)            Statement{Bind "A"}    -> value
//     size(A)                       Statement{Expression}  -> value
//     show A as grid                Statement{Show}        -> ShowRequest{value, "grid"}
//     prove injective(A) by z3      Statement{Prove}       -> ProveRequest{claim}
//     assert size(A) == 4096        Statement{Assert}      -> value (bool), an error when it is false
//
// Law: parsing never fails as a whole: each statement is a line (or a bracketed run of lines, or a named block) and
// stands or falls alone; an error in one line leaves every other line's outcome as it was.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/worksheet/requests.h"
#include "core/worksheet/value.h"

namespace tessera {

enum class StatementKind : unsigned char { Bind, Expression, Show, Prove, Assert, Find, Run, Block, Invalid };

struct Statement {
  StatementKind kind = StatementKind::Invalid;
  // Bytes of the whole document, without the newline and the comment, unless that reads as a divisor (20 // 3).
  Span span;
  int line = 1;                // 1-based line where it begins
  std::string text;            // the bytes of span
  std::string name;            // Bind, Block: the name
  bool slashesDivide = false;  // `//` inside a line is floor division: an argument of a command
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
// and is linear in the length of the text. In an index formula, up to its `over`, `//` is floor division.
[[nodiscard]] std::vector<Statement> splitStatements(std::string_view document);
// An argument of a command: when it is one line, `//` is floor division there, as in Python; several are a worksheet.
[[nodiscard]] std::vector<Statement> splitArgument(std::string_view text);

// How a value came about, when by one algebra operation: drawn as "inputs beside result".
struct Operation {
  std::string function;  // "composition"
  std::vector<Value> inputs;
};

// What evaluating one statement yields: a value or a request on success, a diag on failure.
struct Evaluated {
  std::optional<Value> value;
  std::optional<Operation> operation;  // with a diag: the algebra operation that was refused
  Request request;
  std::optional<Diag> diag;  // span is relative to the document when the statement came from one
  std::vector<Diag> notes;
};

// Scope: name -> value, with the operation it came from.
//
// A name may be *awaited*: a request that is still being answered will bind it (V = injective(A)). And a scope can keep
// a trace of what one evaluation looked up and bound. Evaluating is pure, so an evaluation whose trace reads the same
// today needs no second one:
//
//     A = (4,8):(8,1)          trace of line 2: reads A -> that binding
//     prove injective(A)       line 1 is edited: another binding, line 2 is evaluated again; a line 3 that does not
//     size((4,8))              mention A is not
class Scope {
 public:
  struct Bound {
    Value value;
    std::optional<Operation> operation;
    bool awaited = false;  // the value is not known yet
  };
  using BoundPtr = std::shared_ptr<const Bound>;  // one a binding: the same pointer is the same value

  struct Trace {
    std::map<std::string, BoundPtr> reads;  // null: nothing had that name
    std::map<std::string, BoundPtr> writes;
    std::optional<std::uint64_t> listed;  // all names were listed (for a "did you mean"); their hash
    bool awaits = false;                  // an awaited name was read: the result means nothing
  };

  void bind(const std::string& name, Value value, std::optional<Operation> operation = {});
  void bind(const std::string& name, BoundPtr bound);
  void await(const std::string& name);
  // nullptr when there is no such name, or when it is awaited.
  [[nodiscard]] const Value* find(const std::string& name) const;
  [[nodiscard]] const Operation* operationOf(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names() const;

  // From here on lookups and bindings are noted in trace; nullptr ends it.
  void keepTrace(Trace* trace) { trace_ = trace; }
  [[nodiscard]] bool readsTheSame(const Trace& trace) const;

 private:
  [[nodiscard]] const Bound* lookUp(const std::string& name) const;

  std::map<std::string, BoundPtr> bound_;
  std::uint64_t namesHash_ = 0;  // of the set of names
  Trace* trace_ = nullptr;
};

// Evaluates one statement; binds its name in scope on success. What binds nothing only reads the scope: several threads
// may do so at once when no trace is kept.
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
