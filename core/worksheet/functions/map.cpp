// Functions on maps, the meaning that every notation lowers to.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/map/compose.h"
#include "core/worksheet/functions/functions.h"

namespace tessera {
namespace {

Result<Value> toMapCall(const Call& c) {
  TESSERA_TRY(Arrow arrow, c.arrow(0));
  return Value(Layout(std::move(arrow)));
}

Result<Value> simplifyCall(const Call& c) {
  if (const auto* indexing = as<indexing::IndexingMap>(c[0])) return Value(Layout(simplified(*indexing)));
  TESSERA_TRY(Arrow arrow, c.arrow(0));
  Map simpler = simplified(arrow.map);
  if (simpler.digits() != arrow.map.digits()) {  // constraints made the box smaller: its digits stand for themselves
    arrow = arrowOf(std::move(simpler), arrow.from.kind, arrow.from.order, arrow.to.kind);
  } else {
    arrow.map = std::move(simpler);
  }
  return Value(Layout(std::move(arrow)));
}

Result<indexing::IndexingMap> indexingAt(const Call& c, std::size_t k) {
  if (const auto* indexing = as<indexing::IndexingMap>(c[k])) return *indexing;
  TESSERA_TRY(const Map map, c.map(k));
  return indexing::toIndexingMap(map);
}

// compose(F, G): first F, then G. With an indexing map, points that leave G's box drop out, as in XLA; else they must
// not.
Result<Value> composeCall(const Call& c) {
  if (is<indexing::IndexingMap>(c[0]) || is<indexing::IndexingMap>(c[1])) {
    TESSERA_TRY(const indexing::IndexingMap first, indexingAt(c, 0));
    TESSERA_TRY(const indexing::IndexingMap second, indexingAt(c, 1));
    Result<indexing::IndexingMap> both = compose(first, second);
    if (!both) return c.at(1, both.error());
    return Value(Layout(*std::move(both)));
  }
  TESSERA_TRY(const Arrow first, c.arrow(0));
  TESSERA_TRY(const Arrow second, c.arrow(1));
  TESSERA_TRY(Map both, then(first.map, second.map));
  Arrow arrow = first;  // first's coordinates, second's places
  arrow.map = std::move(both);
  arrow.to = second.to;
  return Value(Layout(std::move(arrow)));
}

Result<Value> toIndexingCall(const Call& c) {
  if (is<indexing::IndexingMap>(c[0])) return c[0];
  TESSERA_TRY(const Arrow arrow, c.arrow(0));
  const std::vector<Mode>& modes = arrow.from.modes;
  const bool nested = std::any_of(modes.begin(), modes.end(), [](const Mode& m) { return m.digits.size() != 1; });
  if (!nested) return Value(Layout(indexing::toIndexingMap(arrow.map)));
  TESSERA_TRY(const Arrow whole, withWholeModes(arrow));  // one dimension a mode
  return Value(Layout(indexing::toIndexingMap(withSimplerValues(whole.map))));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"to_map", "to_map(L)", "L as a map: digits -> axes", 1, 1, toMapCall},
    {"to_indexing_map", "to_indexing_map(L)", "L in XLA's notation: (d0, d1) -> (d0 * 8 + d1), domain: ...", 1, 1,
     toIndexingCall},
    {"simplify", "simplify(M)", "the same map with simpler expressions", 1, 1, simplifyCall},
    {"compose", "compose(FIRST, SECOND)", "c -> SECOND(FIRST(c)), as a map", 2, 2, composeCall, true},
});

}  // namespace

std::span<const Function> mapFunctions() { return kFunctions; }

}  // namespace tessera
