#include "render/draw/graphene/thread_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/notation/graphene/operations.h"
#include "render/draw/graphene/moment.h"
#include "render/draw/links.h"

namespace tessera::graphene {
namespace {

constexpr i64 kLongRow = 16, kWrapFrom = 64;  // one dimension of more threads is drawn in rows of 8, of 32
constexpr i64 kMostRows = 64;                 // limit of warps shown

struct Shown {
  std::vector<i64> thread;  // [row * cols + col]
  std::unordered_multimap<i64, std::size_t> place;
  std::set<i64> active;
  i64 cols = 1, threads = 1, lit = -1;
  bool all = false;
};

class ThreadCells : public CellSource {
 public:
  explicit ThreadCells(Shown shown) : s_(std::move(shown)) {
    for (std::size_t k = 0; k < s_.thread.size(); ++k)
      if (s_.thread[k] >= 0) s_.place.emplace(s_.thread[k], k);
  }
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    const i64 t = at(row, col);
    if (t < 0) return {"", "", paint(row, col)};
    return {fmt::format("T{}", t), "", paint(row, col), threadPoint(t), t == s_.lit};
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    const i64 t = at(row, col);
    if (t < 0) return {Role::None};
    if (!s_.all && s_.active.count(t) == 0) return {Role::Faded};
    return threadPaint(t, s_.threads);
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    std::vector<std::pair<i64, i64>> out;
    if (!isThread(point)) return out;
    const auto [from, to] = s_.place.equal_range(point.index);
    for (auto k = from; k != to && static_cast<int>(out.size()) < limit; ++k)
      out.emplace_back(static_cast<i64>(k->second) / s_.cols, static_cast<i64>(k->second) % s_.cols);
    return out;
  }

 private:
  [[nodiscard]] i64 at(i64 row, i64 col) const {
    const std::size_t k = static_cast<std::size_t>(row * s_.cols + col);
    return k < s_.thread.size() ? s_.thread[k] : -1;
  }
  Shown s_;
};

Grid gridOf(const Shown& shown, i64 rows) {
  const bool many = rows * shown.cols > 256;  // small coloured cells; labels appear when zoomed in
  const double wide = many ? 12 : shown.cols > 16 ? 24 : 30, high = many ? 12 : 24;
  const int chars = shown.threads > 1000 ? 5 : shown.threads > 100 ? 4 : 3;
  Grid grid = makeGrid("threads", rows, shown.cols, std::make_shared<ThreadCells>(shown), wide, high, chars);
  grid.lettered = true;
  grid.headers = false;
  return grid;
}

}  // namespace

Result<Arrangement> arranged(const Tensor& tensor, std::span<const i64> values) {
  Arrangement out;
  struct Part {
    i64 rows = 1, cols = 1;
  };
  std::vector<Part> parts;
  i64 count = 1;
  for (const Level& level : tensor.levels) {
    Part part;
    for (std::size_t d = 0; d < level.dims.size(); ++d) {
      const auto n = Formula(sizeOf(level.dims[d])).at(values);
      if (!n || *n < 1 || *n > Slots::kMost || count * *n > Slots::kMost)
        return Diag{"the number of elements of this tensor is unknown or too large", "numbers"};
      count *= *n;
      (d + 1 == level.dims.size() ? part.cols : part.rows) *= *n;
    }
    const i64 wrap = part.cols > kWrapFrom ? 32 : 8;  // a warp is four rows of eight
    if (level.dims.size() == 1 && part.cols > kLongRow && part.cols % wrap == 0) part = {part.cols / wrap, wrap};
    out.rows *= part.rows;
    out.cols *= part.cols;
    parts.push_back(part);
  }
  if (!parts.empty()) {
    out.tileRows = parts.back().rows;
    out.tileCols = parts.back().cols;
  }
  out.slot.resize(static_cast<std::size_t>(count));
  for (i64 k = 0; k < count; ++k) {
    i64 rest = k, row = 0, col = 0, down = 1, across = 1;
    for (std::size_t l = parts.size(); l-- > 0;) {  // the innermost level varies fastest
      const i64 within = rest % (parts[l].rows * parts[l].cols);
      rest /= parts[l].rows * parts[l].cols;
      row += within / parts[l].cols * down;
      col += within % parts[l].cols * across;
      down *= parts[l].rows;
      across *= parts[l].cols;
    }
    out.slot[static_cast<std::size_t>(row * out.cols + col)] = k;
  }
  return out;
}

Result<Grid> threadGrid(const Tensor& tensor, std::span<const i64> values, i64 threads, const std::vector<i64>& active,
                        i64 lit) {
  TESSERA_TRY(const Arrangement a, arranged(tensor, values));
  TESSERA_TRY(const Slots slots, Slots::of(tensor, values));
  const std::vector<i64> ids = slots.addresses(values);
  Shown shown;
  for (const i64 k : a.slot)
    shown.thread.push_back(static_cast<std::size_t>(k) < ids.size() ? ids[static_cast<std::size_t>(k)] : -1);
  shown.active = {active.begin(), active.end()};
  shown.all = active.empty();
  shown.cols = a.cols;
  shown.threads = threads;
  shown.lit = lit;
  Grid grid = gridOf(shown, a.rows);
  grid.rowGroup = a.rows > a.tileRows ? a.tileRows : 0;
  grid.colGroup = a.cols > a.tileCols ? a.tileCols : 0;
  return grid;
}

Grid blockGrid(i64 threads, const std::vector<i64>& active, i64 lit) {
  Shown shown;
  shown.cols = threads > 64 ? 32 : std::min<i64>(threads, 8);
  const i64 rows = std::min<i64>((threads + shown.cols - 1) / shown.cols, kMostRows);
  for (i64 t = 0; t < rows * shown.cols; ++t) shown.thread.push_back(t < threads ? t : -1);
  shown.active = {active.begin(), active.end()};
  shown.threads = threads;
  shown.lit = lit;
  return gridOf(shown, rows);
}

}  // namespace tessera::graphene
