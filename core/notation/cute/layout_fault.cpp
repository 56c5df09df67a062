// The inputs that Layout::make rejects, with the messages.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/arith.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

namespace {

constexpr int kMaxBasisIndex = 63;

using Path = std::vector<int>;

i64 absolute(i64 v) { return v < 0 ? -v : v; }  // Requires v != min; findFault ensures this for strides

std::string strideHint(const IntTuple& shape, const IntTuple& stride) {
  if (shape.isLeaf() && stride.isTuple() && stride.rank() >= 1 && stride.mode(0).isLeaf())
    return fmt::format("did you mean {}:{}?", print(shape), print(stride.mode(0)));
  if (shape.isTuple() && stride.isTuple() && stride.rank() > shape.rank()) {
    const auto& all = stride.children();
    const IntTuple cut = IntTuple::tuple({all.begin(), all.begin() + shape.rank()});
    if (congruent(shape, cut)) return fmt::format("did you mean {}:{}?", print(shape), print(cut));
  }
  // Too few: column-major when the strides given so far start at 1, else row-major.
  std::vector<IntTuple> extents = shape.leaves();
  const std::vector<IntTuple> given = stride.leaves();
  const bool columnMajor = !given.empty() && given[0].isKnown() && given[0].value() == 1 && extents.size() > 1;
  std::vector<IntTuple> strides(extents.size());
  i64 running = 1;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const std::size_t at = columnMajor ? k : extents.size() - 1 - k;
    strides[at] = IntTuple(running);
    if (!extents[at].isKnown() || !mulInto(running, extents[at].value())) return "";
  }
  return fmt::format("did you mean {}:{}?", print(shape), print(withLeaves(shape, strides)));
}

Diag notCongruent(const IntTuple& shape, const IntTuple& stride) {
  std::string message;
  if (shape.isTuple() && stride.isTuple() && shape.rank() != stride.rank()) {
    message = fmt::format("strides have {} modes, shape {} has {}", stride.rank(), print(shape), shape.rank());
  } else {
    message = fmt::format("strides {} are not nested like shape {}", print(stride), print(shape));
  }
  return {std::move(message), "a stride for each mode of the shape", strideHint(shape, stride)};
}

LayoutFault inShape(int leaf, std::string message, std::string expected, std::string hint = {}) {
  return {{std::move(message), std::move(expected), std::move(hint)}, LayoutFault::Part::Shape, leaf};
}
LayoutFault inStride(std::size_t leaf, std::string message, std::string expected) {
  return {{std::move(message), std::move(expected)}, LayoutFault::Part::Stride, static_cast<int>(leaf)};
}

std::optional<LayoutFault> leafFault(const std::vector<IntTuple>& extents, const std::vector<IntTuple>& strides) {
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const IntTuple& s = extents[k];
    const int at = static_cast<int>(k);
    if (s.isWildcard()) return inShape(at, "`_` is a coordinate wildcard, not an extent", "an extent of at least 1");
    if (!s.basis().empty())
      return inShape(at, fmt::format("{} is a scaled basis, not an extent", print(s)), "an extent of at least 1",
                     "bases belong in the strides: (4,5):(1@0,1@1)");
    if (s.isKnown() && s.value() < 1)
      return inShape(at, fmt::format("extent {} is not positive", s.value()), "an extent of at least 1");
  }
  for (std::size_t k = 0; k < strides.size(); ++k) {
    const IntTuple& d = strides[k];
    if (d.isWildcard()) return inStride(k, "`_` is a coordinate wildcard, not a stride", "an integer");
    if (std::ranges::any_of(d.basis(), [](int b) { return b < 0 || b > kMaxBasisIndex; }))
      return inStride(k, fmt::format("{}: a basis index is 0 to {}", print(d), kMaxBasisIndex), "a small mode index");
  }
  return std::nullopt;
}

bool isPrefix(const Path& a, const Path& b) { return a.size() < b.size() && std::equal(a.begin(), a.end(), b.begin()); }

// Plain and basis strides cannot be added; neither can 1@0 (a number in mode 0) and 1@0@0 (a tuple in mode 0).
std::optional<LayoutFault> basisFault(const std::vector<IntTuple>& strides) {
  if (std::ranges::none_of(strides, [](const IntTuple& d) { return !d.basis().empty(); })) return std::nullopt;
  std::map<Path, std::size_t> seen;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    const IntTuple& d = strides[k];
    if (d.basis().empty() && (!d.isKnown() || d.value() == 0)) continue;
    for (const auto& [path, first] : seen) {
      if (isPrefix(path, d.basis()) || isPrefix(d.basis(), path)) {
        return inStride(k,
                        fmt::format("strides {} and {} cannot be added: one is a number where the other is a tuple",
                                    print(strides[first]), print(d)),
                        "strides that are all integers or all bases of one profile");
      }
    }
    seen.emplace(d.basis(), k);
  }
  return std::nullopt;
}

std::optional<LayoutFault> magnitudeFault(const std::vector<IntTuple>& extents, const std::vector<IntTuple>& strides) {
  i64 size = 1, span = 1;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (!extents[k].isKnown()) continue;
    if (!mulInto(size, extents[k].value()))
      return inShape(-1, "the size of the layout does not fit in 64 bits", "a product of extents below 2^63");
    if (!strides[k].isKnown()) continue;
    const i64 d = strides[k].value();
    const auto reach = d == INT64_MIN ? std::nullopt : checkedMul(extents[k].value() - 1, absolute(d));
    if (!reach || !addInto(span, *reach))
      return inStride(k, fmt::format("offsets of {}:{} do not fit in 64 bits", extents[k].value(), d),
                      "offsets below 2^63");
  }
  return std::nullopt;
}

// A fast check that accepts almost every layout: equal trees, positive extents, integer strides, and offsets within 64
// bits. The detailed checks find the fault in the others.
struct PlainCheck {
  i64 size = 1, span = 1;

  bool holds(const IntTuple& shape, const IntTuple& stride) {
    if (shape.isTuple() != stride.isTuple()) return false;
    if (shape.isTuple()) {
      const auto &a = shape.children(), &b = stride.children();
      return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                        [this](const IntTuple& x, const IntTuple& y) { return holds(x, y); });
    }
    if (!shape.isPlain() || !stride.isPlain() || shape.value() < 1 || stride.value() == INT64_MIN) return false;
    i64 reach = 0;
    return !__builtin_mul_overflow(size, shape.value(), &size) &&
           !__builtin_mul_overflow(shape.value() - 1, absolute(stride.value()), &reach) &&
           !__builtin_add_overflow(span, reach, &span);
  }
};

}  // namespace

std::optional<LayoutFault> findFault(const IntTuple& shape, const IntTuple& stride) {
  if (shape.depth() > IntTuple::kMaxDepth || stride.depth() > IntTuple::kMaxDepth)
    return inShape(-1, fmt::format("the layout is nested deeper than {} levels", IntTuple::kMaxDepth),
                   "fewer parentheses");
  if (shape.leafCount() > IntTuple::kMaxLeaves)
    return inShape(-1, fmt::format("the layout has more than {} modes", IntTuple::kMaxLeaves), "fewer modes");
  if (PlainCheck().holds(shape, stride)) return std::nullopt;
  if (!congruent(shape, stride)) return LayoutFault{notCongruent(shape, stride), LayoutFault::Part::Stride, -1};
  const std::vector<IntTuple> extents = shape.leaves(), strides = stride.leaves();
  if (auto fault = leafFault(extents, strides)) return fault;
  if (auto fault = basisFault(strides)) return fault;
  return magnitudeFault(extents, strides);
}

}  // namespace tessera::cute
