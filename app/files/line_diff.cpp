#include "app/files/line_diff.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/base/nearest.h"

namespace tessera {
namespace {

using Lines = std::vector<std::string_view>;

// The part of both texts without common first and last lines.
struct Middle {
  std::size_t head = 0, endA = 0, endB = 0;
};

Middle middleOf(const Lines& a, const Lines& b) {
  const auto [front, back] = commonEnds(a, b);
  return {front, a.size() - back, b.size() - back};
}

// Myers: furthest[k + most] is the furthest position in a on diagonal k (a's line minus b's) with the current number of
// edits; one copy per number of edits is kept for backtracking.
std::optional<std::vector<DiffRow>> shortest(const Lines& a, const Lines& b, const Middle& m) {
  const auto n = static_cast<std::ptrdiff_t>(m.endA - m.head), k2 = static_cast<std::ptrdiff_t>(m.endB - m.head);
  const auto most = std::min<std::ptrdiff_t>(n + k2, kMostEdits);
  const auto lineA = [&](std::ptrdiff_t x) { return a[m.head + static_cast<std::size_t>(x)]; };
  const auto lineB = [&](std::ptrdiff_t y) { return b[m.head + static_cast<std::size_t>(y)]; };
  std::vector<std::vector<std::ptrdiff_t>> trail;
  std::vector<std::ptrdiff_t> furthest(static_cast<std::size_t>(2 * most + 3), 0);
  const auto at = [&](std::vector<std::ptrdiff_t>& v, std::ptrdiff_t k) -> std::ptrdiff_t& {
    return v[static_cast<std::size_t>(k + most + 1)];
  };
  std::ptrdiff_t edits = 0;
  for (bool found = false; !found; ++edits) {
    if (edits > most) return std::nullopt;
    for (std::ptrdiff_t k = -edits; k <= edits && !found; k += 2) {
      const bool down = k == -edits || (k != edits && at(furthest, k - 1) < at(furthest, k + 1));
      std::ptrdiff_t x = down ? at(furthest, k + 1) : at(furthest, k - 1) + 1;
      while (x < n && x - k < k2 && x - k >= 0 && lineA(x) == lineB(x - k)) ++x;
      at(furthest, k) = x;
      found = x >= n && x - k >= k2;
    }
    // For backtracking: diagonals -edits to edits.
    trail.emplace_back(furthest.begin() + (most + 1 - edits), furthest.begin() + (most + 2 + edits));
  }
  std::vector<DiffRow> rows;  // from the end
  std::ptrdiff_t x = n, y = k2;
  const auto push = [&](DiffRow::Kind kind) {
    rows.push_back({kind, m.head + static_cast<std::size_t>(x), m.head + static_cast<std::size_t>(y)});
  };
  for (std::ptrdiff_t d = edits - 1; d > 0; --d) {
    const std::vector<std::ptrdiff_t>& v = trail[static_cast<std::size_t>(d - 1)];  // after d - 1 edits
    const auto reached = [&](std::ptrdiff_t k) {
      return k < -(d - 1) || k > d - 1 ? std::ptrdiff_t{-1} : v[static_cast<std::size_t>(k + d - 1)];
    };
    const std::ptrdiff_t k = x - y;
    const bool down = k == -d || (k != d && reached(k - 1) < reached(k + 1));
    const std::ptrdiff_t fromX = down ? reached(k + 1) : reached(k - 1);
    const std::ptrdiff_t startX = down ? fromX : fromX + 1;
    while (x > startX) {
      --x;
      --y;
      push(DiffRow::Kind::Same);
    }
    down ? --y : --x;
    push(down ? DiffRow::Kind::Second : DiffRow::Kind::First);
  }
  while (x > 0 && y > 0) {
    --x;
    --y;
    push(DiffRow::Kind::Same);
  }
  std::reverse(rows.begin(), rows.end());
  return rows;
}

}  // namespace

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (;;) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::vector<DiffRow> lineDiff(const Lines& a, const Lines& b) {
  const Middle m = middleOf(a, b);
  std::vector<DiffRow> rows;
  for (std::size_t k = 0; k < m.head; ++k) rows.push_back({DiffRow::Kind::Same, k, k});
  if (auto between = shortest(a, b, m)) {
    rows.insert(rows.end(), between->begin(), between->end());
  } else {
    for (std::size_t k = m.head; k < m.endA; ++k) rows.push_back({DiffRow::Kind::First, k, m.head});
    for (std::size_t k = m.head; k < m.endB; ++k) rows.push_back({DiffRow::Kind::Second, m.endA, k});
  }
  for (std::size_t k = m.endA; k < a.size(); ++k) rows.push_back({DiffRow::Kind::Same, k, m.endB + (k - m.endA)});
  return rows;
}

std::size_t changedLines(std::string_view before, std::string_view now) {
  std::size_t lost = 0, came = 0;
  for (const DiffRow& row : lineDiff(linesOf(before), linesOf(now))) {
    lost += row.kind == DiffRow::Kind::First;
    came += row.kind == DiffRow::Kind::Second;
  }
  return came > 0 ? came : lost;
}

}  // namespace tessera
