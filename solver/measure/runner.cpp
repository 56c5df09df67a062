#include "solver/measure/runner.h"

#include <fmt/format.h>

#include <cmath>

#include "core/graphene/walk.h"

namespace tessera::measure {
namespace {

using graphene::Program;
using graphene::Spec;

void complete(Request& request, const Inputs& inputs, const RunOptions& options) {
  for (std::size_t k = 0; k < inputs.operands().size(); ++k) {
    const Operand& o = inputs.operands()[k];
    request.buffers.push_back({o.name, o.bytes(), inputs.from(static_cast<int>(k)), inputs.to(static_cast<int>(k))});
  }
  request.device = options.device;
  request.warmups = std::max(options.warmups, 0);
  request.runs = std::max(options.runs, 0);
  request.seconds = options.seconds;
}

Comparison checked(const Inputs& inputs, int operand, const RunOptions& options, const Rounding& rounding,
                   const std::string& why) {
  const Operand& o = inputs.operands()[operand];
  if (!why.empty() || !options.reference) return notCompared(o, why.empty() ? "no reference" : why);
  const std::vector<i64> elements =
      elementsToCompare(o.elements, affordable(inputs, options.mostCompared), options.seed);
  const auto expected = options.reference(inputs, o.name, elements);
  if (!expected) return notCompared(o, expected.error().message);
  if (expected->size() != elements.size())
    return notCompared(o,
                       fmt::format("the reference has {} values for {} elements", expected->size(), elements.size()));
  const auto given = options.tolerances.find(o.name);
  const Tolerance tolerance = given == options.tolerances.end() ? toleranceOf(o.type, rounding) : given->second;
  return compared(inputs, operand, elements, *expected, tolerance);
}

void narrow(int& into, int precision) {
  if (precision > 0 && precision < 24 && (into == 0 || precision < into)) into = precision;
}

// A leaf rounds if it computes, or stores into a narrower type.
void roundings(const Spec& leaf, Rounding& out) {
  using graphene::SpecKind;
  if (leaf.outputs.empty() || leaf.kind == SpecKind::Init || leaf.kind == SpecKind::Allocate) return;
  const auto to = graphene::numberFormat(leaf.outputs.front().element);
  if (!to) return;
  const bool moves = leaf.kind == SpecKind::Move || leaf.kind == SpecKind::Shfl;
  const auto from = leaf.inputs.empty() ? to : graphene::numberFormat(leaf.inputs.front().element);
  if (moves && from && from->precision <= to->precision) return;
  narrow(out.values, to->precision);
  const bool sums = leaf.kind == SpecKind::MatMul || leaf.kind == SpecKind::Reduction ||
                    (leaf.kind == SpecKind::BinaryPointwise && leaf.attribute == "+");
  if (sums) narrow(out.sums, to->precision);
}

}  // namespace

// An element of a matrix product costs the reference one step per column of A: for 8192^3, a sample of 16384 takes a
// second or two.
i64 affordable(const Inputs& inputs, i64 most) {
  constexpr double kSteps = 1 << 27;
  i64 largest = 1;
  for (const Operand& o : inputs.operands()) largest = std::max(largest, o.elements);
  return std::clamp<i64>(static_cast<i64>(kSteps / std::sqrt(static_cast<double>(largest))), 1, most);
}

Rounding roundingOf(const Program& program) {
  Rounding out;
  for (const Spec* leaf : graphene::leavesOf(program)) roundings(*leaf, out);
  return out;
}

Result<void> Checked::check(const Inputs& inputs, const Rounding& rounding, const RunOptions& options,
                            const std::string& why) {
  seed = options.seed;
  sizes = options.sizes;
  TESSERA_TRY(checks, checksOf(inputs, rounding, options, why));
  for (const Comparison& c : checks)
    if (wrong.empty()) wrong = c.complaint;
  return {};
}

Result<std::vector<Comparison>> checksOf(const Inputs& inputs, const Rounding& rounding, const RunOptions& options,
                                         const std::string& why) {
  std::vector<Comparison> out;
  for (std::size_t k = 0; k < inputs.operands().size(); ++k) {
    TESSERA_CHECKED(options.checkCancelled());
    if (inputs.operands()[k].output) out.push_back(checked(inputs, static_cast<int>(k), options, rounding, why));
  }
  return out;
}

#ifdef __EMSCRIPTEN__
Result<Report> reportOf(const Request&, SharedMemory&, const RunOptions&) {
  return Diag{"a page runs nothing on a GPU"};
}
#else
Result<Report> reportOf(const Request& request, SharedMemory& memory, const RunOptions& options) {
  if (options.worker.empty()) return execute(request, memory.bytes(), options);
  return inProcess(options.worker, request, memory, options, options.silenceSeconds);
}
#endif

std::vector<std::string> workerCommand() {
#ifdef __EMSCRIPTEN__
  return {};  // a page starts no process, and finds no GPU in its own
#else
  return {"/proc/self/exe", kWorkerWord};
#endif
}

Result<DeviceInfo> findDevice(const RunOptions& options) {
  TESSERA_TRY(SharedMemory memory, SharedMemory::of(1));
  Request request;
  request.device = options.device;
  request.seconds = options.seconds;
  TESSERA_TRY(const Report report, reportOf(request, memory, options));
  return report.device;
}

Result<Measurement> measured(Request request, Inputs& inputs, const Work& work, const Rounding& rounding,
                             const RunOptions& options) {
  complete(request, inputs, options);
  TESSERA_TRY(Report report, reportOf(request, inputs.memory(), options));
  Measurement out;
  static_cast<Report&>(out) = std::move(report);
  out.date = options.date;
  out.time = {spreadOf(out.microseconds), out.how};
  out.work = work;
  out.roofline = rooflineOf(work, out.device);
  options.tell("comparing", 1);
  TESSERA_CHECKED(out.check(inputs, rounding, options));
  if (!out.damaged.empty())
    out.wrong = fmt::format("the run wrote beyond the end of %{}{}{}", out.damaged.front(),
                            out.wrong.empty() ? "" : "; ", out.wrong);
  return out;
}

Result<Measurement> run(const codegen::CudaSource& source, const Program& program, const RunOptions& options) {
  if (source.kernels.empty() || source.text.empty()) return Diag{"there is no kernel to run"};
  TESSERA_TRY(Launches launches, launchesOf(source, program, options.sizes));
  TESSERA_TRY(const Work work, workOf(program, options.sizes));
  options.tell("drawing the inputs", 0);
  TESSERA_TRY(Inputs inputs, Inputs::of(launches.operands, options.seed));
  Request request;
  request.text = source.text;
  request.architecture = source.architecture;
  request.lines = source.lines;
  request.launches = std::move(launches.launches);
  return measured(std::move(request), inputs, work, roundingOf(program), options);
}

}  // namespace tessera::measure
