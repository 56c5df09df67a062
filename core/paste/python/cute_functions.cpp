#include "core/paste/python/cute_functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"

namespace tessera::paste::python {
namespace {

struct CuteRow {
  std::string_view name;
  std::string_view parameters;  // a space between parameters, | between the spellings of one
  std::string_view text;
};
// Of several rows of a name, the first with as many arguments.
constexpr auto kCuteRows = std::to_array<CuteRow>({
    {"make_ordered_layout", "shape order", "make_ordered_layout({0}, {1})"},
    {"make_ordered_layout", "shape", "make_layout({0})"},
    {"make_identity_layout", "shape", "make_identity_layout({0})"},
    {"make_identity_tensor", "shape", "make_identity_layout({0})"},
    {"make_composed_layout", "inner offset outer", "{0} o {1} o {2}"},
    {"ComposedLayout", "outer inner", "{0} o 0 o {1}"},
    {"ComposedLayout", "outer inner offset", "{0} o {2} o {1}"},
    {"make_swizzle", "b|num_bits m|num_base s|num_shift", "Sw<{0},{1},{2}>"},
    {"Swizzle", "b|bits|num_bits m|base|num_base s|shift|num_shift", "Sw<{0},{1},{2}>"},
    {"composition", "lhs|a|layoutA rhs|b|layoutB", "composition({0}, {1})"},
    {"compose", "layout_a|a layout_b|b", "composition({0}, {1})"},
    {"coalesce", "input|layout", "coalesce({0})"},
    {"coalesce", "input|layout target_profile|profile", "coalesce({0}, {1})"},
    {"complement", "input|layout cotarget|max_idx|bound", "complement({0}, {1})"},
    {"complement", "input|layout", "complement({0}, cosize({0}))"},
    {"right_inverse", "input|layout", "right_inverse({0})"},
    {"left_inverse", "input|layout", "left_inverse({0})"},
    {"nullspace", "input|layout", "nullspace({0})"},
    {"logical_product", "block|layout|layout_a|layoutA tiler|layout_b|layoutB", "logical_product({0}, {1})"},
    {"zipped_product", "block|layout|layout_a tiler|layout_b", "zipped_product({0}, {1})"},
    {"tiled_product", "block|layout|layout_a tiler|layout_b", "tiled_product({0}, {1})"},
    {"flat_product", "block|layout|layout_a tiler|layout_b", "flat_product({0}, {1})"},
    {"raked_product", "block|layout|layout_a tiler|layout_b", "raked_product({0}, {1})"},
    {"blocked_product", "block|layout|layout_a tiler|layout_b", "blocked_product({0}, {1})"},
    {"logical_divide", "target|input|layout|layoutA tiler|layoutB", "logical_divide({0}, {1})"},
    {"zipped_divide", "target|input|layout|layoutA tiler|layoutB", "zipped_divide({0}, {1})"},
    {"tiled_divide", "target|input|layout|layoutA tiler|layoutB", "tiled_divide({0}, {1})"},
    {"flat_divide", "target|input|layout|layoutA tiler|layoutB", "flat_divide({0}, {1})"},
    {"tile_to_shape", "atom|block|layout trg_shape|shape|target_shape order", "tile_to_shape({0}, {1}, {2})"},
    {"tile_to_shape", "atom|block|layout trg_shape|shape|target_shape", "tile_to_shape({0}, {1})"},
    {"local_tile", "input|target tiler coord", "local_tile({0}, {1}, {2})"},
    {"local_tile", "input|target tiler coord proj", "local_tile({0}, {1}, {2}, {3})"},
    {"local_partition", "target|input tiler index", "local_partition({0}, {1}, {2})"},
    {"local_partition", "target|input tiler index proj", "local_partition({0}, {1}, {2}, {3})"},
    {"group_modes", "input|layout begin", "group({0}, {1})"},
    {"group_modes", "input|layout begin end", "group({0}, {1}, {2})"},
    {"slice_", "src coord", "slice({1}, {0})"},
    {"dice", "src coord|dicer", "dice({1}, {0})"},
    {"slice_and_offset", "crd layout", "slice_and_offset({0}, {1})"},
    {"append", "input|a elem|b", "append({0}, {1})"},
    {"prepend", "input|a elem|b", "prepend({0}, {1})"},
    {"flatten", "input|a", "flatten({0})"},
    {"filter", "input|layout", "filter({0})"},
    {"filter_zeros", "input|layout", "filter_zeros({0})"},
    {"recast_layout", "new_type_bits|dst_bits old_type_bits|src_bits src_layout|layout",
     "recast_layout({2}, {1}, {0})"},
    {"upcast", "layout n", "upcast({0}, {1})"},
    {"downcast", "layout n", "downcast({0}, {1})"},
    {"crd2idx", "coord|crd layout", "crd2idx({0}, {1})"},
    {"crd2idx", "crd shape stride", "crd2idx({0}, {1}, {2})"},
    {"idx2crd", "idx|coord|index shape", "idx2crd({0}, {1})"},
    {"max_common_layout", "a|layout_a b|layout_b", "max_common_layout({0}, {1})"},
    {"max_common_vector", "a|layout_a b|layout_b", "max_common_vector({0}, {1})"},
    {"shape_div", "lhs|a rhs|b", "shape_div({0}, {1})"},
    {"make_layout_like", "input|layout|src", "make_layout_like({0})"},
    {"make_fragment_like", "src|input", "make_fragment_like({0})"},
    {"make_rmem_tensor_like", "src|input", "make_fragment_like({0})"},
    {"make_tensor", "iterator|ptr|engine layout", "{1}"},
    {"make_rmem_tensor", "layout_or_shape|shape dtype|element_type", "{0}"},
    {"make_fragment", "layout_or_shape|shape dtype|element_type", "{0}"},
    {"make_tiled_copy", "atom layout_tv tiler_mn|tiler", "{1}"},
    {"get_slice", "tiled thr_idx|thr_id", "get_slice({0}, {1})"},
    {"partition_A", "slice input|tensor", "partition_A({0}, {1})"},
    {"partition_B", "slice input|tensor", "partition_B({0}, {1})"},
    {"partition_C", "slice input|tensor", "partition_C({0}, {1})"},
    {"partition_S", "slice src|tensor", "partition_S({0}, {1})"},
    {"partition_D", "slice dst|tensor", "partition_D({0}, {1})"},
    {"retile", "slice src|tensor", "retile({0}, {1})"},
    {"partition_shape_A", "tiled shape_mk|shape", "partition_shape_A({0}, {1})"},
    {"partition_shape_B", "tiled shape_nk|shape", "partition_shape_B({0}, {1})"},
    {"partition_shape_C", "tiled shape_mn|shape", "partition_shape_C({0}, {1})"},
    {"make_fragment_A", "tiled input|tensor", "make_fragment_A({0}, {1})"},
    {"make_fragment_B", "tiled input|tensor", "make_fragment_B({0}, {1})"},
    {"make_fragment_C", "tiled input|tensor", "make_fragment_C({0}, {1})"},
    {"Tensor", "layout", "{0}"},
    {"Tensor", "layout offset", "{0}"},
});

// Functions with `mode`.
constexpr auto kModeFunctions = std::to_array<std::string_view>({"size", "cosize", "rank", "depth", "shape", "get"});

constexpr std::array<std::string_view, 3> kIgnoredKeywords = {"loc", "ip", "memspace"};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t end = text.find(at);
    out.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::size_t countGiven(const Invocation& made) {
  return made.arguments.size() + static_cast<std::size_t>(std::ranges::count_if(made.keywords, [](const auto& k) {
           return std::ranges::find(kIgnoredKeywords, k.first) == kIgnoredKeywords.end();
         }));
}

const Item* parameterOf(const Invocation& made, std::size_t index, std::string_view spellings) {
  if (index < made.arguments.size()) return &made.arguments[index];
  for (const std::string_view name : split(spellings, '|'))
    if (const Item* item = made.keyword(name)) return item;
  return nullptr;
}

Result<Item> filled(const CuteRow& row, const Invocation& made) {
  const std::vector<std::string_view> parameters = split(row.parameters, ' ');
  std::string out(row.text);
  Item questions;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const Item* item = parameterOf(made, k, parameters[k]);
    if (item == nullptr)
      return Diag{fmt::format("{} has no argument {}", made.name, parameters[k].substr(0, parameters[k].find('|'))),
                  fmt::format("the arguments {}", row.parameters)};
    const std::string hole = fmt::format("{{{}}}", k);
    if (out.find(hole) == std::string::npos) continue;
    questions = std::move(questions).with(*item);
    TESSERA_TRY(const std::string text, worksheetText(*item));
    for (std::size_t at = out.find(hole); at != std::string::npos; at = out.find(hole, at + text.size()))
      out.replace(at, hole.size(), text);
  }
  return Item::expression(std::move(out)).with(questions);
}

// make_layout(shape, stride=stride), Layout(shape, stride), make_layout(L0, L1) of pycute.
Result<Item> layoutOf(const Invocation& made) {
  const Item* shape = made.argument(0, "shape");
  const Item* stride = made.argument(1, "stride");
  if (shape == nullptr) return Diag{fmt::format("{} has no shape", made.name), "a shape"};
  Item questions = Item{}.with(*shape);
  std::string out;
  for (const Item& item : made.arguments) {
    TESSERA_TRY(const std::string text, worksheetText(item));
    out += (out.empty() ? "" : ", ") + text;
    if (&item != shape) questions = std::move(questions).with(item);
  }
  if (made.arguments.empty()) {
    TESSERA_TRY(out, worksheetText(*shape));
  }
  if (stride != nullptr && made.arguments.size() < 2 && !stride->is(Item::Kind::None)) {
    TESSERA_TRY(const std::string text, worksheetText(*stride));
    out += ", " + text;
    questions = std::move(questions).with(*stride);
  }
  return Item::expression("make_layout(" + out + ")").with(questions);
}

std::optional<i64> constantSize(const Item& item) {
  if (item.is(Item::Kind::Integer)) return item.integer;
  if (!item.is(Item::Kind::Tuple)) return std::nullopt;
  std::optional<i64> out = 1;
  for (const Item& e : item.elements) {
    const auto one = constantSize(e);
    out = out && one ? checkedMul(*out, *one) : std::nullopt;
  }
  return out;
}

// size(L, mode=[0, 1]) is size<0,1>(L); the size of a tuple is a number.
Result<Item> ofMode(const Invocation& made) {
  const Item* object = made.argument(0, "input");
  if (object == nullptr && !made.keywords.empty()) object = &made.keywords[0].second;
  if (object == nullptr) return Diag{fmt::format("{} has no argument", made.name), "a layout"};
  const Item* mode = made.argument(1, "mode");
  if (mode == nullptr && object->isConstant()) {
    const auto size = constantSize(*object);
    if (made.name == "size" && size) return Item::number(*size).with(*object);
    if (made.name == "rank" && object->is(Item::Kind::Tuple))
      return Item::number(static_cast<i64>(object->elements.size())).with(*object);
    if (made.name == "shape") return *object;
  }
  if (object->isMissing()) return *object;
  std::string modes;
  if (mode != nullptr && !mode->is(Item::Kind::None)) {
    TESSERA_TRY(const std::vector<i64> list, integersOf(*mode, "mode"));
    if (made.name != "get" && list.size() == 1 && list[0] >= 0 && object->isConstant() &&
        object->is(Item::Kind::Tuple) && static_cast<std::size_t>(list[0]) < object->elements.size()) {
      const Item& element = object->elements[static_cast<std::size_t>(list[0])];
      const auto size = constantSize(element);
      if (made.name == "size" && size) return Item::number(*size);
      if (made.name == "shape") return element;
    }
    modes = fmt::format("<{}>", fmt::join(list, ","));
  }
  TESSERA_TRY(const std::string text, worksheetText(*object));
  return Item::expression(fmt::format("{}{}({})", made.name, modes, text)).with(*object);
}

// select(L, mode=[0, 2])
Result<Item> selected(const Invocation& made) {
  const Item* object = made.argument(0, "input");
  const Item* mode = made.argument(1, "mode");
  if (object == nullptr || mode == nullptr) return Diag{"select has a layout and modes", "select(L, mode=[0, 2])"};
  TESSERA_TRY(const std::vector<i64> list, integersOf(*mode, "mode"));
  if (object->is(Item::Kind::Tuple)) {
    std::vector<Item> out;
    for (const i64 k : list) {
      if (k < 0 || static_cast<std::size_t>(k) >= object->elements.size())
        return Diag{fmt::format("the tuple has no element {}", k), "an element"};
      out.push_back(object->elements[static_cast<std::size_t>(k)]);
    }
    return Item::tuple(std::move(out));
  }
  TESSERA_TRY(const std::string text, worksheetText(*object));
  return Item::expression(fmt::format("select({}, {})", text, fmt::join(list, ", "))).with(*object);
}

// The layout (thread, value) -> index in the tile, and the tile: make_layout_tv returns (tile, layout).
Result<Item> threadValue(const Invocation& made, bool withTile) {
  const std::size_t first = withTile ? 0 : 1;
  const Item* threads = made.argument(first, "thr_layout");
  const Item* values = made.argument(first + 1, "val_layout");
  if (threads == nullptr || values == nullptr)
    return Diag{fmt::format("{} has no layouts of threads and values", made.name), "two layouts"};
  TESSERA_TRY(const std::string t, worksheetText(*threads));
  TESSERA_TRY(const std::string v, worksheetText(*values));
  const std::string raked = fmt::format("raked_product({}, {})", t, v);
  Item layout =
      Item::expression(fmt::format("composition(right_inverse({}), make_layout((size({}), size({}))))", raked, t, v))
          .with(*threads)
          .with(*values);
  if (!withTile) return layout;
  Item tile = Item::expression(fmt::format("(size<0>({0}), size<1>({0}))", raked)).with(*threads).with(*values);
  return Item::tuple({std::move(tile), std::move(layout)});
}

Result<Item> rounded(const Invocation& made, bool up) {
  if (made.arguments.size() != 2) return Diag{fmt::format("{} has two arguments", made.name), "two integers"};
  const Item& a = made.arguments[0];
  const Item& b = made.arguments[1];
  if (a.is(Item::Kind::Tuple) && b.is(Item::Kind::Tuple) && a.elements.size() == b.elements.size()) {
    std::vector<Item> out;
    for (std::size_t k = 0; k < a.elements.size(); ++k) {
      Invocation one;
      one.name = made.name;
      one.arguments = {a.elements[k], b.elements[k]};
      TESSERA_TRY(Item item, rounded(one, up));
      out.push_back(std::move(item));
    }
    return Item::tuple(std::move(out));
  }
  if (a.isMissing() || b.isMissing()) return binary("+", a, b);
  if (a.is(Item::Kind::Integer) && b.is(Item::Kind::Integer) && b.integer > 0 && a.integer < INT64_MAX - b.integer)
    return Item::number(up ? roundUp(a.integer, b.integer) : ceilDiv(a.integer, b.integer)).with(a).with(b);
  TESSERA_TRY(const std::string left, worksheetText(a));
  TESSERA_TRY(const std::string right, worksheetText(b));
  const std::string quotient = fmt::format("ceil_div({}, {})", left, right);
  return Item::expression(up ? fmt::format("({} * {})", quotient, right) : quotient).with(a).with(b);
}

// append((128, 64), 4) of tuples; nullopt: of layouts.
std::optional<Item> joinedTuple(const Invocation& made) {
  if (made.arguments.size() != 2 || (made.name != "append" && made.name != "prepend")) return std::nullopt;
  const Item& list = made.arguments[0];
  const Item& more = made.arguments[1];
  if (!list.is(Item::Kind::Tuple) || !list.isConstant()) return std::nullopt;
  std::vector<Item> out = list.elements;
  out.insert(made.name == "append" ? out.end() : out.begin(), more);
  return Item::tuple(std::move(out));
}

template <typename Made>
Result<std::optional<Item>> some(Result<Made> item) {
  if (!item) return item.error();
  return std::optional<Item>(*std::move(item));
}

}  // namespace

