#include "core/map/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/arith.h"
#include "core/base/check.h"
#include "core/expr/facts.h"
#include "core/expr/walk.h"
#include "core/map/compose.h"
#include "core/map/domain/domain_size.h"

namespace tessera {
namespace {

Result<void> indicesInRange(const Expr& e, std::size_t digitCount, std::size_t paramCount) {
  Result<void> out;
  childrenFirst(e, [&](const Expr& n) {
    const bool digit = n.op() == Op::Digit;
    const std::size_t count = digit ? digitCount : paramCount;
    if ((!digit && n.op() != Op::Param) || (n.index() >= 0 && static_cast<std::size_t>(n.index()) < count)) return;
    out = digit ? Diag{fmt::format("digit d{} is used, but the map has {} digits", n.index(), count)}
                : Diag{fmt::format("parameter p{} is used, but the map has {} parameters", n.index(), count)};
  });
  return out;
}

}  // namespace

Result<Map> Map::create(std::vector<Digit> digits, std::vector<Axis> axes, std::vector<Guard> guards,
                        std::vector<Param> params) {
  Environment box;
  for (const Digit& d : digits) {
    if (d.extent < 1) return Diag{fmt::format("digit {} has extent {}", d.name, d.extent), "an extent of at least 1"};
    if (!checkedAdd(d.lo, d.extent - 1))
      return Diag{fmt::format("{} of {} coordinates from {} on exceed the 64-bit range", d.name, d.extent, d.lo),
                  "coordinates below 2^63"};
    box.digits.push_back({0, d.extent - 1});
  }
  for (const Param& p : params) {
    if (p.lo > p.hi)
      return Diag{fmt::format("parameter {} has the empty range [{}, {}]", p.name, p.lo, p.hi), "lo <= hi"};
    box.params.push_back({p.lo, p.hi});
  }
  FactBase facts(box);
  const auto sound = [&](const Expr& e, const std::string& what) -> Result<void> {
    TESSERA_CHECKED(indicesInRange(e, digits.size(), params.size()));
    if (!facts.of(e).fits)
      return Diag{fmt::format("{} may exceed the 64-bit range (or divide by zero) on this domain", what),
                  "values below 2^63"};
    return {};
  };
  for (std::size_t k = 0; k < axes.size(); ++k)
    TESSERA_CHECKED(sound(axes[k].value, axes[k].name.empty() ? fmt::format("result {}", k) : "axis " + axes[k].name));
  for (const Guard& g : guards) TESSERA_CHECKED(sound(g.value, "a guard"));
  Map m;
  m.digits_ = std::move(digits);
  m.axes_ = std::move(axes);
  m.guards_ = std::move(guards);
  m.params_ = std::move(params);
  return m;
}

std::vector<int> Map::digitsOf(DigitKind kind) const {
  std::vector<int> found;
  for (std::size_t k = 0; k < digits_.size(); ++k)
    if (digits_[k].kind == kind) found.push_back(static_cast<int>(k));
  return found;
}

std::optional<i64> Map::size() const { return pointsOf(*this, indexDigits()); }
std::optional<i64> Map::pointCount() const {
  const auto index = size();
  return index ? pointsOf(*this, fanDigits(), *index) : std::nullopt;
}

bool Map::isEmpty() const {
  return std::ranges::any_of(guards_, [](const Guard& g) {
    return g.lo > g.hi || (g.value.isConstant() && (g.value.value() < g.lo || g.value.value() > g.hi));
  });
}
bool Map::isShifted() const {
  return std::ranges::any_of(digits_, [](const Digit& d) { return d.lo != 0; });
}

std::vector<i64> Map::at(std::span<const i64> digits, std::span<const i64> params) const {
  std::vector<i64> values;
  values.reserve(axes_.size());
  for (const Axis& a : axes_) values.push_back(evaluate(a.value, digits, params));
  return values;
}

bool Map::isReal(std::span<const i64> digits, std::span<const i64> params) const {
  return std::ranges::all_of(guards_, [&](const Guard& g) {
    const i64 v = evaluate(g.value, digits, params);
    return g.lo <= v && v <= g.hi;
  });
}

std::vector<std::vector<i64>> Map::imageOf(std::span<const i64> index, std::span<const i64> params) const {
  const std::vector<int> asked = indexDigits();
  LAYOUT_CHECK(index.size() == asked.size(), "imageOf needs one value per Index digit");
  std::vector<i64> point(digits_.size(), 0);
  for (std::size_t k = 0; k < asked.size(); ++k) point[static_cast<std::size_t>(asked[k])] = index[k];
  std::set<std::vector<i64>> image;
  eachPoint(*this, fanDigits(), point, [&](std::span<const i64> p) {
    if (isReal(p, params)) image.insert(at(p, params));
  });
  return {image.begin(), image.end()};
}

std::string print(const Map& map) {
  if (map.isEmpty()) return "KNOWN EMPTY";
  std::vector<std::string> digitNames, paramNames;
  std::string index, fan, param, axes, domain, ranges;
  const auto join = [](std::string& to, const std::string& piece) {
    if (!piece.empty()) to += (to.empty() ? "" : ", ") + piece;
  };
  for (const Digit& d : map.digits()) {
    digitNames.push_back(d.name);
    const bool asked = d.kind == DigitKind::Index;
    join(asked ? index : fan, d.name);
    join(asked ? domain : ranges, fmt::format("{} in [{}, {}]", d.name, d.lo, d.lo + (d.extent - 1)));
  }
  join(domain, ranges);  // in the order of the text
  for (const Param& p : map.params()) {
    paramNames.push_back(p.name);
    join(param, p.name);
    join(domain, fmt::format("{} in [{}, {}]", p.name, p.lo, p.hi));
  }
  for (const Axis& a : map.axes()) {
    const std::string value = print(inCoordinates(a.value, map.digits()), digitNames, paramNames);
    join(axes, a.name.empty() ? value : fmt::format("{}: {}", a.name, value));
  }
  for (const Guard& g : map.guards()) {
    const Expr value = inCoordinates(g.value, map.digits());
    const std::string text = print(value, digitNames, paramNames);
    // A bare name would read back as the variable's range.
    const bool bare = value.op() == Op::Digit || value.op() == Op::Param;
    join(domain, fmt::format("{} in [{}, {}]", bare ? "(" + text + ")" : text, g.lo, g.hi));
  }
  std::string text = fmt::format("({})", index);
  if (!fan.empty()) text += fmt::format("[{}]", fan);
  if (!param.empty()) text += fmt::format("{{{}}}", param);
  text += fmt::format(" -> ({})", axes);
  if (!domain.empty()) text += ", domain: " + domain;
  return text;
}

std::vector<i64> delinearize(i64 linear, std::span<const i64> extents, LinearOrder order) {
  std::vector<i64> digits(extents.size(), 0);
  const std::size_t n = extents.size();
  for (std::size_t step = 0; step < n; ++step) {
    const std::size_t k = order == LinearOrder::Colex ? step : n - 1 - step;
    if (step + 1 == n) {
      digits[k] = linear;
    } else {
      digits[k] = floorMod(linear, extents[k]);
      linear = floorDiv(linear, extents[k]);
    }
  }
  return digits;
}

i64 linearize(std::span<const i64> coord, std::span<const i64> extents, LinearOrder order) {
  i64 linear = 0;
  const std::size_t n = extents.size();
  for (std::size_t step = 0; step < n; ++step) {
    const std::size_t k = order == LinearOrder::Colex ? n - 1 - step : step;
    linear = linear * extents[k] + coord[k];
  }
  return linear;
}

}  // namespace tessera
