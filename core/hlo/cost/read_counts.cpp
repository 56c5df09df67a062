#include "core/hlo/cost/read_counts.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/work_budget.h"
#include "core/expr/compile.h"
#include "core/hlo/compose/map_parts.h"
#include "core/hlo/text/attributes.h"
#include "core/map/compose.h"
#include "core/map/domain/domain_size.h"
#include "core/map/inverse/inverse.h"

namespace tessera::hlo {
namespace {

using Sizes = std::vector<i64>;

constexpr i64 kMostTable = i64{1} << 20, kMostRanged = i64{1} << 16;
constexpr std::size_t kMostUnion = 4096;

// Sorted, without repeats, at most `limit`.
std::vector<i64> firstOf(std::vector<i64> list, std::size_t limit) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
  if (list.size() > limit) list.resize(limit);
  return list;
}

// One part of a map: pairs of an element number (over its axes) and a coordinate number (over its Index digits).
class Side {
 public:
  static Result<Side> of(const Map& map, const MapPart& part, const Sizes& operand) {
    Side side(map, part, operand);
    for (const std::size_t a : part.axes) side.axes_.push_back(Program::compile(map.axes()[a].value));
    for (const std::size_t g : part.guards) side.guards_.push_back(Program::compile(map.guards()[g].value));
    side.coordinates_ = pointsOf(map, part.index).value_or(INT64_MAX);
    side.ranged_ = pointsOf(map, part.fan).value_or(INT64_MAX);
    if (side.free()) {
      side.most_ = side.coordinates_;
      return side;
    }
    const auto points = checkedMul(side.coordinates_, side.ranged_);
    if (points && *points <= kMostTable / 64) {
      side.tabulate();
      return side;
    }
    if (side.turnRound()) return side;
    if (!points || *points > kMostTable)
      return Diag{fmt::format("more than {} points to enumerate", kMostTable), "a smaller tile"};
    side.tabulate();
    return side;
  }

  [[nodiscard]] const MapPart& part() const { return part_; }
  [[nodiscard]] i64 most() const { return most_; }

  // How many of its coordinates read the element.
  [[nodiscard]] i64 times(std::span<const i64> element) const {
    if (free()) return coordinates_;
    if (back_) return coordinateOf(element) >= 0;
    const auto [from, to] = rows(element);
    return to - from;
  }
  // The only one of them; -1: none; -2: several.
  [[nodiscard]] i64 only(std::span<const i64> element) const {
    if (free()) return coordinates_ == 1 ? 0 : -2;
    if (back_) return coordinateOf(element);
    const auto [from, to] = rows(element);
    return from == to ? -1 : to - from == 1 ? from->second : -2;
  }
  // The first `limit` of them.
  void readers(std::span<const i64> element, std::size_t limit, std::vector<i64>& out) const {
    if (free()) {
      for (i64 n = 0; n < coordinates_ && out.size() < limit; ++n) out.push_back(n);
    } else if (back_) {
      if (const i64 n = coordinateOf(element); n >= 0) out.push_back(n);
    } else {
      const auto [from, to] = rows(element);
      for (auto row = from; row != to && out.size() < limit; ++row) out.push_back(row->second);
    }
  }
  // Elements, as numbers over its axes, that the coordinates in `point` read.
  void read(std::vector<i64> point, std::size_t limit, std::vector<i64>& out) const {
    const i64 all = std::min(ranged_, kMostRanged);
    for (i64 n = 0; n < all && out.size() < 2 * limit; ++n) {
      spread(map_, part_.fan, n, point);
      if (const i64 at = elementAt(point); at >= 0) out.push_back(at);
    }
    out = firstOf(std::move(out), limit);
  }
  // The axes of element number n.
  void place(i64 n, std::vector<i64>& element) const {
    for (std::size_t k = part_.axes.size(); k-- > 0;) {
      const std::size_t a = part_.axes[k];
      element[a] = n % operand_[a];
      n /= operand_[a];
    }
  }

 private:
  using Row = std::pair<i64, i64>;  // element, coordinate
  using Rows = std::vector<Row>;

  Side(const Map& map, const MapPart& part, const Sizes& operand) : map_(map), part_(part), operand_(operand) {}

  // Index digits that no value or guard uses.
  [[nodiscard]] bool free() const { return axes_.empty() && guards_.empty(); }

