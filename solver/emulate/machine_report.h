// Findings of a machine, as messages. Included by machine.cpp only.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

#include "solver/emulate/machine.h"

namespace tessera::graphene {

// Counts a finding; returns true if it was reported before.
template <class D>
bool Machine<D>::known(Obligation obligation, int leaf, int operand, int other) {
  ++findingCount_;
  const u64 key = static_cast<u64>(obligation) | static_cast<u64>(operand + 1) << 4 | static_cast<u64>(leaf + 2) << 12 |
                  static_cast<u64>(other + 1) << 36;
  return !known_.insert(key).second;
}

template <class D>
void Machine<D>::report(Finding finding) {
  if (findings_.size() < options_.maxFindings) findings_.push_back(std::move(finding));
  if (options_.stopAtFirst) halt("a finding");
}

template <class D>
std::vector<i64> Machine<D>::loopsOf(const Warp& w, int lane) const {
  std::vector<i64> out;
  for (const auto& values : w.loops) out.push_back(values[static_cast<std::size_t>(lane)]);
  return out;
}

template <class D>
Instance Machine<D>::instance(int leaf, i64 block, i64 thread, std::span<const i64> loops) const {
  const PlanLeaf& l = plan_.leaves[static_cast<std::size_t>(leaf)];
  Instance out{l.span, block, thread, {}};
  for (const auto& [name, column] : l.variables) {
    const bool known =
        loops.size() == plan_.loops.size() || plan_.columns[static_cast<std::size_t>(column)].loops.empty();
    if (known) out.variables.emplace_back(name, evaluate(column, block, thread, loops));
  }
  return out;
}

template <class D>
Instance Machine<D>::instance(const Warp& w, int leaf, int lane) const {
  return instance(leaf, block_, w.threads[static_cast<std::size_t>(lane)], loopsOf(w, lane));
}

template <class D>
Instance Machine<D>::instance(const Tag& tag) const {
  const std::size_t n = plan_.loops.size();
  std::span<const i64> loops;
  if (n != 0 && tag.moment < moments_.size() / n) loops = {moments_.data() + tag.moment * n, n};
  return instance(tag.leaf, tag.block, tag.thread, loops);
}

template <class D>
void Machine<D>::reportPlace(Warp& w, const Lookup& at, Obligation obligation, int lane, std::size_t slot, i64 address,
                             const Tag* other, std::string_view what) {
  if (known(obligation, at.leaf, at.operand, other == nullptr ? -1 : other->leaf)) return;
  Finding f;
  f.obligation = obligation;
  f.span = plan_.leaves[static_cast<std::size_t>(at.leaf)].span;
  f.tensor = "%" + at.root->tensor.name;
  f.instances.push_back(instance(w, at.leaf, lane));
  if (obligation != Obligation::Frame || address >= 0) {
    f.coordinate = coordinate(w, at, lane, slot);
    f.address = address;
    f.phase = phase_;
  }
  const std::string place =
      f.coordinate.empty() ? f.tensor : fmt::format("{}[{}]", f.tensor, fmt::join(f.coordinate, ","));
  f.message = fmt::format("thread {} {} {}", f.instances[0].thread, what, place);
  if (obligation == Obligation::Frame && address < 0)
    f.message = fmt::format("thread {} touches {}: {}", f.instances[0].thread, place, what);
  if (obligation == Obligation::Bounds) {
    std::vector<std::string> extents;
    for (const i64 e : at.op->extents) extents.push_back(fmt::format("{}", e));
    f.message += fmt::format(", which has [{}]", fmt::join(extents, ","));
  }
  if (other != nullptr && other->leaf >= 0) {
    f.instances.push_back(instance(*other));
    f.message += other->block == f.instances[0].block
                     ? fmt::format("; the other is {}thread {}",
                                   clocks_.active() && other->epoch != 0 ? "the copy of " : "", other->thread)
                     : fmt::format("; the other is thread {} of block {}", other->thread, other->block);
  }
  report(std::move(f));
}

template <class D>
void Machine<D>::reportGroup(Warp& w, int leaf, int lane, const char* what) {
  if (known(Obligation::Static, leaf, -1, -1)) return;
  Finding f;
  f.obligation = Obligation::Static;
  f.span = plan_.leaves[static_cast<std::size_t>(leaf)].span;
  f.phase = phase_;
  f.instances.push_back(instance(w, leaf, lane));
  f.message = fmt::format("thread {} {} {}", f.instances[0].thread, what,
                          plan_.leaves[static_cast<std::size_t>(leaf)].atom.name);
  report(std::move(f));
}

// A barrier that the lanes `missing` do not reach.
template <class D>
void Machine<D>::reportStep(Warp& w, const PlanStep& step, Lanes missing, const char* what) {
  const int lane = missing == 0 ? 0 : std::countr_zero(missing);
  if (known(Obligation::Static, -2, 0, static_cast<int>(step.span.begin % (1u << 27)))) return;
  Finding f;
  f.obligation = Obligation::Static;
  f.span = step.span;
  f.phase = phase_;
  f.instances.push_back({step.span, block_, w.threads[static_cast<std::size_t>(lane)], {}});
  f.message = fmt::format("thread {} and {} others do not arrive {}", f.instances[0].thread,
                          std::max(0, std::popcount(missing) - 1), what);
  report(std::move(f));
}

template <class D>
void Machine<D>::reportCoverage(Finding f, const PlanSpec& spec, const PlanOperand& op, i64 missing, i64 all) {
  ++findingCount_;
  f.obligation = Obligation::Coverage;
  f.span = spec.span;
  f.tensor = op.name;
  f.message = fmt::format("{}[{}] is never written, and {} of {} elements in all", op.name,
                          fmt::join(f.coordinate, ","), missing, all);
  report(std::move(f));
}

}  // namespace tessera::graphene
