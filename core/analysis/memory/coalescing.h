// Coalescing: how many sectors and lines of global memory a warp's access touches.
//
// Global memory moves in sectors of 32 bytes; four of them are a 128-byte line, the unit of the cache's tags.
//
//     sectors = #{ floor(byte/32) : byte of an active lane },   lines = #{ floor(byte/128) : ... }
//     efficiency = unique bytes / (32 * sectors)
//
//     32 floats in a row    128 bytes,  4 sectors, 1 line,  efficiency 1
//     stride 2              128 bytes,  8 sectors, 2 lines, efficiency 0.5
//     stride 8 and more     128 bytes, 32 sectors, each for 4 useful bytes: 0.125
//     float4, base + 16     512 bytes, 17 sectors (the ideal is 16): straddling costs one
//
// The order of the lanes is irrelevant, and equal bytes count once. The profiler's names (Nsight Compute): sectors
// l1tex__t_sectors_pipe_lsu_mem_global_op_ld (and _st), per request l1tex__t_requests_...; lines
// l1tex__t_set_accesses ...; the source view's "L2 theoretical sectors global" and its "ideal" and "excessive".
//
// Not a bank model: which lane reads which sector does not matter, and neither do phases.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera {

inline constexpr i64 kSectorBytes = 32;
inline constexpr i64 kLineBytes = 128;

struct SectorReport {
  i64 requestedBytes = 0;  // width * active lanes
  i64 uniqueBytes = 0;
  i64 sectors = 0;
  i64 lines = 0;
  i64 idealSectors = 0;     // ceil(unique bytes / 32)
  double efficiency = 1.0;  // uniqueBytes / (32 * sectors); 1 if nothing is accessed
  bool operator==(const SectorReport&) const = default;
};

// Any number of lanes (nullopt: inactive). A Diag: a width other than 1 2 4 8 16 32, or an address that is negative or
// not a multiple of the width, where the hardware faults, as in the bank model (PTX ISA, Operands: naturally aligned).
[[nodiscard]] Result<SectorReport> sectorReport(std::span<const std::optional<i64>> addresses, int width);
// "{sectors: 4, lines: 1}", the worksheet's text.
[[nodiscard]] std::string print(const SectorReport& report);

}  // namespace tessera
