// ProgramReader: the recursive descent over a program's text, one function a construct; each leaves the cursor behind it or
// returns a Diag with the bytes that are wrong. readProgram (program.h) is the way to it.
//
// A name stands for a tensor or an expression of the innermost scope that knows it. A call of a named specification
// (definitions.h) reads its body again, with scopes that know the sizes of the caller and what the call hands over.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphene/definitions.h"
#include "core/graphene/program.h"
#include "core/notation/graphene/operations.h"
#include "core/notation/graphene/reader.h"

namespace tessera::graphene {

class ProgramReader {
 public:
  ProgramReader(std::string_view text, Order order);
  Result<Program> run();

 private:
  struct Scope {
    std::map<std::string, Tensor> tensors;     // by "%7" as it is written here
    std::map<std::string, int> indices;        // by "@m" and "k"
    std::map<std::string, Expr> values;        // parameters of a named specification
    std::map<std::string, std::string> words;  // those that are operations: op -> "max"
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
  [[nodiscard]] bool atTensor() { return in_.peek() == '%' || in_.peek() == '#'; }
  Result<Statement> statement();
  Result<Statement> tensorStatement();
  Result<Statement> indicesStatement();
  Result<int> indexVariable(const std::string& name, const Expr& value, std::size_t begin);
  Result<std::vector<std::vector<std::string>>> levelNames();
  Result<std::string> indexName();

  // ---- specifications and control (read_specs.cpp)
  Result<Statement> spec();
  Result<void> operands(Spec& out);
  Result<void> attribute(Spec& out, std::size_t begin);
  Result<void> configuration(Spec& out);
  Result<Body> block();
  Result<Statement> control();
  Result<Statement> ordering(std::size_t begin, const std::string& first);
  Result<int> pendingGroups();
  Result<Statement> loop();
  Result<std::string> loopName();
  Result<void> again(const std::string& name);
  Result<Statement> branch();
  Result<i64> constant(std::string_view what);

  // ---- named specifications (read_calls.cpp)
  Result<void> definition();
  [[nodiscard]] const Definition* definitionOf(const std::string& word);
  Result<Statement> call(const Definition& definition, Spec head, std::size_t begin);
  Result<Scope> arguments(const Definition& definition);
  Result<void> expand(const Definition& definition, Spec& out, Scope given, std::size_t begin);
  Result<void> formals(const std::vector<Tensor>& actual, Scope& scope, std::string_view what);
  Result<void> headOfDefinition(Spec& out, Scope& scope);
  // A name for what a body defines that no tensor and no index handed over has: the printed program means the same.
  [[nodiscard]] std::string fresh(const std::string& name) const;
  [[nodiscard]] std::string withWords(std::string_view attribute) const;

  static std::string_view name(SpecKind kind) { return graphene::name(kind); }

  Reader reader_;
  Cursor& in_;
  Program program_;
  std::vector<Scope> scopes_;
  std::size_t statements_ = 0;

  std::map<std::string, Definition> definitions_;
  bool libraryRead_ = false;
  std::vector<const Definition*> expanding_;  // outermost first
  std::set<std::string> taken_;               // names of what the innermost call handed over
  Span call_;                                 // of the outermost call that leads into the library's text
  bool inLibrary_ = false;
};

}  // namespace tessera::graphene
