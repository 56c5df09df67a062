// TVM, TIRx and TileLang.
//
//     TileLayout(S[(4, 8):(1, 4)] + R[2:1@warpid])         S[(4, 8):(1, 4)] + R[2:1@warpid]
//     T.match_buffer(a, (16, 16), "float16", strides=[20, 1])     (16, 16):(20, 1); without strides row-major
//     A: T.Buffer((16, 16), "float16")                     A = (16, 16):(16, 1)
//     Layout([64, 64], lambda i, j: i * 72 + j)            (i, j) -> (i * 72 + j), domain: i in [0, 63], j in [0, 63]
//     T.Fragment([16, 8], forward_fn=lambda i, j: (t, k))  (i, j) -> (thread: t, local: k), domain: ...
//     make_swizzled_layout(A)                              the address in shared memory, after TileLang's swizzle
//     sch.transform_layout("B", "A", lambda i, j: ...)     its index map, over --over
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "core/base/chars.h"
#include "core/paste/dialects.h"
#include "core/paste/python/evaluator.h"
#include "core/paste/python/index_map.h"
#include "core/paste/python/strided.h"
#include "core/paste/python/tilelang_swizzle.h"

namespace tessera::paste {
namespace {

using code::Tree;
using python::Invocation;
using python::Item;

constexpr auto kBuffers = std::to_array<std::string_view>(
    {"match_buffer", "Buffer", "alloc_buffer", "alloc_shared", "alloc_fragment", "alloc_local", "decl_buffer", "Tensor",
     "StridedTensor", "placeholder", "sblock_alloc_buffer", "make_tensor", "alloc_tmem"});

bool isBufferCall(std::string_view name) { return std::ranges::find(kBuffers, name) != kBuffers.end(); }

class TvmEvaluator : public python::Evaluator {
 public:
  TvmEvaluator(std::string_view text, const Given& given) : Evaluator(text, given), given_(given) {}

 protected:
  Result<std::optional<Item>> call(const Invocation& made) override {
    const std::string& name = made.name;
    if (name == "TileLayout") return tileLayout(made);
    if (name == "SwizzleLayout") return swizzle(made);
    if (name == "ComposeLayout" || name == "compose_layout") return composed(made);
    if (name == "Layout" || name == "Fragment") return functionLayout(made);
    if (name.ends_with("swizzled_layout") || name == "make_linear_layout") return swizzled(made);
    if (name == "transform_layout" || name == "from_func" || name == "IndexMap") return transformed(made);
    if (name == "annotate_layout") return annotated(made);
    if (isBufferCall(name)) return buffer(made);
    const std::string_view type = made.receiver != nullptr ? python::wordOfType(name) : std::string_view();
    if (!type.empty() && made.arguments.size() == 1 && made.arguments[0].is(Item::Kind::Integer))
      return std::optional(made.arguments[0]);
    return std::optional<Item>();
  }

  // A.shape of a buffer
  Result<std::optional<Item>> member(const Item& object, const std::string& name) override {
    if (name == "shape" && isBuffer(object)) return std::optional(object.elements[0]);
    return std::optional<Item>();
  }

  Result<std::optional<std::string>> bound(const Item& item) override {
    if (!isBuffer(item)) return Evaluator::bound(item);
    return std::optional(item.elements[1].text);
  }

  Result<std::optional<Item>> declared(const Tree& type) override {
    if (type.kind != Tree::Kind::Call || !isBufferCall(code::calledName(type))) return std::optional<Item>();
    TESSERA_TRY(Item item, evaluate(type));
    return isBuffer(item) ? std::optional(std::move(item)) : std::nullopt;
  }

 private:
  // Object "buffer": shape, layout, bits of an element.
  static bool isBuffer(const Item& item) { return item.is(Item::Kind::Object) && item.text == "buffer"; }

  // ---- TIRx ----

