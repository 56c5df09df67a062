#include "core/paste/python/array_item.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/base/cursor.h"

namespace tessera::paste::python {
namespace {

Item tupleOfNumbers(const std::vector<i64>& values) {
  std::vector<Item> out;
  for (const i64 v : values) out.push_back(Item::number(v));
  return Item::tuple(std::move(out));
}

bool isDims(const Item& item) { return item.is(Item::Kind::Tuple) || item.is(Item::Kind::Integer) || item.isMissing(); }

// f(2, 3), f((2, 3)), f([2, 3]), f(size=(2, 3)) from the argument `first` on.
Result<std::vector<i64>> sizesOf(const Invocation& made, std::size_t first, std::string_view name) {
  if (first < made.arguments.size() && !made.arguments[first].is(Item::Kind::Tuple)) {
    std::vector<Item> all;
    for (std::size_t k = first; k < made.arguments.size() && isDims(made.arguments[k]); ++k)
      all.push_back(made.arguments[k]);
    return integersOf(Item::tuple(std::move(all)), name);
  }
  const Item* item = made.argument(first, name);
  if (item == nullptr) item = made.keyword("shape");
  if (item == nullptr) return Diag{fmt::format("{} has no {}", made.name, name), "sizes"};
  return integersOf(*item, name);
}

Result<i64> numberOf(const Invocation& made, std::size_t index, std::string_view name, i64 otherwise) {
  const Item* item = made.argument(index, name);
  return item == nullptr || item->is(Item::Kind::None) ? Result<i64>(otherwise) : integerOf(*item, name);
}

using Changed = Result<std::optional<Strided>>;

Changed changed(Result<Strided> made) {
  if (!made) return made.error();
  return std::optional(*std::move(made));
}

Changed reversed(const Strided& a) {
  Strided out = a;
  std::ranges::reverse(out.shape);
  std::ranges::reverse(out.stride);
  return std::optional(std::move(out));
}

bool isChannelsLast(const Invocation& made) {
  const auto is = [](const Item& item) {
    return item.text.ends_with("channels_last") || item.text.ends_with("channels_last_3d");
  };
  return std::ranges::any_of(made.arguments, is) ||
         std::ranges::any_of(made.keywords, [&](const auto& k) { return is(k.second); });
}

// numpy: a permutation, or all dimensions in reverse; torch: two dimensions.
Changed transposed(const ArrayItem& array, const Invocation& made) {
  const Strided& a = array.strided;
  const Item* axes = made.argument(0, "axes");
  const std::size_t count = made.arguments.size() + made.keywords.size();
  if (array.numpy || (count != 2 && !made.arguments.empty())) {
    if (axes == nullptr || axes->is(Item::Kind::None)) return reversed(a);
    TESSERA_TRY(const std::vector<i64> dims, sizesOf(made, 0, "axes"));
    return changed(permuted(a, dims));
  }
  if (count == 0) return reversed(a);
  TESSERA_TRY(const i64 i, numberOf(made, 0, "dim0", 0));
  TESSERA_TRY(const i64 j, numberOf(made, 1, "dim1", 1));
  return changed(swapped(a, i, j));
}

// A view, or a copy with a note. torch.Tensor.view refuses.
Changed reshaped(const ArrayItem& array, const Invocation& made, std::vector<std::string>& notes) {
  TESSERA_TRY(const std::vector<i64> shape, sizesOf(made, 0, made.name == "reshape" ? "newshape" : "size"));
  TESSERA_TRY(auto view, viewed(array.strided, shape));
  const Item* order = made.keyword("order");
  if (order != nullptr && order->text == "F")
    return Diag{"reshape in Fortran's order is not computed", "reshape in C's order"};
  if (view) return view;
  if (made.name == "view")
    return Diag{fmt::format("{} cannot be viewed as ({}) without a copy", print(array.strided), fmt::join(shape, ", ")),
                "reshape(...), which copies"};
  TESSERA_TRY(auto filled, contiguous(array.strided.shape));
  notes.push_back(made.name + " copies: the strides are those of the copy");
  return viewed(filled, shape);
}

Changed flattenedBy(const ArrayItem& array, const Invocation& made, std::vector<std::string>& notes) {
  TESSERA_TRY(const i64 first, numberOf(made, 0, "start_dim", 0));
  TESSERA_TRY(const i64 last, numberOf(made, 1, "end_dim", -1));
  TESSERA_TRY(auto view, flattened(array.strided, first, last));
  if (view) return view;
  notes.push_back(made.name + " copies: the strides are those of the copy");
  TESSERA_TRY(const Strided copy, contiguous(array.strided.shape));
  return flattened(copy, first, last);
}

Changed copied(const ArrayItem& array, const Invocation& made) {
  if (isChannelsLast(made)) return changed(channelsLast(array.strided.shape));
  return changed(contiguous(array.strided.shape));
}

Changed asStrided(const Invocation& made) {
  const Item* size = made.argument(0, "size");
  const Item* stride = made.argument(1, "stride");
  if (size == nullptr || stride == nullptr) return Diag{"as_strided has sizes and strides", "both"};
  TESSERA_TRY(Strided out, stridedOf(*size, *stride));
  TESSERA_TRY(out.offset, numberOf(made, 2, "storage_offset", 0));
  return std::optional(std::move(out));
}

Changed squeezedBy(const ArrayItem& array, const Invocation& made) {
  const Item* d = made.argument(0, "dim");
  if (d == nullptr) d = made.keyword("axis");
  if (d == nullptr) return std::optional(squeezed(array.strided, std::nullopt));
  TESSERA_TRY(const i64 asked, integerOf(*d, "dim"));
  TESSERA_TRY(const std::size_t at, dimension(asked, array.strided.rank()));
  return std::optional(squeezed(array.strided, at));
}

Changed narrowed(const ArrayItem& array, const Invocation& made) {
  TESSERA_TRY(const i64 d, numberOf(made, 0, "dim", 0));
  TESSERA_TRY(const i64 start, numberOf(made, 1, "start", 0));
  TESSERA_TRY(const i64 length, numberOf(made, 2, "length", 1));
  TESSERA_TRY(const std::size_t at, dimension(d, array.strided.rank()));
  if (start < 0 || length < 0 || start > array.strided.shape[at] - length)
    return Diag{fmt::format("{} elements from {} on in an extent of {}", length, start, array.strided.shape[at])};
  return changed(sliced(array.strided, at, start, start + length, 1));
}

bool isSame(std::string_view name) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"detach", "cuda", "cpu", "requires_grad_", "half", "float", "bfloat16", "double", "to", "type", "fill_", "zero_",
       "normal_", "uniform_", "data", "pin_memory", "astype", "alias", "default"});
  return std::ranges::find(kNames, name) != kNames.end();
}

