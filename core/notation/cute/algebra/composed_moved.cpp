// Compositions and inverses of composed layouts, which move their swizzle to the other side of a layout.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "core/base/arith.h"
#include "core/base/check.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composed.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/divide.h"
#include "core/notation/cute/algebra/inverse.h"
#include "core/notation/cute/algebra/modes.h"

namespace tessera::cute {

std::vector<i64> valuesOf(const Layout& layout) {
  LAYOUT_CHECK(layout.isPlain() && layout.size() <= kTableLimit, "a table of a plain layout within the limit");
  std::vector<i64> out = {0};
  out.reserve(static_cast<std::size_t>(layout.size()));
  for (const LayoutLeaf& l : flatLeaves(layout)) {
    const std::size_t count = out.size();
    for (i64 digit = 1; digit < l.extent; ++digit)
      for (std::size_t k = 0; k < count; ++k) out.push_back(out[k] + digit * l.stride.value());
  }
  return out;
}

namespace {

// A swizzle moved through a layout: S' with S'(x_i) == y_i for every i.
//
//     Sw<1,0,1> o 0 o (4,2):(2,1), and R = right_inverse((4,2):(2,1)) = (2,4):(4,1)
//     x_i = R(i) = 0 4 1 5 2 6 3 7, y_i = R(Sw(i)) = 0 4 5 1 2 6 7 3           S' = Sw<1,0,-2>
//
// A o S o B is one swizzle before one layout only if such an S' exists. CuTe assumes that it does and moves the two
// masks of S through the layout. Here that candidate comes first, so that the text matches CuTe, and every candidate is
// checked on the whole table. If no single swizzle fits, there is no result; other functions are not searched.

// Both masks of s moved through the layout, as in CuTe; nullopt if the results are not masks of a swizzle.
std::optional<Swizzle> masksThrough(const Layout& layout, const Swizzle& s) {
  const Result<Layout> wide = coalesceUnbounded(layout);
  if (!wide) return std::nullopt;
  const IndexFunction f(*wide);
  const auto from = f.at(s.yyyMask());
  const auto to = f.at(s.zzzMask());
  if (!from || !to || from->size() != 1 || to->size() != 1) return std::nullopt;
  const Result<Swizzle> moved = Swizzle::fromMasks((*from)[0], (*to)[0]);
  if (!moved) return std::nullopt;
  return *moved;
}

// Among `first`, the identity, and all swizzles of the bits in use: the first S' with the longest prefix on which
// S'(from[i]) == to[i], and that prefix.
struct MovedSwizzle {
  Swizzle swizzle;
  i64 prefix = 0;
};
MovedSwizzle movedSwizzle(const std::vector<i64>& from, const std::vector<i64>& to,
                          const std::optional<Swizzle>& first) {
  const i64 size = static_cast<i64>(from.size());
  MovedSwizzle best{Swizzle(), -1};
  // True if the whole table agrees, so nothing better exists.
  const auto whole = [&](const Swizzle& s) {
    i64 prefix = 0;
    while (prefix < size && s(from[static_cast<std::size_t>(prefix)]) == to[static_cast<std::size_t>(prefix)]) ++prefix;
    if (prefix > best.prefix) best = {s, prefix};
    return prefix == size;
  };
  if (first && whole(*first)) return best;
  if (whole(Swizzle())) return best;
  i64 most = 1;
  for (const std::vector<i64>* table : {&from, &to})
    for (const i64 v : *table) most = std::max(most, v);
  const int width = static_cast<int>(std::bit_width(static_cast<u64>(most)));
  for (int bits = 1; 2 * bits <= width; ++bits) {
    for (int base = 0; base + 2 * bits <= width; ++base) {
      for (int shift = bits; base + bits + shift <= width; ++shift) {
        for (const int signedShift : {shift, -shift}) {
          const Result<Swizzle> s = Swizzle::make(bits, base, signedShift);
          if (s && whole(*s)) return best;
        }
      }
    }
  }
  return best;
}

// --- composed layouts as the second operand

// A at each of the given indices, evaluated beyond its end as in C++.
Result<std::vector<i64>> readThrough(const Layout& a, std::vector<i64> indices) {
  TESSERA_CHECKED(requirePlain(a, "composition"));
  TESSERA_TRY(const Layout wide, coalesceUnbounded(a));
  const IndexFunction f(wide);
  for (i64& y : indices) {
    const auto value = f.at(y);
    if (!value) return Diag{fmt::format("the value at {} does not fit in 64 bits", y), "smaller strides"};
    y = (*value)[0];
  }
  return indices;
}

Result<void> requireBare(const ComposedLayout& b) {
  if (b.engine().kind == Engine::Kind::None && !b.isTensor()) return {};
  return Diag{fmt::format("{} has a pointer, so the outer layout would be applied to an address", print(b)),
              "Sw o 0 o layout"};
}

// Sw' o 0 o inner with these values, or only a layout, or a constant and a layout; a Diag names the first index at
// which the best swizzle is wrong.
Result<ComposedLayout> withValues(const Layout& domain, const Result<Layout>& inner, const std::vector<i64>& wanted,
                                  const std::optional<Swizzle>& first, const char* law) {
  std::optional<Diag> refusal;
  if (inner) {
    const std::vector<i64> from = valuesOf(*inner);
    const MovedSwizzle moved = movedSwizzle(from, wanted, from == wanted ? std::nullopt : first);
    if (moved.prefix == inner->size()) return ComposedLayout::make(moved.swizzle, zeroBeside(*inner), *inner);
    const auto at = static_cast<std::size_t>(moved.prefix);
    refusal = Diag{fmt::format("no swizzle Sw o 0 o {} satisfies {}: at i = {} that is {}, but {} gives {}",
                               print(*inner), law, at, wanted[at], print(moved.swizzle), moved.swizzle(from[at])),
                   "a layout that maps each bit of the swizzle to one bit"};
  }
  if (const auto plain = layoutOfTable(domain, wanted))
    return ComposedLayout::make(Swizzle(), IntTuple(wanted[0]).withStatic(domain.isStatic()), *plain);
  return refusal ? *refusal : inner.error();
}

}  // namespace

Result<std::vector<i64>> tableOf(const ComposedLayout& layout) {
  const Layout& b = layout.inner();
  TESSERA_CHECKED(requirePlain(b, "a table of values"));
  if (b.size() > kTableLimit)
    return Diag{fmt::format("{} has {} elements, and more than 2^20 are too many to check", print(layout), b.size()),
                "a smaller layout"};
  TESSERA_TRY(const i64 offset, layout.elementOffset());
  if (!checkedAdd(offset, b.maxOffset()) || !checkedAdd(offset, b.minOffset()))
    return Diag{"the offset does not fit in 64 bits", "smaller offsets"};
  std::vector<i64> values = valuesOf(b);
  for (i64& v : values) v += offset;
  if (const Layout* affine = layout.outerLayout()) return readThrough(*affine, std::move(values));
  const Swizzle s = layout.elementSwizzle();
  for (i64& v : values) v = s(v);
  return values;
}

Result<ComposedLayout> composition(const Layout& a, const ComposedLayout& b) {
  TESSERA_CHECKED(requirePlain(a, "composition"));
  TESSERA_CHECKED(requireBare(b));
  TESSERA_TRY(const std::vector<i64> indices, tableOf(b));
  TESSERA_TRY(const std::vector<i64> wanted, readThrough(a, indices));
  if (const Layout* affine = b.outerLayout()) {
    const Result<Layout> outer = composition(a, *affine);
    if (outer) {
      TESSERA_TRY(ComposedLayout moved, ComposedLayout::make(*outer, b.offset(), b.inner()));
      const auto values = tableOf(moved);
      if (values && *values == wanted) return moved;
    }
    const Diag none{"no outer layout has the values of A o B on this domain", "an outer layout within A"};
    return withValues(b.inner(), outer ? Result<Layout>(none) : Result<Layout>(outer.error()), wanted, {}, "");
  }
  TESSERA_TRY(const i64 offset, b.elementOffset());
  Result<Layout> inner = composition(a, b.inner());
  if (offset != 0) inner = Diag{fmt::format("A o {}: the offset is between A and the swizzle", print(b)), "offset 0"};
  return withValues(b.inner(), inner, wanted, masksThrough(a, b.elementSwizzle()), "R(i) = A(L(i))");
}

Result<ComposedLayout> composition(const Layout& a, const Swizzle& b) {
  TESSERA_CHECKED(requirePlain(a, "composition"));
  TESSERA_TRY(const Layout identity, Layout::make(IntTuple(a.size()), IntTuple(1)));
  TESSERA_TRY(const ComposedLayout order, ComposedLayout::make(b, IntTuple(0), identity));
  TESSERA_TRY(const std::vector<i64> indices, tableOf(order));
  TESSERA_TRY(const std::vector<i64> wanted, readThrough(a, indices));
  return withValues(a, a, wanted, masksThrough(a, b), "R(i) = A(Sw(i))");
}

Result<ComposedLayout> composition(const ComposedLayout& a, const ComposedLayout& b) {
  TESSERA_TRY(const ComposedLayout inner, composition(a.inner(), b));
  TESSERA_TRY(const i64 moved, inner.elementOffset());
  const bool plain = inner.swizzle() != nullptr && inner.swizzle()->isIdentity();
  if (plain && moved == 0) return ComposedLayout::make(a.outer(), a.offset(), inner.inner(), a.engine());
  TESSERA_TRY(const i64 offset, a.elementOffset());
  const bool bare = a.swizzle() != nullptr && a.engine().kind == Engine::Kind::None;
  if (bare && offset == 0 && moved == 0 && inner.swizzle() != nullptr) {
    TESSERA_TRY(std::vector<i64> wanted, tableOf(inner));
    for (i64& v : wanted) v = (*a.swizzle())(v);
    const Result<Swizzle> both = compose(*a.swizzle(), *inner.swizzle());
    return withValues(inner.inner(), inner.inner(), wanted, both ? std::optional(*both) : std::nullopt,
                      "R(i) = A(L(i))");
  }
  return Diag{fmt::format("{} o {}: the part applied first becomes {}, and two outer functions cannot be merged",
                          print(a), print(b), print(inner)),
              "a layout shape:stride on the right"};
}

Result<ComposedLayout> logicalProduct(const Layout& a, const ComposedLayout& b) {
  TESSERA_CHECKED(requirePlain(a, "logical_product"));
  TESSERA_CHECKED(requireBare(b));
  TESSERA_TRY(const std::vector<i64> places, tableOf(b));
  const i64 last = *std::ranges::max_element(places);
  const auto room = last < 0 || last == INT64_MAX ? std::nullopt : checkedMul(a.size(), last + 1);
  const auto size = checkedMul(a.size(), b.inner().size());
  if (!room || !size || *size > kTableLimit)
    return Diag{"logical_product: more than 2^20 elements under a swizzle are too many to check", "a smaller product"};
  TESSERA_TRY(const Layout rest, complement(a, *room));
  TESSERA_TRY(const std::vector<i64> copies, readThrough(rest, places));
  std::vector<i64> wanted;
  for (const i64 start : copies)
    for (const i64 v : valuesOf(a)) wanted.push_back(start + v);
  const Result<Layout> inner = logicalProduct(a, b.inner());
  TESSERA_TRY(const Layout domain, makeLayout({a, b.inner()}));
  const std::optional<Swizzle> first = b.swizzle() == nullptr ? std::nullopt : masksThrough(rest, *b.swizzle());
  return withValues(domain, inner, wanted, first, "R(i,j) = A(i) + A*(L(j))");
}

// right_inverse and left_inverse of composed layouts: the inverse of B, with a swizzle that undoes the original one.

namespace {

// The image of a run of bits under a layout that permutes them; 0 if it is not a set of single bits.
i64 imageOfBits(const Layout& layout, i64 mask) {
  i64 image = 0;
  for (; mask != 0; mask &= mask - 1) {
    const i64 value = layout(mask & -mask);
    if (!isPowerOfTwo(value)) return 0;
    image |= value;
  }
  return image;
}

// R_B(Sw(i)) bit by bit, at any size, if R_B permutes the bits of a power of two.
std::optional<Swizzle> movedByBits(const Swizzle& s, const Layout& inverse) {
  const i64 n = inverse.size();
  if (!isPowerOfTwo(n)) return std::nullopt;
  for (const LayoutLeaf& l : flatLeaves(inverse))
    if (!isPowerOfTwo(l.extent) || !isPowerOfTwo(l.stride.value())) return std::nullopt;
  // Keep the bit pairs whose source is below n; their targets must be too.
  const i64 sources = s.yyyMask() & (n - 1);
  const i64 targets = s.shift() >= 0 ? sources >> s.shift() : sources << -s.shift();
  if ((targets & ~(n - 1)) != 0) return std::nullopt;
  const Result<Swizzle> moved = Swizzle::fromMasks(imageOfBits(inverse, sources), imageOfBits(inverse, targets));
  if (!moved) return std::nullopt;
  // Everything is linear over xor, so agreement on single bits suffices.
  for (i64 bit = 1; bit < n; bit <<= 1)
    if ((*moved)(inverse(bit)) != inverse(s(bit))) return std::nullopt;
  return *moved;
}

// R(v) is an index of value v, for v = 0, 1 ... as long as these indices form a layout.
Result<Layout> indicesOfValues(const ComposedLayout& layout) {
  TESSERA_TRY(const std::vector<i64> values, tableOf(layout));
  const i64 size = static_cast<i64>(values.size());
  if (values[0] != 0)
    return Diag{fmt::format("right_inverse: a layout maps 0 to 0, but L(0) is {}", values[0]), "L(0) = 0"};
  std::vector<i64> index(values.size(), -1);
  for (i64 i = 0; i < size; ++i) {
    const i64 v = values[static_cast<std::size_t>(i)];
    if (v >= 0 && v < size && index[static_cast<std::size_t>(v)] < 0) index[static_cast<std::size_t>(v)] = i;
  }
  const auto at = [&](i64 v) { return index[static_cast<std::size_t>(v)]; };
  const i64 known = std::ranges::find(index, -1) - index.begin();
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

// The longest prefix on which Sw maps [0, n) into itself and a moved swizzle over R_B equals R_B(Sw(i)).
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
// maps into itself. If a swizzle can be moved through R_B, that is Sw' o R_B; a longer layout without a swizzle is
// preferred.
Result<ComposedLayout> rightInverse(const ComposedLayout& layout) {
  if (layout.swizzle() == nullptr) {
    TESSERA_TRY(Layout alone, indicesOfValues(layout));
    return ComposedLayout::make(Swizzle(), zeroBeside(layout.inner()), std::move(alone));
  }
  TESSERA_TRY(const i64 offset, layout.elementOffset());
  if (offset != 0)
    return Diag{fmt::format("right_inverse: no index has a value below the offset {}", offset), "offset 0"};
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
                  "too many to check",
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
  return Diag{fmt::format("left_inverse: no layout maps the offsets from {} up back to their indices", offset),
              "offset 0"};
}

Diag noLeftInverse(const ComposedLayout& layout) {
  return {fmt::format("left_inverse: no swizzled layout was found that maps every value of {} back to its index",
                      print(layout)),
          "an inner layout that is contiguous"};
}

}  // namespace

// With G = left_inverse(B): Sw(Sw(B(i))) = B(i), so the result is G(Sw(y)): Sw' o G if Sw can be moved through G, else
// only a layout through the points (L(i), i).
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
  if (std::ranges::any_of(values, [](i64 v) { return v < 0; }))
    return Diag{"left_inverse: L has negative values, where layouts are not defined", "values of at least 0"};
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
