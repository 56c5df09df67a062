// SharedAccess: one instruction that touches shared memory, as formula and as the patterns of lanes that occur: what is predicted, and
// what a micro-kernel (micro.h) measures.
//
//     ldmatrix.x4 over (64,64):(64,1), f16        byte(thread, start, other) = thread % 16 * 128 + thread / 16 * 16 + ...
//         16 positions, one pattern up to a shift by whole rows of banks: 32 wavefronts, ideal 4
//     %f <- Move<<<#b,#warp>>>(%row) of a program  byte(thread, block, k), patterns as the emulator met them, with how often
//
// A pattern is what one warp asks for, shifted so that its first row of banks is row 0: the bank model and the hardware know no
// other difference. `values` says where it was met first: of every name, `thread` being the number of lane 0.
//
// Laws: the patterns' times add up to the executions, and times * wavefronts to the emulator's count (counts.h) of that operand;
// with `formula`, byte at (values, thread + lane) is the pattern's address of every lane that takes part, `base` bytes further on.
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "core/analysis/access.h"
#include "core/expr/facts.h"
#include "core/graphene/program.h"

namespace tessera::measure {

struct AccessPattern {
  std::vector<i64> values;  // of the names
  WarpAccess warp;          // its addresses begin in the first 128 bytes
  i64 base = 0;             // bytes that were taken off
  i64 times = 0;
  int wavefronts = 0, ideal = 0;
  std::optional<int> merged;
};

struct SharedAccess {
  std::string instruction;  // of the atlas: "ldmatrix.x4", "ld.shared.v4", "cp.async.cg.16"
  std::string operand, layout;
  Span span;
  int kernel = 0;                  // of the program, counted from 0
  std::vector<std::string> names;  // of the digits of `byte`: "thread" first; identifiers
  Expr byte;
  Environment box;
  bool formula = true;  // byte says the addresses; else only the patterns do
  std::vector<AccessPattern> patterns;
};

// The whole of what a program asks of shared memory, in the order of the text.
struct ProgramAccesses {
  std::vector<SharedAccess> accesses;
  std::string stopped;  // why the emulator ended before the program did; empty: it did not
  i64 steps = 0;
};

struct AccessOptions {
  std::map<std::string, i64> sizes;
  std::string architecture = "sm_80";
  i64 maxSteps = 400'000;
  const std::atomic<bool>* cancel = nullptr;
};
// A Diag for what cannot be run.
[[nodiscard]] Result<ProgramAccesses> accessesOf(const graphene::Program& program, const AccessOptions& options);

// All positions of an instruction over a tile. `map`, `rowDigits`: the layout that the tile was made from. A Diag where the
// instruction does not fit the tile, or does not touch shared memory.
[[nodiscard]] Result<SharedAccess> accessOver(const Tile& tile, const Map& map, int rowDigits, const AccessSpec& spec);

}  // namespace tessera::measure
