// Functions on maps, the meaning that every notation lowers to.
#include <fmt/format.h>

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
  if (const auto* indexing = as<IndexingMap>(c[0])) return Value(Layout(simplified(*indexing)));
  TESSERA_TRY(Arrow arrow, c.arrow(0));
  arrow.map = simplified(arrow.map);
  return Value(Layout(std::move(arrow)));
}

// compose(F, G): first F, then G.
Result<Value> composeCall(const Call& c) {
  const auto* a = as<IndexingMap>(c[0]);
  const auto* b = as<IndexingMap>(c[1]);
  if (a != nullptr || b != nullptr) {  // XLA's reading: points that leave SECOND's box drop out
    IndexingMap first, second;
    if (a == nullptr) {
      TESSERA_TRY(const Map map, c.map(0));
      first = toIndexingMap(map);
    }
    if (b == nullptr) {
      TESSERA_TRY(const Map map, c.map(1));
      second = toIndexingMap(map);
    }
    Result<IndexingMap> both = compose(a == nullptr ? first : *a, b == nullptr ? second : *b);
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
  if (is<IndexingMap>(c[0])) return c[0];
  TESSERA_TRY(const Map map, c.map(0));
  return Value(Layout(toIndexingMap(map)));
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
