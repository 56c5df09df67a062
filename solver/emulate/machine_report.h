// Findings of a machine, as messages. Included by machine.cpp only.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

#include "solver/emulate/machine.h"

namespace tessera::graphene {

template <class D>
void Machine<D>::reportPlace(Warp& w, const Lookup& at, Obligation obligation, int lane, std::size_t slot, i64 address,
                             const Tag* other, std::string_view what) {
  if (findings_.known(obligation, at.leaf, at.operand, other == nullptr ? -1 : other->leaf)) return;
  Finding f;
  f.obligation = obligation;
  f.span = plan_.leaves[at.leaf].span;
  f.tensor = "%" + at.root->tensor.name;
  f.instances.push_back(findings_.instance(w, at.leaf, lane));
  if (obligation != Obligation::Frame || address >= 0) {
    f.coordinate = coordinate(w, at, lane, slot);
    f.address = address;
    f.phase = now_.phase;
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
    f.instances.push_back(findings_.instance(*other));
    f.message += other->block == f.instances[0].block
                     ? fmt::format("; the other is {}thread {}",
                                   now_.clocks.active() && other->epoch != 0 ? "the copy of " : "", other->thread)
                     : fmt::format("; the other is thread {} of block {}", other->thread, other->block);
  }
  findings_.report(std::move(f));
}

template <class D>
void Machine<D>::reportCoverage(Finding f, const PlanSpec& spec, const PlanOperand& op, i64 missing, i64 all) {
  f.obligation = Obligation::Coverage;
  f.span = spec.span;
  f.tensor = op.name;
  f.message = fmt::format("{}[{}] is never written, and {} of {} elements in all", op.name,
                          fmt::join(f.coordinate, ","), missing, all);
  findings_.add(std::move(f));
}

}  // namespace tessera::graphene
