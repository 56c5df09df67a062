// CuTe's layout algebra: one row each, over plain layouts, composed layouts, and by-mode tilers; and the application,
// slices and composition of CuTe's functions, to which layouts of other notations are converted.
#include <fmt/format.h>

#include <array>

#include "core/notation/convert.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/algebra/composed.h"
#include "core/notation/cute/algebra/composition.h"
#include "core/notation/cute/algebra/divide.h"
#include "core/notation/cute/algebra/inverse.h"
#include "core/notation/cute/algebra/modes.h"
#include "core/notation/cute/algebra/vector.h"
#include "core/worksheet/functions/calls.h"
#include "core/worksheet/functions/tiled_values.h"

namespace tessera {
namespace {

// With an identity swizzle and no offset, the layout alone, as in CuTe's composition(Swizzle<0,M,S>, 0, L).
Result<Value> decayed(Result<cute::ComposedLayout> result) {
  if (!result) return result.error();
  const bool idle = result->swizzle() != nullptr && result->swizzle()->isIdentity();
  const bool bare = result->engine().kind == cute::Engine::Kind::None && result->offset() == cute::IntTuple(0);
  if (idle && bare) return Value(result->inner());
  return Value(*std::move(result));
}
Result<Value> decayed(Result<cute::Layout> result) { return wrapped(std::move(result)); }

const cute::ComposedLayout* composedAt(const Call& c, std::size_t k) { return as<cute::ComposedLayout>(c[k]); }

// f of argument k, a composed layout or a plain one.
template <typename F>
Result<Value> onLayout(const Call& c, std::size_t k, F f) {
  if (const cute::ComposedLayout* composed = composedAt(c, k)) return f(*composed);
  TESSERA_TRY(const cute::Layout plain, c.layout(k));
  return f(plain);
}

// f of argument 0; of a composed layout, f of its inner layout, and the outer function and the offset stay.
template <typename F>
Result<Value> onInner(const Call& c, F f) {
  if (const cute::ComposedLayout* composed = composedAt(c, 0))
    return wrapped(withInner(*composed, f(composed->inner())));
  TESSERA_TRY(const cute::Layout plain, c.layout(0));
  return wrapped(f(plain));
}

// ---- one layout -> one layout ----

template <Result<cute::Layout> (*Operation)(const cute::Layout&)>
Result<Value> innerOf(const Call& c) {
  return onInner(c, Operation);
}

template <auto Operation>
Result<Value> inverseOf(const Call& c) {
  return onLayout(c, 0, [](const auto& a) { return decayed(Operation(a)); });
}

// Operations that a swizzle does not affect: it is injective, and registers are not swizzled.
template <Result<cute::Layout> (*Operation)(const cute::Layout&)>
Result<Value> ofInner(const Call& c) {
  const cute::ComposedLayout* a = composedAt(c, 0);
  if (a == nullptr || a->outerLayout() != nullptr) return typed<kWholeCall, Operation>(c);
  return wrapped(Operation(a->inner()));
}

Result<Value> coalesceCall(const Call& c) {
  return onInner(c, [&c](const cute::Layout& a) -> Result<cute::Layout> {
    if (c.count() == 1) return coalesce(a);
    TESSERA_TRY(const cute::IntTuple profile, c.tuple(1));
    return coalesce(a, profile);
  });
}

Result<Value> flattenCall(const Call& c) {
  if (isTupleLike(c[0])) {
    TESSERA_TRY(const cute::IntTuple t, c.tuple(0));
    return normalised(flatten(t));
  }
  return onInner(c, [](const cute::Layout& a) { return flatten(a); });
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

template <auto Operation>
Result<Value> binary(const Call& c) {
  return onInner(c, [&c](const cute::Layout& a) -> Result<cute::Layout> {
    if (isTilerLike(c[1])) {
      TESSERA_TRY(const cute::Tiler b, c.tiler(1));
      return Operation(a, b);
    }
    TESSERA_TRY(const cute::Layout b, c.layout(1));
    return Operation(a, b);
  });
}

Result<Value> logicalProductCall(const Call& c) {
  const cute::ComposedLayout* tiler = composedAt(c, 1);
  if (tiler == nullptr || composedAt(c, 0) != nullptr)
    return binary<[](const auto& a, const auto& b) { return logicalProduct(a, b); }>(c);
  TESSERA_TRY(const cute::Layout a, c.layout(0));
  return decayed(logicalProduct(a, *tiler));
}

// The second operand is a layout.
template <auto Operation>
Result<Value> withLayout(const Call& c) {
  return onInner(c, [&c](const cute::Layout& a) -> Result<cute::Layout> {
    TESSERA_TRY(const cute::Layout b, c.layout(1));
    return Operation(a, b);
  });
}

Diag notComposable(std::string_view noun) {
  return Diag{fmt::format("{} cannot be composed with a layout", noun), "a layout or a swizzle on the left"};
}

Result<Value> compositionCall(const Call& c) {
  if (c.count() > 2) {  // L.compose(B0, B1)
    Call inner = c, whole = c;
    inner.args.erase(inner.args.begin());
    TESSERA_TRY(Value tiler, tileCall(inner));
    whole.args.resize(2);
    whole.args[1].value = std::move(tiler);
    return compositionCall(whole);
  }
  constexpr auto kComposition = [](const auto& a, const auto& b) { return composition(a, b); };
  if (isTilerLike(c[1])) return binary<kComposition>(c);
  if (!isTupleLike(c[0]) && !isTupleLike(c[1])) return composeValues(c[0], c[1]);
  TESSERA_TRY(const cute::Layout b, c.layout(1));
  if (!isTupleLike(c[0]) && !c.isLayoutLike(0) && composedAt(c, 0) == nullptr) return notComposable(nounOf(c[0]));
  return onInner(c, [&b](const cute::Layout& a) { return composition(a, b); });
}

Result<Value> tileToShapeCall(const Call& c) {
  TESSERA_TRY(const cute::IntTuple shape, c.tuple(1));
  cute::IntTuple order;
  if (c.count() == 3) {
    TESSERA_TRY(order, c.tuple(2));
  }
  return onInner(c, [&](const cute::Layout& a) { return tileToShape(a, shape, order); });
}

// ---- structure: f<0,2>(L) and f(L, 0, 2) ----

Result<std::pair<i64, i64>> range(const Call& c) {
  TESSERA_TRY(const std::vector<i64> n, c.numbers(1));
  if (n.size() == 2) return std::pair<i64, i64>(n[0], n[1]);
  return Diag{fmt::format("{} takes the first mode and the one after the last", c.function),
              fmt::format("{}(L, 0, 2)", c.function)};
}

// f of argument 0: a tuple, or a layout as in onInner.
template <typename F>
Result<Value> onTupleOrInner(const Call& c, F f) {
  if (!isTupleLike(c[0])) return onInner(c, f);
  TESSERA_TRY(const cute::IntTuple t, c.tuple(0));
  return wrapped(f(t));
}
template <auto Operation>
Result<Value> ofRange(const Call& c) {
  TESSERA_TRY(const auto r, range(c));
  return onTupleOrInner(c, [&r](const auto& a) { return Operation(a, r.first, r.second); });
}
Result<Value> selectCall(const Call& c) {
  TESSERA_TRY(const std::vector<i64> modes, c.numbers(1));
  if (modes.empty()) return Diag{"select takes the modes to keep", "select(L, 1, 3)"};
  return onTupleOrInner(c, [&modes](const auto& a) { return select(a, modes); });
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

// ---- element widths: upcast(L, 4) and upcast<4>(L) ----

template <auto Operation>
Result<Value> castCall(const Call& c) {
  TESSERA_TRY(const std::vector<i64> n, c.numbers(1));
  if (n.size() != 1) return Diag{fmt::format("{} takes one factor", c.function), fmt::format("{}(L, 4)", c.function)};
  if (const auto* s = as<cute::Swizzle>(c[0])) return wrapped(Operation(*s, n[0]));
  return onLayout(c, 0, [&n](const auto& a) { return wrapped(Operation(a, n[0])); });
}
Result<Value> recastCall(const Call& c) {
  TESSERA_TRY(const std::vector<i64> n, c.numbers(1));
  if (n.size() != 2)
    return Diag{fmt::format("{} takes the old and the new bits", c.function), "recast_layout(L, 32, 8)"};
  return onLayout(c, 0, [&n](const auto& a) { return wrapped(recastLayout(a, n[0], n[1])); });
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
  if ((a == nullptr) == (b == nullptr)) {
    TESSERA_TRY(const cute::Layout x, c.layout(0));
    TESSERA_TRY(const cute::Layout y, c.layout(1));
    return wrapped(maxCommonLayout(x, y));
  }
  TESSERA_TRY(const cute::Layout plain, c.layout(a != nullptr ? 1 : 0));
  return wrapped(maxCommonLayout(a != nullptr ? *a : *b, plain));
}

constexpr auto kFunctions = std::to_array<Function>({
    {"coalesce", "coalesce(L) or coalesce(L, profile)", "the same function with the fewest modes", 1, 2, coalesceCall,
     true},
    {"composition", "composition(A, B) or composition(A, <B0, B1>)", "R(c) = A(B(c))", 2, 64, compositionCall, true},
    {"complement", "complement(A, n)", "the layout that fills the gaps of A in [0, n)", 1, 2, complementCall, true},
    {"right_inverse", "right_inverse(L)", "L(R(i)) = i", 1, 1, inverseOf<[](const auto& a) { return rightInverse(a); }>,
     true},
    {"left_inverse", "left_inverse(L)", "R(L(i)) = i", 1, 1, inverseOf<[](const auto& a) { return leftInverse(a); }>,
     true},
    {"logical_divide", "logical_divide(A, B)", "(tile, rest): A divided into tiles of B", 2, 2,
     binary<[](const auto& a, const auto& b) { return logicalDivide(a, b); }>, true},
    {"zipped_divide", "zipped_divide(A, B)", "((tile modes), (rest modes))", 2, 2,
     binary<[](const auto& a, const auto& b) { return zippedDivide(a, b); }>, true},
    {"tiled_divide", "tiled_divide(A, B)", "((tile modes), rest0, rest1, ...)", 2, 2,
     binary<[](const auto& a, const auto& b) { return tiledDivide(a, b); }>, true},
    {"flat_divide", "flat_divide(A, B)", "(tile0, tile1, ..., rest0, rest1, ...)", 2, 2,
     binary<[](const auto& a, const auto& b) { return flatDivide(a, b); }>, true},
    {"logical_product", "logical_product(A, B)", "(A, copies of A arranged as B)", 2, 2, logicalProductCall, true},
    {"zipped_product", "zipped_product(A, B)", "((A modes), (copy modes))", 2, 2,
     binary<[](const auto& a, const auto& b) { return zippedProduct(a, b); }>, true},
    {"tiled_product", "tiled_product(A, B)", "((A modes), copy0, copy1, ...)", 2, 2,
     binary<[](const auto& a, const auto& b) { return tiledProduct(a, b); }>, true},
    {"flat_product", "flat_product(A, B)", "(A0, A1, ..., copy0, copy1, ...)", 2, 2,
     binary<[](const auto& a, const auto& b) { return flatProduct(a, b); }>, true},
    {"blocked_product", "blocked_product(A, B)", "copies of block A side by side, arranged as B", 2, 2,
     withLayout<cute::blockedProduct>, true},
    {"raked_product", "raked_product(A, B)", "copies of block A interleaved, arranged as B", 2, 2,
     withLayout<cute::rakedProduct>, true},
    {"tile_to_shape", "tile_to_shape(A, shape) or tile_to_shape(A, shape, order)", "A repeated to fill the shape", 2, 3,
     tileToShapeCall, true},
    {"filter", "filter(L)", "without stride-0 modes, coalesced", 1, 1, innerOf<cute::filter>, true},
    {"filter_zeros", "filter_zeros(L)", "stride-0 modes get extent 1", 1, 1, innerOf<cute::filterZeros>, true},
    {"nullspace", "nullspace(L)", "the stride-0 modes as a layout: L(R(i)) = 0", 1, 1, ofInner<cute::nullspace>, true},
    {"flatten", "flatten(L)", "all leaves in one level", 1, 1, flattenCall, true},
    {"group", "group(L, begin, end)", "modes [begin, end) become one", 1, 3,
     ofRange<[](const auto& a, i64 begin, i64 end) { return group(a, begin, end); }>, true},
    {"group_modes", "group_modes<0,2>(L)", "modes [0, 2) become one", 1, 3,
     ofRange<[](const auto& a, i64 begin, i64 end) { return group(a, begin, end); }>, true},
    {"select", "select(L, 1, 3)", "the given modes, in this order", 1, 64, selectCall, true},
    {"take", "take(L, begin, end)", "modes [begin, end)", 1, 3,
     ofRange<[](const auto& a, i64 begin, i64 end) { return take(a, begin, end); }>, true},
    {"append", "append(L, M)", "L with M as its last mode", 2, 2, withLayout<cute::append>, true},
    {"prepend", "prepend(L, M)", "L with M as its first mode", 2, 2, withLayout<cute::prepend>, true},
    {"slice", "slice((0,_,1), L)", "the modes under `_`; the offset is L of the rest", 2, 2, sliceCall, true},
    {"dice", "dice((0,_,1), L)", "the modes not under `_`", 2, 2,
     typed<kWholeCall, [](const cute::IntTuple& coord, const cute::Layout& a) { return dice(coord, a); }>, true},
    {"slice_and_offset", "slice_and_offset((0,_,1), L)", "the slice and its offset", 2, 2, sliceAndOffsetCall},
    {"upcast", "upcast(L, n)", "the layout in elements n times as wide", 1, 2,
     castCall<[](const auto& a, i64 n) { return upcast(a, n); }>, true},
    {"downcast", "downcast(L, n)", "the layout in elements n times narrower", 1, 2,
     castCall<[](const auto& a, i64 n) { return downcast(a, n); }>, true},
    {"recast_layout", "recast_layout(L, old_bits, new_bits)", "the same memory in elements of another width", 1, 3,
     recastCall, true},
    {"recast", "recast(L, old_bits, new_bits)", "the same memory in elements of another width", 1, 3, recastCall, true},
    {"as_position_independent_swizzle_layout", "as_position_independent_swizzle_layout(L)",
     "the smem_ptr form on element indices", 1, 1, positionIndependent, true},
    {"max_common_vector", "max_common_vector(A, B)", "the number of elements that are contiguous in both", 2, 2,
     commonVector},
    {"max_common_layout", "max_common_layout(A, B)", "those elements as a layout", 2, 2, commonLayout, true},
    {"max_alignment", "max_alignment(L)", "the largest n for which vectors of n elements stay contiguous and aligned",
     1, 1, [](const Call& c) { return onLayout(c, 0, [](const auto& a) { return wrapped(maxAlignment(a)); }); }},
    {"make_layout_left", "make_layout_left(shape)", "compact, mode 0 fastest", 1, 1,
     typed<kWholeCall, cute::makeLayoutLeft>},
    {"make_layout_right", "make_layout_right(shape)", "compact, the last mode fastest", 1, 1,
     typed<kWholeCall, cute::makeLayoutRight>},
    {"make_ordered_layout", "make_ordered_layout(shape, order)", "compact, the smallest order fastest", 2, 2,
     typed<kWholeCall, cute::makeOrderedLayout>},
    {"make_layout_like", "make_layout_like(L)", "L's shape, compact in the order of its strides", 1, 1,
     typed<kWholeCall, cute::makeLayoutLike>},
    {"make_fragment_like", "make_fragment_like(L)", "registers for L: mode 0 contiguous", 1, 1,
     ofInner<cute::makeFragmentLike>},
    {"make_identity_layout", "make_identity_layout(shape)", "every coordinate to itself", 1, 1,
     typed<kWholeCall, cute::makeIdentityLayout>},
    {"domain_distribute", "domain_distribute(shape, n)", "n elements spread over the modes of the shape", 2, 2,
     typed<kWholeCall, cute::domainDistribute>},
});

}  // namespace

std::span<const Function> cuteAlgebraFunctions() { return kFunctions; }

namespace {

// One of CuTe's functions, or of another notation the layout that it is; else no function, which no operation takes.
struct Other {};
struct Operand {
  std::variant<Other, cute::Layout, cute::ComposedLayout, cute::Swizzle> function;
  std::string_view noun;  // for messages; lives as long as the program
};
Result<Operand> operandOf(const Value& value) {
  const auto* layout = std::get_if<Layout>(&value);
  if (layout == nullptr) return Operand{Other{}, nounOf(value)};
  if (const auto* swizzle = layout->as<cute::Swizzle>()) return Operand{*swizzle, layout->noun()};
  TESSERA_TRY(const Layout cute, toCute(*layout));
  const std::string_view noun = cute.family() == layout->family() ? layout->noun() : cute.noun();
  if (const auto* composed = cute.as<cute::ComposedLayout>()) return Operand{*composed, noun};
  return Operand{*cute.as<cute::Layout>(), noun};
}

Diag notAtTheEnd(std::string_view noun) {
  return Diag{fmt::format("{} cannot be at the end of a composed layout", noun), "S o offset o L with a layout L"};
}

// Compose{..}(A, B) is A o B; the last three refuse what no other takes.
struct Compose {
  std::string_view outer, inner;  // nouns

  Result<Value> operator()(const cute::Swizzle& a, const cute::Swizzle& b) const { return wrapped(compose(a, b)); }
  Result<Value> operator()(const cute::Swizzle& a, const cute::Layout& b) const {
    return wrapped(cute::ComposedLayout::make(a, 0, b));
  }
  Result<Value> operator()(const cute::Swizzle& a, const cute::ComposedLayout& b) const {
    if (b.swizzle() == nullptr || b.engine() != cute::Engine{}) return notAtTheEnd(inner);
    TESSERA_TRY(const cute::Swizzle both, compose(a, *b.swizzle()));
    return wrapped(cute::ComposedLayout::make(both, b.offset(), b.inner()));
  }
  Result<Value> operator()(const cute::Layout& a, const cute::Layout& b) const { return wrapped(composition(a, b)); }
  Result<Value> operator()(const cute::ComposedLayout& a, const cute::Layout& b) const {
    return wrapped(composition(a, b));
  }
  Result<Value> operator()(const cute::Layout& a, const cute::ComposedLayout& b) const {
    return decayed(composition(a, b));
  }
  Result<Value> operator()(const cute::ComposedLayout& a, const cute::ComposedLayout& b) const {
    return decayed(composition(a, b));
  }
  Result<Value> operator()(const cute::Layout& a, const cute::Swizzle& b) const { return decayed(composition(a, b)); }
  Result<Value> operator()(const cute::Swizzle&, const Other&) const { return notAtTheEnd(inner); }
  Result<Value> operator()(const Other&, const cute::Layout&) const { return notComposable(outer); }
  template <typename A, typename B>
  Result<Value> operator()(const A&, const B&) const {
    return Diag{fmt::format("{} o {}: the layout that is applied first must be plain", outer, inner),
                "shape:stride on the right"};
  }
};

// Whether a slice of it begins where the slice does: a tensor that counts, and one of coordinates.
bool keepsStart(const cute::ComposedLayout& layout) {
  const cute::Engine::Kind kind = layout.engine().kind;
  return layout.isTensor() && (kind == cute::Engine::Kind::Counting || kind == cute::Engine::Kind::Arith);
}

struct Slice {
  const cute::IntTuple& coord;
  std::string_view noun;

  Result<Value> operator()(const cute::Layout& layout) const { return wrapped(slice(coord, layout)); }
  Result<Value> operator()(const cute::ComposedLayout& composed) const {
    if (keepsStart(composed)) {
      TESSERA_TRY(const cute::Tensor tensor, cute::tensorOf(composed));
      return valueOfTensor(tensor, slice(coord, tensor));
    }
    TESSERA_TRY(cute::ComposedSlice cut, sliceAndOffset(coord, composed));
    return std::visit([](auto& layout) { return Value(std::move(layout)); }, cut.layout);
  }
  template <typename T>
  Result<Value> operator()(const T&) const {
    return Diag{fmt::format("{} cannot be sliced", noun), "a layout before (_, ...)"};
  }
};

struct SliceOffset {
  const cute::IntTuple& coord;

  std::optional<i64> operator()(const cute::Layout& layout) const {
    const auto cut = sliceAndOffset(coord, layout);
    return cut ? std::optional(cut->second) : std::nullopt;
  }
  std::optional<i64> operator()(const cute::ComposedLayout& composed) const {
    if (keepsStart(composed)) return std::nullopt;
    const auto cut = sliceAndOffset(coord, composed);
    return cut ? std::optional(cut->offset) : std::nullopt;
  }
  template <typename T>
  std::optional<i64> operator()(const T&) const {
    return std::nullopt;
  }
};

struct Apply {
  const cute::IntTuple& coord;

  Result<Value> operator()(const Other&) const { return Value(coord); }  // a layout is never one
  Result<Value> operator()(const cute::Swizzle& swizzle) const {
    const cute::IntTuple x = unwrapped(coord);
    if (!x.isPlain()) return Diag{fmt::format("a swizzle takes one integer, not {}", print(coord)), "Sw<3,4,3>(16)"};
    return Value(swizzle(x.value()));
  }
  template <typename T>
  Result<Value> operator()(const T& layout) const {
    return valued(layout.crd2idx(coord));
  }
};

}  // namespace

std::optional<Result<Value>> applyCute(const Layout& layout, const cute::IntTuple& coord) {
  TESSERA_TRY(const Operand operand, operandOf(layout));
  return std::visit(Apply{coord}, operand.function);
}

Result<Value> sliceValue(const Value& function, const cute::IntTuple& coord) {
  TESSERA_TRY(const Operand operand, operandOf(function));
  return std::visit(Slice{coord, operand.noun}, operand.function);
}

std::optional<i64> sliceOffset(const Value& function, const cute::IntTuple& coord) {
  const auto* layout = std::get_if<Layout>(&function);
  if (layout == nullptr || layout->family() != NotationOf<cute::Layout>::kFamily) return std::nullopt;
  const Result<Operand> operand = operandOf(function);
  return operand ? std::visit(SliceOffset{coord}, operand->function) : std::nullopt;
}

Result<Value> composeCute(const Value& outer, const Value& inner) {
  TESSERA_TRY(const Operand a, operandOf(outer));
  TESSERA_TRY(const Operand b, operandOf(inner));
  return std::visit(Compose{a.noun, b.noun}, a.function, b.function);
}

Result<Value> composeWithOffset(const Value& outer, const Value& offset, const Value& inner) {
  const auto* last = std::get_if<Layout>(&inner);
  const Layout layout = last == nullptr ? Layout(cute::Swizzle()) : last->underlying();
  const auto* plain = layout.as<cute::Layout>();
  if (plain == nullptr) return notAtTheEnd(nounOf(inner));
  const cute::IntTuple shift = tupleIn(offset).value();
  if (const auto* a = as<cute::Swizzle>(outer)) return wrapped(cute::ComposedLayout::make(*a, shift, *plain));
  if (const auto* a = as<cute::Layout>(outer)) return wrapped(cute::ComposedLayout::make(*a, shift, *plain));
  return Diag{fmt::format("{} cannot come before an offset", nounOf(outer)),
              "S o offset o L with a swizzle or a layout S"};
}

}  // namespace tessera
