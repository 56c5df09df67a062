#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/layout/hardware.h"
#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/convert.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/modes.h"
#include "core/notation/linear/layout.h"

namespace tessera {

namespace {

using Leaves = std::vector<cute::LayoutLeaf>;  // fastest first

// A mode for each list of leaves, coalesced.
Result<cute::Layout> cuteOf(const std::vector<Leaves>& modes) {
  std::vector<cute::Layout> made;
  for (const Leaves& leaves : modes) {
    TESSERA_TRY(cute::Layout one, cute::coalesced(leaves, false));
    made.push_back(std::move(one));
  }
  return cute::joined(made);
}

std::vector<cute::Layout> modesOf(const cute::Layout& layout) {
  return layout.shape().isLeaf() ? std::vector<cute::Layout>{layout} : layout.modes();
}

// dim0, dim1 .. of these extents.
Result<std::vector<linear::Out>> outsOf(const std::vector<i64>& shape) {
  for (const i64 e : shape)
    if (!isPowerOfTwo(e)) return Diag{fmt::format("the extent {} is not a power of two", e)};
  return linear::dimOuts(shape);
}

}  // namespace

Result<std::vector<i64>> axeShapeOf(const cute::Layout& layout) {
  TESSERA_CHECKED(requirePlain(layout, "to_axe"));
  return mapped<i64>(modesOf(layout), &cute::Layout::size);
}

Result<axe::Layout> toAxe(const cute::Layout& layout, const std::string& axis) {
  TESSERA_CHECKED(requirePlain(layout, "to_axe"));
  std::vector<axe::Iter> shard;
  for (const cute::Layout& mode : modesOf(layout)) {
    const std::vector<cute::LayoutLeaf> leaves = flatLeaves(mode);
    for (std::size_t k = leaves.size(); k-- > 0;) shard.push_back({leaves[k].extent, leaves[k].stride.value(), axis});
  }
  return axe::detail::build(std::move(shard), {}, {});
}

Result<cute::Layout> toCute(const axe::Layout& layout, const std::vector<i64>& shape) {
  const axe::Layout canonical = canonicalize(layout.withoutShape());
  if (!canonical.replica().empty())
    return Diag{fmt::format("a CuTe layout is a function, so it cannot express the {} replicas of each element",
                            canonical.replicaCount())};
  std::string axis;
  for (const axe::Iter& it : canonical.shard()) {
    if (it.extent == 1 || it.stride == 0) continue;
    if (!axis.empty() && axis != it.axis)
      return Diag{fmt::format("a CuTe layout gives one number, but this layout has the axes {} and {}", axis, it.axis),
                  {},
                  "storage(X) drops the thread axes"};
    axis = it.axis;
  }
  for (const auto& [where, value] : canonical.offset())
    return Diag{fmt::format("a CuTe layout maps 0 to 0, but this one maps it to {}@{}", value, where)};
  TESSERA_TRY(const axe::Grouping grouping, group(canonical, shape));
  std::vector<Leaves> modes(shape.size());
  for (std::size_t j = 0; j < shape.size(); ++j) {
    const std::vector<axe::Iter> block = axe::detail::canonicalIters(grouping.block(j));
    for (std::size_t k = block.size(); k-- > 0;) modes[j].push_back({block[k].extent, block[k].stride});
  }
  return cuteOf(modes);
}

namespace {

// The basis of each bit of each hardware axis, by its linear name.
using AxisBits = std::map<std::string, std::map<int, linear::Basis>>;

// register, lane, warp, block first, then offset, row, col, then all other names.
std::vector<std::string> inputOrder(const AxisBits& bits) {
  std::vector<std::string> order;
  const auto has = [&](const char* n) { return bits.count(n) != 0; };
  if (has("register") || has("lane") || has("warp"))
    order = {"register", "lane", "warp", "block"};
  else if (has("offset"))
    order = {"offset", "block"};
  for (const char* name : {"register", "lane", "warp", "block", "offset", "row", "col"})
    if (has(name) && !linear::contains(order, name)) order.push_back(name);
  for (const auto& [name, list] : bits)
    if (!linear::contains(order, name)) order.push_back(name);
  return order;
}

}  // namespace

Result<linear::Layout> toLinear(const axe::Layout& layout, const std::vector<i64>& shape) {
  for (const auto& [axis, value] : layout.offset())
    return Diag{fmt::format("a linear layout maps 0 to 0, but this one has the offset {}@{}", value, axis)};
  TESSERA_TRY(std::vector<linear::Out> outs, outsOf(shape));
  TESSERA_TRY(const axe::Grouping grouping, group(layout.withoutShape(), shape));
  AxisBits bits;
  for (const std::string& axis : layout.axes()) bits[linearAxis(axis)];  // including axes that move nothing
  // One step of `it` moves `step` elements along dimension j; 0: none.
  const auto put = [&](const axe::Iter& it, std::size_t j, i64 step) -> Result<void> {
    if (it.extent == 1) return {};
    if (!isPowerOfTwo(it.extent) || !isPowerOfTwo(it.stride))
      return Diag{fmt::format("the extent or the stride of the iter {}:{}@{} is not a power of two", it.extent,
                              it.stride, it.axis)};
    for (i64 b = 1; b < it.extent; b *= 2) {
      const int bit = linear::f2::log2(it.stride) + linear::f2::log2(b);
      if (!bits[linearAxis(it.axis)].emplace(bit, linear::unitBasis(shape.size(), j, step * b)).second)
        return Diag{
            fmt::format("two iters move bit {} of {}, so the layout is not a permutation of bits", bit, it.axis)};
    }
    return {};
  };
  for (std::size_t j = 0; j < shape.size(); ++j) {
    const std::vector<axe::Iter> block = grouping.block(j);
    i64 below = 1;
    for (std::size_t k = block.size(); k-- > 0; below *= block[k].extent) TESSERA_CHECKED(put(block[k], j, below));
  }
  for (const axe::Iter& it : layout.replica()) TESSERA_CHECKED(put(it, 0, 0));
  std::vector<linear::In> ins;
  for (const std::string& name : inputOrder(bits)) {
    linear::In in{name, {}};
    for (const auto& [bit, basis] : bits[name]) {
      if (bit != static_cast<int>(in.bases.size()))
        return Diag{
            fmt::format("no iter uses bit {} of {}, so some places are not used", in.bases.size(), hardwareAxis(name))};
      in.bases.push_back(basis);
    }
    ins.push_back(std::move(in));
  }
  return linear::Layout::create(std::move(ins), std::move(outs));
}

Result<axe::Layout> toAxe(const linear::Layout& layout) {
  // Coordinate bit -> the hardware bit that moves it.
  std::vector<std::vector<std::optional<axe::Iter>>> movers;
  for (const linear::Out& out : layout.outs())
    movers.emplace_back(static_cast<std::size_t>(linear::f2::log2(out.size)));
  std::vector<axe::Iter> replica;
  for (const linear::In& in : layout.ins()) {
    for (std::size_t b = 0; b < in.bases.size(); ++b) {
      const axe::Iter step{2, i64{1} << b, hardwareAxis(in.name)};
      std::size_t moved = 0;
      for (std::size_t k = 0; k < in.bases[b].size(); ++k) {
        const i64 c = in.bases[b][k];
        if (c == 0) continue;
        if (++moved > 1 || !isPowerOfTwo(c))
          return Diag{fmt::format("{} {} moves several coordinate bits at once (a swizzle), which no iter can express",
                                  in.name, i64{1} << b)};
        std::optional<axe::Iter>& mover = movers[k][static_cast<std::size_t>(linear::f2::log2(c))];
        if (mover)
          return Diag{fmt::format("{} {} and {} {} both move {} {}", mover->axis, mover->stride, step.axis, step.stride,
                                  layout.outs()[k].name, c)};
        mover = step;
      }
      if (moved == 0) replica.push_back(step);
    }
  }
  // Merges consecutive bits along one dimension; dimensions stay separate, so that the text shows them.
  std::vector<axe::Iter> shard;
  for (std::size_t k = 0; k < movers.size(); ++k) {
    std::vector<axe::Iter> block;
    for (std::size_t b = movers[k].size(); b-- > 0;) {
      if (!movers[k][b])
        return Diag{fmt::format("no input bit moves {} by {}, so that element has no place", layout.outs()[k].name,
                                i64{1} << b)};
      block.push_back(*movers[k][b]);
    }
    block = axe::detail::canonicalIters(block);
    shard.insert(shard.end(), block.begin(), block.end());
  }
  return axe::detail::build(std::move(shard), axe::detail::canonicalReplicas(replica).iters, {});
}

Result<linear::Layout> toLinear(const cute::Layout& layout) {
  TESSERA_CHECKED(requirePlain(layout, "to_linear"));
  std::vector<linear::In> ins;
  u64 used = 0;
  i64 most = 0;
  for (const cute::Layout& mode : modesOf(layout)) {
    linear::In in{fmt::format("dim{}", ins.size()), {}};
    for (const cute::LayoutLeaf& leaf : flatLeaves(mode)) {
      const i64 stride = leaf.stride.value();
      if (!isPowerOfTwo(leaf.extent)) return Diag{fmt::format("the extent {} is not a power of two", leaf.extent)};
      if (stride < 0) return Diag{fmt::format("the stride {} is negative", stride)};
      for (i64 b = 1; b < leaf.extent; b *= 2) {
        const u64 value = static_cast<u64>(b * stride);
        if ((used & value) != 0)
          return Diag{fmt::format("{}:{} carries: its step {} shares a bit with another step, so sums are not xors",
                                  leaf.extent, stride, value)};
        used |= value;
        most += b * stride;
        in.bases.push_back({static_cast<i64>(value)});
      }
    }
    ins.push_back(std::move(in));
  }
  return linear::Layout::create(std::move(ins),
                                {{"offset", static_cast<i64>(std::bit_ceil(static_cast<u64>(most) + 1))}});
}

namespace {

// The bits of these inputs as (2, colex step), merged; refused if two steps share a bit.
Result<Leaves> stepsOf(const linear::Layout& l, const std::vector<std::string>& inputs, u64& used) {
  Leaves steps;
  for (const std::string& name : inputs) {
    if (!l.hasIn(name)) continue;
    const linear::In& in = l.ins()[indexOf(l.ins(), name)];
    for (std::size_t b = 0; b < in.bases.size(); ++b) {
      const u64 value = linear::f2::pack(in.bases[b], l.outs());
      if ((used & value) != 0)
        return Diag{
            fmt::format("{} {} shares a coordinate bit with another step: the layout is an xor, not a sum of strides",
                        name, i64{1} << b)};
      used |= value;
      steps.push_back({2, static_cast<i64>(value)});
    }
  }
  return steps;
}

}  // namespace

Result<cute::Layout> toCute(const linear::Layout& layout) {
  if (layout.ins().empty()) return Diag{"the layout has no inputs"};
  std::vector<Leaves> modes;
  u64 used = 0;
  for (const linear::In& in : layout.ins()) {
    TESSERA_TRY(auto steps, stepsOf(layout, {in.name}, used));
    modes.push_back(std::move(steps));
  }
  return cuteOf(modes);
}

Result<cute::Layout> toThreadValue(const linear::Layout& layout) {
  for (const linear::In& in : layout.ins())
    if (in.name != "register" && in.name != "lane" && in.name != "warp" && in.name != "block")
      return Diag{fmt::format("the input {} is neither a thread nor a register", in.name)};
  u64 used = 0;
  TESSERA_TRY(auto threads, stepsOf(layout, {"lane", "warp", "block"}, used));
  TESSERA_TRY(auto values, stepsOf(layout, {"register"}, used));
  return cuteOf({std::move(threads), std::move(values)});
}

Result<linear::Layout> threadValueToLinear(const cute::Layout& layout, const std::vector<i64>& shape, i64 lanes) {
  TESSERA_CHECKED(requirePlain(layout, "to_linear"));
  if (layout.rank() != 2)
    return Diag{fmt::format("a thread-value layout has 2 modes, but this one has {}", layout.rank())};
  if (!isPowerOfTwo(lanes)) return Diag{fmt::format("{} lanes are not a power of two", lanes)};
  TESSERA_TRY(const linear::Layout flat, toLinear(layout));
  TESSERA_TRY(const std::vector<linear::Out> outs, outsOf(shape));
  i64 total = 1;
  for (const i64 e : shape) total *= e;
  if (flat.outs()[0].size > total)
    return Diag{fmt::format("the layout reaches {} elements, but shape {} has {}", flat.outs()[0].size,
                            axe::printShape(shape), total)};
  std::vector<linear::In> ins = {{"register", flat.ins()[1].bases}, {"lane", {}}, {"warp", {}}, {"block", {}}};
  for (std::size_t b = 0; b < flat.ins()[0].bases.size(); ++b)
    ins[(i64{1} << b) < lanes ? 1 : 2].bases.push_back(flat.ins()[0].bases[b]);
  TESSERA_TRY(const linear::Layout widened, linear::Layout::create(std::move(ins), {{"offset", total}}));
  return reshapeOuts(widened, outs);
}

}  // namespace tessera
