// Interpreter: runs index code on all coordinates at once. Every integer is an Expr over the coordinates
// (arithmetic.h).
//
//     int row = tid / 8;                        row    d0 floordiv 8
//     if (row < 4) off = row; else off = 4;     off    c * row + (1 - c) * 4, with c = max(min(4 - row, 1), 0)
//     for (int k = 0; k < 3; ++k) m ^= row >> k;       three statements
//
// A statement is executed where `live` is 1; an assignment elsewhere keeps the old value. A function is inlined. A loop
// runs while its condition can hold somewhere. A variable of a loop that `over` names is a coordinate: its body runs
// once.
// Laws: a value is the one that the language gives at each coordinate where the statement is executed. What the
// interpreter does not know becomes Data, and a Diag where an index needs it.
// Limits: calls 30 deep, kMostSteps nodes in all.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/code/run/arithmetic.h"
#include "core/code/run/memory.h"
#include "core/code/run/names.h"
#include "core/code/run/value.h"
#include "core/code/tree.h"

namespace tessera::code {

// A named value of the text, or one of its accesses.
struct Entry {
  std::string name;
  Value value;             // Number, Tuple or Pointer
  Expr live;               // 0 or 1
  int access = -1;         // in Memory::accesses
  std::vector<int> loops;  // digits of the loops around it
  Span span;
  bool isResult = false;      // what the function returns
  std::optional<Diag> fault;  // why it is no index
};

class Interpreter {
 public:
  static constexpr i64 kMostSteps = 2'000'000;

  Interpreter(std::string_view source, Language language, const Given& given, std::vector<Digit> digits, bool survey);
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  // All statements; then, if the last one defines a function, that function on coordinates. Keeps references to them.
  [[nodiscard]] Result<void> runAll(const std::vector<Tree>& statements);

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] const Memory& memory() const { return memory_; }
  // Of a survey: what stopped a statement.
  [[nodiscard]] const std::vector<Diag>& faults() const { return faults_; }
  [[nodiscard]] const Names& names() const { return names_; }
  [[nodiscard]] const Arithmetic& arithmetic() const { return arithmetic_; }

 private:
  friend class Calls;
  friend class Expressions;
  friend class Statements;

  // Where a call or a loop is.
  struct Frame {
    std::optional<Value> result;
    Expr broken, continued;  // of the loop around: where a break or continue was executed
    bool returned = false;   // a return was executed somewhere
  };

  // interpret_expression.cpp, interpret_assign.cpp; what an expression itself means: expressions.h
  [[nodiscard]] Result<Value> evaluate(const Tree& tree);  // loads a place
  [[nodiscard]] Result<Value> place(const Tree& tree);
  [[nodiscard]] Result<Number> number(const Value& value, Span written, bool constant = false);
  [[nodiscard]] Result<Number> numberOf(const Tree& tree);
  [[nodiscard]] Result<i64> constant(const Tree& tree, std::string_view what);
  [[nodiscard]] Result<Value> operation(std::string_view op, const Value& a, const Value& b, Span written);
  [[nodiscard]] Result<Value> merged(const Expr& condition, const Value& a, const Value& b, Span written);
  [[nodiscard]] Result<Value> cast(const Type& type, const Value& value, Span written);
  [[nodiscard]] Result<void> assignTo(const Tree& target, Value value, Span written, bool frees = false);
  [[nodiscard]] Result<void> setVariable(Value& variable, Value value, Span written);
  [[nodiscard]] std::string textOf(const Tree& tree) const;
  [[nodiscard]] std::optional<Type> typeOf(const Tree& tree);
  [[nodiscard]] std::optional<Type> typeOf(std::string_view text);
  [[nodiscard]] Value unbound(std::string text, Span span, const Type& type = {}) const;

  // interpret_call.cpp
  [[nodiscard]] Result<Value> call(const Tree& tree);
  // The parameters of a template in a new scope around which the scope of its definition is.
  [[nodiscard]] Result<Scope*> instantiated(const std::vector<Tree::Parameter>& parameters,
                                            const std::vector<Tree>& arguments, Scope* definition);
  [[nodiscard]] Result<Value> scoped(const Tree& tree);
  [[nodiscard]] Result<Value> invoke(const Value& function, const std::vector<Value>& arguments, const Tree* callee,
                                     const Tree* call);

  // interpret_statement.cpp
  [[nodiscard]] Result<void> run(const Tree& tree);
  [[nodiscard]] Result<void> runBlock(const std::vector<Tree>& statements);
  void record(std::string name, const Value& value, Span span, bool isResult = false);
  void recordAccesses();
  [[nodiscard]] Result<void> step(Span where);
  [[nodiscard]] Scope* newScope(Scope* outer);

  std::string_view source_;
  Language language_;
  Arithmetic arithmetic_;
  Names names_;
  Memory memory_;
  std::vector<std::unique_ptr<Scope>> scopes_;
  Scope* scope_ = nullptr;
  Frame frame_;
  std::vector<Entry> entries_;
  std::size_t recorded_ = 0;  // accesses that have an entry
  struct Depth {
    int calls = 0;  // running
    int own = 0;    // the depth whose names are recorded
  };
  Depth depth_;
  i64 steps_ = 0;
  std::vector<Diag> faults_;
  std::vector<int> loops_;  // digits of the loops that run now
};

}  // namespace tessera::code
