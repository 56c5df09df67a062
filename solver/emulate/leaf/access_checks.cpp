#include "solver/emulate/leaf/access_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "solver/emulate/guards/guarded_values.h"

namespace tessera::graphene {

// ---- cp.async

void CopyGroups::reads(const LeafAccess& at, const Spot& spot) {
  ++at.cells.shadow.at(spot.place).copies;
  warps_[at.warp.index].sources.push_back({at.number, spot.lane, at.op.root, -1, spot.place});
}

void CopyGroups::commit(const Warp& w) {
  OfWarp& mine = warps_[w.index];
  for (Source& s : mine.sources)
    if (s.group < 0 && holds(w.mask, s.lane)) s.group = mine.committed[s.lane];
  for (const int lane : lanesIn(w.mask)) ++mine.committed[lane];
}

void CopyGroups::release(Warp& w, int pending) {
  std::erase_if(warps_[w.index].sources, [&](const Source& s) {
    if (!arrived(w, s.lane, s.group, pending)) return false;
    Cells& cells = cells_[s.root];
    const Tag me = tagOf(now_, w, s.leaf, s.lane);
    --cells.shadow.at(s.place).copies;
    noteReader(now_.clocks, cells, s.place, me);
    return true;
  });
}

// ---- places

void AccessChecks::observe(const LeafAccess& at, const Spot& spot, bool write) {
  if (!observer_->wants(at.op.root)) return;
  where_.clear();
  if (at.root.memory == Memory::Global) coordinateOf(at, spot.lane, spot.slot, where_);
  const int loop = observer_->loopOfLeaf(at.number);
  const i64 iteration = loop < 0 ? 0 : at.warp.columns.loop(loop)[spot.lane];
  observer_->touch({write, at.number, at.operand, now_.block, at.warp.thread(spot.lane), at.op.root, spot.address,
                    where_, iteration});
}

bool AccessChecks::readsInOrder(const LeafAccess& at, const Spot& spot) {
  if (!noteRead(now_.clocks, at.cells, spot.place, spot.me, reporter(at, spot))) return false;
  if (at.leaf.atom.async) copies_.reads(at, spot);
  return true;
}

void AccessChecks::writesInOrder(const LeafAccess& at, const Spot& spot, bool flies) {
  noteWrite(now_.clocks, at.cells, spot.place, spot.me, flies, reporter(at, spot));
  if (!flies) products_.notePlain(at.warp, at.op.root, spot.place, spot.lane);
}

// A later access is ordered after the copy only if it is after the thread's wait, and so after this write.
bool AccessChecks::isOtherPart(const LeafAccess& at, const Spot& spot, bool flies) {
  if (at.warp.guards == nullptr) return false;
  const Boxes::Id box = at.warp.box[spot.lane];
  const std::pair key{at.op.root, spot.place};
  const Shadow& shadow = at.cells.shadow.at(spot.place);
  const auto flight = flights_.find(key);
  const bool own = shadow.flying && shadow.write.block == spot.me.block && shadow.write.thread == spot.me.thread;
  if (!flies && own && flight != flights_.end() && at.warp.guards->boxes().disjoint(box, flight->second)) return true;
  if (flies) flights_[key] = box;
  return false;
}

void AccessChecks::copy(const LeafAccess& at, const Spot& spot) {
  if (observer_ != nullptr) observe(at, spot, /*write=*/true);
  if (!at.cells.writes.empty()) noteOutput(at, spot);
  if (at.cells.tracked) noteCopy(now_.clocks, at.cells, spot.place, spot.me, reporter(at, spot));
}

// ---- the kernel's outputs

// A read of a kernel output before it is written: allowed only for accumulation.
void AccessChecks::noteUnwritten(const LeafAccess& at, const Spot& spot) {
  const PlanSpec& kernel = plan_.specs[now_.kernel];
  if (kernel.spec->kind == SpecKind::MatMul || kernel.spec->kind == SpecKind::Generic) return;
  if (std::none_of(kernel.operands.begin() + kernel.outputs, kernel.operands.end(),
                   [&](const PlanOperand& input) { return input.root == at.op.root; }))
    reportPlace(findings_, at, Obligation::Frame, spot, "reads the output before it is written:");
}

// O5 of a kernel: without accumulation each place is written once, with it by one thread only. Generic kernels are not
// checked.
void AccessChecks::noteOutput(const LeafAccess& at, const Spot& spot) {
  if (at.warp.guards != nullptr) {
    GuardedValues& guards = *at.warp.guards;
    if (!guards.boxes().contains(at.warp.box[spot.lane], guards.inside(at.op.root, spot.address)))
      return findings_.halt("an element of an output is not written at every size at which it exists");
  }
  std::uint8_t& writes = at.cells.writes[spot.place];
  const SpecKind kind = plan_.specs[now_.kernel].spec->kind;
  if (writes != 0 && kind != SpecKind::Generic) {
    const Tag* other = at.cells.tracked ? &at.cells.shadow.at(spot.place).write : nullptr;
    const bool elsewhere = other != nullptr && (other->block != spot.me.block || other->thread != spot.me.thread);
    const bool accumulates = kind == SpecKind::MatMul || kind == SpecKind::Reduction;
    if (elsewhere || !accumulates)
      reportPlace(findings_, at, Obligation::Uniqueness, spot, "writes a second time:", other);
  }
  writes = 1;
}

void checkCoverage(const Plan& plan, int kernel, const std::vector<Cells>& cells, Findings& findings) {
  const PlanSpec& spec = plan.specs[kernel];
  for (int k = 0; k < spec.outputs; ++k) {
    const PlanOperand& op = spec.operands[k];
    const Root& root = plan.roots[op.root];
    const std::vector<std::uint8_t>& writes = cells[op.root].writes;
    auto slots = slotsOf(spec.spec->outputs[k]);
    if (!slots) slots = slotsOf(root.tensor);  // a size is symbolic; the operand's own sizes are constants
    if (!slots || writes.empty()) continue;
    const auto offsetOf = [&](i64 block, i64 thread) { return valueOf(plan, op.offset, block, thread, {}); };
    // A kernel's output can be indexed by the block; then each block has its own part.
    bool one = root.memory == Memory::Global;
    const i64 first = one ? offsetOf(0, 0) : 0;
    for (i64 b = 1; b < spec.blocks && one; ++b) one = offsetOf(b, 0) == first;
    const i64 blocks = one ? 1 : spec.blocks;
    const i64 threads = root.memory == Memory::Register ? spec.threads : 1;
    i64 missing = 0;
    Finding f{.obligation = Obligation::Coverage, .span = spec.span, .tensor = op.name};
    for (i64 b = 0; b < blocks; ++b)
      for (i64 t = 0; t < threads; ++t) {
        const i64 offset = offsetOf(b, t);
        for (std::size_t s = 0; s < slots->count; ++s) {
          const i64 address = op.swizzle(offset + slots->addresses[s]);
          if (address < 0 || address >= root.places) continue;
          if (writes[copyOf(plan, root, b, t) * root.places + address] != 0) continue;
          if (missing++ != 0) continue;
          f.address = address;
          for (std::size_t d = 0; d < slots->dims; ++d)
            f.coordinate.push_back(valueOf(plan, op.origin[d], b, t, {}) + slots->coordinates[s * slots->dims + d]);
          if (root.memory != Memory::Global) f.instances.push_back({spec.span, b, t, {}});
        }
      }
    if (missing == 0) continue;
    f.message = fmt::format("{}[{}] is never written; {} of {} elements are missing", op.name,
                            fmt::join(f.coordinate, ","), missing, static_cast<i64>(slots->count) * blocks * threads);
    findings.add(std::move(f));
  }
}

}  // namespace tessera::graphene
