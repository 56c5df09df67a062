#include "solver/measure/ptx_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/work_budget.h"
#include "core/ptx/read.h"
#include "solver/measure/device/nvrtc.h"

namespace tessera::measure {
namespace {

// The contents of the operands between launches.
class DeviceBuffers {
 public:
  explicit DeviceBuffers(const Inputs& inputs) : inputs_(inputs) {
    for (std::size_t k = 0; k < inputs.operands().size(); ++k) {
      const auto* const first = memoryAt(inputs_.from(static_cast<int>(k)));
      contents_.emplace_back(first, first + inputs.operands()[k].bytes());
    }
  }

  Result<kernel::Launch> launchOf(const LaunchRequest& request, i64 maxSteps, u64 seed) const {
    kernel::Launch out;
    out.entry = request.kernel;
    out.grid = {static_cast<std::uint32_t>(request.blocks), 1, 1};
    out.block = {static_cast<std::uint32_t>(request.threads), 1, 1};
    out.dynamicShared = request.dynamicBytes;
    out.maxSteps = maxSteps;
    out.seed = seed;
    for (std::size_t p = 0; p < request.buffers.size(); ++p) {
      kernel::Argument& argument = out.arguments.emplace_back();
      if (p < request.maps.size() && !request.maps[p].extents.empty()) {
        TESSERA_CHECKED(mapArgument(request, p, argument));
        continue;
      }
      if (request.buffers[p] < 0) {
        argument.kind = kernel::Argument::Kind::Scalar;
        argument.bytes.resize(sizeof(int));
        std::memcpy(argument.bytes.data(), &request.sizes[p], sizeof(int));
        continue;
      }
      const auto index = static_cast<std::size_t>(request.buffers[p]);
      argument.kind = kernel::Argument::Kind::Buffer;
      argument.bytes = contents_[index];
    }
    return out;
  }

  void take(const LaunchRequest& request, kernel::Report& report) {
    for (std::size_t p = 0; p < request.buffers.size() && p < report.buffers.size(); ++p)
      if (request.buffers[p] >= 0 && !report.buffers[p].empty())
        contents_[static_cast<std::size_t>(request.buffers[p])] = std::move(report.buffers[p]);
    report.buffers.clear();
  }

  void give(Inputs& inputs) const {
    for (std::size_t k = 0; k < contents_.size(); ++k)
      if (const i64 to = inputs.to(static_cast<int>(k)); to >= 0)
        std::memcpy(inputs.memory().bytes().data() + to, contents_[k].data(), contents_[k].size());
  }

