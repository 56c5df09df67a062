#include "app/cli/commands/measure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/cli/io/report.h"
#include "app/engine/measure/comparison_json.h"
#include "app/engine/measure/measure_variants.h"
#include "app/engine/measure/run_program.h"
#include "app/files/file_stamp.h"
#include "core/base/chars.h"
#include "core/base/mapped.h"
#include "core/codegen/kernel/multiprocessor.h"
#include "core/graphene/reader/parameters.h"
#include "core/graphene/reader/sized.h"
#include "core/paste/blocks.h"

namespace tessera {
namespace {

// Lines of a name and a text, with aligned names.
class Rows {
 public:
  void add(const std::string& name, const std::string& text) { rows_.emplace_back(name, text); }
  [[nodiscard]] std::string text() const {
    std::size_t width = 0;
    for (const auto& [name, text] : rows_) width = std::max(width, name.size());
    std::string out;
    for (const auto& [name, text] : rows_) out += fmt::format("\n    {:<{}}  {}", name, width, text);
    return out;
  }

 private:
  std::vector<std::pair<std::string, std::string>> rows_;
};

std::string sizesText(const std::map<std::string, i64>& sizes, const std::vector<std::string>& chosen, u64 seed) {
  std::string out = fmt::format("seed {}", seed);
  for (const auto& [name, value] : sizes) out += fmt::format(", {} = {}", name, value);
  if (!chosen.empty())
    out += fmt::format(" ({} {} not given: --size {}=128)", fmt::join(chosen, ", "),
                       chosen.size() == 1 ? "was" : "were", chosen.front());
  return out;
}

void addDetails(const measure::Measurement& m, Rows& rows) {
  rows.add("time", timeText(m));
  if (m.time.count > 0) rows.add("timed by", timingText(m));
  rows.add("roofline", rooflineText(m));
  for (const measure::KernelReport& k : m.kernels) {
    const int spilled = k.spillStores < 0 ? k.localBytes : k.spillStores + k.spillLoads;
    rows.add(k.name,
             fmt::format("{} threads per block, {} registers, {} bytes spilled, {} bytes of shared memory, {} blocks "
                         "per multiprocessor",
                         k.threads, k.registers, spilled, k.sharedBytes, k.blocksPerMultiprocessor));
  }
  rows.add("compiled", fmt::format("for {} by {}", m.architecture, m.compiler));
}

// ", 2 blocks per multiprocessor", from the architecture's table.
std::string occupancyText(const measure::Emulated& e, const measure::Resources& r) {
  const auto m = codegen::multiprocessorOf(e.architecture);
  const auto threads = e.threadsOf.find(r.kernel);
  if (!m || threads == e.threadsOf.end()) return "";
  const int blocks = codegen::blocksThatFit(*m, threads->second, r.registers, r.sharedBytes);
  return fmt::format(", {} per multiprocessor", counted(static_cast<std::size_t>(blocks), "block"));
}

// The compiled PTX: its verdict and counts, and where its results are not the emulator's.
void addDetails(const measure::SecondOpinion& o, Rows& rows) {
  const auto passed = [&] { return o.run.verdict >= kernel::Verdict::Benign; };
  if (!o.failure.empty()) {
    rows.add("PTX", "not run: " + o.failure);
    return;
  }
  rows.add("PTX", fmt::format("{}; shared memory {} wavefronts, global memory {} sectors",
                              passed() ? std::string(nameOf(o.run.verdict))
                                       : fmt::format("{}: {}", nameOf(o.run.verdict), o.run.finding),
                              o.run.total.wavefronts, o.run.total.sectors));
  for (const measure::Comparison& c : o.checks)
    rows.add("PTX %" + c.output, c.compared > 0 && c.relativeError == 0
                                     ? fmt::format("the emulator's to the last bit, {} elements", c.compared)
                                     : textOf(c));
  if (!o.run.bounds.empty()) rows.add("inexact", fmt::format("{}", fmt::join(o.run.bounds, "; ")));
}

void addDetails(const measure::Emulated& e, Rows& rows) {
  if (e.total.executions == 0 && !e.stopped.empty())
    rows.add("run", e.stopped);
  else
    rows.add("run",
             fmt::format("{} warp instructions; shared memory {} wavefronts ({} without conflicts), global memory {} "
                         "sectors (at least {})",
                         e.total.executions, e.total.wavefronts, e.total.idealWavefronts, e.total.sectors,
                         e.total.idealSectors));
  if (e.ptx) addDetails(*e.ptx, rows);
  rows.add("work", textOf(e.work));
  for (const measure::Resources& r : e.compiled.resources)
    rows.add(r.kernel, fmt::format("{} registers, {} bytes spilled, {} bytes of shared memory{}", r.registers,
                                   r.spillStores + r.spillLoads, r.sharedBytes, occupancyText(e, r)));
  rows.add("compiled", e.compiled.failure.empty() ? fmt::format("for {} by {}", e.architecture, e.compiled.by)
                                                  : "no: " + e.compiled.failure);
}

const std::vector<measure::Comparison>& checksOf(const MeasuredProgram& m) {
  return m.device ? m.device->checks : m.emulated->checks;
}
const std::string& wrongOf(const MeasuredProgram& m) { return m.device ? m.device->wrong : m.emulated->wrong; }

// The baseline of a program, which may be untrusted: if the file is not a program, only the position of the error is
// shown.
Result<graphene::Listing> baselineListing(const std::string& program, const graphene::Baseline& baseline) {
  TESSERA_TRY(const std::string text, readBeside(program, baseline.file));
  auto listing = graphene::readListing(nameOf(baseline), text);
  if (listing) return listing;
  const LineColumn at = lineColumn(text, std::min(listing.error().span.begin, text.size()));
  return Diag{fmt::format("'{}' is not a Graphene program: line {}, column {}", baseline.file, at.line, at.column)};
}

class Measure {
 public:
  Measure(const MeasureCommandOptions& options, Output& out) : options_(options), out_(out) {}

