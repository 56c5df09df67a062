#include "app/engine/kernel/kernel_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/engine/json_writer.h"
#include "app/engine/table.h"
#include "core/base/chars.h"

namespace tessera {

std::string_view spaceText(ptx::Space space) {
  switch (space) {
    case ptx::Space::Shared:
      return "shared";
    case ptx::Space::Global:
      return "global";
    case ptx::Space::Local:
      return "local";
    case ptx::Space::Const:
      return "const";
    case ptx::Space::Param:
      return "param";
    case ptx::Space::Special:
      return "tensor";
    default:
      return "generic";
  }
}

namespace {

std::string pointText(const kernel::Point& p) {
  return fmt::format("thread ({}) of block ({})", fmt::join(p.thread, ","), fmt::join(p.block, ","));
}

// "96 (32)": the count, and the least if it is smaller.
std::string against(i64 count, i64 least) {
  if (count == 0 && least == 0) return "";
  return count == least ? fmt::format("{}", count) : fmt::format("{} ({})", count, least);
}

std::string percent(i64 part, i64 all) {
  return all == 0 || part == 0 ? ""
                               : fmt::format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

void addPoint(JsonWriter& json, const kernel::Point& p, const KernelSource& source) {
  const auto numbers = [](const std::array<std::uint32_t, 3>& x) {
    return std::vector<std::uint32_t>(x.begin(), x.end());
  };
  const KernelSource::Place place = source.placeOf(p.line, p.location);
  json.member("block", numbers(p.block)).member("thread", numbers(p.thread));
  json.member("line", place.line).member("ptx_line", p.line);
  if (!place.file.empty()) json.member("file", place.file);
}

}  // namespace

std::string verdictText(const kernel::Report& report) {
  std::string out(nameOf(report.verdict));
  if (report.verdict == kernel::Verdict::Unknown && !report.reason.empty()) out += ": " + report.reason;
  if (report.verdict == kernel::Verdict::Benign) out += ": only threads that write equal values conflict";
  if (!report.covers.empty()) out += "; covers " + report.covers;
  return out;
}

namespace {

std::vector<std::string> reportLines(const kernel::Report& report, KernelSource& source) {
  std::vector<std::string> out;
  for (const kernel::Finding& f : report.findings) {
    out.push_back(fmt::format("{}: {}", nameOf(f.kind), f.message));
    if (f.at.line > 0) out.push_back(fmt::format("  {}, {}", pointText(f.at), source.text(f.at.line, f.at.location)));
    if (f.other)
      out.push_back(fmt::format("  {}, {}", pointText(*f.other), source.text(f.other->line, f.other->location)));
    if (f.bytes > 0) {
      out.push_back(fmt::format("  at {}{}, {} of {} memory", f.element.empty() ? "" : f.element + ", ",
                                fmt::format("address 0x{:x}", f.address),
                                counted(static_cast<std::size_t>(f.bytes), "byte"), spaceText(f.space)));
    }
    if (f.times > 1) out.push_back(fmt::format("  {} times", f.times));
    out.emplace_back();
  }
  i64 wavefronts = 0, sectors = 0;
  bool recorded = false;
  for (const kernel::AccessLine& a : report.accesses) {
    wavefronts += a.wavefronts, sectors += a.sectors;
    recorded = recorded || (!a.layout.empty() && !a.proved);
  }
  std::vector<std::vector<std::string>> rows = {
      {"line", "instruction", "space", "bytes", "warps", "wavefronts", "share", "sectors", "share", "layout"}};
  for (const kernel::AccessLine& a : report.accesses)
    rows.push_back({source.place(a.line, a.location), a.op, std::string(spaceText(a.space)), fmt::format("{}", a.width),
                    fmt::format("{}", a.warps), against(a.wavefronts, a.ideal), percent(a.wavefronts, wavefronts),
                    against(a.sectors, a.idealSectors), percent(a.sectors, sectors),
                    a.layout.empty() || a.proved ? a.layout : a.layout + " *"});
  if (rows.size() > 1) {
    for (std::string& row : aligned(rows, 3)) out.push_back(std::move(row));
    out.emplace_back("  bytes: of a lane, or of a whole copy or tile; in parentheses: the least possible");
    if (recorded) out.emplace_back("  *: the layout of the first executions; the others hold for every execution");
    out.emplace_back();
  }
  for (const std::string& note : report.notes) out.push_back("note: " + note);
  for (const std::string& bound : report.bounds) out.push_back("inexact: " + bound);
  out.push_back(verdictText(report));
  return out;
}

std::vector<std::string> barrierLines(const std::vector<kernel::Synchronization>& barriers, KernelSource& source) {
  std::vector<std::string> out;
  for (const kernel::Synchronization& s : barriers) {
    const bool redundant = s.without == kernel::Verdict::Clean || s.without == kernel::Verdict::Benign;
    out.push_back(
        fmt::format("{} at {}: {}", s.op, source.text(s.line, s.location),
                    redundant ? "redundant for these arguments" : fmt::format("without it: {}", nameOf(s.without))));
  }
  return out;
}

}  // namespace

std::vector<std::string> kernelAnswerText(const KernelAnswer& answer, KernelSource& source) {
  std::vector<std::string> out;
  for (const kernel::reference::Compared& c : answer.compared) out.push_back(kernel::reference::textOf(c));
  for (const kernel::reference::Proof& p : answer.proofs) out.push_back(kernel::reference::textOf(p));
  for (std::string& line : reportLines(answer.report, source)) out.push_back(std::move(line));
  if (answer.barriers)
    for (std::string& line : barrierLines(*answer.barriers, source)) out.push_back(std::move(line));
  return out;
}

std::string kernelAnswerJson(const KernelAnswer& answer, const KernelSource& source) {
  const kernel::Report& report = answer.report;
  const std::vector<kernel::reference::Proof>& proofs = answer.proofs;
  JsonWriter json;
  json.beginObject().member("verdict", nameOf(report.verdict));
  json.key("findings").beginArray();
  for (const kernel::Finding& f : report.findings) {
    json.beginObject().member("kind", nameOf(f.kind)).member("message", f.message);
    addPoint(json, f.at, source);
    if (f.other) {
      json.key("other").beginObject();
      addPoint(json, *f.other, source);
      json.endObject();
    }
    json.member("space", spaceText(f.space)).member("address", f.address).member("bytes", f.bytes);
    json.member("element", f.element).member("times", f.times).endObject();
  }
  json.endArray().key("accesses").beginArray();
  for (const kernel::AccessLine& a : report.accesses) {
    const KernelSource::Place place = source.placeOf(a.line, a.location);
    json.beginObject().member("line", place.line).member("op", a.op).member("space", spaceText(a.space));
    json.member("bytes", a.width).member("warps", a.warps).member("wavefronts", a.wavefronts).member("ideal", a.ideal);
    json.member("sectors", a.sectors).member("ideal_sectors", a.idealSectors).member("layout", a.layout);
    json.member("layout_proved", a.proved);
    json.member("store", a.store).member("total_bytes", a.bytes).member("ptx_line", a.line);
    if (!place.file.empty()) json.member("file", place.file);
    if (a.argument >= 0) json.member("argument", a.argument);
    if (!a.range.variable.empty()) json.member("variable", a.range.variable);
    json.endObject();
  }
  json.endArray();
  if (answer.barriers) {
    json.key("barriers").beginArray();
    for (const kernel::Synchronization& s : *answer.barriers) {
      const KernelSource::Place place = source.placeOf(s.line, s.location);
      json.beginObject().member("line", place.line).member("ptx_line", s.line).member("op", s.op);
      if (!place.file.empty()) json.member("file", place.file);
      json.member("without", nameOf(s.without)).endObject();
    }
    json.endArray();
  }
  if (!proofs.empty()) {
    json.key("proofs").beginArray();
    for (const kernel::reference::Proof& p : proofs)
      json.beginObject()
          .member("name", p.name)
          .member("answer", nameOf(p.answer))
          .member("elements", p.elements)
          .member("covers", p.covers)
          .member("how", p.how)
          .endObject();
    json.endArray();
  }
  json.member("covers", report.covers).member("reason", report.reason).member("notes", report.notes);
  json.member("bounds", report.bounds).member("thread_instructions", report.threadInstructions);
  return json.endObject().take();
}

}  // namespace tessera
