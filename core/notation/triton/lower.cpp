// Shared steps; blocked and NVIDIA register layouts, slices and linear attributes.
#include "core/notation/triton/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/notation/triton/lower_detail.h"

namespace tessera::triton {

namespace detail {

std::vector<std::size_t> matrixOrder(std::size_t rank, bool rowMajor) {
  std::vector<std::size_t> order;
  for (std::size_t k = rank; k-- > 0;) order.push_back(k);
  if (!rowMajor && rank >= 2) std::swap(order[0], order[1]);
  return order;
}

Names named(const std::vector<std::size_t>& order) {
  return mapped<std::string>(order, [](std::size_t k) { return fmt::format("dim{}", k); });
}

std::vector<std::size_t> asOrder(const std::vector<i64>& order) { return {order.begin(), order.end()}; }

Tile& Tile::become(Result<linear::Layout> next) {
  if (next)
    layout_ = *std::move(next);
  else
    failure_ = next.error();
  return *this;
}
Tile& Tile::times(const Result<linear::Layout>& factor) {
  if (failure_) return *this;
  return become(factor ? multiply(layout_, *factor) : factor);
}
Tile& Tile::identity(i64 size, const char* in, const std::string& out) {
  if (size == 0) return *this;
  if (isPowerOfTwo(size)) return times(linear::Layout::identity1D(size, in, out));
  return times(Diag{fmt::format("{} values of {} along {} are not a power of two", size, in, out)});
}
Tile& Tile::zeros(i64 size, const char* in, const std::string& out) {
  if (isPowerOfTwo(size)) return times(linear::Layout::zeros1D(size, in, out));
  return times(Diag{fmt::format("{} copies over {} are not a power of two", size, in)});
}
Tile& Tile::timesReordered(const Result<linear::Layout>& factor) {
  return times(factor ? transposeOuts(*factor, layout_.outNames()) : factor);
}
Tile& Tile::outs(const Names& order) { return failure_ ? *this : become(transposeOuts(layout_, order)); }
Result<linear::Layout> Tile::done() const {
  if (failure_) return *failure_;
  return layout_;
}

Result<linear::Layout> identityND(const char* in, const std::vector<i64>& shape, const std::vector<std::size_t>& order,
                                  std::optional<std::size_t> broadcastDim) {
  Tile tile;
  for (const std::size_t k : order) {
    if (k >= shape.size()) return Diag{fmt::format("there is no dimension {}, only {} of them", k, shape.size())};
    const std::string out = fmt::format("dim{}", k);
    if (broadcastDim == k)
      tile.zeros(shape[k], in, out);
    else
      tile.identity(shape[k], in, out);
  }
  return tile.done();
}

Result<linear::Layout> blocksOf(const Bases& cga, std::size_t rank) {
  for (const linear::Basis& basis : cga)
    if (basis.size() != rank)
      return Diag{fmt::format("CGALayout has rank {}, but the shape has {}", basis.size(), rank)};
  return linear::Layout::createInferred({{"block", cga}}, dimNames(rank));
}

Result<void> sameShape(const linear::Layout& layout, const std::vector<i64>& shape, const char* what) {
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (layout.outs()[k].size != shape[k])
      return Diag{
          fmt::format("the layout has {} elements along dimension {}, but {} has {}; such a layout does not repeat",
                      layout.outs()[k].size, k, what, shape[k])};
  return {};
}

std::vector<i64> shapePerBlock(const Bases& cga, const std::vector<i64>& shape) {
  std::vector<i64> share = shape;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    i64 split = 1;
    for (const linear::Basis& basis : cga)
      while (k < basis.size() && split <= basis[k]) split *= 2;
    share[k] = std::max<i64>(1, shape[k] / split);
  }
  return share;
}

static i64 sizeIn(const Sizes& sizes, const std::string& name) {
  const std::size_t k = indexOf(sizes, name);
  return k < sizes.size() ? sizes[k].size : 1;
}

Result<linear::Layout> notSmaller(linear::Layout layout, const Sizes& sizes) {
  if (layout.ins().empty()) return Diag{"the layout has no input to repeat on"};
  const std::string first = layout.ins()[0].name;
  for (const linear::Out& out : std::vector<linear::Out>(layout.outs())) {
    const i64 want = sizeIn(sizes, out.name);
    if (out.size >= want) continue;
    TESSERA_TRY(layout, multiply(layout, linear::Layout::identity1D(want / out.size, first, out.name)));
  }
  return layout;
}

Result<linear::Layout> notLarger(const linear::Layout& layout, const Sizes& sizes, bool dropRegisters) {
  std::vector<linear::Out> outs = layout.outs();
  std::vector<linear::In> ins = layout.ins();
  for (linear::Out& out : outs) out.size = std::min(out.size, sizeIn(sizes, out.name));
  for (linear::In& in : ins) {
    std::vector<linear::Basis> kept;
    for (linear::Basis& basis : in.bases) {
      bool leaves = false;
      for (std::size_t k = 0; k < basis.size(); ++k)
        if (basis[k] >= outs[k].size) leaves = true, basis[k] = 0;
      if (!(leaves && dropRegisters && in.name == "register")) kept.push_back(std::move(basis));
    }
    in.bases = std::move(kept);
  }
  return linear::Layout::create(std::move(ins), std::move(outs));
}

Result<linear::Layout> combine(const Result<linear::Layout>& tile, const Bases& cga, const std::vector<i64>& shape) {
  if (!tile) return tile;
  const Sizes whole = dimOuts(shape);
  TESSERA_TRY(const linear::Layout blocks, blocksOf(cga, shape.size()));
  TESSERA_TRY(const linear::Layout clipped, notLarger(blocks, whole));
  TESSERA_TRY(const linear::Layout ordered, transposeOuts(clipped, tile->outNames()));
  Sizes share;
  for (const auto& [name, size] : whole) share.push_back({name, std::max<i64>(1, size / ordered.outSize(name))});
  TESSERA_TRY(const linear::Layout grown, notSmaller(*tile, share));
  TESSERA_TRY(const linear::Layout fitted, notLarger(grown, share));
  TESSERA_TRY(const linear::Layout product, multiply(fitted, ordered));
  return transposeOuts(product, dimNames(shape.size()));
}

Bases cgaOf(const Encoding& encoding) {
  if (const auto* dot = std::get_if<DotOp>(&encoding.value)) {  // blocks that split k hold the same operand
    Bases bases = cgaOf(*dot->parent);
    for (linear::Basis& basis : bases)
      if (basis.size() >= 2) basis[dot->opIdx == 0 ? basis.size() - 1 : basis.size() - 2] = 0;
    return bases;
  }
  const auto own = [](const auto& e) -> Bases {
    if constexpr (requires { e.cga; }) {
      return e.cga;
    } else {
      return {};
    }
  };
  return std::visit(own, encoding.value);
}

namespace {

// Lanes and warps along `broadcastDim` hold the same elements.
Result<linear::Layout> blockedTile(const Blocked& e, const std::vector<i64>& perThread,
                                   std::optional<std::size_t> broadcastDim = {}) {
  const auto order = asOrder(e.order);
  return Tile()
      .times(identityND("register", perThread, order))
      .times(identityND("lane", e.threadsPerWarp, order, broadcastDim))
      .times(identityND("warp", e.warpsPerCta, order, broadcastDim))
      .done();
}

Result<linear::Layout> lowered(const Blocked& e, const std::vector<i64>& shape) {
  return combine(blockedTile(e, e.sizePerThread), e.cga, shape);
}

// kWidth registers and 4 lanes along the inner dimension, 8 lanes along the outer one, then registers for the rest.
Result<linear::Layout> nvidiaTile(i64 outerSize, i64 innerSize, i64 kWidth, const std::vector<std::size_t>& order) {
  if (outerSize % 8 != 0 || innerSize % (4 * kWidth) != 0)
    return Diag{fmt::format("a tile of {} x {} is not made of 8 x {} pieces", outerSize, innerSize, 4 * kWidth)};
  const Names names = dimNames(order.size());
  Tile tile;
  tile.times(identityND("register", std::vector<i64>(order.size(), 1), order));
  tile.identity(kWidth, "register", names[order[0]]);
  tile.identity(4, "lane", names[order[0]]).identity(8, "lane", names[order[1]]);
  tile.identity(outerSize / 8, "register", names[order[1]]);
  tile.identity(innerSize / (4 * kWidth), "register", names[order[0]]);
  return tile.done();
}

Result<linear::Layout> lowered(const NvidiaMma& e, const std::vector<i64>& shape) {
  const std::size_t rank = shape.size();
  const bool hopper = e.versionMajor == 3;
  if (e.versionMajor != 2 && !hopper)
    return Diag{fmt::format("mma version {} has no register layout", e.versionMajor), "version 2 or 3"};
  if (hopper && rank != 2) return Diag{"mma version 3 applies to matrices", "a shape of rank 2"};
  const i64 m = hopper ? e.instrShape[0] : e.instrShape[rank - 2],
            n = hopper ? e.instrShape[1] : e.instrShape[rank - 1];
  Tile tile(nvidiaTile(m, n, 2, matrixOrder(rank, true)));
  tile.timesReordered(identityND("warp", e.warpsPerCta, matrixOrder(rank, !hopper)));
  return combine(tile.done(), e.cga, shape);
}

Result<linear::Layout> lowerNvidiaDot(const NvidiaMma& e, const Encoding& self, const DotOp& dot,
                                      const std::vector<i64>& shape) {
  const std::size_t rank = shape.size();
  const bool isA = dot.opIdx == 0, hopper = e.versionMajor == 3;
  const i64 instrM = hopper ? e.instrShape[0] : e.instrShape[rank - 2];
  const i64 kTile = dot.kWidth * (instrM == 8 ? 4 : 8);  // m8n8k4 of fp64 is half as deep
  const std::size_t kDim = isA ? rank - 1 : rank - 2;
  Tile tile(nvidiaTile(isA ? instrM : 8, kTile, dot.kWidth, matrixOrder(rank, isA)));
  tile.timesReordered(identityND("warp", e.warpsPerCta, matrixOrder(rank, !hopper), kDim));
  return combine(tile.done(), cgaOf(self), shape);
}

Result<linear::Layout> lowerBlockedDot(const Blocked& e, const Encoding& self, const DotOp& dot,
                                       const std::vector<i64>& shape) {
  const std::size_t kDim = dot.opIdx == 0 ? shape.size() - 1 : shape.size() - 2;
  std::vector<i64> perThread = e.sizePerThread;
  perThread[kDim] = shape[kDim];
  return combine(blockedTile(e, perThread, kDim), cgaOf(self), shape);
}

Result<linear::Layout> lowerDot(const Encoding& self, const DotOp& dot, const std::vector<i64>& shape) {
  if (shape.size() < 2) return Diag{"a dot operand is a matrix", "a shape of rank 2 or more"};
  const auto& parent = dot.parent.encoding->value;
  if (const auto* blocked = std::get_if<Blocked>(&parent)) return lowerBlockedDot(*blocked, self, dot, shape);
  if (const auto* mma = std::get_if<NvidiaMma>(&parent)) return lowerNvidiaDot(*mma, self, dot, shape);
  if (const auto* mfma = std::get_if<Mfma>(&parent)) return lowerMfmaDot(*mfma, dot, shape);
  if (const auto* wmma = std::get_if<Wmma>(&parent)) return lowerWmmaDot(*wmma, dot, shape);
  return Diag{fmt::format("{} is not a parent of a dot operand", mnemonic(*dot.parent))};
}

Result<linear::Layout> lowered(const Slice& e, const std::vector<i64>& shape) {
  const std::size_t dim = static_cast<std::size_t>(e.dim);
  if (dim > shape.size()) return Diag{fmt::format("dim {} is not a dimension of the parent", e.dim)};
  std::vector<i64> whole = shape;
  whole.insert(whole.begin() + static_cast<std::ptrdiff_t>(dim), 1);
  TESSERA_TRY(const linear::Layout parent, toLinear(*e.parent, whole));
  std::vector<linear::In> ins;
  for (const linear::In& in : parent.ins()) {
    linear::In cut{in.name, {}};
    for (linear::Basis basis : in.bases) {
      basis.erase(basis.begin() + static_cast<std::ptrdiff_t>(dim));
      // Registers that differ only along the removed dimension become one register; lanes and warps stay.
      const bool zero = linear::isZero(basis);
      if (!(zero && in.name == "register")) cut.bases.push_back(std::move(basis));
    }
    ins.push_back(std::move(cut));
  }
  return linear::Layout::create(std::move(ins), dimOuts(shape));
}

// The dimensions in the order in which register bases move along them, then the remaining ones, last first.
std::vector<std::size_t> registerOrder(const linear::Layout& l) {
  std::vector<std::size_t> order;
  const auto add = [&](std::size_t k) {
    if (std::ranges::find(order, k) == order.end()) order.push_back(k);
  };
  for (const linear::In& in : l.ins()) {
    if (in.name != "register") continue;
    for (const linear::Basis& basis : in.bases) {
      const auto moved = std::ranges::find_if(basis, [](i64 c) { return c != 0; });
      if (moved != basis.end()) add(static_cast<std::size_t>(moved - basis.begin()));
    }
  }
  for (std::size_t k = l.outs().size(); k-- > 0;) add(k);
  return order;
}

Result<linear::Layout> lowered(const Linear& e, const std::vector<i64>& shape) {
  TESSERA_TRY(const linear::Layout ordered, transposeOuts(e.layout, named(registerOrder(e.layout))));
  TESSERA_TRY(const linear::Layout grown, notSmaller(ordered, dimOuts(shape)));
  TESSERA_TRY(const linear::Layout fitted, notLarger(grown, dimOuts(shape), true));
  return transposeOuts(fitted, dimNames(shape.size()));
}

// Shared layouts that have a fixed shape.
template <class E>
requires std::is_same_v<E, PaddedShared> || std::is_same_v<E, SharedLinear> Result<linear::Layout> lowered(
    const E& e, const std::vector<i64>& shape) {
  TESSERA_CHECKED(sameShape(e.layout, shape, "the shape"));
  return e.layout;
}

Result<linear::Layout> lowered(const MemorySpace&, const std::vector<i64>&) {
  return Diag{"a memory space is not a layout", "an encoding such as #ttg.swizzled_shared"};
}

}  // namespace

}  // namespace detail

