#include "core/paste/printed/print_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/chars.h"
#include "core/base/words.h"
#include "core/base/work.h"
#include "core/notation/cute/swizzle.h"

namespace tessera::paste {
namespace {

using Rows = std::vector<std::vector<i64>>;
constexpr std::size_t kMostCells = std::size_t{1} << 18;

// A mode as nested leaves, fastest first.
struct Leaf {
  i64 extent, stride;
};

// "12", "T3V1", "T 3 V 1", "T3 \\ V1": one or two numbers.
bool readCell(std::string_view cell, i64& first, std::optional<i64>& second) {
  std::vector<i64> numbers;
  bool letters = false;
  for (std::size_t at = 0; at < cell.size();) {
    const char c = cell[at];
    if (isDigit(c) || (c == '-' && at + 1 < cell.size() && isDigit(cell[at + 1]))) {
      std::size_t end = at + 1;
      while (end < cell.size() && isDigit(cell[end])) ++end;
      const auto value = wholeNumber(cell.substr(at, end - at));
      if (!value) return false;
      numbers.push_back(*value);
      at = end;
      continue;
    }
    if (isLetter(c) && c != 'T' && c != 'V') return false;
    if (c == '.' || c == '/') return false;
    letters = letters || isLetter(c);
    ++at;
  }
  if (numbers.empty() || numbers.size() > 2 || (numbers.size() == 2) != letters) return false;
  first = numbers[0];
  if (numbers.size() == 2) second = numbers[1];
  return true;
}

// The cells of ` 0  | 0 | 1 |`; empty: no row.
bool readRow(std::string_view line, PrintedTable& table) {
  const std::size_t open = line.find('|');
  if (open == std::string_view::npos) return false;
  const std::string_view label = stripped(line.substr(0, open));
  if (!label.empty() && !wholeNumber(label)) return false;
  std::vector<i64> row, values;
  std::size_t at = open + 1;
  for (std::size_t end = line.find('|', at); end != std::string_view::npos; end = line.find('|', at)) {
    i64 first = 0;
    std::optional<i64> second;
    if (!readCell(line.substr(at, end - at), first, second)) return false;
    row.push_back(first);
    if (second) values.push_back(*second);
    at = end + 1;
  }
  if (row.empty() || (!values.empty() && values.size() != row.size())) return false;
  table.rows.push_back(std::move(row));
  if (!values.empty()) table.valueRows.push_back(std::move(values));
  return true;
}

bool isRule(std::string_view line) {
  line = stripped(line);
  return line.find("+-") != std::string_view::npos && line.find_first_not_of("+-= ") == std::string_view::npos;
}

// Rows of the first row's length only.
bool squared(PrintedTable& table) {
  if (table.rows.empty()) return false;
  const std::size_t columns = table.rows[0].size();
  for (Rows* rows : {&table.rows, &table.valueRows})
    while (!rows->empty() && rows->back().size() != columns) rows->pop_back();
  const bool pairs = !table.valueRows.empty();
  return !table.rows.empty() && (!pairs || table.valueRows.size() == table.rows.size()) &&
         std::ranges::all_of(table.rows, [&](const auto& row) { return row.size() == columns; });
}

template <typename F>
void forEachLine(std::string_view text, const F& f) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    spend(1 + static_cast<Work>((end - at) / 16));
    f(text.substr(at, end - at), at, end);
    at = end + 1;
  }
}

// f(0) == 0, f(i) as nested strides, fastest first.
std::optional<std::vector<Leaf>> leavesOf(std::vector<i64> f) {
  std::vector<Leaf> leaves;
  while (f.size() > 1) {
    const i64 stride = f[1];
    std::size_t run = 1;
    while (run < f.size() && f[run] == static_cast<i64>(run) * stride) ++run;
    while (f.size() % run != 0) --run;
    if (run == 1) return std::nullopt;
    std::vector<i64> outer(f.size() / run);
    for (std::size_t j = 0; j < outer.size(); ++j) outer[j] = f[j * run];
    for (std::size_t i = 0; i < f.size(); ++i)
      if (f[i] != static_cast<i64>(i % run) * stride + outer[i / run]) return std::nullopt;
    leaves.push_back({static_cast<i64>(run), stride});
    f = std::move(outer);
  }
  if (leaves.empty()) leaves.push_back({1, 0});
  return leaves;
}

