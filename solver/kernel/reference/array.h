// Array: numbers with a shape, and NumPy's operations on them. Every number is a double, or a symbol (symbols.h); for
// all sizes at once an array is a formula (formulas.h).
//
//     Array a = arange(6).reshaped({2, 3})       [[0, 1, 2], [3, 4, 5]]
//     product(a, transposed(a))                  a @ a.T
//     reduced(a, {1}, false, sum)                a.sum(1)
//     elementwise(a, b, {"+", f}, kind)          f of the elements, broadcast
//
// Laws: NumPy's, for shapes and for values in doubles; integers are exact to 2^53. Sums of a reference are exact to the
// rounding of doubles, so that they are more exact than the kernel's. A Diag instead of an exception for shapes that do
// not fit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::kernel::reference {

struct Array {
  enum class Kind : unsigned char { Bool, Integer, Float };
  std::vector<i64> shape;
  std::vector<double> data;  // C order
  Kind kind = Kind::Float;
  int formula = -1;  // from 0: it has no numbers, and its shape only those extents that are numbers (formulas.h)
  bool operator==(const Array&) const = default;
  [[nodiscard]] i64 count() const { return static_cast<i64>(data.size()); }
  [[nodiscard]] std::size_t rank() const { return shape.size(); }
};

// An operation, with the name that symbols have for it (symbols.h); empty: it is none on symbols.
struct Binary {
  std::string_view name;
  double (*f)(double, double);
};
struct Unary {
  std::string_view name;
  double (*f)(double);
};
struct Fold {
  std::string_view name;
  double (*f)(const double* first, i64 count);
};

inline constexpr i64 kMostElements = i64{1} << 27;

[[nodiscard]] Array scalarOf(double value, Array::Kind kind = Array::Kind::Float);
// nullopt: a size beyond kMostElements, or a negative extent.
[[nodiscard]] std::optional<i64> countOf(const std::vector<i64>& shape);
[[nodiscard]] bool hasSymbols(const Array& a);                       // symbols.h
[[nodiscard]] std::string shapeText(const std::vector<i64>& shape);  // "(2, 3)"

[[nodiscard]] Result<std::vector<i64>> broadcastShape(const std::vector<i64>& a, const std::vector<i64>& b);
[[nodiscard]] Result<Array> broadcast(const Array& a, const std::vector<i64>& shape);
[[nodiscard]] Result<Array> elementwise(const Array& a, const Array& b, Binary f, Array::Kind kind);
[[nodiscard]] Result<Array> elementwise(Array a, Unary f, Array::Kind kind);
[[nodiscard]] Result<Array> product(const Array& a, const Array& b);  // @
// `axes` as in NumPy, negative from the end; empty: all axes.
[[nodiscard]] Result<Array> reduced(const Array& a, std::vector<i64> axes, bool keep, const Fold& fold,
                                    Array::Kind kind);
// Each line along the axis is replaced by `line` of it, of the same length: softmax, cumsum, sort.
[[nodiscard]] Result<Array> along(const Array& a, i64 axis, const std::function<void(std::vector<double>&)>& line);
[[nodiscard]] Result<Array> reshaped(Array a, std::vector<i64> shape);  // one extent may be -1
[[nodiscard]] Result<Array> transposed(const Array& a, std::vector<i64> axes = {});
[[nodiscard]] Result<Array> joined(const std::vector<Array>& parts, i64 axis);
// The axis as an index below `rank`.
[[nodiscard]] Result<std::size_t> axisOf(i64 axis, std::size_t rank);

// One item of a subscript.
struct Subscript {
  enum class Kind : unsigned char { Index, Slice, NewAxis, Ellipsis, Gather };
  Kind kind = Kind::Index;
  i64 index = 0;
  std::optional<i64> start, stop;
  i64 step = 1;
  Array startSize, stopSize;  // in place of numbers: formulas
  Array gather;               // integers, or a mask
};
[[nodiscard]] Result<Array> subscripted(const Array& a, const std::vector<Subscript>& items);

}  // namespace tessera::kernel::reference
