#include "solver/graphene/sizes/step_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/work_budget.h"

namespace tessera::graphene {

StepOrder::StepOrder(const Plan& plan, CutAt at, const PlanRegions& regions)
    : plan_(plan), at_(std::move(at)), regions_(regions), threads_(static_cast<std::size_t>(plan.threads)) {}

i64 StepOrder::stepOf(const PlanRegions::Place& place, i64 iteration) {
  return place.where == TextRegion::Before ? kBefore : place.where == TextRegion::After ? kAfter : iteration;
}

// ---- what threads do

void StepOrder::touch(const Touched& t) {
  if (t.block != 0) return fail("the blocks are not shifts of the first");
  act(t.thread, stepOf(regions_.ofLeaf[t.leaf], t.iteration));
}

void StepOrder::act(i64 thread, i64 step) {
  OfThread& t = threads_[static_cast<std::size_t>(thread)];
  if (step <= base()) {
    t.acts = true;
    t.last = machine_->clocks().now(static_cast<std::size_t>(thread));
    t.early = t.early || (step != kBefore && step < base());
    t.inBase = t.inBase || step == base();
  }
  if (step >= at_.at && t.known.empty()) t.known = machine_->clocks().knownBy(static_cast<std::size_t>(thread));
}

void StepOrder::signal(const Signal& s) {
  spend(1);
  const auto root = std::ranges::find_if(plan_.roots, [&](const Root& r) {
    const i64 place = static_cast<i64>(s.barrier) - r.barriers;
    return r.barriers >= 0 && place >= 0 && place < r.places;
  });
  const int r = static_cast<int>(root - plan_.roots.begin());
  const i64 place = static_cast<i64>(s.barrier) - root->barriers;
  if (s.kind == Signal::Kind::Init) return counts_[r].push_back(s.phase);
  const i64 step = stepOf(s.leaf >= 0 ? regions_.ofLeaf[s.leaf] : regions_.ofStep[s.step], s.iteration);
  if (s.kind != Signal::Kind::Land) act(s.thread, step);
  if (s.kind == Signal::Kind::Issue) return;
  if (s.kind == Signal::Kind::Land && step <= base()) {
    std::uint32_t& landed = landed_[s.barrier];
    landed = std::max(landed, static_cast<std::uint32_t>(s.phase) + 1);
  }
  const i64 site = s.leaf >= 0 ? -1 - i64{s.leaf} : static_cast<i64>(s.step);
  phases_[{r, place + root->places * s.phase}].emplace_back(s.kind == Signal::Kind::Wait, step, site, s.thread);
}

// ---- the induction step

void StepOrder::ended(Terms&) {
  if (!machine_->findings().empty()) return;
  phases();
  forward();
  overlap();
}

StepOrder::Phase StepOrder::moved(const Phase& phase, i64 from) const {
  Phase out;
  for (auto [waits, step, site, thread] : phase)
    if (step >= from) out.emplace_back(waits, step == kAfter ? kAfter : step + at_.steps, site, thread);
  return out;
}

void StepOrder::phases() {
  std::set<Position> all;
  for (auto& [position, phase] : phases_) {
    const auto& [root, place] = position;
    std::ranges::sort(phase);
    all.insert(position);
    const auto by = at_.counted.find(root);
    const bool moves = std::ranges::any_of(phase, [](const Participant& p) { return std::get<1>(p) != kBefore; });
    if (by == at_.counted.end() && moves)
      return fail(fmt::format("no thread waits for {} in or after the loop", nameOf(root)));
    if (by == at_.counted.end()) continue;
    all.insert({root, place + by->second});
    const auto& counts = counts_[root];
    const bool turns = by->second % plan_.roots[root].places != 0;
    if (turns && std::ranges::adjacent_find(counts, std::not_equal_to{}) != counts.end())
      return fail(fmt::format("the barriers {} expect different numbers of arrivals", nameOf(root)));
  }
  const auto at = [&](int root, i64 place) {
    const auto found = phases_.find({root, place});
    return found == phases_.end() ? Phase() : found->second;
  };
  for (const auto& [root, place] : all) {
    const auto by = at_.counted.find(root);
    const Phase here = at(root, place), before = by == at_.counted.end() ? Phase() : at(root, place - by->second);
    spend(1 + std::ssize(here) + std::ssize(before));
    Phase larger;
    std::ranges::copy_if(here, std::back_inserter(larger),
                         [&](const Participant& p) { return std::get<1>(p) < at_.at + at_.steps; });
    std::ranges::copy(moved(before, at_.at), std::back_inserter(larger));
    std::ranges::sort(larger);
    Phase late = moved(before, at_.at - at_.overlap);
    std::ranges::sort(late);
    if (larger != here && (larger != late || late.size() != before.size()))
      return fail(fmt::format("phase {} of {}[{}] is neither an earlier one nor a later one moved",
                              floorDiv(place, plan_.roots[root].places), nameOf(root),
                              floorMod(place, plan_.roots[root].places)));
  }
}

void StepOrder::forward() {
  for (const auto& [position, phase] : phases_) {
    i64 arrives = kBefore, waits = kAfter;
    for (const auto& [isWait, step, site, thread] : phase)
      isWait ? waits = std::min(waits, step) : arrives = std::max(arrives, step);
    if (arrives > waits)
      return fail(fmt::format("a thread waits for an arrival at {} in a later step", nameOf(position.first)));
  }
}

void StepOrder::overlap() {
  const std::string steps = fmt::format("step {} before step {}", base(), at_.at);
  for (std::size_t u = 0; u < threads_.size(); ++u)
    if (threads_[u].early && !threads_[u].inBase)
      return fail(fmt::format("thread {} takes part in some of the steps only", u));
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    const Clocks::Row& known = threads_[t].known;
    if (known.empty()) continue;
    spend(std::ssize(known));
    for (std::size_t u = 0; u < threads_.size(); ++u)
      if (u != t && threads_[u].acts && threads_[u].last >= known[u])
        return fail(fmt::format("its barriers do not order {}: threads {} and {}", steps, u, t));
    for (const auto& [barrier, phases] : landed_)
      if (known[machine_->clocks().agentOf(barrier)] < phases)
        return fail(fmt::format("its barriers do not order {}: a copy and thread {}", steps, t));
  }
}

}  // namespace tessera::graphene
