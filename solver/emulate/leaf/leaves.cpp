#include "solver/emulate/leaf/leaves.h"

#include "core/base/work_budget.h"

namespace tessera::graphene {

template <class D>
void Leaves<D>::begin(std::size_t warps) {
  flights_.assign(warps, {});
  groups_.begin(warps);
  bulk_.begin();
}

template <class D>
void Leaves<D>::execute(Warp& w, int index) {
  const PlanLeaf& leaf = plan_.leaves[index];
  if (!arrange(plan_, findings_, w, index, order_)) return;
  if (leaf.atom.lanes > kLanes) products_.issued(w, index);
  const LeafAccess out = access(w, index, 0);
  if (leaf.operands.size() > 1) gather(access(w, index, 1), values_.a);
  if (leaf.operands.size() > 2) gather(access(w, index, 2), values_.b);
  if (leaf.atom.function == AtomFunction::MultiplyAdd)
    gather(out, values_.out);
  else
    values_.out.resize(order_.count * out.op.slots.count);
  arithmetic_.compute(index, order_, values_);
  if (leaf.atom.box) {
    bulk_.issue(out, order_, checks_, values_.out);
  } else {
    arithmetic_.convert(index, values_.out);
    scatter(out, values_.out);
  }
  spend(1 + static_cast<i64>(leaf.terms.size() / 64));
  ++counts_[index].executions;
  counts_[index].lanes += static_cast<i64>(order_.count);
  if (!options_.count) return;
  for (std::size_t k = 0; k < leaf.operands.size(); ++k)
    for (const AtlasAccess& how : leaf.operands[k].accesses) tally(access(w, index, static_cast<int>(k)), how);
}

template <class D>
void Leaves<D>::gather(const LeafAccess& at, std::vector<Value>& out) {
  if (at.op.matrix) return gatherMatrix(at, out);
  const std::size_t slots = at.op.slots.count;
  const auto lanes = static_cast<std::size_t>(at.leaf.atom.lanes);
  // A warp's part of a warpgroup's operand: terms index the slots of all four warps.
  const std::size_t before = lanes > kLanes && at.operand > 0 ? order_.quarter * kLanes : 0;
  out.assign((before + order_.count) * slots, D::undefined());
  checkAlignment(findings_, at, order_);
  for (std::size_t p = 0; p < order_.count; ++p) {
    const int lane = order_.lanes[p];
    const Tag me = at.cells.tracked ? tagOf(now_, at.warp, at.number, lane) : Tag{};
    eachSpot(findings_, at, lane, baseOf(plan_, now_, at, lane), me, at.op.used.data() + (before + p) % lanes * slots,
             "reads beyond the extents of", [&](const Spot& spot) {
               if (checks_.read(at, spot)) out[(before + p) * slots + spot.slot] = store_.read(at.op.root, spot.place);
             });
  }
}

template <class D>
void Leaves<D>::gatherMatrix(const LeafAccess& at, std::vector<Value>& out) {
  const int lane = order_.lanes[0];
  const Tag me = tagOf(now_, at.warp, at.number, lane);
  out.assign(at.op.slots.count, D::undefined());
  if (!products_.passesMatrix(at)) return;
  std::vector<i64> read;
  eachSpot(findings_, at, lane, baseOf(plan_, now_, at, lane), me, nullptr, "reads beyond the extents of",
           [&](const Spot& spot) {
             if (at.cells.tracked && !products_.seesMatrix(at, spot)) return;
             if (checks_.read(at, spot)) out[spot.slot] = store_.read(at.op.root, spot.place);
             if (at.cells.tracked) read.push_back(spot.place);
           });
  products_.readsMatrix(at, lane, std::move(read));
}

template <class D>
void Leaves<D>::scatter(const LeafAccess& at, const std::vector<Value>& values) {
  const std::size_t slots = at.op.slots.count;
  const auto lanes = static_cast<std::size_t>(at.leaf.atom.lanes);
  if (at.leaf.atom.function != AtomFunction::MultiplyAdd) checkAlignment(findings_, at, order_);
  for (std::size_t p = 0; p < order_.count; ++p) {
    const int lane = order_.lanes[p];
    const bool tagged = at.cells.tracked || !at.cells.writes.empty();
    const Tag me = tagged ? tagOf(now_, at.warp, at.number, lane) : Tag{};
    Flight* flight = nullptr;
    if (at.leaf.atom.async) flight = &flights_[at.warp.index].emplace_back(Flight{at.number, lane, -1, {}});
    eachSpot(findings_, at, lane, baseOf(plan_, now_, at, lane), me, at.op.used.data() + p % lanes * slots,
             "writes beyond the extents of", [&](const Spot& spot) {
               if (!checks_.write(at, spot, flight != nullptr)) return;
               const Value& value = values[p * slots + spot.slot];
               if (flight != nullptr)
                 flight->places.emplace_back(spot.place, value);
               else
                 store_.write(at.op.root, spot.place, value, at.instance);
             });
  }
}

template <class D>
void Leaves<D>::tally(const LeafAccess& at, const AtlasAccess& how) {
  const WarpAccess request = requestOf(at, order_, how);
  if (options_.observer != nullptr && options_.observer->wantsRequests()) {
    const std::vector<i64> loops = at.warp.columns.loopsOf(order_.lanes[0]);
    options_.observer->requested({at.number, at.operand, now_.block, at.warp.index, loops, request});
  }
  count(counts_[at.number], request);
}

// ---- cp.async

template <class D>
void Leaves<D>::commit(const Warp& w) {
  for (Flight& f : flights_[w.index])
    if (f.group < 0 && holds(w.mask, f.lane)) f.group = groups_.open(w, f.lane);
  groups_.commit(w);
}

// Completes the copies of all but the newest `pending` groups.
template <class D>
void Leaves<D>::wait(Warp& w, int pending) {
  std::erase_if(flights_[w.index], [&](const Flight& f) {
    if (!groups_.arrived(w, f.lane, f.group, pending)) return false;
    const int root = plan_.leaves[f.leaf].operands[0].root;
    const Tag me = tagOf(now_, w, f.leaf, f.lane);
    for (const auto& [place, value] : f.places) {
      store_.write(root, place, value, w.instance[root]);
      Shadow& shadow = store_.cells()[root].shadow.at(place);
      shadow.write = me;
      shadow.flying = false;
      products_.notePlain(w, root, place, f.lane);
    }
    return true;
  });
  groups_.release(w, pending);
}

template class Leaves<Numbers>;
template class Leaves<Terms>;

}  // namespace tessera::graphene
