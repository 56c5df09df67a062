// ProgramText: the state of reading a program: the cursor, and what names mean there. Every reader of a construct uses
// it (constructs.h, call_reader.h, program_reader.cpp); it knows no constructs itself.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphene/program.h"
#include "core/notation/graphene/reader.h"

namespace tessera::graphene {

// Scopes: what a name means at one place of a program: a tensor, an index, a number or a word.
//
//     %s:[4].fp32.SH   for (k = 0; ...) { %t = %s[k] }      %s and k come from outer scopes; k is a variable
//
// Law: a name has the meaning of the innermost scope that defines it. Inside a call of a named specification
// (definitions.h), only the caller's sizes, the program's parameters and the call's arguments are visible. An undefined
// name is a new size, but only outside every body.

struct Scope {
  std::map<std::string, Tensor> tensors;     // by "%7" as written here
  std::map<std::string, int> indices;        // by "@m" and "k"
  std::map<std::string, Expr> values;        // parameters of a named specification or of the program
  std::map<std::string, std::string> words;  // parameters that are words: op -> "max"
};

class Scopes {
  // The scopes of one text, and if a call is being expanded, the names of its arguments.
  struct Frame {
    std::vector<Scope> scopes;
    std::optional<std::set<std::string>> taken;
  };

 public:
  // Passes the names of the variables to `reader`.
  explicit Scopes(Reader& reader);
  void parameters(Scope all);                                                 // of the program
  void give(std::map<std::string, i64> sizes) { given_ = std::move(sizes); }  // sizes with numbers
  [[nodiscard]] const std::map<std::string, i64>& given() const { return given_; }
  [[nodiscard]] std::optional<std::string> notAsked() const;  // a given size that the text does not use
  [[nodiscard]] std::vector<Variable> variables() && { return std::move(variables_); }

  // A scope until the end of the block.
  class Inside {
   public:
    explicit Inside(Scopes& scopes) : scopes_(scopes) { scopes_.now_.scopes.emplace_back(); }
    ~Inside() { scopes_.now_.scopes.pop_back(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    Scopes& scopes_;
  };
  // The scopes of a call's body until the end of the block. `operands`: the names of the arguments.
  class Call {
   public:
    Call(Scopes& scopes, std::set<std::string> operands, Scope arguments, bool library);
    ~Call() { scopes_.now_ = std::move(outer_); }  // also if the budget runs out inside
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Scopes& scopes_;
    Frame outer_;
  };
  [[nodiscard]] bool outermost() const { return now_.scopes.size() == 1; }
  [[nodiscard]] Scope& inner() { return now_.scopes.back(); }

  int variable(Variable v);
  Result<Expr> meaning(const std::string& name);
  [[nodiscard]] const Tensor* tensor(const std::string& name) const;
  [[nodiscard]] std::vector<std::string> tensorNames() const;
  [[nodiscard]] bool isSize(const std::string& name) const;
  [[nodiscard]] bool ofSizes(const Expr& e) const;            // it has no other variables
  [[nodiscard]] bool isDigit(const std::string& name) const;  // an index of an equation
  // The operation, specification or other word that is the value of a parameter.
  [[nodiscard]] std::optional<std::string> wordOf(const std::string& name) const;
  // An attribute with the values of its parameters: <op> gives <max>, <bfly D> gives <bfly 16>.
  [[nodiscard]] std::string withWords(std::string_view attribute) const;
  // A name for a definition inside a call that differs from the call's arguments, so that the printed program is
  // equivalent.
  [[nodiscard]] std::string fresh(const std::string& name) const;

 private:
  Reader& reader_;
  std::vector<Variable> variables_;
  Names names_;  // of the variables
  Frame now_;
  Scope parameters_;
  std::map<std::string, i64> given_;
  std::set<std::string> asked_;  // given sizes that the text has used
};

struct ProgramText {
  explicit ProgramText(std::string_view text);
  ProgramText(const ProgramText&) = delete;
  ProgramText& operator=(const ProgramText&) = delete;

  // Counts one more statement or equation. A Diag: there are too many.
  Result<void> count();
  [[nodiscard]] bool atTensor() { return in.peek() == '%' || in.peek() == '#'; }
  // %7, #warp: any name, defined or not.
  Result<std::string> tensorName();
  // The name of a tensor that is defined above.
  Result<Tensor> known();
  // Defines the tensor, or index variable, in the innermost scope. `begin`: where the statement begins.
  Result<void> define(const std::string& written, const Tensor& t, std::size_t begin) {
    return once(names.inner().tensors.emplace(written, t).second, written, begin);
  }
  Result<void> define(const std::string& written, int index, std::size_t begin) {
    return once(names.inner().indices.emplace(written, index).second, written, begin);
  }
  // An integer, a name, or an expression in (): the next token may be the % of a tensor.
  Result<Expr> delimited(std::string_view what);
  // The same as a number known while reading. `sum`: any expression; without it, `wait 1 %7 = ...` ends after the 1.
  Result<i64> constant(std::string_view what, bool sum);

  Reader reader;
  Cursor& in;  // the reader's
  Scopes names;

 private:
  [[nodiscard]] Result<void> once(bool fresh, const std::string& written, std::size_t begin) const;
  std::size_t statements_ = 0;
};

}  // namespace tessera::graphene
