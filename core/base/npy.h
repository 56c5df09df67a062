// Npy: an array in NumPy's file format.
//
//     readNpy(bytes of np.save("a.npy", np.zeros((2, 3), np.float32)))     {"<f4", {2, 3}, 24 bytes}
//     writeNpy(array)                                                      the same bytes
//
// Laws: readNpy(writeNpy(a)) == a. The bytes are little endian and in C order (the last index is the fastest), in which
// order a file has them.
//
// Source: NEP 1, "A simple file format for NumPy arrays": versions 1.0 to 3.0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera {

struct Npy {
  std::string descr;  // "<f4", "|u1", "<c8", "|V2"; of a structure the list as text: "[('x', '<f4')]"
  std::vector<i64> shape;
  std::string bytes;
  bool operator==(const Npy&) const = default;
  [[nodiscard]] i64 count() const;      // of elements
  [[nodiscard]] i64 itemBytes() const;  // 4 of "<f4"
};

// Diags: not this format, truncated, Python objects.
[[nodiscard]] Result<Npy> readNpy(std::string_view file);
[[nodiscard]] std::string writeNpy(const Npy& array);
// The bytes of an element; 0 if `descr` has none: objects, malformed text.
[[nodiscard]] i64 itemBytesOf(std::string_view descr);

}  // namespace tessera
