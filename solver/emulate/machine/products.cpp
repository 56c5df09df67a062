#include "solver/emulate/machine/products.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"

namespace tessera::graphene {

void Products::issued(const Warp& w, int leaf) {
  u64& issued = warps_[w.index].issued;
  issued = (issued ^ static_cast<u64>(leaf + 1)) * 0x9e3779b97f4a7c15ULL;
}

bool Products::passesMatrix(const LeafAccess& at) {
  const i64 start = at.offset[0];
  for (const i64 offset : at.offset)
    if (offset != start) {
      findings_.misplaced(at.warp, at.number, 0, "passes a different matrix than other threads of its warp to");
      return false;
    }
  const AtomMatrix* matrix = matrixOf(at.leaf.atom, static_cast<std::size_t>(at.operand));
  if (matrix == nullptr || (floorMod(start, matrix->unit) == 0 && floorMod(start, matrix->repeats) < matrix->room))
    return true;
  reportPlace(findings_, at, Obligation::Static, {0, 0, start},
              "passes a matrix that does not start at a line of its swizzle:");
  return false;
}

bool Products::seesMatrix(const LeafAccess& at, const Spot& spot) {
  const Shadow& shadow = at.cells.shadow.at(spot.place);
  const Tag& last = shadow.write;
  if (now_.clocks.active()) {
    if (shadow.flying || last.leaf < 0 || last.epoch != 0 ||
        now_.clocks.knowsAsync(spot.me.thread, last.thread, last.phase))
      return true;
  } else if (!shadow.plain || shadow.flying || last.phase + 1 < warps_[at.warp.index].fenced[spot.lane]) {
    return true;
  }
  reportPlace(findings_, at, Obligation::Races, spot,
              "reads with a warpgroup product what was written without a fence.async after it:", &last);
  return false;
}

void Products::readsMatrix(const LeafAccess& at, int lane, std::vector<i64> places) {
  for (const i64 place : places) ++at.cells.shadow.at(place).products;
  OfWarp& mine = warps_[at.warp.index];
  if (!places.empty()) mine.readings.push_back({at.number, lane, at.op.root, mine.groups, std::move(places)});
}

bool Products::mayTouch(const LeafAccess& at, const Spot& spot, bool write) {
  i64& state = at.cells.sums[spot.place];
  const auto wrong = [&](Obligation obligation, std::string_view what) {
    reportPlace(findings_, at, obligation, spot, what);
    return false;
  };
  if (at.leaf.atom.deferred) {
    const bool factor = at.operand > 0;
    const i64 group = warps_[at.warp.index].groups;
    if (state == kTouched && !write)
      (void)wrong(Obligation::Definedness,
                  factor ? "multiplies registers that were accessed since the last wgmma.fence:"
                         : "adds a product to registers that were accessed since the last wgmma.fence:");
    if (factor && state >= 0 && state < kReading)
      return wrong(Obligation::Definedness, "multiplies a sum before the wgmma.wait for its product:");
    if (!factor && state >= kReading)
      return wrong(Obligation::Races,
                   "adds a product to registers that another product may still read (no wgmma.wait yet):");
    state = factor ? kReading + group : group;
    return true;
  }
  const Obligation violated = write ? Obligation::Races : Obligation::Definedness;
  if (state >= kReading)  // PTX ISA, wgmma.wait_group: neither is allowed
    return wrong(violated, write ? "writes registers that a product may still read (no wgmma.wait yet):"
                                 : "reads the inputs of a product before the wgmma.wait for it:");
  if (state >= 0)
    return wrong(violated, write ? "writes a sum that a product may still change (no wgmma.wait yet):"
                                 : "reads a sum before the wgmma.wait for its product:");
  state = kTouched;
  return true;
}

void Products::notePlain(const Warp& w, int root, i64 place, int lane) {
  if (now_.clocks.active() || !plan_.roots[root].matrix) return;
  cells_[root].shadow.at(place).plain = true;
  warps_[w.index].plains.push_back({root, lane, place});
}

// ---- statements

// change(state) for the registers that products use, of the active lanes.
template <class Change>
void Products::eachRegister(const Warp& w, Change change) {
  for (std::size_t r = 0; r < cells_.size(); ++r) {
    const Root& root = plan_.roots[r];
    if (cells_[r].sums.empty()) continue;
    for (const int lane : lanesIn(w.mask)) {
      const auto from = cells_[r].sums.begin() + copyOf(plan_, root, now_.block, w.thread(lane)) * root.places;
      std::for_each(from, from + root.places, change);
    }
  }
}

void Products::fence(const Warp& w, Span span) {
  findings_.together(w, span, "at this wgmma.fence with others of their warp");
  eachRegister(w, [](i64& state) { state = state == kTouched ? kFenced : state; });
}

void Products::commit(const Warp& w, Span span) {
  findings_.together(w, span, "at this wgmma.commit with others of their warp");
  ++warps_[w.index].groups;
}

void Products::wait(Warp& w, Span span, int pending) {
  findings_.together(w, span, "at this wgmma.wait with others of their warp");
  OfWarp& mine = warps_[w.index];
  const i64 landed = mine.groups - pending;
  eachRegister(w, [&](i64& state) { state = state >= 0 && state % kReading < landed ? kFenced : state; });
  std::erase_if(mine.readings, [&](const Reading& reading) {
    if (reading.group >= landed) return false;
    const Tag me = tagOf(now_, w, reading.leaf, reading.lane);
    Cells& cells = cells_[reading.root];
    for (const i64 place : reading.places) {
      Shadow& shadow = cells.shadow.at(place);
      if (shadow.products > 0) --shadow.products;
      noteReader(now_.clocks, cells, place, me);
    }
    return true;
  });
}

void Products::asyncFence(const Warp& w) {
  if (now_.clocks.active())
    for (const int lane : lanesIn(w.mask)) now_.clocks.fence(static_cast<std::size_t>(w.thread(lane)));
  OfWarp& mine = warps_[w.index];
  std::erase_if(mine.plains, [&](const Plain& p) {
    if (!holds(w.mask, p.lane)) return false;
    Shadow& shadow = cells_[p.root].shadow.at(p.place);
    if (shadow.write.thread == w.thread(p.lane)) shadow.plain = false;
    return true;
  });
  for (const int lane : lanesIn(w.mask)) mine.fenced[lane] = static_cast<std::uint32_t>(now_.phase) + 1;
}

void Products::compare(const std::vector<Warp>& warps) {
  for (std::size_t i = 0; i < warps.size(); ++i) {
    const Warp& first = warps[i / 4 * 4];
    if (warps_[i].issued == warps_[first.index].issued || first.pc == 0) continue;
    if (findings_.known(Obligation::Static, -2, 1, 0)) return;
    const Span span = plan_.steps[first.pc - 1].span;
    return findings_.fault(
        span, {span, now_.block, warps[i].thread(0), {}},
        fmt::format("thread {} and thread {} are in one warpgroup, but did not execute the same products before this",
                    warps[i].thread(0), first.thread(0)));
  }
}

}  // namespace tessera::graphene
