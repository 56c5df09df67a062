// CuTe's layout algebra: one row each, over plain layouts, composed layouts, and by-mode tilers.
#include <fmt/format.h>

#include <array>

#include "core/notation/convert.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/complement.h"
#include "core/notation/cute/algebra/composed.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/divide.h"
#include "core/notation/cute/algebra/inverse.h"
#include "core/notation/cute/algebra/make.h"
#include "core/notation/cute/algebra/recast.h"
#include "core/notation/cute/algebra/slice.h"
#include "core/notation/cute/algebra/vector.h"
#include "core/worksheet/functions/algebra_calls.h"
#include "core/worksheet/functions/functions.h"

namespace tessera {
namespace {

template <typename T>
Result<Value> wrapped(Result<T> result) {
  if (!result) return result.error();
  return Value(*std::move(result));
}

// With an identity swizzle and no offset, the layout alone, as in CuTe's composition(Swizzle<0,M,S>, 0, L).
Result<Value> decayed(Result<cute::ComposedLayout> result) {
  if (!result) return result.error();
  const bool idle = result->swizzle() != nullptr && result->swizzle()->isIdentity();
  const bool bare = result->engine().kind == cute::Engine::Kind::None && result->offset() == cute::IntTuple(0);
  if (idle && bare) return Value(result->inner());
  return Value(*std::move(result));
}

bool isTupleLike(const Value& v) { return std::holds_alternative<cute::IntTuple>(v) || std::holds_alternative<i64>(v); }
bool isTilerLike(const Value& v) {
  if (const auto* t = std::get_if<cute::IntTuple>(&v)) return t->isTuple();
  return std::holds_alternative<cute::Tiler>(v);
}
const cute::ComposedLayout* composedAt(const Call& c, std::size_t k) { return as<cute::ComposedLayout>(c[k]); }

// ---- one layout -> one layout ----

template <Result<cute::Layout> (*Operation)(const cute::Layout&)>
Result<Value> unary(const Call& c) {
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  return wrapped(Operation(a));
}

template <Result<cute::Layout> (*Operation)(const cute::Layout&),
          Result<cute::ComposedLayout> (*OnComposed)(const cute::ComposedLayout&)>
Result<Value> unaryOfAny(const Call& c) {
  if (const cute::ComposedLayout* a = composedAt(c, 0)) return wrapped(OnComposed(*a));
  return unary<Operation>(c);
}

// Operations that a swizzle does not affect: it is injective, and registers are not swizzled.
template <Result<cute::Layout> (*Operation)(const cute::Layout&)>
Result<Value> ofInner(const Call& c) {
  const cute::ComposedLayout* a = composedAt(c, 0);
  if (a == nullptr || a->swizzle() == nullptr) return unary<Operation>(c);
  return wrapped(Operation(a->inner()));
}

Result<Value> coalesceCall(const Call& c) {
  if (const cute::ComposedLayout* a = composedAt(c, 0)) {
    if (c.count() == 1) return wrapped(coalesce(*a));
    TESSERA_TRY(const cute::IntTuple profile, c.tuple(1));
    return wrapped(coalesce(*a, profile));
  }
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  if (c.count() == 1) return wrapped(coalesce(a));
  TESSERA_TRY(const cute::IntTuple profile, c.tuple(1));
  return wrapped(coalesce(a, profile));
}

Result<Value> flattenCall(const Call& c) {
  if (isTupleLike(c[0])) {
    TESSERA_TRY(const cute::IntTuple t, c.tuple(0));
    return normalised(flatten(t));
  }
  if (const cute::ComposedLayout* a = composedAt(c, 0)) return wrapped(flatten(*a));
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  return wrapped(flatten(a));
}

Result<Value> rightInverseCall(const Call& c) {
  if (const cute::ComposedLayout* a = composedAt(c, 0)) return decayed(rightInverse(*a));
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  return wrapped(rightInverse(a));
}

Result<Value> leftInverseCall(const Call& c) {
  if (const cute::ComposedLayout* a = composedAt(c, 0)) return decayed(leftInverse(*a));
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  return wrapped(leftInverse(a));
}

Result<Value> complementCall(const Call& c) {
  if (const cute::ComposedLayout* composed = composedAt(c, 0)) {
    if (c.count() == 1) return wrapped(complement(*composed, composed->inner().cosize()));
    TESSERA_TRY(const cute::IntTuple target, c.tuple(1));
    TESSERA_TRY(const i64 size, product(target));
    return wrapped(complement(*composed, size));
  }
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  if (c.count() == 1) return wrapped(complement(a));
  if (const auto* n = std::get_if<i64>(&c[1])) return wrapped(complement(a, *n));
  TESSERA_TRY(const cute::IntTuple shape, c.tuple(1));
  return wrapped(complement(a, shape));
}

// ---- two operands: the second is a layout, or a tiler that acts mode by mode ----

using ByLayout = Result<cute::Layout> (*)(const cute::Layout&, const cute::Layout&);
using ByTiler = Result<cute::Layout> (*)(const cute::Layout&, const cute::Tiler&);
using ComposedByTiler = Result<cute::ComposedLayout> (*)(const cute::ComposedLayout&, const cute::Tiler&);
using ComposedByLayout = Result<cute::ComposedLayout> (*)(const cute::ComposedLayout&, const cute::Layout&);

template <ByLayout Layouts, ByTiler Tilers>
Result<Value> plainBinary(const Call& c) {
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  if (isTilerLike(c[1])) {
    TESSERA_TRY(const cute::Tiler b, c.tiler(1));
    return wrapped(Tilers(a, b));
  }
  TESSERA_TRY(const cute::Layout b, c.layout(1));
  return wrapped(Layouts(a, b));
}

template <ByLayout Layouts, ByTiler Tilers, ComposedByTiler OnTiler, ComposedByLayout OnLayout>
Result<Value> binary(const Call& c) {
  const cute::ComposedLayout* composed = composedAt(c, 0);
  if (composed == nullptr) return plainBinary<Layouts, Tilers>(c);
  if (isTilerLike(c[1])) {
    TESSERA_TRY(const cute::Tiler b, c.tiler(1));
    return wrapped(OnTiler(*composed, b));
  }
  TESSERA_TRY(const cute::Layout b, c.layout(1));
  return wrapped(OnLayout(*composed, b));
}

Result<Value> logicalProductCall(const Call& c) {
  const cute::ComposedLayout* tiler = composedAt(c, 1);
  if (tiler == nullptr || composedAt(c, 0) != nullptr)
    return binary<cute::logicalProduct, cute::logicalProduct, cute::logicalProduct, cute::logicalProduct>(c);
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  return decayed(logicalProduct(a, *tiler));
}

template <ByLayout Product>
Result<Value> product(const Call& c) {
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  TESSERA_TRY(const cute::Layout b, c.layout(1));
  return wrapped(Product(a, b));
}

template <ByLayout Product, ComposedByLayout OnLayout>
Result<Value> productOfAny(const Call& c) {
  const cute::ComposedLayout* composed = composedAt(c, 0);
  if (composed == nullptr) return product<Product>(c);
  TESSERA_TRY(const cute::Layout b, c.layout(1));
  return wrapped(OnLayout(*composed, b));
}

Result<Value> compositionCall(const Call& c) {
  if (isTilerLike(c[1])) {
    if (const cute::ComposedLayout* a = composedAt(c, 0)) {
      TESSERA_TRY(const cute::Tiler b, c.tiler(1));
      return wrapped(composition(*a, b));
    }
    return plainBinary<&cute::composition, &cute::composition>(c);
  }
  if (isTupleLike(c[0]) || isTupleLike(c[1])) {
    TESSERA_TRY(const cute::Layout b, c.layout(1));
    if (!isTupleLike(c[0])) return compositionOf(c[0], Value(b));
    TESSERA_TRY(const cute::Layout a, c.layout(0));
    return compositionOf(Value(a), Value(b));
  }
  return composeValues(c[0], c[1]);
}

Result<Value> tileToShapeCall(const Call& c) {
  TESSERA_TRY(const cute::IntTuple shape, c.tuple(1));
  cute::IntTuple order;
  if (c.count() == 3) {
    TESSERA_TRY(order, c.tuple(2));
  }
  if (const cute::ComposedLayout* a = composedAt(c, 0)) {
    return wrapped(c.count() == 3 ? tileToShape(*a, shape, order) : tileToShape(*a, shape));
  }
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  return wrapped(c.count() == 3 ? tileToShape(a, shape, order) : tileToShape(a, shape));
}

// ---- making ----

Result<Value> makeLeft(const Call& c) {
  TESSERA_TRY(const cute::IntTuple shape, c.tuple(0));
  return wrapped(cute::makeLayoutLeft(shape));
}
Result<Value> makeRight(const Call& c) {
  TESSERA_TRY(const cute::IntTuple shape, c.tuple(0));
  return wrapped(cute::makeLayoutRight(shape));
}
Result<Value> makeOrdered(const Call& c) {
  TESSERA_TRY(const cute::IntTuple shape, c.tuple(0));
  TESSERA_TRY(const cute::IntTuple order, c.tuple(1));
  return wrapped(cute::makeOrderedLayout(shape, order));
}
Result<Value> makeIdentity(const Call& c) {
  TESSERA_TRY(const cute::IntTuple shape, c.tuple(0));
  return wrapped(cute::makeIdentityLayout(shape));
}
Result<Value> distribute(const Call& c) {
  TESSERA_TRY(const cute::IntTuple shape, c.tuple(0));
  TESSERA_TRY(const i64 n, c.integer(1));
  return wrapped(domainDistribute(shape, n));
}

// ---- structure: f<0,2>(L) and f(L, 0, 2) ----

Result<std::vector<i64>> numbers(const Call& c) {
  TESSERA_TRY(std::vector<i64> out, c.templateIntegers());
  for (std::size_t k = 1; k < c.count(); ++k) {
    TESSERA_TRY(const i64 n, c.integer(k));
    out.push_back(n);
  }
  return out;
}

Result<std::pair<i64, i64>> range(const Call& c) {
  TESSERA_TRY(const std::vector<i64> n, numbers(c));
  if (n.size() == 2) return std::pair<i64, i64>(n[0], n[1]);
  return Diag{fmt::format("{} takes the first mode and the one after the last", c.function),
              fmt::format("{}(L, 0, 2)", c.function), "", c.span};
}

Result<Value> groupCall(const Call& c) {
  TESSERA_TRY(const auto r, range(c));
  if (isTupleLike(c[0])) {
    TESSERA_TRY(const cute::IntTuple t, c.tuple(0));
    return wrapped(group(t, r.first, r.second));
  }
  if (const cute::ComposedLayout* a = composedAt(c, 0)) return wrapped(group(*a, r.first, r.second));
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  return wrapped(group(a, r.first, r.second));
}
Result<Value> takeCall(const Call& c) {
  TESSERA_TRY(const auto r, range(c));
  if (isTupleLike(c[0])) {
    TESSERA_TRY(const cute::IntTuple t, c.tuple(0));
    return wrapped(take(t, r.first, r.second));
  }
  if (const cute::ComposedLayout* a = composedAt(c, 0)) return wrapped(take(*a, r.first, r.second));
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  return wrapped(take(a, r.first, r.second));
}
Result<Value> selectCall(const Call& c) {
  TESSERA_TRY(const std::vector<i64> modes, numbers(c));
  if (modes.empty()) return Diag{"select takes the modes that stay", "select(L, 1, 3)", "", c.span};
  if (isTupleLike(c[0])) {
    TESSERA_TRY(const cute::IntTuple t, c.tuple(0));
    return wrapped(select(t, modes));
  }
  if (const cute::ComposedLayout* a = composedAt(c, 0)) return wrapped(select(*a, modes));
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  return wrapped(select(a, modes));
}
Result<Value> appendCall(const Call& c) {
  TESSERA_TRY(const cute::Layout b, c.layout(1));
  if (const cute::ComposedLayout* a = composedAt(c, 0)) return wrapped(append(*a, b));
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  return wrapped(append(a, b));
}
Result<Value> prependCall(const Call& c) {
  TESSERA_TRY(const cute::Layout b, c.layout(1));
  if (const cute::ComposedLayout* a = composedAt(c, 0)) return wrapped(prepend(*a, b));
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  return wrapped(prepend(a, b));
}

Result<Value> sliceCall(const Call& c) {
  TESSERA_TRY(const cute::IntTuple coord, c.tuple(0));
  if (isTupleLike(c[1])) {
    TESSERA_TRY(const cute::Layout a, c.layout(1));
    return sliceValue(Value(a), coord);
  }
  return sliceValue(c[1], coord);
}
Result<Value> sliceAndOffsetCall(const Call& c) {
  TESSERA_TRY(const cute::IntTuple coord, c.tuple(0));
  if (const cute::ComposedLayout* composed = composedAt(c, 1)) {
    TESSERA_TRY(const cute::ComposedSlice cut, sliceAndOffset(coord, *composed));
    const std::string text = std::visit([](const auto& l) { return print(l); }, cut.layout);
    return Value(Text{fmt::format("({},{})", text, cut.offset)});
  }
  TESSERA_TRY(const cute::Layout a, c.layout(1));
  TESSERA_TRY(const auto cut, sliceAndOffset(coord, a));
  return Value(Text{fmt::format("({},{})", print(cut.first), cut.second)});
}
Result<Value> diceCall(const Call& c) {
  TESSERA_TRY(const cute::IntTuple coord, c.tuple(0));
  TESSERA_TRY(const cute::Layout a, c.layout(1));
  return wrapped(dice(coord, a));
}

// ---- element widths: upcast(L, 4) and upcast<4>(L) ----

template <Result<cute::Layout> (*Plain)(const cute::Layout&, i64),
          Result<cute::ComposedLayout> (*Composed)(const cute::ComposedLayout&, i64),
          Result<cute::Swizzle> (*Swizzles)(const cute::Swizzle&, i64)>
Result<Value> castCall(const Call& c) {
  TESSERA_TRY(const std::vector<i64> n, numbers(c));
  if (n.size() != 1)
    return Diag{fmt::format("{} takes one factor", c.function), fmt::format("{}(L, 4)", c.function), "", c.span};
  if (const cute::ComposedLayout* a = composedAt(c, 0)) return wrapped(Composed(*a, n[0]));
  if (const auto* s = as<cute::Swizzle>(c[0])) return wrapped(Swizzles(*s, n[0]));
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  return wrapped(Plain(a, n[0]));
}
Result<Value> recastCall(const Call& c) {
  TESSERA_TRY(const std::vector<i64> n, numbers(c));
  if (n.size() != 2)
    return Diag{fmt::format("{} takes the old and the new bits", c.function), "recast_layout(L, 32, 8)", "", c.span};
  if (const cute::ComposedLayout* a = composedAt(c, 0)) return wrapped(recastLayout(*a, n[0], n[1]));
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  return wrapped(recastLayout(a, n[0], n[1]));
}
Result<Value> positionIndependent(const Call& c) {
  if (const cute::ComposedLayout* a = composedAt(c, 0)) return wrapped(asPositionIndependentSwizzleLayout(*a));
  return c.wrong(0, "a composed layout with an smem_ptr");
}

// ---- common structure of two layouts ----

Result<Value> commonVector(const Call& c) {
  const cute::ComposedLayout* a = composedAt(c, 0);
  const cute::ComposedLayout* b = composedAt(c, 1);
  if (a != nullptr && b != nullptr) return wrapped(maxCommonVector(*a, *b));
  if (a != nullptr || b != nullptr) {
    TESSERA_TRY(const cute::Layout plain, c.layout(a != nullptr ? 1 : 0));
    return wrapped(maxCommonVector(a != nullptr ? *a : *b, plain));
  }
  TESSERA_TRY(const cute::Layout x, c.layout(0));
  TESSERA_TRY(const cute::Layout y, c.layout(1));
  return wrapped(maxCommonVector(x, y));
}
Result<Value> commonLayout(const Call& c) {
  const cute::ComposedLayout* a = composedAt(c, 0);
  const cute::ComposedLayout* b = composedAt(c, 1);
  if ((a == nullptr) == (b == nullptr)) return product<cute::maxCommonLayout>(c);
  TESSERA_TRY(const cute::Layout plain, c.layout(a != nullptr ? 1 : 0));
  return wrapped(maxCommonLayout(a != nullptr ? *a : *b, plain));
}
Result<Value> alignment(const Call& c) {
  if (const cute::ComposedLayout* composed = composedAt(c, 0)) return wrapped(maxAlignment(*composed));
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  return wrapped(maxAlignment(a));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"coalesce", "coalesce(L) or coalesce(L, profile)", "the same function with the fewest modes", 1, 2, coalesceCall,
     true},
    {"composition", "composition(A, B) or composition(A, <B0, B1>)", "R(c) = A(B(c))", 2, 2, compositionCall, true},
    {"complement", "complement(A, n)", "the layout that fills what A leaves out of [0, n)", 1, 2, complementCall, true},
    {"right_inverse", "right_inverse(L)", "L(R(i)) = i", 1, 1, rightInverseCall, true},
    {"left_inverse", "left_inverse(L)", "R(L(i)) = i", 1, 1, leftInverseCall, true},
    {"logical_divide", "logical_divide(A, B)", "(tile, rest): A seen in tiles of B", 2, 2,
     binary<cute::logicalDivide, cute::logicalDivide, cute::logicalDivide, cute::logicalDivide>, true},
    {"zipped_divide", "zipped_divide(A, B)", "((tile modes), (rest modes))", 2, 2,
     binary<cute::zippedDivide, cute::zippedDivide, cute::zippedDivide, cute::zippedDivide>, true},
    {"tiled_divide", "tiled_divide(A, B)", "((tile modes), rest0, rest1, ...)", 2, 2,
     binary<cute::tiledDivide, cute::tiledDivide, cute::tiledDivide, cute::tiledDivide>, true},
    {"flat_divide", "flat_divide(A, B)", "(tile0, tile1, ..., rest0, rest1, ...)", 2, 2,
     binary<cute::flatDivide, cute::flatDivide, cute::flatDivide, cute::flatDivide>, true},
    {"logical_product", "logical_product(A, B)", "(A, copies of A as B has them)", 2, 2, logicalProductCall, true},
    {"zipped_product", "zipped_product(A, B)", "((A modes), (copy modes))", 2, 2,
     binary<cute::zippedProduct, cute::zippedProduct, cute::zippedProduct, cute::zippedProduct>, true},
    {"tiled_product", "tiled_product(A, B)", "((A modes), copy0, copy1, ...)", 2, 2,
     binary<cute::tiledProduct, cute::tiledProduct, cute::tiledProduct, cute::tiledProduct>, true},
    {"flat_product", "flat_product(A, B)", "(A0, A1, ..., copy0, copy1, ...)", 2, 2,
     binary<cute::flatProduct, cute::flatProduct, cute::flatProduct, cute::flatProduct>, true},
    {"blocked_product", "blocked_product(A, B)", "copies of block A side by side, as B has them", 2, 2,
     productOfAny<cute::blockedProduct, cute::blockedProduct>, true},
    {"raked_product", "raked_product(A, B)", "copies of block A interleaved, as B has them", 2, 2,
     productOfAny<cute::rakedProduct, cute::rakedProduct>, true},
    {"tile_to_shape", "tile_to_shape(A, shape) or tile_to_shape(A, shape, order)", "A repeated until the shape is full",
     2, 3, tileToShapeCall, true},
    {"filter", "filter(L)", "without stride-0 modes, coalesced", 1, 1, unaryOfAny<cute::filter, cute::filter>, true},
    {"filter_zeros", "filter_zeros(L)", "stride-0 modes get extent 1", 1, 1,
     unaryOfAny<cute::filterZeros, cute::filterZeros>, true},
    {"nullspace", "nullspace(L)", "the stride-0 modes as a layout: L(R(i)) = 0", 1, 1, ofInner<cute::nullspace>, true},
    {"flatten", "flatten(L)", "all leaves in one level", 1, 1, flattenCall, true},
    {"group", "group(L, begin, end)", "modes [begin, end) become one", 1, 3, groupCall, true},
    {"select", "select(L, 1, 3)", "these modes", 1, 64, selectCall, true},
    {"take", "take(L, begin, end)", "modes [begin, end)", 1, 3, takeCall, true},
    {"append", "append(L, M)", "M as one more mode at the end", 2, 2, appendCall, true},
    {"prepend", "prepend(L, M)", "M as one more mode in front", 2, 2, prependCall, true},
    {"slice", "slice((0,_,1), L)", "the modes under `_`; the offset is L of the rest", 2, 2, sliceCall, true},
    {"dice", "dice((0,_,1), L)", "the modes not under `_`", 2, 2, diceCall, true},
    {"slice_and_offset", "slice_and_offset((0,_,1), L)", "the slice and where it begins", 2, 2, sliceAndOffsetCall},
    {"upcast", "upcast(L, n)", "elements become n times bigger", 1, 2,
     castCall<cute::upcast, cute::upcast, cute::upcast>, true},
    {"downcast", "downcast(L, n)", "elements become n times smaller", 1, 2,
     castCall<cute::downcast, cute::downcast, cute::downcast>, true},
    {"recast_layout", "recast_layout(L, old_bits, new_bits)", "the same memory in elements of another width", 1, 3,
     recastCall, true},
    {"recast", "recast(L, old_bits, new_bits)", "the same memory in elements of another width", 1, 3, recastCall, true},
    {"as_position_independent_swizzle_layout", "as_position_independent_swizzle_layout(L)",
     "the smem_ptr form on element indices", 1, 1, positionIndependent, true},
    {"max_common_vector", "max_common_vector(A, B)", "how many elements both keep together", 2, 2, commonVector},
    {"max_common_layout", "max_common_layout(A, B)", "those elements as a layout", 2, 2, commonLayout, true},
    {"max_alignment", "max_alignment(L)", "the largest n whose vectors stay whole and aligned", 1, 1, alignment},
    {"make_layout_left", "make_layout_left(shape)", "compact, mode 0 fastest", 1, 1, makeLeft},
    {"make_layout_right", "make_layout_right(shape)", "compact, the last mode fastest", 1, 1, makeRight},
    {"make_ordered_layout", "make_ordered_layout(shape, order)", "compact, the smallest order fastest", 2, 2,
     makeOrdered},
    {"make_layout_like", "make_layout_like(L)", "L's shape, compact in the order of its strides", 1, 1,
     unary<cute::makeLayoutLike>},
    {"make_fragment_like", "make_fragment_like(L)", "registers for L: mode 0 contiguous", 1, 1,
     ofInner<cute::makeFragmentLike>},
    {"make_identity_layout", "make_identity_layout(shape)", "every coordinate to itself", 1, 1, makeIdentity},
    {"domain_distribute", "domain_distribute(shape, n)", "n elements spread over the modes of the shape", 2, 2,
     distribute},
});

}  // namespace

