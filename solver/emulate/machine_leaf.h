// One instruction of a warp: groups the lanes, gathers the operands, applies the atom's function, scatters the results.
// Included by machine.cpp only.
#pragma once

#include <algorithm>
#include <bit>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "solver/emulate/machine.h"

namespace tessera::graphene {

template <class D>
void Machine<D>::execute(Warp& w, int index) {
  const PlanLeaf& leaf = plan_.leaves[index];
  if (!arrange(w, index)) return;
  const bool accumulates = leaf.atom.function == AtomFunction::MultiplyAdd;
  const Lookup out = look(w, index, 0);
  if (leaf.operands.size() > 1) gather(w, look(w, index, 1), in0_);
  if (leaf.operands.size() > 2) gather(w, look(w, index, 2), in1_);
  if (accumulates) {
    gather(w, out, out_);
  } else {
    out_.resize(positions_ * out.op->slots.count);
  }
  compute(leaf, index);
  writing_ = true;
  if (leaf.atom.box)
    scatterBulk(w, out, out_);
  else
    scatter(w, out, out_);
  writing_ = false;
  spend(1 + static_cast<i64>(leaf.terms.size() / 64));
  LeafCounts& counts = counts_[index];
  ++counts.executions;
  counts.lanes += static_cast<i64>(positions_);
  if (!options_.count) return;
  for (std::size_t k = 0; k < leaf.operands.size(); ++k)
    for (const AtlasAccess& access : leaf.operands[k].accesses) tally(w, look(w, index, static_cast<int>(k)), access);
}

// Fills order_ with the active lanes, group by group, by rank within the group.
template <class D>
bool Machine<D>::arrange(Warp& w, int index) {
  const PlanLeaf& leaf = plan_.leaves[index];
  positions_ = 0;
  if ((leaf.atom.collective || leaf.atom.together > 1) && w.mask != w.live) {
    findings_.misplaced(w, index, std::countr_zero(w.live & ~w.mask),
                        "is not there when the others of its warp execute");
    return false;
  }
  if (leaf.atom.lanes > kLanes) return gatherWarpgroup(w, index);
  if (leaf.group < 0) {
    for (const int lane : lanesIn(w.mask)) order_[positions_++] = static_cast<std::uint8_t>(lane);
    return positions_ != 0;
  }
  const LaneValues& offsets = w.columns(leaf.group);
  Lanes open = w.mask;
  bool all = true;
  while (open != 0) all = join(w, index, std::countr_zero(open), offsets, open) && all;
  return all && positions_ != 0;
}

// The group that `lane` belongs to.
template <class D>
bool Machine<D>::join(Warp& w, int index, int lane, const LaneValues& offsets, Lanes& open) {
  const PlanLeaf& leaf = plan_.leaves[index];
  const i64 first = static_cast<i64>(w.index) * kLanes, offset = offsets[lane];
  Lanes group = 0;
  for (const i64 member : leaf.members) {
    const i64 other = offset + member - first;
    const bool here = other >= 0 && other < kLanes && holds(open, other);
    if (!here || offsets[other] != offset) {
      findings_.misplaced(w, index, lane, "executes this with a group that is not all there, or is of another warp");
      open &= ~(Lanes{1} << lane);
      return false;
    }
    group |= Lanes{1} << other;
    order_[positions_++] = static_cast<std::uint8_t>(other);
  }
  if (!holds(group, lane)) {
    findings_.misplaced(w, index, lane, "executes this and is not in the group that does");
    open &= ~(Lanes{1} << lane);
    return false;
  }
  open &= ~group;
  return true;
}

template <class D>
auto Machine<D>::look(Warp& w, int leaf, int operand) -> Lookup {
  Lookup at;
  at.leaf = leaf;
  at.operand = operand;
  at.op = &plan_.leaves[leaf].operands[operand];
  at.root = &plan_.roots[at.op->root];
  at.store = &stores_[at.op->root];
  at.offset = &w.columns(at.op->offset);
  if (at.root->memory == Memory::Shared) at.instance = w.instance[at.op->root];
  for (std::size_t d = 0; d < at.op->extents.size(); ++d) {
    const LaneValues& origin = w.columns(at.op->origin[d]);
    const auto [least, most] = at.op->reach[d];
    const i64 room = at.op->extents[d] - most;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      at.suspect |= static_cast<Lanes>(origin[lane] + least < 0 || origin[lane] >= room) << lane;
  }
  if (at.op->outside)
    reportPlace(w, at, Obligation::Frame, order_[0], 0, -1, nullptr,
                "a specification around this one does not name it");
  return at;
}

template <class D>
std::vector<i64> Machine<D>::coordinate(Warp& w, const Lookup& at, int lane, std::size_t slot) {
  std::vector<i64> out;
  for (std::size_t d = 0; d < at.op->extents.size(); ++d)
    out.push_back(w.columns(at.op->origin[d])[lane] + at.op->slots.coordinates[slot * at.op->slots.dims + d]);
  return out;
}

template <class D>
bool Machine<D>::inside(Warp& w, const Lookup& at, int lane, std::size_t slot) {
  const std::vector<i64> c = coordinate(w, at, lane, slot);
  for (std::size_t d = 0; d < c.size(); ++d)
    if (c[d] < 0 || c[d] >= at.op->extents[d]) return false;
  return true;
}

template <class D>
i64 Machine<D>::placeOf(const Warp& w, const Lookup& at, int lane, i64 address) const {
  return copyOf(plan_, *at.root, now_.block, w.thread(lane)) * at.root->places + address;
}

template <class D>
void Machine<D>::gather(Warp& w, const Lookup& at, std::vector<Value>& out) {
  const std::size_t slots = at.op->slots.count;
  const auto lanes = static_cast<std::size_t>(plan_.leaves[at.leaf].atom.lanes);
  if (at.op->matrix) return readMatrix(w, at, tagOf(now_, w, at.leaf, order_[0]), out);
  // A warp's part of a warpgroup's operand: terms index the slots of all four warps.
  const std::size_t before = lanes > kLanes && at.operand > 0 ? quarter_ * kLanes : 0;
  out.assign((before + positions_) * slots, D::undefined());
  align(w, at);
  for (std::size_t p = 0; p < positions_; ++p) {
    const int lane = order_[p];
    const bool suspect = holds(at.suspect, lane);
    const Tag me = at.store->tracked ? tagOf(now_, w, at.leaf, lane) : Tag{};
    const i64 base = placeOf(w, at, lane, 0);
    for (std::size_t s = 0; s < slots; ++s) {
      if (at.op->used[(before + p) % lanes * slots + s] == 0) continue;
      const i64 address = addressOf(at, lane, s);
      if (address < 0 || address >= at.root->places || (suspect && !inside(w, at, lane, s))) {
        reportPlace(w, at, Obligation::Bounds, lane, s, address, nullptr, "reads beyond the extents of");
        continue;
      }
      load(w, at, {lane, s, address, base + address, me}, out[(before + p) * slots + s]);
    }
  }
}

template <class D>
void Machine<D>::load(Warp& w, const Lookup& at, const Spot& spot, Value& out) {
  Store& store = *at.store;
  const auto place = static_cast<std::size_t>(spot.place);
  if (options_.observer != nullptr && options_.observer->wants(at.op->root)) observe(w, at, spot);
  if (store.tracked && !loadOrdered(w, at, spot)) return;
  if (!store.sums.empty() && !sumOrdered(w, at, spot, /*write=*/false)) return;
  if (!store.defined.empty() && store.defined[place] != at.instance) {
    reportPlace(w, at, Obligation::Definedness, spot.lane, spot.slot, spot.address, nullptr,
                "reads what was never written:");
    return;
  }
  if (!store.writes.empty() && store.writes[place] == 0) noteUnwritten(w, at, spot);
  Value& value = store.values[place];
  if (D::kLazy && value == D::absent()) value = domain_.input(at.op->root, spot.place / at.root->places, spot.address);
  out = value;
}

// O6. Returns false if the value is still in flight.
template <class D>
bool Machine<D>::loadOrdered(Warp& w, const Lookup& at, const Spot& spot) {
  Shadow& shadow = at.store->shadow.at(spot.place);
  if (shadow.flying) {
    const bool own = shadow.write.block == spot.me.block && shadow.write.thread == spot.me.thread;
    reportPlace(w, at, own ? Obligation::Definedness : Obligation::Races, spot.lane, spot.slot, spot.address,
                &shadow.write,
                own ? "reads what its own copy may not have brought yet:" : "reads what a copy is bringing to");
    return false;
  }
  const std::size_t thread = threadOf(w, spot.lane);
  if (apart(shadow.write, spot.me, thread))
    reportPlace(w, at, Obligation::Races, spot.lane, spot.slot, spot.address, &shadow.write,
                "reads while another thread writes");
  if (now_.clocks.active())
    noteReader(*at.store, spot.place, spot.me, thread);
  else
    shadow.noteRead(spot.me);
  if (plan_.leaves[at.leaf].atom.async) {
    ++shadow.copies;
    of(w).sources.push_back({at.leaf, spot.lane, at.op->root, -1, spot.place});
  }
  return true;
}

// A read of a kernel output before it is written: allowed only for accumulation.
template <class D>
void Machine<D>::noteUnwritten(Warp& w, const Lookup& at, const Spot& spot) {
  const PlanSpec& kernel = plan_.specs[now_.kernel];
  if (kernel.spec->kind == SpecKind::MatMul || kernel.spec->kind == SpecKind::Generic) return;
  for (std::size_t k = static_cast<std::size_t>(kernel.outputs); k < kernel.operands.size(); ++k)
    if (kernel.operands[k].root == at.op->root) return;
  reportPlace(w, at, Obligation::Frame, spot.lane, spot.slot, spot.address, nullptr,
              "reads, before it is written, the output");
}

template <class D>
void Machine<D>::compute(const PlanLeaf& leaf, int index) {
  const int operation = operations_[index];
  const bool integers = conversions_[index].integers;
  const NumberFormat& type = plan_.roots[static_cast<std::size_t>(leaf.operands[0].root)].type;
  const auto lanes = static_cast<std::size_t>(leaf.atom.lanes);
  const std::size_t outs = std::min<std::size_t>(lanes, kLanes) * leaf.operands[0].slots.count;
  const std::size_t ins0 = leaf.operands.size() > 1 ? lanes * leaf.operands[1].slots.count : 0;
  const std::size_t ins1 = leaf.operands.size() > 2 ? lanes * leaf.operands[2].slots.count : 0;
  const AtomTerm* terms = leaf.terms.data();
  const int* first = leaf.firstTerm.data() + (lanes > kLanes ? quarter_ * outs : 0);
  for (std::size_t g = 0; g * lanes < positions_; ++g) {
    Value* out = out_.data() + g * outs;
    const Value* a = in0_.data() + g * ins0;
    const Value* b = in1_.data() + g * ins1;
    for (std::size_t i = 0; i < outs; ++i) {
      switch (leaf.atom.function) {
        case AtomFunction::Copy: {
          const int from = first[i];
          out[i] = from == first[i + 1] ? D::undefined() : a[terms[from].a];
          break;
        }
        case AtomFunction::Unary:
          out[i] = domain_.unary(operation, a[terms[i].a]);
          break;
        case AtomFunction::Binary:
          out[i] = integers ? domain_.integerBinary(operation, a[terms[i].a], b[terms[i].b], type)
                            : domain_.binary(operation, a[terms[i].a], b[terms[i].b]);
          break;
        case AtomFunction::Constant:
          out[i] = domain_.constant(leaf.constant);
          break;
        case AtomFunction::MultiplyAdd: {
          const auto from = static_cast<std::size_t>(first[i]), to = static_cast<std::size_t>(first[i + 1]);
          out[i] = integers ? domain_.integerMultiplyAdd(out[i], {terms + from, to - from}, a, b, type)
                            : domain_.multiplyAdd(out[i], {terms + from, to - from}, a, b);
          break;
        }
      }
    }
  }
}

template <class D>
void Machine<D>::scatter(Warp& w, const Lookup& at, std::vector<Value>& values) {
  const std::size_t slots = at.op->slots.count;
  const PlanLeaf& leaf = plan_.leaves[at.leaf];
  const auto lanes = static_cast<std::size_t>(leaf.atom.lanes);
  if (const Conversion& c = conversions_[at.leaf]; c.needed)
    for (Value& v : values) v = domain_.convert(v, c.operation, c.from, at.root->type);
  if (leaf.atom.function != AtomFunction::MultiplyAdd) align(w, at);
  for (std::size_t p = 0; p < positions_; ++p) {
    const int lane = order_[p];
    const bool suspect = holds(at.suspect, lane);
    const Tag me = at.store->tracked || !at.store->writes.empty() ? tagOf(now_, w, at.leaf, lane) : Tag{};
    const i64 base = placeOf(w, at, lane, 0);
    Flight* flight = nullptr;
    if (leaf.atom.async) {
      flight = &of(w).flights.emplace_back();
      flight->leaf = at.leaf;
      flight->lane = lane;
    }
    for (std::size_t s = 0; s < slots; ++s) {
      if (at.op->used[p % lanes * slots + s] == 0) continue;
      const i64 address = addressOf(at, lane, s);
      if (address < 0 || address >= at.root->places || (suspect && !inside(w, at, lane, s))) {
        reportPlace(w, at, Obligation::Bounds, lane, s, address, nullptr, "writes beyond the extents of");
        continue;
      }
      store(w, at, {lane, s, address, base + address, me}, values[p * slots + s], flight);
    }
  }
}

template <class D>
void Machine<D>::store(Warp& w, const Lookup& at, const Spot& spot, Value value, Flight* flight) {
  Store& store = *at.store;
  const auto place = static_cast<std::size_t>(spot.place);
  if (options_.observer != nullptr && options_.observer->wants(at.op->root)) observe(w, at, spot);
  if (!store.writes.empty()) noteOutput(w, at, spot);
  if (store.tracked) storeOrdered(w, at, spot, flight != nullptr);
  if (!store.sums.empty() && !sumOrdered(w, at, spot, /*write=*/true)) return;
  if (flight != nullptr) {
    flight->places.emplace_back(spot.place, value);
    return;
  }
  store.values[place] = value;
  if (!store.defined.empty()) store.defined[place] = at.instance;
}

template <class D>
void Machine<D>::storeOrdered(Warp& w, const Lookup& at, const Spot& spot, bool flies) {
  Shadow& shadow = at.store->shadow.at(spot.place);
  const auto told = [&](const Tag* other, std::string_view what) {
    reportPlace(w, at, Obligation::Races, spot.lane, spot.slot, spot.address, other, what);
  };
  if (shadow.flying) {
    told(&shadow.write, "writes where a copy is on its way:");
  } else if (const Tag* other = this->clash(*at.store, spot, threadOf(w, spot.lane))) {
    told(other, other == &shadow.write ? "writes while another thread writes" : "writes while another thread reads");
  }
  if (shadow.products != 0)
    told(&shadow.read,
         "writes what a product of a warpgroup may still read (no wgmma.wait yet, or no barrier after it):");
  if (shadow.copies != 0)
    told(&shadow.read, "writes what a copy on its way may still read (its thread has not waited for it):");
  shadow.noteWrite(spot.me);
  shadow.flying = flies;
  if (!flies) notePlain(w, at.op->root, spot.place, spot.lane);
}

// O5 of a kernel: without accumulation each place is written once, with it by one thread only. Generic kernels are not
// checked.
template <class D>
void Machine<D>::noteOutput(Warp& w, const Lookup& at, const Spot& spot) {
  std::uint8_t& writes = at.store->writes[spot.place];
  const SpecKind kind = plan_.specs[now_.kernel].spec->kind;
  if (writes != 0 && kind != SpecKind::Generic) {
    const Tag* other = at.store->tracked ? &at.store->shadow.at(spot.place).write : nullptr;
    const bool elsewhere = other != nullptr && (other->block != spot.me.block || other->thread != spot.me.thread);
    const bool accumulates = kind == SpecKind::MatMul || kind == SpecKind::Reduction;
    if (elsewhere || !accumulates)
      reportPlace(w, at, Obligation::Uniqueness, spot.lane, spot.slot, spot.address, other, "writes once more");
  }
  writes = 1;
}

// Each lane's vector must start at a multiple of its width and have adjacent slots.
template <class D>
void Machine<D>::align(Warp& w, const Lookup& at) {
  if (at.op->alignment <= 0) return;
  const std::size_t slots = at.op->slots.count;
  const auto lanes = static_cast<std::size_t>(plan_.leaves[at.leaf].atom.lanes);
  for (std::size_t p = 0; p < positions_; ++p) {
    if (at.op->used[p % lanes * slots] == 0) continue;
    const int lane = order_[p];
    const i64 offset = (*at.offset)[lane];
    bool good = true;
    i64 first = 0;
    for (std::size_t s = 0; s < slots && good; ++s) {
      const i64 address = at.op->swizzle(offset + at.op->slots.addresses[s]);
      const auto rest = static_cast<i64>(s) % at.op->alignment;
      if (rest == 0) first = address;
      good = rest == 0 ? floorMod(first, at.op->alignment) == 0 : address == first + rest;
      if (at.op->dense && rest == 0 && good) break;  // the rest follows contiguously
    }
    if (good) continue;
    reportPlace(w, at, Obligation::Static, lane, 0, first, nullptr,
                "is not aligned, or its slots do not lie side by side, in");
    return;
  }
}

template <class D>
void Machine<D>::observe(Warp& w, const Lookup& at, const Spot& spot) {
  const std::vector<i64> where = coordinate(w, at, spot.lane, spot.slot);
  const PlanLeaf& leaf = plan_.leaves[at.leaf];
  Touched t;
  t.write = writing_;
  t.async = (leaf.atom.async || leaf.atom.box) && writing_;
  t.leaf = at.leaf;
  t.operand = at.operand;
  t.block = now_.block;
  t.thread = w.thread(spot.lane);
  t.phase = now_.phase;
  t.root = at.op->root;
  t.address = spot.address;
  t.coordinate = where;
  options_.observer->touch(t);
}

// ---- cost

template <class D>
void Machine<D>::tally(Warp& w, const Lookup& at, const AtlasAccess& how) {
  const PlanLeaf& leaf = plan_.leaves[at.leaf];
  const auto lanes = static_cast<std::size_t>(leaf.atom.lanes);
  const std::size_t slots = at.op->slots.count;
  const i64 bytes = std::max(1, at.root->type.bits / 8);
  WarpAccess access;
  static_cast<AtlasAccess&>(access) = how;
  for (std::size_t p = 0; p < positions_; ++p) {
    if (at.op->used[p % lanes * slots] == 0) continue;
    const auto lane = static_cast<std::size_t>(order_[p]);
    const i64 address = at.op->swizzle((*at.offset)[lane] + at.op->slots.addresses[0]) * bytes;
    if (address >= 0 && address % access.width == 0) access.addresses[lane] = address;
  }
  if (options_.observer != nullptr && options_.observer->wantsRequests()) {
    const std::vector<i64> loops = w.columns.loopsOf(order_[0]);
    options_.observer->requested({at.leaf, at.operand, now_.block, w.index, loops, access});
  }
  LeafCounts& counts = counts_[at.leaf];
  if (how.space == MemorySpace::Global) {
    const Sectors touched = sectors(access.addresses, access.width);
    ++counts.requests;
    counts.sectors += touched.sectors;
    counts.idealSectors += touched.ideal;
    return;
  }
  counts.wavefronts += wavefronts(access);
  for (int phase = 0; phase < access.phases.count; ++phase) {
    bool busy = false;
    for (int i = 0; i < access.phases.lanes && !busy; ++i)
      busy = access.addresses[static_cast<std::size_t>(access.phases.lane(phase, i))] != kInactive;
    counts.idealWavefronts += busy ? 1 : 0;
  }
}

}  // namespace tessera::graphene
