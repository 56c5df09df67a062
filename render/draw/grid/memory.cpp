#include "render/draw/grid/memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/arith.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/grid/words.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

__extension__ using Wide = __int128;  // sums and products of two 64-bit numbers

constexpr int kCounted = 9;  // occupants counted; above, "9+"
constexpr int kNamed = 64;   // occupants that a cell represents
constexpr i64 kExactAddresses = i64{1} << 16;

std::string bareCoord(const std::vector<i64>& coord) { return fmt::format("{}", fmt::join(coord, ",")); }

class MemoryCells : public CellSource {
 public:
  MemoryCells(SubjectPtr subject, std::shared_ptr<const AddressIndex> index, i64 origin, i64 last, i64 width)
      : s_(std::move(subject)), index_(std::move(index)), origin_(origin), last_(last), width_(width) {}

  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    Cell cell;
    const i64 address = origin_ + row * width_ + col;
    if (address > last_) return cell;
    AddressIndex::Occupants here = index_->occupants(address, kNamed);
    for (const i64 index : here.indices) cell.also.push_back({s_->domain, index});
    if (here.indices.size() > kCounted) {
      here.indices.resize(kCounted);
      here.more = true;
    }
    cell.paint = paintOf(here);
    if (here.indices.empty()) return cell;
    cell.point = cell.also.front();
    cell.also.erase(cell.also.begin());
    cell.label = bareCoord(s_->coordOf(here.indices[0]));
    if (here.indices.size() > 1) cell.second = fmt::format("\u00d7{}{}", here.indices.size(), here.more ? "+" : "");
    return cell;
  }

  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    const i64 address = origin_ + row * width_ + col;
    return address > last_ ? Paint{} : paintOf(index_->occupants(address, kCounted));
  }

  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    if (limit < 1 || point.domain != s_->domain || point.index < 0 || point.index >= s_->size) return {};
    const i64 at = s_->valueOf(point.index) - origin_;
    if (at < 0 || at > last_ - origin_) return {};
    return {{at / width_, at % width_}};
  }

  [[nodiscard]] std::string rowHeader(i64 row) const override { return fmt::format("{}", origin_ + row * width_); }
  [[nodiscard]] std::string colHeader(i64 col) const override { return fmt::format("+{}", col); }

 private:
  [[nodiscard]] Paint paintOf(const AddressIndex::Occupants& here) const {
    if (here.indices.empty()) return {Role::Padding};
    if (here.indices.size() > 1) {
      return {Role::Heat, 0, 0, static_cast<float>(std::min(1.0, static_cast<double>(here.indices.size()) / 6.0))};
    }
    if (s_->rank() == 0) return {Role::Group, 0, 0, 0};
    // The hue is the tile of mode 0 (its number if the mode is not nested), the lightness that of mode 1.
    const std::vector<i64> coord = s_->coordOf(here.indices[0]);
    auto tileOf = [&](std::size_t m) { return s_->modes[m].size() > 1 ? coord[m] / s_->modes[m][0] : coord[m]; };
    if (coord.size() == 1) return {Role::Group, static_cast<int>(coord[0] / oneDBlock() % 8), 0, 0};
    return {Role::Group, static_cast<int>(tileOf(0) % 8), static_cast<int>(tileOf(1) % 4), 0};
  }
  [[nodiscard]] i64 oneDBlock() const {
    i64 block = 1;
    while (s_->size / block > 8) block *= 2;
    return block;
  }

  SubjectPtr s_;
  std::shared_ptr<const AddressIndex> index_;
  i64 origin_, last_, width_;
};

struct Census {
  i64 used = 0, holes = 0, shared = 0;
};

}  // namespace

Result<Figure> drawMemory(const SubjectPtr& s, const DrawOptions& options) {
  TESSERA_TRY(auto index, addressIndex(s));
  i64 first = s->least, last = s->most;
  const Wide span = static_cast<Wide>(last) - first + 1;
  if (span <= kExactAddresses) {  // the bounds may not be tight
    while (first < last && index->occupants(first, 1).indices.empty() && first < 0) ++first;
    while (last > first && index->occupants(last, 1).indices.empty()) --last;
  }
  if (first > 0 && first < 4096) first = 0;
  i64 width = 0;
  for (const std::string& word : options.arguments) {
    width = numberIn(word).value_or(0);
    if (width < 1 || width > 4096) {
      return Diag{fmt::format("\"{}\" is not a number of addresses a row", word), "1 to 4096", "show L as memory 32"};
    }
  }
  const double cells = static_cast<double>(last) - static_cast<double>(first) + 1;
  if (width == 0) width = cells <= 64 ? 8 : cells <= 512 ? 16 : 32;
  while (options.arguments.empty() && cells / static_cast<double>(width) > 4096 && width < (i64{1} << 30)) {
    if (static_cast<double>(width) * static_cast<double>(width) >= cells) break;
    width *= 2;
  }
  const i64 origin = floorDiv(first, width) * width;
  auto source = std::make_shared<MemoryCells>(s, index, origin, last, width);
  Grid grid;
  grid.rows = static_cast<i64>((static_cast<Wide>(last) - origin) / width) + 1;
  grid.cols = std::min<i64>(width, grid.rows == 1 ? last - origin + 1 : width);
  std::vector<i64> corner;
  for (i64 e : s->extents) corner.push_back(e - 1);
  grid.labelChars = static_cast<int>(std::max<std::size_t>(1, bareCoord(corner).size()));
  grid.cellWidth = pitchFor(grid.labelChars);
  grid.cellHeight = 28;
  grid.rowTitle = "address";
  grid.cells = source;
  const Margins m = headerMargins(grid);
  grid.x = m.left;
  grid.y = m.top;

  Figure figure;
  figure.title = options.name.empty() ? std::string("Memory order") : options.name + " as memory";
  figure.subtitle = s->text;
  if (cells <= static_cast<double>(kExactAddresses)) {
    Census census;
    for (i64 a = first; a <= last; ++a) {
      const std::size_t n = index->occupants(a, 2).indices.size();
      census.used += n > 0;
      census.holes += n == 0;
      census.shared += n > 1;
    }
    figure.caption = fmt::format("{} coordinates on {} addresses ({} to {}): ", s->size, census.used, first, last);
    figure.caption +=
        census.holes == 0 ? "no hole, " : fmt::format("{} hole{}, ", census.holes, census.holes == 1 ? "" : "s");
    figure.caption += census.shared == 0 ? "no aliasing"
                                         : fmt::format("{} address{} shared by several coordinates", census.shared,
                                                       census.shared == 1 ? "" : "es");
    figure.caption += ".";
  } else {
    figure.caption = fmt::format("{} coordinates; addresses {} to {}.", s->size, first, last);
  }
  if (s->rank() > 1) figure.caption += s->modes[0].size() > 1 ? " One hue is one row tile." : " One hue is one row.";
  figure.grids.push_back(std::move(grid));
  fitSize(figure);
  return figure;
}

}  // namespace tessera
