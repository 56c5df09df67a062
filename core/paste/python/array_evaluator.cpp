#include "core/paste/python/array_evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/paste/python/array_item.h"
#include "core/paste/python/einops.h"

namespace tessera::paste::python {

using code::Tree;

namespace {

constexpr auto kArrayModules = std::to_array<std::string_view>(
    {"np", "numpy", "torch", "aten", "prims", "jnp", "F", "cp", "cupy", "einops", "tf", "ops", "inductor_prims", "tl"});
constexpr auto kViews = std::to_array<std::string_view>({"permute",
                                                         "transpose",
                                                         "view",
                                                         "reshape",
                                                         "expand",
                                                         "unsqueeze",
                                                         "squeeze",
                                                         "swapaxes",
                                                         "movedim",
                                                         "moveaxis",
                                                         "t",
                                                         "as_strided",
                                                         "unfold",
                                                         "flatten",
                                                         "ravel",
                                                         "contiguous",
                                                         "narrow",
                                                         "select",
                                                         "broadcast_to",
                                                         "expand_dims",
                                                         "swapdims",
                                                         "reinterpret_tensor",
                                                         "permute_dims",
                                                         "rearrange"});

bool isArrayModule(std::string_view dotted) {
  return std::ranges::all_of(dotted, [](char c) { return isNamePart(c) || c == '.'; }) &&
         std::ranges::find(kArrayModules, dotted.substr(0, dotted.find('.'))) != kArrayModules.end();
}

class ArrayEvaluator : public Evaluator {
 public:
  ArrayEvaluator(std::string_view text, const Given& given)
      : Evaluator(text, given),
        given_(given),
        numpy_(text.find("np.") != std::string_view::npos || text.find("numpy") != std::string_view::npos) {}

 protected:
  Result<std::optional<Item>> call(const Invocation& made) override {
    Invocation plain = made;
    // aten.permute.default(x, dims)
    if (made.name == "default" && made.receiver != nullptr) {
      plain.name = code::lastName(*made.receiver);
      plain.receiver = nullptr;
    } else if (made.receiver != nullptr && !isArrayModule(made.qualified)) {
      return method(made);
    }
    if (plain.name == "assert_size_stride") return declaredStrides(plain);
    if (plain.name == "as_strided" && numpyModule(made)) return numpyStrided(plain);
    if (plain.name == "dtype" && plain.arguments.size() == 1)
      return std::optional(Item::type(std::string(wordOfType(plain.arguments[0].text))));
    TESSERA_TRY(auto array, arrayConstructor(plain, numpyModule(made)));
    if (array && plain.name.starts_with("make_"))  // Triton's: its base, offsets and block are no part of the layout
      return std::optional(
          arrayItem(*std::move(array)).with(*made.argument(1, "shape")).with(*made.argument(2, "strides")));
    if (array) return withQuestions(arrayItem(*std::move(array)), made);
    if (plain.arguments.empty()) return std::optional<Item>();
    const Item first = plain.arguments.front();
    plain.arguments.erase(plain.arguments.begin());
    return applied(first, plain, made.tree->children.size() > 1 ? &made.tree->children[1] : nullptr);
  }

  std::optional<Item> name(std::string_view dotted) const override {
    const std::size_t dot = dotted.rfind('.');
    const std::string_view last = dotted.substr(dot == std::string_view::npos ? 0 : dot + 1);
    if (last.starts_with("channels_last")) return Item{.kind = Item::Kind::String, .text = std::string(last)};
    if (dot == std::string_view::npos || !isArrayModule(dotted)) return std::nullopt;
    if (last == "newaxis") return Item{};
    const std::string_view word = wordOfType(last);
    return word.empty() ? std::nullopt : std::optional(Item::type(std::string(word)));
  }

