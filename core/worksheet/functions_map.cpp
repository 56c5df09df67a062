// Functions on maps, the meaning that every notation lowers to.
#include <fmt/format.h>

#include <array>

#include "core/map/compose.h"
#include "core/worksheet/functions.h"

namespace tessera {
namespace {

Result<Value> toMapCall(const Call& c) {
  TESSERA_TRY(Map map, c.map(0));
  return Value(std::move(map));
}

Result<Value> simplifyCall(const Call& c) {
  TESSERA_TRY(const Map map, c.map(0));
  return Value(simplified(map));
}

// compose(F, G): first F, then G.
Result<Value> composeCall(const Call& c) {
  TESSERA_TRY(const Map first, c.map(0));
  TESSERA_TRY(const Map second, c.map(1));
  TESSERA_TRY(Map both, then(first, second));
  return Value(std::move(both));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"to_map", "to_map(L)", "L as a map: digits -> axes", 1, 1, toMapCall},
    {"simplify", "simplify(M)", "the same map with simpler expressions", 1, 1, simplifyCall},
    {"compose", "compose(FIRST, SECOND)", "c -> SECOND(FIRST(c)), as a map", 2, 2, composeCall, true},
});

}  // namespace

std::span<const Function> mapFunctions() { return kFunctions; }

}  // namespace tessera
