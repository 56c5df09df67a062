// Products of a warpgroup (wgmma): they own what they read and write from their issue until a wgmma.wait.
//
//     wgmma.fence                           orders earlier ordinary accesses to the registers of %acc
//     %acc <- MatMul<<<, #wg>>>(%a, %b)     %acc is in group 0; every place of %a and %b is being read
//     wgmma.commit   wgmma.wait 0           %acc may be read, %a and %b written, by other threads after a barrier
//
// A in registers follows the rules of accumulators: fenced before, untouched until the wait.
//
// The matrices are read through the asynchronous proxy. Ordinary writes (cp.async included) are visible after a
// fence.async of the writing thread, or of the reader if a barrier is between the write and the fence.
//
// Source: PTX ISA 9.7.15 (asynchronous warpgroup instructions), 8.5 (proxy-preserved causality order).
// Included by machine.cpp only.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/arith.h"
#include "solver/emulate/machine.h"

namespace tessera::graphene {

// Collects a warp's part of a group of 128: all of its lanes, in order. The other three warps execute separately.
template <class D>
bool Machine<D>::gatherWarpgroup(Warp& w, int index) {
  const PlanLeaf& leaf = plan_.leaves[index];
  const LaneValues& offsets = w.columns(leaf.group);
  const i64 first = static_cast<i64>(w.index) * kLanes, part = first - offsets[0];
  bool all = std::popcount(w.live) == kLanes && part >= 0 && part % kLanes == 0 && offsets[0] % leaf.atom.lanes == 0;
  for (const i64 offset : offsets) all = all && offset == offsets[0];
  for (std::size_t m = 0; m < leaf.members.size(); ++m) all = all && leaf.members[m] == static_cast<i64>(m);
  if (!all || part >= leaf.atom.lanes) {
    findings_.misplaced(w, index, 0, "is not of the four warps, of threads 128 n to 128 n + 127, that execute");
    return false;
  }
  quarter_ = static_cast<std::size_t>(part / kLanes);
  for (int lane = 0; lane < kLanes; ++lane) order_[positions_++] = static_cast<std::uint8_t>(lane);
  of(w).issued = (of(w).issued ^ static_cast<u64>(index + 1)) * 0x9e3779b97f4a7c15ULL;
  return true;
}

// Checks that every lane passes the same matrix, and that a descriptor can encode its start.
template <class D>
bool Machine<D>::sameMatrix(Warp& w, const Lookup& at) {
  const AtomMatrix* matrix = matrixOf(plan_.leaves[at.leaf].atom, static_cast<std::size_t>(at.operand));
  const i64 start = (*at.offset)[0];
  for (const i64 offset : *at.offset)
    if (offset != start) {
      findings_.misplaced(w, at.leaf, 0, "hands over another matrix than other threads of its warp to");
      return false;
    }
  if (matrix == nullptr || (floorMod(start, matrix->unit) == 0 && floorMod(start, matrix->repeats) < matrix->room))
    return true;
  reportPlace(w, at, Obligation::Static, 0, 0, start, nullptr,
              "hands over a matrix that does not begin with a line of its swizzle:");
  return false;
}

template <class D>
void Machine<D>::readMatrix(Warp& w, const Lookup& at, const Tag& me, std::vector<Value>& out) {
  const std::size_t slots = at.op->slots.count;
  out.assign(slots, D::undefined());
  if (!sameMatrix(w, at)) return;
  const int lane = order_[0];
  const bool suspect = holds(at.suspect, lane);
  const i64 base = placeOf(w, at, lane, 0);
  Reading reading{at.leaf, lane, at.op->root, of(w).products, {}};
  for (std::size_t s = 0; s < slots; ++s) {
    const i64 address = addressOf(at, lane, s);
    if (address < 0 || address >= at.root->places || (suspect && !inside(w, at, lane, s))) {
      reportPlace(w, at, Obligation::Bounds, lane, s, address, nullptr, "reads beyond the extents of");
      continue;
    }
    const Spot spot{lane, s, address, base + address, me};
    if (at.store->tracked && !matrixOrdered(w, at, spot)) continue;
    load(w, at, spot, out[s]);
    if (!at.store->tracked) continue;
    ++at.store->shadow.at(spot.place).products;
    reading.places.push_back(spot.place);
  }
  if (!reading.places.empty()) of(w).readings.push_back(std::move(reading));
}

// Checks that the write is visible to products.
template <class D>
bool Machine<D>::matrixOrdered(Warp& w, const Lookup& at, const Spot& spot) {
  const Shadow& shadow = at.store->shadow.at(spot.place);
  if (now_.clocks.active()) {
    const Tag& other = shadow.write;
    if (shadow.flying || other.leaf < 0 || other.epoch != 0 ||
        now_.clocks.knowsAsync(threadOf(w, spot.lane), other.thread, other.phase))
      return true;
  } else if (!shadow.plain || shadow.flying || shadow.write.phase + 1 < of(w).fenced[spot.lane])
    return true;
  reportPlace(w, at, Obligation::Races, spot.lane, spot.slot, spot.address, &shadow.write,
              "reads, by a product of a warpgroup, what was written without a fence.async after it:");
  return false;
}

// Accumulators, or A in registers. Reports and returns false if the order is violated.
template <class D>
bool Machine<D>::sumOrdered(Warp& w, const Lookup& at, const Spot& spot, bool write) {
  i64& state = at.store->sums[spot.place];
  const auto report = [&](Obligation obligation, std::string_view what) {
    reportPlace(w, at, obligation, spot.lane, spot.slot, spot.address, nullptr, what);
    return false;
  };
  if (plan_.leaves[at.leaf].atom.deferred) {
    const bool factor = at.operand > 0;
    if (state == kTouched && !write)
      (void)report(Obligation::Definedness,
                   factor ? "multiplies registers that were touched since the last wgmma.fence:"
                          : "adds a product to registers that were touched since the last wgmma.fence:");
    if (factor && state >= 0 && state < kReading)
      return report(Obligation::Definedness, "multiplies a sum before its product is waited for (wgmma.wait):");
    if (!factor && state >= kReading)
      return report(Obligation::Races,
                    "adds a product to registers that another one may still read (no wgmma.wait yet):");
    state = factor ? kReading + of(w).products : of(w).products;
    return true;
  }
  if (state >= kReading)  // PTX ISA, wgmma.wait_group: neither is allowed
    return report(write ? Obligation::Races : Obligation::Definedness,
                  write ? "writes registers that a product may still read (no wgmma.wait yet):"
                        : "reads registers that a product was given, before it is waited for (wgmma.wait):");
  if (state >= 0)
    return report(write ? Obligation::Races : Obligation::Definedness,
                  write ? "writes a sum that a product may still change (no wgmma.wait yet):"
                        : "reads a sum before its product is waited for (wgmma.wait):");
  state = kTouched;
  return true;
}

template <class D>
void Machine<D>::notePlain(Warp& w, int root, i64 place, int lane) {
  if (now_.clocks.active() || !plan_.roots[root].matrix) return;
  stores_[root].shadow.at(place).plain = true;
  of(w).plains.push_back({root, lane, place});
}

// ---- statements

template <class D>
void Machine<D>::productFence(Warp& w, const PlanStep& step) {
  findings_.together(w, step.span, "at this wgmma.fence with others of their warp");
  for (std::size_t r = 0; r < stores_.size(); ++r) {
    const Root& root = plan_.roots[r];
    std::vector<i64>& sums = stores_[r].sums;
    if (sums.empty()) continue;
    for (const int lane : lanesIn(w.mask)) {
      const auto from = sums.begin() + copyOf(plan_, root, now_.block, w.thread(lane)) * root.places;
      std::replace(from, from + root.places, kTouched, kFenced);
    }
  }
}

template <class D>
void Machine<D>::productCommit(Warp& w, const PlanStep& step) {
  findings_.together(w, step.span, "at this wgmma.commit with others of their warp");
  ++of(w).products;
}

// Completes the products of all but the newest `pending` groups; their operands are free again.
template <class D>
void Machine<D>::productWait(Warp& w, const PlanStep& step) {
  findings_.together(w, step.span, "at this wgmma.wait with others of their warp");
  const i64 landed = of(w).products - step.index;
  for (std::size_t r = 0; r < stores_.size(); ++r) {
    const Root& root = plan_.roots[r];
    std::vector<i64>& sums = stores_[r].sums;
    if (sums.empty()) continue;
    for (const int lane : lanesIn(w.mask)) {
      const auto from = sums.begin() + copyOf(plan_, root, now_.block, w.thread(lane)) * root.places;
      std::replace_if(
          from, from + root.places, [&](i64 s) { return s >= 0 && s % kReading < landed; }, kFenced);
    }
  }
  for (const Reading& reading : of(w).readings) {
    if (reading.group >= landed) continue;
    const Tag me = tagOf(now_, w, reading.leaf, reading.lane);
    for (const i64 place : reading.places) {
      Store& store = stores_[reading.root];
      Shadow& shadow = store.shadow.at(place);
      if (shadow.products > 0) --shadow.products;
      noteReader(store, place, me, threadOf(w, reading.lane));
    }
  }
  std::erase_if(of(w).readings, [&](const Reading& reading) { return reading.group < landed; });
}

template <class D>
void Machine<D>::asyncFence(Warp& w) {
  for (const int lane : lanesIn(now_.clocks.active() ? w.mask : 0)) now_.clocks.fence(threadOf(w, lane));
  for (const Plain& p : of(w).plains) {
    if (!holds(w.mask, p.lane)) continue;
    Shadow& shadow = stores_[p.root].shadow.at(p.place);
    if (shadow.write.thread == w.thread(p.lane)) shadow.plain = false;
  }
  std::erase_if(of(w).plains, [&](const Plain& p) { return holds(w.mask, p.lane); });
  for (const int lane : lanesIn(w.mask)) of(w).fenced[lane] = static_cast<std::uint32_t>(now_.phase) + 1;
}

// Checks that the four warps of a group have issued the same products, when they meet others or end.
template <class D>
void Machine<D>::sameProducts() {
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    const Warp& first = warps_[i / 4 * 4];
    if (inFlight_[i].issued == of(first).issued || first.pc == 0) continue;
    if (findings_.known(Obligation::Static, -2, 1, 0)) return;
    const Span span = plan_.steps[first.pc - 1].span;
    return findings_.fault(
        span, {span, now_.block, warps_[i].thread(0), {}},
        fmt::format("thread {} and thread {} are of one warpgroup, and did not execute the same products before this",
                    warps_[i].thread(0), first.thread(0)));
  }
}

}  // namespace tessera::graphene
