// CuTe's Python DSL, pycute and tensor-layouts.
//
//     cute.make_layout((64, 2), stride=(1, 64))        make_layout((64, 2), (1, 64))
//     Layout((4, 8), (8, 1)), compose(a, b)            make_layout((4, 8), (8, 1)), composition(a, b)
//     cute.make_tiled_copy_tv(atom, threads, values)   its layout (thread, value) -> index in the tile; the atom's own
//                                                      copy if the text defines it
#include <fmt/format.h>

#include <algorithm>

#include "core/base/chars.h"
#include "core/paste/dialects.h"
#include "core/paste/python/cute_functions.h"

namespace tessera::paste {
namespace {

using python::Invocation;
using python::Item;

constexpr auto kCuteModules = std::to_array<std::string_view>(
    {"cute", "cutlass", "nvgpu", "warp", "warpgroup", "tcgen05", "cpasync", "utils", "sm90_utils", "sm100_utils",
     "sm80_utils", "utils_sm90", "cutlass_utils", "LayoutEnum", "tl", "pycute", "sm90_utils_basic"});

// Constructors of tuples.
constexpr auto kTupleCalls = std::to_array<std::string_view>(
    {"Shape", "Stride", "Coord", "Tile", "make_shape", "make_stride", "make_coord", "make_tile"});

// What values have as methods, too: names.append(x) is not append(names, x) if nothing defines names.
bool isMethod(std::string_view name) {
  constexpr auto kMethods = std::to_array<std::string_view>({"append", "prepend", "get", "select", "filter", "flatten",
                                                             "size", "shape", "rank", "depth", "get_slice", "retile"});
  return std::ranges::find(kMethods, name) != kMethods.end() || name.starts_with("partition_") ||
         name.starts_with("make_fragment_");
}

bool isCuteModule(std::string_view dotted) {
  return std::ranges::find(kCuteModules, dotted.substr(0, dotted.find('.'))) != kCuteModules.end();
}

// A mode of shape(L) or shape<0>(L): shape<1>(L), shape<0,1>(L).
std::optional<std::string> measured(const std::string& text, std::string_view function, std::string_view mode) {
  if (!text.starts_with(function) || !text.ends_with(')')) return std::nullopt;
  std::size_t open = function.size();
  std::string modes;
  if (open < text.size() && text[open] == '<') {
    const std::size_t close = text.find('>', open);
    if (close == std::string::npos) return std::nullopt;
    modes = text.substr(open + 1, close - open - 1) + ",";
    open = close + 1;
  }
  if (open >= text.size() || text[open] != '(') return std::nullopt;
  const std::string inside = text.substr(open + 1, text.size() - open - 2);
  int depth = 0;
  for (const char c : inside) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth < 0) return std::nullopt;
  }
  return fmt::format("{}<{}{}>({})", function, modes, mode, inside);
}

class CuteEvaluator : public python::Evaluator {
 public:
  using Evaluator::Evaluator;

 protected:
  Result<std::optional<Item>> call(const Invocation& made) override {
    const std::string_view word =
        made.receiver != nullptr || (!made.name.empty() && made.name[0] >= 'A' && made.name[0] <= 'Z')
            ? python::wordOfType(made.name)
            : std::string_view();
    if (!word.empty() && made.arguments.size() == 1) return std::optional(made.arguments[0]);
    if (made.receiver != nullptr && isBound(*made.receiver)) return method(made);
    if (made.receiver != nullptr && !isCuteModule(made.qualified) && isMethod(made.name)) return std::optional<Item>();
    if (isBound(made.tree->children[0])) return applied(made);
    if (std::ranges::find(kTupleCalls, made.name) != kTupleCalls.end() && made.keywords.empty()) {
      const bool one = made.arguments.size() == 1 && made.arguments[0].is(Item::Kind::Tuple);
      return std::optional(one ? made.arguments[0] : Item::tuple(made.arguments));
    }
    if (made.name == "make_tiled_copy_tv") return tiledCopy(made);
    TESSERA_TRY(auto atom, python::cuteAtom(made));
    if (atom) return atom;
    return python::cuteFunction(made);
  }

