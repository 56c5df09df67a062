// Lanes: a vector of two 64-bit values, available on every x86-64; loads and stores at any i64 address.
//
//     Lanes x = loadLanes(from + i);      no 16-byte alignment needed, which clang assumes for vector types
//     storeLanes(to + i, x + Lanes{base, base});
//
// Used explicitly because GCC 12 at -O2 does not vectorise loops of unknown length.
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
