// Banks: how many wavefronts a warp's access to shared memory needs.
//
// Shared memory has 32 banks, each 4 bytes wide: byte a is in word a/4, word w in bank w%32. One wavefront serves one
// word of every bank, to any number of lanes. A warp's access is split into phases, and each phase costs as many
// wavefronts as its busiest bank has *distinct words*. The phases are the instruction's, from its row of the atlas
// (core/atlas/access.h): float4 and ldmatrix.x4 have four of 8 lanes, float2 two of 16, narrower accesses one of 32.
//
//     wavefronts(phase) = max over banks of #{distinct words of that bank};  0 if no lane is active
//     wavefronts = sum over phases,   ideal = #non-empty phases,   excess = wavefronts - ideal
//     conflict degree ("N-way") = max over phases
//
// Worked numbers, 32 floats in rows of 32 (lane l reads row l, column 0: byte 128*l):
//     word 32*l, bank 0 for every lane: 32 distinct words in one bank -> 32 wavefronts, ideal 1, 32-way.
//     rows padded to 33: word 33*l, bank l: 1 wavefront. A float4 per lane in a row: 4 phases of 1 wavefront: ideal 4.
//
// A conflict is not "two lanes in one bank". The same word is a broadcast and free (also two halves of one word, also
// for stores, whose value is then undefined); and a contiguous 16-byte access per lane is 4 wavefronts with zero
// excess, which other tools report as "4-way". Misaligned addresses are an error, as on the hardware.
//
// Merged phases: on compute capability >= 7.0, loads whose lanes n and n^1 (all n), or n and n^2, read the same address
// may use the row's merged phases. They are reported next to the plain number (`mergedPhases`), as the best case.
//
// The profiler's names (Nsight Compute), per instruction executed by one warp:
//     wavefronts   l1tex__data_pipe_lsu_wavefronts_mem_shared (source view: memory_l1_wavefronts_shared)
//     ideal        memory_l1_wavefronts_shared_ideal
//     excess       derived__memory_l1_wavefronts_shared_excessive
//     l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{ld,st} counts excess too, but also unrelated stalls of the
//     data stage, so it may exceed the model; the wavefront counters are the ones to compare.
#pragma once

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/atlas/access.h"
#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera {

inline constexpr int kBanks = 32;
inline constexpr int kBankBytes = 4;
inline constexpr int kWarpLanes = 32;
// The address of an inactive lane.
inline constexpr i64 kInactive = std::numeric_limits<i64>::min();

// One warp-wide instruction: its access, and byte addresses into shared memory, relative to a 128-byte aligned base.
struct WarpAccess : AtlasAccess {
  std::array<i64, kWarpLanes> addresses = [] {
    std::array<i64, kWarpLanes> a{};
    a.fill(kInactive);
    return a;
  }();
  bool operator==(const WarpAccess&) const = default;
};

struct BankReport {
  std::vector<int> phaseWavefronts;
  int wavefronts = 0;
  int ideal = 0;
  int excess = 0;
  int conflictDegree = 0;
  int uniqueWords = 0;
  std::optional<std::vector<int>> mergedPhases;  // best case, see above
  bool operator==(const BankReport&) const = default;
};

// One access and its report: wavefronts([0, 4, 8], 4) of the worksheet.
struct BankAccess {
  WarpAccess access;
  BankReport report;
  bool operator==(const BankAccess&) const = default;
};

// Up to 32 addresses (fewer: the remaining lanes are inactive; nullopt: that lane is inactive). A Diag names the lane
// of an address that is negative or not a multiple of the width.
[[nodiscard]] Result<WarpAccess> warpAccess(const AtlasAccess& access, std::span<const std::optional<i64>> addresses);
// "load" and "store" of that width, or an instruction of the atlas that touches shared memory and has that width:
// "ldmatrix.x4", "cp.async16".
[[nodiscard]] Result<WarpAccess> warpAccess(std::string_view kind, int width,
                                            std::span<const std::optional<i64>> addresses);

// The model. Misaligned addresses are a Diag.
[[nodiscard]] Result<BankReport> bankReport(const WarpAccess& access);
[[nodiscard]] Result<BankAccess> bankAccess(const WarpAccess& access);
// The same number without the report; the fast path of searches. Requires: aligned addresses.
[[nodiscard]] int wavefronts(const WarpAccess& access);
// Whether no phase has excess wavefronts: every bank of a phase sees at most one word. Stops early.
[[nodiscard]] bool conflictFree(const WarpAccess& access);

// The load of one bank in one phase: the words it must deliver, and the lanes that access each.
struct BankLoad {
  int bank = 0;
  struct Word {
    i64 word = 0;            // byte address / 4
    std::vector<int> lanes;  // ascending
    bool operator==(const Word&) const = default;
  };
  std::vector<Word> words;  // in order of first request
  bool operator==(const BankLoad&) const = default;
};
// Data of the bank view: the busy banks of a phase, ascending. Requires: aligned, 0 <= phase < phases.
[[nodiscard]] std::vector<BankLoad> bankLoads(const WarpAccess& access, int phase);

// The counterexample of `conflict_free`: the busiest bank of the worst phase.
struct BankConflict {
  int phase = 0;
  BankLoad load;
  std::string text;  // "phase 0: bank 0 must deliver 8 words: lane 0 byte 0, lane 1 byte 128, ..."
};
[[nodiscard]] std::optional<BankConflict> worstConflict(const WarpAccess& access);

// "{wavefronts: 32, ideal: 4, excess: 28}", the worksheet's text.
[[nodiscard]] std::string print(const BankReport& report);

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
