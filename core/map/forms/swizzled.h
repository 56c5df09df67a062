// asSwizzled: recognises a map as a swizzled strided layout.
//
//     i*64 + ((j floordiv 8) xor i)*8 + j mod 8, 8 x 64          Sw<3,3,3> of i*64 + j
//     (i floordiv 2)*8 + i mod 2                                 no swizzle; i splits into the leaves (2:1, 4:8)
//     x xor (x floordiv 64 mod 8)*8 with x = i*72 + j            Sw<3,3,3> of rows that carry
//     i xor j*3 xor j*5                                          refused: under no Sw<B,M,S> a sum of strides
//
// Law: axis == Sw<B,M,S>(offset + sum over digits of sum over leaves of stride * leaf) at every point of the box, the
// leaves of a digit being its mixed-radix parts, fastest first. Returns the simplest: the smallest B, then the smallest
// M, then the smallest |S|, S > 0 before S < 0. B = 0 is a plain strided map, of any extents. Refused otherwise, with
// the reason. Guards are ignored (a layout has no padding: the notation handles them).
//
// How: a swizzle is an involution and linear over bits, so it is applied to the columns of the map's
// bit matrix; the result must be columns with disjoint bits (then xor is +), in runs that double.
// Extents that are not powers of two are rounded up for this and cut back. If the sum carries there
// is not a matrix: then the axis itself must have the form post(sum), with post a swizzle. If no
// formula matches, up to 2^20 values are tabulated, and the table decides (table_form.h).
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/map/map.h"

namespace tessera {

struct SwizzleLeaf {
  i64 extent = 1;
  i64 stride = 0;
  bool operator==(const SwizzleLeaf&) const = default;
};

// CuTe's Sw<B,M,S>: yyy = bits M + max(0,S) and up, xored into bits M + max(0,-S) and up.
struct Swizzled {
  int bits = 0, base = 0, shift = 0;
  i64 offset = 0;
  std::vector<std::vector<SwizzleLeaf>> digits;  // leaves per digit of the map, fastest first; never empty
  bool operator==(const Swizzled&) const = default;
};

[[nodiscard]] Result<Swizzled> asSwizzled(const Map& map);

}  // namespace tessera
