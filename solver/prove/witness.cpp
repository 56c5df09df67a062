// Coverage by construction: instead of "for every place there is a point", name the point.
//
//     tiles of 128 over [0, 1000):  offset = t*128 + r, guard offset <= 999
//     witness                       r = v mod 128,  t = v floordiv 128
//
// On each axis the strides, sorted, must start at 1 and divide one another; the digits of a place are then its
// mixed-radix digits, the last one unreduced. What is left to show is pointwise over the places: the digits are in
// range, the guards hold there, and f(witness) is the place. A witness that fails proves nothing.
#include <algorithm>

#include "solver/prove/normal.h"
#include "solver/prove/obligation.h"

namespace tessera::prover {

std::optional<Pointwise> coverByWitness(const Map& map) {
  if (!map.params().empty()) return std::nullopt;
  std::vector<Expr> exprs;
  for (const Axis& a : map.axes()) exprs.push_back(a.value);
  const auto normal = Normal::create(map.digits(), {}, exprs);
  if (!normal || !normal->isStrided(normal->forms())) return std::nullopt;
  Pointwise p;
  std::vector<Expr> parts(normal->atoms().size());
  for (std::size_t a = 0; a < map.axes().size(); ++a) {
    p.digits.push_back({map.axes()[a].name, *map.axes()[a].extent, DigitKind::Index});
    const Form& form = normal->forms()[a];
    std::vector<std::pair<i64, int>> strides;  // stride, part
    for (const auto& [monomial, coefficient] : form.terms)
      if (!monomial.empty()) strides.emplace_back(coefficient, monomial.front());
    std::sort(strides.begin(), strides.end());
    const Expr place = Expr::digit(static_cast<int>(a)) + (-form.constantTerm());
    for (std::size_t k = 0; k < strides.size(); ++k) {
      const auto& [stride, part] = strides[k];
      const bool last = k + 1 == strides.size();
      if (stride <= 0 || (k == 0 && stride != 1) || (!last && strides[k + 1].first % stride != 0)) return std::nullopt;
      Expr& digit = parts[static_cast<std::size_t>(part)];
      if (!digit.isConstant(0)) return std::nullopt;  // one digit moves two axes
      digit = floorDiv(place, stride);
      if (!last) digit = mod(digit, strides[k + 1].first / stride);
      p.goals.push_back(
          {digit, std::nullopt, 0, static_cast<i64>(normal->atoms()[static_cast<std::size_t>(part)].range.hi)});
    }
  }
  std::vector<Expr> digits;
  for (std::size_t d = 0; d < map.digits().size(); ++d) {
    Expr digit;
    for (const auto& [monomial, weight] : normal->digitForms()[d].terms)
      digit = digit + parts[static_cast<std::size_t>(monomial.front())] * weight;
    p.goals.push_back({digit, std::nullopt, 0, map.digits()[d].extent - 1});
    digits.push_back(digit);
  }
  for (const Guard& g : map.guards()) p.goals.push_back({substitute(g.value, digits), std::nullopt, g.lo, g.hi});
  for (std::size_t a = 0; a < map.axes().size(); ++a)
    p.goals.push_back({substitute(map.axes()[a].value, digits), Expr::digit(static_cast<int>(a)), 0, 0});
  return p;
}

}  // namespace tessera::prover
