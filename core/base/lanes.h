// Lanes: two 64-bit values at once, which is what every x86-64 has; loaded from and stored to any address of an i64.
//
//     Lanes x = loadLanes(from + i);      from need not be 16 bytes aligned: clang believes a vector type that it is
//     storeLanes(to + i, x + Lanes{base, base});
//
// Written out where GCC 12 at -O2 leaves loops of unknown length scalar.
#pragma once

#include <cstring>

#include "core/base/types.h"

namespace tessera {

using Lanes = i64 __attribute__((vector_size(16)));
using ULanes = u64 __attribute__((vector_size(16)));

inline Lanes loadLanes(const i64* from) {
  Lanes v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void storeLanes(i64* to, Lanes v) { std::memcpy(to, &v, sizeof v); }

}  // namespace tessera
