// Functions on maps, the meaning that every notation lowers to.
#include <fmt/format.h>

#include <array>

#include "core/map/compose.h"
#include "core/worksheet/functions/functions.h"

namespace tessera {
namespace {

Result<Value> toMapCall(const Call& c) {
  TESSERA_TRY(Map map, c.map(0));
  return Value(std::move(map));
}

Result<Value> simplifyCall(const Call& c) {
  if (const auto* indexing = std::get_if<IndexingMap>(&c[0])) return Value(simplified(*indexing));
  TESSERA_TRY(const Map map, c.map(0));
  return Value(simplified(map));
}

Result<IndexingMap> indexingAt(const Call& c, std::size_t k) {
  if (const auto* indexing = std::get_if<IndexingMap>(&c[k])) return *indexing;
  TESSERA_TRY(const Map map, c.map(k));
  return toIndexingMap(map);
}

// compose(F, G): first F, then G. With an indexing map, points that leave G's box drop out, as in XLA; else they must
// not.
Result<Value> composeCall(const Call& c) {
  if (std::holds_alternative<IndexingMap>(c[0]) || std::holds_alternative<IndexingMap>(c[1])) {
    TESSERA_TRY(const IndexingMap first, indexingAt(c, 0));
    TESSERA_TRY(const IndexingMap second, indexingAt(c, 1));
    Result<IndexingMap> both = compose(first, second);
    if (!both) return c.at(1, both.error());
    return Value(*std::move(both));
  }
  TESSERA_TRY(const Map first, c.map(0));
  TESSERA_TRY(const Map second, c.map(1));
  TESSERA_TRY(Map both, then(first, second));
  return Value(std::move(both));
}

Result<Value> toIndexingCall(const Call& c) {
  TESSERA_TRY(IndexingMap indexing, indexingAt(c, 0));
  return Value(std::move(indexing));
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
