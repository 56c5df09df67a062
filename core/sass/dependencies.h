// Reads that nothing makes wait for their write.
//
//     LDG.E R4, [R2.64]      write barrier 2      IADD3 R6, R4, 0x1, RZ   waits for {}: a finding
//     IADD3 R2, R2, 0x4, RZ  stall 2                FADD R5, R2, R3           2 cycles later, 4 needed: a finding
//
// All paths of the flow graph are followed: a read is a finding if on some path from the entry the producer's barrier
// was not waited for, or fewer cycles may have passed than core/sass/latency.h says. This does not prove code right:
// only register results that are read are checked (not registers overwritten too early, nor memory), a call is
// taken to wait for everything, and `unchecked` counts the reads whose cycles are unknown.
//
// Law: code of ptxas has no finding; a stall or a wait lowered below what a reader needs gives one (tests/sass).
#pragma once

#include <vector>

#include "core/sass/flow.h"
#include "core/sass/listing.h"
#include "core/sass/uses.h"

namespace tessera::sass {

struct Finding {
  int producer = 0, reader = 0;  // instructions
  Register what = 0;
  int barrier = kNoBarrier;  // that the reader should wait for; kNoBarrier with variable: the producer sets none
  bool variable = false;
  int cycles = 0, needed = 0;  // fixed latency
  bool operator==(const Finding&) const = default;
};

struct Dependencies {
  std::vector<Finding> findings;  // by reader, then producer; one for each pair
  i64 reads = 0;                  // of results of this kernel, one for each producer that may reach
  i64 unchecked = 0;              // of them, with unknown cycles
};

// Requires kernel.encoded.
[[nodiscard]] Dependencies dependenciesOf(const Kernel& kernel, const Flow& flow);
// "R4 of 0x00d0 (LDG.E R4, [R2.64]) is read at 0x0110 (FFMA ...) without a wait for barrier 2 on some path"
[[nodiscard]] std::string textOf(const Kernel& kernel, const Finding& finding);

}  // namespace tessera::sass
