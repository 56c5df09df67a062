#include "solver/measure/emulated.h"

#include <fmt/format.h>

#include <algorithm>

#include "solver/emulate/emulate.h"
#include "solver/measure/device/nvrtc.h"

namespace tessera::measure {
namespace {

// Stores the emulator's outputs as if a device had written them.
void store(Inputs& inputs, const graphene::Run& run) {
  for (std::size_t k = 0; k < inputs.operands().size(); ++k) {
    const Operand& o = inputs.operands()[k];
    const auto found = run.tensors.find(o.name);
    if (!o.output || found == run.tensors.end()) continue;
    const auto count = std::min<i64>(o.elements, static_cast<i64>(found->second.size()));
    for (i64 e = 0; e < count; ++e)
      inputs.setResult(static_cast<int>(k), e, found->second[static_cast<std::size_t>(e)]);
  }
}

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
  graphene::TensorValues values;
  for (std::size_t k = 0; k < inputs.operands().size(); ++k)
    if (inputs.operands()[k].input) values[inputs.operands()[k].name] = inputs.all(static_cast<int>(k));
  graphene::EmulateOptions emulation;
  emulation.sizes = options.sizes;
  emulation.architecture = source.architecture;
  emulation.maxSteps = how.maxSteps;
  emulation.cancel = options.cancel;
  TESSERA_TRY(const graphene::Run run, graphene::emulate(program, values, emulation));
  TESSERA_CHECKED(options.checkCancelled());
  out.total = run.total;
  if (!run.stopped.empty()) out.stopped = fmt::format("{} (after {} of them)", run.stopped, run.steps);
  if (!run.findings.empty())
    out.wrong = fmt::format("{} {}", graphene::label(run.findings.front().obligation), print(run.findings.front()));
  options.tell("comparing", 0.8);
  store(inputs, run);
  TESSERA_CHECKED(out.check(inputs, roundingOf(program), options, out.stopped));
  return out;
}

}  // namespace tessera::measure
