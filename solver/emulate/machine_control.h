// Control flow of a machine: warps, masks, loops, barriers and fresh storage. Included by machine.cpp only.
#pragma once

#include <algorithm>
#include <numeric>
#include <random>

#include "solver/emulate/machine.h"
#include "solver/emulate/slots.h"

namespace tessera::graphene {

inline bool holdsComparison(i64 a, const std::string& op, i64 b) {
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  return op == "==" ? a == b : a != b;
}

template <class D>
Machine<D>::Machine(const Plan& plan, D& domain, MachineOptions options)
    : plan_(plan), domain_(domain), options_(options), stores_(plan.roots.size()), counts_(plan.leaves.size()) {
  for (std::size_t r = 0; r < plan.roots.size(); ++r) domain_.describe(static_cast<int>(r), plan.roots[r].type);
  for (const PlanLeaf& leaf : plan.leaves) {
    operations_.push_back(domain_.operation(leaf.atom.operation));
    conversions_.push_back(conversionOf(leaf));
  }
  std::vector<char> declared(plan.roots.size(), 0);
  for (const PlanStep& s : plan.steps)
    if (s.code == PlanStep::Code::Fresh) declared[static_cast<std::size_t>(s.index)] = 1;
  for (std::size_t r = 0; r < plan.roots.size(); ++r) {
    const Root& root = plan.roots[r];
    const auto size = static_cast<std::size_t>(root.places * root.copies);
    stores_[r].tracked = root.memory != Memory::Register && root.written;
    stores_[r].values.assign(size, D::undefined());
    if (stores_[r].tracked) stores_[r].shadow.resize(root.places * root.copies);
    if (root.sums) stores_[r].sums.assign(size, kFenced);
    if (declared[r] != 0) stores_[r].defined.assign(size, 0);
  }
  reset();
}

template <class D>
auto Machine<D>::conversionOf(const PlanLeaf& leaf) -> Conversion {
  Conversion out;
  const auto typeOf = [&](std::size_t k) -> const NumberFormat& {
    return plan_.roots[static_cast<std::size_t>(leaf.operands[k].root)].type;
  };
  const Root& to = plan_.roots[static_cast<std::size_t>(leaf.operands[0].root)];
  const bool copies = leaf.atom.function == AtomFunction::Copy && leaf.operands.size() > 1;
  out.integers = leaf.operands.size() > 1;
  for (std::size_t k = 1; k < leaf.operands.size(); ++k) out.integers = out.integers && typeOf(k).precision == 0;
  if (leaf.atom.function == AtomFunction::MultiplyAdd) out.integers = out.integers && to.type.precision == 0;
  out.from = copies || out.integers ? typeOf(1) : NumberFormat{64, 53, -1022, 1023};
  if (D::kRounds) {
    out.needed = !copies || !(out.from == to.type);
  } else if (!out.integers || copies || to.type.precision > 0) {  // over the integers (terms) arithmetic does not wrap
    out.operation = domain_.conversion(out.from, to.type, to.tensor.element);
    out.needed = out.operation >= 0;
  }
  return out;
}

template <class D>
void Machine<D>::reset() {
  for (std::size_t r = 0; r < plan_.roots.size(); ++r) {
    const Root& root = plan_.roots[r];
    Store& store = stores_[r];
    store.shadow.clear();
    std::fill(store.defined.begin(), store.defined.end(), root.operand ? 1 : 0);
    if (root.operand) std::fill(store.values.begin(), store.values.end(), D::absent());
  }
}

template <class D>
i64 Machine<D>::copyOf(const Root& root, i64 block, i64 thread) const {
  if (root.memory == Memory::Global) return 0;
  const i64 base = root.operand ? block : 0;
  return root.memory == Memory::Shared ? base : base * plan_.threads + thread;
}

template <class D>
void Machine<D>::fill(int root, const Fill& value) {
  const Root& r = plan_.roots[static_cast<std::size_t>(root)];
  const i64 threads = r.memory == Memory::Register ? plan_.threads : 1;
  for (i64 c = 0; c < r.copies; ++c)
    for (i64 a = 0; a < r.places; ++a)
      stores_[static_cast<std::size_t>(root)].values[static_cast<std::size_t>(c * r.places + a)] =
          value(c / threads, c % threads, a);
}

template <class D>
void Machine<D>::set(int root, i64 block, i64 thread, i64 address, Value value) {
  const Root& r = plan_.roots[static_cast<std::size_t>(root)];
  if (address < 0 || address >= r.places) return;
  const auto at = static_cast<std::size_t>(copyOf(r, block, thread) * r.places + address);
  Store& store = stores_[static_cast<std::size_t>(root)];
  store.values[at] = value;
  if (!store.defined.empty()) store.defined[at] = 1;
}

template <class D>
auto Machine<D>::value(int root, i64 block, i64 thread, i64 address) const -> std::optional<Value> {
  const Root& r = plan_.roots[static_cast<std::size_t>(root)];
  if (address < 0 || address >= r.places) return std::nullopt;
  const auto at = static_cast<std::size_t>(copyOf(r, block, thread) * r.places + address);
  const Store& store = stores_[static_cast<std::size_t>(root)];
  if (!store.defined.empty() && store.defined[at] == 0) return std::nullopt;
  const Value found = store.values[at];
  if (D::kLazy && found == D::absent()) return domain_.input(root, copyOf(r, block, thread), address);
  return found;
}

// ---- runs

template <class D>
void Machine<D>::run() {
  for (const int k : plan_.kernels) {
    if (halted()) return;
    runKernel(k);
  }
}

template <class D>
void Machine<D>::runKernel(int kernel) {
  const PlanSpec& spec = plan_.specs[static_cast<std::size_t>(kernel)];
  for (std::size_t r = 0; r < stores_.size(); ++r) {
    stores_[r].shadow.clear();  // a kernel launch orders everything
    stores_[r].readers.clear();
    stores_[r].writes.clear();
  }
  std::vector<i64> blocks(static_cast<std::size_t>(spec.blocks));
  std::iota(blocks.begin(), blocks.end(), i64{0});
  if (options_.seed != 0) std::shuffle(blocks.begin(), blocks.end(), std::mt19937_64(options_.seed));
  for (const i64 b : blocks) {
    if (halted()) return;
    runBlock(kernel, b);
  }
  if (!halted()) coverage(kernel);
}

template <class D>
void Machine<D>::runBlock(int kernel, i64 block) {
  const PlanSpec& spec = plan_.specs[static_cast<std::size_t>(kernel)];
  for (int k = 0; k < spec.outputs; ++k) {
    Store& store = stores_[static_cast<std::size_t>(spec.operands[static_cast<std::size_t>(k)].root)];
    if (store.writes.empty()) store.writes.assign(store.values.size(), 0);
  }
  for (std::size_t r = 0; r < stores_.size(); ++r) {
    if (plan_.roots[r].operand) continue;
    std::fill(stores_[r].defined.begin(), stores_[r].defined.end(), 0);
    stores_[r].shadow.clear();
    stores_[r].readers.clear();
  }
  for (Store& store : stores_) std::fill(store.sums.begin(), store.sums.end(), kTouched);
  begin(kernel, block, {});
  for (Warp& w : warps_) {
    w.pc = spec.begin;
    for (std::size_t r = 0; r < plan_.roots.size(); ++r) w.instance[r] = plan_.roots[r].operand ? 1 : 0;
  }
  finish(spec.end);
}

template <class D>
void Machine<D>::runSpec(int index, i64 block, std::span<const i64> loops, std::span<const char> enabled) {
  const PlanSpec& spec = plan_.specs[static_cast<std::size_t>(index)];
  for (Store& store : stores_) {
    store.shadow.clear();
    store.readers.clear();
    std::fill(store.sums.begin(), store.sums.end(), kFenced);  // assume that the caller has fenced
  }
  begin(spec.kernel, block, enabled);
  for (Warp& w : warps_) {
    w.pc = spec.begin;
    for (std::size_t l = 0; l < w.loops.size() && l < loops.size(); ++l) w.loops[l].fill(loops[l]);
  }
  finish(spec.end);
}

template <class D>
void Machine<D>::begin(int kernel, i64 block, std::span<const char> enabled) {
  block_ = block;
  phase_ = 0;
  kernel_ = kernel;
  const i64 threads = plan_.specs[static_cast<std::size_t>(kernel)].threads;
  warps_.resize(static_cast<std::size_t>((threads + kLanes - 1) / kLanes));
  beginBarriers(static_cast<std::size_t>(threads));
  for (std::size_t i = 0; i < warps_.size(); ++i) {
    Warp& w = warps_[i];
    w.index = static_cast<int>(i);
    w.live = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      const i64 thread = static_cast<i64>(i) * kLanes + lane;
      const bool on = thread < threads && (enabled.empty() || (static_cast<std::size_t>(thread) < enabled.size() &&
                                                               enabled[static_cast<std::size_t>(thread)] != 0));
      if (on) w.live |= Lanes{1} << lane;
      w.threads[static_cast<std::size_t>(lane)] = thread;
      w.blocks[static_cast<std::size_t>(lane)] = block;
    }
    w.mask = w.live;
    w.masks.clear();
    w.status = w.live == 0 ? Status::Done : Status::Ready;
    w.epoch = 0;
    w.loops.assign(plan_.loops.size(), {});
    w.clock = 1;
    w.stepped.assign(plan_.loops.size(), 1);
    w.columns.resize(plan_.columns.size());
    w.computed.assign(plan_.columns.size(), 0);
    w.instance.assign(plan_.roots.size(), 1);
    w.groups.fill(0);
    w.flights.clear();
    w.sources.clear();
    w.readings.clear();
    w.plains.clear();
    w.products = 0;
    w.issued = 0;
    w.fenced.fill(0);
    w.moved = true;
  }
}

