// What the lowerings of registers, AMD matrix cores and memories share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/notation/linear/layout.h"
#include "core/notation/triton/attr.h"

namespace tessera::triton_detail {

using Names = std::vector<std::string>;

[[nodiscard]] Diag refuse(std::string message, std::string expected = {});
[[nodiscard]] Names dimNames(std::size_t rank);                                       // dim0, dim1 ..
[[nodiscard]] std::vector<std::size_t> matrixOrder(std::size_t rank, bool rowMajor);  // fastest first
[[nodiscard]] Names named(const std::vector<std::size_t>& order);
[[nodiscard]] std::vector<std::size_t> asOrder(const std::vector<i64>& order);

// A product under construction: the first failure sticks, so that a tile reads as one expression.
class Tile {
 public:
  Tile() = default;
  explicit Tile(LinearLayout start) : layout_(std::move(start)) {}
  Tile& times(const Result<LinearLayout>& factor);
  Tile& identity(i64 size, const char* in, const std::string& out);  // no factor for size 0
  Tile& zeros(i64 size, const char* in, const std::string& out);
  Tile& outs(const Names& order);
  [[nodiscard]] Result<LinearLayout> done() const;
  [[nodiscard]] Names outNames() const { return layout_.outNames(); }

 private:
  LinearLayout layout_;
  std::optional<Diag> failure_;
};

// `shape[d]` values of `in` along each dimension, in this order; broadcast along `broadcastDim` if given.
[[nodiscard]] Result<LinearLayout> identityND(const char* in, const std::vector<i64>& shape,
                                              const std::vector<std::size_t>& order,
                                              std::optional<std::size_t> broadcastDim = {});
[[nodiscard]] Result<LinearLayout> fromBases(std::vector<LinearIn> ins, const Names& outs);

// What CGALayout says: block -> dim0 .. of split sizes.
[[nodiscard]] Result<LinearLayout> blocksOf(const TritonBases& cga, std::size_t rank);
// The share of one block.
[[nodiscard]] std::vector<i64> shapePerBlock(const TritonBases& cga, const std::vector<i64>& shape);
// Sizes by output name.
using Sizes = std::vector<std::pair<std::string, i64>>;
[[nodiscard]] Result<LinearLayout> notSmaller(LinearLayout layout, const Sizes& sizes);
// dropRegisters: register bases that leave the shape go away instead of becoming zero.
[[nodiscard]] Result<LinearLayout> notLarger(const LinearLayout& layout, const Sizes& sizes,
                                             bool dropRegisters = false);
[[nodiscard]] Result<LinearLayout> combine(const Result<LinearLayout>& tile, const TritonBases& cga,
                                           const std::vector<i64>& shape);

[[nodiscard]] TritonBases cgaOf(const TritonEncoding& encoding);

// One file a family.
[[nodiscard]] Result<LinearLayout> lowerMfma(const TritonMfma& e, const std::vector<i64>& shape);
[[nodiscard]] Result<LinearLayout> lowerMfmaDot(const TritonMfma& e, const TritonDotOp& dot,
                                                const std::vector<i64>& shape);
[[nodiscard]] Result<LinearLayout> lowerWmma(const TritonWmma& e, const std::vector<i64>& shape);
[[nodiscard]] Result<LinearLayout> lowerWmmaDot(const TritonWmma& e, const TritonDotOp& dot,
                                                const std::vector<i64>& shape);
[[nodiscard]] Result<LinearLayout> lowerSwizzledShared(const TritonSwizzledShared& e, const std::vector<i64>& shape);
[[nodiscard]] Result<LinearLayout> lowerNvmmaShared(const TritonNvmmaShared& e, const std::vector<i64>& shape);
[[nodiscard]] Result<LinearLayout> lowerPartitioned(const TritonPartitionedShared& e, const std::vector<i64>& shape);
[[nodiscard]] Result<LinearLayout> lowerTensorMemory(const TritonTensorMemory& e, const std::vector<i64>& shape);
[[nodiscard]] Result<LinearLayout> lowerTensorMemoryScales(const TritonTensorMemoryScales& e,
                                                           const std::vector<i64>& shape);

}  // namespace tessera::triton_detail
