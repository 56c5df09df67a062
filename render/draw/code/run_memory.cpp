#include "render/draw/code/run_memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "render/draw/links.h"

namespace tessera {
namespace {

using code::RunTrace;

constexpr i64 kMostShownRows = 32, kMostColumns = 64;

// How a memory is laid out as cells.
struct CellPlan {
  i64 bytes = 4, columns = 32;
  std::vector<i64> shape;  // of the array, if a row is one of its rows or a part of it
  i64 total = 0;           // rows; 0: without bounds
};

i64 smallestWidth(const RunTrace& trace, int memory) {
  i64 width = 4;
  for (const RunTrace::Access& a : trace.accesses)
    if (a.memory == memory) width = std::min<i64>(width, a.width & -a.width);
  return std::max<i64>(width, 1);
}

CellPlan cellPlan(const RunTrace& trace, int memory) {
  const RunTrace::Memory& m = trace.memories[static_cast<std::size_t>(memory)];
  CellPlan plan;
  plan.bytes = m.elementBytes > 0 ? m.elementBytes : smallestWidth(trace, memory);
  plan.columns = m.shared ? std::min<i64>(128 / plan.bytes, kMostColumns) : 32;
  if (m.elementBytes > 0 && m.shape.size() > 1) {
    const i64 last = m.shape.back();
    if (last <= kMostColumns) plan.columns = last;
    if (last % plan.columns == 0) plan.shape = m.shape;
  }
  const i64 row = plan.bytes * plan.columns;
  plan.total = m.bytes > 0 ? (m.bytes + row - 1) / row : 0;
  return plan;
}

struct TouchedCell {
  i64 thread = -1;
  int more = 0;
  bool write = false, focused = false;
};

struct MemoryPicture {
  RunMemory of;
  CellPlan plan;
  std::vector<i64> rows;  // those that are shown, ascending
  std::map<i64, TouchedCell> touched;
  std::map<i64, i64> writer;  // by cell: the last thread before the step
};

i64 threadAt(const RunTrace& trace, std::size_t step, const RunTrace::Access& a) {
  return i64{trace.steps[step].warp} * 32 + a.lane;
}

template <class Visit>
void eachCellOf(const RunTrace::Access& a, i64 bytes, const Visit& visit) {
  for (i64 cell = a.offset / bytes; cell * bytes < a.offset + a.width; ++cell) visit(cell);
}

// The rows to show: all of a small memory; of shared memory those that the block touches, so that the picture stays as
// it is from step to step; else those around this step's.
std::vector<i64> shownRows(const MemoryPicture& p) {
  const RunTrace& trace = *p.of.trace;
  std::vector<i64> out;
  if (p.of.onlyThere && p.of.meeting) {
    const i64 at = p.of.meeting->first / (p.plan.bytes * p.plan.columns);
    for (i64 r = std::max<i64>(at - 1, 0); r <= at + 1 && (p.plan.total == 0 || r < p.plan.total); ++r)
      out.push_back(r);
    return out;
  }
  if (p.plan.total > 0 && p.plan.total <= kMostShownRows) {
    for (i64 r = 0; r < p.plan.total; ++r) out.push_back(r);
    return out;
  }
  std::set<i64> all;
  const bool shared = trace.memories[static_cast<std::size_t>(p.of.memory)].shared;
  const i64 rowBytes = p.plan.bytes * p.plan.columns;
  for (const RunTrace::Access& a : trace.accesses) {
    if (a.memory == p.of.memory) all.insert(a.offset / rowBytes);
    if (!shared || static_cast<i64>(all.size()) > kMostShownRows) break;
  }
  if (p.of.meeting) all.insert(p.of.meeting->first / rowBytes);
  if (!shared || static_cast<i64>(all.size()) > kMostShownRows) {
    all.clear();
    std::size_t k = p.of.step + 1;
    while (k-- > 0 && all.empty())  // of the last step that touched it
      for (const RunTrace::Access& a : trace.accessesOf(k))
        if (a.memory == p.of.memory) all.insert(a.offset / rowBytes);
    if (p.of.meeting) all.insert(p.of.meeting->first / rowBytes);
    std::set<i64> near;
    for (const i64 row : all)
      for (i64 r = std::max<i64>(row - 1, 0); r <= row + 1 && (p.plan.total == 0 || r < p.plan.total); ++r)
        near.insert(r);
    if (static_cast<i64>(near.size()) <= kMostShownRows) all = std::move(near);
  }
  out.assign(all.begin(), all.end());
  if (out.empty()) out.push_back(0);
  if (static_cast<i64>(out.size()) > kMostShownRows) out.resize(static_cast<std::size_t>(kMostShownRows));
  return out;
}

class RunMemoryCells : public CellSource {
 public:
  explicit RunMemoryCells(MemoryPicture picture) : p_(std::move(picture)) {}

  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    const i64 at = cellAt(row, col);
    Cell out{"", "", paint(row, col), {}};
    if (!inside(at)) return out;
    out.point = runMemoryPoint(*p_.of.trace, p_.of.memory, at);
    out.lit = meets(at);
    if (const auto touched = p_.touched.find(at); touched != p_.touched.end()) {
      out.label = std::to_string(touched->second.thread);
      out.second = touched->second.more > 0 ? fmt::format("+{}", touched->second.more) : "";
      out.lit = out.lit || touched->second.focused;
    } else if (const auto writer = p_.writer.find(at); writer != p_.writer.end()) {
      out.label = std::to_string(writer->second);
    }
    return out;
  }

  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    const i64 at = cellAt(row, col);
    if (!inside(at)) return {Role::None};
    if (const auto touched = p_.touched.find(at); touched != p_.touched.end())
      return threadPaint(touched->second.thread % 32, 32);
    return p_.writer.contains(at) ? Paint{Role::Shade, 2, 0, 0} : Paint{Role::Raised};
  }

  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int) const override {
    if (!point.real() || point.domain != runMemoryPoint(*p_.of.trace, p_.of.memory, 0).domain) return {};
    const i64 row = point.index / p_.plan.columns, col = point.index % p_.plan.columns;
    const auto at = std::ranges::lower_bound(p_.rows, row);
    if (at == p_.rows.end() || *at != row || !inside(point.index)) return {};
    return {{at - p_.rows.begin(), col}};
  }

  [[nodiscard]] std::string rowHeader(i64 row) const override {
    const i64 r = p_.rows[static_cast<std::size_t>(row)], first = r * p_.plan.columns;
    if (p_.plan.shape.empty()) return fmt::format("+{}", first * p_.plan.bytes);
    std::vector<i64> at;
    i64 rest = first;
    for (std::size_t d = p_.plan.shape.size(); d-- > 0; rest /= p_.plan.shape[d])
      at.insert(at.begin(), rest % p_.plan.shape[d]);
    if (p_.plan.columns == p_.plan.shape.back()) at.pop_back();
    return fmt::format("{}", fmt::join(at, ","));
  }
  [[nodiscard]] std::string colHeader(i64 col) const override { return std::to_string(col); }

  [[nodiscard]] std::vector<std::string> fieldNames() const override { return {"offset", "thread", "last writer"}; }
  [[nodiscard]] std::vector<std::string> fields(i64 row, i64 col) const override {
    const i64 at = cellAt(row, col);
    const auto touched = p_.touched.find(at);
    const auto writer = p_.writer.find(at);
    return {std::to_string(at * p_.plan.bytes),
            touched == p_.touched.end() ? "" : std::to_string(touched->second.thread),
            writer == p_.writer.end() ? "" : std::to_string(writer->second)};
  }

 private:
  [[nodiscard]] i64 cellAt(i64 row, i64 col) const {
    return p_.rows[static_cast<std::size_t>(row)] * p_.plan.columns + col;
  }
  [[nodiscard]] bool inside(i64 cell) const {
    const i64 bytes = p_.of.trace->memories[static_cast<std::size_t>(p_.of.memory)].bytes;
    return cell >= 0 && (bytes == 0 || cell * p_.plan.bytes < bytes);
  }
  [[nodiscard]] bool meets(i64 cell) const {
    if (!p_.of.meeting) return false;
    const auto& [offset, bytes] = *p_.of.meeting;
    return cell * p_.plan.bytes < offset + bytes && (cell + 1) * p_.plan.bytes > offset;
  }
  MemoryPicture p_;
};

}  // namespace

