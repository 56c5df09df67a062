// right_inverse and left_inverse of composed layouts: the inverse of B, with a swizzle that inverts the other one.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/arith.h"
#include "core/notation/cute/algebra/composed.h"
#include "core/notation/cute/algebra/inverse.h"
#include "core/notation/cute/algebra/moved_swizzle.h"
#include "core/notation/cute/algebra/slice.h"
#include "core/notation/cute/algebra/through_points.h"

namespace tessera::cute {

namespace {

// The image of a run of bits under a layout that permutes them; 0 if it is not a set of single bits.
i64 imageOfBits(const Layout& layout, i64 mask) {
  i64 image = 0;
  for (int k = 0; k < 62; ++k) {
    const i64 bit = i64{1} << k;
    if ((mask & bit) == 0) continue;
    const i64 value = layout(bit);
    if (!isPowerOfTwo(value)) return 0;
    image |= value;
  }
  return image;
}

// R_B(Sw(i)) bit by bit, at any size, if R_B permutes the bits of a power of two.
std::optional<Swizzle> movedByBits(const Swizzle& s, const Layout& inverse) {
  const i64 n = inverse.size();
  if (!isPowerOfTwo(n)) return std::nullopt;
  for (const LayoutLeaf& l : flatLeaves(inverse)) {
    if (!isPowerOfTwo(l.extent) || !isPowerOfTwo(l.stride.value())) return std::nullopt;
  }
  // Keep the bit pairs whose source is below n; their targets must be too.
  const i64 sources = s.yyyMask() & (n - 1);
  i64 targets = 0;
  for (int k = 0; k < 62; ++k) {
    const i64 bit = i64{1} << k;
    if ((sources & bit) != 0) targets |= s.shift() >= 0 ? bit >> s.shift() : bit << -s.shift();
  }
  if ((targets & ~(n - 1)) != 0) return std::nullopt;
  const Result<Swizzle> moved = Swizzle::fromMasks(imageOfBits(inverse, sources), imageOfBits(inverse, targets));
  if (!moved) return std::nullopt;
  // Everything is linear over xor, so agreement on single bits suffices.
  for (i64 bit = 1; bit < n; bit <<= 1) {
    if ((*moved)(inverse(bit)) != inverse(s(bit))) return std::nullopt;
  }
  return *moved;
}

// R(v) is an index with value v, for v = 0, 1 ... as long as these indices form a layout.
Result<Layout> indicesOfValues(const ComposedLayout& layout) {
  TESSERA_TRY(const std::vector<i64> values, tableOf(layout));
  const i64 size = static_cast<i64>(values.size());
  if (values[0] != 0) {
    return Diag{fmt::format("right_inverse: no layout gives back the value 0, L(0) is {}", values[0]), "L(0) = 0"};
  }
  std::vector<i64> index(values.size(), -1);
  for (i64 i = 0; i < size; ++i) {
    const i64 v = values[static_cast<std::size_t>(i)];
    if (v >= 0 && v < size && index[static_cast<std::size_t>(v)] < 0) index[static_cast<std::size_t>(v)] = i;
  }
  const auto at = [&](i64 v) { return index[static_cast<std::size_t>(v)]; };
  const i64 known = std::find(index.begin(), index.end(), -1) - index.begin();
  std::vector<LayoutLeaf> leaves;
  for (i64 unit = 1;;) {  // the first `unit` indices are the layout so far; count the blocks that follow
    const auto repeats = [&](i64 block) {
      if (unit * (block + 1) > known || at(unit * block) != block * at(unit)) return false;
      for (i64 v = 0; v < unit; ++v)
        if (at(unit * block + v) != at(unit * block) + at(v)) return false;
      return true;
    };
    i64 run = 1;
    while (repeats(run)) ++run;
    if (run == 1) break;
    leaves.push_back({run, at(unit)});
    unit *= run;
  }
  if (leaves.empty()) return unitBeside(layout.inner());
  return ofLeaves(leaves, layout.inner().isStatic());
}

// As long as Sw maps [0, n) into itself and a moved swizzle over R_B equals R_B(Sw(i)).
Result<ComposedLayout> longestRightInverse(const Swizzle& s, const Layout& inverse) {
  std::vector<i64> from = valuesOf(inverse);
  std::vector<i64> to;
  for (i64 i = 0; i < inverse.size() && s(i) < inverse.size(); ++i) to.push_back(from[static_cast<std::size_t>(s(i))]);
  from.resize(to.size());
  const MovedSwizzle moved = movedSwizzle(from, to, masksThrough(inverse, s));
  TESSERA_TRY(const Layout reached, prefixOf(inverse, std::max<i64>(moved.prefix, 1)));
  return ComposedLayout::make(reached.size() == 1 ? Swizzle() : moved.swizzle, zeroBeside(inverse), reached);
}

}  // namespace

// With R_B = right_inverse(B): L(R(i)) = Sw(B(R(i))) = i iff B(R(i)) = Sw(i), so R(i) = R_B(Sw(i)) on a range that Sw
// maps into itself. If a swizzle can be moved through R_B, that is Sw' o R_B; if indices without a swizzle reach
// further, they are used.
Result<ComposedLayout> rightInverse(const ComposedLayout& layout) {
  if (layout.swizzle() == nullptr) {
    TESSERA_TRY(Layout alone, indicesOfValues(layout));
    return ComposedLayout::make(Swizzle(), zeroBeside(layout.inner()), std::move(alone));
  }
  TESSERA_TRY(const i64 offset, layout.elementOffset());
  if (offset != 0) {
    return Diag{fmt::format("right_inverse: no layout gives back the values below the offset {}", offset), "offset 0"};
  }
  const Swizzle s = layout.elementSwizzle();
  TESSERA_TRY(const Layout inverse, rightInverse(layout.inner()));
  const i64 n = inverse.size();
  const i64 reads = s.yyyMask();
  if (s.isIdentity()) return ComposedLayout::make(Swizzle(), zeroBeside(inverse), inverse);
  if (n <= kTableLimit) {
    TESSERA_TRY(ComposedLayout found, longestRightInverse(s, inverse));
    if (found.inner().size() == layout.inner().size() || layout.inner().size() > kTableLimit) return found;
    TESSERA_TRY(Layout alone, indicesOfValues(layout));
    if (alone.size() <= found.inner().size()) return found;
    return ComposedLayout::make(Swizzle(), zeroBeside(inverse), std::move(alone));
  }
  const bool idle = n <= (reads & -reads);  // no source bit is set below n
  if (idle) return ComposedLayout::make(Swizzle(), zeroBeside(inverse), inverse);
  if (const auto moved = movedByBits(s, inverse)) return ComposedLayout::make(*moved, zeroBeside(inverse), inverse);
  return Diag{
      fmt::format("right_inverse: {} does not map [0, {}) to itself bit by bit, and more than 2^20 elements are "
                  "not looked at one by one",
                  print(s), n),
      "an inner layout that reaches a power of two of offsets"};
}

namespace {

std::vector<Point> pointsAt(const std::vector<i64>& values) {
  std::vector<Point> points;
  for (std::size_t i = 0; i < values.size(); ++i) points.push_back({values[i], static_cast<i64>(i)});
  return points;
}

// G with G(off + B(i)) == i, or a representative of i if B repeats a value.
Result<Layout> inverseOfInner(const ComposedLayout& layout, i64 offset, const std::vector<i64>& inner) {
  if (offset == 0) return leftInverse(layout.inner());
  if (auto found = layoutThrough(pointsAt(inner)).layout) return *found;
  return Diag{fmt::format("left_inverse: no layout leads the offsets from {} on back to their indices", offset),
              "offset 0"};
}

Diag noLeftInverse(const ComposedLayout& layout) {
  return {fmt::format("left_inverse: no swizzle of a layout that was found leads every value of {} back to its index",
                      print(layout)),
          "an inner layout that is contiguous",
          "",
          {}};
}

}  // namespace

// With G = left_inverse(B): Sw(Sw(B(i))) = B(i), so the result is G(Sw(y)): Sw' o G if Sw can be moved through G, else
// a layout alone through the points (L(i), i).
Result<ComposedLayout> leftInverse(const ComposedLayout& layout) {
  const Layout& b = layout.inner();
  TESSERA_CHECKED(requirePlain(b, "left_inverse"));
  TESSERA_TRY(const i64 offset, layout.elementOffset());
  if (b.size() > kTableLimit) {  // a right inverse as long as L is two-sided
    if (Result<ComposedLayout> right = rightInverse(layout); right && right->inner().size() == b.size()) return right;
    return Diag{"left_inverse of a composed layout of more than 2^20 elements that is not onto [0, size)",
                "a smaller layout"};
  }
  std::vector<i64> inner = valuesOf(b);
  for (i64& v : inner) v += offset;
  TESSERA_TRY(const std::vector<i64> values, tableOf(layout));
  if (std::any_of(values.begin(), values.end(), [](i64 v) { return v < 0; })) {
    return Diag{"left_inverse: L has values below 0, and no layout is read there", "values of at least 0"};
  }
  Result<Layout> back = noLeftInverse(layout);
  if (layout.outerLayout() == nullptr) back = inverseOfInner(layout, offset, inner);
  if (back) {
    std::vector<i64> from, to;
    for (std::size_t i = 0; i < values.size(); ++i) {
      from.push_back((*back)(values[i]));
      to.push_back((*back)(inner[i]));
    }
    const MovedSwizzle moved = movedSwizzle(from, to, masksThrough(*back, layout.elementSwizzle()));
    if (moved.prefix == b.size()) return ComposedLayout::make(moved.swizzle, zeroBeside(b), *back);
  }
  if (b.size() <= i64{1} << 16) {
    if (const auto alone = layoutThrough(pointsAt(values)).layout)
      return ComposedLayout::make(Swizzle(), zeroBeside(b), alone->withStatic(b.isStatic()));
  }
  return back ? Result<ComposedLayout>(noLeftInverse(layout)) : Result<ComposedLayout>(back.error());
}

}  // namespace tessera::cute