std::span<const Function> cuteAlgebraFunctions() { return kFunctions; }

Result<Value> sliceValue(const Value& function, const cute::IntTuple& coord) {
  if (const auto* composed = as<cute::ComposedLayout>(function)) {
    TESSERA_TRY(cute::ComposedSlice cut, sliceAndOffset(coord, *composed));
    return std::visit([](auto& layout) { return Value(std::move(layout)); }, cut.layout);
  }
  if (const auto* layout = as<cute::Layout>(function)) return wrapped(slice(coord, *layout));
  if (const auto* tla = as<tla::Layout>(function)) return wrapped(slice(coord, tla->layout()));
  const auto* other = std::get_if<Layout>(&function);
  if (other != nullptr && !is<cute::Swizzle>(function)) {  // a layout of another notation: its CuTe layout
    TESSERA_TRY(Layout cute, toCute(*other));
    return sliceValue(Value(std::move(cute)), coord);
  }
  return Diag{fmt::format("{} cannot be sliced", nounOf(function)), "a layout before (_, ...)", "", {}};
}

std::optional<i64> sliceOffset(const Value& function, const cute::IntTuple& coord) {
  if (const auto* composed = as<cute::ComposedLayout>(function)) {
    if (const auto cut = sliceAndOffset(coord, *composed)) return cut->offset;
    return std::nullopt;
  }
  const auto* layout = as<cute::Layout>(function);
  if (const auto* tla = as<tla::Layout>(function)) layout = &tla->layout();
  if (layout == nullptr) return std::nullopt;
  if (const auto cut = sliceAndOffset(coord, *layout)) return cut->second;
  return std::nullopt;
}

