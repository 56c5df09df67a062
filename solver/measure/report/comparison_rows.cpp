#include "solver/measure/report/comparison_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "solver/measure/predict/occupancy.h"

namespace tessera::measure {
namespace {

// Right only if every output was compared, at least in part.
void answer(const std::vector<Comparison>& checks, const std::string& wrong, ComparisonRow& row) {
  const Comparison* worst = nullptr;
  row.answer = checks.empty() ? Answer::NotCompared : Answer::Right;
  for (const Comparison& c : checks) {
    if (c.compared == 0) {
      row.answer = Answer::NotCompared;
      if (row.why.empty()) row.why = c.why;
    } else if (worst == nullptr || !(c.relativeError <= worst->relativeError)) {
      worst = &c;
    }
  }
  if (worst != nullptr) {
    row.relativeError = worst->relativeError;
    if (worst->worst >= 0)
      row.worst = fmt::format("%{}[{}]: {:.6g} instead of {:.6g}", worst->output, fmt::join(worst->coordinate, ","),
                              worst->actual, worst->expected);
  }
  if (wrong.empty()) return;
  row.answer = Answer::Wrong;
  row.why = wrong;
}

void cost(const Work& work, ComparisonRow& row) {
  row.bytes = work.bytesRead + work.bytesWritten;
  row.operations = work.products + work.others;
}

void most(std::optional<i64>& into, i64 value) { into = std::max(into.value_or(0), value); }

void fewest(ComparisonRow& row, i64 warps, i64 of) {
  row.residentWarps = row.residentWarps ? std::min(*row.residentWarps, warps) : warps;
  row.mostWarps = of;
}

}  // namespace

ComparisonTable headOf(const std::string& program, const Measurement& m) {
  ComparisonTable t;
  t.program = program;
  t.device = m.device.name;
  t.driver = m.device.driver();
  t.architecture = m.architecture;
  t.compiler = m.compiler;
  t.date = m.date;
  t.seed = m.seed;
  t.sizes = m.sizes;
  return t;
}

ComparisonTable headOf(const std::string& program, const Emulated& e, const std::string& noDevice) {
  ComparisonTable t;
  t.program = program;
  t.noDevice = noDevice;
  t.architecture = e.architecture;
  t.compiler = e.compiled.by;
  t.seed = e.seed;
  t.sizes = e.sizes;
  return t;
}

ComparisonRow rowOf(const Measurement& m, RowKind kind, const std::string& name, const std::string& settings) {
  ComparisonRow row = missingRow(kind, name, "", settings);
  answer(m.checks, m.wrong, row);
  row.time = m.time;
  if (m.time.count > 0 && m.time.median > 0) row.roofline = m.roofline.microseconds() / m.time.median;
  cost(m.work, row);
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

ComparisonRow rowOf(const Emulated& e, RowKind kind, const std::string& name, const std::string& settings) {
  ComparisonRow row = missingRow(kind, name, "", settings);
  answer(e.checks, e.wrong, row);
  cost(e.work, row);
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
  ComparisonRow row = missingRow(RowKind::Roofline, fmt::format("bound by {}", m.roofline.bound()), "");
  row.time = {least, least, least, least, least, 1};
  row.roofline = 1;
  cost(m.work, row);
  return row;
}

ComparisonRow missingRow(RowKind kind, const std::string& name, const std::string& why, const std::string& settings) {
  ComparisonRow row;
  row.kind = kind;
  row.name = name;
  row.settings = settings;
  row.why = why;
  return row;
}

}  // namespace tessera::measure
