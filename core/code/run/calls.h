// Calls: what a call in index code means: a function, lambda, macro or method of the text, a constructor, or one of the
// functions that kernels use without defining them (min, ceil_div, __cvta_generic_to_shared, atomicAdd ...).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/code/run/interpreter.h"

namespace tessera::code {

class Calls {
 public:
  Calls(Interpreter& of, const Tree& call) : of_(of), call_(call) {}

  [[nodiscard]] Result<Value> run();

  // Rows of the table of built-in functions.
  [[nodiscard]] Result<Value> extremum(const std::vector<Value>& arguments, std::string_view name);
  [[nodiscard]] Result<Value> absolute(const std::vector<Value>& arguments, std::string_view name);
  [[nodiscard]] Result<Value> operation(const std::vector<Value>& arguments, std::string_view name);
  [[nodiscard]] Result<Value> roundedUp(const std::vector<Value>& arguments, std::string_view name);
  [[nodiscard]] Result<Value> divmod(const std::vector<Value>& arguments, std::string_view name);
  [[nodiscard]] Result<Value> bits(const std::vector<Value>& arguments, std::string_view name);
  [[nodiscard]] Result<Value> reversed(const std::vector<Value>& arguments, std::string_view name);
  [[nodiscard]] Result<Value> choice(const std::vector<Value>& arguments, std::string_view name);
  [[nodiscard]] Result<Value> integer(const std::vector<Value>& arguments, std::string_view name);
  [[nodiscard]] Result<Value> same(const std::vector<Value>& arguments, std::string_view name);
  [[nodiscard]] Result<Value> vector(const std::vector<Value>& arguments, std::string_view name);
  [[nodiscard]] Result<Value> address(const std::vector<Value>& arguments, std::string_view name);
  [[nodiscard]] Result<Value> loaded(const std::vector<Value>& arguments, std::string_view name);
  [[nodiscard]] Result<Value> stored(const std::vector<Value>& arguments, std::string_view name);

 private:
  [[nodiscard]] Result<Number> at(const std::vector<Value>& arguments, std::size_t k);
  [[nodiscard]] Result<Value> calledValue(const Tree& callee);
  [[nodiscard]] std::optional<Result<Value>> builtIn(std::string_view name, const std::vector<Value>& arguments);
  [[nodiscard]] std::optional<Result<Value>> construction(const Tree& callee, const std::vector<Value>& arguments);
  // Swizzle<B, M, S>::apply(x) and Swizzle<B, M, S>{}(x) of CuTe; nullopt: another call.
  [[nodiscard]] Result<std::optional<Value>> swizzled();
  [[nodiscard]] Result<Value> instance(const Tree& definition, const std::vector<Value>& arguments);
  [[nodiscard]] bool isWholeObject(const Value& pointer) const;
  [[nodiscard]] Result<Value> unknown(const Tree& callee, std::string_view name, const std::vector<Value>& arguments);

  Interpreter& of_;
  const Tree& call_;
};

}  // namespace tessera::code