  // S[(4, 8):(1@lane, 4)] + R[2:1@warpid] + 5@warpid
  Result<Item> axe(const Tree& tree) {
    if (tree.kind == Tree::Kind::Binary && tree.text == "+") {
      TESSERA_TRY(const Item left, axe(tree.children[0]));
      TESSERA_TRY(const Item right, axe(tree.children[1]));
      return Item::expression(left.text + " + " + right.text).with(left).with(right);
    }
    if (tree.kind == Tree::Kind::Subscript) return iters(tree);
    return entry(tree);
  }

  // 4, n * 2, 1@lane, (1, 4@lane)
  Result<Item> entry(const Tree& tree) {
    if (tree.kind == Tree::Kind::Tuple || tree.kind == Tree::Kind::List) {
      std::string out;
      Item questions;
      for (const Tree& child : tree.children) {
        TESSERA_TRY(const Item one, entry(child));
        out += (out.empty() ? "" : ", ") + one.text;
        questions = std::move(questions).with(one);
      }
      return Item::expression("(" + out + (tree.children.size() == 1 ? ",)" : ")")).with(questions);
    }
    if (tree.kind == Tree::Kind::Binary && tree.text == "@") {
      TESSERA_TRY(const Item stride, entry(tree.children[0]));
      return Item::expression(fmt::format("{}@{}", stride.text, axis(tree.children[1]))).with(stride);
    }
    TESSERA_TRY(const Item item, evaluate(tree));
    TESSERA_TRY(const std::string text, python::worksheetText(item));
    return Item::expression(text).with(item);
  }

  // lane of T.axis.lane, or of the string "lane"
  static std::string axis(const Tree& tree) {
    return tree.kind == Tree::Kind::String ? tree.text : std::string(code::lastName(tree));
  }

  // S[shape], S[shape:strides], R[...]
  Result<Item> iters(const Tree& tree) {
    const std::string_view letter = code::lastName(tree.children[0]);
    if (letter != "S" && letter != "R" && letter != "O")
      return Diag{"S[...] or R[...] is missing", "S[shape:strides]", {}, tree.span};
    std::string out;
    Item questions;
    for (std::size_t k = 1; k < tree.children.size(); ++k) {
      const Tree& part = tree.children[k];
      const bool slice = part.kind == Tree::Kind::Slice;
      TESSERA_TRY(const Item shape, entry(slice ? part.children[0] : part));
      questions = std::move(questions).with(shape);
      out += (out.empty() ? "" : ", ") + shape.text;
      if (!slice) continue;
      TESSERA_TRY(const Item stride, entry(part.children[1]));
      questions = std::move(questions).with(stride);
      out += ":" + stride.text;
    }
    return Item::expression(fmt::format("{}[{}]", letter, out)).with(questions);
  }

  Result<std::optional<Item>> tileLayout(const Invocation& made) {
    std::string out;
    Item questions;
    for (std::size_t k = 1; k < made.tree->children.size(); ++k) {
      const Tree& child = made.tree->children[k];
      const Tree& value = child.kind == Tree::Kind::Keyword ? child.children[0] : child;
      if (value.kind != Tree::Kind::Subscript && value.kind != Tree::Kind::Binary)
        return Diag{"TileLayout without S[...] is not read", "TileLayout(S[shape:strides])", {}, child.span};
      TESSERA_TRY(const Item part, axe(value));
      out += (out.empty() ? "" : " + ") + part.text;
      questions = std::move(questions).with(part);
    }
    return std::optional(Item::expression(std::move(out)).with(questions));
  }

