#include "solver/prove/obligation.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"

namespace tessera::prover {

Budget::Budget(Work work, const std::atomic<bool>* cancel) : begin_(workSpent()), work_(work), cancel_(cancel) {}

Work Budget::remaining() const { return std::min(work_ - (workSpent() - begin_), WorkBudget::left()); }

Work Budget::share(double of) const {
  return static_cast<Work>(static_cast<double>(std::max<Work>(remaining(), 0)) * of);
}

std::string Budget::reason() const { return cancelled() ? "cancelled" : outOfBudget(work_); }

Answer proved(std::string method, std::string detail) {
  Answer a;
  a.truth = Truth::Proved;
  a.method = std::move(method);
  a.detail = std::move(detail);
  return a;
}

Answer unknown(std::string method, std::string reason) {
  Answer a;
  a.method = std::move(method);
  a.detail = std::move(reason);
  return a;
}

Answer refuted(std::string method, std::vector<std::vector<i64>> points, std::vector<i64> params) {
  Answer a;
  a.truth = Truth::Refuted;
  a.method = std::move(method);
  a.points = std::move(points);
  a.params = std::move(params);
  return a;
}

Answer uncovered(std::string method, std::vector<i64> hole, std::vector<i64> params) {
  Answer a = refuted(std::move(method), {}, std::move(params));
  a.hole = std::move(hole);
  return a;
}

std::vector<i64> lowestParams(const std::vector<Param>& params) {
  std::vector<i64> values;
  for (const Param& p : params) values.push_back(p.lo);
  return values;
}

std::string named(const Map& map, const Axis& axis) {
  return axis.name.empty() ? fmt::format("result {}", &axis - map.axes().data()) : fmt::format("axis '{}'", axis.name);
}

std::optional<i64> countPoints(const std::vector<Digit>& digits) {
  i64 n = 1;
  for (const Digit& d : digits) {
    const auto next = checkedMul(n, d.extent);
    if (!next) return std::nullopt;
    n = *next;
  }
  return n;
}

std::string tuple(const std::vector<i64>& values) {
  return values.size() == 1 ? fmt::format("{}", values.front()) : fmt::format("({})", fmt::join(values, ","));
}

}  // namespace tessera::prover
