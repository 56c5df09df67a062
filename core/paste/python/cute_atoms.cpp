// Operations of nvgpu.warp, warpgroup, tcgen05 and cpasync, and what is built from them.
#include <fmt/format.h>

#include <algorithm>

#include "core/paste/python/cute_functions.h"

namespace tessera::paste::python {
namespace {

const Item* fieldOf(const Item& object, std::size_t index, std::string_view name) {
  if (index < object.elements.size()) return &object.elements[index];
  return object.field(name);
}

std::string typeAt(const Item& object, std::size_t index, std::string_view name) {
  const Item* item = fieldOf(object, index, name);
  return item != nullptr && item->is(Item::Kind::Type) ? item->text : "";
}

std::vector<i64> shapeAt(const Item& object, std::size_t index, std::string_view name) {
  const Item* item = fieldOf(object, index, name);
  if (item == nullptr) item = object.field("instruction_shape");
  if (item == nullptr) return {};
  const Result<std::vector<i64>> list = integersOf(*item, "the shape of the instruction");
  return list ? *list : std::vector<i64>();
}

bool mentions(const Item& object, std::string_view word) {
  const auto is = [&](const Item& i) { return i.is(Item::Kind::String) && i.text.ends_with(word); };
  return std::ranges::any_of(object.elements, is) ||
         std::ranges::any_of(object.fields, [&](const auto& f) { return is(f.second); });
}

// warp.MmaF16BF16Op(ab, acc, (16, 8, 16)), warp.MmaFP8Op(ab, acc, shape)
std::string warpMma(const Item& op) {
  const std::string ab = typeAt(op, 0, "ab_dtype"), acc = typeAt(op, 1, "acc_dtype");
  const std::vector<i64> shape = shapeAt(op, 2, "shape_mnk");
  if (ab.empty() || acc.empty() || shape.size() != 3) return {};
  return fmt::format("mma.m{}n{}k{}.{}.{}.{}.{}", shape[0], shape[1], shape[2], acc, ab, ab, acc);
}

struct Types {
  std::string a, b, accumulator;
  std::size_t next = 0;  // the argument after them
};

// (ab, acc) or, with two types for A and B, (a, b, acc).
Types typesOf(const Item& op) {
  Types out;
  out.a = typeAt(op, 0, op.field("ab_dtype") != nullptr ? "ab_dtype" : "a_dtype");
  const bool three = !typeAt(op, 2, "").empty() || op.field("b_dtype") != nullptr;
  out.b = three ? typeAt(op, 1, "b_dtype") : out.a;
  out.accumulator = typeAt(op, three ? 2 : 1, "acc_dtype");
  out.next = three ? 3 : 2;
  if (op.text == "MmaTF32Op") out = {"tf32", "tf32", "f32", 0};
  return out;
}

// warpgroup.MmaF16BF16Op(ab, acc, (64, N, 16), a_src, a_major, b_major), MmaF8Op(a, b, acc, ...)
std::string warpgroupMma(const Item& op) {
  const Types types = typesOf(op);
  const std::vector<i64> shape = shapeAt(op, types.next, "shape_mnk");
  const auto bits = bitsOfType(types.a);
  if (!bits || types.accumulator.empty() || shape.size() < 2) return {};
  return fmt::format("wgmma.m64n{}k{}.{}.{}.{}.{}", shape[1], 256 / *bits, types.accumulator, types.a, types.b,
                     mentions(op, "RMEM") ? "rs" : "ss");
}

// tcgen05.MmaF16BF16Op(ab, acc, (M, N, K), CtaGroup.ONE, OperandSource.SMEM, ...), MmaTF32Op(shape, ...)
std::string tensorMemoryMma(const Item& op) {
  const Types types = typesOf(op);
  const std::vector<i64> shape = shapeAt(op, types.next, "shape_mnk");
  if (shape.size() < 2) return {};
  const bool eight = op.text == "MmaFP8Op" || op.text == "MmaF8F6F4Op" || op.text == "MmaI8Op";
  const std::string_view kind = op.text == "MmaTF32Op" ? "tf32"
                                : op.text == "MmaI8Op" ? "i8"
                                : eight                ? "f8f6f4"
                                                       : "f16";
  return fmt::format("tcgen05.mma.cta_group::{}.kind::{}.m{}n{}k{}.{}", mentions(op, "TWO") ? 2 : 1, kind, shape[0],
                     shape[1],
                     kind == "tf32" ? 8
                     : eight        ? 32
                                    : 16,
                     mentions(op, "TMEM") ? "ts" : "ss");
}

std::string matrixCopy(const Item& op, std::string_view instruction) {
  const Item* transposed = fieldOf(op, 0, "transpose");
  const Item* count = fieldOf(op, 1, "num_matrices");
  const Result<i64> n = count == nullptr ? Result<i64>(i64{1}) : integerOf(*count, "num_matrices");
  if (!n) return {};
  const bool trans = transposed != nullptr && truth(*transposed).value_or(false);
  return fmt::format("{}.x{}{}", instruction, *n, trans ? ".trans" : "");
}

// A copy of so many bits: num_bits_per_copy, or the element's.
std::optional<i64> copiedBits(const Item& atom) {
  if (const Item* bits = atom.field("num_bits_per_copy")) {
    const Result<i64> n = integerOf(*bits, "num_bits_per_copy");
    return n ? std::optional(*n) : std::nullopt;
  }
  const auto element = bitsOfType(typeAt(atom, 1, "copy_internal_type"));
  return element ? std::optional<i64>(*element) : std::nullopt;
}

std::string copyName(const Item& atom) {
  const Item* op = fieldOf(atom, 0, "op");
  if (op == nullptr || !op->is(Item::Kind::Object)) return {};
  const auto bits = copiedBits(atom);
  if (op->text == "CopyG2SOp" && bits) return fmt::format("cp.async{}", *bits / 8);
  if (op->text == "CopyUniversalOp" && bits) return fmt::format("UniversalCopy<uint{}_t>", *bits);
  return operationName(*op);
}

Result<Item> tiledMmaOf(const Item& op, const Item* atoms, const Item* permutation) {
  const std::string name = operationName(op);
  if (name.empty()) return Diag{fmt::format("the operation {} has no layout here", op.text), "an mma operation"};
  std::string text = "(1, 1, 1)";
  Item questions = Item{}.with(op);
  if (atoms != nullptr) {
    TESSERA_TRY(text, worksheetText(*atoms));
    questions = std::move(questions).with(*atoms);
  }
  if (permutation != nullptr && !permutation->is(Item::Kind::None)) {
    TESSERA_TRY(const std::string more, worksheetText(*permutation));
    text += ", " + more;
    questions = std::move(questions).with(*permutation);
  }
  return Item::expression(fmt::format("make_tiled_mma({}, {})", name, text)).with(questions);
}

Result<Item> tiledMma(const Invocation& made) {
  const Item* op = made.argument(0, "op_or_atom");
  if (op == nullptr) op = made.keyword("op");
  if (op == nullptr) return Diag{"make_tiled_mma has no operation", "an mma operation"};
  if (op->isMissing()) {
    Item out = *op;
    out.wanted = true;
    return out;
  }
  if (!op->is(Item::Kind::Object)) return Diag{"the first argument of make_tiled_mma is no operation", "an operation"};
  return tiledMmaOf(*op, made.argument(1, "atom_layout_mnk"), made.argument(2, "permutation_mnk"));
}

// sm90: (a, b, a_major, b_major, acc, atom_layout_mnk, tiler_mn, a_source);
// sm100: (ab, a_major, b_major, acc, cta_group, mma_tiler_mn, a_source) or with types of A and of B.
Result<std::optional<Item>> trivialMma(const Invocation& made) {
  std::vector<Item> types, tuples;
  Item op{.kind = Item::Kind::Object};
  const auto take = [&](const Item& item) {
    if (item.is(Item::Kind::Type)) types.push_back(item);
    if (item.is(Item::Kind::Tuple)) tuples.push_back(item);
    if (item.is(Item::Kind::String)) op.elements.push_back(item);
    op = std::move(op).with(item);
  };
  for (const Item& item : made.arguments) take(item);
  for (const auto& [name, item] : made.keywords) take(item);
  const bool warpgroup = tuples.size() == 2;
  if (types.size() < 2 || tuples.empty()) return std::optional<Item>();
  const std::vector<Item> modes = std::move(op.elements);
  op.text = bitsOfType(types[0].text).value_or(16) == 8 ? "MmaFP8Op" : "MmaF16BF16Op";
  if (types[0].text == "tf32") op.text = "MmaTF32Op";
  op.elements = types;
  if (warpgroup && types.size() == 3 && op.text == "MmaF16BF16Op") op.elements = {types[0], types[2]};
  op.elements.push_back(tuples.back());
  if (op.text == "MmaTF32Op") op.elements = {tuples.back()};
  op.elements.insert(op.elements.end(), modes.begin(), modes.end());
  op.fields.emplace_back("module", Item{.kind = Item::Kind::String, .text = warpgroup ? "warpgroup." : "tcgen05."});
  if (warpgroup && tuples[1].elements.size() == 2)
    op.elements[op.elements.size() - modes.size() - 1] =
        Item::tuple({Item::number(64), tuples[1].elements[1], Item::number(16)});
  TESSERA_TRY(Item out, tiledMmaOf(op, warpgroup ? &tuples[0] : nullptr, nullptr));
  return std::optional(std::move(out));
}

// make_smem_layout_atom(K_SW128, type); get_smem_layout_atom(LayoutEnum.ROW_MAJOR, type, size) gives the first.
Result<std::optional<Item>> sharedAtom(const Invocation& made) {
  const Item* kind = made.argument(0, "kind");
  const Item* type = made.argument(1, "element_type");
  if (kind == nullptr || type == nullptr) return Diag{"make_smem_layout_atom has a kind and a type", "both"};
  if (kind->isMissing() || type->isMissing())
    return std::optional(Item::expression("smem_atom(K_SW128, f16)").with(*kind).with(*type));
  if (!kind->is(Item::Kind::String)) return Diag{"the kind of a shared-memory atom", "K_SW128, MN_SW64, K_INTER ..."};
  TESSERA_TRY(const std::string word, worksheetText(*type));
  const std::string name = kind->text.substr(kind->text.rfind('.') + 1);
  return std::optional(Item::expression(fmt::format("smem_atom({}, {})", name, word)).with(*type));
}

Result<std::optional<Item>> atomKind(const Invocation& made) {
  const Item* order = made.argument(0, "layout");
  const Item* type = made.argument(1, "element_type");
  const Item* size = made.argument(2, "major_mode_size");
  if (order == nullptr || type == nullptr || size == nullptr) return std::optional<Item>();
  const auto bits = bitsOfType(type->text);
  TESSERA_TRY(const i64 extent, integerOf(*size, "the size of the major mode"));
  if (!order->is(Item::Kind::String) || !bits || extent < 1 || extent > (i64{1} << 40))
    return std::optional(
        Item{.kind = Item::Kind::Missing, .text = made.qualified}.with(*order).with(*type).with(*size));
  const i64 line = extent * *bits;
  const std::string_view swizzle = line % 1024 == 0  ? "SW128"
                                   : line % 512 == 0 ? "SW64"
                                   : line % 256 == 0 ? "SW32"
                                                     : "INTER";
  const bool rows = order->text.ends_with("ROW_MAJOR");
  return std::optional(
      Item{.kind = Item::Kind::String, .text = fmt::format("{}_{}", rows ? "K" : "MN", swizzle)}.with(*size));
}

// A tile of shared memory of sm90_utils: the widest atom along its contiguous mode, repeated.
struct SharedTile {
  const Item* type = nullptr;
  const Item* order = nullptr;   // LayoutEnum.ROW_MAJOR
  const Item* shape = nullptr;   // of two modes
  const Item* stages = nullptr;  // absent: two modes
  std::size_t first = 0;         // the modes of a tile (M, N, K) that it has: 0 and 2, 1 and 2, or all
  bool operand = false;
};

SharedTile sharedTileOf(const Invocation& made) {
  const std::string& name = made.name;
  if (name == "make_smem_layout")
    return {made.argument(0, "dtype"), made.argument(1, "layout"), made.argument(2, "shape"),
            made.argument(3, "stage")};
  if (name == "make_smem_layout_epi")
    return {made.argument(0, "epi_dtype"), made.argument(1, "epi_layout"), made.argument(2, "epi_tile"),
            made.argument(3, "epi_stage")};
  const bool b = name == "make_smem_layout_b";
  return {made.argument(2, b ? "b_dtype" : "a_dtype"), made.argument(0, b ? "b_layout" : "a_layout"),
          made.argument(1, "mma_tiler_mnk"),           made.argument(3, "num_stages"),
          b ? std::size_t{1} : std::size_t{0},         true};
}

Result<std::optional<Item>> sharedTile(const Invocation& made) {
  const SharedTile tile = sharedTileOf(made);
  if (tile.type == nullptr || tile.order == nullptr || tile.shape == nullptr) return std::optional<Item>();
  Item questions = Item{}.with(*tile.type).with(*tile.order).with(*tile.shape);
  if (tile.stages != nullptr) questions = std::move(questions).with(*tile.stages);
  if (!questions.questions.empty()) return std::optional(Item::expression("1:0").with(questions));
  TESSERA_TRY(std::vector<i64> shape, integersOf(*tile.shape, "the shape of the tile"));
  if (tile.operand && shape.size() == 3) shape = {shape[tile.first], shape[2]};
  if (!tile.order->is(Item::Kind::String) || !tile.type->is(Item::Kind::Type) || shape.size() != 2)
    return std::optional<Item>();
  const bool rows = tile.order->text.ends_with("ROW_MAJOR");
  Invocation kind;
  kind.arguments = {*tile.order, *tile.type, Item::number(shape[rows ? 1 : 0])};
  TESSERA_TRY(const auto atom, atomKind(kind));
  if (!atom) return std::optional<Item>();
  std::string extents = fmt::format("{}, {}", shape[0], shape[1]);
  const bool staged = tile.stages != nullptr && !tile.stages->is(Item::Kind::None);
  if (staged) {
    TESSERA_TRY(const i64 stages, integerOf(*tile.stages, "the number of stages"));
    extents += fmt::format(", {}", stages);
  }
  return std::optional(
      Item::expression(fmt::format("tile_to_shape(smem_atom({}, {}), ({}), ({}{}))", atom->text, tile.type->text,
                                   extents, rows ? "0, 1" : "1, 0", staged ? ", 2" : "")));
}

}  // namespace

std::string operationName(const Item& op) {
  if (!op.is(Item::Kind::Object)) return {};
  const Item* module = op.field("module");
  const std::string from = module == nullptr ? "" : module->text;
  if (op.text == "copy_atom") return copyName(op);
  if (op.text == "MmaUniversalOp")
    return typeAt(op, 0, "abacc_dtype").empty() ? "" : "fma." + typeAt(op, 0, "abacc_dtype");
  if (op.text.starts_with("LdMatrix8x8x16b")) return matrixCopy(op, "ldmatrix");
  if (op.text.starts_with("StMatrix8x8x16b")) return matrixCopy(op, "stmatrix");
  if (!op.text.starts_with("Mma")) return {};
  if (from.find("warpgroup.") != std::string::npos) return warpgroupMma(op);
  if (from.find("tcgen05.") != std::string::npos) return tensorMemoryMma(op);
  return warpMma(op);
}

Result<std::optional<Item>> cuteAtom(const Invocation& made) {
  const std::string& name = made.name;
  if (name == "make_tiled_mma") {
    TESSERA_TRY(Item out, tiledMma(made));
    return std::optional(std::move(out));
  }
  if (name == "make_trivial_tiled_mma") return trivialMma(made);
  if (name == "make_smem_layout_atom") return sharedAtom(made);
  if (name == "get_smem_layout_atom") return atomKind(made);
  if (name == "make_smem_layout" || name == "make_smem_layout_a" || name == "make_smem_layout_b" ||
      name == "make_smem_layout_epi")
    return sharedTile(made);
  if (name == "make_mma_atom" && !made.arguments.empty()) return std::optional(made.arguments[0]);
  const bool operation = name.ends_with("Op") && name.size() > 2 && name[0] >= 'A' && name[0] <= 'Z';
  if (!operation && name != "make_copy_atom") return std::optional<Item>();
  Item out{.kind = Item::Kind::Object, .text = operation ? name : "copy_atom"};
  out.elements = made.arguments;
  out.fields = made.keywords;
  if (operation) out.fields.emplace_back("module", Item{.kind = Item::Kind::String, .text = made.qualified});
  for (const Item& item : made.arguments) out = std::move(out).with(item);
  for (const auto& [key, item] : made.keywords) out = std::move(out).with(item);
  return std::optional(std::move(out));
}

}  // namespace tessera::paste::python
