#include "core/hlo/ops/converse.h"

#include <algorithm>
#include <optional>

#include "core/expr/facts.h"
#include "core/map/compose.h"
#include "core/map/domain/variables.h"

namespace tessera::hlo {
namespace {

// A value that is one digit and a constant.
struct Alone {
  int digit = 0;
  i64 shift = 0;
};
std::optional<Alone> alone(const Expr& e) {
  if (e.op() == tessera::Op::Digit) return Alone{e.index(), 0};
  if (e.op() != tessera::Op::Add) return std::nullopt;
  const Expr a = e.lhs(), b = e.rhs();
  if (a.op() == tessera::Op::Digit && b.isConstant()) return Alone{a.index(), b.value()};
  if (b.op() == tessera::Op::Digit && a.isConstant()) return Alone{b.index(), a.value()};
  return std::nullopt;
}

}  // namespace

Result<Map> converse(const Map& map, const Ints& sizes) {
  MapBuilder m(sizes);
  std::vector<std::optional<Expr>> digits(map.digits().size());
  std::vector<std::size_t> pending;
  for (std::size_t k = 0; k < map.axes().size(); ++k) {
    const auto one = alone(map.axes()[k].value);
    if (!one || digits[n(one->digit)]) {
      pending.push_back(k);
      continue;
    }
    const Expr value = m.d(k) + -one->shift;
    m.within(value, 0, map.digit(one->digit).extent - 1);
    digits[n(one->digit)] = value;
  }
  std::vector<Expr> values;
  for (std::size_t k = 0; k < digits.size(); ++k)
    values.push_back(digits[k] ? *digits[k] : m.s(map.digit(static_cast<int>(k)).extent));
  for (const std::size_t k : pending) m.within(substitute(map.axes()[k].value, values) - m.d(k), 0, 0);
  for (const Guard& g : map.guards()) m.within(substitute(g.value, values), g.lo, g.hi);
  for (const int k : map.indexDigits()) m.result(values[n(k)] + map.digit(k).lo);
  TESSERA_TRY(const Map made, m.build());
  return withoutUnused(made).map;
}

Result<Reach> turned(const Reach& read, std::size_t output, const xla::Shape& array) {
  Reach use = none(output);
  use.element = read.element;
  use.soundness = read.soundness;
  use.why = read.why;
  if (read.soundness == Soundness::Unknown) return use;
  const bool others = std::ranges::any_of(read.replicas, [](const auto& replica) { return replica.has_value(); });
  for (std::size_t k = 0; k < read.maps.size(); ++k) {
    const Map& map = read.maps[k];
    if (!map.params().empty() || map.axes().size() != array.rank()) {
      use = unknown(output, "the place depends on a run-time value");
      use.element = read.element;
      return use;
    }
    TESSERA_TRY(Map back, converse(map, array.sizes()));
    if (back.isEmpty()) continue;
    use.maps.push_back(std::move(back));
    if (!others) continue;
    use.replicas.emplace_back();
    if (k < read.groups.size()) use.groups.push_back(read.groups[k]);
    if (const auto& replica = read.replicas.at(k)) {
      MapBuilder any(array.sizes());
      any.ranges({factsOf(replica->axes().at(0).value, environmentOf(*replica)).interval.hi + 1});
      TESSERA_TRY(use.replicas.back(), any.build());
    }
  }
  return use;
}

}  // namespace tessera::hlo
