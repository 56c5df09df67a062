#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "app/engine/kernel/kernel_report.h"
#include "app/engine/kernel/kernel_trace.h"
#include "app/library/whole/inside.h"
#include "core/base/arith.h"
#include "core/base/npy.h"

namespace tessera::api {
namespace {

constexpr std::int64_t kMostArgumentBytes = std::int64_t{1} << 33;

// Arrays in memory are files to the reader of arguments. A path cannot contain NUL.
constexpr std::string_view kInMemory("\0array ", 7);

tessera::Result<std::string> npyOf(const LaunchArgument& argument) {
  Npy array;
  array.descr = argument.type;
  array.shape = argument.shape;
  std::optional<std::int64_t> bytes = itemBytesOf(array.descr);
  if (*bytes <= 0)
    return Diag{fmt::format("'{}' is not the type of an array's elements", argument.type), "<f4, <f2, <i8 ..."};
  for (const std::int64_t extent : array.shape) {
    if (extent < 0) return Diag{"an array has a negative extent"};
    if (bytes) bytes = checkedMul(*bytes, extent);
  }
  if (!bytes || *bytes > kMostArgumentBytes) return Diag{"an array has at most 2^33 bytes"};
  array.bytes.assign(static_cast<const char*>(argument.data), static_cast<std::size_t>(*bytes));
  return writeNpy(array);
}

std::string commas(const Numbers& numbers) { return fmt::format("{}", fmt::join(numbers, ",")); }

tessera::Result<KernelRequest> requestOf(const Launch& launch) {
  KernelRequest out;
  out.launch.entry = launch.entry;
  out.launch.grid = commas(launch.grid);
  out.launch.block = commas(launch.block);
  out.launch.cluster = commas(launch.cluster);
  if (launch.shared < 0) return Diag{"the bytes of shared memory cannot be negative"};
  if (launch.steps <= 0) return Diag{"the number of steps must be positive"};
  out.launch.shared = launch.shared;
  out.launch.seed = launch.seed;
  out.launch.steps = launch.steps;
  for (std::size_t k = 0; k < launch.arguments.size(); ++k) {
    const LaunchArgument& a = launch.arguments[k];
    if (a.data == nullptr && a.text.find('\0') != std::string::npos) return Diag{"an argument contains a NUL byte"};
    std::string text = a.data == nullptr ? a.text : fmt::format("@{}{}", kInMemory, k);
    if (a.data != nullptr && !a.text.empty()) text = a.text + "=" + text;
    out.launch.arguments.push_back(std::move(text));
  }
  out.reference = launch.reference;
  out.tolerance = launch.tolerance;
  out.prove = launch.prove;
  out.barriers = launch.barriers;
  return out;
}

ThreadPoint threadPoint(const kernel::Point& p, const KernelSource& source) {
  const KernelSource::Place place = source.placeOf(p.line, p.location);
  return {{p.block.begin(), p.block.end()}, {p.thread.begin(), p.thread.end()}, place.file, place.line, p.line};
}

RunAccess accessOf(const kernel::AccessLine& a, const KernelSource& source) {
  const KernelSource::Place place = source.placeOf(a.line, a.location);
  RunAccess out;
  out.op = a.op;
  out.space = spaceText(a.space);
  out.file = place.file;
  out.line = place.line;
  out.ptxLine = a.line;
  out.argument = a.argument;
  out.store = a.store;
  out.width = a.width;
  out.cost = {a.bytes, a.warps, a.wavefronts, a.ideal, a.sectors, a.idealSectors};
  out.layout = a.layout;
  out.proved = a.proved;
  return out;
}

KernelRun runOf(const KernelAnswer& answer, KernelSource& source) {
  const kernel::Report& report = answer.report;
  KernelRun out;
  out.entry = answer.entry->name;
  out.verdict = kernel::nameOf(report.verdict);
  out.covers = report.covers;
  out.reason = report.reason;
  out.passed = answer.passed();
  out.notes = report.notes;
  for (const kernel::Finding& f : report.findings) {
    RunFinding one{std::string(kernel::nameOf(f.kind)),
                   f.message,
                   threadPoint(f.at, source),
                   {},
                   std::string(spaceText(f.space)),
                   f.element,
                   f.address,
                   f.bytes,
                   f.times};
    if (f.other) one.other = threadPoint(*f.other, source);
    out.findings.push_back(std::move(one));
  }
  for (const kernel::AccessLine& a : report.accesses) out.accesses.push_back(accessOf(a, source));
  for (std::size_t k = 0; k < answer.given.size(); ++k) {
    RunBuffer& buffer = out.buffers.emplace_back();
    buffer.name = answer.given[k].name;
    if (k >= report.buffers.size() || answer.given[k].descr.empty()) continue;
    Npy array = kernel::arrayOf(answer.given[k], report.buffers[k]);
    buffer.type = std::move(array.descr);
    buffer.shape = std::move(array.shape);
    buffer.bytes = std::move(array.bytes);
  }
  out.text = fmt::format("{}\n{}", out.entry, fmt::join(kernelAnswerText(answer, source), "\n"));
  out.json = kernelAnswerJson(answer, source);
  return out;
}

// The same words without the dashes of the command line.
Diag asField(Diag diag) {
  for (std::string* text : {&diag.message, &diag.expected, &diag.hint})
    for (std::size_t at = text->find("--"); at != std::string::npos; at = text->find("--", at)) text->erase(at, 2);
  return diag;
}

}  // namespace

Result<KernelRun> runKernel(std::string_view ptx, const Launch& launch, const Options& options) {
  Options whole = options;
  whole.seconds = 1e9;  // Launch::steps limits the run
  std::string text;     // the text that a Diag with a span is about
  return guarded<KernelRun>(whole, ptx, [&]() -> tessera::Result<KernelRun> {
    TESSERA_TRY(const KernelRequest request, requestOf(launch));
    TESSERA_TRY(const KernelFile file, openKernel(ptx, "kernel.ptx", {.architecture = "", .runsTools = false}, text));
    const kernel::ReadBytes read = [&](const std::string& path) -> tessera::Result<std::string> {
      if (!path.starts_with(kInMemory)) return readKernelFile(path);
      return npyOf(launch.arguments.at(std::stoul(path.substr(kInMemory.size()))));
    };
    auto prepared = preparedKernel(file, request, read);
    if (!prepared) return asField(prepared.error());
    auto answer = runKernelFile(file, request, *std::move(prepared));
    if (!answer) {
      answer.error().span = {};  // of the reference, not of the kernel
      return asField(answer.error());
    }
    KernelSource source(file, "kernel.ptx");
    return runOf(*answer, source);
  });
}

}  // namespace tessera::api
