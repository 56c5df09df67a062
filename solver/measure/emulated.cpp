#include "solver/measure/emulated.h"

#include <fmt/format.h>

#include <algorithm>

#include "solver/emulate/machine.h"
#include "solver/measure/device/nvrtc.h"

namespace tessera::measure {
namespace {

void compile(const codegen::CudaSource& source, Emulated& out) {
  const auto nvrtc = Nvrtc::open();
  if (!nvrtc) {
    out.compiled.failure = nvrtc.error().message;
    return;
  }
  out.compiled.by = "NVRTC " + nvrtc->version();
  const auto code = nvrtc->compile(source);
  if (!code) {
    out.compiled.failure = code.error().message;
    return;
  }
  out.compiled.resources = code->resources;
}

// True if the operands are too large for the emulator: nothing is drawn, run or compared then.
bool notEmulated(const Launches& launches, const EmulatedOptions& how, Emulated& out) {
  i64 elements = 0;
  for (const Operand& o : launches.operands) elements += o.elements;
  if (elements <= how.maxElements) return false;
  out.stopped =
      fmt::format("not emulated: the operands have {} elements, and the emulator takes {}", elements, how.maxElements);
  for (const Operand& o : launches.operands)
    if (o.output) out.checks.push_back(notCompared(o, out.stopped));
  return true;
}

}  // namespace

Result<Emulated> emulated(const codegen::CudaSource& source, const graphene::Program& program,
                          const RunOptions& options, const EmulatedOptions& how) {
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
  compile(source, out);
  TESSERA_CHECKED(options.checkCancelled());
  if (notEmulated(launches, how, out)) return out;
  options.tell("emulating", 0.2);
  TESSERA_TRY(Inputs inputs, Inputs::of(launches.operands, options.seed));
  TESSERA_TRY(const graphene::Plan plan, graphene::makePlan(program, {options.sizes, source.architecture, {}}));
  graphene::Numbers numbers;
  graphene::Machine<graphene::Numbers> machine(plan, numbers, {.maxSteps = how.maxSteps, .cancel = options.cancel});
  putInputs(machine, plan, inputs);
  machine.run();
  TESSERA_CHECKED(options.checkCancelled());
  for (const graphene::LeafCounts& counts : machine.counts()) out.total += counts;
  if (!machine.stopped().empty())
    out.stopped = fmt::format("{} (after {} of them)", machine.stopped(), machine.steps());
  if (!machine.findings().empty()) {
    const graphene::Finding& first = machine.findings().front();
    out.wrong = fmt::format("{} {}", graphene::label(first.obligation), print(first));
  }
  options.tell("comparing", 0.8);
  eachOperand(plan, inputs, [&](int root, int index) {  // as if a device had written them
    const Operand& o = inputs.operands()[index];
    for (i64 e = 0; o.output && e < o.elements; ++e)
      inputs.setResult(index, e, valueAt(machine, root, placeOf(plan, plan.roots[root], o, e)));
  });
  TESSERA_CHECKED(out.check(inputs, roundingOf(program), options, out.stopped));
  return out;
}

}  // namespace tessera::measure
