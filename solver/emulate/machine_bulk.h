// TMA copies: in flight from their issue until a wait for their barrier's phase.
//
//     %s <- Move<bulk %full><<<, #one>>>(%g)    reads %g at issue; no access to %s before the wait
//
// A copy is ordered before the waits for its phase only, and after what its thread knows. It writes through the
// asynchronous proxy, so earlier ordinary writes need a fence.async before it. The order of landing is given by `seed`.
//
// Source: PTX ISA, cp.async.bulk.tensor, async proxy, mbarrier (tx-count). Included by machine.cpp only.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "solver/emulate/machine.h"

namespace tessera::graphene {

template <class D>
void Machine<D>::scatterBulk(Warp& w, const Lookup& at, std::vector<Value>& values) {
  const std::size_t slots = at.op->slots.count;
  if (writtenHere(plan_.leaves[at.leaf].operands[1].root))
    return findings_.halt("TMA copies from a tensor that this kernel writes: when it reads it is not followed");
  for (std::size_t p = 0; p < positions_; ++p) {
    const int lane = order_[p];
    Copy copy;
    if (!copies(w, at, lane, copy)) continue;
    const bool suspect = holds(at.suspect, lane);
    Tag me = tagOf(now_, w, at.leaf, lane);
    me.epoch = static_cast<std::uint16_t>(copy.barrier + 1);
    me.phase = ~std::uint32_t{0};  // unknown to all until it has landed
    const i64 base = placeOf(w, at, lane, 0);
    for (std::size_t s = 0; s < slots; ++s) {
      const i64 address = addressOf(at, lane, s);
      if (address < 0 || address >= at.root->places || (suspect && !inside(w, at, lane, s))) {
        reportPlace(w, at, Obligation::Bounds, lane, s, address, nullptr, "writes beyond the extents of");
        continue;
      }
      const Spot spot{lane, s, address, base + address, me};
      if (options_.observer != nullptr && options_.observer->wants(at.op->root)) observe(w, at, spot);
      if (!at.store->writes.empty()) noteOutput(w, at, spot);
      bulkOrdered(w, at, spot);
      copy.places.emplace_back(spot.place, values[p * slots + s]);
    }
    copies_.push_back(std::move(copy));
  }
}

// Whether an instruction of the running kernel writes the root.
template <class D>
bool Machine<D>::writtenHere(int root) const {
  return std::any_of(plan_.leaves.begin(), plan_.leaves.end(), [&](const PlanLeaf& leaf) {
    return leaf.operands[0].root == root && plan_.specs[leaf.parent].kernel == now_.kernel;
  });
}

// Checks its barrier and its start; false: the copy is not issued.
template <class D>
bool Machine<D>::copies(Warp& w, const Lookup& at, int lane, Copy& copy) {
  const PlanLeaf& leaf = plan_.leaves[at.leaf];
  const AtomBox& box = *leaf.atom.box;
  const auto number = barrierAt(w, plan_.barriers[leaf.barrier], lane, leaf.span);
  const std::size_t thread = threadOf(w, lane);
  if (!number || !ready(barriers_[*number], *number, thread, leaf.span, "lets a copy arrive at")) return false;
  const Barrier& b = barriers_[*number];
  if (now_.clocks.knows(thread, b.maker, b.made) && !now_.clocks.knowsAsync(thread, b.maker, b.made))
    reportBarrier(leaf.span, thread, 7,
                  fmt::format("lets a copy arrive at {}, and no fence.async follows its mbarrier.init: copies see "
                              "shared memory through another proxy",
                              nameOfBarrier(*number)));
  const i64 start = (*at.offset)[lane];
  if (floorMod(start, box.repeats) != 0)
    reportPlace(w, at, Obligation::Static, lane, 0, start, nullptr,
                "copies a box that does not begin with its swizzle to");
  copy.leaf = at.leaf;
  copy.barrier = *number;
  copy.thread = thread;
  copy.bytes = box.bytes;
  copy.instance = at.instance;
  while (now_.clocks.knows(thread, now_.clocks.agentOf(*number), static_cast<std::uint32_t>(copy.phases)))
    ++copy.phases;
  return true;
}

// O6 for the places that a copy will write.
template <class D>
void Machine<D>::bulkOrdered(Warp& w, const Lookup& at, const Spot& spot) {
  if (!at.store->tracked) return;
  Shadow& shadow = at.store->shadow.at(spot.place);
  const std::size_t thread = threadOf(w, spot.lane);
  const auto told = [&](const Tag* other, std::string_view what) {
    reportPlace(w, at, Obligation::Races, spot.lane, spot.slot, spot.address, other, what);
  };
  if (shadow.flying) {
    told(&shadow.write, "copies to where a copy is on its way:");
  } else if (const Tag* other = clash(*at.store, spot, thread)) {
    told(other, other == &shadow.write ? "copies to what another thread writes:"
                                       : "copies to what another thread still reads:");
  } else if (const Tag& last = shadow.write;
             last.leaf >= 0 && last.epoch == 0 && !now_.clocks.knowsAsync(thread, last.thread, last.phase)) {
    told(&last, "copies to what ordinary instructions wrote, and there is no fence.async between:");
  }
  if (shadow.products != 0) told(nullptr, "copies to what a product of a warpgroup may still read:");
  shadow.noteWrite(spot.me);
  shadow.flying = true;
}

template <class D>
void Machine<D>::landBulk(std::size_t which) {
  const Copy copy = std::move(copies_[which]);
  copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(which));
  Barrier& b = barriers_[copy.barrier];
  const PlanLeaf& leaf = plan_.leaves[copy.leaf];
  Store& store = stores_[static_cast<std::size_t>(leaf.operands[0].root)];
  if (copy.phases < b.phase)
    reportBarrier(
        leaf.span, copy.thread, 8,
        fmt::format("lets a copy arrive at {} in phase {}, and it may arrive while phase {} goes on: the thread has "
                    "not waited for it",
                    nameOfBarrier(copy.barrier), b.phase, copy.phases));
  for (const auto& [place, value] : copy.places) {
    store.values[place] = value;
    if (!store.defined.empty()) store.defined[place] = copy.instance;
    if (!store.tracked) continue;
    Shadow& shadow = store.shadow.at(place);
    shadow.flying = false;
    shadow.write.phase = static_cast<std::uint32_t>(b.phase);
  }
  b.bytes -= copy.bytes;
  b.landed = b.phase + 1;
  complete(copy.barrier);
}

// Reports copies that were never waited for and so may land after the block has ended.
template <class D>
void Machine<D>::leftOver() {
  for (std::size_t k = 0; k < barriers_.size(); ++k) {
    const Barrier& b = barriers_[k];
    if (b.landed <= b.seen) continue;
    for (const PlanLeaf& leaf : plan_.leaves)
      if (leaf.atom.box &&
          nameOfBarrier(k).starts_with(
              "%" + plan_.roots[static_cast<std::size_t>(plan_.barriers[leaf.barrier].root)].tensor.name)) {
        reportBarrier(leaf.span, 0, 10,
                      fmt::format("no thread waits for phase {} of {}: its copies may come when the block is gone",
                                  b.landed - 1, nameOfBarrier(k)));
        break;
      }
  }
}

}  // namespace tessera::graphene
