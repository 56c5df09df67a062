// Storage: converts an operand of a Graphene program to the bytes that a generated kernel gets, and back.
//
//     %s:[2,2:3,1].fp16.SH of two blocks     values 1 2 3 4 5 6 7 8  ->  1 2 ? 3 4   5 6 ? 7 8   as halves; ? is a NaN
//
// Values are in the emulator's order: logical, a copy for each block (shared memory) or thread (registers).
#pragma once

#include <vector>

#include "host_program.h"
#include "solver/emulate/plan.h"

namespace tessera::host_check {

// One number of the type, little-endian; rounded to it first.
[[nodiscard]] std::vector<unsigned char> encoded(double value, const graphene::NumberFormat& type);
[[nodiscard]] double decoded(const unsigned char* bytes, const graphene::NumberFormat& type);

// How many copies a kernel keeps of the operand, and how far apart: 0 for the root's places.
struct Launch {
  i64 blocks = 1, threads = 1, apart = 0;
};
[[nodiscard]] i64 copiesOf(const graphene::Root& root, const Launch& launch);
[[nodiscard]] std::size_t valuesOf(const graphene::Root& root, const Launch& launch);

// Without values: zeros.
[[nodiscard]] Bytes stored(const graphene::Root& root, const Launch& launch, const std::vector<double>& values);
[[nodiscard]] std::vector<double> fetched(const graphene::Root& root, const Launch& launch, const Bytes& bytes);

}  // namespace tessera::host_check
