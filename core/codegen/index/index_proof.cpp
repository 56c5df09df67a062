#include "core/codegen/index/index_proof.h"

#include <fmt/format.h>

#include "core/expr/compile.h"
#include "core/expr/simplify.h"
#include "core/map/forms/recognise.h"
#include "core/map/map.h"

namespace tessera::codegen {
namespace {

constexpr i64 kTried = i64{1} << 16;

// Parameter k of the forward function, through both; digits count from 0.
Result<Map> composedRoundTrip(const IndexFunction& forward, const IndexFunction& back) {
  std::vector<Digit> digits;
  std::vector<Expr> coordinates, places;
  for (std::size_t k = 0; k < forward.parameters.size(); ++k) {
    const Range r = forward.parameters[k].range;
    coordinates.push_back(Expr::digit(static_cast<int>(k)) + r.lo);
    digits.push_back({forward.parameters[k].name, r.hi - r.lo + 1, DigitKind::Index});
  }
  for (const IndexValue& v : forward.values) places.push_back(substitute(v.value, coordinates));
  std::vector<Axis> axes;
  for (std::size_t k = 0; k < back.values.size(); ++k)
    axes.push_back(
        {back.values[k].name, substitute(back.values[k].value, places) - forward.parameters[k].range.lo, {}});
  std::vector<Guard> guards = forward.guards;
  for (Guard& g : guards) g.value = substitute(g.value, coordinates);
  return Map::create(std::move(digits), std::move(axes), std::move(guards));
}

bool simplifiesToIdentity(const Map& map) {
  Environment box;
  for (const Digit& d : map.digits()) box.digits.push_back({0, d.extent - 1});
  for (std::size_t k = 0; k < map.axes().size(); ++k) {
    const Expr itself = simplified(Expr::digit(static_cast<int>(k)), box);
    if (!(simplified(map.axes()[k].value, box) == itself)) return false;
  }
  return true;
}

// The bits of digit k are those of axis k.
bool isIdentityMatrix(const Map& map) {
  const Result<F2Form> form = asF2(map);
  if (!form || form->constant != 0) return false;
  std::vector<std::size_t> first(map.axes().size(), 0);  // where an axis' bits begin
  for (std::size_t a = 1; a < first.size(); ++a)
    first[a] = first[a - 1] + static_cast<std::size_t>(form->axisBits[a - 1]);
  std::size_t column = 0;
  for (std::size_t k = 0; k < map.digits().size(); ++k) {
    std::size_t bit = first[k];
    for (i64 e = map.digits()[k].extent; e > 1; e /= 2, ++bit, ++column)
      if (form->matrix.columns[column] != u64{1} << bit) return false;
  }
  return true;
}

bool holdsEverywhere(const Map& map) {
  std::vector<Program> programs;
  std::vector<i64> extents;
  for (const Axis& a : map.axes()) programs.push_back(Program::compile(a.value));
  for (const Digit& d : map.digits()) extents.push_back(d.extent);
  const i64 size = *map.size();
  for (i64 n = 0; n < size; ++n) {
    const std::vector<i64> digits = delinearize(n, extents, LinearOrder::Lex);
    if (!map.isReal(digits)) continue;
    for (std::size_t k = 0; k < programs.size(); ++k)
      if (programs[k].run(digits) != digits[k]) return false;
  }
  return true;
}

}  // namespace

Result<std::string> shownInverse(const IndexFunction& forward, const IndexFunction& back) {
  TESSERA_TRY(const Map map, composedRoundTrip(forward, back));
  if (simplifiesToIdentity(map)) return std::string("Proved: one after the other simplifies to the identity.");
  if (isIdentityMatrix(map)) return std::string("Proved: one after the other is the identity matrix over bits.");
  const auto size = map.size();
  if (size && *size <= kTried && holdsEverywhere(map))
    return fmt::format("Proved: tried at all {} coordinates.", *size);
  return Diag{"its inverse could not be shown to be right"};
}

}  // namespace tessera::codegen
