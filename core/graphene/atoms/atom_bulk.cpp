// Move<bulk %f> by one thread: TMA's copy of a box from global to shared memory, whose bytes arrive at a barrier.
//
//     %s <- Move<bulk %f><<<#b, #one>>>(%g)      %g:[128,64:1024,1].fp16.GL, a tile of %A:[1024,1024:1024,1]
//         %s:[128,64:64,1] of Sw<3,3,3> o [4,128,64:8192,64,1].fp16.SH
//         cp.async.bulk.tensor.2d: box 64 x 128, mode 128B, global strides 2048 bytes
//
// core/atlas/tma.h has the rules of a box (tmaFault). Each mode of the tile is one dimension of the box, of equal size
// in shared and global memory. The lines of a swizzled box are as long as those of its mode, because the effect of
// shorter ones is not documented.
//
// Extents and strides of the global tensor may depend on sizes, %A:[128*M,64*K:64*K,1]. Then the rules must hold if all
// sizes are 1, and at every larger size strides must be multiples of 16 bytes, their order the same, and rows apart.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/atlas/tma.h"
#include "core/expr/facts.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "core/graphene/atoms/atom_pattern.h"

namespace tessera::graphene {
namespace {

// The modes with more than one element.
std::vector<Mode> movingModes(const Tensor& t) {
  std::vector<Mode> out = modesOf(t);
  std::erase_if(out, [](const Mode& m) { return m.size.isConstant(1); });
  return out;
}

constexpr i64 kMostSize = i64{1} << 20, kMostExtent = i64{1} << 32, kMostStrideBytes = i64{1} << 40;

bool hasNumbers(const Mode& m) { return m.size.isConstant() && m.step.isConstant(); }

// Of an expression over sizes from 1 to `most`.
Facts factsOfSizes(const Expr& e, i64 most = kMostSize) {
  Environment env;
  static_cast<void>(anyLeaf(e, [&](const Expr& l) {
    if (l.op() == Op::Param && l.index() >= std::ssize(env.params))
      env.params.resize(static_cast<std::size_t>(l.index()) + 1, {1, most});
    return false;
  }));
  return factsOf(simplified(e, env), env);
}
// If all sizes are 1. Requires: isSafe(e).
i64 atOnes(const Expr& e) { return factsOfSizes(e, 1).interval.lo; }
// No overflow or division by zero at any size, and a value within 2^40, so that products with a size stay in 64 bits.
bool isSafe(const Expr& e) {
  if (e.isConstant()) return true;
  const Facts all = factsOfSizes(e), ones = factsOfSizes(e, 1);
  return all.fits && ones.fits && ones.isConstant() && all.interval.lo >= -kMostStrideBytes &&
         all.interval.hi <= kMostStrideBytes;
}
bool isAtLeast(const Expr& a, const Expr& b) {
  const Facts f = factsOfSizes(a - b);
  return f.fits && f.interval.lo >= 0;
}

struct Pair {
  Mode global, shared;
};

// Finds the box of a tile, or refuses `out` with the reason.
class Box {
 public:
  Box(const Tensor& shared, const Tensor& global, Pattern& out) : s_(shared), g_(global), out_(out) {}