template <class D>
void Machine<D>::finish(std::size_t end) {
  std::vector<std::size_t> order(warps_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(options_.seed + static_cast<u64>(block_));
  const auto done = [](const Warp& w) { return w.status == Status::Done; };
  while (!halted()) {
    if (options_.seed != 0) std::shuffle(order.begin(), order.end(), random);
    for (const std::size_t i : order)
      if (warps_[i].status == Status::Ready) proceed(warps_[i], end);
    if (clocks_.active()) {
      if (halted() || !goOn(random)) return;
      continue;
    }
    if (!halted()) sameProducts();
    if (halted() || std::all_of(warps_.begin(), warps_.end(), done)) return;
    meet();
  }
}

template <class D>
void Machine<D>::proceed(Warp& w, std::size_t end) {
  while (!halted() && w.status == Status::Ready) {
    if (++steps_ > options_.maxSteps) return halt("it takes too many steps");
    if ((steps_ & 63) == 0 && options_.cancel != nullptr && options_.cancel->load(std::memory_order_relaxed))
      return halt("cancelled");
    if ((steps_ & 15) == 0 && trackedBytes() > kMaxTracked)
      return halt("it touches too much memory to watch for races");
    const PlanStep& step = plan_.steps[w.pc];
    if (w.pc == end) {
      if (options_.observer != nullptr) options_.observer->exit(step.index, block_, w.index, w.mask);
      w.status = Status::Done;
      return;
    }
    ++w.pc;
    if (step.code == PlanStep::Code::Leaf) {
      execute(w, step.index);
    } else if (!control(w, step)) {
      return;
    }
  }
}

template <class D>
std::size_t Machine<D>::trackedBytes() const {
  std::size_t pages = 0;
  for (const Store& store : stores_) pages += store.shadow.made();
  return pages * ShadowMap::kPage * sizeof(Shadow);
}

// Every warp waits or has ended: those that wait proceed together. With divergent barriers, a device would hang here.
template <class D>
void Machine<D>::meet() {
  Warp* first = nullptr;
  for (Warp& w : warps_)
    if (first == nullptr && w.status == Status::Waiting) first = &w;
  const PlanStep& at = plan_.steps[first->pc - 1];
  for (Warp& w : warps_) {
    const bool same = w.live == 0 || (w.status == Status::Waiting && w.pc == first->pc);
    if (!same) reportStep(w, at, w.live, "while others wait at this barrier");
  }
  ++phase_;
  std::vector<std::size_t> together;
  for (Warp& w : warps_) {
    if (w.status != Status::Waiting) continue;
    for (int lane = 0; clocks_.active() && lane < kLanes; ++lane)
      if ((w.mask >> lane & 1) != 0) together.push_back(threadOf(w, lane));
    w.status = Status::Ready;
    w.epoch = 0;
  }
  if (clocks_.active()) clocks_.meet(together);
  if (options_.observer != nullptr) options_.observer->barrier(block_, phase_);
}

template <class D>
bool Machine<D>::control(Warp& w, const PlanStep& step) {
  switch (step.code) {
    case PlanStep::Code::Enter:
      if (options_.observer != nullptr) options_.observer->enter(step.index, block_, w.index, w.mask);
      return true;
    case PlanStep::Code::Exit:
      if (options_.observer != nullptr) options_.observer->exit(step.index, block_, w.index, w.mask);
      return true;
    case PlanStep::Code::Fresh:
      fresh(w, step.index);
      return true;
    case PlanStep::Code::If: {
      const Lanes taken = w.mask & condition(w, plan_.conditions[static_cast<std::size_t>(step.index)]);
      w.masks.emplace_back(w.mask, taken);
      w.mask = taken;
      if (taken == 0) w.pc = step.target;
      return true;
    }
    case PlanStep::Code::Else:
      w.mask = w.masks.back().first & ~w.masks.back().second;
      if (w.mask == 0) w.pc = step.target;
      return true;
    case PlanStep::Code::EndIf:
      w.mask = w.masks.back().first;
      w.masks.pop_back();
      return true;
    case PlanStep::Code::Loop:
    case PlanStep::Code::EndLoop:
      loop(w, step);
      return true;
    case PlanStep::Code::Sync:
      if (w.mask != w.live) reportStep(w, step, w.live & ~w.mask, "while others of its warp wait at this barrier");
      w.status = Status::Waiting;
      return false;
    case PlanStep::Code::SyncWarp:
      if (w.mask != w.live) reportStep(w, step, w.live & ~w.mask, "while others of its warp wait at this syncwarp");
      ++w.epoch;
      meetLanes(w);
      return true;
    case PlanStep::Code::Commit:
      for (Flight& f : w.flights)
        if (f.group < 0 && (w.mask >> f.lane & 1) != 0) f.group = w.groups[static_cast<std::size_t>(f.lane)];
      for (Source& s : w.sources)
        if (s.group < 0 && (w.mask >> s.lane & 1) != 0) s.group = w.groups[static_cast<std::size_t>(s.lane)];
      for (int lane = 0; lane < kLanes; ++lane) w.groups[static_cast<std::size_t>(lane)] += w.mask >> lane & 1;
      return true;
    case PlanStep::Code::Wait:
      land(w, step.index);
      return true;
    case PlanStep::Code::ProductFence:
      productFence(w, step);
      return true;
    case PlanStep::Code::ProductCommit:
      productCommit(w, step);
      return true;
    case PlanStep::Code::ProductWait:
      productWait(w, step);
      return true;
    case PlanStep::Code::AsyncFence:
      asyncFence(w);
      return true;
    case PlanStep::Code::Barrier:
      return barrier(w, step);
    case PlanStep::Code::Leaf:
    case PlanStep::Code::Stop:
      w.status = Status::Done;
      return false;
  }
  return false;
}

template <class D>
void Machine<D>::loop(Warp& w, const PlanStep& step) {
  const auto index = static_cast<std::size_t>(step.index);
  const PlanLoop& row = plan_.loops[index];
  const bool entry = step.code == PlanStep::Code::Loop;
  if (entry) w.masks.emplace_back(w.mask, 0);
  const std::array<i64, kLanes> lo = entry ? column(w, row.lo) : std::array<i64, kLanes>{};
  const std::array<i64, kLanes>& hi = column(w, row.hi);
  std::array<i64, kLanes>& value = w.loops[index];
  Lanes on = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if ((w.mask >> lane & 1) == 0) continue;
    value[lane] = entry ? lo[lane] : static_cast<i64>(static_cast<u64>(value[lane]) + static_cast<u64>(row.step));
    if (value[lane] < hi[lane]) on |= Lanes{1} << lane;
  }
  w.stepped[index] = ++w.clock;
  w.moved = true;
  w.mask = on;
  if (on != 0) {
    if (!entry) w.pc = step.target;
    return;
  }
  w.mask = w.masks.back().first;
  w.masks.pop_back();
  if (entry) w.pc = step.target;
}