  std::optional<Item> name(std::string_view dotted) const override {
    const std::size_t dot = dotted.rfind('.');
    const std::string_view last = dotted.substr(dot == std::string_view::npos ? 0 : dot + 1);
    const std::string_view word = python::wordOfType(last);
    const bool capital = !last.empty() && last[0] >= 'A' && last[0] <= 'Z';
    if (!word.empty() && (capital || dot != std::string_view::npos)) return Item::type(std::string(word));
    if (dot == std::string_view::npos) return std::nullopt;
    const bool upper = std::ranges::none_of(last, [](char c) { return c >= 'a' && c <= 'z'; });
    if (!upper || (!isCuteModule(dotted) && !(dotted[0] >= 'A' && dotted[0] <= 'Z'))) return std::nullopt;
    return Item{.kind = Item::Kind::String, .text = std::string(dotted)};
  }

  Result<std::optional<Item>> member(const Item& object, const std::string& name) override {
    if (object.is(Item::Kind::Type)) {
      const auto bits = python::bitsOfType(object.text);
      if (name == "width" && bits) return std::optional(Item::number(*bits));
      return std::optional<Item>();
    }
    if (!object.is(Item::Kind::Text)) return std::optional<Item>();
    if (name == "shape" || name == "stride")
      return std::optional(Item::expression(fmt::format("{}({})", name, object.text)));
    if (name == "layout") return std::optional(object);
    return std::optional<Item>();
  }

  // shape(L)[0] is shape<0>(L); L[0] is a mode, L[(None, 1)] a slice.
  Result<std::optional<Item>> subscript(const Item& object, const code::Tree& tree) override {
    if (!object.is(Item::Kind::Text)) return std::optional<Item>();
    std::vector<Item> parts;
    for (std::size_t k = 1; k < tree.children.size(); ++k) {
      TESSERA_TRY(Item part, evaluate(tree.children[k]));
      parts.push_back(std::move(part));
    }
    const Item index = parts.size() == 1 ? parts[0] : Item::tuple(parts);
    TESSERA_TRY(const std::string text, python::worksheetText(index));
    if (!index.is(Item::Kind::Integer))
      return std::optional(Item::expression(fmt::format("slice({}, {})", text, object.text)).with(index));
    for (const std::string_view function : {"shape", "stride"})
      if (const auto mode = measured(object.text, function, text)) return std::optional(Item::expression(*mode));
    return std::optional(Item::expression(fmt::format("get<{}>({})", text, object.text)));
  }

  Result<std::optional<std::string>> bound(const Item& item) override {
    if (!item.is(Item::Kind::Object)) return Evaluator::bound(item);
    const std::string name = python::operationName(item);
    if (name.empty() || name.starts_with("cp.async") || name.starts_with("UniversalCopy"))
      return std::optional<std::string>();
    return std::optional(fmt::format("atlas({})", name));
  }

 private:
  Result<std::optional<Item>> method(const Invocation& made) {
    TESSERA_TRY(const Item object, evaluate(*made.receiver));
    if (!object.is(Item::Kind::Text)) return std::optional<Item>();
    Invocation function = made;
    function.receiver = nullptr;
    function.arguments.insert(function.arguments.begin(), object);
    return python::cuteFunction(function);
  }

  // A layout called with a coordinate.
  Result<std::optional<Item>> applied(const Invocation& made) {
    TESSERA_TRY(const Item layout, evaluate(made.tree->children[0]));
    if (!layout.is(Item::Kind::Text)) return std::optional<Item>();
    std::string coordinates;
    Item questions;
    for (const Item& item : made.arguments) {
      TESSERA_TRY(const std::string text, python::worksheetText(item));
      coordinates += (coordinates.empty() ? "" : ", ") + text;
      questions = std::move(questions).with(item);
    }
    return std::optional(
        Item::expression(fmt::format("{}({})", layout.text, coordinates)).with(questions).with(layout));
  }

