#include "core/notation/cute/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/arith.h"
#include "core/base/check.h"
#include "core/base/mapped.h"

namespace tessera::cute {

namespace {

using Path = std::vector<int>;

bool isPrefix(const Path& a, const Path& b) { return a.size() < b.size() && std::equal(a.begin(), a.end(), b.begin()); }

}  // namespace

Layout::Layout() : shape_(IntTuple::staticLeaf(1)), stride_(IntTuple::staticLeaf(0)) {}

Result<Layout> Layout::make(IntTuple shape, IntTuple stride) {
  if (auto fault = findFault(shape, stride)) return std::move(fault->diag);
  const bool known = shape.allKnown() && stride.allKnown();
  const bool basis = stride.hasBasis();
  return Layout(std::move(shape), std::move(stride), known, basis);
}

Result<Layout> Layout::compact(IntTuple shape) {
  std::vector<IntTuple> strides;
  i64 running = 1;
  bool known = true;
  for (const IntTuple& s : shape.leaves()) {
    const bool one = s.isKnown() && s.value() == 1;
    strides.push_back(one ? IntTuple(0) : known ? IntTuple(running) : IntTuple::unknown());
    known = known && s.isKnown();
    if (s.isKnown() && !mulInto(running, s.value()))
      return Diag{"the size of the shape does not fit in 64 bits", "a product of extents below 2^63"};
  }
  IntTuple stride = withLeaves(shape, strides).withStatic(shape.allStatic());
  return make(std::move(shape), std::move(stride));
}

Layout Layout::mode(int k) const {
  const IntTuple& s = shape_.mode(k);
  const IntTuple& d = stride_.mode(k);
  return {s, d, s.allKnown() && d.allKnown(), d.hasBasis()};
}

std::vector<Layout> Layout::modes() const {
  std::vector<Layout> out;
  for (int k = 0; k < rank(); ++k) out.push_back(mode(k));
  return out;
}

bool Layout::isStatic() const { return shape_.allStatic() && stride_.allStatic(); }

Layout Layout::withStatic(bool isStatic) const {
  return {shape_.withStatic(isStatic), stride_.withStatic(isStatic), known_, basis_};
}

i64 Layout::size() const {
  LAYOUT_CHECK(shape_.allKnown(), "size() of a layout with `?` extents");
  i64 n = 1;
  forEachLeaf(shape_, [&](const IntTuple& s) { n *= s.value(); });
  return n;
}

namespace {

// f(extent, stride) for every leaf of a congruent pair.
template <typename F>
void forEachMode(const IntTuple& shape, const IntTuple& stride, const F& f) {
  if (shape.isLeaf()) return f(shape, stride);
  for (std::size_t k = 0; k < shape.children().size(); ++k) forEachMode(shape.children()[k], stride.children()[k], f);
}

// The sum of (extent - 1) * stride over the strides of one sign, 1 or -1.
i64 reachOf(const Layout& layout, i64 sign) {
  LAYOUT_CHECK(layout.isPlain(), "the offsets of a layout without integer values");
  i64 sum = 0;
  forEachMode(layout.shape(), layout.stride(), [&](const IntTuple& s, const IntTuple& d) {
    if ((d.value() < 0) == (sign < 0)) sum += (s.value() - 1) * d.value();
  });
  return sum;
}

}  // namespace

i64 Layout::minOffset() const { return reachOf(*this, -1); }
i64 Layout::maxOffset() const { return reachOf(*this, 1); }
i64 Layout::cosize() const { return 1 + maxOffset() - minOffset(); }

i64 Layout::operator()(i64 index) const {
  LAYOUT_CHECK(isPlain(), "operator() of a layout without integer values");
  i64 value = 0;
  const std::vector<LayoutLeaf> leaves = flatLeaves(*this);
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    const i64 digit = k + 1 == leaves.size() ? index : index % leaves[k].extent;
    value += digit * leaves[k].stride.value();
    index /= leaves[k].extent;
  }
  return value;
}

i64 Layout::at(std::span<const i64> digits) const {
  LAYOUT_CHECK(isPlain(), "at() of a layout without integer values");
  const std::vector<LayoutLeaf> leaves = flatLeaves(*this);
  LAYOUT_CHECK(digits.size() == leaves.size(), "one digit for each leaf");
  i64 value = 0;
  for (std::size_t k = 0; k < leaves.size(); ++k) value += digits[k] * leaves[k].stride.value();
  return value;
}

std::vector<LayoutLeaf> flatLeaves(const Layout& layout) {
  LAYOUT_CHECK(layout.isKnown(), "leaves of a layout with `?`");
  std::vector<LayoutLeaf> out;
  out.reserve(layout.shape().leafCount());
  forEachMode(layout.shape(), layout.stride(), [&](const IntTuple& s, const IntTuple& d) {
    out.push_back({s.value(), d});
  });
  return out;
}