Result<Value> compositionOf(const Value& outer, const Value& inner) {
  const auto* a = as<cute::Layout>(outer);
  if (const auto* tla = as<tla::Layout>(outer)) a = &tla->layout();
  const auto* composed = as<cute::ComposedLayout>(outer);
  if (const auto* b = as<cute::ComposedLayout>(inner); b != nullptr && (a != nullptr || composed != nullptr)) {
    return decayed(a != nullptr ? composition(*a, *b) : composition(*composed, *b));
  }
  if (const auto* b = as<cute::Swizzle>(inner); b != nullptr && a != nullptr) return decayed(composition(*a, *b));
  const auto* b = as<cute::Layout>(inner);
  if (const auto* tla = as<tla::Layout>(inner)) b = &tla->layout();
  if (b == nullptr) {
    return Diag{
        fmt::format("{} o {}: the layout that is applied first must be a plain one", nounOf(outer), nounOf(inner)),
        "shape:stride on the right",
        "",
        {}};
  }
  if (composed != nullptr) return wrapped(composition(*composed, *b));
  if (a == nullptr) {
    return Diag{
        fmt::format("{} cannot be composed with a layout", nounOf(outer)), "a layout or a swizzle on the left", "", {}};
  }
  return wrapped(composition(*a, *b));
}

}  // namespace tessera
