// ProgramText: the text of a program while it is read: the place that is reached, and what names mean there. Every
// reader of a construct works on it (constructs.h, call_reader.h, program_reader.h); it knows no construct.
#pragma once

#include <string>
#include <string_view>

#include "core/graphene/reader/scopes.h"

namespace tessera::graphene {

struct ProgramText {
  ProgramText(std::string_view text, Order order);
  ProgramText(const ProgramText&) = delete;
  ProgramText& operator=(const ProgramText&) = delete;

  // One more statement or equation; a Diag where there are too many.
  Result<void> count();
  [[nodiscard]] bool atTensor() { return in.peek() == '%' || in.peek() == '#'; }
  // %7, #warp; nothing is known about it yet.
  Result<std::string> tensorName();
  // A tensor that is defined above.
  Result<Tensor> known();
  // Defines the tensor, or index variable, in the innermost scope. `begin`: where the statement begins.
  Result<void> define(const std::string& written, const Tensor& t, std::size_t begin);
  Result<void> define(const std::string& written, int index, std::size_t begin);
  // An integer, a name, or an expression in (): what follows may begin with the % of a tensor.
  Result<Expr> delimited(std::string_view what);
  // The same, known while reading; with `sum` any expression, without: `wait 1 %7 = ...` ends with the 1.
  Result<i64> constant(std::string_view what, bool sum);

  Reader reader;
  Cursor& in;  // the reader's
  Scopes names;

 private:
  [[nodiscard]] Diag twice(const std::string& written, std::size_t begin) const;
  std::size_t statements_ = 0;
};

}  // namespace tessera::graphene
