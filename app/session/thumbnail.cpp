#include "app/session/thumbnail.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace tessera {
namespace {

constexpr int kLeastRows = 2, kMostRows = 8, kLeastCols = 4, kMostCols = 12;
constexpr int kLeastColoured = 12, kLeastColours = 3;

char letterOf(const Paint& paint) {
  if (paint.role == Role::Group) return static_cast<char>('A' + paint.group % 8 * 4 + paint.member % 4);
  if (paint.role == Role::Heat) return static_cast<char>('a' + std::clamp(static_cast<int>(paint.level * 25), 0, 25));
  return '.';
}

}  // namespace

Paint Thumbnail::paint(int row, int col) const {
  const char c = cells[static_cast<std::size_t>(row * cols + col)];
  if (c >= 'a') return {Role::Heat, 0, 0, static_cast<float>(c - 'a') / 25};
  if (c >= 'A') return groupPaint((c - 'A') / 4, (c - 'A') % 4);
  return {};
}

std::string print(const Thumbnail& t) { return fmt::format("{}x{} {}", t.rows, t.cols, t.cells); }

std::optional<Thumbnail> parseThumbnail(std::string_view text) {
  Thumbnail t;
  const char* const end = text.data() + text.size();
  const auto rows = std::from_chars(text.data(), end, t.rows);
  if (rows.ec != std::errc() || rows.ptr == end || *rows.ptr != 'x') return std::nullopt;
  const auto cols = std::from_chars(rows.ptr + 1, end, t.cols);
  if (cols.ec != std::errc() || cols.ptr == end || *cols.ptr != ' ') return std::nullopt;
  t.cells = std::string(cols.ptr + 1, end);
  if (t.rows < 1 || t.rows > kMostRows || t.cols < 1 || t.cols > kMostCols) return std::nullopt;
  if (t.cells.size() != static_cast<std::size_t>(t.rows * t.cols)) return std::nullopt;
  const auto known = [](char c) { return c == '.' || (c >= 'A' && c <= 'z'); };
  return std::ranges::all_of(t.cells, known) ? std::optional(std::move(t)) : std::nullopt;
}

std::optional<Thumbnail> thumbnailOf(const Figure& figure) {
  for (const Grid& grid : figure.grids) {
    if (!grid.cells || grid.rows < kLeastRows || grid.cols < kLeastCols) continue;
    Thumbnail t{static_cast<int>(std::min<i64>(grid.rows, kMostRows)),
                static_cast<int>(std::min<i64>(grid.cols, kMostCols)), ""};
    for (int r = 0; r < t.rows; ++r)
      for (int c = 0; c < t.cols; ++c) t.cells += letterOf(grid.cells->paint(r, c));
    const auto plain = std::ranges::count(t.cells, '.');
    const std::set<char> colours(t.cells.begin(), t.cells.end());
    if (static_cast<int>(t.cells.size()) - plain >= kLeastColoured && static_cast<int>(colours.size()) >= kLeastColours)
      return t;
  }
  return std::nullopt;
}

}  // namespace tessera