  // -1: not in the domain, or outside the operand.
  [[nodiscard]] i64 elementAt(const std::vector<i64>& point) const {
    for (std::size_t g = 0; g < guards_.size(); ++g) {
      const Guard& guard = map_.guards()[part_.guards[g]];
      const i64 value = guards_[g].run(point);
      if (value < guard.lo || value > guard.hi) return -1;
    }
    i64 at = 0;
    for (std::size_t k = 0; k < axes_.size(); ++k) {
      const i64 value = axes_[k].run(point), size = operand_[part_.axes[k]];
      if (value < 0 || value >= size) return -1;
      at = at * size + value;
    }
    return at;
  }
  [[nodiscard]] i64 numberOf(std::span<const i64> element) const {
    i64 at = 0;
    for (const std::size_t a : part_.axes) at = at * operand_[a] + element[a];
    return at;
  }

  void tabulate() {
    std::vector<i64> point(map_.digits().size(), 0);
    Rows rows;
    for (i64 c = 0; c < coordinates_; ++c) {
      spread(map_, part_.index, c, point);
      for (i64 n = 0; n < ranged_; ++n) {
        spend();
        spread(map_, part_.fan, n, point);
        if (const i64 at = elementAt(point); at >= 0) rows.emplace_back(at, c);
      }
    }
    std::ranges::sort(rows);
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    i64 run = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      run = k > 0 && rows[k].first == rows[k - 1].first ? run + 1 : 1;
      most_ = std::max(most_, run);
    }
    rows_ = std::move(rows);
  }
  [[nodiscard]] std::pair<Rows::const_iterator, Rows::const_iterator> rows(std::span<const i64> element) const {
    return std::equal_range(rows_.begin(), rows_.end(), Row{numberOf(element), 0},
                            [](const Row& a, const Row& b) { return a.first < b.first; });
  }

  // The inverse of the part as a map; its other digits stay 0.
  bool turnRound() {
    std::vector<Digit> digits = map_.digits();
    for (std::size_t d = 0; d < digits.size(); ++d)
      if (std::ranges::count(part_.index, static_cast<int>(d)) + std::ranges::count(part_.fan, static_cast<int>(d)) ==
          0)
        digits[d].extent = 1;
    std::vector<Axis> axes;
    std::vector<Guard> guards;
    for (const std::size_t a : part_.axes) axes.push_back(map_.axes()[a]);
    for (const std::size_t g : part_.guards) guards.push_back(map_.guards()[g]);
    const auto alone = Map::create(std::move(digits), std::move(axes), std::move(guards));
    if (!alone) return false;
    auto found = inverse(*alone, 0);
    if (!found) return false;
    back_ = *std::move(found);
    most_ = 1;
    return true;
  }
  // -1: no coordinate.
  [[nodiscard]] i64 coordinateOf(std::span<const i64> element) const {
    std::vector<i64> values;
    for (const std::size_t a : part_.axes) values.push_back(element[a]);
    const auto point = back_->find(values);
    if (!point) return -1;
    i64 n = 0;
    for (const int d : part_.index) n = n * map_.digit(d).extent + (*point)[static_cast<std::size_t>(d)];
    return n;
  }

  Map map_;
  MapPart part_;
  Sizes operand_;
  std::vector<Program> axes_, guards_;
  i64 coordinates_ = 1, ranged_ = 1, most_ = 0;
  Rows rows_;
  std::shared_ptr<const Inverse> back_;
};

Diag wrongBox(std::string message, const Sizes& sizes) {
  ElementBox all{Sizes(sizes.size(), 0), sizes};
  return Diag{std::move(message), fmt::format("elements of each dimension, from:to, as {} for all", print(all))};
}

}  // namespace

i64 ElementBox::elements() const {
  i64 n = 1;
  for (std::size_t k = 0; k < from.size(); ++k) n = checkedMul(n, to[k] - from[k]).value_or(INT64_MAX);
  return n;
}

std::string print(const ElementBox& box) {
  std::string out;
  for (std::size_t k = 0; k < box.from.size(); ++k)
    out += fmt::format("{}{}:{}", k == 0 ? "" : ",", box.from[k], box.to[k]);
  return "[" + out + "]";
}

