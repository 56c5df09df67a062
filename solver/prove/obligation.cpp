#include "solver/prove/obligation.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/mapped.h"

namespace tessera::prover {

Budget::Budget(Work work, const std::atomic<bool>* cancel) : begin_(workSpent()), work_(work), cancel_(cancel) {}

Work Budget::remaining() const { return std::min(work_ - (workSpent() - begin_), WorkBudget::left()); }

Work Budget::share(double of) const {
  return static_cast<Work>(static_cast<double>(std::max<Work>(remaining(), 0)) * of);
}

std::string Budget::reason() const { return cancelled() ? "cancelled" : outOfBudget(work_); }

Answer proved(std::string method, std::string detail) {
  return {.truth = Truth::Proved, .method = std::move(method), .detail = std::move(detail)};
}

Answer unknown(std::string method, std::string reason) {
  return {.method = std::move(method), .detail = std::move(reason)};
}

Answer refuted(std::string method, std::vector<std::vector<i64>> points, std::vector<i64> params) {
  return {
      .truth = Truth::Refuted, .method = std::move(method), .points = std::move(points), .params = std::move(params)};
}

Answer uncovered(std::string method, std::vector<i64> hole, std::vector<i64> params) {
  Answer a = refuted(std::move(method), {}, std::move(params));
  a.hole = std::move(hole);
  return a;
}

std::vector<i64> lowestParams(const std::vector<Param>& params) { return mapped<i64>(params, &Param::lo); }

std::string named(const Map& map, const Axis& axis) {
  return axis.name.empty() ? fmt::format("result {}", &axis - map.axes().data()) : fmt::format("axis '{}'", axis.name);
}

std::optional<i64> countPoints(const std::vector<Digit>& digits) {
  std::optional<i64> n = 1;
  for (const Digit& d : digits) n = n ? checkedMul(*n, d.extent) : n;
  return n;
}

std::optional<i64> countPlaces(const Map& map) {
  std::optional<i64> n = 1;
  for (const Axis& a : map.axes()) n = n ? checkedMul(*n, *a.extent) : n;
  return n;
}

std::vector<Expr> axisExprs(const Map& map) { return mapped<Expr>(map.axes(), &Axis::value); }

std::vector<Expr> allExprs(const Map& map) {
  std::vector<Expr> exprs = axisExprs(map);
  for (const Guard& g : map.guards()) exprs.push_back(g.value);
  return exprs;
}

std::vector<Expr> goalExprs(const std::vector<Goal>& goals) {
  std::vector<Expr> exprs;
  for (const Goal& g : goals) {
    exprs.push_back(g.left);
    if (g.right) exprs.push_back(*g.right);
  }
  return exprs;
}

Goal substituted(const Goal& goal, std::span<const Expr> values) {
  const auto right = goal.right ? std::optional(substitute(*goal.right, values)) : std::nullopt;
  return {substitute(goal.left, values), right, goal.lo, goal.hi};
}

Guard substituted(const Guard& guard, std::span<const Expr> values) {
  return {substitute(guard.value, values), guard.lo, guard.hi};
}

Environment boxOf(const std::vector<Digit>& digits) {
  return {mapped<Range>(digits, [](const Digit& d) { return Range{0, d.extent - 1}; }), {}};
}

std::vector<i64> extentsOf(const std::vector<Digit>& digits) { return mapped<i64>(digits, &Digit::extent); }

std::vector<Digit> digitsOf(const Map& map, const std::vector<int>& which) {
  return mapped<Digit>(which, [&](int k) { return map.digit(k); });
}

std::vector<i64> picked(const std::vector<i64>& point, const std::vector<int>& which) {
  return mapped<i64>(which, [&](int k) { return point[k]; });
}

bool inBox(const std::vector<Digit>& digits, const std::vector<i64>& point) {
  return std::equal(point.begin(), point.end(), digits.begin(), digits.end(),
                    [](i64 v, const Digit& d) { return v >= 0 && v < d.extent; });
}

bool meets(const std::vector<Guard>& guards, const std::vector<Digit>& digits, const std::vector<i64>& point) {
  return inBox(digits, point) && std::ranges::all_of(guards, [&](const Guard& g) {
           const i64 v = evaluate(g.value, point);
           return v >= g.lo && v <= g.hi;
         });
}

void dropAssumed(Pointwise& p) {
  std::erase_if(p.goals, [&](const Goal& goal) {
    return !goal.right && std::ranges::any_of(p.assume, [&](const Guard& g) {
      return g.value == goal.left && g.lo >= goal.lo && g.hi <= goal.hi;
    });
  });
}

std::string tuple(const std::vector<i64>& values) {
  return values.size() == 1 ? fmt::format("{}", values.front()) : fmt::format("({})", fmt::join(values, ","));
}

}  // namespace tessera::prover
