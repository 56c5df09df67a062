#include "solver/measure/emulated.h"

#include <fmt/format.h>

#include "core/base/work_budget.h"
#include "solver/emulate/machine.h"

namespace tessera::measure {
namespace {

// True if the operands are too large for the emulator: nothing is drawn, run or compared then.
bool notEmulated(const Launches& launches, Emulated& out) {
  i64 elements = 0;
  for (const Operand& o : launches.operands) elements += o.elements;
  if (elements <= kMostEmulated) return false;
  out.stopped = fmt::format("not emulated: the operands have {} elements, and the emulator's limit is {}", elements,
                            kMostEmulated);
  for (const Operand& o : launches.operands)
    if (o.output) out.checks.push_back(notCompared(o, out.stopped));
  return true;
}

using namespace graphene;

// The last writer of each place of the outputs.
class Writers : public Observer {
 public:
  explicit Writers(const Plan& plan) : plan_(plan), by_(plan.roots.size()) {
    for (const int k : plan.kernels)
      for (int o = 0; o < plan.specs[k].outputs; ++o) {
        const int r = plan.specs[k].operands[o].root;
        by_[r].assign(static_cast<std::size_t>(plan.roots[r].places * plan.roots[r].copies), -1);
      }
  }
  [[nodiscard]] bool wants(int root) const override { return !by_[root].empty(); }
  void touch(const Touched& t) override {
    spend(1);
    if (!t.write) return;
    if (const i64 place = placeIn(plan_, plan_.roots[t.root], t.block, t.thread, t.address); place >= 0)
      by_[t.root][place] = t.block * kMaxThreads + t.thread;
  }
  // Block * kMaxThreads + thread; -1: none.
  [[nodiscard]] i64 of(int root, const PlaceOfElement& at) const {
    const i64 place = placeIn(plan_, plan_.roots[root], at.block, at.thread, at.address);
    return place < 0 || place >= std::ssize(by_[root]) ? -1 : by_[root][place];
  }

 private:
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
    putInputs(machine_, plan_, inputs_);
    for (const Operand& o : inputs_.operands())
      if (o.input) spend(o.elements / 8);
    if (options_.blocks.empty()) {
      machine_.run();
    } else {
      for (const i64 b : options_.blocks) machine_.runBlock(plan_.kernels.front(), b);
    }
    report();
    const bool right = out_.stopped.empty() && out_.findings.empty() &&
                       std::ranges::all_of(out_.checks, [](const Comparison& c) { return c.good; });
    const std::vector<i64> further = right && options_.further ? options_.further(out_) : std::vector<i64>();
    if (further.empty()) return std::move(out_);
    for (const i64 b : further)
      if (machine_.stopped().empty()) machine_.runBlock(plan_.kernels.front(), b);
    if (std::ssize(options_.blocks) + std::ssize(further) == plan_.specs[plan_.kernels.front()].blocks)
      machine_.checkOutputs(plan_.kernels.front());
    report();
    return std::move(out_);
  }

 private:
  void report() {
    out_ = {};
    out_.findings = machine_.findings();
    out_.work = 64 * machine_.steps();
    for (std::size_t l = 0; l < plan_.leaves.size(); ++l) {
      const PlanLeaf& leaf = plan_.leaves[l];
      out_.work += machine_.counts()[l].lanes * static_cast<i64>(leaf.terms.size()) / std::max(1, leaf.atom.lanes);
    }
    out_.stopped = machine_.stopped();
    if (out_.stopped.empty() && options_.reference)
      eachOperand(plan_, inputs_, [&](int root, int index) { compare(root, index); });
  }

