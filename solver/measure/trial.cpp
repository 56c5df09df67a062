#include "solver/measure/trial.h"

#include <algorithm>
#include <cmath>

#include "core/base/work_budget.h"
#include "solver/measure/runner.h"

namespace tessera::measure {
namespace {

using namespace graphene;

// The last writer of each place of the outputs.
class Writers : public Observer {
 public:
  explicit Writers(const Plan& plan) : plan_(plan), by_(plan.roots.size()) {
    for (const int k : plan.kernels) {
      const PlanSpec& kernel = plan.specs[static_cast<std::size_t>(k)];
      for (int o = 0; o < kernel.outputs; ++o) {
        const auto r = static_cast<std::size_t>(kernel.operands[static_cast<std::size_t>(o)].root);
        by_[r].assign(static_cast<std::size_t>(plan.roots[r].places * plan.roots[r].copies), -1);
      }
    }
  }
  [[nodiscard]] bool wants(int root) const override { return !by_[static_cast<std::size_t>(root)].empty(); }
  void touch(const Touched& t) override {
    spend(1);
    if (!t.write) return;
    const auto r = static_cast<std::size_t>(t.root);
    const i64 place = placeOf(plan_.roots[r], t.block, t.thread, t.address);
    if (place >= 0 && place < static_cast<i64>(by_[r].size()))
      by_[r][static_cast<std::size_t>(place)] = t.block * kMaxThreads + t.thread;
  }
  // Block * kMaxThreads + thread; -1: none.
  [[nodiscard]] i64 of(std::size_t root, const PlaceOfElement& at) const {
    if (by_[root].empty()) return -1;
    const i64 place = placeOf(plan_.roots[root], at.block, at.thread, at.address);
    return place < 0 || place >= static_cast<i64>(by_[root].size()) ? -1 : by_[root][static_cast<std::size_t>(place)];
  }

 private:
  [[nodiscard]] i64 placeOf(const Root& root, i64 block, i64 thread, i64 address) const {
    if (address < 0 || address >= root.places) return -1;
    const i64 copy = root.memory == Memory::Global   ? 0
                     : root.memory == Memory::Shared ? block
                                                     : block * plan_.threads + thread;
    return copy * root.places + address;
  }

  const Plan& plan_;
  std::vector<std::vector<i64>> by_;  // by root
};

bool holds(const NumberFormat& type, double value) {
  return std::isfinite(value) && value >= leastOf(type) && value <= mostOf(type);
}

class Run {
 public:
  Run(const Plan& plan, Inputs& inputs, const TrialOptions& options)
      : plan_(plan),
        inputs_(inputs),
        options_(options),
        writers_(plan),
        machine_(plan, numbers_,
                 {.maxSteps = options.maxSteps, .count = false, .observer = &writers_, .cancel = options.cancel}) {}

  Trial run() {
    put();
    if (options_.blocks.empty()) {
      machine_.run();
    } else {
      for (const i64 b : options_.blocks) machine_.runBlock(plan_.kernels.front(), b);
    }
    out_.findings = machine_.findings();
    out_.work = 64 * machine_.steps();
    for (std::size_t l = 0; l < plan_.leaves.size(); ++l) {
      const PlanLeaf& leaf = plan_.leaves[l];
      out_.work += machine_.counts()[l].lanes * static_cast<i64>(leaf.terms.size()) / std::max(1, leaf.atom.lanes);
    }
    out_.stopped = machine_.stopped();
    if (out_.stopped.empty())
      for (std::size_t r = 0; r < plan_.roots.size(); ++r) compare(r);
    return std::move(out_);
  }

 private:
  void put() {
    for (std::size_t r = 0; r < plan_.roots.size(); ++r) {
      const int index = plan_.roots[r].operand ? inputs_.find(plan_.roots[r].tensor.name) : -1;
      if (index < 0 || !inputs_.operands()[static_cast<std::size_t>(index)].input) continue;
      const Operand& o = inputs_.operands()[static_cast<std::size_t>(index)];
      for (i64 e = 0; e < o.elements; ++e) {
        const PlaceOfElement at = placeOf(plan_, plan_.roots[r], o, e);
        machine_.set(static_cast<int>(r), at.block, at.thread, at.address, inputs_.at(index, e));
      }
      spend(o.elements / 8);
    }
  }

  // Stores the written elements as if a device had, and compares them with the reference.
  void compare(std::size_t r) {
    const int index = plan_.roots[r].operand ? inputs_.find(plan_.roots[r].tensor.name) : -1;
    if (index < 0 || !inputs_.operands()[static_cast<std::size_t>(index)].output || !options_.reference) return;
    const Operand& o = inputs_.operands()[static_cast<std::size_t>(index)];
    std::vector<i64> written;
    for (i64 e = 0; e < o.elements; ++e) {
      const PlaceOfElement at = placeOf(plan_, plan_.roots[r], o, e);
      if (writers_.of(r, at) < 0) continue;
      written.push_back(e);
      inputs_.setResult(
          index, e,
          machine_.value(static_cast<int>(r), at.block, at.thread, at.address).value_or(Numbers::undefined()));
    }
    spend(o.elements / 8);
    std::vector<i64> elements;
    const i64 count = static_cast<i64>(written.size());
    for (const i64 k : elementsToCompare(count, affordable(inputs_, options_.mostCompared), 1))
      elements.push_back(written[static_cast<std::size_t>(k)]);
    const auto expected = options_.reference(inputs_, o.name, elements);
    if (!expected) return out_.checks.push_back(notCompared(o, expected.error().message));
    std::vector<double> wanted = *expected;
    if (options_.onlyRepresentable) {
      std::size_t kept = 0;
      for (std::size_t k = 0; k < elements.size(); ++k) {
        if (!holds(o.type, wanted[k])) continue;
        elements[kept] = elements[k];
        wanted[kept++] = wanted[k];
      }
      elements.resize(kept);
      wanted.resize(kept);
    }
    if (elements.empty()) return;
    const bool good = std::all_of(out_.checks.begin(), out_.checks.end(), [](const Comparison& c) { return c.good; });
    out_.checks.push_back(compared(inputs_, index, elements, wanted, toleranceOf(o.type, options_.rounding)));
    if (!good || out_.checks.back().good) return;
    const i64 who = writers_.of(r, placeOf(plan_, plan_.roots[r], o, out_.checks.back().worst));
    out_.worstBlock = who / kMaxThreads;
    out_.worstThread = who % kMaxThreads;
  }

  const Plan& plan_;
  Inputs& inputs_;
  const TrialOptions& options_;
  Numbers numbers_;
  Writers writers_;
  Machine<Numbers> machine_;
  Trial out_;
};

}  // namespace

Trial trial(const Plan& plan, Inputs& inputs, const TrialOptions& options) { return Run(plan, inputs, options).run(); }

}  // namespace tessera::measure