Point runMemoryPoint(const RunTrace& trace, int memory, i64 cell) {
  return {pointDomain({-2001, trace.block, memory}), cell};
}

std::string bytesText(std::span<const std::uint8_t> bytes) {
  std::string out = "0x";
  for (std::size_t k = bytes.size(); k-- > 0;) out += fmt::format("{:02x}", bytes[k]);
  return out;
}

i64 RunMemory::cellBytes() const { return cellPlan(*trace, memory).bytes; }

Grid RunMemory::grid() const {
  MemoryPicture p{*this, cellPlan(*trace, memory), {}, {}, {}};
  const std::size_t before = trace->steps[step].firstAccess;
  std::size_t at = 0;
  for (std::size_t k = 0; k < before; ++k) {
    while (at + 1 < trace->steps.size() && trace->steps[at + 1].firstAccess <= k) ++at;
    const RunTrace::Access& a = trace->accesses[k];
    if (a.memory == memory && a.write)
      eachCellOf(a, p.plan.bytes, [&](i64 cell) { p.writer[cell] = threadAt(*trace, at, a); });
  }
  for (const RunTrace::Access& a : trace->accessesOf(step)) {
    if (a.memory != memory) continue;
    const i64 thread = threadAt(*trace, step, a);
    eachCellOf(a, p.plan.bytes, [&](i64 cell) {
      const auto [known, fresh] = p.touched.try_emplace(cell, TouchedCell{thread, 0, a.write, thread == focus});
      if (fresh) return;
      if (known->second.thread != thread) ++known->second.more;
      known->second.write = known->second.write || a.write;
      known->second.focused = known->second.focused || thread == focus;
    });
  }
  p.rows = shownRows(p);
  const i64 rows = static_cast<i64>(p.rows.size()), columns = p.plan.columns;
  const double wide = columns > 32 ? 10 : 20;
  Grid out = makeGrid(title(), rows, columns, std::make_shared<RunMemoryCells>(std::move(p)), wide, 18);
  out.labelChars = trace->threads > 1000 ? 4 : trace->threads > 100 ? 3 : 2;
  out.colGroup = 8;
  return out;
}