bool isCuteFunction(std::string_view name) {
  constexpr auto kOthers = std::to_array<std::string_view>(
      {"make_layout", "Layout", "select", "make_layout_tv", "make_tiled_copy_tv", "make_tiled_mma", "make_copy_atom",
       "make_mma_atom", "make_smem_layout_atom", "make_trivial_tiled_mma", "make_smem_layout", "make_smem_layout_a",
       "make_smem_layout_b", "make_smem_layout_epi", "round_up", "ceil_div"});
  return std::ranges::find(kCuteRows, name, &CuteRow::name) != kCuteRows.end() ||
         std::ranges::find(kModeFunctions, name) != kModeFunctions.end() ||
         std::ranges::find(kOthers, name) != kOthers.end();
}

Result<std::optional<Item>> cuteFunction(const Invocation& made) {
  const std::string& name = made.name;
  if (name == "make_layout" || name == "Layout") return some(layoutOf(made));
  if (std::ranges::find(kModeFunctions, name) != kModeFunctions.end()) return some(ofMode(made));
  if (name == "select") return some(selected(made));
  if (name == "make_layout_tv") return some(threadValue(made, true));
  if (name == "make_tiled_copy_tv") return some(threadValue(made, false));
  if (name == "ceil_div") return some(rounded(made, false));
  if (name == "round_up") return some(rounded(made, true));
  if (auto tuple = joinedTuple(made)) return tuple;
  const CuteRow* fits = nullptr;
  for (const CuteRow& row : kCuteRows)
    if (row.name == name && (fits == nullptr || split(row.parameters, ' ').size() == countGiven(made))) fits = &row;
  if (fits == nullptr) return std::optional<Item>();
  return some(filled(*fits, made));
}

}  // namespace tessera::paste::python