struct Cell {
  std::size_t row = 0, column = 0;
};

// The modes of a table that is a sum of strides. `wrong`: the first cell that is not.
std::optional<std::vector<std::vector<Leaf>>> modesOf(const Rows& rows, i64 first, Cell& wrong) {
  std::vector<i64> down, across;
  for (const auto& row : rows) down.push_back(row[0] - first);
  for (const i64 value : rows[0]) across.push_back(value - first);
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::size_t c = 0; c < across.size(); ++c)
      if (rows[r][c] != first + down[r] + across[c]) {
        wrong = {r, c};
        return std::nullopt;
      }
  auto a = leavesOf(std::move(down)), b = leavesOf(std::move(across));
  if (!a || !b) {
    wrong = a ? Cell{0, rows[0].size() - 1} : Cell{rows.size() - 1, 0};
    return std::nullopt;
  }
  return std::vector<std::vector<Leaf>>{*std::move(a), *std::move(b)};
}

std::string tableModeText(const std::vector<Leaf>& mode, bool extents) {
  std::vector<i64> values;
  for (const Leaf& leaf : mode) values.push_back(extents ? leaf.extent : leaf.stride);
  return values.size() == 1 ? fmt::format("{}", values[0]) : fmt::format("({})", fmt::join(values, ","));
}

std::string tableLayoutText(const std::vector<std::vector<Leaf>>& modes) {
  return fmt::format("({},{}):({},{})", tableModeText(modes[0], true), tableModeText(modes[1], true),
                     tableModeText(modes[0], false), tableModeText(modes[1], false));
}

Rows swizzledRows(const Rows& rows, const cute::Swizzle& swizzle) {
  Rows out = rows;
  for (auto& row : out)
    for (i64& value : row) value = swizzle(value);
  return out;
}

std::optional<std::string> swizzledLayout(const Rows& rows, i64 largest) {
  int bits = 1;
  while (bits < 40 && (i64{1} << bits) <= largest) ++bits;
  for (int b = 1; b <= std::min(bits, 7); ++b)
    for (int m = 0; m + b <= bits; ++m)
      for (int s = b; m + b + s <= bits; ++s) {
        const auto swizzle = cute::Swizzle::make(b, m, s);
        if (!swizzle) continue;
        spend(static_cast<Work>(rows.size() * rows[0].size() / 8 + 1));
        // A cheap test first: the leading rows and columns decide for most swizzles.
        Cell wrong;
        const Rows few(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(rows.size(), 4)));
        const i64 first = (*swizzle)(rows[0][0]);
        const Rows undone = swizzledRows(few, *swizzle);
        bool sums = true;
        for (std::size_t r = 0; r < undone.size() && sums; ++r)
          for (std::size_t c = 0; c < undone[r].size() && sums; ++c)
            sums = undone[r][c] - undone[r][0] == undone[0][c] - first;
        if (!sums) continue;
        if (const auto modes = modesOf(swizzledRows(rows, *swizzle), first, wrong))
          return fmt::format("Sw<{},{},{}> o {} o {}", b, m, s, first, tableLayoutText(*modes));
      }
  return std::nullopt;
}

}  // namespace

std::vector<PrintedTable> tablesIn(std::string_view text) {
  std::vector<PrintedTable> tables;
  PrintedTable now;
  bool ruled = false;
  const auto finish = [&] {
    if (ruled && squared(now)) tables.push_back(now);
    now = {};
    ruled = false;
  };
  std::size_t cells = 0;
  forEachLine(text, [&](std::string_view line, std::size_t begin, std::size_t end) {
    if (cells > kMostCells) return;
    if (isRule(line)) {
      if (!ruled) now.begin = begin;
      ruled = true;
    } else if (ruled && readRow(line, now)) {
      now.end = end;
      cells += now.rows.back().size();
    } else if (ruled) {
      finish();
    }
  });
  finish();
  return tables;
}