Changed change(const ArrayItem& array, const Invocation& made, std::vector<std::string>& notes) {
  const Strided& a = array.strided;
  const std::string& name = made.name;
  if (name == "permute" || name == "permute_dims") {
    TESSERA_TRY(const std::vector<i64> dims, sizesOf(made, 0, "dims"));
    return changed(permuted(a, dims));
  }
  if (name == "transpose" || name == "transpose_") return transposed(array, made);
  if (name == "t" || name == "adjoint" || name == "numpy_T") return reversed(a);
  if (name == "swapaxes" || name == "swapdims" || name == "movedim" || name == "moveaxis") {
    TESSERA_TRY(const i64 i, numberOf(made, 0, name == "movedim" || name == "moveaxis" ? "source" : "axis0", 0));
    TESSERA_TRY(const i64 j, numberOf(made, 1, name == "movedim" || name == "moveaxis" ? "destination" : "axis1", 0));
    return changed(name[0] == 's' ? swapped(a, i, j) : moved(a, i, j));
  }
  if (name == "reshape" || name == "view" || name == "_unsafe_view") return reshaped(array, made, notes);
  if (name == "flatten" || name == "ravel") return flattenedBy(array, made, notes);
  if (name == "expand" || name == "broadcast_to") {
    TESSERA_TRY(const std::vector<i64> sizes, sizesOf(made, 0, "size"));
    return changed(expanded(a, sizes));
  }
  if (name == "unsqueeze" || name == "expand_dims") {
    TESSERA_TRY(const i64 d, numberOf(made, 0, name == "unsqueeze" ? "dim" : "axis", 0));
    return changed(unsqueezed(a, d));
  }
  if (name == "squeeze") return squeezedBy(array, made);
  if (name == "contiguous" || name == "copy" || name == "ascontiguousarray") return copied(array, made);
  if (name == "clone") return isChannelsLast(made) ? copied(array, made) : Changed(std::optional(a));
  if (name == "asfortranarray") return changed(columnMajor(a.shape));
  if (name == "as_strided" || name == "reinterpret_tensor" || name == "as_strided_") return asStrided(made);
  if (name == "narrow") return narrowed(array, made);
  if (name == "select") {
    TESSERA_TRY(const i64 d, numberOf(made, 0, "dim", 0));
    TESSERA_TRY(const i64 index, numberOf(made, 1, "index", 0));
    return changed(selected(a, d, index));
  }
  if (name == "unfold") {
    TESSERA_TRY(const i64 d, numberOf(made, 0, "dimension", 0));
    TESSERA_TRY(const i64 size, numberOf(made, 1, "size", 1));
    TESSERA_TRY(const i64 step, numberOf(made, 2, "step", 1));
    return changed(unfolded(a, d, size, step));
  }
  if (isChannelsLast(made)) return copied(array, made);
  if (isSame(name)) return std::optional(a);
  return std::optional<Strided>();
}

