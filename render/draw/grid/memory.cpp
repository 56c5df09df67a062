#include "render/draw/grid/memory.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/mapped.h"
#include "core/base/words.h"
#include "core/map/inverse/inverse.h"
#include "render/draw/grid/layouts.h"
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
    if (limit < 1 || !point.isIn(s_->domain, s_->size)) return {};
    const i64 at = s_->valueOf(point.index) - origin_;
    if (at < 0 || at > last_ - origin_) return {};
    return {{at / width_, at % width_}};
  }

  [[nodiscard]] std::string rowHeader(i64 row) const override { return fmt::format("{}", origin_ + row * width_); }
  [[nodiscard]] std::string colHeader(i64 col) const override { return fmt::format("+{}", col); }

 private:
  [[nodiscard]] Paint paintOf(const AddressIndex::Occupants& here) const {
    if (here.indices.empty()) return {Role::Padding};
    if (here.indices.size() > 1)
      return {Role::Heat, 0, 0, static_cast<float>(std::min(1.0, static_cast<double>(here.indices.size()) / 6.0))};
    if (s_->rank() == 0) return {Role::Group, 0, 0, 0};
    // The hue is the tile of mode 0 (its number if the mode is not nested), the lightness that of mode 1.
    const std::vector<i64> coord = s_->coordOf(here.indices[0]);
    auto tileOf = [&](std::size_t m) { return s_->modes[m].size() > 1 ? coord[m] / s_->modes[m][0] : coord[m]; };
    if (coord.size() == 1) return groupPaint(coord[0] / oneDBlock(), 0);
    return groupPaint(tileOf(0), tileOf(1));
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

constexpr int kMaxSteps = 20000;
constexpr i64 kTablePoints = i64{1} << 18;

// All digit tuples with base + sum d_k * stride_k == target.
class StrideSearch {
 public:
  struct Leaf {
    i64 extent, stride, weight;  // weight: in the colex linear index
  };
  explicit StrideSearch(std::vector<Leaf> leaves) : leaves_(std::move(leaves)) {
    std::erase_if(leaves_, [](const Leaf& l) { return l.extent == 1; });
    std::ranges::stable_sort(leaves_,
                             [](const Leaf& a, const Leaf& b) { return std::abs(a.stride) > std::abs(b.stride); });
    low_.assign(leaves_.size() + 1, 0);
    high_.assign(leaves_.size() + 1, 0);
    for (std::size_t k = leaves_.size(); k-- > 0;) {
      const i64 reach = (leaves_[k].extent - 1) * leaves_[k].stride;
      low_[k] = low_[k + 1] + std::min<i64>(0, reach);
      high_[k] = high_[k + 1] + std::max<i64>(0, reach);
    }
  }

  // Appends linear indices, at most `limit` in total. Returns false if cut short.
  bool find(i64 target, std::size_t limit, std::vector<i64>& out) const {
    int steps = 0;
    return descend(0, target, 0, limit, out, steps);
  }

 private:
  bool descend(std::size_t k, i64 rest, i64 index, std::size_t limit, std::vector<i64>& out, int& steps) const {
    if (rest < low_[k] || rest > high_[k]) return true;
    if (++steps > kMaxSteps) return false;
    if (k == leaves_.size()) {
      if (out.size() == limit) return false;
      out.push_back(index);
      return true;
    }
    const Leaf& leaf = leaves_[k];
    i64 first = 0, last = leaf.extent - 1;
    if (leaf.stride > 0) {  // low <= rest - d*stride <= high
      first = std::max(first, ceilDiv(rest - high_[k + 1], leaf.stride));
      last = std::min(last, floorDiv(rest - low_[k + 1], leaf.stride));
    } else if (leaf.stride < 0) {
      first = std::max(first, ceilDiv(low_[k + 1] - rest, -leaf.stride));
      last = std::min(last, floorDiv(high_[k + 1] - rest, -leaf.stride));
    }
    for (i64 d = first; d <= last; ++d)
      if (!descend(k + 1, rest - d * leaf.stride, index + d * leaf.weight, limit, out, steps)) return false;
    return true;
  }

  std::vector<Leaf> leaves_;
  std::vector<i64> low_, high_;
};

std::vector<StrideSearch::Leaf> leavesOf(const cute::Layout& layout) {
  std::vector<StrideSearch::Leaf> leaves;
  i64 weight = 1;
  for (const cute::LayoutLeaf& leaf : flatLeaves(layout)) {
    leaves.push_back({leaf.extent, leaf.stride.value(), weight});
    weight *= leaf.extent;
  }
  return leaves;
}

using Occupants = AddressIndex::Occupants;

// Sw(offset + inner), and outer(offset + inner): inverted from the outside in.
AddressIndex strideIndex(const SubjectPtr& s) {
  std::vector<StrideSearch::Leaf> outer = leavesOf(s->outer ? *s->outer : cute::Layout());
  if (s->outer && !outer.empty() && outer.back().weight > 0) {
    // The outer layout's last digit takes the whole quotient, so it extends beyond its extent.
    const i64 top = s->offset + s->inner->maxOffset();
    outer.back().extent = std::max(outer.back().extent, top / outer.back().weight + 1);
  }
  return {
      [s, inner = StrideSearch(leavesOf(*s->inner)), outer = StrideSearch(std::move(outer))](i64 address, int limit) {
        Occupants result;
        const std::size_t most = static_cast<std::size_t>(std::max(1, limit));
        if (s->swizzle) {
          if (address < 0) return result;
          address = (*s->swizzle)(address);
        }
        std::vector<i64> inputs = {address};
        if (s->outer) {
          inputs.clear();
          if (!outer.find(address, 4096, inputs)) result.more = true;
        }
        for (i64 x : inputs)
          if (!inner.find(x - s->offset, most, result.indices)) result.more = true;
        std::ranges::sort(result.indices);
        return result;
      }};
}

// Small maps: every point, by address. Fan digits count as occupants of their index.
AddressIndex tableIndex(const Subject& s, i64 points) {
  std::unordered_map<i64, std::vector<i64>> at;
  const auto extents = mapped<i64>(s.map.digits(), &Digit::extent), leaves = leafExtents(s);
  for (i64 n = 0; n < points; ++n) {
    const std::vector<i64> digits = delinearize(n, extents, LinearOrder::Colex);
    if (!s.map.guards().empty() && !s.map.isReal(digits)) continue;
    const auto coord = mapped<i64>(s.leafDigit, [&](int d) { return digits[static_cast<std::size_t>(d)]; });
    at[s.evaluator->value(digits)].push_back(linearize(coord, leaves, LinearOrder::Colex));
  }
  for (auto& [address, indices] : at) std::ranges::sort(indices);
  return {[at = std::move(at)](i64 address, int limit) {
    Occupants result;
    const auto it = at.find(address);
    if (it == at.end()) return result;
    const std::size_t n = std::min(it->second.size(), static_cast<std::size_t>(std::max(1, limit)));
    result.indices.assign(it->second.begin(), it->second.begin() + static_cast<std::ptrdiff_t>(n));
    result.more = n < it->second.size();
    return result;
  }};
}

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
    width = wholeNumber(word).value_or(0);
    if (width < 1 || width > 4096)
      return Diag{fmt::format("\"{}\" is not a number of addresses per row", word), "1 to 4096", "show L as memory 32"};
  }
  const double cells = static_cast<double>(last) - static_cast<double>(first) + 1;
  if (width == 0) width = cells <= 64 ? 8 : cells <= 512 ? 16 : 32;
  while (options.arguments.empty() && cells / static_cast<double>(width) > 4096 && width < (i64{1} << 30)) {
    if (static_cast<double>(width) * static_cast<double>(width) >= cells) break;
    width *= 2;
  }
  const i64 origin = floorDiv(first, width) * width;
  const i64 rows = static_cast<i64>((static_cast<Wide>(last) - origin) / width) + 1;
  const i64 cols = std::min<i64>(width, rows == 1 ? last - origin + 1 : width);
  const auto corner = mapped<i64>(s->extents, [](i64 e) { return e - 1; });
  const int chars = static_cast<int>(std::max<std::size_t>(1, bareCoord(corner).size()));
  const auto source = std::make_shared<MemoryCells>(s, index, origin, last, width);
  Grid grid = makeGrid("", rows, cols, source, pitchFor(chars), 28, chars);
  grid.rowTitle = "address";
  Figure figure = figureOf(std::move(grid));
  setTitle(figure, options, "memory", "Memory order", s->text);
  if (cells <= static_cast<double>(kExactAddresses)) {
    std::size_t used = 0, holes = 0, shared = 0;
    for (i64 a = first; a <= last; ++a) {
      const std::size_t n = index->occupants(a, 2).indices.size();
      used += n > 0;
      holes += n == 0;
      shared += n > 1;
    }
    figure.caption = fmt::format(
        "{} coordinates on {} addresses ({} to {}): {}, {}.", s->size, used, first, last,
        holes == 0 ? "no hole" : counted(holes, "hole"),
        shared == 0 ? "no aliasing"
                    : fmt::format("{} address{} shared by several coordinates", shared, shared == 1 ? "" : "es"));
  } else {
    figure.caption = fmt::format("{} coordinates; addresses {} to {}.", s->size, first, last);
  }
  if (s->rank() > 1) figure.caption += s->modes[0].size() > 1 ? " One hue is one row tile." : " One hue is one row.";
  return figure;
}

Result<std::shared_ptr<const AddressIndex>> addressIndex(const SubjectPtr& s) {
  using Pointer = std::shared_ptr<const AddressIndex>;
  if (s->axes() != 1)
    return Diag{fmt::format("{} gives {} numbers instead of one address", s->text, s->axes()), "a layout of memory"};
  if (!s->strides.empty() && s->map.guards().empty() && s->inner && (!s->outer || s->outer->isPlain()))
    return Pointer(std::make_shared<AddressIndex>(strideIndex(s)));
  const auto points = s->map.pointCount();
  if (points && *points <= kTablePoints) return Pointer(std::make_shared<AddressIndex>(tableIndex(*s, *points)));
  auto back = inverse(s->map, kTablePoints);
  if (!back) {
    Diag diag = back.error();
    diag.message = "memory order needs the map's inverse: " + diag.message;
    return diag;
  }
  const auto find = [inverse = *back, extents = mapped<i64>(s->map.digits(), &Digit::extent)](i64 address, int) {
    const auto point = inverse->find(address);
    return point ? Occupants{{linearize(*point, extents, LinearOrder::Colex)}, false} : Occupants{};
  };
  return Pointer(std::make_shared<AddressIndex>(AddressIndex{find}));
}

}  // namespace tessera