template <class D>
auto Machine<D>::condition(Warp& w, const std::vector<PlanComparison>& all) -> Lanes {
  Lanes out = ~Lanes{0};
  for (const PlanComparison& c : all) {
    const auto& left = column(w, c.left);
    const auto& right = column(w, c.right);
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      if (!holdsComparison(left[lane], c.op, right[lane])) out &= ~(Lanes{1} << lane);
  }
  return out;
}

// Cached; recomputed after a step of a loop that the column reads.
template <class D>
auto Machine<D>::column(Warp& w, int index) -> const std::array<i64, kLanes>& {
  const Column& c = plan_.columns[static_cast<std::size_t>(index)];
  std::array<i64, kLanes>& out = w.columns[static_cast<std::size_t>(index)];
  u64& computed = w.computed[static_cast<std::size_t>(index)];
  bool current = computed != 0;
  for (const int l : c.loops) current = current && w.stepped[static_cast<std::size_t>(l)] <= computed;
  if (current) return out;
  digits_.assign({w.blocks.data(), w.threads.data()});
  for (const auto& values : w.loops) digits_.push_back(values.data());
  c.program.runBlock(digits_, {}, kLanes, out.data(), scratch_);
  computed = w.clock;
  return out;
}

template <class D>
i64 Machine<D>::evaluate(int column, i64 block, i64 thread, std::span<const i64> loops) const {
  std::vector<i64> digits{block, thread};
  digits.insert(digits.end(), loops.begin(), loops.end());
  digits.resize(2 + plan_.loops.size(), 0);
  return plan_.columns[static_cast<std::size_t>(column)].program.run(digits);
}