  Result<std::optional<Item>> member(const Item& object, const std::string& name) override {
    const auto array = arrayOf(object);
    if (!array) return std::optional<Item>();
    if (name == "T" || name == "H") {
      Invocation made;
      made.name = "t";
      return applied(object, made, nullptr);
    }
    if (name == "mT") {
      TESSERA_TRY(const Strided turned, swapped(array->strided, -2, -1));
      return std::optional(arrayItem({turned, array->element, array->numpy}));
    }
    if (name == "shape") return std::optional(object.elements[0]);
    if (name == "ndim") return std::optional(Item::number(static_cast<i64>(array->strided.rank())));
    if (name == "dtype" && !array->element.empty()) return std::optional(Item::type(array->element));
    const auto bits = bitsOfType(array->element);
    if (name == "itemsize" && bits) return std::optional(Item::number(*bits / 8));
    if (name != "strides" || !bits) return std::optional<Item>();
    return binaryEach(object.elements[1], *bits / 8);
  }

  Result<std::optional<Item>> subscript(const Item& object, const Tree& tree) override {
    const auto array = arrayOf(object);
    if (!array) return std::optional<Item>();
    std::vector<const Tree*> parts;
    for (std::size_t k = 1; k < tree.children.size(); ++k) {
      if (tree.children[k].kind == Tree::Kind::Tuple)
        for (const Tree& part : tree.children[k].children) parts.push_back(&part);
      else
        parts.push_back(&tree.children[k]);
    }
    ArrayItem out = *array;
    TESSERA_CHECKED(index(out.strided, parts));
    return std::optional(arrayItem(std::move(out)));
  }

  Result<std::optional<std::string>> bound(const Item& item) override {
    const auto array = arrayOf(item);
    if (!array) return std::optional<std::string>();
    if (array->strided.rank() == 0) return std::optional<std::string>();
    if (array->strided.offset != 0)
      note(fmt::format("the view begins at element {}, which is not part of the layout", array->strided.offset));
    return std::optional(print(array->strided));
  }

  Result<std::optional<Item>> declared(const Tree& type) override {
    if (type.kind != Tree::Kind::String) return std::optional<Item>();
    const auto value = [&](std::string_view written) {
      const std::string* let = given_.let(written);
      const Item item = givenItem(let == nullptr ? std::string(written) : *let);
      if (item.is(Item::Kind::Integer)) return item;
      Item out{.kind = Item::Kind::Missing, .text = std::string(written)};
      out.questions.push_back(
          {std::string(written), "a symbolic size", fmt::format("--let '{}=64'", written), type.span});
      return out;
    };
    return annotatedArray(type.text, value);
  }

 private:
  [[nodiscard]] bool numpyModule(const Invocation& made) const {
    if (made.qualified.starts_with("torch") || made.qualified.starts_with("aten")) return false;
    return made.qualified.starts_with("np.") || made.qualified.starts_with("numpy.") || numpy_;
  }

  static std::optional<Item> withQuestions(Item item, const Invocation& made) {
    for (const Item& argument : made.arguments) item = std::move(item).with(argument);
    for (const auto& [key, argument] : made.keywords) item = std::move(item).with(argument);
    return std::optional(std::move(item));
  }

  // An array, or the shape of one that --let gives.
  static Result<std::optional<ArrayItem>> arrayFrom(const Item& item) {
    if (auto array = arrayOf(item)) return array;
    if (!item.is(Item::Kind::Tuple) || item.elements.empty()) return std::optional<ArrayItem>();
    const Result<std::vector<i64>> shape = integersOf(item, "the shape");
    if (!shape) return std::optional<ArrayItem>();
    TESSERA_TRY(Strided strided, contiguous(*shape));
    return std::optional(ArrayItem{std::move(strided), "", false});
  }

  Result<std::optional<Item>> method(const Invocation& made) {
    TESSERA_TRY(const Item object, evaluate(*made.receiver));
    return applied(object, made, made.receiver);
  }

