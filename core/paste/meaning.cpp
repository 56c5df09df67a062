#include "core/paste/meaning.h"

#include <vector>

#include "core/base/work_budget.h"
#include "core/map/tabulate.h"
#include "core/worksheet/value.h"

namespace tessera::paste {
namespace {

constexpr double kSeconds = 1;
constexpr i64 kMostPoints = i64{1} << 14;

// Every axis of every coordinate; empty if the map is too large.
std::vector<std::vector<i64>> axesOf(const Map& map) {
  const auto points = map.pointCount();
  if (!points || *points > kMostPoints || !map.guards().empty() || !map.params().empty()) return {};
  std::vector<std::vector<i64>> table;
  for (int axis = 0; axis < static_cast<int>(map.axes().size()); ++axis) {
    table.emplace_back(static_cast<std::size_t>(*points));
    if (!tabulate(map, axis, LinearOrder::Colex, table.back())) return {};
  }
  return table;
}

bool equalAsMaps(const Value& a, const Value& b) {
  const Layout* left = heldLayout(a);
  const Layout* right = heldLayout(b);
  if (left == nullptr || right == nullptr) return false;
  const Result<Arrow>&one = left->arrow(), &other = right->arrow();
  if (!one || !other || extentsOf(one->from) != extentsOf(other->from)) return false;
  const auto table = axesOf(one->map);
  return !table.empty() && table == axesOf(other->map);
}

}  // namespace

Result<Shared<Value>> lastValue(const Reading& reading) {
  Scope scope;
  Shared<Value> last;
  for (const Statement& written : reading.statements) {
    for (const tessera::Statement& statement : splitStatements(written.text)) {
      Evaluated done = evaluate(statement, scope);
      if (done.diag) return *std::move(done.diag);
      if (done.value) last = std::move(done.value);
    }
  }
  if (!last) return Diag{"the text has no value"};
  return last;
}

bool sameMeaning(const Reading& a, const Reading& b) {
  const WorkBudget limit({.seconds = kSeconds});
  try {
    const Result<Shared<Value>> left = lastValue(a), right = lastValue(b);
    if (!left || !right) return false;
    return print(**left) == print(**right) || equalAsMaps(**left, **right);
  } catch (const OutOfBudget& end) {
    if (!end.counted()) throw;
    return false;
  }
}

}  // namespace tessera::paste