using namespace detail;

Result<linear::Layout> toLinear(const Encoding& encoding, const std::vector<i64>& shape) {
  const auto& value = encoding.value;
  const auto* padded = std::get_if<PaddedShared>(&value);
  const auto* linear = std::get_if<SharedLinear>(&value);
  if (shape.empty() && padded != nullptr) return padded->layout;
  if (shape.empty() && linear != nullptr) return linear->layout;
  if (shape.empty()) return Diag{"a layout attribute needs a shape", "`over (128,64)`"};
  const auto rank = rankOf(encoding);
  if (rank && *rank != shape.size())
    return Diag{
        fmt::format("{} has rank {}, but the shape has {} dimensions", mnemonic(encoding), *rank, shape.size())};
  int bits = 0;
  for (const i64 e : shape) {
    if (!isPowerOfTwo(e))
      return Diag{fmt::format("the extent {} is not a power of two", e), "powers of two, as in Triton"};
    bits += linear::f2::log2(e);
  }
  if (bits > 48) return Diag{fmt::format("the shape has 2^{} elements; at most 2^48 are supported", bits)};
  return std::visit(
      [&](const auto& e) {
        if constexpr (std::is_same_v<std::decay_t<decltype(e)>, DotOp>)
          return lowerDot(encoding, e, shape);
        else
          return lowered(e, shape);
      },
      value);
}

}  // namespace tessera::triton
