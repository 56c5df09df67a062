// Shared by the lowerings of registers, AMD matrix cores and memories.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/notation/linear/layout.h"
#include "core/notation/triton/attr.h"

namespace tessera::triton::detail {

using Names = std::vector<std::string>;

using linear::dimNames;
using linear::dimOuts;
[[nodiscard]] std::vector<std::size_t> matrixOrder(std::size_t rank, bool rowMajor);  // fastest first
[[nodiscard]] Names named(const std::vector<std::size_t>& order);
[[nodiscard]] std::vector<std::size_t> asOrder(const std::vector<i64>& order);

// A product under construction that keeps the first failure, so that a tile can be written as one expression.
class Tile {
 public:
  Tile() = default;
  explicit Tile(const Result<linear::Layout>& start) { times(start); }
  Tile& times(const Result<linear::Layout>& factor);
  Tile& timesReordered(const Result<linear::Layout>& factor);        // its outputs in the tile's order
  Tile& identity(i64 size, const char* in, const std::string& out);  // no factor for size 0
  Tile& zeros(i64 size, const char* in, const std::string& out);
  Tile& outs(const Names& order);
  [[nodiscard]] Result<linear::Layout> done() const;
  [[nodiscard]] Names outNames() const { return layout_.outNames(); }

 private:
  Tile& become(Result<linear::Layout> next);

  linear::Layout layout_;
  std::optional<Diag> failure_;
};

// Identity on `shape[d]` values of `in` along each dimension, in this order; broadcast along `broadcastDim` if given.
[[nodiscard]] Result<linear::Layout> identityND(const char* in, const std::vector<i64>& shape,
                                                const std::vector<std::size_t>& order,
                                                std::optional<std::size_t> broadcastDim = {});

// CGALayout as a layout: block -> dim0 .., whose sizes are the numbers of parts.
[[nodiscard]] Result<linear::Layout> blocksOf(const Bases& cga, std::size_t rank);
// The shape of one block's share.
[[nodiscard]] std::vector<i64> shapePerBlock(const Bases& cga, const std::vector<i64>& shape);
// Checks that a layout with a fixed shape has this one, which `what` names.
[[nodiscard]] Result<void> sameShape(const linear::Layout& layout, const std::vector<i64>& shape, const char* what);
// Sizes by output name.
using Sizes = std::vector<linear::Out>;
[[nodiscard]] Result<linear::Layout> notSmaller(linear::Layout layout, const Sizes& sizes);
// dropRegisters: register bases outside the shape are removed instead of becoming zero.
[[nodiscard]] Result<linear::Layout> notLarger(const linear::Layout& layout, const Sizes& sizes,
                                               bool dropRegisters = false);
[[nodiscard]] Result<linear::Layout> combine(const Result<linear::Layout>& tile, const Bases& cga,
                                             const std::vector<i64>& shape);

[[nodiscard]] Bases cgaOf(const Encoding& encoding);
// The rank of a memory layout, including the rank in the text of nvmma_shared, unlike rankOf.
[[nodiscard]] std::optional<std::size_t> memoryRankOf(const Encoding& encoding);
// (dim0, dim1 ..) -> place, from the inverse of the bases, with padding. `place`, offset or col, is below `places`.
[[nodiscard]] Result<Map> placesOf(const Encoding& encoding, const linear::Layout& inverse, const std::string& place,
                                   i64 places);
// The box that TMA moves: at most 256 elements per dimension, and exactly the swizzle width along the contiguous one.
[[nodiscard]] Result<std::vector<i64>> tmaBlock(const NvmmaShared& e, std::vector<i64> shape);

// One file per family.
[[nodiscard]] Result<linear::Layout> lowered(const Mfma& e, const std::vector<i64>& shape);
[[nodiscard]] Result<linear::Layout> lowerMfmaDot(const Mfma& e, const DotOp& dot, const std::vector<i64>& shape);
[[nodiscard]] Result<linear::Layout> lowered(const Wmma& e, const std::vector<i64>& shape);
[[nodiscard]] Result<linear::Layout> lowerWmmaDot(const Wmma& e, const DotOp& dot, const std::vector<i64>& shape);
[[nodiscard]] Result<linear::Layout> lowered(const SwizzledShared& e, const std::vector<i64>& shape);
[[nodiscard]] Result<linear::Layout> lowered(const NvmmaShared& e, const std::vector<i64>& shape);
[[nodiscard]] Result<linear::Layout> lowered(const PartitionedShared& e, const std::vector<i64>& shape);
[[nodiscard]] Result<linear::Layout> lowered(const TensorMemory& e, const std::vector<i64>& shape);
[[nodiscard]] Result<linear::Layout> lowered(const TensorMemoryScales& e, const std::vector<i64>& shape);

}  // namespace tessera::triton::detail
