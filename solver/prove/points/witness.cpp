// Coverage by construction: instead of "for every place there is a point", name the point.
//
//     tiles of 128 over [0, 1000):  offset = t*128 + r, guard offset <= 999
//     witness                       r = v mod 128,  t = v floordiv 128
//
//     (4,8):(1,3) onto [0, 25)      j = min(v floordiv 3, 7),  i = v - 3*j
//
// On each axis the sorted strides must leave no gap: each is at most one more than the reach of those below it. If they
// divide one another, the digits of a place are its mixed-radix digits, the last one unreduced. Otherwise they are
// taken greedily, the largest stride first and as often as possible; the remainder is within reach of the others. A
// negative stride counts its digit from the other end. The remaining goals are pointwise over the places: the digits
// are in range, the guards hold, and f(witness) is the place. A witness that fails proves nothing.
#include <algorithm>

#include "solver/prove/obligation.h"
#include "solver/prove/structure/normal.h"

namespace tessera::prover {

namespace {

// A part that moves the axis, with its stride made positive.
struct Step {
  i64 stride = 1;
  int part = 0;
  i64 most = 0;           // of the part
  bool backward = false;  // the part is most - step
};

struct AxisSteps {
  std::vector<Step> steps;  // by stride; only those needed for the places
  i64 lowest = 0;           // minimum of the axis
};

// nullopt if a place in [0, extent) is out of reach or the strides leave a gap below it.
std::optional<AxisSteps> stepsOf(const Normal& normal, const Form& form, i64 extent) {
  AxisSteps axis;
  i128 lowest = form.constantTerm();
  for (const auto& [monomial, coefficient] : form.terms) {
    if (monomial.empty()) continue;
    if (coefficient == INT64_MIN) return std::nullopt;
    const i128 most = normal.atoms()[monomial.front()].range.hi;
    if (coefficient < 0) lowest += i128{coefficient} * most;
    axis.steps.push_back(
        {coefficient < 0 ? -coefficient : coefficient, monomial.front(), static_cast<i64>(most), coefficient < 0});
  }
  if (lowest > 0 || lowest < -(i128{1} << 62)) return std::nullopt;
  axis.lowest = static_cast<i64>(lowest);
  std::ranges::sort(axis.steps, [](const Step& a, const Step& b) { return a.stride < b.stride; });
  i128 reach = 0;
  std::size_t used = 0;
  for (; used < axis.steps.size() && reach < i128{extent} - 1 - lowest; ++used) {
    if (axis.steps[used].stride > reach + 1) return std::nullopt;
    reach += i128{axis.steps[used].stride} * axis.steps[used].most;
  }
  if (reach < i128{extent} - 1 - lowest) return std::nullopt;
  axis.steps.resize(used);
  return axis;
}

// Whether the mixed-radix digits of every place are in range.
bool nests(const AxisSteps& axis, i64 extent) {
  for (std::size_t k = 0; k < axis.steps.size(); ++k) {
    const Step& s = axis.steps[k];
    const bool last = k + 1 == axis.steps.size();
    const i64 next = last ? 0 : axis.steps[k + 1].stride;
    if (last ? (i128{extent} - 1 - axis.lowest) / s.stride > s.most
             : next % s.stride != 0 || next / s.stride > s.most + 1)
      return false;
  }
  return true;
}

// Multiplicity of each step for a place, counted from the lowest value.
std::vector<Expr> takenTo(const Expr& place, const AxisSteps& axis, i64 extent) {
  std::vector<Expr> taken(axis.steps.size());
  const bool mixedRadix = nests(axis, extent);
  Expr rest = place;
  i128 mostRest = i128{extent} - 1 - axis.lowest;
  for (std::size_t k = axis.steps.size(); k-- > 0;) {
    const Step& s = axis.steps[k];
    if (mixedRadix) {
      taken[k] = floorDiv(place, s.stride);
      if (k + 1 < axis.steps.size()) taken[k] = mod(taken[k], axis.steps[k + 1].stride / s.stride);
      continue;
    }
    taken[k] = floorDiv(rest, s.stride);
    if (mostRest / s.stride > s.most) taken[k] = least(taken[k], Expr::constant(s.most));
    rest = rest - taken[k] * s.stride;
    mostRest = std::max<i128>(s.stride - 1, mostRest - i128{s.stride} * s.most);
  }
  return taken;
}

}  // namespace

std::optional<Pointwise> coverByWitness(const Map& map) {
  if (!map.params().empty()) return std::nullopt;
  const auto normal = Normal::create(map.digits(), {}, axisExprs(map));
  if (!normal || !normal->isStrided(normal->forms())) return std::nullopt;
  Pointwise p;
  std::vector<Expr> parts(normal->atoms().size());
  std::vector<bool> moved(normal->atoms().size(), false);
  for (std::size_t a = 0; a < map.axes().size(); ++a) {
    const i64 extent = *map.axes()[a].extent;
    p.digits.push_back({map.axes()[a].name, extent, DigitKind::Index});
    const auto axis = stepsOf(*normal, normal->forms()[a], extent);
    if (!axis) return std::nullopt;
    const std::vector<Expr> taken =
        takenTo(Expr::digit(static_cast<int>(a)) + Expr::constant(-axis->lowest), *axis, extent);
    for (const auto& [monomial, coefficient] : normal->forms()[a].terms) {
      if (monomial.empty()) continue;
      const auto part = static_cast<std::size_t>(monomial.front());
      if (moved[part]) return std::nullopt;  // one digit moves two axes
      moved[part] = true;
      if (coefficient < 0) parts[part] = Expr::constant(static_cast<i64>(normal->atoms()[part].range.hi));
    }
    for (std::size_t k = 0; k < axis->steps.size(); ++k) {
      const Step& s = axis->steps[k];
      parts[s.part] = s.backward ? Expr::constant(s.most) - taken[k] : taken[k];
      p.goals.push_back({parts[s.part], std::nullopt, 0, s.most});
    }
  }
  std::vector<Expr> digits;
  for (std::size_t d = 0; d < map.digits().size(); ++d) {
    Expr digit;
    for (const auto& [monomial, weight] : normal->digitForms()[d].terms)
      digit = digit + parts[monomial.front()] * weight;
    p.goals.push_back({digit, std::nullopt, 0, map.digits()[d].extent - 1});
    digits.push_back(digit);
  }
  for (const Guard& g : map.guards()) p.goals.push_back({substitute(g.value, digits), std::nullopt, g.lo, g.hi});
  for (std::size_t a = 0; a < map.axes().size(); ++a)
    p.goals.push_back({substitute(map.axes()[a].value, digits), Expr::digit(static_cast<int>(a)), 0, 0});
  return p;
}

}  // namespace tessera::prover
