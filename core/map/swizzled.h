// asSwizzled: is a map a swizzled strided layout, and which?
//
//     i*64 + ((j floordiv 8) xor i)*8 + j mod 8, 8 x 64          Sw<3,3,3> of i*64 + j
//     (i floordiv 2)*8 + i mod 2                                 no swizzle; i is the leaves (2:1, 4:8)
//     x xor (x floordiv 64 mod 8)*8 with x = i*72 + j            Sw<3,3,3> of rows that carry
//     i xor j*3 xor j*5                                          refused: no Sw<B,M,S> leaves a sum of strides
//
// Law: axis == Sw<B,M,S>(offset + sum over digits of sum over leaves of stride * leaf) at every point of the box, the
// leaves of a digit being its mixed-radix parts, fastest first. The simplest: the smallest B, then the smallest M, then
// the smallest |S|, S > 0 before S < 0. B = 0 is a plain strided map, of any extents. Refused otherwise, with the
// reason; guards are not looked at (a layout has no padding: its notation decides what to do with them).
//
// How: a swizzle is its own inverse and linear over bits, so it is applied to the columns of the map's bit matrix; what
// is left must be columns that share no bit (then xor is +), in runs that double. Extents that are no powers of two are
// rounded up for this and cut back after. Where the sum carries there is no matrix: then the axis itself must read
// post(sum), and post must be a swizzle. Where no formula is read so, up to 2^16 values are: strides
// alone, without a swizzle.
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

// What CuTe calls Sw<B,M,S>: yyy = bits M + max(0,S) and up, xored into bits M + max(0,-S) and up.
struct Swizzled {
  int bits = 0, base = 0, shift = 0;
  i64 offset = 0;
  std::vector<std::vector<SwizzleLeaf>> digits;  // per digit of the map its leaves, fastest first; never empty
  bool operator==(const Swizzled&) const = default;
};

[[nodiscard]] Result<Swizzled> asSwizzled(const Map& map);

}  // namespace tessera