 private:
  // A tensor map of the operand: of the buffer of the parameter that points to it, if there is one, else of its own.
  Result<void> mapArgument(const LaunchRequest& request, std::size_t p, kernel::Argument& argument) const {
    const MapRequest& wanted = request.maps[p];
    kernel::TensorMap map;
    TESSERA_TRY(map.tile.element, tmaElement(wanted.element));
    TESSERA_TRY(map.tile.swizzle, tmaSwizzleMode(wanted.swizzle));
    map.tile.globalExtents = wanted.extents;
    map.tile.box = wanted.box;
    for (std::size_t d = 1; d < wanted.strides.size(); ++d)
      map.tile.globalStrideBytes.push_back(wanted.strides[d] * map.tile.element.bits / 8);
    for (std::size_t other = 0; other < request.buffers.size() && map.buffer < 0; ++other)
      if (request.buffers[other] == request.buffers[p] &&
          (other >= request.maps.size() || request.maps[other].extents.empty()))
        map.buffer = static_cast<int>(other);
    argument.kind = kernel::Argument::Kind::TensorMap;
    if (map.buffer < 0) argument.bytes = contents_[static_cast<std::size_t>(request.buffers[p])];
    argument.map = std::move(map);
    return {};
  }
  [[nodiscard]] const std::byte* memoryAt(i64 offset) const {
    return reinterpret_cast<const std::byte*>(inputs_.bytes().data() + offset);
  }
  const Inputs& inputs_;
  std::vector<std::vector<std::byte>> contents_;  // by operand
};

void add(PtxRun& run, const kernel::Report& report) {
  if (report.verdict < run.verdict) {
    run.verdict = report.verdict;
    run.finding = report.findings.empty() ? report.reason : report.findings.front().message;
  }
  for (const kernel::AccessLine& a : report.accesses) {
    run.total.executions += a.warps;
    run.total.wavefronts += a.wavefronts;
    run.total.idealWavefronts += a.ideal;
    run.total.sectors += a.sectors;
    run.total.idealSectors += a.idealSectors;
  }
  for (const std::string& bound : report.bounds)
    if (std::ranges::find(run.bounds, bound) == run.bounds.end()) run.bounds.push_back(bound);
  run.threadInstructions += report.threadInstructions;
}

}  // namespace

Result<PtxText> ptxOf(const codegen::CudaSource& source, const std::vector<std::string>& extra) {
  TESSERA_TRY(const Nvrtc nvrtc, Nvrtc::open());
  PtxText out;
  out.by = "NVRTC " + nvrtc.version();
  const std::string target = "compute" + source.architecture.substr(source.architecture.find('_'));
  TESSERA_TRY(Compiled compiled, nvrtc.compile(source.text, target, source.lines, extra));
  out.text = std::move(compiled.image);
  while (!out.text.empty() && out.text.back() == '\0') out.text.pop_back();
  TESSERA_TRY(out.module, ptx::read(out.text));
  return out;
}

Span statementOf(const ptx::Module& module, const codegen::CudaSource& source, int location) {
  if (location < 0) return {};
  const ptx::Location& l = module.locations[static_cast<std::size_t>(location)];
  const auto at = [&](int file, int line) {
    const auto name = module.files.find(file);
    const bool own = name != module.files.end() && name->second.ends_with(kNvrtcName);
    return own && line >= 1 && static_cast<std::size_t>(line) <= source.lines.size()
               ? source.lines[static_cast<std::size_t>(line) - 1]
               : Span{};
  };
  const Span span = at(l.file, l.line);
  // A function of the prelude has no statement; its caller has.
  return span.empty() && l.inlinedAt ? at((*l.inlinedAt)[0], (*l.inlinedAt)[1]) : span;
}

Result<PtxRun> runPtx(const ptx::Module& module, const Launches& launches, Inputs& inputs, i64 maxSteps, u64 seed) {
  PtxRun out;
  DeviceBuffers buffers(inputs);
  for (const LaunchRequest& request : launches.launches) {
    TESSERA_TRY(const kernel::Launch launch, buffers.launchOf(request, maxSteps, seed));
    TESSERA_TRY(kernel::Report report, kernel::run(module, launch));
    buffers.take(request, report);
    add(out, report);
    out.reports.push_back(std::move(report));
  }
  buffers.give(inputs);
  return out;
}

namespace {

// Elements that the emulator never wrote have no value to compare with.
Comparison agreement(const Inputs& emulated, const Inputs& ran, int index, const Rounding& rounding,
                     const RunOptions& options) {
  const Operand& o = ran.operands()[static_cast<std::size_t>(index)];
  std::vector<i64> elements;
  std::vector<double> expected;
  for (const i64 e : elementsToCompare(o.elements, options.mostCompared, options.seed)) {
    const double value = emulated.result(index, e);
    if (std::isnan(value) && ran.poisoned(index, e)) continue;
    elements.push_back(e);
    expected.push_back(value);
  }
  if (elements.empty()) return notCompared(o, "the emulator wrote no element");
  return compared(ran, index, elements, expected, toleranceOf(o.type, rounding));
}

Result<void> run(const codegen::CudaSource& source, const Launches& launches, const Inputs& emulated,
                 const Rounding& rounding, const RunOptions& options, i64 maxSteps, SecondOpinion& out) {
  TESSERA_TRY(const PtxText compiled, ptxOf(source, {"--fmad=false"}));
  TESSERA_TRY(Inputs ran, Inputs::of(launches.operands, options.seed));
  try {
    const WorkBudget limit({.cancel = options.cancel});
    TESSERA_TRY(out.run, runPtx(compiled.module, launches, ran, maxSteps));
  } catch (const OutOfBudget& end) {
    return Diag{end.what()};
  }
  if (out.run.verdict < kernel::Verdict::Unknown)
    out.wrong = fmt::format("the compiled PTX: {}: {}", nameOf(out.run.verdict), out.run.finding);
  if (out.run.verdict == kernel::Verdict::Unknown) return {};
  for (std::size_t k = 0; k < ran.operands().size(); ++k) {
    if (!ran.operands()[k].output) continue;
    out.checks.push_back(agreement(emulated, ran, static_cast<int>(k), rounding, options));
    if (out.wrong.empty() && !out.checks.back().good)
      out.wrong = "the compiled PTX disagrees with the emulator: " + out.checks.back().complaint;
  }
  return {};
}

}  // namespace

SecondOpinion secondOpinion(const codegen::CudaSource& source, const Launches& launches, const Inputs& emulated,
                            const Rounding& rounding, const RunOptions& options, i64 maxSteps) {
  SecondOpinion out;
  const auto ran = run(source, launches, emulated, rounding, options, maxSteps, out);
  if (!ran) out.failure = ran.error().message;
  return out;
}

}  // namespace tessera::measure