// The element type among the arguments.
std::string elementIn(const Invocation& made) {
  if (const Item* type = made.keyword("dtype"))
    return type->is(Item::Kind::Type) ? type->text : std::string(wordOfType(type->text));
  for (const Item& item : made.arguments)
    if (item.is(Item::Kind::Type)) return item.text;
  return {};
}

}  // namespace

Item arrayItem(ArrayItem array) {
  Item out{.kind = Item::Kind::Object, .text = "array"};
  out.elements = {tupleOfNumbers(array.strided.shape), tupleOfNumbers(array.strided.stride),
                  Item::number(array.strided.offset)};
  if (!array.element.empty()) out.fields.emplace_back("element", Item::type(std::move(array.element)));
  if (array.numpy) out.fields.emplace_back("numpy", Item::number(1));
  return out;
}

std::optional<ArrayItem> arrayOf(const Item& item) {
  if (!item.is(Item::Kind::Object) || item.text != "array" || item.elements.size() != 3) return std::nullopt;
  const Result<std::vector<i64>> shape = integersOf(item.elements[0], "the shape");
  const Result<std::vector<i64>> stride = integersOf(item.elements[1], "the strides");
  if (!shape || !stride) return std::nullopt;
  const Item* element = item.field("element");
  return ArrayItem{{*shape, *stride, item.elements[2].integer},
                   element == nullptr ? "" : element->text,
                   item.field("numpy") != nullptr};
}

Result<Strided> stridedOf(const Item& shape, const Item& stride) {
  TESSERA_TRY(std::vector<i64> extents, integersOf(shape, "the shape"));
  TESSERA_TRY(std::vector<i64> strides, integersOf(stride, "the strides"));
  if (extents.size() != strides.size())
    return Diag{
        fmt::format("a shape of {} with {}", counted(extents.size(), "dimension"), counted(strides.size(), "stride")),
        "a stride for each dimension"};
  for (const i64 extent : extents)
    if (extent < 0) return Diag{fmt::format("an extent of {}", extent), "an extent of at least 0"};
  return Strided{std::move(extents), std::move(strides), 0};
}

Result<std::optional<ArrayItem>> arrayMethod(const ArrayItem& array, const Invocation& made,
                                             std::vector<std::string>& notes) {
  TESSERA_TRY(auto strided, change(array, made, notes));
  if (!strided) return std::optional<ArrayItem>();
  ArrayItem out = array;
  out.strided = *std::move(strided);
  const std::string element = elementIn(made);
  if (!element.empty()) out.element = element;
  return std::optional(std::move(out));
}

namespace {

// np.ndarray(.., strides=(16, 2)): numpy counts bytes.
Result<Strided> ofByteStrides(const std::vector<i64>& sizes, const Item& strides, std::string_view element) {
  TESSERA_TRY(Strided out, stridedOf(tupleOfNumbers(sizes), strides));
  const i64 bytes = bitsOfType(element).value_or(64) / 8;
  for (i64& stride : out.stride) {
    if (bytes == 0 || stride % bytes != 0)
      return Diag{fmt::format("a stride of {} bytes is no multiple of the {} bytes of an element", stride, bytes),
                  "strides in bytes"};
    stride /= bytes;
  }
  return out;
}

// The whole array of tl.make_block_ptr(base, shape, strides, ..).
bool isTritonBlock(std::string_view name) { return name == "make_block_ptr" || name == "make_tensor_descriptor"; }

}  // namespace