  int run() {
    auto read = measureRequest(options_, text_);
    if (!read) return refuse(read.error());
    MeasureRequest& request = *read;
    request.emulateOnly = options_.emulate;
    if (options_.compared.all || options_.compared.baseline || !options_.compared.named.empty()) return table(request);
    const auto measured = measuredProgram(request, how());
    progress_.clear();
    if (!measured) return refuse(measured.error(), kExitFailed);
    return printResult(*measured);
  }

 private:
  measure::RunOptions how() {
    measure::RunOptions out = runOptions(options_.seconds, &progress_);
    out.seed = options_.seed;
    out.runs = options_.runs;
    return out;
  }

  // Adds the baseline named in the file, after the program and its variants.
  void addBaseline(const MeasureRequest& request, measure::ComparisonTable& table) {
    const auto baseline = graphene::baselineOf(text_);
    if (!baseline) return;
    const auto roofline = std::ranges::find(table.rows, measure::RowKind::Roofline, &measure::ComparisonRow::kind);
    const auto unfused = baselineListing(options_.file, *baseline);
    table.rows.insert(roofline, baselineRow(request, *baseline, unfused, how(), /*onDevice=*/!table.device.empty()));
    progress_.clear();
  }

  // The program and its variants.
  int table(MeasureRequest request) {
    request.listing.name = blockNameOf(options_.file);
    auto made = measuredVariants(request, {options_.compared.named, options_.compared.all, options_.sizes}, how());
    progress_.clear();
    if (!made) return refuse(made.error(), kExitFailed);
    addBaseline(request, *made);
    std::string text = options_.json ? jsonOf(*made) : options_.csv ? measure::csvOf(*made) : measure::textOf(*made);
    while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
    (void)out_.line(text);
    return allRight(*made) ? kExitOk : kExitFailed;
  }

