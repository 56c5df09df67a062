// PointTable: expressions evaluated at every point of a box, a block at a time, in colex order (first digit fastest).
//
// The program is the DAG in topological order, one column of kBlock values per node. Arithmetic wraps and division by
// zero gives 0, so that a goal can be evaluated before its earlier goals are known to hold; the caller reads goals in
// order.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/map/map.h"
#include "solver/prove/obligation.h"

namespace tessera::prover {

class PointTable {
 public:
  static constexpr i64 kBlock = 512;
  static constexpr std::size_t kMaxColumns = std::size_t{1} << 16;  // 256 MiB

  // Whether the expressions have few enough distinct nodes.
  [[nodiscard]] static bool fits(std::span<const Expr> exprs);
  // Requires: the number of points fits in 63 bits, and the expressions fit.
  PointTable(std::span<const Digit> digits, std::span<const i64> params, std::span<const Expr> exprs);

  [[nodiscard]] i64 count() const { return count_; }
  // Evaluates points [first, first + n), n <= kBlock, n <= count - first; column(k)[i] is exprs[k] at point first + i.
  void evaluate(i64 first, i64 n);
  [[nodiscard]] const i64* column(std::size_t k) const { return columns_.data() + results_[k] * kBlock; }
  [[nodiscard]] std::vector<i64> digitsOf(i64 point) const { return delinearize(point, extents_, LinearOrder::Colex); }

 private:
  struct Step {
    Op op;
    std::size_t lhs, rhs;
    i64 constant;  // value of rhs if it is constant, else 0
  };
  std::size_t slotOf(const Expr& e, const std::unordered_map<const void*, std::size_t>& slots);
  void run(const Step& step, i64* out, i64 n) const;

  i64 count_ = 1;
  std::vector<i64> extents_;
  std::vector<i64> params_;
  std::vector<Step> steps_;  // step k writes column k
  std::vector<std::size_t> results_;
  std::vector<i64> columns_;
};

// Calls visit(first, n) for each block, evaluated, until it returns true. nullopt: out of budget; else whether it
// stopped.
template <typename Visit>
std::optional<bool> eachBlock(PointTable& table, const Budget& budget, Visit visit) {
  for (i64 first = 0; first < table.count(); first += PointTable::kBlock) {
    if ((first / PointTable::kBlock) % 16 == 0 && budget.spent()) return std::nullopt;
    const i64 n = std::min(PointTable::kBlock, table.count() - first);
    table.evaluate(first, n);
    if (visit(first, n)) return true;
  }
  return false;
}

// Which points of a block satisfy all guards.
struct Reality {
  const std::vector<Guard>& guards;
  std::size_t firstColumn;  // guard k is column firstColumn + k
  [[nodiscard]] bool at(const PointTable& table, i64 i) const;
};

// The same for each real point: visit(point, row in the block).
template <typename Visit>
std::optional<bool> eachReal(PointTable& table, const Reality& reality, const Budget& budget, Visit visit) {
  return eachBlock(table, budget, [&](i64 first, i64 n) {
    for (i64 i = 0; i < n; ++i)
      if (reality.at(table, i) && visit(first + i, i)) return true;
    return false;
  });
}

// The number of values of the Fan digits together; 2^63-1 if it is more.
[[nodiscard]] i64 fanPoints(const Map& map);
// Visits the points with these Index digits, the first Fan digit fastest, until `visit` returns true: then true.
template <typename Visit>
bool eachFan(const Map& map, const std::vector<i64>& index, Visit visit) {
  const std::vector<int> fans = map.fanDigits(), asked = map.indexDigits();
  std::vector<i64> at(map.digits().size(), 0);
  for (std::size_t k = 0; k < asked.size(); ++k) at[asked[k]] = index[k];
  while (true) {
    if (visit(std::as_const(at))) return true;
    std::size_t k = 0;
    for (; k < fans.size(); ++k) {
      i64& v = at[fans[k]];
      if (++v < map.digits()[fans[k]].extent) break;
      v = 0;
    }
    if (k == fans.size()) return false;
  }
}

}  // namespace tessera::prover
