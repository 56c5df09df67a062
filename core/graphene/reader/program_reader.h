// ProgramReader: a recursive-descent parser with one function per construct. Each leaves the cursor after the construct
// or returns a Diag with the offending bytes. Entry point: readProgram (program.h).
//
// A name refers to a tensor or expression of the innermost scope that defines it. A call of a named specification
// (definitions.h) re-reads its body, in scopes with the caller's sizes and the call's arguments.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphene/program.h"
#include "core/graphene/reader/definitions.h"
#include "core/notation/graphene/operations.h"
#include "core/notation/graphene/reader.h"

namespace tessera::graphene {

class ProgramReader {
 public:
  ProgramReader(std::string_view text, Order order);
  // Gives numbers to sizes (sized.h). notAsked, after run: one of them that the text does not use.
  void give(std::map<std::string, i64> sizes) { given_ = std::move(sizes); }
  [[nodiscard]] std::optional<std::string> notAsked() const;
  Result<Program> run();

 private:
  struct Scope {
    std::map<std::string, Tensor> tensors;     // by "%7" as written here
    std::map<std::string, int> indices;        // by "@m" and "k"
    std::map<std::string, Expr> values;        // parameters of a named specification or of the program
    std::map<std::string, std::string> words;  // parameters that are words: op -> "max"
  };

  // ---- names (read.cpp)
  static std::vector<std::string> namesOf(const std::vector<Variable>& variables);
  int variable(Variable v);
  Result<Expr> meaning(const std::string& name);
  [[nodiscard]] const Tensor* tensor(const std::string& name) const;
  static std::string nameOf(const Tensor& t) { return (t.threads ? "#" : "%") + t.name; }
  Result<void> define(const std::string& written, const Tensor& t, std::size_t begin);
  Result<std::string> tensorName();
  Result<Tensor> known();

  // ---- statements (read.cpp)
  Result<void> count();
  Result<void> topLevel();
  [[nodiscard]] Result<void> runsNowhere(const Statement& s) const;
  [[nodiscard]] bool atTensor() { return in_.peek() == '%' || in_.peek() == '#'; }
  Result<void> next(Body& out);
  Result<Statement> statement();
  void place(Statement& out, std::size_t begin);
  Result<Statement> tensorStatement();
  Result<Statement> indicesStatement();
  Result<int> indexVariable(const std::string& name, const Expr& value, std::size_t begin);
  Result<std::vector<std::vector<std::string>>> levelNames();
  Result<std::string> indexName();

  // ---- specifications and control (read_specs.cpp)
  Result<Statement> spec();
  Result<void> inlineView(const std::string& name, std::size_t begin);
  Result<void> operands(Spec& out);
  Result<void> attribute(Spec& out, std::size_t begin);
  Result<void> configuration(Spec& out);
  Result<Body> block();
  Result<Statement> control();
  Result<Statement> ordering(std::size_t begin, const std::string& first);
  Result<int> pendingGroups();
  // read_barriers.cpp
  Result<Statement> barrierStatement(std::size_t begin);
  Result<void> barrierOperands(Mbarrier& out);
  Result<Tensor> oneBarrier();
  Result<Expr> delimited(std::string_view what);
  Result<void> bulk(Spec& out);
  Result<void> noBarrier(const Tensor& t, std::size_t begin);
  Result<void> barrierStorage(const Tensor& t, bool operand, std::size_t begin);
  Result<Statement> loop();
  Result<std::string> loopName();
  Result<void> again(const std::string& name);
  Result<void> branch(Body& out);
  Result<void> chosen(bool then, Body& out);
  Result<void> inPlace(Body& out);
  Result<void> passBranch();
  Result<void> passBlock();
  Result<i64> constant(std::string_view what, bool sum);
  [[nodiscard]] std::optional<std::string> wordOf(const std::string& name) const;

  // ---- what a generic specification computes (read_meaning.cpp)
  struct EquationText;
  Result<void> means(Spec& out);
  Result<void> equation(EquationText& m);
  Result<int> equationSum(EquationText& m);
  Result<int> equationProduct(EquationText& m);
  Result<int> equationFactor(EquationText& m);
  Result<int> equationOperand(EquationText& m);
  Result<int> equationWord(EquationText& m);
  Result<int> meantNamed(EquationText& m, int equation, std::size_t begin);
  Result<int> meantReduction(EquationText& m, const std::string& operation);
  Result<int> meantCall(EquationText& m, const std::string& operation, std::size_t begin);
  Result<int> meantWhere(EquationText& m);
  Result<int> meantNumber(EquationText& m);
  Result<int> meantVariable(EquationText& m, const std::string& name, std::size_t begin);
  Result<std::vector<Expr>> meantCoordinates();
  Result<std::vector<Comparison>> comparisons();
  [[nodiscard]] std::string meantOperation(const std::string& word) const;

  // ---- named specifications (read_calls.cpp)
  Result<void> definition();
  [[nodiscard]] const Definition* definitionOf(const std::string& word);
  Result<Statement> call(const Definition& definition, Spec head, std::size_t begin, std::size_t wordSize);
  Result<Scope> arguments(const Definition& definition);
  Result<void> expand(const Definition& definition, Spec& out, Scope given, std::size_t begin);
  Result<void> formals(const std::vector<Tensor>& actual, Scope& scope, std::string_view what);
  Result<void> headOfDefinition(Spec& out, Scope& scope);
  // A new name for a body's definition, distinct from the names of
  // the call's arguments, so that the printed program is equivalent.
  [[nodiscard]] std::string fresh(const std::string& name) const;
  [[nodiscard]] std::string withWords(std::string_view attribute) const;

  static std::string_view name(SpecKind kind) { return graphene::name(kind); }

  Reader reader_;
  Cursor& in_;
  Program program_;
  Names names_;  // of the program's variables
  std::vector<Scope> scopes_;
  Scope parameters_;  // of the program: values and words
  std::size_t statements_ = 0;
  std::map<std::string, i64> given_;  // sizes that are numbers
  std::set<std::string> asked_;       // sizes that the text uses

  std::map<std::string, Definition> definitions_;
  bool libraryRead_ = false;
  std::vector<const Definition*> expanding_;  // outermost first
  std::set<std::string> taken_;               // names of the innermost call's arguments
  Span call_;                                 // outermost call that expands a library definition
  bool inLibrary_ = false;
};

}  // namespace tessera::graphene
