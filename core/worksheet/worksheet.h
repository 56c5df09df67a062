// The worksheet language: text -> statements -> outcomes. Pure: claims, searches and drawings are returned as requests
// (requests.h), which app/engine answers with the solver and the views.
//
//     A = (64,64):(64,1)            Statement{Bind "A"}    -> value
//     size(A)                       Statement{Expression}  -> value
//     show A as grid                Statement{Show}        -> ShowRequest{value, "grid"}
//     prove injective(A) by z3      Statement{Prove}       -> ProveRequest{claim}
//     assert size(A) == 4096        Statement{Assert}      -> value (bool), an error if false
//     S = ?                         Statement{Bind "S"}    -> a blank: neither a value nor an error
//     task "TITLE": injective(S)    Statement{Task}        -> TaskRequest (statements/task.h)
//
// Law: parsing never fails as a whole. Each statement is a line (or a bracketed run of lines, or a named block) and is
// independent: an error in one does not change the outcome of another.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/worksheet/any_value.h"
#include "core/worksheet/requests.h"

namespace tessera {

struct Operation;  // core/worksheet/value.h
struct Task;       // core/worksheet/statements/task.h

enum class StatementKind : unsigned char { Bind, Expression, Show, Prove, Assert, Find, Run, Task, Block, Invalid };

struct Statement {
  StatementKind kind = StatementKind::Invalid;
  // Byte range in the document, without the newline and the comment, unless the comment looks like a divisor (20 // 3).
  Span span;
  int line = 1;                // 1-based line of its start
  std::string text;            // the bytes of span
  std::string name;            // Bind, Block: the name
  bool slashesDivide = false;  // `//` inside a line is floor division: an argument of a command
  // Invalid: the reason, with its place in the document (a byte that is not UTF-8, an unclosed bracket, too long ...).
  std::optional<Diag> diag;
};

// Limits per statement and document; anything beyond becomes an Invalid statement.
inline constexpr std::size_t kMaxStatementBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMaxBlockBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxStatements = 500'000;

// Splits a document into statements; drops comments (// and /* */) and blank lines. A `;` outside brackets also ends a
// statement. A statement continues over lines while a bracket is open, unless the bracket is not closed before the next
// line that begins a statement: then only its first line is Invalid, and the rest are separate statements. Never fails.
// Handles CR LF, NUL and invalid UTF-8 (Invalid statements whose Diag names the byte). Linear in the text. In an index
// formula, `//` before `over` is floor division.
[[nodiscard]] std::vector<Statement> splitStatements(std::string_view document);
// An argument of a command: in a single line, `//` is floor division, as in Python; several lines are a worksheet.
[[nodiscard]] std::vector<Statement> splitArgument(std::string_view text);

// The outcome of one statement: a value or a request on success, a diag on failure.
struct Evaluated {
  Shared<Value> value;
  Shared<Operation> operation;  // with a diag: the algebra operation that was rejected
  Request request;
  Shared<Task> task;  // of a task, also with a diag
  // The name of a blank, S = ?, that the statement binds or reads: without it there is no answer, and no diag.
  std::string blank;
  std::optional<Diag> diag;  // span is relative to the document if the statement came from one
  std::vector<Diag> notes;
};

// Scope: name -> value, with the operation that produced it.
//
// A name may be *awaited*: bound by a request that is not answered yet (V = injective(A)). A scope can also keep a
// trace of the names that one evaluation reads and binds. Evaluation is pure, so if all reads of a trace are unchanged,
// the statement need not be evaluated again:
//
//     A = (4,8):(8,1)          trace of line 2: reads A -> that binding
//     prove injective(A)       line 1 is edited: A has a new binding, so line 2 is evaluated again;
//     size((4,8))              line 3 does not read A and is not
class Scope {
 public:
  struct Bound {
    Shared<Value> value;
    Shared<Operation> operation;
    bool awaited = false;   // the value is not known yet
    std::string text = {};  // the statement that bound it, if a claim may quote it
    bool blank = false;     // S = ?: to be filled in by the reader
  };
  using BoundPtr = std::shared_ptr<const Bound>;  // one per binding: equal pointers mean equal values

  struct Trace {
    std::map<std::string, BoundPtr> reads;  // null: the name was unbound
    std::map<std::string, BoundPtr> writes;
    std::optional<std::uint64_t> listed;  // hash of all names, if they were listed (for a "did you mean")
    bool awaits = false;                  // an awaited name was read: the result is invalid
  };

  void bind(const std::string& name, Shared<Value> value, Shared<Operation> operation = {});
  void bind(const std::string& name, BoundPtr bound);
  // The same with the statement's text.
  void bindQuoted(const std::string& name, Shared<Value> value, Shared<Operation> operation, std::string text);
  void await(const std::string& name);
  void bindBlank(const std::string& name);
  [[nodiscard]] bool hasBlanks() const { return hasBlanks_; }  // or had some
  // nullptr if the name is unbound or awaited.
  [[nodiscard]] const Value* find(const std::string& name) const;
  [[nodiscard]] const Operation* operationOf(const std::string& name) const;
  // The statement that bound the name; "": unknown.
  [[nodiscard]] std::string textOf(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> names() const;

  // The binding of a name; nullptr if it is unbound or awaited.
  [[nodiscard]] const Bound* lookUp(const std::string& name) const;

  // Records lookups and bindings in trace from now on; nullptr stops.
  void keepTrace(Trace* trace) { trace_ = trace; }
  [[nodiscard]] bool readsTheSame(const Trace& trace) const;
  // Reads and binds what an evaluation in a copy of this scope has read and bound.
  void adopt(const Trace& trace);

 private:
  std::map<std::string, BoundPtr> bound_;
  std::uint64_t namesHash_ = 0;  // of the set of names
  bool hasBlanks_ = false;
  Trace* trace_ = nullptr;
};

// Evaluates one statement; on success binds its name in scope. Statements that bind nothing only read the scope, so
// several threads may evaluate them concurrently if no trace is kept.
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
