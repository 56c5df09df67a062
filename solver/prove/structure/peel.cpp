// Peeling: if an axis is e = g(h) for one sub-expression h, and g is injective on h's range, images collide exactly
// when the h's do. This is the cut at the xor boundary:
//
//     Sw<3,3,3> o ((2^20, 2^20):(2^20, 1))      g = the swizzle, F2 of full rank on 40 bits;  h = the strided tile
//
// so 2^40 points cost a bit-matrix rank and a sort of two strides. g is shown injective by its F2 rank on the power of
// two above h's range, or by trying all its arguments if they are few.
#include <algorithm>
#include <bit>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/expr/facts.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"
#include "solver/prove/obligation.h"
#include "solver/prove/points/points.h"
#include "solver/prove/structure/bits.h"

namespace tessera::prover {

namespace {

constexpr std::size_t kMaxNodes = 512;
constexpr i64 kMaxTried = i64{1} << 14;

// e with every occurrence of h replaced by digit 0; nullopt if a digit or parameter remains outside h. Recursive, over
// at most kMaxNodes nodes.
std::optional<Expr> abstracted(const Expr& e, const Expr& h,
                               std::unordered_map<const void*, std::optional<Expr>>& memo) {
  if (e == h) return Expr::digit(0);
  if (e.op() == Op::Constant) return e;
  if (e.op() == Op::Digit || e.op() == Op::Param) return std::nullopt;
  const auto known = memo.find(e.id());
  if (known != memo.end()) return known->second;
  std::optional<Expr> result;
  if (const auto a = abstracted(e.lhs(), h, memo))
    if (const auto b = abstracted(e.rhs(), h, memo)) result = Expr::binary(e.op(), *a, *b);
  memo.emplace(e.id(), result);
  return result;
}

bool injectiveOn(const Expr& g, i64 lo, i64 hi) {
  if (lo < 0) return false;
  if (hi < (i64{1} << 62)) {
    const std::vector<int> bits{static_cast<int>(std::bit_width(static_cast<u64>(hi)))};
    if (const auto m = bitMatrix(g, bits)) {
      if (F2Echelon<u64>(m->columns).kernel().empty()) return true;
    }
  }
  if (hi >= kMaxTried) return false;
  const std::vector<Digit> digits{{"v", hi + 1, DigitKind::Index}};
  PointTable table(digits, {}, std::vector<Expr>{g});
  std::vector<i64> images;
  for (i64 first = 0; first <= hi; first += PointTable::kBlock) {
    const i64 n = std::min(PointTable::kBlock, hi + 1 - first);
    table.evaluate(first, n);
    images.insert(images.end(), table.column(0), table.column(0) + n);
  }
  std::ranges::sort(images);
  return std::ranges::adjacent_find(images) == images.end();
}

// Removes one layer: the largest h below e with e = g(h), g injective; nullopt if there is none.
std::optional<Expr> onePeeled(const Expr& e, const Environment& box) {
  if (e.op() == Op::Add && e.rhs().isConstant()) return e.lhs();
  if (e.op() == Op::Add && e.lhs().isConstant()) return e.rhs();
  if (e.op() == Op::Mul && e.rhs().isConstant() && e.rhs().value() != 0) return e.lhs();
  if (e.op() == Op::Mul && e.lhs().isConstant() && e.lhs().value() != 0) return e.rhs();
  std::vector<Expr> nodes = nodesIn(e);  // e last
  std::erase_if(nodes, [](const Expr& n) { return n.op() == Op::Constant || n.op() == Op::Param; });
  if (nodes.empty() || nodes.size() > kMaxNodes) return std::nullopt;
  if (std::ranges::none_of(nodes, [](const Expr& n) { return n.op() == Op::Xor; })) return std::nullopt;
  for (std::size_t k = nodes.size() - 1; k-- > 0;) {  // parents come after children: largest first
    std::unordered_map<const void*, std::optional<Expr>> memo;
    const auto g = abstracted(e, nodes[k], memo);
    if (!g) continue;
    const Facts facts = factsOf(nodes[k], box);
    if (facts.fits && injectiveOn(*g, facts.interval.lo, facts.interval.hi)) return nodes[k];
  }
  return std::nullopt;
}

}  // namespace

Peeled peelInjective(const Map& map) {
  const Environment box = environmentOf(map);
  std::vector<Axis> axes = map.axes();
  bool swizzle = false;
  for (Axis& axis : axes) {
    while (auto inner = onePeeled(axis.value, box)) {
      swizzle = swizzle || (axis.value.op() != Op::Add && axis.value.op() != Op::Mul);
      axis.value = *inner;
    }
    axis.extent.reset();
  }
  auto peeled = Map::create(map.digits(), std::move(axes), map.guards(), map.params());
  if (!peeled || !swizzle) return {map, ""};
  return {*std::move(peeled), "after a bijective swizzle"};
}

}  // namespace tessera::prover
