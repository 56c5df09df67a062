#include "app/engine/kernel/kernel_trace.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "app/files/file_stamp.h"
#include "core/base/words.h"
#include "solver/kernel/trace/trace.h"

namespace tessera {

Result<std::string> readKernelFile(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;
  Result<StampedFile> file = readStamped(path, kMostBytes);
  if (file) return std::move(file->bytes);
  Diag diag = file.error();
  diag.expected = "a file, by its path from the folder in which Tessera was started";
  return diag;
}

Result<KernelFile> openInSheet(const std::string& bytes, const std::string& file) {
  std::string ptx;
  KernelFileOptions options;
  options.runsTools = false;
  return openKernel(bytes, file, options, ptx);
}

SourceLines::SourceLines(const KernelFile& kernel, const std::string& path, const kernel::Report& report)
    : source_(kernel, path) {
  std::vector<int> locations;
  for (const kernel::AccessLine& line : report.accesses) locations.push_back(line.location);
  file_ = source_.fileOf(locations);
}

std::size_t SourceLines::lineOrNone(int line, int location) const {
  return static_cast<std::size_t>(std::max(source_.lineIn(file_, line, location), 0));
}

std::size_t SourceLines::lineOf(int line, int location) const {
  return std::max<std::size_t>(lineOrNone(line, location), 1);
}

std::string SourceLines::text() { return fmt::format("{}", fmt::join(source_.linesOf(file_), "\n")); }

namespace {

Result<code::RunTrace> record(const TraceSource& of, i64 block) {
  TESSERA_TRY(const KernelFile opened, openInSheet(of.bytes, of.file));
  TESSERA_TRY(const kernel::Prepared made, kernel::prepare(opened.module, of.launch, readKernelFile));
  kernel::TraceRequest request;
  request.findings = of.findings;
  request.block = std::max<i64>(block, 0);
  if (block < 0 && !of.findings.empty())
    request.block = kernel::linearIn(of.findings.front().at.block, made.launch.grid);
  TESSERA_TRY(code::RunTrace trace, kernel::traced(opened.module, made.launch, request));
  const SourceLines lines(opened, of.file, of.sourceFile);
  const std::vector<std::string_view> ptx = textLines(opened.text);
  for (code::RunTrace::Instruction& i : trace.instructions) {
    i.line = lines.lineOrNone(i.ptxLine, i.location);
    const auto at = static_cast<std::size_t>(i.ptxLine);
    if (at >= 1 && at <= ptx.size()) i.text = std::string(stripped(ptx[at - 1]));
  }
  for (code::RunTrace::Memory& m : trace.memories) {
    if (m.argument < 0 || static_cast<std::size_t>(m.argument) >= made.given.size()) continue;
    const std::string& name = made.given[static_cast<std::size_t>(m.argument)].name;
    m.name = name.find("param") == std::string::npos ? name : fmt::format("p{}", m.argument);
  }
  return trace;
}

class Traces {
 public:
  explicit Traces(TraceSource source) : source_(std::move(source)) {}
  Result<std::shared_ptr<const code::RunTrace>> of(i64 block) {
    const std::lock_guard lock(mutex_);
    const auto known = traces_.find(block);
    if (known != traces_.end()) return known->second;
    TESSERA_TRY(code::RunTrace made, record(source_, block));
    if (traces_.size() >= kKept) traces_.clear();
    auto trace = std::make_shared<const code::RunTrace>(std::move(made));
    traces_[block] = traces_[trace->block] = trace;
    return trace;
  }

 private:
  static constexpr std::size_t kKept = 8;
  std::mutex mutex_;
  TraceSource source_;
  std::map<i64, std::shared_ptr<const code::RunTrace>> traces_;  // by what was asked for
};

}  // namespace

std::function<Result<std::shared_ptr<const code::RunTrace>>(i64 block)> tracesOf(TraceSource source) {
  auto traces = std::make_shared<Traces>(std::move(source));
  return [traces](i64 block) { return traces->of(block); };
}

}  // namespace tessera