Result<ElementBox> readBox(std::string_view text, const Sizes& sizes) {
  std::string clean;
  for (const char c : text)
    if (c != ' ' && c != '\t') clean += c;
  if (clean.size() < 2 || clean.front() != '[' || clean.back() != ']')
    return wrongBox(fmt::format("'{}' is not a tile", clean), sizes);
  const std::string inner = clean.substr(1, clean.size() - 2);
  ElementBox box;
  for (const std::string_view one : inner.empty() ? std::vector<std::string_view>{} : split(inner, ',')) {
    const std::size_t colon = one.find(':'), k = box.from.size();
    const auto from = wholeNumber(one.substr(0, colon));
    const auto to = colon == std::string_view::npos ? (from ? checkedAdd(*from, 1) : std::nullopt)
                                                    : wholeNumber(one.substr(colon + 1));
    if (!from || !to) return wrongBox(fmt::format("'{}' is not a range of elements", one), sizes);
    if (k >= sizes.size() || *from < 0 || *from >= *to || *to > sizes[k])
      return wrongBox(k >= sizes.size()
                          ? "the array has " + counted(sizes.size(), "dimension")
                          : fmt::format("dimension {} has the elements 0 to {}, not {}", k, sizes[k] - 1, one),
                      sizes);
    box.from.push_back(*from);
    box.to.push_back(*to);
  }
  if (box.from.size() != sizes.size())
    return wrongBox(fmt::format("the tile has {}, the array {}", counted(box.from.size(), "dimension"), sizes.size()),
                    sizes);
  return box;
}

std::optional<Map> within(const Map& map, const ElementBox& box) {
  std::vector<Digit> digits = map.digits();
  const std::vector<int> index = map.indexDigits();
  if (index.size() != box.from.size()) return std::nullopt;
  for (std::size_t k = 0; k < index.size(); ++k) {
    Digit& d = digits[static_cast<std::size_t>(index[k])];
    const i64 from = std::max(d.lo, box.from[k]), to = std::min(d.lo + d.extent, box.to[k]);
    if (from >= to) return std::nullopt;
    d.lo = from;
    d.extent = to - from;
  }
  std::vector<Axis> axes = map.axes();
  for (Axis& a : axes) a.value = overDigits(inCoordinates(a.value, map.digits()), digits);
  std::vector<Guard> guards = map.guards();
  for (Guard& g : guards) g.value = overDigits(inCoordinates(g.value, map.digits()), digits);
  auto made = Map::create(std::move(digits), std::move(axes), std::move(guards), map.params());
  if (!made) return std::nullopt;
  return *std::move(made);
}

// One map, part by part.
class ReadCounts::Relation {
 public:
  static Result<std::shared_ptr<const Relation>> of(const Map& map, const Sizes& output, const Sizes& operand) {
    auto made = std::make_shared<Relation>();
    made->map_ = map;
    made->output_ = output;
    made->operand_ = operand;
    made->index_ = map.indexDigits();
    for (const MapPart& part : partsOf(map)) {
      if (part.index.empty() && part.axes.empty() && part.guards.empty()) continue;
      TESSERA_TRY(Side side, Side::of(map, part, operand));
      made->most_ = checkedMul(made->most_, side.most()).value_or(INT64_MAX);
      made->sides_.push_back(std::move(side));
    }
    return std::shared_ptr<const Relation>(std::move(made));
  }

  [[nodiscard]] i64 most() const { return most_; }

  [[nodiscard]] i64 times(std::span<const i64> element) const {
    i64 n = 1;
    for (const Side& side : sides_) {
      n = checkedMul(n, side.times(element)).value_or(INT64_MAX);
      if (n == 0) return 0;
    }
    return n;
  }

  void readers(std::span<const i64> element, std::size_t limit, std::vector<i64>& out) const {
    thread_local std::vector<i64> point;  // reused: callers query a million elements in a row
    point.assign(map_.digits().size(), 0);
    bool one = true;
    for (const Side& side : sides_) {
      const i64 n = side.only(element);
      if (n == -1) return;
      one = one && n >= 0;
      if (one) spread(map_, side.part().index, n, point);
    }
    if (one) {
      out.push_back(numberOf(point));
      return;
    }
    std::vector<std::vector<i64>> lists;
    for (const Side& side : sides_) {
      lists.emplace_back();
      side.readers(element, limit, lists.back());
    }
    eachOf(
        lists, limit, [&](std::size_t side, i64 n) { spread(map_, sides_[side].part().index, n, point); },
        [&] { out.push_back(numberOf(point)); });
  }