  Result<std::optional<Item>> swizzle(const Invocation& made) {
    std::array<i64, 3> numbers{};
    constexpr std::array<std::string_view, 3> kNames = {"per_element", "swizzle_len", "atom_len"};
    Item questions;
    for (std::size_t k = 0; k < 3; ++k) {
      const Item* item = made.argument(k, kNames[k]);
      if (item == nullptr) return Diag{fmt::format("SwizzleLayout has no {}", kNames[k]), "three integers"};
      TESSERA_TRY(numbers[k], python::integerOf(*item, kNames[k]));
      questions = std::move(questions).with(*item);
    }
    const Item* inner = made.argument(3, "swizzle_inner");
    if (inner != nullptr && !python::truth(*inner).value_or(true))
      return Diag{"an outer swizzle has no name here", "swizzle_inner=True"};
    return std::optional(
        Item::expression(fmt::format("Sw<{},{},{}>", numbers[1], numbers[0], numbers[2])).with(questions));
  }

  Result<std::optional<Item>> composed(const Invocation& made) {
    if (made.arguments.size() != 2) return Diag{"ComposeLayout has a swizzle and a tile layout", "both"};
    TESSERA_TRY(const std::string outer, python::worksheetText(made.arguments[0]));
    TESSERA_TRY(const std::string inner, python::worksheetText(made.arguments[1]));
    return std::optional(
        Item::expression(fmt::format("{} o {}", outer, inner)).with(made.arguments[0]).with(made.arguments[1]));
  }

  // annotate_layout({A: layout, B: layout}): the layouts.
  Result<std::optional<Item>> annotated(const Invocation& made) {
    if (made.tree->children.size() != 2 || made.tree->children[1].kind != Tree::Kind::Dictionary)
      return std::optional<Item>();
    std::vector<Item> layouts;
    const std::vector<Tree>& entries = made.tree->children[1].children;
    for (std::size_t k = 1; k < entries.size(); k += 2) {
      TESSERA_TRY(Item layout, evaluate(entries[k]));
      layouts.push_back(std::move(layout));
    }
    if (layouts.empty()) return std::optional<Item>();
    return std::optional(layouts.size() == 1 ? layouts[0] : Item::tuple(std::move(layouts)));
  }

  // ---- buffers ----

  static std::size_t shapeIndex(std::string_view name) {
    return name == "match_buffer" || name == "make_tensor" ? 1 : 0;
  }

  Result<std::optional<Item>> buffer(const Invocation& made) {
    const Item* shape = made.argument(shapeIndex(made.name), "shape");
    if (shape == nullptr) return std::optional<Item>();
    if (shape->isMissing()) return std::optional(*shape);
    const Item* strides = made.name == "StridedTensor" ? made.argument(1, "strides") : made.keyword("strides");
    const Item* layout = made.keyword("layout");
    TESSERA_TRY(const std::vector<i64> extents, python::integersOf(*shape, "the shape"));
    Item out{.kind = Item::Kind::Object, .text = "buffer"};
    out = std::move(out).with(*shape);
    std::string text;
    if (layout != nullptr && layout->isMissing()) {
      text = "1:0";
      out = std::move(out).with(*layout);
    } else if (layout != nullptr && layout->is(Item::Kind::Text)) {
      text = layout->text;
      out = std::move(out).with(*layout);
    } else if (strides != nullptr && strides->is(Item::Kind::Tuple) && !strides->elements.empty()) {
      TESSERA_TRY(const std::vector<i64> list, python::integersOf(*strides, "the strides"));
      if (list.size() != extents.size())
        return Diag{fmt::format("{} strides for {} extents", list.size(), extents.size()), "a stride for each extent"};
      text = python::print(python::Strided{extents, list, 0});
      out = std::move(out).with(*strides);
    } else {
      TESSERA_TRY(const python::Strided rows, python::contiguous(extents));
      text = python::print(rows);
    }
    if (text.starts_with("():")) return std::optional<Item>();
    std::vector<Item> list;
    for (const i64 e : extents) list.push_back(Item::number(e));
    out.elements = {Item::tuple(std::move(list)), Item::expression(std::move(text)), elementType(made)};
    return std::optional(std::move(out));
  }

  static Item elementType(const Invocation& made) {
    const Item* named = made.keyword("dtype");
    for (const Item& item : made.arguments)
      if (named == nullptr && (item.is(Item::Kind::String) || item.is(Item::Kind::Type)) &&
          python::bitsOfType(item.text))
        named = &item;
    return named == nullptr ? Item{} : Item::type(std::string(python::wordOfType(named->text)));
  }