  Result<std::optional<Item>> applied(const Item& object, const Invocation& made, const Tree* tree) {
    TESSERA_TRY(auto array, arrayFrom(object));
    // Only these say all of the result's layout.
    const bool whole = made.name.starts_with("as_strided") || made.name == "reinterpret_tensor";
    if (!array && object.isMissing() && whole) return restrided(made);
    if (!array && object.isMissing() && (made.name == "view" || made.name == "reshape"))
      if (auto viewed = viewOfUnknown(object, made)) return viewed;
    if (array && made.name == "rearrange") return rearrangedArray(object, *array, made);
    if (!array) {
      if (!object.isMissing() || !isArrayView(made.name) || tree == nullptr) return std::optional<Item>();
      Item out{.kind = Item::Kind::Missing, .text = object.text};
      out.wanted = true;
      for (const Question& q : object.questions)
        out.questions.push_back({q.name, "the shape of an array that the text does not define",
                                 fmt::format("--let '{}=(2,3,4)'", q.name), q.span});
      return std::optional(std::move(out));
    }
    if (object.is(Item::Kind::Tuple)) array->numpy = numpy_;
    const Item full = arrayItem(*array);
    if (made.name == "stride" && made.arguments.empty()) return std::optional(full.elements[1]);
    if ((made.name == "size" || made.name == "stride") && made.arguments.size() == 1) {
      TESSERA_TRY(const i64 d, integerOf(made.arguments[0], "the dimension"));
      TESSERA_TRY(const std::size_t at, dimension(d, array->strided.rank()));
      return std::optional(Item::number(made.name == "size" ? array->strided.shape[at] : array->strided.stride[at]));
    }
    if (made.name == "size" && made.arguments.empty()) return std::optional(full.elements[0]);
    std::vector<std::string> notes;
    TESSERA_TRY(auto changed, arrayMethod(*array, made, notes));
    for (std::string& text : notes) note(std::move(text));
    if (!changed) return std::optional<Item>();
    return withQuestions(arrayItem(*std::move(changed)).with(object), made);
  }

  // x.view(4, 8) of an x without a shape: view gives the shape, and x is taken as contiguous.
  std::optional<Item> viewOfUnknown(const Item& object, const Invocation& made) {
    const std::vector<Item>& given = made.arguments;
    const std::vector<Item>& list = given.size() == 1 && given[0].is(Item::Kind::Tuple) ? given[0].elements : given;
    std::vector<i64> sizes;
    for (const Item& item : list) {
      if (!item.is(Item::Kind::Integer) || item.integer < 0 || !item.questions.empty()) return std::nullopt;
      sizes.push_back(item.integer);
    }
    const auto strided = contiguous(sizes);
    if (sizes.empty() || !strided) return std::nullopt;
    note(fmt::format("{} is taken as contiguous", object.text.empty() ? "the array" : object.text));
    return arrayItem({*strided, "", numpy_});
  }

  Result<std::optional<Item>> restrided(const Invocation& made) {
    std::vector<std::string> notes;
    TESSERA_TRY(auto array, arrayMethod({}, made, notes));
    if (!array) return std::optional<Item>();
    return withQuestions(arrayItem(*std::move(array)), made);
  }

  Result<std::optional<Item>> rearrangedArray(const Item& object, ArrayItem array, const Invocation& made) {
    if (made.arguments.empty()) return std::optional<Item>();
    std::vector<std::pair<std::string, i64>> sizes;
    for (const auto& [key, item] : made.keywords) {
      TESSERA_TRY(const i64 extent, integerOf(item, key));
      sizes.emplace_back(key, extent);
    }
    TESSERA_TRY(auto strided, rearranged(array.strided, made.arguments[0].text, sizes));
    if (strided.copies) note("rearrange copies: the strides are those of the copy");
    array.strided = std::move(strided.strided);
    return withQuestions(arrayItem(std::move(array)).with(object), made);
  }

  // assert_size_stride(x, size, stride) says what x is.
  Result<std::optional<Item>> declaredStrides(const Invocation& made) {
    TESSERA_TRY(auto array, arrayConstructor(made, false));
    Item out = arrayItem(*std::move(array));
    for (std::size_t k = 1; k < made.arguments.size(); ++k) out = std::move(out).with(made.arguments[k]);
    bind(made.tree->children[1], out);
    return std::optional(Item{});
  }

