// inverse: the map back, from axis values to the coordinate, for one-axis maps without Fan digits.
//
//     (4,8):(8,1)            x -> (i = x floordiv 8, j = x mod 8)         by strides
//     Sw<3,3,3> o (8,64)...  x -> the same after the inverse bit matrix    by F2
//     anything small         x -> looked up                               by table
//
// Law: inverse(f)->find(f(p)) == p for every point p of f; find(x) == nullopt when no point maps to x.
// A map that is not injective is refused with two points that share a place (when the method meets them).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/map/map.h"

namespace tessera {

class Inverse {
 public:
  virtual ~Inverse() = default;
  // The point (one value per digit) whose single axis value is x; nullopt: x is a hole.
  [[nodiscard]] virtual std::optional<std::vector<i64>> find(i64 x) const = 0;
  [[nodiscard]] virtual std::string method() const = 0;  // "strided", "F2", "table"
};

// Tries strides, then F2, then a table of at most tableLimit points.
[[nodiscard]] Result<std::shared_ptr<const Inverse>> inverse(const Map& map, i64 tableLimit = i64{1} << 22);

}  // namespace tessera