  // ---- TileLang ----

  [[nodiscard]] python::ConstantOf constants() {
    return [this](const Tree& tree) { return evaluate(tree); };
  }

  // The lambda, or the function of the text, that is this argument.
  const Tree* functionAt(const Invocation& made, std::string_view keyword) const {
    for (std::size_t k = 1; k < made.tree->children.size(); ++k) {
      const Tree& child = made.tree->children[k];
      if (!keyword.empty() && (child.kind != Tree::Kind::Keyword || child.text != keyword)) continue;
      const Tree& value = child.kind == Tree::Kind::Keyword ? child.children[0] : child;
      if (value.kind == Tree::Kind::Lambda) return &value;
      const auto at = value.kind == Tree::Kind::Name ? functions_.find(value.text) : functions_.end();
      if (at != functions_.end()) return &at->second;
    }
    return nullptr;
  }

  // As a map, or else as index code.
  Result<Item> mapOf(const Tree& function, const std::vector<std::string>& names, const std::vector<i64>& extents) {
    Result<Item> map = python::indexMap({&function}, names, extents, constants());
    return map ? map : python::indexCode(function, extents, constants());
  }

  Result<std::optional<Item>> functionLayout(const Invocation& made) {
    const Item* shape = made.argument(0, "shape");
    if (shape == nullptr) return std::optional<Item>();
    TESSERA_TRY(const std::vector<i64> extents, python::integersOf(*shape, "the shape"));
    const Item* replicate = made.keyword("replicate");
    if (replicate != nullptr && !(replicate->is(Item::Kind::Integer) && replicate->integer == 1))
      return Diag{"a Fragment with replicas is not read", "replicate=1"};
    const Tree* threads = functionAt(made, "forward_thread_fn");
    const Tree* locals = functionAt(made, "forward_index_fn");
    if (threads != nullptr && locals != nullptr) {
      TESSERA_TRY(const Item map, python::indexMap({threads, locals}, {"thread", "local"}, extents, constants()));
      return std::optional(Item(map).with(*shape));
    }
    const Tree* function = functionAt(made, "");
    if (function == nullptr) return missingFunction(made);
    const std::vector<std::string> names =
        made.name == "Fragment" ? std::vector<std::string>{"thread", "local"} : std::vector<std::string>();
    TESSERA_TRY(const Item map, mapOf(*function, names, extents));
    return std::optional(Item(map).with(*shape));
  }

  static Result<std::optional<Item>> missingFunction(const Invocation& made) {
    if (made.arguments.size() < 2 && made.keywords.empty()) return std::optional<Item>();
    return Diag{fmt::format("the function of {} is not in the text", made.name), "a lambda, or a def before it",
                "paste the function with it", made.tree->span};
  }

  // The extents of the function's indices: --over by name or order, or the shape of a buffer that the call names.
  Result<std::optional<Item>> transformed(const Invocation& made) {
    const Tree* function = functionAt(made, "");
    if (function == nullptr) return std::optional<Item>();
    std::vector<i64> extents;
    Item questions;
    for (std::size_t k = 0; k < function->parameters.size(); ++k) {
      const std::string& index = function->parameters[k].name;
      const auto named = std::ranges::find(given_.over, index, [](const auto& o) { return o.first; });
      if (named == given_.over.end())
        questions.questions.push_back(
            {index, "the extent of an index", fmt::format("--over {}=64", index), function->parameters[k].span});
      extents.push_back(named == given_.over.end() ? 1 : named->second);
    }
    TESSERA_TRY(const Item map, mapOf(*function, {}, extents));
    return std::optional(Item(map).with(questions));
  }