std::string RunMemory::title() const { return trace->memories[static_cast<std::size_t>(memory)].name; }

std::string RunMemory::placeText(i64 offset) const {
  const RunTrace::Memory& m = trace->memories[static_cast<std::size_t>(memory)];
  if (m.elementBytes > 0 && offset % m.elementBytes == 0) {
    std::vector<i64> at;
    i64 rest = offset / m.elementBytes;
    for (std::size_t d = m.shape.size(); d-- > 0; rest /= m.shape[d]) at.insert(at.begin(), rest % m.shape[d]);
    return fmt::format("{}[{}]", m.name, fmt::join(at, ","));
  }
  std::string place = fmt::format("{}+{}", m.name, offset);
  for (const RunTrace::Memory::Variable& v : m.variables)
    if (v.offset <= offset) place = fmt::format("{}+{}", v.name, offset - v.offset);
  return place;
}

std::string RunMemory::rest() const {
  const RunTrace::Memory& m = trace->memories[static_cast<std::size_t>(memory)];
  const CellPlan plan = cellPlan(*trace, memory);
  std::string out;
  std::set<int> reading, writing;
  int width = 0;
  for (const RunTrace::Access& a : trace->accessesOf(step)) {
    if (a.memory != memory) continue;
    (a.write ? writing : reading).insert(a.lane);
    width = a.width;
  }
  const auto say = [&](const std::set<int>& lanes, const char* one, const char* many) {
    if (lanes.empty()) return;
    out += fmt::format("{}{} {} {} bytes", out.empty() ? "" : ", ",
                       lanes.size() == 1 ? "1 lane" : fmt::format("{} lanes", lanes.size()),
                       lanes.size() == 1 ? one : many, width);
  };
  say(reading, "reads", "read");
  say(writing, "writes", "write");
  if (!out.empty()) out += "; ";
  if (!plan.shape.empty()) return out + fmt::format("[{}]", fmt::join(m.shape, ","));
  out += fmt::format("a row is {} bytes{}", plan.bytes * plan.columns,
                     m.shared && plan.bytes == 4 ? ", a column a bank" : "");
  constexpr std::size_t kMostNames = 3;
  for (std::size_t k = 0; k < std::min(m.variables.size(), kMostNames); ++k)
    out += fmt::format("{} {} at +{}", k == 0 ? ";" : ",", m.variables[k].name, m.variables[k].offset);
  if (m.variables.size() > kMostNames) out += fmt::format(" and {} more", m.variables.size() - kMostNames);
  return out;
}

}  // namespace tessera
