#include "core/layout/codomain.h"

#include "core/base/arith.h"
#include "core/map/domain/domain_size.h"

namespace tessera {

Result<Map> overCodomain(const Arrow& arrow) {
  const bool places = arrow.to.kind == SpaceKind::Memory || arrow.to.kind == SpaceKind::Coordinates;
  if (!places) return arrow.map;  // hardware, devices, a tensor's elements: as the map says
  std::vector<Axis> axes = arrow.map.axes();
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const bool declared = k < arrow.to.modes.size() && arrow.to.modes[k].extent() > 0;
    if (declared || !axes[k].extent) continue;
    const auto range = exactRange(arrow.map, k);
    axes[k].extent = range && range->lo >= 0 ? checkedAdd(range->hi, 1) : std::nullopt;
  }
  return Map::create(arrow.map.digits(), std::move(axes), arrow.map.guards(), arrow.map.params());
}

}  // namespace tessera