// ---- storage

template <class D>
void Machine<D>::fresh(Warp& w, int root) {
  const Root& r = plan_.roots[static_cast<std::size_t>(root)];
  Store& store = stores_[static_cast<std::size_t>(root)];
  if (r.memory == Memory::Shared) ++w.instance[static_cast<std::size_t>(root)];
  if (r.memory != Memory::Register) return;
  for (int lane = 0; lane < kLanes; ++lane) {
    if ((w.mask >> lane & 1) == 0) continue;
    const auto from = store.defined.begin() + copyOf(r, block_, w.threads[static_cast<std::size_t>(lane)]) * r.places;
    std::fill(from, from + r.places, 0);
  }
}

// Completes the copies of all but the newest `pending` groups.
template <class D>
void Machine<D>::land(Warp& w, int pending) {
  std::size_t kept = 0;
  for (Flight& f : w.flights) {
    if (!arrived(w, f.lane, f.group, pending)) {
      if (&w.flights[kept] != &f) w.flights[kept] = std::move(f);
      ++kept;
      continue;
    }
    const auto root = static_cast<std::size_t>(plan_.leaves[static_cast<std::size_t>(f.leaf)].operands[0].root);
    Store& store = stores_[root];
    const Tag me = tag(w, f.leaf, f.lane);
    for (const auto& [place, value] : f.places) {
      store.values[static_cast<std::size_t>(place)] = value;
      if (!store.defined.empty()) store.defined[static_cast<std::size_t>(place)] = w.instance[root];
      Shadow& shadow = store.shadow.at(place);
      shadow.write = me;
      shadow.flying = false;
      notePlain(w, static_cast<int>(root), place, f.lane);
    }
  }
  w.flights.resize(kept);
  release(w, pending);
}

