#include "solver/measure/report/comparison.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <type_traits>

#include "core/base/csv.h"
#include "core/base/mapped.h"

namespace tessera::measure {
namespace {

constexpr std::array<std::string_view, 5> kKinds = {"kernel", "variant", "library", "unfused", "roofline"};
constexpr std::array<std::string_view, 3> kAnswers = {"not compared", "right", "wrong"};

// --- a member as a CSV field ---

std::string fieldOf(const std::string& text) { return text; }
std::string fieldOf(RowKind kind) { return std::string(name(kind)); }
std::string fieldOf(Answer answer) { return std::string(name(answer)); }
template <class T>
requires std::is_arithmetic_v<T> std::string fieldOf(T number) { return fmt::format("{}", number); }
template <class T>
std::string fieldOf(const std::optional<T>& some) {
  return some ? fieldOf(*some) : "";
}
std::string fieldOf(const std::map<std::string, i64>& sizes) {
  std::string out;
  for (const auto& [size, value] : sizes) out += fmt::format("{}{}={}", out.empty() ? "" : " ", size, value);
  return out;
}

// --- cells for display ---

// 41.2, 1350, 0.0123: four digits, and no exponent, which would disturb a column of times.
std::string four(double x) { return std::abs(x) >= 1000 ? fmt::format("{:.0f}", x) : fmt::format("{:.4g}", x); }
std::string counted(const std::optional<i64>& n) { return n ? fmt::format("{}", *n) : ""; }
// "40 / 32"
std::string beside(const std::optional<i64>& n, const std::optional<i64>& least) {
  return n && least ? fmt::format("{} / {}", *n, *least) : counted(n);
}
std::string scaled(double x, std::string_view unit) {
  constexpr std::array<std::string_view, 5> kPrefixes = {"", "k", "M", "G", "T"};
  std::size_t k = 0;
  while (x >= 1000 && k + 1 < kPrefixes.size()) x /= 1000, ++k;
  return x <= 0 ? "" : fmt::format("{:.3g} {}{}", x, kPrefixes[k], unit);
}

struct TextColumn {
  std::string_view head;
  std::string (*cell)(const ComparisonRow&);
  bool number = false;
  std::string_view usual = "";  // the column is omitted if every row has this value
};
constexpr TextColumn kText[] = {
    {"", [](const ComparisonRow& r) { return std::string(name(r.kind)); }},
    {"name", [](const ComparisonRow& r) { return r.name; }},
    {"settings", [](const ComparisonRow& r) { return r.settings; }},
    {"result", [](const ComparisonRow& r) { return r.kind == RowKind::Roofline ? "" : std::string(name(r.answer)); }},
    {"error", [](const ComparisonRow& r) { return r.relativeError ? fmt::format("{:.2g}", *r.relativeError) : ""; },
     true},
    {"median", timeOf, true},
    {"quartiles",
     [](const ComparisonRow& r) {
       return r.time.count < 2 ? "" : fmt::format("{} to {}", four(r.time.lower), four(r.time.upper));
     },
     true},
    {"timed by", [](const ComparisonRow& r) { return r.timedBy; }},
    {"inputs", [](const ComparisonRow& r) { return r.inputs; }},
    {"of roofline",
     [](const ComparisonRow& r) { return r.roofline > 0 ? fmt::format("{:.0f} %", 100 * r.roofline) : ""; }, true},
    {"kernels", [](const ComparisonRow& r) { return counted(r.kernels); }, true, "1"},
    {"bytes", [](const ComparisonRow& r) { return scaled(r.bytes, "B"); }, true},
    {"operations", [](const ComparisonRow& r) { return scaled(r.operations, ""); }, true},
    {"registers", [](const ComparisonRow& r) { return counted(r.registers); }, true},
    {"spilled", [](const ComparisonRow& r) { return counted(r.spilledBytes); }, true},
    {"shared", [](const ComparisonRow& r) { return counted(r.sharedBytes); }, true},
    {"warps", [](const ComparisonRow& r) { return beside(r.residentWarps, r.mostWarps); }, true},
    {"instructions", [](const ComparisonRow& r) { return counted(r.instructions); }, true},
    {"wavefronts", [](const ComparisonRow& r) { return beside(r.wavefronts, r.idealWavefronts); }, true},
    {"sectors", [](const ComparisonRow& r) { return beside(r.sectors, r.idealSectors); }, true},
    {"", [](const ComparisonRow& r) { return r.why; }},
    {"", [](const ComparisonRow& r) { return r.timingNote; }},
};

// A missing measurement is an empty field (in JSON it is absent), because 0 would read as a time.
template <class T>
std::string measuredFieldOf(std::string_view column, const T& member) {
  if constexpr (std::is_arithmetic_v<T>)
    if (member == 0 && (column.ends_with("_us") || column == "runs" || column == "roofline")) return "";
  return fieldOf(member);
}

}  // namespace

std::string_view name(RowKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
std::string_view name(Answer answer) { return kAnswers[static_cast<std::size_t>(answer)]; }

std::string timeOf(const ComparisonRow& row) {
  const double us = row.time.median;
  if (row.time.count == 0) return "";
  if (us >= 1e6) return fmt::format("{:.4g} s", us / 1e6);
  if (us >= 1e3) return fmt::format("{:.4g} ms", us / 1e3);
  return fmt::format("{:.4g} us", us);
}

std::string whereOf(const ComparisonTable& t) {
  std::string out = t.device.empty() ? "the emulator" : t.device;
  if (!t.device.empty() && !t.driver.empty()) out += ", driver " + t.driver;
  if (!t.date.empty()) out += ", " + t.date;
  return out;
}

ComparisonCells cellsOf(const ComparisonTable& table) {
  ComparisonCells out;
  out.lines.resize(table.rows.size());
  for (const TextColumn& c : kText) {
    auto cells = mapped<std::string>(table.rows, c.cell);
    const auto isEmpty = [&](const std::string& s) { return s.empty() || s == c.usual; };
    if (std::ranges::all_of(cells, isEmpty)) continue;
    out.heads.emplace_back(c.head);
    out.numbers.push_back(c.number);
    for (std::size_t k = 0; k < cells.size(); ++k) out.lines[k].push_back(std::move(cells[k]));
  }
  return out;
}

std::string textOf(const ComparisonTable& t) {
  std::string out = fmt::format("{} on {}\n", t.program, whereOf(t));
  if (t.device.empty() && !t.noDevice.empty()) out += fmt::format("no GPU: {}\n", t.noDevice);
  out += fmt::format("seed {}", t.seed);
  for (const auto& [size, value] : t.sizes) out += fmt::format(", {} = {}", size, value);
  if (!t.compiler.empty()) out += fmt::format(", compiled for {} by {}", t.architecture, t.compiler);
  out += '\n';
  const ComparisonCells cells = cellsOf(t);
  auto widths = mapped<std::size_t>(cells.heads, [](const std::string& s) { return s.size(); });
  for (const auto& line : cells.lines)
    for (std::size_t k = 0; k < line.size(); ++k) widths[k] = std::max(widths[k], line[k].size());
  const auto add = [&](const std::vector<std::string>& line) {
    std::string text;
    for (std::size_t k = 0; k < line.size(); ++k)
      text +=
          cells.numbers[k] ? fmt::format("{:>{}}  ", line[k], widths[k]) : fmt::format("{:<{}}  ", line[k], widths[k]);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  add(cells.heads);
  for (const auto& line : cells.lines) add(line);
  return out;
}

std::string csvOf(const ComparisonTable& table) {
  std::vector<std::string> heads, head;
  const ComparisonRow none;
  columns(none, [&](std::string_view column, const auto&) { heads.emplace_back(column); });
  headColumns(table, [&](std::string_view column, const auto& member) {
    heads.emplace_back(column);
    head.push_back(fieldOf(member));
  });
  std::string out = csvLine(heads, "\r\n");
  for (const ComparisonRow& row : table.rows) {
    std::vector<std::string> line;
    columns(row, [&](std::string_view column, const auto& member) { line.push_back(measuredFieldOf(column, member)); });
    line.insert(line.end(), head.begin(), head.end());
    out += csvLine(line, "\r\n");
  }
  return out;
}

}  // namespace tessera::measure
