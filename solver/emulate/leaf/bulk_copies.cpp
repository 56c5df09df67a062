#include "solver/emulate/leaf/bulk_copies.h"

#include <algorithm>

#include "core/base/arith.h"

namespace tessera::graphene {

template <class D>
void BulkCopies<D>::issue(const LeafAccess& at, const LaneOrder& order, AccessChecks& checks,
                          const std::vector<Value>& values) {
  const auto writesSource = [&](const PlanLeaf& leaf) {
    return leaf.operands[0].root == at.leaf.operands[1].root && plan_.specs[leaf.parent].kernel == now_.kernel;
  };
  if (std::any_of(plan_.leaves.begin(), plan_.leaves.end(), writesSource))
    return findings_.halt("TMA copies from a tensor that this kernel writes: when it reads it is not followed");
  for (std::size_t p = 0; p < order.count; ++p) {
    const int lane = order.lanes[p];
    const auto arrival = barriers_.announce(at.warp, at.leaf, lane);
    if (!arrival) continue;
    if (const i64 start = at.offset[lane]; floorMod(start, at.leaf.atom.box->repeats) != 0)
      reportPlace(findings_, at, Obligation::Static, {lane, 0, start},
                  "copies a box that does not begin with its swizzle to");
    Copy copy{*arrival, at.number, at.instance, {}};
    Tag me = tagOf(now_, at.warp, at.number, lane);
    me.epoch = static_cast<std::uint16_t>(arrival->barrier + 1);
    me.phase = ~std::uint32_t{0};  // unknown to all until it has landed
    eachSpot(findings_, at, lane, baseOf(plan_, now_, at, lane), me, nullptr, "writes beyond the extents of",
             [&](const Spot& spot) {
               checks.copy(at, spot);
               copy.places.emplace_back(spot.place, values[p * at.op.slots.count + spot.slot]);
             });
    copies_.push_back(std::move(copy));
  }
}

template <class D>
void BulkCopies<D>::land(std::size_t which) {
  const Copy copy = std::move(copies_[which]);
  copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(which));
  const PlanLeaf& leaf = plan_.leaves[copy.leaf];
  const int root = leaf.operands[0].root;
  const i64 phase = barriers_.land(copy.arrival, leaf.span);
  Cells& cells = store_.cells()[root];
  for (const auto& [place, value] : copy.places) {
    store_.write(root, place, value, copy.instance);
    if (!cells.tracked) continue;
    Shadow& shadow = cells.shadow.at(place);
    shadow.flying = false;
    shadow.write.phase = static_cast<std::uint32_t>(phase);
  }
}

template class BulkCopies<Numbers>;
template class BulkCopies<Terms>;

}  // namespace tessera::graphene