  void run() {
    const std::vector<Mode> outer = movingModes(g_), inner = movingModes(s_);
    for (const auto* modes : {&outer, &inner})
      if (!std::ranges::all_of(*modes, hasNumbers))
        return (void)out_.refuse(
            fmt::format("wants sizes and steps of %{} that are numbers", modes == &outer ? g_.name : s_.name),
            "a tile whose size is numbers: a box has numbers");
    if (!std::ranges::all_of(inner, [](const Mode& m) { return m.stride.isConstant(); }))
      return (void)out_.refuse(fmt::format("wants strides of %{} that are numbers", s_.name), "numbers");
    for (const Mode& m : outer)
      if (!isSafe(m.stride) || !isSafe(g_.extents.at(static_cast<std::size_t>(m.dim))))
        return (void)out_.refuse(fmt::format("wants strides and extents of %{} within 2^40 at every size", g_.name),
                                 "128*M");
    if (outer.empty()) return (void)out_.refuse(fmt::format("wants a box of %{}; it is one element", g_.name), "Move");
    const bool alike = std::equal(outer.begin(), outer.end(), inner.begin(), inner.end(),
                                  [](const Mode& a, const Mode& b) { return a.size == b.size; });
    if (!alike)
      return (void)out_.refuse(fmt::format("wants %{} and %{} of the same shape; they are {} and {}", g_.name, s_.name,
                                           print(g_), print(s_)),
                               "the same sizes in the same order");
    for (std::size_t k = 0; k < outer.size(); ++k) pairs_.push_back({outer[k], inner[k]});
    std::ranges::stable_sort(
        pairs_, {}, [](const Pair& p) { return std::pair(!p.global.stride.isConstant(1), atOnes(p.global.stride)); });
    if (dimensions() && together() && swizzled()) legal();
  }

 private:
  // Each mode is along a different declared dimension, element by element.
  bool dimensions() {
    for (const Pair& p : pairs_) {
      const int dim = p.global.dim;
      if (!p.global.step.isConstant(1))
        return out_.refuse(fmt::format("copies adjacent elements of a dimension; %{} takes every {}th", g_.name,
                                       p.global.step.value()),
                           "tiles with stride 1, [64:1]");
      if (std::ranges::find(box_.dims, dim) != box_.dims.end())
        return out_.refuse(
            fmt::format("has one run along each dimension; %{} has two along dimension {}", g_.name, dim),
            "a tile with one mode per dimension");
      box_.dims.push_back(dim);
      box_.sizes.push_back(p.global.size.value());
      box_.strides.push_back(p.global.stride);
    }
    const Expr& least = box_.strides.front();
    if (least.isConstant(1)) return atEverySize();
    const std::string what = least.isConstant() ? fmt::format("the smallest stride is {}", least.value())
                                                : fmt::format("{} has none", print(g_));
    return out_.refuse(fmt::format("wants a dimension of %{} with contiguous elements; {}", g_.name, what),
                       "a stride of 1");
  }

  [[nodiscard]] const Expr& extentOf(const Pair& p) const {
    return g_.extents.at(static_cast<std::size_t>(p.global.dim));
  }

  // What tmaFault does not see at one size.
  bool atEverySize() {
    for (std::size_t k = 0; k < pairs_.size(); ++k) {
      const Expr &stride = pairs_[k].global.stride, &extent = extentOf(pairs_[k]);
      if (stride.isConstant() && extent.isConstant()) continue;
      const Expr bytes = stride * bitsOf(g_);
      const Facts size = factsOfSizes(extent), by = factsOfSizes(bytes);
      const bool aligned = k == 0 || (by.fits && by.divisibleBy(i64{16} * 8));
      if (!aligned || !size.fits || size.interval.lo < 1 || size.interval.hi > kMostExtent ||
          by.interval.hi / 8 >= kMostStrideBytes)
        return out_.refuse(fmt::format("wants strides that are multiples of 16 bytes below 2^40, and extents of 1 to "
                                       "2^32, at every size; {} has others",
                                       print(g_)),
                           "128*M, or a size as a number");
    }
    for (std::size_t k = 1; k < pairs_.size(); ++k) {
      const Expr &stride = pairs_[k].global.stride, &inner = pairs_[k - 1].global.stride;
      const Expr& extent = extentOf(pairs_[k - 1]);
      if (stride.isConstant() && inner.isConstant() && extent.isConstant()) continue;
      if (!isAtLeast(stride, inner * extent))
        return out_.refuse(fmt::format("wants rows that do not overlap at any size; those of {} may", print(g_)),
                           "a stride that is at least the extent");
    }
    return true;
  }

