#include "render/draw/subject.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <mutex>

#include "core/base/mapped.h"
#include "core/expr/facts.h"
#include "core/notation/convert.h"
#include "core/notation/cute/notation.h"

namespace tessera {
namespace {

constexpr int kMaxSetShown = 3;

Result<SubjectPtr> finish(Subject s) {
  for (std::size_t k = 0; k < s.map.digits().size(); ++k)
    if (s.map.digits()[k].kind == DigitKind::Index) s.leafDigit.push_back(static_cast<int>(k));
  for (const std::vector<i64>& mode : s.modes) {
    i64 extent = 1;
    for (i64 e : mode)
      if (!mulInto(extent, e)) return Diag{s.text + " has more coordinates than fit in 64 bits", "a smaller shape"};
    s.extents.push_back(extent);
    if (!mulInto(s.size, extent) || s.size > (i64{1} << 62))
      return Diag{s.text + " has more coordinates than fit in 62 bits", "a smaller shape"};
  }
  if (!s.map.params().empty())
    return Diag{"a layout with unknown sizes cannot be drawn", "a map without symbolic sizes"};
  s.domain = pointDomain(s.extents);
  s.evaluator = std::make_shared<PointEvaluator>(s.map);
  if (!s.map.axes().empty()) {
    Environment box;
    for (const Digit& d : s.map.digits()) box.digits.push_back({0, d.extent - 1});
    const Range r = factsOf(s.map.axes()[0].value, box).interval;
    s.least = r.lo;
    s.most = r.hi;
  }
  return SubjectPtr(std::make_shared<Subject>(std::move(s)));
}

// Returns false if the layout's leaves are not the subject's digits (an XLA tile is two leaves of one dimension).
bool takeCute(Subject& s, const Result<Layout>& cute) {
  const auto* composed = cute ? cute->as<cute::ComposedLayout>() : nullptr;
  const auto* plain = cute ? cute->as<cute::Layout>() : nullptr;
  if (composed == nullptr && plain == nullptr) return false;
  const cute::Layout& inner = composed != nullptr ? composed->inner() : *plain;
  const std::vector<cute::LayoutLeaf> leaves = flatLeaves(inner);
  if (mapped<i64>(leaves, &cute::LayoutLeaf::extent) != leafExtents(s)) return false;
  s.inner = inner;
  if (inner.isPlain())
    s.strides = mapped<i64>(leaves, [](const cute::LayoutLeaf& leaf) { return leaf.stride.value(); });
  if (composed == nullptr) return true;
  if (composed->swizzle() != nullptr && !composed->elementSwizzle().isIdentity())
    s.swizzle = composed->elementSwizzle();
  if (composed->outerLayout() != nullptr) s.outer = *composed->outerLayout();
  if (auto offset = composed->elementOffset()) s.offset = *offset;
  return true;
}

// A swizzle alone is shown over one period, with the bits that it reads as rows.
Result<cute::ComposedLayout> overOnePeriod(const cute::Swizzle& s) {
  const i64 period = s.period();
  const i64 cols = std::min<i64>(period, i64{1} << (s.base() + std::abs(s.shift())));
  TESSERA_TRY(cute::Layout tile,
              cute::Layout::make(cute::IntTuple::tuple({period / cols, cols}), cute::IntTuple::tuple({cols, i64{1}})));
  return cute::ComposedLayout::make(s, cute::IntTuple(0), std::move(tile));
}

using Made = Result<SubjectPtr>;

// Cache of the most recent subjects: the window computes the views of its values in every frame.
class RecentSubjects {
 public:
  std::optional<Made> find(const Layout& layout) {
    const std::lock_guard lock(mutex_);
    for (const auto& [held, made] : recent_)
      if (held.id() == layout.id()) return made;
    return std::nullopt;
  }
  void keep(const Layout& layout, const Made& made) {
    const std::lock_guard lock(mutex_);
    if (recent_.size() >= kMost) recent_.pop_front();
    recent_.emplace_back(layout, made);
  }

