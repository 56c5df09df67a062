// Axe layouts and device meshes: forward, backward, the algebra, translation.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/atlas/atlas.h"
#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/axes.h"
#include "core/notation/axe/eval.h"
#include "core/notation/convert.h"
#include "core/worksheet/functions/calls.h"

namespace tessera {

Result<axe::Layout> axeOf(const Call& c, std::size_t k) {
  if (const Layout* layout = heldLayout(c[k])) return c.at(k, toAxe(*layout));
  return c.at(k,
              Diag{fmt::format("{} is not an Axe layout", nounOf(c[k])), "S[extents:strides@axes] + R[..] + offset"});
}
template <>
constexpr auto kReader<bool> =
    [](const Call& c, std::size_t k) { return held<bool>(c, k, "true (make X canonical first) or false"); };

std::optional<Result<Value>> applyAxe(const Layout& layout, const cute::IntTuple& coord) {
  TESSERA_TRY(const Arrow arrow, layout.arrow());
  const auto* axe = layout.as<axe::Layout>();
  if (axe == nullptr || arrow.to.kind == SpaceKind::Memory) return std::nullopt;
  TESSERA_TRY(const std::vector<i64> point, pointOf(coord));
  const axe::Layout unbound = axe->withoutShape();
  TESSERA_TRY(std::vector<axe::Place> places,
              point.size() == 1 ? forward(unbound, point) : forward(unbound, axe::naturalShape(*axe), point));
  return Value(axe::Places{std::move(places)});
}

std::optional<Result<Value>> composeAxe(const Value& outer, const Value& inner) {
  const auto* a = as<cute::Swizzle>(outer);
  const auto* axe = as<axe::Layout>(inner);
  if (a == nullptr || axe == nullptr) return std::nullopt;
  if (a->onBytes()) {
    return Diag{fmt::format("{} acts on bytes, but this layout counts elements", print(*a)), "the element type",
                fmt::format("({} over f16) o {}", print(*a), print(inner))};
  }
  // Sw<B,M,S>: a negative S moves bits up, TVM's outer form
  TESSERA_TRY(const axe::Swizzle swizzle,
              axe::Swizzle::create(a->base(), a->bits(), std::abs(a->shift()), a->shift() >= 0));
  return wrapped(axe::Composed::create(swizzle, *axe));
}

namespace {

using Ints = std::vector<i64>;

bool hasBases(const Value& value) { return is<linear::Layout>(value) || is<triton::Layout>(value); }

// The shape of a coordinate: argument k if `given`, else the bound shape.
Result<Ints> shapeOf(const Call& c, bool given, std::size_t k, const axe::Layout& layout) {
  return given ? c.integers(k) : layout.domain();
}

// The layout of f(X, shape, ...), or f(X, ...) with the bound shape; the last argument is a third one.
struct Shaped {
  axe::Layout layout;
  Ints shape;
};
Result<Shaped> shapedOf(const Call& c) {
  TESSERA_TRY(axe::Layout layout, axeOf(c, 0));
  TESSERA_TRY(Ints shape, shapeOf(c, c.count() == 3, 1, layout));
  return Shaped{std::move(layout), std::move(shape)};
}

// The inputs of a linear layout that hold a coordinate, by exhaustive search.
Result<axe::Places> holders(const linear::Layout& linear, const Ints& coord) {
  if (linear.inBits() > 20) return Diag{"this layout has more than 2^20 inputs to search", "a smaller layout"};
  if (coord.size() != linear.outs().size()) {
    return Diag{fmt::format("the coordinate has {} numbers, but the tensor has {} dimensions", coord.size(),
                            linear.outs().size()),
                "one number for each dimension"};
  }
  for (std::size_t k = 0; k < coord.size(); ++k) {
    if (coord[k] < 0 || coord[k] >= linear.outs()[k].size) {
      return Diag{fmt::format("{} is outside [0, {})", coord[k], linear.outs()[k].size), "a coordinate inside"};
    }
  }
  axe::Places found;
  for (i64 n = 0; n < i64{1} << linear.inBits(); ++n) {
    Ints inputs;
    i64 rest = n;
    for (const linear::In& in : linear.ins()) {
      inputs.push_back(rest & ((i64{1} << in.bases.size()) - 1));
      rest >>= in.bases.size();
    }
    if (linear.at(inputs) != coord) continue;
    axe::Place place;
    for (std::size_t k = 0; k < inputs.size(); ++k) place[linear.ins()[k].name] = inputs[k];
    found.places.push_back(std::move(place));
  }
  std::ranges::sort(found.places);
  return found;
}

// The arrow of a layout whose notation has no forward and backward: not Axe's, and not bases that map offsets or
// registers to elements.
std::optional<Arrow> placedBy(const Value& value) {
  const auto* layout = std::get_if<Layout>(&value);
  if (layout == nullptr || is<axe::Layout>(value) || is<axe::Mesh>(value) || is<triton::Layout>(value))
    return std::nullopt;
  if (const auto* linear = as<linear::Layout>(value)) {
    const Result<Arrow> written = writtenArrow(*linear);
    if (!written || written->from.kind != SpaceKind::Elements) return std::nullopt;
  }
  const Result<Arrow>& arrow = layout->arrow();
  return arrow ? std::optional(*arrow) : std::nullopt;
}

// forward(X, shape, coordinate), forward(X, coordinate)
Result<Value> forwardCall(const Call& c) {
  const bool given = c.count() == 3;
  const std::size_t last = c.count() - 1;
  TESSERA_TRY(const Ints coord, c.integers(last));
  if (const auto* composed = as<axe::Composed>(c[0])) {
    TESSERA_TRY(const Ints shape, shapeOf(c, given, 1, composed->tile));
    TESSERA_TRY(const i64 address, c.at(last, addressOf(*composed, shape, coord)));
    return Value(axe::Places{{{{axe::kMemoryAxis, address}}}});
  }
  if (auto places = memdescPlaces(c[0], coord)) return valueOf(c, last, *std::move(places));
  if (const auto arrow = given ? std::nullopt : placedBy(c[0])) {
    if (auto places = forwardOf(*arrow, coord)) return valueOf(c, last, *std::move(places));
  }
  if (hasBases(c[0])) {
    TESSERA_TRY(const linear::Layout linear, linearOf(c, 0));
    return valueOf(c, last, holders(linear, coord));
  }
  TESSERA_TRY(const Shaped x, shapedOf(c));
  TESSERA_TRY(std::vector<axe::Place> places, c.at(last, forward(x.layout, x.shape, coord)));
  return Value(axe::Places{std::move(places)});
}

// backward(X, shape, place), backward(X, place); a number is a place on axis m.
Result<Value> backwardCall(const Call& c) {
  const bool given = c.count() == 3;
  const std::size_t last = c.count() - 1;
  axe::Place place;
  if (const auto* named = std::get_if<axe::Place>(&c[last])) {
    place = *named;
  } else {
    TESSERA_TRY(const i64 address, c.integer(last));
    place[axe::kMemoryAxis] = address;
  }
  if (const auto arrow = given ? std::nullopt : placedBy(c[0])) {
    if (auto coords = backwardOf(*arrow, place)) return valueOf(c, last, *std::move(coords));
  }
  if (hasBases(c[0])) {
    TESSERA_TRY(const linear::Layout linear, linearOf(c, 0));
    axe::Place known = place;  // a bare number is an address
    if (const auto address = known.extract(axe::kMemoryAxis)) known["offset"] = address.mapped();
    linear::NamedValues inputs(known.begin(), known.end());
    for (const linear::In& in : linear.ins()) {
      if (known.find(in.name) == known.end()) inputs.emplace_back(in.name, 0);
    }
    TESSERA_TRY(linear::NamedValues at, c.at(last, linear.apply(inputs)));
    Ints coord;
    for (const auto& [name, value] : at) coord.push_back(value);
    if (outsideOfView(c[0], coord)) return Value(axe::Coords{});
    return Value(axe::Coords{{std::move(coord)}});
  }
  TESSERA_TRY(const Shaped x, shapedOf(c));
  TESSERA_TRY(std::vector<Ints> coords, c.at(last, backward(x.layout, x.shape, place)));
  return Value(axe::Coords{std::move(coords)});
}

// group(X, (4,16)); group(X, (4,16), false) does not canonicalize X first.
Result<axe::Layout> grouped(const axe::Layout& layout, const Ints& shape, std::optional<bool> first) {
  TESSERA_TRY(axe::Grouping made, group(layout, shape, first.value_or(true)));
  return std::move(made.layout);
}

// The iters of each dimension: group_blocks(X, (4,16)) = 4:16@m | 16:1@m
Result<std::string> blocksOf(const axe::Layout& layout, const Ints& shape) {
  TESSERA_TRY(const axe::Grouping grouped, group(layout, shape));
  std::string out;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    std::string block;
    for (const axe::Iter& it : grouped.block(k)) {
      block += fmt::format("{}{}:{}@{}", block.empty() ? "" : ", ", it.extent, it.stride, it.axis);
    }
    out += (k == 0 ? "" : " | ") + (block.empty() ? std::string("1") : block);
  }
  return out;
}

Result<Value> permuteCall(const Call& c) {
  TESSERA_TRY(const Shaped x, shapedOf(c));
  TESSERA_TRY(const Ints order, c.integers(c.count() - 1));
  std::vector<std::size_t> positions;
  for (const i64 k : order) {
    if (k < 0 || k >= static_cast<i64>(x.shape.size())) {
      return c.at(c.count() - 1, Diag{fmt::format("there is no dimension {}", k), "each dimension once"});
    }
    positions.push_back(static_cast<std::size_t>(k));
  }
  return valueOf(c, c.count() - 1, permute(x.layout, x.shape, positions));
}

// slice(X, shape, ((2,3),(6,10))): [begin, end) per dimension.
Result<Value> sliceCall(const Call& c) {
  TESSERA_TRY(const Shaped x, shapedOf(c));
  TESSERA_TRY(const Ints ends, c.integers(c.count() - 1));
  if (ends.size() != 2 * x.shape.size()) {
    return c.at(c.count() - 1,
                Diag{fmt::format("the region has {} numbers, but there are {} dimensions", ends.size(), x.shape.size()),
                     "(begin,end) for each dimension: ((2,3),(6,10))"});
  }
  axe::Region region;
  for (std::size_t k = 0; k < x.shape.size(); ++k) region.emplace_back(ends[2 * k], ends[2 * k + 1]);
  return valueOf(c, c.count() - 1, slice(x.layout, x.shape, region));
}

using Binary = Result<axe::Layout> (*)(const axe::Layout&, const Ints&, const axe::Layout&, const Ints&);
// f(A, shapeA, B, shapeB), or f(A, B) with bound shapes.
template <Binary F>
Result<Value> binary(const Call& c) {
  if (c.count() == 3) return Diag{"a shape is missing", fmt::format("{}(A, shapeA, B, shapeB)", c.function)};
  const std::size_t second = c.count() == 4 ? 2 : 1;
  TESSERA_TRY(const axe::Layout a, axeOf(c, 0));
  TESSERA_TRY(const axe::Layout b, axeOf(c, second));
  TESSERA_TRY(const Ints shapeA, shapeOf(c, c.count() == 4, 1, a));
  TESSERA_TRY(const Ints shapeB, shapeOf(c, c.count() == 4, 3, b));
  return wrapped(F(a, shapeA, b, shapeB));
}

// size(X), size(X, lane)
Result<Value> sizeCall(const Call& c) {
  if (c.count() == 2 && is<i64>(c[1])) return sizeOf(c);  // of one mode
  if (const auto* mesh = as<axe::Mesh>(c[0])) {
    i64 size = 1;
    for (const i64 e : mesh->shape) size *= e;
    return Value(size);
  }
  if (const auto* composed = as<axe::Composed>(c[0])) return Value(composed->tile.size());
  if (hasBases(c[0])) {
    if (const auto elements = memdescSize(c[0]); elements && c.count() == 1) return Value(*elements);
    if (c.count() == 1) return sizeOf(c);  // number of elements, the product of shape(X)
    TESSERA_TRY(const linear::Layout linear, linearOf(c, 0));
    TESSERA_TRY(const std::string name, c.word(1));
    return Value(linear.hasOut(name) ? linear.outSize(name) : linear.inSize(name));
  }
  TESSERA_TRY(const axe::Layout layout, axeOf(c, 0));
  if (c.count() == 1) return Value(layout.size());
  TESSERA_TRY(const std::string axis, c.word(1));
  return Value(sizeOn(layout, axis));
}

// span(X, lane); span(X): the only axis, or all axes as a place.
Value spanOf(const axe::Layout& layout, const std::optional<std::string>& axis) {
  if (axis) return Value(span(layout, *axis));
  axe::Place spans;
  for (const std::string& each : layout.axes()) spans[each] = span(layout, each);
  return Value(std::move(spans));
}

template <Result<axe::Layout> (*F)(const axe::Layout&, i64)>
Result<Value> packing(const Call& c) {
  TESSERA_TRY(const i64 n, c.integer(1));
  if (const auto* composed = as<axe::Composed>(c[0])) {
    TESSERA_TRY(axe::Layout tile, c.at(0, F(composed->tile, n)));
    i64 shift = 0;
    while (i64{1} << (shift + 1) <= n) ++shift;
    if (i64{1} << shift != n) return c.at(1, Diag{"the swizzle needs a power of two", "1, 2, 4 ..."});
    axe::Swizzle s = composed->swizzle;
    const i64 perElement = F == axe::unpack ? s.perElement + shift : s.perElement - shift;
    TESSERA_TRY(const axe::Swizzle moved, axe::Swizzle::create(perElement, s.swizzleLen, s.atomLen, s.inner));
    return valueOf(c, 0, axe::Composed::create(moved, std::move(tile)));
  }
  TESSERA_TRY(const axe::Layout layout, axeOf(c, 0));
  return valueOf(c, 1, F(layout, n));
}

// X over f16: gives the element type. Only a swizzle on bytes needs it.
std::optional<Result<Value>> overType(const Call& c) {
  const auto* type = std::get_if<Text>(&c[1]);
  if (type == nullptr || c.count() != 2) return std::nullopt;
  const Result<int> bits = elementBits(type->text);
  if (!bits) return std::nullopt;
  const auto* layout = std::get_if<Layout>(&c[0]);
  auto typed = layout == nullptr ? std::nullopt : layout->withElements(*bits);
  if (!typed) return Result<Value>(c.wrong(0, "a layout of CuTe, S<3,4,3> o 0 o (8,64):(64,1) over f16"));
  return valueOf(c, 1, *std::move(typed));
}

// X over (8,16)
Result<Value> overCall(const Call& c) {
  if (auto typed = overType(c)) return *std::move(typed);
  if (isAccessLike(c)) return accessOverCall(c);
  if (const auto* access = std::get_if<Text>(&c[1]))
    return c.at(1, Diag{"the access must come first", "ACCESS over L", access->text + " over the layout"});
  if (c.count() > 2) return Diag{"X over (8,16) takes no type", "X over (8,16)", "", c.args[2].span};
  TESSERA_TRY(Ints shape, c.integers(1));
  if (const auto* axe = as<axe::Layout>(c[0])) return valueOf(c, 1, axe->over(std::move(shape)));
  if (const auto* composed = as<axe::Composed>(c[0])) {
    TESSERA_TRY(axe::Layout tile, c.at(1, composed->tile.over(std::move(shape))));
    return valueOf(c, 1, axe::Composed::create(composed->swizzle, std::move(tile)));
  }
  if (const auto* triton = as<triton::Layout>(c[0])) {
    for (const i64 extent : shape) {
      if (extent < 1) return c.at(1, Diag{fmt::format("the extent {} is not positive", extent), "extents > 0"});
    }
    triton::Layout bound;
    bound.encoding = triton->encoding;
    bound.shape = std::move(shape);
    if (std::holds_alternative<triton::MemorySpace>(bound.encoding->value)) {
      return c.at(0, Diag{"a memory space has no layout", "an attribute such as #ttg.blocked<{...}>"});
    }
    TESSERA_CHECKED(c.at(1, toLinear(bound)));
    return Value(std::move(bound));
  }
  return c.wrong(0, "an Axe layout or a Triton attribute");
}

// cute::Swizzle(per_element, swizzle_len, atom_len): TVM's argument order for CuTe's Sw<swizzle_len, per_element,
// atom_len>.
Result<cute::Swizzle> swizzleOf(const Call& c, i64 perElement, i64 length, i64 atom) {
  bool inner = true;
  if (c.count() == 4) {
    const auto* flag = std::get_if<bool>(&c[3]);
    const auto* word = std::get_if<Text>(&c[3]);
    inner = flag != nullptr ? *flag : word == nullptr || word->text != "outer";
  }
  TESSERA_CHECKED(axe::Swizzle::create(perElement, length, atom, inner));
  if (std::max({perElement, length, atom}) > 40) return Diag{"this swizzle is too wide", "numbers up to 40"};
  return c.at(0, cute::Swizzle::make(length, perElement, inner ? atom : -atom));
}

// shard((64,128), mesh (2,2):(1,2), S0, R); the last word may be `global` or `compact`: how a device stores its piece.
Result<Value> shardCall(const Call& c) {
  TESSERA_TRY(const Ints shape, c.integers(0));
  const auto* mesh = as<axe::Mesh>(c[1]);
  if (mesh == nullptr) return c.wrong(1, "mesh (2,2):(1,2)");
  std::vector<axe::Placement> placements;
  axe::ShardPitch pitch = axe::ShardPitch::Compact;
  for (std::size_t k = 2; k < c.count(); ++k) {
    TESSERA_TRY(const std::string word, c.word(k));
    if (k + 1 == c.count() && (word == "global" || word == "compact")) {
      pitch = word == "global" ? axe::ShardPitch::Global : axe::ShardPitch::Compact;
      continue;
    }
    Result<axe::Placement> placement = axe::parsePlacement(word);
    if (!placement) {
      placement.error().span = {};
      return c.at(k, placement.error());
    }
    placements.push_back(*placement);
  }
  TESSERA_TRY(const axe::Layout made, shard(shape, *mesh, placements, pitch));
  return Value(made.withoutShape());
}

// placements(X, shape, mesh): how each dimension was sharded.
Result<Value> placementsCall(const Call& c) {
  TESSERA_TRY(const axe::Layout layout, axeOf(c, 0));
  const std::size_t last = c.count() - 1;
  const auto* given = as<axe::Mesh>(c[last]);
  TESSERA_TRY(const Ints shape, shapeOf(c, c.count() == 3 || (c.count() == 2 && given == nullptr), 1, layout));
  axe::Mesh mesh;
  if (given != nullptr) {
    mesh = *given;
  } else {
    TESSERA_TRY(mesh, meshOf(layout));
  }
  TESSERA_TRY(const axe::Sharding found, c.at(0, placementsOf(layout, shape, mesh)));
  return Value(Text{print(found)});
}

Result<std::string> scopeText(const axe::Layout& layout) {
  TESSERA_TRY(const auto scope, scopeOf(layout));
  return scope ? fmt::format("({}, {})", scope->first, scope->second) : "none";
}
std::string checkText(const axe::Layout& layout) {
  std::string out;
  for (const axe::Check& check : axe::check(layout)) {
    out += fmt::format("{}{} {} {}: {}", out.empty() ? "" : "\n", check.id, check.subject,
                       check.holds ? "holds" : "FAILS", check.text);
  }
  return out;
}

Result<Value> toAxeCall(const Call& c) {
  if (c.count() == 2) {  // to_axe(L, axis): a CuTe layout on this axis
    const auto* layout = as<cute::Layout>(c[0]);
    if (layout == nullptr) return c.wrong(0, "a CuTe layout, when an axis is named");
    TESSERA_TRY(const std::string axis, c.word(1));
    TESSERA_TRY(axe::Layout axe, c.at(0, toAxe(*layout, axis)));
    TESSERA_TRY(Ints shape, axeShapeOf(*layout));
    return valueOf(c, 0, axe.over(std::move(shape)));
  }
  return wrapped(axeOf(c, 0));
}

constexpr unsigned kAll = ~0U;

constexpr auto kFunctions = std::to_array<Function>({
    {"forward", "forward(X, (8,16), (2,9))", "the places of this element, including replicas", 2, 3, forwardCall},
    {"backward", "backward(X, (8,16), {lane: 8, reg: 1})", "the coordinates at this place", 2, 3, backwardCall},
    {"over", "X over (8,16) or X over f16 or ACCESS over L, TYPE",
     "X with a logical shape, or with elements of a type; an access, an operand or a thread-value layout on the tile "
     "L: which lane holds which element",
     2, 3, overCall, false, 4, 0, 2},
    {"canonicalize", "canonicalize(X)", "the same function with the fewest iters", 1, 1, typed<0, axe::canonicalize>,
     true},
    {"group", "group(X, (4,16))", "one block of iters per dimension", 2, 3, typed<1, grouped>, true},
    {"group_blocks", "group_blocks(X, (4,16))", "the iters of each dimension", 2, 2, typed<1, blocksOf>},
    {"tile", "tile(A, shapeA, B, shapeB)", "a layout A of tiles B: f(x||y) = f_A(x) * span(B) + f_B(y)", 2, 4,
     binary<axe::tile>, true},
    {"direct_sum", "direct_sum(A, shapeA, B, shapeB)", "f(x||y) = f_A(x) + f_B(y)", 2, 4, binary<axe::directSum>, true},
    {"tile_outer_of", "tile_outer_of(T, shapeT, B, shapeB)", "the A with tile(A, B) == T", 2, 4,
     binary<axe::tileOuterOf>, true},
    {"tile_inner_of", "tile_inner_of(T, shapeT, A, shapeA)", "the B with tile(A, B) == T", 2, 4,
     binary<axe::tileInnerOf>, true},
    {"direct_sum_right_of", "direct_sum_right_of(S, shapeS, A, shapeA)", "the B with direct_sum(A, B) == S", 2, 4,
     binary<axe::directSumRightOf>, true},
    {"direct_sum_left_of", "direct_sum_left_of(S, shapeS, B, shapeB)", "the A with direct_sum(A, B) == S", 2, 4,
     binary<axe::directSumLeftOf>, true},
    {"slice", "slice(X, (16,16), ((2,3),(6,10)))", "the box [2,3) x [6,10) of X", 2, 3, sliceCall, true},
    {"permute", "permute(X, (8,16), (1,0))", "dimension order[k] becomes dimension k", 2, 3, permuteCall, true},
    {"size", "size(X) or size(X, lane)", "the number of elements; on an axis, the product of its shard extents", 1, 2,
     sizeCall, false, 2},
    {"span", "span(X, lane)", "1 + (largest - smallest value) on this axis", 1, 2, typed<kWholeCall, spanOf>, false, 2},
    {"pack", "pack(X, n)", "n adjacent elements become one", 2, 2, packing<axe::pack>, true},
    {"unpack", "unpack(X, n)", "each element becomes n smaller ones", 2, 2, packing<axe::unpack>, true},
    {"storage", "storage(X)", "the layout within one thread: without thread axes", 1, 1, typed<0, axe::storage>},
    {"fuse_threads", "fuse_threads(X)", "lane, warp ... as one thread axis", 1, 1, typed<0, axe::fuseThreads>},
    {"split_axis", "split_axis(X, tx, 32, warpid, laneid)", "one axis as two", 5, 5, typed<0, axe::splitAxis>, false,
     2 + 8 + 16},
    {"scope", "scope(X)", "(innermost, outermost) scope of the thread axes", 1, 1, typed<0, scopeText>},
    {"gap_condition", "gap_condition(X)", "replica digits are unique: E_k * s_k < s_{k+1} on each axis", 1, 1,
     typed<0, axe::gapCondition>},
    {"check", "check(X)", "the checks V1 to V7 of an Axe layout, with their numbers", 1, 1, typed<0, checkText>},
    {"shard", "shard((64,128), mesh (2,2):(1,2), S0, R)", "a tensor over devices: S0 cuts dimension 0, R copies", 2, 34,
     shardCall, false, kAll - 3},
    {"placements", "placements(X, (64,128), mesh (2,2))", "how X is sharded over the mesh", 1, 3, placementsCall},
    {"mesh_of", "mesh_of(X)", "the mesh of X's device axis", 1, 1, typed<0, axe::meshOf>},
    {"Swizzle", "Swizzle(per_element, swizzle_len, atom_len)", "TVM's order of Sw<swizzle_len, per_element, atom_len>",
     3, 4, typed<kWholeCall, swizzleOf>, false, 8},
    {"trainium", "trainium(FPF, (32,512,512))", "P: partition axis, F: free axis", 2, 2, typed<1, axe::trainium>, false,
     1},
    {"to_psum", "to_psum(X)", "free elements cut at 512 into Bank and F", 1, 1, typed<0, axe::toPsum>},
    {"paper_form", "paper_form(X)", "X as the paper writes it", 1, 1, typed<0, axe::printPaper>},
    {"article_form", "article_form(X)", "X as the source article prints it", 1, 1, typed<0, axe::printArticle>},
    {"to_axe", "to_axe(L) or to_axe(L, axis)", "L as an Axe layout", 1, 2, toAxeCall, false, 2},
});

}  // namespace

std::span<const Function> axeFunctions() { return kFunctions; }

}  // namespace tessera
