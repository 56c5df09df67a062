#include "solver/emulate/machine/findings.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::graphene {

bool Findings::known(Obligation obligation, int leaf, int operand, int other) {
  ++count_;
  const u64 key = static_cast<u64>(obligation) | static_cast<u64>(operand + 1) << 4 | static_cast<u64>(leaf + 2) << 12 |
                  static_cast<u64>(other + 1) << 36;
  return !known_.insert(key).second;
}

void Findings::report(Finding finding) {
  if (kept_.size() < most_) kept_.push_back(std::move(finding));
  if (stopAtFirst_) halt("a finding");
}

void Findings::fault(Span span, Instance who, std::string message) {
  report({.span = span, .phase = now_.phase, .instances = {std::move(who)}, .message = std::move(message)});
}

void Findings::absent(const Warp& w, Span span, Lanes missing, const char* what) {
  if (knownStep(0, span)) return;
  const i64 thread = w.thread(missing == 0 ? 0 : std::countr_zero(missing));
  fault(span, {span, now_.block, thread, {}},
        fmt::format("thread {} and {} others do not arrive {}", thread, std::max(0, std::popcount(missing) - 1), what));
}

void Findings::misplaced(const Warp& w, int leaf, int lane, const char* what) {
  if (known(Obligation::Static, leaf, -1, -1)) return;
  const PlanLeaf& l = plan_.leaves[leaf];
  fault(l.span, instance(w, leaf, lane), fmt::format("thread {} {} {}", w.thread(lane), what, l.atom.name));
}

Instance Findings::instance(const Tag& tag) const {
  const std::size_t n = plan_.loops.size();
  std::span<const i64> loops;
  if (n != 0 && tag.moment < now_.moments.size() / n) loops = {now_.moments.data() + tag.moment * n, n};
  return instance(tag.leaf, tag.block, tag.thread, loops);
}

Instance Findings::instance(int leaf, i64 block, i64 thread, std::span<const i64> loops) const {
  const PlanLeaf& l = plan_.leaves[leaf];
  Instance out{l.span, block, thread, {}};
  for (const auto& [name, column] : l.variables)
    if (loops.size() == plan_.loops.size() || plan_.columns[column].loops.empty())
      out.variables.emplace_back(name, valueOf(plan_, column, block, thread, loops));
  return out;
}

}  // namespace tessera::graphene
