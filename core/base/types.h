// The scalar types shared by all layers. Sizes, coordinates and addresses are 64-bit signed, because a tile of 10^18
// elements is legal and differences of addresses are often negative.
#pragma once

#include <cstdint>

namespace tessera {

using i64 = std::int64_t;
using u64 = std::uint64_t;
__extension__ using i128 = __int128;  // sums and products of two 64-bit numbers

}  // namespace tessera