Result<Layout> ofLeaves(const std::vector<LayoutLeaf>& leaves, bool isStatic) {
  return refined(IntTuple(), {leaves}, isStatic);
}

Result<Layout> refined(const IntTuple& profile, const std::vector<std::vector<LayoutLeaf>>& leaves, bool isStatic) {
  std::vector<IntTuple> shape, stride;
  shape.reserve(leaves.size());
  stride.reserve(leaves.size());
  for (const std::vector<LayoutLeaf>& part : leaves) {
    shape.push_back(IntTuple::tupleOrOne(mapped<IntTuple>(part, &LayoutLeaf::extent)));
    stride.push_back(IntTuple::tupleOrOne(mapped<IntTuple>(part, &LayoutLeaf::stride)));
  }
  return Layout::make(withLeaves(profile, shape).withStatic(isStatic),
                      withLeaves(profile, stride).withStatic(isStatic));
}

std::string print(const Layout& layout) { return print(layout.shape()) + ":" + print(layout.stride()); }

namespace {

// Sum of digit * stride, one total per basis path.
struct Accumulator {
  std::map<Path, i64> totals;

  explicit Accumulator(const IntTuple& stride) {
    for (const IntTuple& d : stride.leaves())
      if (!d.basis().empty()) totals.emplace(d.basis(), 0);
    if (totals.empty()) totals.emplace(Path{}, 0);
  }

  [[nodiscard]] Result<void> add(i64 digit, const IntTuple& d) {
    if (!d.isKnown()) return Diag{fmt::format("the stride {} is not known", print(d)), "a known stride"};
    if (d.basis().empty() && d.value() == 0) return {};
    const auto term = checkedMul(digit, d.value());
    if (term && addInto(totals[d.basis()], *term)) return {};
    return Diag{fmt::format("{} * {} does not fit in 64 bits", digit, d.value()), "a smaller coordinate"};
  }

  [[nodiscard]] IntTuple value(const Path& prefix = {}) const {
    const auto it = totals.find(prefix);
    if (it != totals.end()) return it->second;
    int last = -1;
    for (const auto& [path, total] : totals)
      if (isPrefix(prefix, path)) last = std::max(last, path[prefix.size()]);
    if (last < 0) return 0;
    std::vector<IntTuple> out;
    for (int k = 0; k <= last; ++k) {
      Path next = prefix;
      next.push_back(k);
      out.push_back(value(next));
    }
    return IntTuple::tuple(std::move(out));
  }
};

Result<void> addCoordinate(const IntTuple& coord, const IntTuple& shape, const IntTuple& stride, Accumulator& acc) {
  if (coord.isTuple()) {
    if (shape.isLeaf())
      return Diag{
          fmt::format("coordinate {} is a tuple where the shape has the integer {}", print(coord), print(shape)),
          "an integer"};
    if (coord.rank() != shape.rank())
      return Diag{fmt::format("coordinate {} has {} modes, shape {} has {}", print(coord), coord.rank(), print(shape),
                              shape.rank()),
                  fmt::format("{} modes, or one linear index", shape.rank())};
    for (int k = 0; k < shape.rank(); ++k)
      TESSERA_CHECKED(addCoordinate(coord.mode(k), shape.mode(k), stride.mode(k), acc));
    return {};
  }
  if (!coord.isKnown() || !coord.basis().empty())
    return Diag{fmt::format("{} is not a coordinate with a value", print(coord)), "integers",
                coord.isWildcard() ? "slice(coord, layout) keeps the modes marked `_`" : ""};
  if (shape.isLeaf()) return acc.add(coord.value(), stride);
  i64 rest = coord.value();
  for (int k = 0; k < shape.rank(); ++k) {
    if (k + 1 == shape.rank()) return addCoordinate(rest, shape.mode(k), stride.mode(k), acc);
    TESSERA_TRY(const i64 n, product(shape.mode(k)));
    TESSERA_CHECKED(addCoordinate(rest % n, shape.mode(k), stride.mode(k), acc));
    rest /= n;
  }
  return {};
}

}  // namespace

Result<IntTuple> crd2idx(const IntTuple& coord, const IntTuple& shape, const IntTuple& stride) {
  if (auto fault = findFault(shape, stride)) return std::move(fault->diag);
  Accumulator acc(stride);
  TESSERA_CHECKED(addCoordinate(coord, shape, stride, acc));
  return acc.value();
}

Result<IntTuple> Layout::crd2idx(const IntTuple& coord) const { return cute::crd2idx(coord, shape_, stride_); }

