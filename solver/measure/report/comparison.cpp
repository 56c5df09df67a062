#include "solver/measure/report/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "solver/measure/predict/csv.h"

namespace tessera::measure {
namespace {

constexpr std::array<std::string_view, 5> kKinds = {"kernel", "variant", "library", "unfused", "roofline"};
constexpr std::array<std::string_view, 3> kAnswers = {"not compared", "right", "wrong"};

// --- a member to and from a CSV field; false: not parseable ---

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

bool read(std::string_view field, std::string& into) {
  into = field;
  return true;
}
template <class T>
requires std::is_arithmetic_v<T>
bool read(std::string_view field, T& into) { return readNumber(field, into); }
template <class T>
bool read(std::string_view field, std::optional<T>& into) {
  into.reset();
  return field.empty() || read(field, into.emplace());
}
template <class Names>
bool readName(std::string_view field, const Names& names, auto& into) {
  const auto found = std::find(names.begin(), names.end(), field);
  if (found == names.end()) return false;
  into = static_cast<std::remove_reference_t<decltype(into)>>(found - names.begin());
  return true;
}
bool read(std::string_view field, RowKind& into) { return readName(field, kKinds, into); }
bool read(std::string_view field, Answer& into) { return readName(field, kAnswers, into); }
bool read(std::string_view field, std::map<std::string, i64>& into) {
  into.clear();
  while (!field.empty()) {
    const std::string_view word = field.substr(0, field.find(' '));
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos || equals == 0) return false;
    if (!read(word.substr(equals + 1), into[std::string(word.substr(0, equals))])) return false;
    field.remove_prefix(std::min(field.size(), word.size() + 1));
  }
  return true;
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
};

std::string keyOf(const ComparisonRow& row) {
  std::string out;
  columns(row, [&](std::string_view, const auto& member) { out += csvLine({fieldOf(member)}); });
  return out;
}

// A missing measurement is an empty field (in JSON it is absent), because 0 would read as a time.
template <class T>
std::string measuredFieldOf(std::string_view column, const T& member) {
  if constexpr (std::is_arithmetic_v<T>)
    if (member == 0 && (column.ends_with("_us") || column == "runs" || column == "roofline")) return "";
  return fieldOf(member);
}

// Index of every column in a parsed table; -1: absent.
class Columns {
 public:
  explicit Columns(const std::vector<std::string>& names) {
    for (std::size_t k = 0; k < names.size(); ++k) at_.try_emplace(names[k], k);
  }
  // Fills `into` from the line. Returns the name of a field that cannot be parsed, otherwise "".
  template <class T, class Visit>
  [[nodiscard]] std::string fill(const std::vector<std::string>& line, T& into, Visit visit) const {
    std::string wrong;
    visit(into, [&](std::string_view column, auto& member) {
      const auto found = at_.find(column);
      if (found == at_.end() || found->second >= line.size()) return;
      const std::string& field = line[found->second];
      if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(member)>>)
        if (field.empty()) return;
      if (!read(field, member) && wrong.empty()) wrong = column;
    });
    return wrong;
  }
  [[nodiscard]] bool has(std::string_view column) const { return at_.contains(column); }

 private:
  std::map<std::string, std::size_t, std::less<>> at_;
};

}  // namespace

std::string_view name(RowKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }
std::string_view name(Answer answer) { return kAnswers[static_cast<std::size_t>(answer)]; }

bool operator==(const ComparisonRow& a, const ComparisonRow& b) { return keyOf(a) == keyOf(b); }
bool operator==(const ComparisonTable& a, const ComparisonTable& b) {
  bool same = a.rows == b.rows;
  std::vector<std::string> left, right;
  headColumns(a, [&](std::string_view, const auto& member) { left.push_back(fieldOf(member)); });
  headColumns(b, [&](std::string_view, const auto& member) { right.push_back(fieldOf(member)); });
  same = same && left == right;
  return same;
}

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
    std::vector<std::string> cells;
    for (const ComparisonRow& row : table.rows) cells.push_back(c.cell(row));
    const auto saysNothing = [&](const std::string& s) { return s.empty() || s == c.usual; };
    if (std::all_of(cells.begin(), cells.end(), saysNothing)) continue;
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
  std::vector<std::size_t> widths;
  for (const std::string& head : cells.heads) widths.push_back(head.size());
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
  std::string out = csvLine(heads);
  for (const ComparisonRow& row : table.rows) {
    std::vector<std::string> line;
    columns(row, [&](std::string_view column, const auto& member) { line.push_back(measuredFieldOf(column, member)); });
    line.insert(line.end(), head.begin(), head.end());
    out += csvLine(line);
  }
  return out;
}

Result<ComparisonTable> readComparisonCsv(std::string_view text) {
  TESSERA_TRY(const auto lines, readCsv(text));
  const Columns at(lines.empty() ? std::vector<std::string>{} : lines.front());
  if (!at.has("kind") || !at.has("name"))
    return Diag{"this is no comparison table", "a first line with the columns kind, name, median_us ...", "", {}};
  ComparisonTable out;
  for (std::size_t k = 1; k < lines.size(); ++k) {
    std::string wrong = at.fill(lines[k], out.rows.emplace_back(), [](auto& row, auto f) { columns(row, f); });
    if (wrong.empty() && k == 1) wrong = at.fill(lines[k], out, [](auto& t, auto f) { headColumns(t, f); });
    if (!wrong.empty()) return Diag{fmt::format("line {}: column {} cannot be read", k + 1, wrong), "", "", {}};
  }
  return out;
}

}  // namespace tessera::measure
