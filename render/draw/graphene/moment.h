// Moment: one step of one block: which thread accesses which place as which slot, and how values move.
//
//     figure 1d, step 0     ldmatrix.x4, 32 lanes as one group
//       reads               lane 5, slot 3 of %10: %1 at (5,3)
//       writes              lane 5, slot 2 of %11: register 4 of %2
//       moves               from lane 9's slot 2 of %10 to lane 5's slot 2 of %11
//
// Law: a touch agrees with Steps::slots for its thread (tests/render); moves are exactly the atom's terms.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/memory/banks.h"
#include "core/graphene/steps.h"
#include "render/figure/figure.h"

namespace tessera::graphene {

struct Touch {
  std::size_t operand = 0;  // outputs, then inputs
  bool write = false;
  i64 thread = 0;
  std::size_t slot = 0, group = 0, lane = 0;
  Slot at;
};

struct Moment {
  Step step;
  const SpecRow* row = nullptr;  // null: a barrier, a commit, a wait
  i64 block = 0, threads = 1;
  std::vector<i64> executing;            // ascending
  std::vector<std::vector<i64>> groups;  // threads by lane
  std::vector<Touch> touches;
  std::vector<std::pair<std::size_t, std::size_t>> moves;  // index of the touch read -> of the touch written
  bool whole = true;                                       // false: some warps only, because there are too many places
};

// `focus`: a thread whose warp is always included.
[[nodiscard]] Moment momentOf(const Steps& steps, i64 n, i64 block, i64 focus);

// Arrangement of a root in a picture: memory by its declared coordinates, registers as threads x registers.
//
//     [16,16] in SH      16 rows, 16 columns; a third dimension adds rows; one dimension is wrapped into rows of 32
//     [2,4] in RF        32 rows (the warp's lanes), 8 columns
struct RootPlan {
  int root = -1;
  std::shared_ptr<const Tensor> tensor;  // a copy: cells may be read after the program is gone
  std::vector<i64> extents;
  i64 rows = 1, cols = 1;  // of the whole root; for registers: threads, registers
  u64 domain = 0;          // of its points
  bool registers = false;

  [[nodiscard]] std::pair<i64, i64> cellOf(const Touch& t) const;
  [[nodiscard]] std::pair<i64, i64> cellOf(const std::vector<i64>& coordinate) const;
  [[nodiscard]] std::vector<i64> coordinateOf(i64 row, i64 col) const;  // for memory; empty beyond the extents
  [[nodiscard]] bool inside(i64 row, i64 col) const;
  [[nodiscard]] Point point(i64 row, i64 col) const;
  // The cell of one of its points; nullopt for other points.
  [[nodiscard]] std::optional<std::pair<i64, i64>> cellOf(Point point) const;
};
// `threads`: per block. Requires a root of the tree.
[[nodiscard]] RootPlan planOf(const Steps& steps, int root, i64 threads);

// "[32,32:33,1].fp32.SH", without name and `holds`.
[[nodiscard]] std::string typeOf(const Tensor& tensor, const Program& program);

// Use: the memory cost of one moment's accesses, warp by warp: shared-memory wavefronts, global-memory sectors.
//
//     transpose, pitch 32: warp 0 stores a column     32 wavefronts, 1 would suffice
//
// Law: addresses come from the touches, phases and widths from the atom; counting is done by core/analysis.

struct WarpUse {
  i64 warp = 0;
  std::optional<BankAccess> shared;
  std::optional<SectorReport> global;
};

struct Use {
  int operand = -1;  // the operand with these addresses
  bool shared = false;
  std::vector<WarpUse> warps;
  std::string fault;                               // misaligned: counting is not possible
  [[nodiscard]] std::pair<i64, i64> cost() const;  // wavefronts or sectors: all, and what would do
};
// `warps` is empty if the moment accesses no memory or its atom is unknown.
[[nodiscard]] Use useOf(const Moment& moment);

}  // namespace tessera::graphene