  // In shared memory the box is contiguous.
  bool together() {
    i64 next = 1;
    for (const Pair& p : pairs_) {
      if (p.shared.stride.value() != next)
        return out_.refuse(fmt::format("writes a contiguous box of {}; %{} has stride {} instead of {}",
                                       fmt::join(box_.sizes, " x "), s_.name, p.shared.stride.value(), next),
                           "a separate tile, or smaller boxes");
      next *= p.shared.size.value();
    }
    return true;
  }

  bool swizzled() {
    const auto mode = tmaSwizzleMode(s_.swizzle, bitsOf(s_));
    if (!mode)
      return out_.refuse(fmt::format("has no mode for {} of %{}: {}", print(s_.swizzle), s_.name, mode.error().message),
                         mode.error().expected);
    mode_ = *mode;
    if (mode_.name.find("ATOM") != std::string::npos)
      return out_.refuse(
          fmt::format("copies 16-byte pieces of a line; mode {} of %{} is Blackwell's", mode_.name, s_.name),
          "no swizzle, or that of 32, 64 or 128 bytes: Sw<3,3,3> of 16-bit elements");
    const i64 line = box_.sizes.front() * bitsOf(s_) / 8;
    if (!mode_.onBytes.isIdentity() && line < mode_.lineBytes)
      return out_.refuse(fmt::format("fills lines of {} bytes in mode {}; those of %{} have {}", mode_.lineBytes,
                                     mode_.name, s_.name, line),
                         fmt::format("an inner dimension of {} elements", mode_.lineBytes * 8 / bitsOf(s_)));
    box_.swizzle = mode_.name;
    box_.repeats = (mode_.onBytes.isIdentity() ? 128 : mode_.patternBytes) * 8 / bitsOf(s_);
    return true;
  }

  void legal() {
    TmaBox all;
    const auto element = tmaElement(i64{bitsOf(s_)});
    if (!element) return (void)out_.refuse(element.error().message, element.error().expected);
    all.element = *element;
    for (const Pair& p : pairs_) all.globalExtents.push_back(atOnes(extentOf(p)));
    for (std::size_t d = 1; d < pairs_.size(); ++d)
      all.globalStrideBytes.push_back(atOnes(pairs_[d].global.stride) * bitsOf(g_) / 8);
    all.box = box_.sizes;
    all.swizzle = mode_;
    if (const auto fault = tmaFault(all))
      return (void)out_.refuse(fmt::format("cannot copy %{}: {}", g_.name, fault->diag.message), fault->diag.expected);
    if (s_.offset.isConstant() && s_.offset.value() % box_.repeats != 0)
      return (void)out_.refuse(fmt::format("wants %{} to begin at a multiple of {} elements; it begins at {}", s_.name,
                                           box_.repeats, s_.offset.value()),
                               fmt::format("a multiple of {}", box_.repeats));
    box_.bytes = boxBytes(all);
    out_.atom.box = box_;
  }

  const Tensor &s_, &g_;
  Pattern& out_;
  std::vector<Pair> pairs_;
  AtomBox box_;
  TmaSwizzleMode mode_;
};

}  // namespace

Patterns bulkPatterns(const Spec& leaf) {
  if (leaf.barriers.empty() || bitsOf(leaf.inputs[0]) == 0) return {};
  const i64 count = slotCount(leaf.inputs[0]).value_or(1);
  const std::size_t rank = std::clamp<std::size_t>(movingModes(leaf.inputs[0]).size(), 1, 5);
  const auto row = findInstruction(fmt::format("cp.async.bulk.tensor.{}d.load", rank));
  if (!row) return {};
  Pattern out = instruction(*row, " [dst], [map, {coordinates}], [barrier];");
  const std::string element = canonicalElement(leaf.inputs[0]);
  out.operands = {flatOperand(kShared, element, count, 1), flatOperand(kGlobal, element, count, 1)};
  Box(leaf.outputs[0], leaf.inputs[0], out).run();
  return {std::move(out)};
}

}  // namespace tessera::graphene
