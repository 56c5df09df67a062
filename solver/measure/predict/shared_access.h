// SharedAccess: one instruction that accesses shared memory, as a formula and as the lane patterns that occur.
// Predictions are made for it, and micro-kernels (micro.h) measure it.
//
//     ldmatrix.x4 over (64,64):(64,1), f16      byte(thread, start, other) = thread % 16 * 128 + thread / 16 * 16 + ...
//         16 positions, one pattern up to a shift by whole rows of banks: 32 wavefronts, ideal 4
//     %f <- Move<<<#b,#warp>>>(%row) in a program  byte(thread, block, k), patterns seen by the emulator, with counts
//
// A pattern is the request of one warp, shifted so that its first row of banks is row 0; the bank model and the
// hardware depend on nothing else. `values` records its first occurrence: a value per name, with `thread` the number of
// lane 0.
//
// Laws: the patterns' times add up to the executions, and times * wavefronts to the emulator's count (counts.h) for
// that operand; with `formula`, byte at (values, thread + lane) is the pattern's address plus `base`, for every active
// lane.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "core/analysis/access/access.h"
#include "core/expr/facts.h"
#include "core/graphene/program.h"

namespace tessera::measure {

struct AccessPattern {
  std::vector<i64> values;  // by name
  WarpAccess warp;          // shifted so that its addresses begin in the first 128 bytes
  i64 base = 0;             // bytes subtracted by the shift
  i64 times = 0;
  int wavefronts = 0, ideal = 0;
  std::optional<int> merged;
};

struct SharedAccess {
  std::string instruction;  // in the atlas: "ldmatrix.x4", "ld.shared.v4", "cp.async.cg.16"
  std::string operand, layout;
  Span span;
  int kernel = 0;                  // 0-based, in the program
  std::vector<std::string> names;  // identifiers of the digits of `byte`, "thread" first
  Expr byte;
  Environment box;
  bool formula = true;  // `byte` gives all addresses; if false, only the patterns do
  std::vector<AccessPattern> patterns;
};

// All shared-memory accesses of a program, in text order.
struct ProgramAccesses {
  std::vector<SharedAccess> accesses;
  std::string stopped;  // why the emulator stopped early; empty: it did not
  i64 steps = 0;
};

struct AccessOptions {
  std::map<std::string, i64> sizes;
  std::string architecture = "sm_80";
  i64 maxSteps = 400'000;
  const std::atomic<bool>* cancel = nullptr;
};
// Returns a Diag if the program cannot be run.
[[nodiscard]] Result<ProgramAccesses> accessesOf(const graphene::Program& program, const AccessOptions& options);

// All positions of an instruction over a tile. `map`, `rowDigits`: the layout that the tile was made from. Returns a
// Diag if the instruction does not fit the tile or does not access shared memory.
[[nodiscard]] Result<SharedAccess> accessOver(const Tile& tile, const Map& map, int rowDigits, const AccessSpec& spec);

}  // namespace tessera::measure
