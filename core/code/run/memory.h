// Memory: the arrays of a piece of index code, and its accesses.
//
//     __shared__ half As[128][32 + 8];          array As: half, extents (128, 40)
//     half a = As[row][col];                    a load of As at row * 40 + col, 1 element, on this line
//     *(float4 *)(&B[k * N + n]) = v;           a store to B at k * N + n, 4 elements
//
// Indices count elements of the array. An array that the text does not declare has one dimension, and elements of the
// type that the first access names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/code/run/arithmetic.h"
#include "core/code/run/value.h"

namespace tessera::code {

struct Array {
  std::string name;
  Type element;              // Unknown: not declared
  std::vector<i64> extents;  // empty: one dimension without a bound
  bool isDeclared = false;
  bool isShared = false;
  std::vector<std::optional<Value>> cells;  // of a small local array of integers: what its elements hold
};

enum class Direction : unsigned char { Load, Store, Address };

// One element access, or the address of an element.
struct Access {
  int array = -1;
  Direction direction = Direction::Load;
  Number index;    // in units of `element`
  Type element;    // Unknown: not declared
  i64 vector = 1;  // elements that the access moves
  Expr live;       // 0 or 1
  Span span;
};

class Memory {
 public:
  explicit Memory(Arithmetic& arithmetic) : arithmetic_(arithmetic) {}

  [[nodiscard]] const std::vector<Array>& arrays() const { return arrays_; }
  [[nodiscard]] const std::vector<Access>& accesses() const { return accesses_; }

  // A new array; a pointer to its beginning.
  [[nodiscard]] Value declare(Array array);
  // The array of that name that the text does not declare, made at its first use.
  [[nodiscard]] Value undeclared(const std::string& name, const Type& element, const Given::Constant* given);
  // pointer[index] and pointer + index.
  [[nodiscard]] Result<Value> element(const Value& pointer, const Number& index, Span written);
  [[nodiscard]] Result<Value> moved(const Value& pointer, const Number& by, Span written);
  // *pointer.
  [[nodiscard]] Result<Value> dereferenced(const Value& pointer, Span written);
  // Pointers to one array; in elements.
  [[nodiscard]] Result<Number> difference(const Value& a, const Value& b, Span written);
  [[nodiscard]] Result<Value> cast(const Value& pointer, const Type& pointee, Span written);
  // Its address in bytes from the beginning of the array; in elements if their size is not known.
  [[nodiscard]] Result<Number> address(const Value& pointer, Span written);
  // The value at a place, as an access.
  [[nodiscard]] Result<Value> load(const Value& place, Span written);
  [[nodiscard]] Result<void> store(const Value& place, const Value& value, Span written);
  [[nodiscard]] Result<void> note(const Value& place, Direction direction, Span written);

  // "the extents of As are not known".
  [[nodiscard]] Diag needsExtents(const Value& pointer, Span written) const;

 private:
  [[nodiscard]] Array& of(const Value& v) { return arrays_[static_cast<std::size_t>(v.array)]; }
  // The steps of one element of the pointee; a Diag if the array's element type has to be known.
  [[nodiscard]] Result<i64> stepsOf(const Value& pointer, const Number& index, Span written);
  [[nodiscard]] Result<Expr> scaled(const Expr& base, const Expr& by, i64 steps, Span written);
  [[nodiscard]] Result<Value> cell(Array& array, const Expr& index, Span written);
  [[nodiscard]] Result<void> setCell(Array& array, const Expr& index, const Value& value, Span written);

  Arithmetic& arithmetic_;
  std::vector<Array> arrays_;
  std::vector<Access> accesses_;
};

}  // namespace tessera::code