  // numpy's strides are bytes of the type of x.
  Result<std::optional<Item>> numpyStrided(const Invocation& made) {
    const Item* shape = made.argument(1, "shape");
    const Item* strides = made.argument(2, "strides");
    if (made.arguments.empty() || shape == nullptr || strides == nullptr)
      return Diag{"as_strided has an array, a shape and strides", "all three"};
    TESSERA_TRY(Strided out, stridedOf(*shape, *strides));
    const auto array = arrayOf(made.arguments[0]);
    std::string element = array ? array->element : "";
    if (const std::string* given = given_.let("dtype")) element = given->substr(given->rfind('.') + 1);
    const auto bits = bitsOfType(element);
    const std::string* unit = given_.let("unit");
    if (unit != nullptr && unit->starts_with("element"))
      return std::optional(arrayItem({std::move(out), "", true}).with(*shape).with(*strides));
    if (!bits) {
      const std::string of = textOf(made.tree->children[1]);
      Item item = arrayItem({std::move(out), "", true});
      item.questions.push_back({"the type of an element of " + of,
                                "numpy's strides are bytes; the layout counts elements", "--let dtype=float32",
                                made.tree->span});
      return std::optional(std::move(item).with(*shape).with(*strides));
    }
    for (i64& s : out.stride) {
      if (s % (*bits / 8) != 0)
        return Diag{fmt::format("a stride of {} bytes is no multiple of the {} bytes of an element", s, *bits / 8),
                    "strides in bytes", "--let unit=element"};
      s /= *bits / 8;
    }
    note(fmt::format("strides are bytes, and an element has {}", *bits / 8));
    return std::optional(arrayItem({std::move(out), element, true}).with(*shape).with(*strides));
  }

  static Result<std::optional<Item>> binaryEach(const Item& tuple, i64 factor) {
    std::vector<Item> out;
    for (const Item& e : tuple.elements) {
      TESSERA_TRY(Item product, binary("*", e, Item::number(factor)));
      out.push_back(std::move(product));
    }
    return std::optional(Item::tuple(std::move(out)));
  }

  // a[1, ::2, None, ...]
  Result<void> index(Strided& a, const std::vector<const Tree*>& parts) {
    const auto isDots = [](const Tree* part) { return part->kind == Tree::Kind::Name && part->text == "..."; };
    const auto isNew = [](const Tree* part) { return part->kind == Tree::Kind::Name && part->text == "None"; };
    const auto newAxis = [](const Tree* part) { return part->kind == Tree::Kind::Member && part->text == "newaxis"; };
    std::size_t used = 0;
    for (const Tree* part : parts) used += isDots(part) || isNew(part) || newAxis(part) ? 0 : 1;
    if (used > a.rank())
      return Diag{fmt::format("{} subscripts for {} dimensions", used, a.rank()), "fewer subscripts"};
    std::size_t d = 0;
    for (const Tree* part : parts) {
      if (isDots(part)) {
        d += a.rank() - used - d;
        continue;
      }
      if (isNew(part) || newAxis(part)) {
        TESSERA_TRY(a, unsqueezed(a, static_cast<i64>(d)));
        ++d;
        ++used;
        continue;
      }
      if (part->kind != Tree::Kind::Slice) {
        TESSERA_TRY(const Item at, evaluate(*part));
        TESSERA_TRY(const i64 value, integerOf(at, "a subscript"));
        TESSERA_TRY(a, selected(a, static_cast<i64>(d), value));
        --used;
        continue;
      }
      std::array<std::optional<i64>, 3> ends;
      for (std::size_t k = 0; k < 3; ++k) {
        if (part->children[k].kind == Tree::Kind::Empty) continue;
        TESSERA_TRY(const Item end, evaluate(part->children[k]));
        TESSERA_TRY(ends[k], integerOf(end, "an end of a slice"));
      }
      TESSERA_TRY(a, sliced(a, d, ends[0], ends[1], ends[2].value_or(1)));
      ++d;
    }
    return {};
  }

  const Given& given_;
  bool numpy_;
};

}  // namespace

bool isArrayView(std::string_view name) { return std::ranges::find(kViews, name) != kViews.end(); }

Result<Reading> evaluateArrays(std::string_view text, const Given& given) {
  return ArrayEvaluator(text, given).read("numpy or torch");
}

}  // namespace tessera::paste::python