  void read(std::span<const i64> output, std::size_t limit, std::vector<i64>& out) const {
    std::vector<i64> point(map_.digits().size(), 0);
    for (std::size_t k = 0; k < index_.size(); ++k) {
      const auto d = static_cast<std::size_t>(index_[k]);
      point[d] = output[k] - map_.digits()[d].lo;
      if (point[d] < 0 || point[d] >= map_.digits()[d].extent) return;
    }
    std::vector<std::vector<i64>> lists;
    for (const Side& side : sides_) {
      lists.emplace_back();
      side.read(point, limit, lists.back());
      if (lists.back().empty()) return;
    }
    std::vector<i64> element(operand_.size(), 0);
    eachOf(
        lists, limit, [&](std::size_t side, i64 n) { sides_[side].place(n, element); },
        [&] { out.push_back(linearize(element, operand_, LinearOrder::Lex)); });
  }

 private:
  // The row-major number of the output at these digits.
  [[nodiscard]] i64 numberOf(const std::vector<i64>& point) const {
    i64 n = 0;
    for (std::size_t k = 0; k < index_.size(); ++k) {
      const auto d = static_cast<std::size_t>(index_[k]);
      n = n * output_[k] + map_.digits()[d].lo + point[d];
    }
    return n;
  }

  // Every choice of one item per list, last list fastest, at most `limit`.
  template <typename Set, typename Visit>
  static void eachOf(const std::vector<std::vector<i64>>& lists, std::size_t limit, Set set, Visit visit) {
    std::vector<std::size_t> at(lists.size(), 0);
    for (std::size_t k = 0; k < lists.size(); ++k) set(k, lists[k][0]);
    for (std::size_t n = 0; n < limit; ++n) {
      visit();
      std::size_t k = lists.size();
      while (k > 0 && ++at[k - 1] == lists[k - 1].size()) {
        at[k - 1] = 0;
        set(k - 1, lists[k - 1][0]);
        --k;
      }
      if (k == 0) return;
      set(k - 1, lists[k - 1][at[k - 1]]);
    }
  }

  Map map_;
  Sizes output_, operand_;
  std::vector<int> index_;
  std::vector<Side> sides_;
  i64 most_ = 1;
};

Result<ReadCounts> ReadCounts::of(const std::vector<Map>& maps, Sizes output, Sizes operand) {
  ReadCounts made;
  made.output_ = std::move(output);
  made.operand_ = std::move(operand);
  for (const Map& map : maps) {
    if (map.isEmpty()) continue;
    if (!map.params().empty()) return Diag{"read at a run-time place", "a place known from the text"};
    if (map.indexDigits().size() != made.output_.size() || map.axes().size() != made.operand_.size())
      return Diag{"read by other coordinates than the output's"};
    TESSERA_TRY(auto relation, Relation::of(map, made.output_, made.operand_));
    made.most_ = checkedAdd(made.most_, relation->most()).value_or(INT64_MAX);
    made.relations_.push_back(std::move(relation));
  }
  return made;
}

ReadCounts::Times ReadCounts::times(std::span<const i64> element) const {
  Times all;
  int several = 0;
  for (const auto& relation : relations_) {
    const i64 n = relation->times(element);
    several += n > 0;
    all.times = checkedAdd(all.times, n).value_or(INT64_MAX);
  }
  if (several < 2) return all;
  if (all.times > static_cast<i64>(kMostUnion)) return {all.times, false};
  return {static_cast<i64>(readersOf(element, kMostUnion).size()), true};
}

std::vector<i64> ReadCounts::readersOf(std::span<const i64> element, std::size_t limit) const {
  std::vector<i64> out;
  for (const auto& relation : relations_) relation->readers(element, limit, out);
  return firstOf(std::move(out), limit);
}

std::vector<i64> ReadCounts::readBy(std::span<const i64> output, std::size_t limit) const {
  std::vector<i64> out;
  for (const auto& relation : relations_) relation->read(output, limit, out);
  return firstOf(std::move(out), limit);
}

}  // namespace tessera::hlo
