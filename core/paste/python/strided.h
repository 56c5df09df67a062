// Strided: the shape, strides and offset of an array of numpy or torch, in elements.
//
//     Strided a = *contiguous({2, 3, 4})      strides (12, 4, 1)
//     permuted(a, {2, 0, 1})                  (4, 2, 3) : (1, 12, 4)
//     viewed(a, {6, 4})                       (6, 4) : (4, 1); nullopt if no strides do it
//
// Laws: a view holds the same elements; element (i, j, ...) is at offset + i * stride0 + j * stride1 + ...
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::paste::python {

struct Strided {
  std::vector<i64> shape, stride;
  i64 offset = 0;
  bool operator==(const Strided&) const = default;
  [[nodiscard]] std::size_t rank() const { return shape.size(); }
};

// A dimension, counted from the end if negative, of `rank`.
[[nodiscard]] Result<std::size_t> dimension(i64 d, std::size_t rank);

// Row-major. A Diag: an extent below 0, or more than 2^63 elements.
[[nodiscard]] Result<Strided> contiguous(const std::vector<i64>& shape);
[[nodiscard]] Result<Strided> columnMajor(const std::vector<i64>& shape);
// NCHW in memory as NHWC; also of rank 5.
[[nodiscard]] Result<Strided> channelsLast(const std::vector<i64>& shape);
[[nodiscard]] Result<Strided> permuted(const Strided& a, const std::vector<i64>& dims);
[[nodiscard]] Result<Strided> swapped(const Strided& a, i64 first, i64 second);
// The dimension at `from` goes to `to`.
[[nodiscard]] Result<Strided> moved(const Strided& a, i64 from, i64 to);
// One -1 in the shape is computed. nullopt: not without a copy.
[[nodiscard]] Result<std::optional<Strided>> viewed(const Strided& a, const std::vector<i64>& shape);
// Sizes of -1 stay; extents of 1 get stride 0.
[[nodiscard]] Result<Strided> expanded(const Strided& a, const std::vector<i64>& sizes);
[[nodiscard]] Result<Strided> unsqueezed(const Strided& a, i64 d);
[[nodiscard]] Strided squeezed(const Strided& a, std::optional<std::size_t> d);
// begin, begin + step ... below end of one dimension.
[[nodiscard]] Result<Strided> sliced(const Strided& a, std::size_t d, std::optional<i64> begin, std::optional<i64> end,
                                     i64 step);
[[nodiscard]] Result<Strided> selected(const Strided& a, i64 d, i64 index);
// Windows of `size` at a distance of `step`, as a last dimension.
[[nodiscard]] Result<Strided> unfolded(const Strided& a, i64 d, i64 size, i64 step);
// Dimensions [first, last] as one; nullopt: not without a copy.
[[nodiscard]] Result<std::optional<Strided>> flattened(const Strided& a, i64 first, i64 last);

// (2, 3, 4):(12, 4, 1)
[[nodiscard]] std::string print(const Strided& a);

}  // namespace tessera::paste::python
