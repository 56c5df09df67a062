// When a result may be read: through a barrier (variable latency), or after a number of cycles (fixed latency).
//
//     LDG, LDS, MUFU, S2R ...       variable: a reader waits for the write barrier
//     IADD3 R2 -> FADD ..., R2      4 cycles       HMMA.16816.F32 R8 -> HMMA ..., R8    24 cycles
//     ISETP P0 -> @P0 ...           13 cycles      ISETP P0 -> SEL ..., P0               4 cycles
//     HMMA.1688.F16                 not in the table: unknown, and not checked
//
// An operation that has a write barrier is variable, whether it is in the list or not. The results of a queue come in
// order, so a barrier of a later operation covers those before it: LDS, LDSM and SHFL; MUFU and the conversions; LDC;
// S2R and S2UR. Results of HGMMA are read after WARPGROUP.DEPBAR and are not checked.
//
// Source: the cycles are the least distances in 36,000 instructions of ptxas 13.0 for the 41 kernels of the gallery on
// sm_80 and sm_90a (tests/cli/sass_gallery_test.cpp), checked on code that was not used to find them: CUTLASS 4.2 and
// 390 modules of the corpus. That lowered one row, the addend of a wide product (2). NVIDIA documents none of it. Jia
// et al. (arXiv 1804.06826) measured 4 cycles for most arithmetic of Volta. On other architectures only barriers are
// checked.
#pragma once

#include <string_view>

#include "core/sass/listing.h"
#include "core/sass/uses.h"

namespace tessera::sass {

enum class Queue : unsigned char { None, Shared, Special, Constant, System };  // whose results come in order

struct Latency {
  bool variable = false;
  Queue queue = Queue::None;
};
[[nodiscard]] Latency latencyOf(const Instruction& producer);

// The least distance in cycles from a fixed-latency producer of `r` to its reader; 0: unknown.
[[nodiscard]] int leastCycles(const Instruction& producer, Register r, const Instruction& reader);
// Whether the cycles of this architecture are known.
[[nodiscard]] bool cyclesKnown(std::string_view architecture);

inline constexpr int kMostCycles = 24;

}  // namespace tessera::sass