  // Stores the written elements as if a device had, and compares them with the reference.
  void compare(int root, int index) {
    const Operand& o = inputs_.operands()[index];
    if (!o.output) return;
    std::vector<i64> written;
    o.each([&](i64 e, i64 copy, i64 address) {
      const PlaceOfElement at = placeOf(plan_, plan_.roots[root], o, copy, address);
      if (writers_.of(root, at) < 0) return;
      written.push_back(e);
      inputs_.setResult(index, e, valueAt(machine_, root, at));
    });
    spend(o.elements / 8);
    std::vector<i64> asked, elements;
    for (const i64 k : elementsToCompare(std::ssize(written), affordable(inputs_, options_.mostCompared), 1))
      asked.push_back(written[k]);
    const auto expected = options_.reference(inputs_, o.name, asked);
    if (!expected) return out_.checks.push_back(notCompared(o, expected.error().message));
    std::vector<double> wanted;
    for (std::size_t k = 0; k < asked.size(); ++k) {
      if (options_.onlyRepresentable && !holds(o.type, (*expected)[k])) continue;
      elements.push_back(asked[k]);
      wanted.push_back((*expected)[k]);
    }
    if (elements.empty()) return;
    const bool good = std::ranges::all_of(out_.checks, [](const Comparison& c) { return c.good; });
    out_.checks.push_back(compared(inputs_, index, elements, wanted, toleranceOf(o.type, options_.rounding)));
    if (!good || out_.checks.back().good) return;
    const i64 who = writers_.of(root, placeOf(plan_, plan_.roots[root], o, out_.checks.back().worst));
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

CompiledBy compiledBy(const codegen::CudaSource& source) {
  const auto nvrtc = Nvrtc::open();
  if (!nvrtc) return {.failure = nvrtc.error().message};
  CompiledBy out{.by = "NVRTC " + nvrtc->version()};
  if (const auto code = nvrtc->compile(source)) {
    out.resources = code->resources;
  } else {
    out.failure = code.error().message;
  }
  return out;
}

Result<EmulatorRun> runEmulator(const graphene::Program& program, const PlanOptions& how, Inputs& inputs, i64 maxSteps,
                                const std::atomic<bool>* cancel) {
  TESSERA_TRY(const Plan plan, makePlan(program, how));
  Numbers numbers;
  Machine<Numbers> machine(plan, numbers, {.maxSteps = maxSteps, .cancel = cancel});
  putInputs(machine, plan, inputs);
  machine.run();
  EmulatorRun out;
  for (std::size_t l = 0; l < plan.leaves.size(); ++l)
    out.leaves.push_back({plan.leaves[l].span, plan.leaves[l].atom.name, machine.counts()[l]});
  out.findings = machine.findings();
  out.stopped = machine.stopped();
  out.steps = machine.steps();
  eachOperand(plan, inputs, [&](int root, int index) {
    const Operand& o = inputs.operands()[index];
    for (i64 e = 0; o.output && e < o.elements; ++e)
      inputs.setResult(index, e, valueAt(machine, root, placeOf(plan, plan.roots[root], o, e)));
  });
  return out;
}

Result<Emulated> emulated(const codegen::CudaSource& source, const graphene::Program& program,
                          const RunOptions& options, i64 maxSteps) {
  TESSERA_TRY(Launches launches, launchesOf(source, program, options.sizes));
  Emulated out;
  TESSERA_TRY(out.work, workOf(program, options.sizes));
  out.architecture = source.architecture;
  out.seed = options.seed;
  out.sizes = options.sizes;
  out.launches = static_cast<i64>(launches.launches.size());
  for (const LaunchRequest& launch : launches.launches) {
    out.blocks = std::max(out.blocks, launch.blocks);
    out.threads = std::max(out.threads, launch.threads);
    out.threadsOf[launch.kernel] = launch.threads;
  }
  options.tell("compiling", 0);
  out.compiled = compiledBy(source);
  TESSERA_CHECKED(options.checkCancelled());
  if (notEmulated(launches, out)) return out;
  options.tell("emulating", 0.2);
  TESSERA_TRY(Inputs inputs, Inputs::of(launches.operands, options.seed));
  TESSERA_TRY(const EmulatorRun run,
              runEmulator(program, {options.sizes, source.architecture}, inputs, maxSteps, options.cancel));
  TESSERA_CHECKED(options.checkCancelled());
  for (const EmulatorRun::Leaf& leaf : run.leaves) out.total += leaf.counts;
  if (!run.stopped.empty()) out.stopped = fmt::format("{} (after {} of them)", run.stopped, run.steps);
  if (!run.findings.empty()) {
    const graphene::Finding& first = run.findings.front();
    out.wrong = fmt::format("{} {}", graphene::label(first.obligation), print(first));
  }
  const Rounding rounding = roundingOf(program);
  if (out.compiled.failure.empty() && out.stopped.empty()) {
    options.tell("running the compiled PTX", 0.5);
    out.ptx = secondOpinion(source, launches, inputs, rounding, options, kPtxStepsOfOne * maxSteps);
    TESSERA_CHECKED(options.checkCancelled());
    if (out.wrong.empty()) out.wrong = out.ptx->wrong;
  }
  options.tell("comparing", 0.8);
  TESSERA_CHECKED(out.check(inputs, rounding, options, out.stopped));
  return out;
}

Trial trial(const Plan& plan, Inputs& inputs, const TrialOptions& options) { return Run(plan, inputs, options).run(); }

}  // namespace tessera::measure