namespace {

Result<IntTuple> splitIndex(const IntTuple& index, const IntTuple& shape) {
  if (index.isTuple()) {
    if (shape.isLeaf() || shape.rank() != index.rank())
      return Diag{fmt::format("coordinate {} does not fit shape {}", print(index), print(shape)),
                  "an integer, or one coordinate for each mode"};
    return tupleOf(shape.rank(), [&](int k) { return splitIndex(index.mode(k), shape.mode(k)); });
  }
  if (!index.isKnown() || !index.basis().empty())
    return Diag{fmt::format("{} is not an index", print(index)), "an integer"};
  if (shape.isLeaf()) return index;
  i64 rest = index.value();
  return tupleOf(shape.rank(), [&](int k) -> Result<IntTuple> {
    if (k + 1 == shape.rank()) return splitIndex(rest, shape.mode(k));
    TESSERA_TRY(const i64 n, product(shape.mode(k)));
    const i64 digit = rest % n;
    rest /= n;
    return splitIndex(digit, shape.mode(k));
  });
}

Result<void> checkShape(const IntTuple& shape) {
  if (shape.depth() > IntTuple::kMaxDepth) return Diag{"the shape is nested too deep", "fewer parentheses"};
  for (const IntTuple& s : shape.leaves()) {
    if (!s.isKnown()) return Diag{fmt::format("the extent {} is not known", print(s)), "known extents"};
    if (s.value() < 1 || !s.basis().empty())
      return Diag{fmt::format("extent {} is not positive", print(s)), "an extent of at least 1"};
  }
  return product(shape).ok() ? Result<void>() : product(shape).error();
}

}  // namespace

Result<IntTuple> idx2crd(const IntTuple& index, const IntTuple& shape) {
  TESSERA_CHECKED(checkShape(shape));
  return splitIndex(index, shape);
}

Result<IntTuple> idx2crd(const IntTuple& index, const IntTuple& shape, const IntTuple& stride) {
  TESSERA_TRY(const Layout layout, Layout::make(shape, stride));
  TESSERA_CHECKED(requirePlain(layout, "idx2crd"));
  if (!index.isKnown() || index.isTuple()) return Diag{fmt::format("{} is not an index", print(index)), "an integer"};
  std::vector<IntTuple> out;
  for (const LayoutLeaf& l : flatLeaves(layout)) {
    if (l.extent > 1 && l.stride.value() == 0)
      return Diag{fmt::format("idx2crd: extent {} has stride 0, so its digit cannot be recovered", l.extent),
                  "strides that are not 0"};
    if (l.extent > 1 && index.value() == INT64_MIN) return Diag{"the index does not fit in 64 bits", "a smaller index"};
    out.push_back(l.extent == 1 ? 0 : (index.value() / l.stride.value()) % l.extent);
  }
  return withLeaves(shape, out);
}

Result<void> requireKnown(const Layout& layout, std::string_view operation) {
  if (layout.isKnown()) return {};
  return Diag{fmt::format("{} needs numbers, but {} has unknown values (`?`)", operation, print(layout)),
              "a layout whose extents and strides are known"};
}

Result<void> requirePlain(const Layout& layout, std::string_view operation) {
  TESSERA_CHECKED(requireKnown(layout, operation));
  if (!layout.hasBasis()) return {};
  return Diag{
      fmt::format("{} needs integer strides, but {} maps to coordinates (scaled bases)", operation, print(layout)),
      "integer strides"};
}

Result<std::string> printTable(const Layout& layout) {
  TESSERA_CHECKED(requirePlain(layout, "print_layout"));
  if (layout.rank() != 2)
    return Diag{fmt::format("print_layout draws rank 2, but {} has rank {}", print(layout), layout.rank()), "two modes",
                "group(L, 0, 2) joins modes"};
  const Layout byRow = layout.mode(0), byColumn = layout.mode(1);
  const i64 columns = byColumn.size();
  if (layout.size() > (i64{1} << 20)) return Diag{"print_layout draws at most 2^20 cells", "a smaller layout"};
  const int width = static_cast<int>(std::to_string(layout.cosize()).size()) + 2;
  std::string out = print(layout) + "\n    ";
  for (i64 j = 0; j < columns; ++j) out += fmt::format(" {:>{}} ", j, width - 1);
  std::string rule = "\n    ";
  for (i64 j = 0; j < columns; ++j) rule += "+" + std::string(static_cast<std::size_t>(width), '-');
  rule += "+\n";
  for (i64 i = 0; i < byRow.size(); ++i) {
    out += rule + fmt::format("{:2}  ", i);
    for (i64 j = 0; j < columns; ++j) out += fmt::format("|{:>{}} ", byRow(i) + byColumn(j), width - 1);
    out += "|";
  }
  return out + rule;
}

}  // namespace tessera::cute
