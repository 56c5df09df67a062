// Thread access: one access of a kernel as its code writes it, thread by thread.
//
//     S(t, i) = t * 32 + i over (32, 4), f32
//         t is the thread; each i is one instruction of the warp: lane t reads byte 128 t + 4 i,
//         all 32 lanes in bank i: 32 wavefronts where 1 would do, four times
//     the same with 4 values per lane
//         i is the element of a 16-byte vector: one instruction, 4 phases of 8 lanes: 32 wavefronts, ideal 4
//
// A coordinate named threadIdx.x, tid, t, thread, lane, tx ... is the thread, and so is .y (ty), .z (tz) above .x, and
// warp above lane; if no name fits, the first coordinate is. A warp is 32 consecutive thread numbers; the last one may
// be partial. Every value of the other coordinates is an instruction. A guard of the map is a predicate: a thread for
// which it fails is inactive in that instruction.
//
// `perLane` > 1: one instruction moves so many consecutive elements of each lane. If the last coordinate counts
// consecutive elements, it is split into these vectors; otherwise the offset is the first element of the vector.
//
// Law: wavefronts and sectors are those of the models in core/analysis/memory/banks.h on the addresses of each warp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/memory/banks.h"
#include "core/base/memory_cost.h"
#include "core/layout/arrow.h"

namespace tessera {

struct ThreadAccess {
  Map map;                   // coordinates -> offset in elements
  std::vector<int> threads;  // the digits of the thread number, fastest first
  std::vector<int> others;   // the digits of the instruction, without that of the vector
  int vectorDigit = -1;      // the digit that is split into vectors; -1: none
  i64 perLane = 1;           // elements of one lane in one instruction
  int elementBits = 32;
  std::string name;   // "S"
  std::string asked;  // how the thread was chosen, if no coordinate has the name of one: a note
  [[nodiscard]] i64 threadCount() const;
  [[nodiscard]] int width() const { return static_cast<int>(perLane * elementBits / 8); }  // bytes of a lane
};

// A Diag: more than one axis, replicas, symbolic sizes, a width that no instruction has, or too many points.
[[nodiscard]] Result<ThreadAccess> threadAccess(const Arrow& arrow, std::string name, int elementBits, i64 perLane = 1);

// One instruction of one warp.
struct ThreadWarp {
  std::vector<i64> instruction;  // of the digits `others`, then the number of the vector
  i64 warp = 0;
  WarpAccess access;
};
// The digits of the map for a lane of the warp.
[[nodiscard]] std::vector<i64> digitsAt(const ThreadAccess& access, const ThreadWarp& warp, int lane);
// "i = 3, warp 1": where the warp is in the code.
[[nodiscard]] std::string placeOf(const ThreadAccess& access, const ThreadWarp& warp);

struct ThreadReport : MemoryCost {
  i64 threads = 0, warps = 0;
  i64 instructions = 0;             // of warps with an active lane
  int degree = 0;                   // the worst phase
  i64 bytes = 0;                    // requested by all lanes
  i64 vectorElements = 1;           // consecutive elements of a lane that one wider access could move
  std::optional<ThreadWarp> worst;  // the most excess wavefronts
  std::optional<BankConflict> conflict;
  std::optional<ThreadWarp> widest;  // the most excess sectors
  std::optional<SectorReport> widestReport;
};
// A Diag names the first thread with a negative or misaligned address, or a vector whose elements are not consecutive.
[[nodiscard]] Result<ThreadReport> threadReport(const ThreadAccess& access, MemorySpace space);
// The first instruction with an active lane.
[[nodiscard]] std::optional<ThreadWarp> firstInstruction(const ThreadAccess& access, MemorySpace space);
// Only whether no instruction has excess wavefronts; false: it has, or an address does not fit.
[[nodiscard]] bool isConflictFree(const ThreadAccess& access);
// "128 threads in 4 warps, 16 instructions of 4 bytes a lane: 512 wavefronts where 16 would do, 32-way; 512 ..."
// `space`: the costs of this memory only; nullopt: it is not known, so those of both.
[[nodiscard]] std::string print(const ThreadReport& report, const ThreadAccess& access,
                                std::optional<MemorySpace> space = std::nullopt);

// Two threads that touch one address, at least one of them with a store, and no barrier between. The first access
// stores; all others load, but for those marked as stores.
struct Race {
  i64 address = 0;           // in elements
  i64 store = 0, other = 0;  // threads
  std::string text;          // "threads 0 and 1 both store to element 32: S at (0,32), S at (1,0)"
};
struct RaceReport {
  i64 stores = 0, loads = 0;  // thread and address pairs
  std::optional<Race> race;
};
// The accesses with stores[k] true store. A Diag: too many points.
[[nodiscard]] Result<RaceReport> racesOf(const std::vector<ThreadAccess>& accesses, const std::vector<bool>& stores);

}  // namespace tessera