  // The copy itself if its atom is known.
  Result<std::optional<Item>> tiledCopy(const Invocation& made) {
    const Item* atom = made.argument(0, "atom");
    const Item* threads = made.argument(1, "thr_layout");
    const Item* values = made.argument(2, "val_layout");
    const std::string name = atom == nullptr ? "" : python::operationName(*atom);
    const Item* type = atom == nullptr             ? nullptr
                       : atom->elements.size() > 1 ? &atom->elements[1]
                                                   : atom->field("copy_internal_type");
    if (name.empty() || type == nullptr || threads == nullptr || values == nullptr || !type->is(Item::Kind::Type)) {
      if (atom != nullptr && !atom->is(Item::Kind::Object))
        note(fmt::format("{} is not defined: X is the layout (thread, value) -> index in the tile",
                         atom->text.empty() ? "the copy atom" : atom->text));
      return python::cuteFunction(made);
    }
    TESSERA_TRY(const std::string t, python::worksheetText(*threads));
    TESSERA_TRY(const std::string v, python::worksheetText(*values));
    return std::optional(Item::expression(fmt::format("make_tiled_copy({}, {}, {}, {})", name, type->text, t, v))
                             .with(*threads)
                             .with(*values));
  }
};

// A word of the text, and what is before and after it.
bool hasCall(std::string_view text, std::string_view before, bool (*accepts)(std::string_view)) {
  for (std::size_t at = text.find(before); at != std::string_view::npos; at = text.find(before, at + 1)) {
    if (at > 0 && (isNamePart(text[at - 1]) || (text[at - 1] == '.' && before.empty()))) continue;
    std::size_t end = at + before.size();
    const std::size_t begin = end;
    while (end < text.size() && isNamePart(text[end])) ++end;
    std::size_t open = end;
    while (open < text.size() && text[open] == ' ') ++open;
    if (open < text.size() && text[open] == '(' && accepts(text.substr(begin, end - begin))) return true;
  }
  return false;
}

int recognizesCutePython(std::string_view text) {
  text = text.substr(0, std::size_t{64} << 10);
  if (text.find("::") != std::string_view::npos || text.find("//") == 0) return 0;
  for (const std::string_view module : {"cute.", "pycute.", "tensor_layouts."})
    if (hasCall(text, module, python::isCuteFunction)) return 2;
  const auto operation = [](std::string_view name) { return name.ends_with("Op"); };
  for (const std::string_view module : {"warp.", "warpgroup.", "tcgen05.", "cpasync.", "cute.nvgpu.warp.",
                                        "cute.nvgpu.warpgroup.", "cute.nvgpu.tcgen05.", "cute.nvgpu.cpasync.",
                                        "nvgpu.warp.", "nvgpu.warpgroup.", "nvgpu.tcgen05.", "cute.nvgpu."})
    if (hasCall(text, module, operation) || hasCall(text, module, python::isCuteFunction)) return 2;
  for (const std::string_view module : {"sm90_utils.", "sm100_utils.", "utils.sm90.", "utils.sm100."})
    if (hasCall(text, module, python::isCuteFunction)) return 2;
  if (text.find("import cutlass") != std::string_view::npos || text.find("pycute import") != std::string_view::npos ||
      text.find("tensor_layouts import") != std::string_view::npos)
    return 2;
  if (text.find("lambda") != std::string_view::npos || text.find('<') != std::string_view::npos) return 0;
  const auto layout = [](std::string_view name) {
    return name == "Layout" || name == "make_layout" || name == "ComposedLayout" || name == "compose" ||
           (name != "size" && name != "shape" && name != "get" && name != "select" && name != "append" &&
            name != "filter" && name != "rank" && name != "flatten" && python::isCuteFunction(name));
  };
  return hasCall(text, "", layout) ? 1 : 0;
}

Result<Reading> readCutePython(std::string_view text, const Given& given) {
  return CuteEvaluator(text, given).read("CuTe Python");
}

}  // namespace

const Dialect kCutePython{"CuTe Python", recognizesCutePython, readCutePython};

}  // namespace tessera::paste
