// The scalar types every layer shares. Sizes, coordinates and addresses are 64-bit signed: a tile of 10^18 elements is
// a legal question, and differences of addresses are negative as often as not.
#pragma once

#include <cstdint>

namespace tessera {

using i64 = std::int64_t;
using u64 = std::uint64_t;

}  // namespace tessera
