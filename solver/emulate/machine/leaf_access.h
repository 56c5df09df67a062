// LeafAccess: one operand of a leaf while a warp executes it, and LaneOrder: the lanes that execute it together.
//
//     LaneOrder order;                              ldmatrix by lanes 0 to 7 in the order of their group
//     if (!arrange(plan, findings, w, leaf, order)) return;
//     const LeafAccess at = accessOf(plan, findings, cells, w, leaf, 1, order);
//     eachSpot(findings, at, order.lanes[0], ..., [&](const Spot& spot) { ... });   reports those beyond the tensor
#pragma once

#include "solver/emulate/machine/findings.h"

namespace tessera::graphene {

struct LaneOrder {
  std::array<std::uint8_t, kLanes> lanes{};  // position -> lane; groups are contiguous
  std::size_t count = 0;
  std::size_t quarter = 0;  // for a group of 128 threads: which of its four warps this is
};
// Orders the active lanes by group and rank within the group. Reports an incomplete group and returns false: the leaf
// is not executed.
[[nodiscard]] bool arrange(const Plan& plan, Findings& findings, Warp& w, int leaf, LaneOrder& order);

struct LeafAccess {
  Warp& warp;
  const PlanLeaf& leaf;
  int number = 0, operand = 0;  // of the leaf, and within it
  const PlanOperand& op;
  const Root& root;
  Cells& cells;
  const LaneValues& offset;
  Lanes suspect = 0;           // lanes with slots that may be beyond the extents
  std::uint32_t instance = 1;  // of the declaration

  [[nodiscard]] i64 address(int lane, std::size_t slot) const {
    const i64 address = offset[lane] + op.slots.addresses[slot];
    return op.swizzle.isIdentity() ? address : op.swizzle(address);
  }
};
// Also reports an access to a tensor that an enclosing specification does not name.
[[nodiscard]] LeafAccess accessOf(const Plan& plan, Findings& findings, std::vector<Cells>& cells, Warp& w, int leaf,
                                  int operand, const LaneOrder& order);
[[nodiscard]] std::vector<i64> coordinateOf(const LeafAccess& at, int lane, std::size_t slot);
void coordinateOf(const LeafAccess& at, int lane, std::size_t slot, std::vector<i64>& out);
[[nodiscard]] bool isInside(const LeafAccess& at, int lane, std::size_t slot);

struct Spot {  // one slot of one lane
  int lane = 0;
  std::size_t slot = 0;
  i64 address = 0, place = 0;  // in the tensor, in its storage
  Tag me{};
};
// `other`: the conflicting access.
void reportPlace(Findings& findings, const LeafAccess& at, Obligation obligation, const Spot& spot,
                 std::string_view what, const Tag* other = nullptr);
// Each lane's vector must start at a multiple of its width and have adjacent slots.
void checkAlignment(Findings& findings, const LeafAccess& at, const LaneOrder& order);

// The place of address 0.
[[nodiscard]] inline i64 baseOf(const Plan& plan, const Timeline& now, const LeafAccess& at, int lane) {
  return copyOf(plan, at.root, now.block, at.warp.thread(lane)) * at.root.places;
}
// Visits the slots of a lane that are used (null: all) and inside the tensor, and reports those outside with the words
// `beyond` ("reads beyond the extents of").
template <class Visit>
void eachSpot(Findings& findings, const LeafAccess& at, int lane, i64 base, const Tag& me, const char* used,
              std::string_view beyond, Visit visit) {
  const bool suspect = holds(at.suspect, lane);
  for (std::size_t s = 0; s < at.op.slots.count; ++s) {
    if (used != nullptr && used[s] == 0) continue;
    const i64 address = at.address(lane, s);
    const Spot spot{lane, s, address, base + address, me};
    if (address < 0 || address >= at.root.places || (suspect && !isInside(at, lane, s)))
      reportPlace(findings, at, Obligation::Bounds, spot, beyond);
    else
      visit(spot);
  }
}

// The warp's request, at slot 0 of each lane.
[[nodiscard]] WarpAccess requestOf(const LeafAccess& at, const LaneOrder& order, const AtlasAccess& how);

}  // namespace tessera::graphene