Result<std::optional<ArrayItem>> arrayConstructor(const Invocation& made, bool numpy) {
  constexpr auto kFilled = std::to_array<std::string_view>({"empty", "zeros", "ones", "rand", "randn", "full", "random",
                                                            "ndarray", "Tensor", "FloatTensor", "standard_normal"});
  const std::string& name = made.name;
  ArrayItem out;
  out.numpy = numpy;
  out.element = elementIn(made);
  if (name == "arange") {
    TESSERA_TRY(const i64 first, numberOf(made, 0, "start", 0));
    const bool two = made.arguments.size() > 1 && made.arguments[1].is(Item::Kind::Integer);
    TESSERA_TRY(const i64 end, two ? numberOf(made, 1, "end", 0) : Result<i64>(first));
    TESSERA_TRY(
        out.strided,
        contiguous({two ? std::max<i64>(0, end - std::clamp<i64>(first, -(i64{1} << 40), i64{1} << 40)) : first}));
    if (out.element.empty()) out.element = "s64";
    return std::optional(std::move(out));
  }
  if (name.starts_with("empty_strided") || name == "rand_strided" || name == "FixedLayout" ||
      name == "assert_size_stride" || isTritonBlock(name)) {
    const std::size_t first = name == "FixedLayout" ? 2 : name == "assert_size_stride" || isTritonBlock(name) ? 1 : 0;
    const Item* size = made.argument(first, isTritonBlock(name) ? "shape" : "size");
    const Item* stride = made.argument(first + 1, isTritonBlock(name) ? "strides" : "stride");
    for (const Item* item : {size, stride})
      if (item != nullptr && item->isMissing()) return std::optional<ArrayItem>();
    if (size == nullptr || stride == nullptr) return Diag{name + " has sizes and strides", "both"};
    TESSERA_TRY(out.strided, stridedOf(*size, *stride));
    const Item* offset = name == "FixedLayout" ? made.keyword("offset") : nullptr;
    if (offset != nullptr && offset->is(Item::Kind::Integer)) out.strided.offset = offset->integer;
    return std::optional(std::move(out));
  }
  if (name == "randint") {
    const Item* size = made.keyword("size");
    for (const Item& item : made.arguments)
      if (size == nullptr && item.is(Item::Kind::Tuple)) size = &item;
    if (size == nullptr) return std::optional<ArrayItem>();
    TESSERA_TRY(const std::vector<i64> sizes, integersOf(*size, "size"));
    TESSERA_TRY(out.strided, contiguous(sizes));
    return std::optional(std::move(out));
  }
  if (std::ranges::find(kFilled, name) == kFilled.end()) return std::optional<ArrayItem>();
  TESSERA_TRY(const std::vector<i64> sizes, sizesOf(made, 0, "size"));
  const Item* order = made.keyword("order");
  TESSERA_TRY(out.strided, isChannelsLast(made)                     ? channelsLast(sizes)
                           : order != nullptr && order->text == "F" ? columnMajor(sizes)
                                                                    : contiguous(sizes));
  if (out.element.empty()) out.element = numpy ? "f64" : "f32";
  if (const Item* strides = name == "ndarray" ? made.keyword("strides") : nullptr; strides != nullptr) {
    TESSERA_TRY(out.strided, ofByteStrides(sizes, *strides, out.element));
  }
  return std::optional(std::move(out));
}

Result<std::optional<Item>> annotatedArray(std::string_view text, const std::function<Item(std::string_view)>& value) {
  Cursor in(text);
  (void)in.accept("Sym");
  const Result<std::string> type = in.identifier("a type");
  if (!type || wordOfType(*type).empty() || !in.accept('[')) return std::optional<Item>();
  const auto list = [&]() -> std::optional<Item> {
    std::vector<Item> items;
    while (!in.accept(']')) {
      const std::size_t from = in.start();
      int depth = 0;
      while (in.raw() != '\0' && (depth > 0 || (in.raw() != ',' && in.raw() != ']'))) {
        depth += in.raw() == '(' ? 1 : in.raw() == ')' ? -1 : 0;
        in.advance();
      }
      if (in.raw() == '\0') return std::nullopt;
      items.push_back(value(stripped(text.substr(from, in.position() - from))));
      if (in.raw() == ',') in.advance();
    }
    return Item::tuple(std::move(items));
  };
  const auto shape = list();
  if (!shape) return std::optional<Item>();
  const std::string word(wordOfType(*type));
  if (in.raw() != '[') {
    TESSERA_TRY(const std::vector<i64> extents, integersOf(*shape, "the shape"));
    TESSERA_TRY(Strided strided, contiguous(extents));
    return std::optional(arrayItem({std::move(strided), word, false}).with(*shape));
  }
  in.advance();
  const auto stride = list();
  if (!stride) return std::optional<Item>();
  TESSERA_TRY(Strided strided, stridedOf(*shape, *stride));
  return std::optional(arrayItem({std::move(strided), word, false}).with(*shape).with(*stride));
}

}  // namespace tessera::paste::python
