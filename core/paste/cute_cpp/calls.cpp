// Functions of CuTe: those on tuples and integers are computed, those on layouts become calls of the worksheet.
#include <algorithm>
#include <array>
#include <numeric>

#include "core/base/arith.h"
#include "core/paste/cute_cpp/reader.h"

namespace tessera::paste::cute_cpp {

namespace {

using Kind = Meaning::Kind;

bool isTupleLike(const Meaning& m) {
  return m.is(Kind::Tuple) || m.is(Kind::Number) || m.is(Kind::Leaf) || m.is(Kind::Type);
}

Result<Meaning> makeTuple(const Use& use) { return tuple(use.arguments); }

// A name for a function of the worksheet.
std::string_view worksheetName(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kOthers = {
      {{"group_modes", "group"},
       {"make_identity_tensor", "make_identity_layout"},
       {"make_rmem_tensor_like", "make_fragment_like"},
       {"make_tensor_like", "make_layout_like"},
       {"left_inverse", "left_inverse"},
       {"filter_tuple", "filter"},
       {"unflatten", "unflatten"}}};
  for (const auto& [other, known] : kOthers)
    if (name == other) return known;
  return name;
}

// Of tuples the result is a tuple or an integer, whose value later lines need.
Result<Meaning> onLayout(const Use& use) {
  if (use.arguments.empty()) return use.wrong("a layout");
  Meaning out = applied(worksheetName(use.name), use);
  if (std::all_of(use.arguments.begin(), use.arguments.end(), isTupleLike)) return use.reader.evaluated(out.text);
  return out;
}

// Like onLayout, but the result is an integer or a tuple.
Result<Meaning> measuredNow(const Use& use) { return use.reader.evaluated(applied(worksheetName(use.name), use).text); }

// The part that get<1, 0> selects.
Result<Meaning> selected(const Use& use, const Meaning& from, const std::vector<Meaning>& path) {
  Meaning at = from;
  for (const Meaning& index : path) {
    if (!index.is(Kind::Number)) return use.wrong("an index");
    if (!at.is(Kind::Tuple) && index.number == 0) continue;
    if (!at.is(Kind::Tuple) || index.number < 0 || index.number >= static_cast<i64>(at.parts.size()))
      return Diag{"mode " + std::to_string(index.number) + " of " + written(at) + " does not exist", {}, {}, use.span};
    Meaning part = at.parts[static_cast<std::size_t>(index.number)];
    at = std::move(part);
  }
  return at;
}

// get<1>(t) and get(t, 1).
std::vector<Meaning> pathOf(const Use& use) {
  std::vector<Meaning> path = use.template_;
  path.insert(path.end(), use.arguments.begin() + std::min<std::ptrdiff_t>(1, std::ssize(use.arguments)),
              use.arguments.end());
  return path;
}

// The product of all integers in it.
Result<Meaning> product(const Use& use, const Meaning& m) {
  if (!m.is(Kind::Tuple)) {
    if (m.is(Kind::Number)) return m;
    if (!m.is(Kind::Layout)) return use.wrong("a tuple of integers");
    TESSERA_TRY(Meaning size, use.reader.evaluated("size(" + m.text + ")"));
    size.isStatic = true;
    return size;
  }
  Meaning out = number(1, true);
  for (const Meaning& part : m.parts) {
    TESSERA_TRY(const Meaning factor, product(use, part));
    const bool first = out.formula.empty() && out.number == 1;
    auto next = integerOperation("*", out, factor);
    if (!next) return use.wrong("a product below 2^63");
    const bool isStatic = next->isStatic;
    out = first ? factor : *std::move(next);
    out.isStatic = isStatic;
  }
  return out;
}

Result<Meaning> sizeCall(const Use& use) {
  if (use.arguments.empty()) return use.wrong("a layout or a tuple");
  if (!isTupleLike(use.arguments[0])) return measuredNow(use);
  TESSERA_TRY(const Meaning part, selected(use, use.arguments[0], pathOf(use)));
  return product(use, part);
}

Result<Meaning> rankCall(const Use& use) {
  if (use.arguments.empty()) return use.wrong("a layout or a tuple");
  if (!isTupleLike(use.arguments[0])) return measuredNow(use);
  TESSERA_TRY(const Meaning part, selected(use, use.arguments[0], pathOf(use)));
  return number(part.is(Kind::Tuple) ? static_cast<i64>(part.parts.size()) : 1, true);
}

// get, and shape<k> of a tuple.
Result<Meaning> getCall(const Use& use) {
  if (use.arguments.empty()) return use.wrong("a layout or a tuple");
  if (!isTupleLike(use.arguments[0])) {
    if (use.name == "get" || use.name == "layout") return applied(use.name, use);
    return measuredNow(use);
  }
  return selected(use, use.arguments[0], pathOf(use));
}

Result<Meaning> selectCall(const Use& use) {
  if (use.arguments.empty() || !use.arguments[0].is(Kind::Tuple)) return onLayout(use);
  std::vector<Meaning> parts;
  const std::vector<Meaning> path = pathOf(use);
  for (const Meaning& index : path) {
    TESSERA_TRY(Meaning part, selected(use, use.arguments[0], {index}));
    parts.push_back(std::move(part));
  }
  return tuple(std::move(parts));
}

Result<Meaning> takeCall(const Use& use) {
  if (use.arguments.empty() || !use.arguments[0].is(Kind::Tuple)) return onLayout(use);
  const std::vector<Meaning> path = pathOf(use);
  const auto& parts = use.arguments[0].parts;
  if (path.size() != 2 || !path[0].is(Kind::Number) || !path[1].is(Kind::Number)) return use.wrong("two indices");
  const i64 end = std::min<i64>(path[1].number, std::ssize(parts));
  std::vector<Meaning> out;
  for (i64 i = std::max<i64>(path[0].number, 0); i < end; ++i) out.push_back(parts[static_cast<std::size_t>(i)]);
  return tuple(std::move(out));
}

std::vector<Meaning> partsOf(const Meaning& m) { return m.is(Kind::Tuple) ? m.parts : std::vector{m}; }

// append(a, x): one more mode. append<N>(a, x): modes x until there are N; of a layout, x is 1:0 if it is not given.
Result<Meaning> appendCall(const Use& use) {
  const bool filled = !use.template_.empty();
  if (use.arguments.empty() || use.arguments.size() > 2 || use.arguments.size() + use.template_.size() < 2)
    return use.wrong("a layout or a tuple, and what is added");
  if (!isTupleLike(use.arguments[0])) {
    if (!filled) return onLayout(use);
    if (use.template_.size() != 1 || !use.template_[0].is(Kind::Number)) return use.wrong("a number of modes");
    TESSERA_TRY(const Meaning rank, use.reader.evaluated("rank(" + use.arguments[0].text + ")"));
    const Meaning added = use.arguments.size() == 2 ? use.arguments[1] : textual(Kind::Layout, "_1:_0");
    Meaning out = use.arguments[0];
    constexpr i64 kMost = 64;
    for (i64 k = rank.number; k < std::min(use.template_[0].number, kMost); ++k)
      out = applied(use.name, Use{use.reader, use.name, {}, {out, added}, use.span});
    return out;
  }
  std::vector<Meaning> parts = partsOf(use.arguments[0]);
  i64 count = 1;
  if (filled) {
    constexpr i64 kMost = 1000;
    if (!use.template_[0].is(Kind::Number) || use.template_[0].number > kMost) return use.wrong("a number of modes");
    count = use.template_[0].number - std::ssize(parts);
    if (count <= 0) return use.arguments[0];
  }
  if (use.arguments.size() != 2) return use.wrong("a tuple, and what is added");
  parts.insert(use.name == "append" ? parts.end() : parts.begin(), static_cast<std::size_t>(count), use.arguments[1]);
  return tuple(std::move(parts));
}

// replace<N>(a, x), remove<N>(a), insert<N>(a, x)
Result<Meaning> editedCall(const Use& use) {
  const bool removes = use.name == "remove";
  if (use.arguments.size() != (removes ? 1U : 2U) || use.template_.size() != 1 || !use.template_[0].is(Kind::Number))
    return use.wrong(removes ? "a mode and a tuple" : "a mode, a tuple and its new part");
  const Meaning& of = use.arguments[0];
  std::vector<Meaning> parts;
  if (use.name == "replace" && use.template_[0].number == 0) {  // an integer, or 8:1, is its own mode 0
    if (isTupleLike(of) && !of.is(Kind::Tuple)) return use.arguments[1];
    if (!isTupleLike(of)) {
      TESSERA_TRY(const Meaning shape, use.reader.evaluated("shape(" + of.text + ")"));
      if (!shape.is(Kind::Tuple)) return use.arguments[1];
    }
  }
  if (isTupleLike(of)) {
    parts = partsOf(of);
  } else {
    TESSERA_TRY(const Meaning rank, use.reader.evaluated("rank(" + of.text + ")"));
    for (i64 k = 0; k < rank.number; ++k)
      parts.push_back(textual(Kind::Layout, "layout(" + of.text + ", " + std::to_string(k) + ")"));
  }
  const i64 at = use.template_[0].number, end = std::ssize(parts) + (use.name == "insert" ? 1 : 0);
  if (at < 0 || at >= end)
    return Diag{"mode " + std::to_string(at) + " of " + written(of) + " does not exist", {}, {}, use.span};
  if (removes) {
    parts.erase(parts.begin() + at);
  } else if (use.name == "insert") {
    parts.insert(parts.begin() + at, use.arguments[1]);
  } else {
    parts[static_cast<std::size_t>(at)] = use.arguments[1];
  }
  if (isTupleLike(of)) return tuple(std::move(parts));
  return applied("make_layout", Use{use.reader, use.name, {}, std::move(parts), use.span});
}

// repeat<N>(x)
Result<Meaning> repeated(const Use& use) {
  constexpr i64 kMost = 1000;
  if (use.arguments.size() != 1 || use.template_.size() != 1 || !use.template_[0].is(Kind::Number) ||
      use.template_[0].number < 1 || use.template_[0].number > kMost)
    return use.wrong("a count and a value");
  if (use.template_[0].number == 1) return use.arguments[0];
  return tuple(std::vector<Meaning>(static_cast<std::size_t>(use.template_[0].number), use.arguments[0]));
}

Result<Meaning> concatenated(const Use& use) {
  std::vector<Meaning> parts;
  for (const Meaning& one : use.arguments) {
    if (!one.is(Kind::Tuple)) return use.wrong("tuples");
    parts.insert(parts.end(), one.parts.begin(), one.parts.end());
  }
  return tuple(std::move(parts));
}

Result<Meaning> productEach(const Use& use) {
  if (use.arguments.size() != 1 || !use.arguments[0].is(Kind::Tuple)) return use.wrong("a tuple");
  std::vector<Meaning> parts;
  for (const Meaning& part : use.arguments[0].parts) {
    TESSERA_TRY(Meaning size, product(use, part));
    parts.push_back(std::move(size));
  }
  return tuple(std::move(parts));
}

Result<Meaning> layoutCall(const Use& use) {
  if (use.arguments.empty()) return use.wrong("a shape");
  const Meaning& first = use.arguments[0];
  const bool strided = use.arguments.size() == 2 && (isTupleLike(use.arguments[1]) || use.arguments[1].is(Kind::Word));
  if (isTupleLike(first) && (use.arguments.size() == 1 || strided))
    return layoutOf(use, first, strided ? &use.arguments[1] : nullptr);
  return applied("make_layout", use);
}

// tile_to_shape(a, shape, LayoutRight{}): the order of the tiles as a tuple.
Result<Meaning> tileToShape(const Use& use) {
  if (use.arguments.size() != 3 || !use.arguments[2].is(Kind::Word)) return onLayout(use);
  const std::string& word = use.arguments[2].text;
  const bool left = word == "LayoutLeft" || word == "GenColMajor";
  if (!left && word != "LayoutRight" && word != "GenRowMajor") return use.wrong("an order of the tiles, Step<_2,_1>");
  std::vector<Meaning> order;
  for (std::size_t k = 0, n = partsOf(use.arguments[1]).size(); k < n; ++k)
    order.push_back(number(static_cast<i64>(left ? k : n - 1 - k), true));
  return onLayout(Use{use.reader, use.name, {}, {use.arguments[0], use.arguments[1], tuple(order)}, use.span});
}

Result<Meaning> orderedLayout(const Use& use) {
  if (use.arguments.size() == 2 && use.arguments[1].is(Kind::Word))
    return layoutOf(use, use.arguments[0], &use.arguments[1]);
  return onLayout(use);
}

Result<Meaning> composed(const Use& use) {
  if (use.arguments.size() != 3) return onLayout(use);
  return typeNamed("ComposedLayout")(Use{use.reader, use.name, use.arguments, {}, use.span});
}

// make_tensor(pointer, layout), make_tensor(pointer, shape, stride): the layout.
Result<Meaning> tensorCall(const Use& use) {
  if (use.arguments.empty()) return use.wrong("a pointer and a layout");
  const bool owning = !use.template_.empty();
  const std::vector<Meaning> rest(use.arguments.begin() + (owning ? 0 : 1), use.arguments.end());
  if (rest.empty()) return use.wrong("a pointer and a layout");
  use.reader.note("the pointer of make_tensor is left out: its layout is bound");
  if (rest.size() == 1 && !isTupleLike(rest[0])) return rest[0];
  return layoutCall(Use{use.reader, "make_layout", {}, rest, use.span});
}

Result<Meaning> pointer(const Use&) { return textual(Kind::Word, "pointer"); }

Result<Meaning> firstArgument(const Use& use) {
  if (!use.arguments.empty()) return use.arguments[0];
  if (use.template_.size() == 1) return use.template_[0];
  return use.wrong("an argument");
}

Result<Meaning> twoIntegers(const Use& use) {
  if (use.arguments.size() != 2) return use.wrong("two integers");
  const Meaning& a = use.arguments[0];
  const Meaning& b = use.arguments[1];
  // ceil_div((128,64), (32,8)) and round_up work mode by mode; a missing divisor is 1.
  if (a.is(Kind::Tuple) && (use.name == "ceil_div" || use.name == "round_up")) {
    std::vector<Meaning> parts = a.parts;
    if (b.is(Kind::Number) && use.name == "ceil_div") {  // what the first modes do not use up is left for the next
      Meaning rest = b;
      for (Meaning& part : parts) {
        const Meaning whole = part;
        TESSERA_TRY(part, twoIntegers(Use{use.reader, use.name, {}, {whole, rest}, use.span}));
        TESSERA_TRY(rest, twoIntegers(Use{use.reader, use.name, {}, {rest, whole}, use.span}));
      }
      return tuple(std::move(parts));
    }
    if (!b.is(Kind::Tuple) || b.parts.size() > a.parts.size())
      return use.wrong("a tuple, and one of at most as many modes");
    for (std::size_t k = 0; k < b.parts.size(); ++k) {
      TESSERA_TRY(parts[k], twoIntegers(Use{use.reader, use.name, {}, {a.parts[k], b.parts[k]}, use.span}));
    }
    return tuple(std::move(parts));
  }
  if (a.is(Kind::Number) && b.is(Kind::Tuple) && use.name == "ceil_div") {
    TESSERA_TRY(Meaning whole, product(use, b));
    return twoIntegers(Use{use.reader, use.name, {}, {a, std::move(whole)}, use.span});
  }
  if (!a.is(Kind::Number) || !b.is(Kind::Number)) {
    if (use.name == "shape_div") return measuredNow(use);
    return use.wrong("two integers");
  }
  const bool constant = a.isStatic && b.isStatic;
  if (use.name == "min" || use.name == "max" || use.name == "static_max") {
    const bool least = use.name == "min";
    TESSERA_TRY(const Meaning below, integerOperation("<", a, b));
    const Meaning &smaller = below.number != 0 ? a : b, &larger = below.number != 0 ? b : a;
    return chosenBy(below, number((least ? smaller : larger).number, constant), least ? a : b, least ? b : a);
  }
  if (use.name == "gcd" && a.number > INT64_MIN && b.number > INT64_MIN)
    return number(std::gcd(a.number, b.number), constant);
  if (b.number <= 0 || a.number < 0 || a.number > INT64_MAX - b.number) return use.wrong("positive integers");
  if (use.name == "ceil_div" || use.name == "shape_div") {
    Meaning out = number(ceilDiv(a.number, b.number), constant);
    if (!a.formula.empty() || !b.formula.empty()) out.formula = "ceil_div(" + operandOf(a) + ", " + operandOf(b) + ")";
    return out;
  }
  if (use.name == "round_up") return number(roundUp(a.number, b.number), constant);
  if (use.name == "round_down") return number(a.number - a.number % b.number, constant);
  return use.wrong("integers of a known function");
}

Result<Meaning> logarithm(const Use& use) {
  const Meaning* n = !use.arguments.empty() ? &use.arguments[0] : !use.template_.empty() ? &use.template_[0] : nullptr;
  if (n == nullptr || !n->is(Kind::Number) || n->number < 1) return use.wrong("a positive integer");
  i64 out = 0;
  for (i64 rest = n->number; rest > 1; rest /= 2) ++out;
  return number(out, n->isStatic);
}

// tile_to_mma_shape(atom, ((M,N),tilesM,tilesN,...)):
// tiled_divide(tile_to_shape(atom, ((M,tilesM),(N,tilesN),..)), (M,N))
Result<Meaning> mmaShape(const Use& use) {
  if (use.arguments.size() < 2 || !use.arguments[1].is(Kind::Tuple) || use.arguments[1].parts.size() < 3 ||
      !use.arguments[1].parts[0].is(Kind::Tuple) || use.arguments[1].parts[0].parts.size() != 2)
    return use.wrong("an atom and a shape ((MMA_M,MMA_N),TILES_M,TILES_N,...)");
  const std::vector<Meaning>& shape = use.arguments[1].parts;
  std::vector<Meaning> whole = {tuple({shape[0].parts[0], shape[1]}), tuple({shape[0].parts[1], shape[2]})};
  whole.insert(whole.end(), shape.begin() + 3, shape.end());
  std::vector<Meaning> arguments = {use.arguments[0], tuple(std::move(whole))};
  arguments.insert(arguments.end(), use.arguments.begin() + 2, use.arguments.end());
  TESSERA_TRY(const Meaning tiled, tileToShape(Use{use.reader, "tile_to_shape", {}, arguments, use.span}));
  TESSERA_TRY(const Meaning inner, productEach(Use{use.reader, "product_each", {}, {shape[0]}, use.span}));
  return textual(Kind::Layout, "tiled_divide(" + tiled.text + "," + written(inner) + ")");
}

Result<Meaning> recast(const Use& use) {
  if (use.template_.size() != 2 || use.arguments.size() != 1) return use.wrong("two types and a layout");
  const auto from = bitsOf(use.template_[0]);
  const auto to = bitsOf(use.template_[1]);
  if (!from || !to) return use.wrong("two element types");
  return textual(Kind::Layout, "recast_layout(" + written(use.arguments[0]) + "," + std::to_string(*from) + "," +
                                   std::to_string(*to) + ")");
}

constexpr auto kFunctions = std::to_array<Row>({
    {"make_shape", makeTuple},
    {"make_stride", makeTuple},
    {"make_coord", makeTuple},
    {"make_step", makeTuple},
    {"make_tuple", makeTuple},
    {"make_tile", makeTuple},
    {"make_int_tuple", makeTuple},
    {"size", sizeCall},
    {"product", sizeCall},
    {"rank", rankCall},
    {"get", getCall},
    {"shape", getCall},
    {"layout", getCall},
    {"stride", measuredNow},
    {"tile_size", measuredNow},
    {"tile_size_mnk", measuredNow},
    {"tile_shape", measuredNow},
    {"thr_size", measuredNow},
    {"partition_shape_A", measuredNow},
    {"partition_shape_B", measuredNow},
    {"partition_shape_C", measuredNow},
    {"cosize", measuredNow},
    {"depth", measuredNow},
    {"crd2idx", measuredNow},
    {"idx2crd", measuredNow},
    {"max_common_vector", measuredNow},
    {"max_alignment", measuredNow},
    {"select", selectCall},
    {"take", takeCall},
    {"append", appendCall},
    {"prepend", appendCall},
    {"replace", editedCall},
    {"remove", editedCall},
    {"insert", editedCall},
    {"repeat", repeated},
    {"tile_to_shape", tileToShape},
    {"tuple_cat", concatenated},
    {"product_each", productEach},
    {"make_layout", layoutCall},
    {"make_ordered_layout", orderedLayout},
    {"composition", composed},
    {"make_composed_layout", composed},
    {"make_tensor", tensorCall},
    {"make_smem_ptr", pointer},
    {"make_gmem_ptr", pointer},
    {"make_rmem_ptr", pointer},
    {"recast_ptr", pointer},
    {"declval", firstArgument},
    {"int", firstArgument},
    {"size_t", firstArgument},
    {"int32_t", firstArgument},
    {"uint32_t", firstArgument},
    {"conditional_return", firstArgument},
    {"as_arithmetic_tuple", firstArgument},
    {"min", twoIntegers},
    {"max", twoIntegers},
    {"static_max", twoIntegers},
    {"gcd", twoIntegers},
    {"ceil_div", twoIntegers},
    {"shape_div", twoIntegers},
    {"round_up", twoIntegers},
    {"round_down", twoIntegers},
    {"log_2", logarithm},
    {"log2", logarithm},
    {"tile_to_mma_shape", mmaShape},
    {"recast_layout", recast},
});

constexpr auto kOnLayouts = std::to_array<std::string_view>({
    "complement",
    "coalesce",
    "right_inverse",
    "left_inverse",
    "logical_divide",
    "zipped_divide",
    "tiled_divide",
    "flat_divide",
    "logical_product",
    "zipped_product",
    "tiled_product",
    "flat_product",
    "blocked_product",
    "raked_product",
    "with_shape",
    "filter",
    "filter_zeros",
    "nullspace",
    "flatten",
    "group_modes",
    "group",
    "slice",
    "dice",
    "slice_and_offset",
    "upcast",
    "downcast",
    "recast",
    "make_layout_like",
    "make_fragment_like",
    "make_identity_layout",
    "make_identity_tensor",
    "as_position_independent_swizzle_layout",
    "max_common_layout",
    "domain_distribute",
    "local_tile",
    "local_partition",
    "inner_partition",
    "outer_partition",
    "make_layout_left",
    "make_layout_right",
    "make_swizzle",
    "get_nonswizzle_portion",
    "get_swizzle_portion",
    "make_coord_tensor",
    "partition_fragment_C",
});

}  // namespace

Meaning applied(std::string_view function, const Use& use) {
  std::string out(function);
  out += "(";
  bool first = true;
  const auto add = [&](const std::string& text) {
    if (!first) out += ", ";
    first = false;
    out += text;
  };
  for (const Meaning& argument : use.arguments) add(written(argument));
  for (const Meaning& argument : use.template_) add(written(argument, false));
  return textual(Kind::Layout, out + ")");
}

Result<Meaning> layoutOf(const Use& use, const Meaning& shape, const Meaning* stride) {
  const bool literal = isTupleLike(shape);
  if (!literal) return use.wrong("a shape");
  if (stride == nullptr || (stride->is(Kind::Word) && (stride->text == "LayoutLeft" || stride->text == "GenColMajor")))
    return textual(Kind::Layout, "make_layout(" + written(shape) + ")");
  if (stride->is(Kind::Word)) return textual(Kind::Layout, "make_layout_right(" + written(shape) + ")");
  if (!isTupleLike(*stride)) return use.wrong("a shape and a stride");
  return textual(Kind::Layout, written(shape) + ":" + written(*stride));
}

Handler functionNamed(std::string_view name) {
  const auto row = std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Row& r) { return r.name == name; });
  if (row != kFunctions.end()) return row->handler;
  return std::find(kOnLayouts.begin(), kOnLayouts.end(), name) != kOnLayouts.end() ? onLayout : nullptr;
}

}  // namespace tessera::paste::cute_cpp
