#include "solver/emulate/leaf/leaves.h"

#include "core/base/arith.h"
#include "core/base/work_budget.h"

namespace tessera::graphene {

template <class D>
Arithmetic<D>::Arithmetic(const Plan& plan, D& domain) : plan_(plan), domain_(domain) {
  for (std::size_t r = 0; r < plan.roots.size(); ++r) domain.describe(static_cast<int>(r), plan.roots[r].type);
  for (const PlanLeaf& leaf : plan.leaves) rows_.push_back(rowOf(leaf));
  factors_.resize(plan.leaves.size());
}

template <class D>
auto Arithmetic<D>::factorsOf(const PlanLeaf& leaf, int AtomTerm::*slot) -> Factors {
  Factors out;
  std::map<std::vector<int>, int> known;
  for (std::size_t i = 0; i + 1 < leaf.firstTerm.size(); ++i) {
    std::vector<int> list;
    for (int t = leaf.firstTerm[i]; t < leaf.firstTerm[i + 1]; ++t) list.push_back(leaf.terms[t].*slot);
    const auto [at, fresh] = known.try_emplace(list, static_cast<int>(out.lists.size()));
    if (fresh) out.lists.push_back(std::move(list));
    out.list.push_back(at->second);
  }
  return out;
}

// Outputs first to first + outs - 1 of the leaf, on terms.
template <class D>
void Arithmetic<D>::multiplyAdd(int leaf, std::size_t first, std::size_t outs, Value* out, const Value* a,
                                const Value* b) {
  if constexpr (std::is_same_v<D, Terms>) {
    auto& factors = factors_[leaf];
    if (!factors)
      factors.emplace(factorsOf(plan_.leaves[leaf], &AtomTerm::a), factorsOf(plan_.leaves[leaf], &AtomTerm::b));
    std::vector<Dots::Row> rows[2];
    std::vector<Value> values;
    const auto rowOf = [&](const Factors& from, std::vector<Dots::Row>& known, std::size_t output, const Value* slots) {
      if (known.empty()) known.assign(from.lists.size(), 0);
      Dots::Row& row = known[from.list[output]];
      if (row != 0) return row;
      values.clear();
      for (const int slot : from.lists[from.list[output]]) values.push_back(slots[slot]);
      return row = domain_.row(values);
    };
    for (std::size_t i = 0; i < outs; ++i) {
      if (out[i] == D::undefined()) continue;
      const Dots::Row left = rowOf(factors->first, rows[0], first + i, a);
      out[i] = domain_.addRows(out[i], left, rowOf(factors->second, rows[1], first + i, b));
    }
  }
}

template <class D>
auto Arithmetic<D>::rowOf(const PlanLeaf& leaf) -> Row {
  Row out;
  out.operation = domain_.operation(leaf.atom.operation);
  const auto typeOf = [&](std::size_t k) -> const NumberFormat& { return plan_.roots[leaf.operands[k].root].type; };
  const Root& to = plan_.roots[leaf.operands[0].root];
  const bool copies = leaf.atom.function == AtomFunction::Copy && leaf.operands.size() > 1;
  out.to = to.type;
  out.integers = leaf.operands.size() > 1;
  for (std::size_t k = 1; k < leaf.operands.size(); ++k) out.integers = out.integers && typeOf(k).precision == 0;
  if (leaf.atom.function == AtomFunction::MultiplyAdd) out.integers = out.integers && to.type.precision == 0;
  out.from = copies || out.integers ? typeOf(1) : NumberFormat{64, 53, -1022, 1023};
  if constexpr (D::kEncloses) {
    out.conversion = domain_.conversion(out.from, to.type, to.tensor.element);
    out.types = {leaf.operands.size() > 1 ? typeOf(1) : to.type,
                 to.type,
                 to.tensor.element,
                 leaf.atom.lanes > 1 && leaf.atom.function == AtomFunction::MultiplyAdd,
                 copies,
                 true};
    for (std::size_t k = 1; k < leaf.operands.size(); ++k)
      out.types.fits = out.types.fits && holdsAll(typeOf(k), to.type);
  }
  if (D::kRounds) {
    out.converts = !copies || !(out.from == to.type);
  } else if (!out.integers || copies || to.type.precision > 0) {  // over the integers (terms) arithmetic does not wrap
    out.conversion = domain_.conversion(out.from, to.type, to.tensor.element);
    out.converts = out.conversion >= 0;
  }
  return out;
}

template <class D>
void Arithmetic<D>::compute(int index, const LaneOrder& order, Values& values) {
  const PlanLeaf& leaf = plan_.leaves[index];
  const Row& row = rows_[index];
  if constexpr (D::kEncloses) domain_.enter(row.types);
  const auto lanes = static_cast<std::size_t>(leaf.atom.lanes);
  const std::size_t outs = std::min<std::size_t>(lanes, kLanes) * leaf.operands[0].slots.count;
  const std::size_t ins0 = leaf.operands.size() > 1 ? lanes * leaf.operands[1].slots.count : 0;
  const std::size_t ins1 = leaf.operands.size() > 2 ? lanes * leaf.operands[2].slots.count : 0;
  const AtomTerm* terms = leaf.terms.data();
  const int* first = leaf.firstTerm.data() + (lanes > kLanes ? order.quarter * outs : 0);
  for (std::size_t g = 0; g * lanes < order.count; ++g) {
    Value* out = values.out.data() + g * outs;
    const Value* a = values.a.data() + g * ins0;
    const Value* b = values.b.data() + g * ins1;
    if (D::kLazy && leaf.atom.function == AtomFunction::MultiplyAdd) {
      multiplyAdd(index, static_cast<std::size_t>(first - leaf.firstTerm.data()), outs, out, a, b);
      continue;
    }
    for (std::size_t i = 0; i < outs; ++i) switch (leaf.atom.function) {
        case AtomFunction::Copy: {
          const int from = first[i];
          out[i] = from == first[i + 1] ? D::undefined() : a[terms[from].a];
          break;
        }
        case AtomFunction::Unary:
          out[i] = domain_.unary(row.operation, a[terms[i].a]);
          break;
        case AtomFunction::Binary:
          out[i] = row.integers ? domain_.integerBinary(row.operation, a[terms[i].a], b[terms[i].b], row.to)
                                : domain_.binary(row.operation, a[terms[i].a], b[terms[i].b]);
          break;
        case AtomFunction::Constant:
          out[i] = domain_.constant(leaf.constant);
          break;
        case AtomFunction::MultiplyAdd: {
          if constexpr (!D::kLazy) {
            const std::span<const AtomTerm> products(terms + first[i], terms + first[i + 1]);
            out[i] = row.integers ? domain_.integerMultiplyAdd(out[i], products, a, b, row.to)
                                  : domain_.multiplyAdd(out[i], products, a, b);
          }
          break;
        }
      }
  }
}

template <class D>
void Arithmetic<D>::convert(int leaf, std::vector<Value>& values) {
  const Row& row = rows_[leaf];
  if (row.converts)
    for (Value& v : values) v = domain_.convert(v, row.conversion, row.from, row.to);
}

template class Arithmetic<Numbers>;
template class Arithmetic<Terms>;
template class Arithmetic<Enclosures>;

template <class D>
void BulkCopies<D>::issue(const LeafAccess& at, const LaneOrder& order, AccessChecks& checks,
                          const std::vector<Value>& values) {
  const auto writesSource = [&](const PlanLeaf& leaf) {
    return leaf.operands[0].root == at.leaf.operands[1].root && plan_.specs[leaf.parent].kernel == now_.kernel;
  };
  if (std::ranges::any_of(plan_.leaves, writesSource))
    return findings_.halt(
        "TMA copies from a tensor that this kernel writes: the emulator does not track when it reads");
  for (std::size_t p = 0; p < order.count; ++p) {
    const int lane = order.lanes[p];
    const auto arrival = barriers_.announce(at.warp, at.number, lane);
    if (!arrival) continue;
    if (const i64 start = at.offset[lane]; floorMod(start, at.leaf.atom.box->repeats) != 0)
      reportPlace(findings_, at, Obligation::Static, {lane, 0, start},
                  "copies a box that is not aligned to its swizzle to");
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
  const int root = plan_.leaves[copy.leaf].operands[0].root;
  const i64 phase = barriers_.land(copy.arrival, copy.leaf);
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
template class BulkCopies<Enclosures>;

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
auto Leaves<D>::read(const LeafAccess& at, const Spot& spot) -> Value {
  GuardedValues* guards = at.warp.guards;
  if (guards != nullptr && !guards->isDefined(at.op.root, spot.place, at.instance, at.warp.box[spot.lane])) {
    findings_.halt("a value is read that is not written at every size");
    return D::undefined();
  }
  return store_.read(at.op.root, spot.place);
}

template <class D>
void Leaves<D>::write(const Warp& w, int root, i64 place, Value value, std::uint32_t instance, Boxes::Id box) {
  if constexpr (std::is_same_v<D, Terms>) {
    if (w.guards != nullptr) {
      const auto& defined = store_.cells()[root].defined;
      const bool before = defined.empty() || defined[place] == instance;
      const auto all = w.guards->written(
          {root, place, instance, before ? store_.read(root, place) : Terms::undefined(), value, box});
      if (!all)
        return findings_.halt("an element of global memory is replaced at some of the sizes at which it exists");
      value = *all;
    }
  }
  store_.write(root, place, value, instance);
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
               if (checks_.read(at, spot)) out[(before + p) * slots + spot.slot] = read(at, spot);
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
  read.reserve(at.op.slots.count);
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
    if (at.leaf.atom.async)
      flight = &flights_[at.warp.index].emplace_back(Flight{at.number, lane, -1, {}, at.warp.box[lane]});
    eachSpot(findings_, at, lane, baseOf(plan_, now_, at, lane), me, at.op.used.data() + p % lanes * slots,
             "writes beyond the extents of", [&](const Spot& spot) {
               if (!checks_.write(at, spot, flight != nullptr)) return;
               const Value& value = values[p * slots + spot.slot];
               if (flight != nullptr)
                 flight->places.emplace_back(spot.place, value);
               else
                 write(at.warp, at.op.root, spot.place, value, at.instance, at.warp.box[spot.lane]);
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
      write(w, root, place, value, w.instance[root], f.box);
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
template class Leaves<Enclosures>;

}  // namespace tessera::graphene