// The sources of these copies may be overwritten: by their threads, and by others after a barrier.
template <class D>
void Machine<D>::release(Warp& w, int pending) {
  std::erase_if(w.sources, [&](const Source& s) {
    if (!arrived(w, s.lane, s.group, pending)) return false;
    Store& store = stores_[static_cast<std::size_t>(s.root)];
    Shadow& shadow = store.shadow.at(s.place);
    const Tag me = tag(w, s.leaf, s.lane);
    --shadow.copies;
    if (clocks_.active())
      noteReader(store, s.place, me, threadOf(w, s.lane));
    else
      shadow.noteRead(me);
    return true;
  });
}

template <class D>
bool Machine<D>::dependsOnBlock(int column, i64 blocks) const {
  const i64 first = evaluate(column, 0, 0, {});
  for (i64 b = 1; b < blocks; ++b)
    if (evaluate(column, b, 0, {}) != first) return true;
  return false;
}

// O4 of a kernel.
template <class D>
void Machine<D>::coverage(int kernel) {
  const PlanSpec& spec = plan_.specs[static_cast<std::size_t>(kernel)];
  for (int k = 0; k < spec.outputs; ++k) {
    const PlanOperand& op = spec.operands[static_cast<std::size_t>(k)];
    const Root& root = plan_.roots[static_cast<std::size_t>(op.root)];
    const Store& store = stores_[static_cast<std::size_t>(op.root)];
    auto slots = slotsOf(spec.spec->outputs[static_cast<std::size_t>(k)]);
    if (!slots) slots = slotsOf(root.tensor);  // a size is symbolic; the operand's own sizes are constants
    if (!slots || store.writes.empty()) continue;
    // A kernel's output can be indexed by the block; then each block has its own part.
    const bool one = root.memory == Memory::Global && !dependsOnBlock(op.offset, spec.blocks);
    const i64 blocks = one ? 1 : spec.blocks;
    const i64 threads = root.memory == Memory::Register ? spec.threads : 1;
    i64 missing = 0;
    Finding f;
    for (i64 b = 0; b < blocks; ++b) {
      for (i64 t = 0; t < threads; ++t) {
        const i64 offset = evaluate(op.offset, b, t, {});
        for (std::size_t s = 0; s < slots->count; ++s) {
          const i64 address = op.swizzle(offset + slots->addresses[s]);
          if (address < 0 || address >= root.places) continue;
          if (store.writes[static_cast<std::size_t>(copyOf(root, b, t) * root.places + address)] != 0) continue;
          if (missing++ != 0) continue;
          f.address = address;
          for (std::size_t d = 0; d < slots->dims; ++d)
            f.coordinate.push_back(evaluate(op.origin[d], b, t, {}) + slots->coordinates[s * slots->dims + d]);
          if (root.memory != Memory::Global) f.instances.push_back({spec.span, b, t, {}});
        }
      }
    }
    if (missing != 0)
      reportCoverage(std::move(f), spec, op, missing, static_cast<i64>(slots->count) * blocks * threads);
  }
}

}  // namespace tessera::graphene