std::optional<PrintedTable> gridIn(std::string_view text) {
  PrintedTable table;
  bool plain = true;
  std::size_t cells = 0;
  forEachLine(text, [&](std::string_view line, std::size_t, std::size_t) {
    if (stripped(line).empty() || !plain) return;
    std::vector<i64> row;
    for (const std::string_view word : wordsIn(line, " \t\r")) {
      const auto value = wholeNumber(word);
      plain = plain && value.has_value();
      row.push_back(value.value_or(0));
    }
    cells += row.size();
    plain = plain && cells <= kMostCells;
    table.rows.push_back(std::move(row));
  });
  const std::size_t rows = table.rows.size();
  if (!plain || rows < 2 || table.rows[0].size() < 2 || table.rows.back().size() != table.rows[0].size())
    return std::nullopt;
  table.end = text.size();
  return squared(table) && table.rows.size() == rows ? std::optional(table) : std::nullopt;
}

std::optional<PrintedTable> pictureIn(std::string_view text) {
  PrintedTable table;
  table.end = text.size();
  for (std::size_t at = text.find("\\node"); at != std::string_view::npos; at = text.find("\\node", at + 5)) {
    spend(4);
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t place = line.find(" at (");
    if (place == std::string_view::npos) continue;
    const std::size_t shut = line.find(')', place), open = line.find('{', place);
    if (shut == std::string_view::npos || open == std::string_view::npos) continue;
    const auto where = wordsIn(line.substr(place + 5, shut - place - 5), ", ");
    if (where.size() != 2) continue;
    const auto row = wholeNumber(where[0]), column = wholeNumber(where[1]);
    std::string cell(line.substr(open));
    for (const std::string_view noise : {"\\shortstack", "\\\\"})
      for (std::size_t k = cell.find(noise); k != std::string::npos; k = cell.find(noise))
        cell.replace(k, noise.size(), " ");
    std::erase_if(cell, [](char c) { return c == '{' || c == '}' || c == ';'; });
    i64 first = 0;
    std::optional<i64> second;
    // Row and column numbers are at -1.
    if (!row || !column || *row < 0 || *column < 0 || *row > 4096 || *column > 4096) continue;
    if (!readCell(cell, first, second)) continue;
    const auto r = static_cast<std::size_t>(*row), c = static_cast<std::size_t>(*column);
    if (r > table.rows.size() || (r == table.rows.size() && c != 0)) continue;
    if (r == table.rows.size()) table.rows.emplace_back();
    if (c != table.rows[r].size()) continue;
    table.rows[r].push_back(first);
    if (!second) continue;
    table.valueRows.resize(table.rows.size());
    table.valueRows[r].push_back(*second);
  }
  return squared(table) ? std::optional(table) : std::nullopt;
}

Rows threadValues(const PrintedTable& table) {
  if (table.valueRows.empty()) return table.rows;
  i64 threads = 1;
  for (const auto& row : table.rows)
    for (const i64 thread : row) threads = std::max(threads, std::min<i64>(thread, i64{1} << 30) + 1);
  Rows out = table.rows;
  for (std::size_t r = 0; r < out.size(); ++r)
    for (std::size_t c = 0; c < out[r].size(); ++c)
      out[r][c] += threads * std::clamp<i64>(table.valueRows[r][c], 0, i64{1} << 30);
  return out;
}

Result<std::string> layoutOfTable(const Rows& rows) {
  if (rows.empty() || rows[0].empty()) return Diag{"the table is empty", "rows of offsets"};
  constexpr i64 kLargest = i64{1} << 40;
  i64 largest = 0;
  for (const auto& row : rows)
    for (const i64 value : row) {
      if (value < -kLargest || value > kLargest) return Diag{fmt::format("{} is no offset", value)};
      largest = value < 0 ? kLargest : std::max(largest, value);
    }
  Cell wrong;
  const i64 first = rows[0][0];
  if (const auto modes = modesOf(rows, first, wrong)) {
    const std::string layout = tableLayoutText(*modes);
    return first == 0 ? layout : fmt::format("counting_iter({}) o {}", first, layout);
  }
  if (largest < kLargest)
    if (const auto found = swizzledLayout(rows, largest)) return *found;
  return Diag{fmt::format("the table is no layout, not even under a swizzle: {} at ({},{}) fits no strides",
                          rows[wrong.row][wrong.column], wrong.row, wrong.column),
              "a sum of a stride for each mode, or Sw<B,M,S> of one"};
}

}  // namespace tessera::paste
