#include "solver/emulate/machine/leaf_access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/arith.h"
#include "solver/emulate/guards/guarded_values.h"

namespace tessera::graphene {
namespace {

// The group that `lane` belongs to.
bool join(const PlanLeaf& leaf, Findings& findings, const Warp& w, int index, int lane, const LaneValues& offsets,
          Lanes& open, LaneOrder& order) {
  const i64 first = static_cast<i64>(w.index) * kLanes, offset = offsets[lane];
  const auto wrong = [&](const char* what) {
    findings.misplaced(w, index, lane, what);
    open &= ~(Lanes{1} << lane);
    return false;
  };
  Lanes group = 0;
  for (const i64 member : leaf.members) {
    const i64 other = offset + member - first;
    const bool here = other >= 0 && other < kLanes && holds(open, other);
    if (!here || offsets[other] != offset)
      return wrong("has a group with missing threads, or threads of another warp, for");
    group |= Lanes{1} << other;
    order.lanes[order.count++] = static_cast<std::uint8_t>(other);
  }
  if (!holds(group, lane)) return wrong("is not in the group that executes");
  open &= ~group;
  return true;
}

// A warp's part of a group of 128: all of its lanes, in order. The other three warps execute separately.
bool joinWarpgroup(const PlanLeaf& leaf, Findings& findings, Warp& w, int index, LaneOrder& order) {
  const LaneValues& offsets = w.columns(leaf.group);
  const i64 first = static_cast<i64>(w.index) * kLanes, part = first - offsets[0];
  bool all = std::popcount(w.live) == kLanes && part >= 0 && part % kLanes == 0 && offsets[0] % leaf.atom.lanes == 0;
  for (const i64 offset : offsets) all = all && offset == offsets[0];
  for (std::size_t m = 0; m < leaf.members.size(); ++m) all = all && leaf.members[m] == static_cast<i64>(m);
  if (!all || part >= leaf.atom.lanes) {
    findings.misplaced(w, index, 0, "is not in a full warpgroup (threads 128 n to 128 n + 127), which must execute");
    return false;
  }
  order.quarter = static_cast<std::size_t>(part / kLanes);
  for (int lane = 0; lane < kLanes; ++lane) order.lanes[order.count++] = static_cast<std::uint8_t>(lane);
  return true;
}

}  // namespace

bool arrange(const Plan& plan, Findings& findings, Warp& w, int index, LaneOrder& order) {
  const PlanLeaf& leaf = plan.leaves[index];
  order.count = 0;
  if ((leaf.atom.collective || leaf.atom.together > 1) && w.mask != w.live) {
    findings.misplaced(w, index, std::countr_zero(w.live & ~w.mask),
                       "does not arrive when the rest of its warp executes");
    return false;
  }
  if (leaf.atom.lanes > kLanes) return joinWarpgroup(leaf, findings, w, index, order);
  if (leaf.group < 0) {
    for (const int lane : lanesIn(w.mask)) order.lanes[order.count++] = static_cast<std::uint8_t>(lane);
    return order.count != 0;
  }
  const LaneValues& offsets = w.columns(leaf.group);
  Lanes open = w.mask;
  bool all = true;
  while (open != 0) all = join(leaf, findings, w, index, std::countr_zero(open), offsets, open, order) && all;
  return all && order.count != 0;
}

namespace {

bool isGuarded(const Root& root, std::size_t dim) { return !root.guarded.empty() && root.guarded[dim].guard >= 0; }

// Of a declared dimension, at the smallest of the sizes at which the lane executes.
i64 extentOf(const LeafAccess& at, int lane, std::size_t dim) {
  if (!isGuarded(at.root, dim)) return at.op.extents[dim];
  const Boxes::Id box = at.warp.box[lane];
  const GuardedExtent& extent = at.root.guarded[dim];
  return box < 0 ? 0 : extent.unit * at.warp.guards->boxes().of(box, extent.guard).least + extent.more;
}

}  // namespace

LeafAccess accessOf(const Plan& plan, Findings& findings, std::vector<Cells>& cells, Warp& w, int number, int operand,
                    const LaneOrder& order) {
  const PlanLeaf& leaf = plan.leaves[number];
  const PlanOperand& op = leaf.operands[operand];
  const Root& root = plan.roots[op.root];
  LeafAccess at{w, leaf, number, operand, op, root, cells[op.root], w.columns(op.offset)};
  if (root.memory == Memory::Shared) at.instance = w.instance[op.root];
  for (std::size_t d = 0; d < op.extents.size(); ++d) {
    const LaneValues& origin = w.columns(op.origin[d]);
    const auto [least, most] = op.reach[d];
    const bool guarded = isGuarded(root, d);
    for (int lane = 0; lane < kLanes; ++lane) {
      const i64 room = (guarded ? extentOf(at, lane, d) : op.extents[d]) - most;
      at.suspect |= static_cast<Lanes>(origin[lane] + least < 0 || origin[lane] >= room) << lane;
    }
  }
  if (op.outside)
    reportPlace(findings, at, Obligation::Frame, {order.lanes[0], 0, -1},
                "an enclosing specification does not name it");
  return at;
}

void coordinateOf(const LeafAccess& at, int lane, std::size_t slot, std::vector<i64>& out) {
  const FlatSlots& slots = at.op.slots;
  out.resize(at.op.extents.size());
  for (std::size_t d = 0; d < out.size(); ++d)
    out[d] = at.warp.columns(at.op.origin[d])[lane] + slots.coordinates[slot * slots.dims + d];
}

std::vector<i64> coordinateOf(const LeafAccess& at, int lane, std::size_t slot) {
  std::vector<i64> out;
  coordinateOf(at, lane, slot, out);
  return out;
}

bool isInside(const LeafAccess& at, int lane, std::size_t slot) {
  const std::vector<i64> c = coordinateOf(at, lane, slot);
  for (std::size_t d = 0; d < c.size(); ++d)
    if (c[d] < 0 || c[d] >= extentOf(at, lane, d)) return false;
  return true;
}

void reportPlace(Findings& findings, const LeafAccess& at, Obligation obligation, const Spot& spot,
                 std::string_view what, const Tag* other) {
  if (findings.known(obligation, at.number, at.operand, other == nullptr ? -1 : other->leaf)) return;
  const bool nowhere = obligation == Obligation::Frame && spot.address < 0;
  Finding f{.obligation = obligation, .span = at.leaf.span, .tensor = "%" + at.root.tensor.name};
  f.instances.push_back(findings.instance(at.warp, at.number, spot.lane));
  if (!nowhere) {
    f.coordinate = coordinateOf(at, spot.lane, spot.slot);
    f.address = spot.address;
    f.phase = findings.now().phase;
  }
  const std::string place =
      f.coordinate.empty() ? f.tensor : fmt::format("{}[{}]", f.tensor, fmt::join(f.coordinate, ","));
  const i64 thread = f.instances[0].thread;
  f.message = nowhere ? fmt::format("thread {} accesses {}: {}", thread, place, what)
                      : fmt::format("thread {} {} {}", thread, what, place);
  if (obligation == Obligation::Bounds)
    f.message += fmt::format(", whose extents are [{}]", fmt::join(at.op.extents, ","));
  if (other != nullptr && other->leaf >= 0) {
    f.message +=
        other->block == f.instances[0].block
            ? fmt::format("; the other is {}thread {}",
                          findings.now().clocks.active() && other->epoch != 0 ? "the copy of " : "", other->thread)
            : fmt::format("; the other is thread {} of block {}", other->thread, other->block);
    f.instances.push_back(findings.instance(*other));
  }
  findings.report(std::move(f));
}

void checkAlignment(Findings& findings, const LeafAccess& at, const LaneOrder& order) {
  const PlanOperand& op = at.op;
  if (op.alignment <= 0) return;
  for (std::size_t p = 0; p < order.count; ++p) {
    if (op.used[p % at.leaf.atom.lanes * op.slots.count] == 0) continue;
    const int lane = order.lanes[p];
    bool good = true;
    i64 first = 0;
    for (std::size_t s = 0; s < op.slots.count && good; ++s) {
      const i64 address = at.address(lane, s);
      const auto rest = static_cast<i64>(s) % op.alignment;
      if (rest == 0) first = address;
      good = rest == 0 ? floorMod(first, op.alignment) == 0 : address == first + rest;
      if (op.dense && rest == 0 && good) break;  // the rest follows contiguously
    }
    if (good) continue;
    return reportPlace(findings, at, Obligation::Static, {lane, 0, first},
                       "is not aligned, or its slots are not adjacent, in");
  }
}

WarpAccess requestOf(const LeafAccess& at, const LaneOrder& order, const AtlasAccess& how) {
  const i64 bytes = std::max(1, at.root.type.bits / 8);
  WarpAccess access;
  static_cast<AtlasAccess&>(access) = how;
  for (std::size_t p = 0; p < order.count; ++p) {
    if (at.op.used[p % at.leaf.atom.lanes * at.op.slots.count] == 0) continue;
    const int lane = order.lanes[p];
    const i64 address = at.address(lane, 0) * bytes;
    if (address >= 0 && address % access.width == 0) access.addresses[lane] = address;
  }
  return access;
}

}  // namespace tessera::graphene
