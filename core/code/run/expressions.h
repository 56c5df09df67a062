// Expressions: what an expression of index code means: a name, a member, an element, an operator, an assignment.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/code/run/interpreter.h"

namespace tessera::code {

class Expressions {
 public:
  explicit Expressions(Interpreter& of) : of_(of) {}

  [[nodiscard]] Value literal(const Tree& tree);
  [[nodiscard]] Result<Value> atPlace(const Tree& tree);
  [[nodiscard]] Result<Value> unary(const Tree& tree);
  [[nodiscard]] Result<Value> binary(const Tree& tree);
  [[nodiscard]] Result<Value> logical(bool both, const Tree& tree);
  [[nodiscard]] Result<Value> conditional(const Tree& tree);
  [[nodiscard]] Result<Value> decided(bool first, const Tree& tree);
  [[nodiscard]] Result<Value> name(const Tree& tree);
  [[nodiscard]] Result<Value> member(const Tree& tree);
  [[nodiscard]] Result<Value> memberOf(const Value& object, const Tree& tree);
  [[nodiscard]] Value asArray(const Value& value);
  [[nodiscard]] Value pointerTo(const Value& unbound);
  [[nodiscard]] Result<Value> subscript(const Tree& tree);
  [[nodiscard]] Value alongAxis(const Value& base, const Tree& tree);
  [[nodiscard]] Value withoutExtents(const Value& base, const Tree& tree);
  [[nodiscard]] Result<Value> elementOf(const Value& tuple, const Number& index, Span written);
  [[nodiscard]] Result<Value> list(const std::vector<Tree>& trees, std::size_t from);
  [[nodiscard]] Result<Value> sizeOf(const Tree& tree);
  [[nodiscard]] Result<std::optional<Value>> constantType(const Tree& tree);
  [[nodiscard]] Result<Value> assign(const Tree& tree);

 private:
  Interpreter& of_;
};

}  // namespace tessera::code
