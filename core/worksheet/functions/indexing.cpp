// Functions on indexing maps: changes of variables, the domain, values at a point.
#include <fmt/format.h>

#include <array>

#include "core/map/compose.h"
#include "core/map/domain/domain_size.h"
#include "core/map/domain/variables.h"
#include "core/worksheet/functions/calls.h"

namespace tessera {
namespace {

using indexing::IndexingMap;

constexpr i64 kMostListed = 4096;

// Applies `change` to argument 0; UNDEFINED stays UNDEFINED.
template <typename Change>
Result<Value> changed(const Call& c, Change change) {
  TESSERA_TRY(const IndexingMap indexing, indexingAt(c, 0));
  if (indexing.undefined) return Value(Layout(indexing));
  TESSERA_TRY(Map made, c.at(c.count() - 1, change(indexing.map)));
  return Value(Layout(indexing::toIndexingMap(made)));
}

Result<Map> definedMap(const Call& c) {
  TESSERA_TRY(const IndexingMap indexing, indexingAt(c, 0));
  return c.at(0, toMap(indexing));
}

Result<Value> rescaleCall(const Call& c) {
  return changed(c, [](const Map& map) { return Result<Map>(simplified(rescaled(simplified(map)))); });
}

Result<Value> removeUnusedCall(const Call& c) {
  bool dims = false;
  if (c.count() == 2) {
    const Result<std::string> word = c.word(1);
    if (!word || *word != "dims") return c.wrong(1, "dims: remove_unused(M, dims) also removes unused dimensions");
    dims = true;
  }
  return changed(c, [&](const Map& map) { return Result<Map>(withoutUnneeded(simplified(map), dims)); });
}

Result<Value> rangesToDimsCall(const Call& c) {
  std::vector<i64> ranges;
  if (c.count() == 2) {
    TESSERA_TRY(ranges, c.integers(1));
  }
  return changed(c, [&](const Map& map) {
    if (c.count() == 1)
      for (std::size_t k = 0; k < map.fanDigits().size(); ++k) ranges.push_back(static_cast<i64>(k));
    return rangesAsDims(map, ranges);
  });
}

Result<Value> symbolsToDimsCall(const Call& c) {
  return changed(c, [](const Map& map) { return symbolsAsDims(map); });
}

Result<Value> domainSizeCall(const Call& c) {
  TESSERA_TRY(const Map map, definedMap(c));
  return valueOf(c, 0, domainSize(map));
}

// Every real point in coordinates, last variable fastest.
Result<Value> domainCall(const Call& c) {
  TESSERA_TRY(const Map given, definedMap(c));
  TESSERA_TRY(const i64 size, c.at(0, domainSize(given)));
  if (size > kMostListed)
    return Diag{fmt::format("the domain has {} points", size), fmt::format("at most {} to list", kMostListed),
                "domain_size(M) counts them", c.args[0].span};
  const Map map = simplified(given);
  i64 box = 1;
  std::vector<i64> extents;
  for (const Digit& d : map.digits()) {
    if (map.isEmpty()) break;
    if (d.extent > (i64{1} << 22) / box)
      return Diag{"the ranges contain more than 2^22 points", "smaller ranges", "", c.args[0].span};
    box *= d.extent;
    extents.push_back(d.extent);
  }
  std::vector<cute::IntTuple> points;
  for (i64 n = 0; n < box && !map.isEmpty(); ++n) {
    std::vector<i64> point = delinearize(n, extents, LinearOrder::Lex);
    if (!map.isReal(point)) continue;
    std::vector<cute::IntTuple> shown;
    for (std::size_t k = 0; k < point.size(); ++k) shown.emplace_back(point[k] + map.digits()[k].lo);
    points.push_back(cute::IntTuple::tuple(std::move(shown)));
  }
  return Value(cute::IntTuple::tuple(std::move(points)));
}

// The formulas' values at a point, inside the domain or not (a note says so), as in XLA's evaluation.
Result<Value> evaluateCall(const Call& c) {
  TESSERA_TRY(const Map map, definedMap(c));
  TESSERA_TRY(std::vector<i64> at, c.integers(1));
  const std::size_t dims = at.size();
  if (c.count() == 3) {
    TESSERA_TRY(const std::vector<i64> symbols, c.integers(2));
    at.insert(at.end(), symbols.begin(), symbols.end());
  }
  const std::size_t digits = map.digits().size(), params = map.params().size();
  if (dims != map.indexDigits().size() || at.size() != digits + params)
    return Diag{fmt::format("this point has {} + {} numbers (dimensions + symbols), but the map takes {} + {}", dims,
                            at.size() - dims, map.indexDigits().size(), digits - map.indexDigits().size() + params),
                "evaluate(M, (dimensions), (range variables, then run-time variables))", "", c.args[1].span};
  Environment point;  // a single point, to check that the formulas fit 64 bits there
  bool inBox = true;
  for (std::size_t k = 0; k < at.size(); ++k) {
    (k < digits ? point.digits : point.params).push_back({at[k], at[k]});
    const Range range = k < digits ? coordinateBox(map).digits[k] : coordinateBox(map).params[k - digits];
    inBox = inBox && at[k] >= range.lo && at[k] <= range.hi;
  }
  const auto valueOf = [&](const Expr& e) -> Result<i64> {
    const Expr shown = inCoordinates(e, map.digits());
    if (!factsOf(shown, point).fits)
      return Diag{"the value does not fit 64 bits there", "smaller coordinates", "", c.args[1].span};
    return evaluate(shown, std::span(at).first(digits), std::span(at).subspan(digits));
  };
  std::vector<cute::IntTuple> values;
  for (const Axis& a : map.axes()) {
    TESSERA_TRY(const i64 value, valueOf(a.value));
    values.emplace_back(value);
  }
  bool met = true;
  for (const Guard& g : map.guards()) {
    TESSERA_TRY(const i64 value, valueOf(g.value));
    met = met && value >= g.lo && value <= g.hi;
  }
  if (!inBox || !met)
    c.note(1,
           inBox ? "this point does not satisfy the constraints" : "this point is outside the ranges of the variables",
           "the map has no value there; these are the values of its formulas");
  if (values.size() == 1) return normalised(values.front());
  return Value(cute::IntTuple::tuple(std::move(values)));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"rescale", "rescale(M)", "renumbers range variables that a constraint ties to a residue: s0 * 6 + 3", 1, 1,
     rescaleCall},
    {"remove_unused", "remove_unused(M)",
     "without unused symbols; remove_unused(M, dims): also without unused dimensions", 1, 2, removeUnusedCall, false,
     2},
    {"ranges_to_dims", "ranges_to_dims(M, (0,2))", "these range variables, or all, as dimensions", 1, 2,
     rangesToDimsCall},
    {"symbols_to_dims", "symbols_to_dims(M)", "range variables and run-time variables as dimensions", 1, 1,
     symbolsToDimsCall},
    {"domain_size", "domain_size(M)", "the exact number of points that satisfy the ranges and constraints", 1, 1,
     domainSizeCall},
    {"domain", "domain(M)", "those points, at most 4096: coordinates, then range variables", 1, 1, domainCall},
    {"evaluate", "evaluate(M, (1,2), (3))",
     "the values of the formulas at dimensions and symbols, inside the domain or not", 2, 3, evaluateCall},
});

}  // namespace

std::span<const Function> indexingFunctions() { return kFunctions; }

}  // namespace tessera
