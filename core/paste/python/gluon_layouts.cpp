#include "core/paste/python/gluon_layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/arith.h"

namespace tessera::paste::python {
namespace {

// Field of the attribute, parameter of the constructor, its text by default; "!": it has none.
struct GluonField {
  std::string_view key, parameter, byDefault;
};
struct GluonRow {
  std::string_view constructor, before, after;
  std::array<GluonField, 8> fields;  // in the constructor's order; key "": read elsewhere
};
constexpr std::string_view kOmitted = "-";  // not written if it is not given
constexpr auto kGluonRows = std::to_array<GluonRow>({
    {"BlockedLayout",
     "#ttg.blocked<{",
     "}>",
     {{{"sizePerThread", "size_per_thread", "!"},
       {"threadsPerWarp", "threads_per_warp", "!"},
       {"warpsPerCTA", "warps_per_cta", "!"},
       {"order", "order", "!"},
       {"CGALayout", "cga_layout", kOmitted}}}},
    {"SliceLayout", "#ttg.slice<{", "}>", {{{"dim", "dim", "!"}, {"parent", "parent", "!"}}}},
    {"DotOperandLayout",
     "#ttg.dot_op<{",
     "}>",
     {{{"opIdx", "operand_index", "!"}, {"parent", "parent", "!"}, {"kWidth", "k_width", "!"}}}},
    {"DistributedLinearLayout",
     "#ttg.linear<{",
     "}>",
     {{{"register", "reg_bases", "!"},
       {"lane", "lane_bases", "!"},
       {"warp", "warp_bases", "!"},
       {"block", "block_bases", "[]"},
       {"", "shape", "!"}}}},
    {"SwizzledSharedLayout",
     "#ttg.swizzled_shared<{",
     "}>",
     {{{"vec", "vec", "!"},
       {"perPhase", "per_phase", "!"},
       {"maxPhase", "max_phase", "!"},
       {"order", "order", "!"},
       {"CGALayout", "cga_layout", kOmitted}}}},
    {"AMDRotatingSharedLayout",
     "#ttg.amd_rotating_shared<{",
     "}>",
     {{{"vec", "vec", "!"},
       {"perPhase", "per_phase", "!"},
       {"maxPhase", "max_phase", "!"},
       {"order", "order", "!"},
       {"CGALayout", "cga_layout", kOmitted}}}},
    {"NVMMASharedLayout",
     "#ttg.nvmma_shared<{",
     "}>",
     {{{"swizzlingByteWidth", "swizzle_byte_width", "!"},
       {"elementBitWidth", "element_bitwidth", "!"},
       {"rank", "rank", kOmitted},
       {"transposed", "transposed", "false"},
       {"fp4Padded", "fp4_padded", kOmitted},
       {"CGALayout", "cga_layout", kOmitted}}}},
    {"AMDMFMALayout",
     "#ttg.amd_mfma<{",
     "}>",
     {{{"version", "version", "!"},
       {"instrShape", "instr_shape", "!"},
       {"isTransposed", "transposed", "!"},
       {"warpsPerCTA", "warps_per_cta", "!"},
       {"elementBitWidth", "element_bitwidth", kOmitted},
       {"tilesPerWarp", "tiles_per_warp", kOmitted},
       {"CGALayout", "cga_layout", kOmitted}}}},
});

// ---- values as MLIR ----

bool isFlag(std::string_view key) { return key == "transposed" || key == "isTransposed" || key == "fp4Padded"; }

Result<std::string> attributeText(const Item& item) {
  if (item.is(Item::Kind::Tuple)) {
    std::string out;
    for (const Item& e : item.elements) {
      TESSERA_TRY(const std::string one, attributeText(e));
      out += (out.empty() ? "" : ", ") + one;
    }
    return "[" + out + "]";
  }
  if (item.is(Item::Kind::Text)) return attributeAlone(item.text);
  TESSERA_TRY(const i64 value, integerOf(item, "a field of the layout"));
  return std::to_string(value);
}

Result<std::string> fieldText(std::string_view key, const Item& item) {
  if (const auto bits = item.is(Item::Kind::Type) ? bitsOfType(item.text) : std::nullopt) return std::to_string(*bits);
  if (!isFlag(key)) return attributeText(item);
  return std::string(truth(item).value_or(false) ? "true" : "false");
}

bool isEmpty(const Item* item) {
  return item == nullptr || item->is(Item::Kind::None) || (item->is(Item::Kind::Tuple) && item->elements.empty());
}

const Item* gluonArgument(const Invocation& made, const GluonRow& row, std::string_view parameter) {
  const auto* const at = std::ranges::find(row.fields, parameter, &GluonField::parameter);
  if (const Item* named = made.keyword(parameter)) return named;
  return at == row.fields.end() ? nullptr : made.argument(static_cast<std::size_t>(at - row.fields.begin()), parameter);
}

Result<Item> attribute(const GluonRow& row, const Invocation& made) {
  std::string out;
  Item questions;
  for (const GluonField& field : row.fields) {
    if (field.parameter.empty()) break;
    const Item* item = gluonArgument(made, row, field.parameter);
    if (item != nullptr) questions = std::move(questions).with(*item);
    const bool given = item != nullptr && !item->is(Item::Kind::None);
    if (!given && field.byDefault == "!")
      return Diag{fmt::format("{} has no {}", row.constructor, field.parameter),
                  fmt::format("the argument {}", field.parameter)};
    if (field.key.empty() || (field.byDefault == kOmitted && isEmpty(item))) continue;
    std::string text(field.byDefault);
    if (given) {
      TESSERA_TRY(text, fieldText(field.key, *item));
    }
    if (field.key == "rank" && (text == "2" || !isEmpty(made.keyword("cga_layout")))) continue;
    if (field.key == "fp4Padded" && text == "false") continue;
    out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", field.key, text);
  }
  return Item::expression(fmt::format("{}{}{}", row.before, out, row.after)).with(questions);
}

// ---- layouts with an attribute of another form ----

std::string over(const Item& shape) {
  const Result<std::string> text = worksheetText(shape);
  return text ? " over " + *text : "";
}

Result<std::string> cgaText(const Item* cga, std::string_view separator) {
  if (isEmpty(cga)) return std::string();
  TESSERA_TRY(const std::string text, attributeText(*cga));
  return fmt::format("{}CGALayout = {}", separator, text);
}

Result<Item> nvidiaMma(const Invocation& made) {
  const Item* version = made.argument(0, "version");
  const Item* warps = made.argument(1, "warps_per_cta");
  const Item* shape = made.argument(2, "instr_shape");
  if (version == nullptr || warps == nullptr || shape == nullptr)
    return Diag{"NVMMADistributedLayout has a version, warps_per_cta and instr_shape", "all three"};
  TESSERA_TRY(std::vector<i64> numbers, integersOf(*version, "the version"));
  numbers.resize(2);
  TESSERA_TRY(const std::string w, attributeText(*warps));
  TESSERA_TRY(const std::string s, attributeText(*shape));
  const Item* cga = made.argument(3, "cga_layout");
  TESSERA_TRY(const std::string c, cgaText(cga, ", "));
  return Item::expression(
             fmt::format(
                 "#ttg.nvidia_mma<{{versionMajor = {}, versionMinor = {}, warpsPerCTA = {}{}, instrShape = {}}}>",
                 numbers[0], numbers[1], w, c, s))
      .with(*version)
      .with(*warps)
      .with(*shape);
}

Result<Item> wmma(const Invocation& made) {
  const Item* version = made.argument(0, "version");
  const Item* transposed = made.argument(1, "transposed");
  const Item* warps = made.argument(2, "warp_bases");
  if (version == nullptr || transposed == nullptr || warps == nullptr)
    return Diag{"AMDWMMALayout has a version, transposed and warp_bases", "all three"};
  const Item* registers = made.argument(3, "reg_bases");
  const Item* shape = made.argument(4, "instr_shape");
  TESSERA_TRY(const i64 number, integerOf(*version, "the version"));
  std::string bases;
  if (!isEmpty(registers)) {
    TESSERA_TRY(const std::string text, attributeText(*registers));
    bases += "register = " + text;
  }
  if (!isEmpty(warps)) {
    TESSERA_TRY(const std::string text, attributeText(*warps));
    bases += (bases.empty() ? "warp = " : ", warp = ") + text;
  }
  TESSERA_TRY(std::string more, cgaText(made.argument(5, "cga_layout"), ", "));
  if (!isEmpty(shape)) {
    TESSERA_TRY(const std::string text, attributeText(*shape));
    more += ", instrShape = " + text;
  }
  return Item::expression(fmt::format("#ttg.amd_wmma<{{version = {}, isTranspose = {}, ctaLayout = {{{}}}{}}}>", number,
                                      truth(*transposed).value_or(false), bases, more))
      .with(*version)
      .with(*transposed)
      .with(*warps);
}

Result<Item> sharedLinear(const Invocation& made) {
  const Item* offsets = made.argument(0, "offset_bases");
  if (offsets == nullptr) return Diag{"SharedLinearLayout has no offset_bases", "offset_bases"};
  const Item* blocks = made.argument(1, "block_bases");
  const Item* alignment = made.argument(2, "alignment");
  TESSERA_TRY(std::string text, attributeText(*offsets));
  if (!isEmpty(blocks)) {
    TESSERA_TRY(const std::string more, attributeText(*blocks));
    text += ", block = " + more;
  }
  TESSERA_TRY(const i64 bytes, alignment == nullptr ? Result<i64>(i64{16}) : integerOf(*alignment, "alignment"));
  return Item::expression(fmt::format("#ttg.shared_linear<{{offset = {}}}, alignment = {}>", text, bytes))
      .with(*offsets);
}

// [[32, 4]] -> [32:+4]
Result<std::string> paddings(const Item& pairs) {
  std::string out;
  for (const Item& pair : pairs.elements) {
    TESSERA_TRY(const std::vector<i64> numbers, integersOf(pair, "an interval with its padding"));
    if (numbers.size() != 2) return Diag{"an interval and its padding are two integers", "[[32, 4]]"};
    out += fmt::format("{}{}:+{}", out.empty() ? "" : ", ", numbers[0], numbers[1]);
  }
  return out;
}

// PaddedSharedLayout(pairs, offset_bases, cga_layout, shape), .with_identity_for(pairs, shape, order), and the older
// PaddedSharedLayout(pairs, order)
Result<Item> paddedShared(const Invocation& made) {
  const bool identity = made.name == "with_identity_for";
  const Item* pairs = made.argument(0, "interval_padding_pairs");
  const Item* shape = identity ? made.argument(1, "shape") : made.argument(3, "shape");
  const Item* order = identity ? made.argument(2, "order") : made.keyword("order");
  const Item* offsets = identity ? nullptr : made.argument(1, "offset_bases");
  if (pairs == nullptr || shape == nullptr || (order == nullptr && offsets == nullptr))
    return Diag{"PaddedSharedLayout has interval_padding_pairs, offset_bases and a shape", "all three"};
  TESSERA_TRY(const std::string intervals, paddings(*pairs));
  Item questions = Item{}.with(*pairs).with(*shape);
  if (offsets == nullptr) {
    TESSERA_TRY(const std::string s, attributeText(*shape));
    TESSERA_TRY(const std::string o, attributeText(*order));
    return Item::expression(
               fmt::format("#ttg.padded_shared<[{}] {{order = {}, shape = {}}}>{}", intervals, o, s, over(*shape)))
        .with(questions)
        .with(*order);
  }
  const Item* blocks = made.argument(2, "cga_layout");
  TESSERA_TRY(const std::string o, attributeText(*offsets));
  TESSERA_TRY(const std::string b, isEmpty(blocks) ? Result<std::string>(std::string("[]")) : attributeText(*blocks));
  return Item::expression(
             fmt::format("#ttg.padded_shared<[{}] {{offset = {}, block = {}}}>{}", intervals, o, b, over(*shape)))
      .with(questions)
      .with(*offsets);
}

Result<Item> tensorMemory(const Invocation& made) {
  const Item* block = made.argument(0, "block");
  const Item* stride = made.argument(1, "col_stride");
  if (stride == nullptr) stride = made.keyword("unpacked");
  if (block == nullptr) return Diag{"TensorMemoryLayout has no block", "block=[128, 64]"};
  TESSERA_TRY(std::vector<i64> extents, integersOf(*block, "block"));
  if (extents.size() != 2) return Diag{"the block of TensorMemoryLayout has two extents", "block=[128, 64]"};
  TESSERA_TRY(const i64 columns, stride == nullptr ? Result<i64>(i64{1}) : integerOf(*stride, "col_stride"));
  TESSERA_TRY(std::string more, cgaText(made.argument(2, "cga_layout"), ", "));
  const Item* two = made.argument(3, "two_ctas");
  if (two != nullptr && truth(*two).value_or(false)) more += ", twoCTAs = true";
  Item out = Item::expression(fmt::format("#ttng.tensor_memory_encoding<blockM = {}, blockN = {}, colStride = {}{}>",
                                          extents[0], extents[1], columns, more))
                 .with(*block);
  return stride == nullptr ? out : std::move(out).with(*stride);
}

// What NVMMASharedLayout.get_default_for does: the widest swizzle that divides the contiguous line.
Result<Item> defaultShared(const Invocation& made) {
  const Item* shape = made.argument(0, "block_shape");
  const Item* type = made.argument(1, "dtype");
  if (shape == nullptr || type == nullptr) return Diag{"get_default_for has a block shape and a type", "both"};
  const Item* transposed = made.argument(2, "transposed");
  const Item* padded = made.argument(3, "fp4_padded");
  if (!isEmpty(made.argument(4, "cga_layout")))
    return Diag{"get_default_for with a cga_layout is not computed", "the layout that it returns"};
  TESSERA_TRY(std::vector<i64> extents, integersOf(*shape, "block_shape"));
  const auto bits = bitsOfType(type->text);
  if (!bits) return Item::expression("#ttg.nvmma_shared<{}>").with(*shape).with(*type);
  const bool turned = transposed != nullptr && truth(*transposed).value_or(false);
  const bool fp4 = padded != nullptr && truth(*padded).value_or(false);
  if (extents.empty()) return Diag{"block_shape is empty", "a shape"};
  std::vector<i64> lines = extents;
  if (turned) std::rotate(lines.begin(), lines.begin() + 1, lines.end());
  i64 rows = 1;
  for (std::size_t k = 0; k + 1 < lines.size(); ++k) rows = std::min<i64>(8, rows * std::clamp<i64>(lines[k], 0, 8));
  i64 width = 0;
  for (const i64 w : {32, 64, 128})
    if (lines.back() > 0 && lines.back() < (i64{1} << 40) && lines.back() * (fp4 ? 2 : 1) * *bits / 8 % w == 0)
      width = w;
  if (lines.size() < 2 || rows < 8) width = 0;
  // Other extents have no linear layout, but the attribute is right.
  const bool placed = std::ranges::all_of(extents, [](i64 e) { return isPowerOfTwo(e); });
  return Item::expression(
             fmt::format("#ttg.nvmma_shared<{{swizzlingByteWidth = {}, transposed = {}, elementBitWidth = {}{}{}}}>{}",
                         width, turned, *bits, fp4 ? ", fp4Padded = true" : "",
                         extents.size() == 2 ? "" : fmt::format(", rank = {}", extents.size()),
                         placed ? over(*shape) : ""))
      .with(*shape);
}

}  // namespace

std::string attributeAlone(const std::string& attribute) {
  const std::size_t at = attribute.rfind("> over ");
  return at == std::string::npos ? attribute : attribute.substr(0, at + 1);
}

bool isGluonLayout(std::string_view name) {
  constexpr auto kOthers =
      std::to_array<std::string_view>({"NVMMADistributedLayout", "AMDWMMALayout", "SharedLinearLayout",
                                       "PaddedSharedLayout", "TensorMemoryLayout", "AutoLayout", "CoalescedLayout"});
  return std::ranges::find(kGluonRows, name, &GluonRow::constructor) != kGluonRows.end() ||
         std::ranges::find(kOthers, name) != kOthers.end();
}

Result<std::optional<Item>> gluonLayout(const Invocation& made) {
  const std::string& name = made.name;
  if (name == "AutoLayout" || name == "CoalescedLayout")
    return Diag{fmt::format("{} stands for a layout that the compiler chooses", name), "a layout with its numbers",
                "paste the layout of this tensor from the TTGIR"};
  const auto some = [](Result<Item> item) -> Result<std::optional<Item>> {
    if (!item) return item.error();
    return std::optional(*std::move(item));
  };
  if (name == "NVMMADistributedLayout") return some(nvidiaMma(made));
  if (name == "AMDWMMALayout") return some(wmma(made));
  if (name == "SharedLinearLayout") return some(sharedLinear(made));
  if (name == "PaddedSharedLayout" || name == "with_identity_for") return some(paddedShared(made));
  if (name == "TensorMemoryLayout") return some(tensorMemory(made));
  if (name == "get_default_for") return some(defaultShared(made));
  const auto* const row = std::ranges::find(kGluonRows, name, &GluonRow::constructor);
  if (row == kGluonRows.end()) return std::optional<Item>();
  Result<Item> out = attribute(*row, made);
  const Item* shape = name == "DistributedLinearLayout" ? made.argument(4, "shape") : nullptr;
  if (out && shape != nullptr) out->text += over(*shape);
  return some(std::move(out));
}

}  // namespace tessera::paste::python
