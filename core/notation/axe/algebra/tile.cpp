// Tile, direct sum and their inverses (paper 3.3, appendices C, D and F).
#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/notation/axe/algebra/algebra.h"

namespace tessera::axe {

namespace {

using detail::factor;
using detail::scaled;
using detail::Scales;

Scales spansOf(const Layout& layout) {
  Scales spans;
  for (const std::string& axis : layout.axes()) spans[axis] = span(layout, axis);
  return spans;
}

// A||B over the interleaved domain, A's strides scaled.
Result<Layout> interleave(const Layout& a, const std::vector<i64>& sa, const Layout& b, const std::vector<i64>& sb,
                          const Scales& scales) {
  if (sa.size() != sb.size())
    return Diag{fmt::format("the shapes have different ranks: {} and {}", printShape(sa), printShape(sb))};
  TESSERA_TRY(const Grouping ga, group(a, sa));
  TESSERA_TRY(const Grouping gb, group(b, sb));
  std::vector<Iter> shard;
  for (std::size_t j = 0; j < sa.size(); ++j) {
    TESSERA_TRY(const std::vector<Iter> outer, scaled(ga.block(j), scales));
    shard.insert(shard.end(), outer.begin(), outer.end());
    const std::vector<Iter> inner = gb.block(j);
    shard.insert(shard.end(), inner.begin(), inner.end());
  }
  TESSERA_TRY(std::vector<Iter> replica, scaled(a.replica(), scales));
  replica.insert(replica.end(), b.replica().begin(), b.replica().end());
  TESSERA_TRY(Place offset, scaled(a.offset(), scales));
  for (const auto& [axis, value] : b.offset())
    if (!addInto(offset[axis], value)) return Diag{fmt::format("the sum of the offsets on axis {} overflows", axis)};
  return detail::built(std::move(shard), std::move(replica), std::move(offset));
}

// The blocks of T over the interleaved domain, and the required shape of the other operand.
struct Split {
  Grouping grouping;  // blocks 2j: outer, 2j+1: inner
  std::vector<i64> otherShape;
};

Result<Split> splitOver(const Layout& t, const std::vector<i64>& st, const std::vector<i64>& known, bool knownIsInner) {
  if (st.size() != known.size())
    return Diag{fmt::format("the shapes have different ranks: {} and {}", printShape(st), printShape(known))};
  Split split;
  std::vector<i64> interleaved;
  for (std::size_t j = 0; j < st.size(); ++j) {
    if (known[j] < 1 || st[j] % known[j] != 0)
      return Diag{fmt::format("{} does not divide {} in dimension {}", known[j], st[j], j)};
    const i64 other = st[j] / known[j];
    split.otherShape.push_back(other);
    interleaved.push_back(knownIsInner ? other : known[j]);
    interleaved.push_back(knownIsInner ? known[j] : other);
  }
  TESSERA_TRY(split.grouping, group(t, interleaved));
  return split;
}

// The iters U with total == known + scale * U as sets (all on one axis, positive, starting at 0).
Result<std::vector<Iter>> divideReplicas(const std::vector<Iter>& total, const std::vector<Iter>& known, i64 scale,
                                         const std::string& axis) {
  std::vector<Iter> rest = total;
  bool plain = true;
  for (const Iter& it : known) {
    const auto found = std::ranges::find(rest, it);
    plain = plain && found != rest.end();
    if (plain) rest.erase(found);
  }
  for (Iter& it : rest) {
    plain = plain && it.stride % scale == 0;
    it.stride /= scale;
  }
  if (plain) return rest;
  const auto totalValues = detail::replicaValues(total, axis), knownValues = detail::replicaValues(known, axis);
  if (!totalValues || !knownValues) return Diag{fmt::format("the replica set on axis {} is too large to divide", axis)};
  std::set<i64> steps;
  for (const i64 v : *totalValues) {
    if (v % scale != 0) continue;
    const bool inside = std::ranges::all_of(*knownValues, [&](i64 k) { return totalValues->count(k + v) != 0; });
    if (inside) steps.insert(v / scale);
  }
  const auto iters = detail::itersOfSet(steps);
  if (!iters) return Diag{fmt::format("the replicas on axis {} do not divide into a replica part", axis)};
  std::vector<Iter> result;
  for (const auto& [extent, stride] : *iters) result.push_back({extent, stride, axis});
  return result;
}

std::set<std::string> axesOf(const Layout& a, const Layout& b) {
  std::set<std::string> names;
  for (const std::string& axis : a.axes()) names.insert(axis);
  for (const std::string& axis : b.axes()) names.insert(axis);
  return names;
}

// T's replicas and offset = known's (times knownScale) + the answer's (times answerScale). Both sides use positive
// strides, so the minima must agree and the sets start at 0.
Result<void> divideRest(const Layout& t, const Layout& known, const Scales& knownScale, const Scales& answerScale,
                        std::vector<Iter>& replica, Place& offset) {
  const Layout ct = canonicalize(t.withoutShape()), ck = canonicalize(known.withoutShape());
  for (const std::string& axis : axesOf(ct, ck)) {
    TESSERA_TRY(const std::vector<Iter> knownIters, scaled(detail::onAxis(ck.replica(), axis), knownScale));
    TESSERA_TRY(const std::vector<Iter> more,
                divideReplicas(detail::onAxis(ct.replica(), axis), knownIters, factor(answerScale, axis), axis));
    replica.insert(replica.end(), more.begin(), more.end());
    const std::optional<i64> base = checkedMul(ck.offsetOn(axis), factor(knownScale, axis));
    if (!base) return Diag{fmt::format("the offset on axis {} overflows", axis)};
    const i64 left = ct.offsetOn(axis) - *base;
    if (left % factor(answerScale, axis) != 0)
      return Diag{fmt::format("the offset difference {} on axis {} is not a multiple of the inner span {}", left, axis,
                              factor(answerScale, axis))};
    offset[axis] = left / factor(answerScale, axis);
  }
  return {};
}

std::string listText(const std::vector<Iter>& iters) {
  auto layout = detail::build(iters, {}, {});
  return layout ? print(*layout) : "a block";
}

// Checks that the blocks of the known operand, with strides times `scales`, are T's blocks 2j + which.
Result<void> sameBlocks(const Split& split, std::size_t which, const Layout& known, const std::vector<i64>& shape,
                        const Scales& scales, const char* operand) {
  TESSERA_TRY(const Grouping grouping, group(known, shape));
  for (std::size_t j = 0; j < shape.size(); ++j) {
    TESSERA_TRY(const std::vector<Iter> block, scaled(grouping.block(j), scales));
    const auto found = detail::canonicalIters(split.grouping.block(2 * j + which)),
               want = detail::canonicalIters(block);
    if (found != want)
      return Diag{fmt::format("dimension {} of the {} part is {} in the tiled layout and {} in the given one", j,
                              operand, listText(found), listText(want))};
  }
  return {};
}

// The other operand's shard: T's blocks at 2j + which, strides divided.
Result<std::vector<Iter>> otherShard(const Split& split, std::size_t which, const Scales& scales) {
  std::vector<Iter> shard;
  for (std::size_t j = 0; j < split.otherShape.size(); ++j) {
    for (Iter it : split.grouping.block(2 * j + which)) {
      if (it.extent == 1) continue;
      const i64 w = factor(scales, it.axis);
      if (it.stride % w != 0)
        return Diag{
            fmt::format("the outer stride {}@{} is not a multiple of the inner span {}", it.stride, it.axis, w)};
      it.stride /= w;
      shard.push_back(std::move(it));
    }
  }
  return shard;
}

// The part of T that is not `known`: blocks 2j + other, T = known (strides times knownScale) + answer (times
// answerScale).
Result<Layout> remaining(const Layout& t, const Split& split, std::size_t other, const Layout& known,
                         const std::vector<i64>& knownShape, const Scales& knownScale, const Scales& answerScale,
                         const char* name) {
  TESSERA_CHECKED(sameBlocks(split, 1 - other, known, knownShape, knownScale, name));
  TESSERA_TRY(std::vector<Iter> shard, otherShard(split, other, answerScale));
  std::vector<Iter> replica;
  Place offset;
  TESSERA_CHECKED(divideRest(t, known, knownScale, answerScale, replica, offset));
  return detail::built(std::move(shard), std::move(replica), std::move(offset));
}

// The answer, if recomputing T from it gives T.
Result<Layout> checkedAnswer(const Layout& answer, const Result<Layout>& again, const Layout& t) {
  if (!again) return again.error();
  TESSERA_TRY(const bool same, equal(*again, t));
  if (!same)
    return Diag{fmt::format("there is no such layout: {} is the only candidate, and it gives {} instead of {}",
                            print(answer), print(*again), print(canonicalize(t.withoutShape())))};
  return answer;
}

}  // namespace

Result<Layout> tile(const Layout& outer, const std::vector<i64>& outerShape, const Layout& inner,
                    const std::vector<i64>& innerShape) {
  return interleave(outer, outerShape, inner, innerShape, spansOf(inner));
}

Result<Layout> directSum(const Layout& left, const std::vector<i64>& leftShape, const Layout& right,
                         const std::vector<i64>& rightShape) {
  return interleave(left, leftShape, right, rightShape, {});
}

Result<Layout> tileOuterOf(const Layout& tiled, const std::vector<i64>& tiledShape, const Layout& inner,
                           const std::vector<i64>& innerShape) {
  TESSERA_TRY(const Split split, splitOver(tiled, tiledShape, innerShape, true));
  TESSERA_TRY(const Layout answer, remaining(tiled, split, 0, inner, innerShape, {}, spansOf(inner), "inner"));
  return checkedAnswer(answer, tile(answer, split.otherShape, inner, innerShape), tiled);
}

Result<Layout> tileInnerOf(const Layout& tiled, const std::vector<i64>& tiledShape, const Layout& outer,
                           const std::vector<i64>& outerShape) {
  TESSERA_TRY(const Split split, splitOver(tiled, tiledShape, outerShape, false));
  TESSERA_TRY(const std::vector<Iter> shard, otherShard(split, 1, {}));
  // The answer's span W is unknown. On each axis the replicas' reaches satisfy rT = W * rA + rC with
  // W = 1 + dC + rC (dC, rC: the reach of the answer's shard and replicas), so rC = (rT - (1 + dC) rA) / (1 + rA).
  TESSERA_TRY(const Layout bare, detail::build(shard, {}, {}));
  const auto reach = [](const Layout& layout, const std::string& axis) {
    return detail::reachOf(detail::onAxis(layout.replica(), axis));
  };
  Scales spans;
  for (const std::string& axis : axesOf(tiled, outer)) {
    const i64 rT = reach(tiled, axis), rA = reach(outer, axis), base = span(bare, axis);
    const std::optional<i64> scaledReach = checkedMul(base, rA);
    if (!scaledReach || rT < *scaledReach || (rT - *scaledReach) % (1 + rA) != 0)
      return Diag{
          fmt::format("the replicas on axis {} reach {} in the tiled layout and {} in the outer one, which no "
                      "inner layout can produce",
                      axis, rT, rA)};
    spans[axis] = base + (rT - *scaledReach) / (1 + rA);
  }
  TESSERA_TRY(const Layout answer, remaining(tiled, split, 1, outer, outerShape, spans, {}, "outer"));
  return checkedAnswer(answer, tile(outer, outerShape, answer, split.otherShape), tiled);
}

Result<Layout> directSumRightOf(const Layout& sum, const std::vector<i64>& shape, const Layout& left,
                                const std::vector<i64>& leftShape) {
  TESSERA_TRY(const Split split, splitOver(sum, shape, leftShape, false));
  TESSERA_TRY(const Layout answer, remaining(sum, split, 1, left, leftShape, {}, {}, "left"));
  return checkedAnswer(answer, directSum(left, leftShape, answer, split.otherShape), sum);
}

Result<Layout> directSumLeftOf(const Layout& sum, const std::vector<i64>& shape, const Layout& right,
                               const std::vector<i64>& rightShape) {
  TESSERA_TRY(const Split split, splitOver(sum, shape, rightShape, true));
  TESSERA_TRY(const Layout answer, remaining(sum, split, 0, right, rightShape, {}, {}, "right"));
  return checkedAnswer(answer, directSum(answer, split.otherShape, right, rightShape), sum);
}

}  // namespace tessera::axe