 private:
  static constexpr std::size_t kMost = 32;
  std::mutex mutex_;
  std::deque<std::pair<Layout, Made>> recent_;
};

Made subjectOfLayout(const Layout& layout, std::string text) {
  Subject s;
  s.text = std::move(text);
  if (const auto* swizzle = layout.as<cute::Swizzle>()) {
    TESSERA_TRY(cute::ComposedLayout shown, overOnePeriod(*swizzle));
    const std::string whole = print(shown);
    return subjectOfLayout(Layout(std::move(shown)), whole);
  }
  TESSERA_TRY(Arrow arrow, layout.arrow());
  if (arrow.from.modes.empty()) return Diag{"a map without coordinates cannot be drawn", "at least one dimension"};
  if (arrow.map.isEmpty()) return Diag{"the domain of this map is empty", "a map with points"};
  s.modes = mapped<std::vector<i64>>(arrow.from.modes, &Mode::digits);
  s.order = arrow.from.order;
  const bool distributed = isDistribution(arrow);
  s.map = arrow.map;
  // The digit flow applies to any value of CuTe's form over these digits: strides with a swizzle around them.
  if (!distributed && !takeCute(s, toCute(layout))) takeCute(s, toCute(Layout(std::move(arrow))));
  return finish(std::move(s));
}

__extension__ using Wide = __int128;  // sums and products of two 64-bit numbers

AddressBlocks blocksOf(const Subject& subject) {
  AddressBlocks result;
  result.origin = std::min<i64>(0, subject.least);
  if (subject.swizzle) {
    result.block = i64{1} << subject.swizzle->base();
    result.steps = false;
    return result;
  }
  const Wide range = static_cast<Wide>(subject.most) - subject.least + 1;
  // Compact prefixes of the strided part.
  std::vector<std::pair<i64, i64>> leaves;  // stride, extent
  if (!subject.outer && !subject.strides.empty()) {
    const std::vector<i64> extents = leafExtents(subject);
    for (std::size_t k = 0; k < extents.size(); ++k)
      if (extents[k] > 1 && subject.strides[k] != 0) leaves.emplace_back(std::abs(subject.strides[k]), extents[k]);
  }
  std::ranges::sort(leaves);
  std::vector<i64> prefixes;
  Wide compact = 1;
  for (auto [stride, extent] : leaves) {
    if (compact == 1 && prefixes.empty() && stride > 1) compact = stride;  // it divides every address
    if (stride != compact) break;
    compact *= extent;
    if (compact > range) break;
    prefixes.push_back(static_cast<i64>(compact));
  }
  // (4,4):(8,1) leaves holes after each row: the next row starts at the next stride, not at the product.
  for (auto [stride, extent] : leaves) {
    if (!prefixes.empty() && stride > prefixes.back() && stride < 4 * prefixes.back()) {
      prefixes.push_back(stride);
      break;
    }
  }
  for (i64 p : prefixes)
    if (range > static_cast<Wide>(p) * 3) result.block = p;
  if (result.block > 1) return result;
  while (static_cast<Wide>(result.block) * 8 < range) result.block *= 2;
  return result;
}

}  // namespace

void Subject::digitsOf(const i64* coord, std::vector<i64>& digits) const {
  digits.assign(map.digits().size(), 0);
  std::size_t leaf = 0;
  for (std::size_t m = 0; m < modes.size(); ++m) {
    i64 rest = coord[m];
    const std::vector<i64>& leaves = modes[m];
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      const bool last = k + 1 == leaves.size();
      digits[static_cast<std::size_t>(leafDigit[leaf++])] = last ? rest : rest % leaves[k];
      rest /= leaves[k];
    }
  }
}

std::vector<i64> Subject::coordOf(i64 index) const { return delinearize(index, extents, LinearOrder::Colex); }
i64 Subject::indexOf(const std::vector<i64>& coord) const { return linearize(coord, extents, LinearOrder::Colex); }

i64 Subject::valueOf(i64 index) const {
  const std::vector<i64> coord = coordOf(index);
  std::vector<i64> digits;
  digitsOf(coord.data(), digits);
  return valueAt(digits);
}

std::string Subject::labelAt(const std::vector<i64>& digits) const {
  const auto shownAt = [this](const std::vector<i64>& point) {
    std::vector<i64> values;
    for (int a = 0; a < axes(); ++a) values.push_back(valueAt(point, a));
    return fmt::format("{}", fmt::join(values, ","));
  };
  if (!hasFan()) return axes() == 1 ? fmt::format("{}", valueAt(digits)) : shownAt(digits);
  // A set: its first values, then the remaining number of Fan points.
  std::vector<std::string> seen;
  i64 total = 1, left = 64;
  for (const Digit& d : map.digits())
    if (d.kind == DigitKind::Fan) total = std::min<i64>(total * std::min<i64>(d.extent, 1 << 20), 1 << 30);
  std::vector<i64> point = digits;
  for (i64 n = 0; n < total && left-- > 0 && seen.size() <= kMaxSetShown; ++n) {
    i64 rest = n;
    for (std::size_t k = 0; k < map.digits().size(); ++k) {
      if (map.digits()[k].kind != DigitKind::Fan) continue;
      point[k] = rest % map.digits()[k].extent;
      rest /= map.digits()[k].extent;
    }
    const std::string shown = shownAt(point);
    if (std::ranges::find(seen, shown) == seen.end()) seen.push_back(shown);
  }
  std::string out;
  for (std::size_t k = 0; k < seen.size() && k < kMaxSetShown; ++k) out += (k == 0 ? "" : "|") + seen[k];
  return seen.size() > kMaxSetShown ? out + "\u2026" : out;
}

Result<SubjectPtr> subjectOf(const Layout& layout, std::string text) {
  static RecentSubjects recent;
  if (auto known = recent.find(layout)) return *std::move(known);
  Made made = subjectOfLayout(layout, text.empty() ? print(layout) : std::move(text));
  recent.keep(layout, made);
  return made;
}

std::vector<i64> leafExtents(const Subject& s) {
  std::vector<i64> all;
  for (const std::vector<i64>& mode : s.modes) all.insert(all.end(), mode.begin(), mode.end());
  return all;
}

std::string coordText(const std::vector<i64>& coord) {
  if (coord.size() == 1) return fmt::format("{}", coord[0]);
  return fmt::format("({})", fmt::join(coord, ","));
}

AddressBlocks addressBlocks(const Subject& subject) {
  AddressBlocks result = blocksOf(subject);
  const Wide range = static_cast<Wide>(subject.most) - result.origin + 1;
  // A swizzled pattern drawn cell by cell keeps its plain hues, to show that it repeats.
  if (range > (subject.swizzle ? Wide{1} << 18 : static_cast<Wide>(result.block) * 64)) {
    const Wide eighth = (range + 7) / 8;
    const Wide blocks = (eighth + result.block - 1) / result.block;
    result.eighth = static_cast<i64>(blocks * result.block);
  }
  return result;
}

std::string describe(const AddressBlocks& blocks, const Subject& subject) {
  if (blocks.eighth > 0 && blocks.steps)
    return fmt::format("one hue is an eighth of the addresses, one lightness {} neighbours", blocks.block);
  if (blocks.block <= 1) return "the hue follows the address";
  if (subject.swizzle)
    return fmt::format("one hue is {} neighbouring addresses, the unit that the swizzle moves", blocks.block);
  return fmt::format("one hue is {} neighbouring addresses", blocks.block);
}

}  // namespace tessera