  int printResult(const MeasuredProgram& m) {
    const bool right = wrongOf(m).empty() && comparedAny(m);
    if (options_.json) {
      (void)out_.line(jsonOf(m, options_.file));
    } else {
      const char* const sign = right ? "  \u2713 " : wrongOf(m).empty() ? "  ? " : "  \u2717 ";
      (void)out_.line(summaryOf(m) + detailsOf(m), sign);
    }
    return right ? kExitOk : kExitFailed;
  }

  int refuse(const Diag& diag, int exit = kExitUnreadable) {
    Complaints(options_.json, out_).in(options_.file, diag, text_);
    return exit;
  }

  const MeasureCommandOptions& options_;
  Output& out_;
  Progress progress_;
  std::string text_;
};

}  // namespace

Result<MeasureRequest> measureRequest(const MeasureCommandOptions& options, std::string& text) {
  MeasureRequest request;
  TESSERA_TRY(text, readFile(options.file));
  TESSERA_TRY(text, graphene::withSettingWords(text, options.settings));
  TESSERA_TRY(request.sizes, graphene::sizesOf(text, options.sizes));
  TESSERA_TRY(request.listing,
              withinBudget(
                  kReadSeconds, [&] { return graphene::readListing(options.file, text); }, "a smaller text"));
  request.spec = options.spec;
  request.architecture = graphene::architectureOf(text, options.architecture);
  request.maxSteps = options.steps;
  return request;
}

measure::RunOptions runOptions(double seconds, Progress* progress) {
  measure::RunOptions out;
  out.seconds = seconds;
  out.worker = measure::workerCommand();
  out.cancel = &interrupted();
  out.date = utcNow();
  if (progress != nullptr) out.progress = [progress](const measure::Stage& s) { progress->show(s.what); };
  return out;
}

bool comparedAny(const MeasuredProgram& m) {
  const auto& checks = checksOf(m);
  return std::ranges::any_of(checks, [](const measure::Comparison& c) { return c.compared > 0; });
}

std::string summaryOf(const MeasuredProgram& m) {
  std::vector<std::string> names = mapped<std::string>(m.source.kernels, &codegen::Kernel::name);
  const std::string what = fmt::format("{}", fmt::join(names, ", "));
  const char* const untimed = comparedAny(m) ? "right" : "not compared";
  if (m.emulated) {
    const std::string verdict =
        !m.emulated->wrong.empty() ? m.emulated->wrong
        : !m.emulated->stopped.empty()
            ? (m.emulated->total.executions == 0 ? "not compared; use smaller sizes to check the result"
                                                 : "stopped before the comparison; use smaller sizes or more --steps")
            : untimed;
    return fmt::format("{} on the emulator: {}", what, verdict);
  }
  const measure::DeviceInfo& d = m.device->device;
  const std::string verdict = !m.device->wrong.empty()    ? m.device->wrong
                              : m.device->time.count == 0 ? untimed
                                                          : fmt::format("{:.4g} us", m.device->time.median);
  return fmt::format("{} on {} ({}, driver {}): {}", what, d.name, d.architecture(), d.driver(), verdict);
}

std::string detailsOf(const MeasuredProgram& m) {
  Rows rows;
  if (m.emulated) rows.add("no GPU", m.noDevice);
  rows.add("inputs", sizesText(m.device ? m.device->sizes : m.emulated->sizes, m.chosen,
                               m.device ? m.device->seed : m.emulated->seed));
  for (const measure::Comparison& c : checksOf(m)) rows.add("%" + c.output, textOf(c));
  m.device ? addDetails(*m.device, rows) : addDetails(*m.emulated, rows);
  return rows.text();
}

int runMeasure(const MeasureCommandOptions& options, Output& out) {
  if (options.shared.any()) return runMeasureAccesses(options, out);
  return Measure(options, out).run();
}

}  // namespace tessera
