#include "solver/measure/report/comparison_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera::measure {
namespace {

void cost(const Work& work, ComparisonRow& row) {
  row.bytes = work.bytesRead + work.bytesWritten;
  row.operations = work.products + work.others;
}

// Right only if every output was compared, at least in part.
ComparisonRow checkedRow(const Checked& run, RowKind kind, const std::string& name, const std::string& settings) {
  ComparisonRow row = missingRow(kind, name, "", settings);
  cost(run.work, row);
  const Comparison* worst = nullptr;
  row.answer = run.checks.empty() ? Answer::NotCompared : Answer::Right;
  for (const Comparison& c : run.checks)
    if (c.compared == 0) {
      row.answer = Answer::NotCompared;
      if (row.why.empty()) row.why = c.why;
    } else if (worst == nullptr || !(c.relativeError <= worst->relativeError)) {
      worst = &c;
    }
  if (worst != nullptr) {
    row.relativeError = worst->relativeError;
    if (worst->worst >= 0)
      row.worst = fmt::format("%{}[{}]: {:.6g} instead of {:.6g}", worst->output, fmt::join(worst->coordinate, ","),
                              worst->actual, worst->expected);
  }
  if (run.wrong.empty()) return row;
  row.answer = Answer::Wrong;
  row.why = run.wrong;
  return row;
}

void most(std::optional<i64>& into, i64 value) { into = std::max(into.value_or(0), value); }

void fewest(ComparisonRow& row, i64 warps, i64 of) {
  row.residentWarps = row.residentWarps ? std::min(*row.residentWarps, warps) : warps;
  row.mostWarps = of;
}

ComparisonTable headFrom(const std::string& program, const Checked& run, const std::string& architecture,
                         const std::string& compiler) {
  return {.program = program, .architecture = architecture, .compiler = compiler, .seed = run.seed, .sizes = run.sizes};
}

}  // namespace

ComparisonTable headOf(const std::string& program, const Measurement& m) {
  ComparisonTable t = headFrom(program, m, m.architecture, m.compiler);
  t.device = m.device.name;
  t.driver = m.device.driver();
  t.date = m.date;
  if (m.device.cacheBytes > 0) t.cacheBytes = m.device.cacheBytes;
  return t;
}

ComparisonTable headOf(const std::string& program, const Emulated& e, const std::string& noDevice) {
  ComparisonTable t = headFrom(program, e, e.architecture, e.compiled.by);
  t.noDevice = noDevice;
  return t;
}

ComparisonRow rowOf(const Measurement& m, RowKind kind, const std::string& name, const std::string& settings) {
  ComparisonRow row = checkedRow(m, kind, name, settings);
  row.time = m.time;
  if (m.time.count > 0) {
    row.timedBy = methodText(m.time);
    row.timingNote = m.time.note;
    row.inputs = inputsText(m.time, m.device.cacheBytes);
    row.launchesPerRun = m.time.launchesPerRun;
    row.lateRuns = m.time.lateRuns;
    row.sets = m.time.copies;
    row.setBytes = m.time.setBytes;
  }
  if (m.time.count > 0 && m.time.median > 0) row.roofline = m.roofline.microseconds() / m.time.median;
  if (!m.kernels.empty()) row.kernels = static_cast<i64>(m.kernels.size());
  for (const KernelReport& k : m.kernels) {
    most(row.registers, k.registers);
    most(row.sharedBytes, k.sharedBytes);
    const int spilled = k.spillStores < 0 ? k.localBytes : k.spillStores + k.spillLoads;
    row.spilledBytes = row.spilledBytes.value_or(0) + spilled;
    fewest(row, k.blocksPerMultiprocessor * ((k.threads + 31) / 32), m.device.threadsPerMultiprocessor / 32);
  }
  return row;
}

namespace {

std::string compiledText(const SecondOpinion& ptx) {
  if (!ptx.failure.empty()) return "";
  if (!ptx.wrong.empty()) return ptx.wrong;
  const bool exact = std::ranges::all_of(ptx.checks, [](const Comparison& c) { return c.relativeError == 0; });
  return fmt::format("{}, the emulator's results {}", nameOf(ptx.run.verdict),
                     exact ? "to the last bit" : "within the errors of its instructions");
}

}  // namespace

ComparisonRow rowOf(const Emulated& e, RowKind kind, const std::string& name, const std::string& settings) {
  ComparisonRow row = checkedRow(e, kind, name, settings);
  if (e.ptx) row.compiled = compiledText(*e.ptx);
  if (e.launches > 0) row.kernels = e.launches;
  for (const Resources& r : e.compiled.resources) {
    most(row.registers, r.registers);
    most(row.sharedBytes, r.sharedBytes);
    row.spilledBytes = row.spilledBytes.value_or(0) + r.spillStores + r.spillLoads;
    const auto threads = e.threadsOf.find(r.kernel);
    if (threads == e.threadsOf.end()) continue;
    if (const auto o = occupancyOf(e.architecture, threads->second, r.registers, r.sharedBytes))
      fewest(row, o->warps, o->mostWarps);
  }
  if (!e.stopped.empty()) {
    if (row.why.empty()) row.why = e.stopped;
    return row;
  }
  row.instructions = e.total.executions;
  row.wavefronts = e.total.wavefronts;
  row.idealWavefronts = e.total.idealWavefronts;
  row.sectors = e.total.sectors;
  row.idealSectors = e.total.idealSectors;
  return row;
}

std::optional<ComparisonRow> rooflineRow(const Measurement& m) {
  const double least = m.roofline.microseconds();
  if (least <= 0) return std::nullopt;
  ComparisonRow row = missingRow(RowKind::Roofline, fmt::format("bound by {}", m.roofline.bound()), m.roofline.peak);
  row.time = {least, least, least, least, least, 1};
  row.roofline = 1;
  cost(m.work, row);
  return row;
}

ComparisonRow missingRow(RowKind kind, const std::string& name, const std::string& why, const std::string& settings) {
  return {.kind = kind, .name = name, .settings = settings, .why = why};
}

}  // namespace tessera::measure