  Result<std::optional<Item>> swizzled(const Invocation& made) {
    if (made.arguments.empty()) return std::optional<Item>();
    const Item& first = made.arguments[0];
    if (first.isMissing() && made.arguments.size() == 1)
      return Diag{fmt::format("{} has no buffer of two dimensions with a type", made.name),
                  "a buffer that the text allocates", "paste its T.alloc_shared with it"};
    std::vector<i64> shape;
    Item questions = Item{}.with(first);
    std::optional<int> bits;
    if (isBuffer(first)) {
      TESSERA_TRY(shape, python::integersOf(first.elements[0], "the shape"));
      bits = python::bitsOfType(first.elements[2].text);
    } else {
      // (stride, continuous, element_size)
      for (const Item& item : made.arguments) {
        if (!item.is(Item::Kind::Integer) && !item.isMissing()) continue;
        questions = std::move(questions).with(item);
        if (shape.size() < 2) {
          TESSERA_TRY(const i64 extent, python::integerOf(item, "an extent"));
          shape.push_back(extent);
        } else if (!bits) {
          TESSERA_TRY(const i64 size, python::integerOf(item, "element_size"));
          bits = static_cast<int>(std::clamp<i64>(size, 1, 128));
        }
      }
    }
    if (shape.size() != 2 || !bits) {
      if (!questions.questions.empty()) return std::optional(Item::expression("1:0").with(questions));
      return Diag{fmt::format("{} has no buffer of two dimensions with a type", made.name),
                  "a buffer that the text allocates", "paste its T.alloc_shared with it", made.tree->span};
    }
    TESSERA_TRY(std::string map, python::tilelangSwizzle(made.name, shape[0], shape[1], *bits));
    note("X is the element's address in shared memory");
    return std::optional(Item::expression(std::move(map)).with(questions));
  }

 public:
  // The functions of the text, by name.
  void define(const std::vector<Tree>& trees) {
    for (const Tree& tree : trees) {
      if (tree.kind == Tree::Kind::Function) functions_.insert_or_assign(tree.text, tree);
      if (tree.kind == Tree::Kind::Function || tree.kind == Tree::Kind::Struct || tree.kind == Tree::Kind::Block)
        define(tree.children);
    }
  }

 private:
  const Given& given_;
  std::map<std::string, Tree, std::less<>> functions_;
};

// A word that is called, and the blanks before its bracket.
bool callsWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (end < text.size() && text[end] == '(' && (at == 0 || !isNamePart(text[at - 1]))) return true;
  }
  return false;
}

int recognizesTvm(std::string_view text) {
  text = text.substr(0, std::size_t{64} << 10);
  for (const std::string_view word : {"TileLayout",
                                      "SwizzleLayout",
                                      "match_buffer",
                                      "T.Buffer",
                                      "T.alloc_buffer",
                                      "T.alloc_shared",
                                      "T.alloc_fragment",
                                      "T.decl_buffer",
                                      "tir.decl_buffer",
                                      "T.Fragment",
                                      "T.Layout",
                                      "Fragment",
                                      "make_swizzled_layout",
                                      "transform_layout",
                                      "IndexMap.from_func",
                                      "T.Tensor",
                                      "T.StridedTensor",
                                      "te.placeholder",
                                      "make_full_bank_swizzled_layout",
                                      "make_half_bank_swizzled_layout",
                                      "make_quarter_bank_swizzled_layout"})
    if (callsWord(text, word)) return 2;
  return callsWord(text, "Layout") && (text.find("lambda") != std::string_view::npos) ? 2
         : callsWord(text, "Layout") && text.find("def ") != std::string_view::npos   ? 1
                                                                                      : 0;
}

Result<Reading> readTvm(std::string_view text, const Given& given) {
  TESSERA_TRY(const std::vector<Tree> trees, code::readPython(text));
  TvmEvaluator evaluator(text, given);
  evaluator.define(trees);
  return evaluator.read("TVM");
}

}  // namespace

const Dialect kTvm{"TVM", recognizesTvm, readTvm};

}  // namespace tessera::paste
