// Templates of CuTe that are types: Layout, Shape, Int, ComposedLayout, traits.
#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/base/words.h"
#include "core/paste/cute_cpp/reader.h"

namespace tessera::paste::cute_cpp {

namespace {

using Kind = Meaning::Kind;

Result<Meaning> constant(const Use& use) {
  if (use.template_.empty()) return use.wrong("an integer");
  const Meaning& last = use.template_.back();
  if (!last.is(Kind::Number)) return use.wrong("an integer");
  Meaning out = last;
  out.isStatic = true;
  return out;
}

Result<Meaning> tupleType(const Use& use) { return tuple(use.template_); }

Result<Meaning> layoutType(const Use& use) {
  if (use.template_.empty() || use.template_.size() > 2) return use.wrong("a shape and a stride");
  return layoutOf(use, use.template_[0], use.template_.size() == 2 ? &use.template_[1] : nullptr);
}

// template <int B, int M, int S = B> struct Swizzle
Result<Meaning> swizzleType(const Use& use) {
  if (use.template_.size() != 2 && use.template_.size() != 3) return use.wrong("two or three integers");
  std::string out;
  for (const Meaning& part : use.template_) {
    if (!part.is(Kind::Number)) return use.wrong("three integers");
    if (!part.formula.empty() && use.template_.size() == 3)
      return applied("make_swizzle", Use{use.reader, use.name, {}, use.template_, use.span});
    out += (out.empty() ? "Swizzle<" : ",") + written(part, false);
  }
  if (use.template_.size() == 2) out += "," + written(use.template_[0], false);
  return textual(Kind::Layout, out + ">");
}

bool isZero(const Meaning& meaning) { return meaning.is(Kind::Number) && meaning.number == 0; }

Result<Meaning> composedType(const Use& use) {
  if (use.template_.size() != 3) return use.wrong("a function, an offset and a layout");
  const Meaning& offset = use.template_[1];
  if (offset.is(Kind::Word) && offset.text.starts_with("smem_ptr_flag"))
    return textual(Kind::Layout, "ComposedLayout<" + use.template_[0].text + "," + offset.text + "," +
                                     written(use.template_[2]) + ">");
  if (isZero(offset))
    return textual(Kind::Layout, "composition(" + use.template_[0].text + "," + written(use.template_[2]) + ")");
  return textual(Kind::Layout, use.template_[0].text + " o " + written(offset) + " o " + written(use.template_[2]));
}

Result<Meaning> smemFlagBits(const Use& use) {
  if (use.template_.size() != 1 || !use.template_[0].is(Kind::Number)) return use.wrong("a number of bits");
  return textual(Kind::Word, "smem_ptr_flag_bits<" + std::to_string(use.template_[0].number) + ">");
}

Result<Meaning> first(const Use& use) {
  if (use.template_.empty()) return use.wrong("a type");
  return use.template_[0];
}

Result<Meaning> bits(const Use& use) {
  const auto known = use.template_.size() == 1 ? bitsOf(use.template_[0]) : std::nullopt;
  if (!known) return use.wrong("an element type");
  return number(*known, true);
}

Result<Meaning> same(const Use& use) {
  if (use.template_.size() != 2) return use.wrong("two types");
  const Meaning& a = use.template_[0];
  const Meaning& b = use.template_[1];
  const auto bitsA = bitsOf(a);
  const bool equal = a.is(b.kind) && written(a, false) == written(b, false);
  (void)bitsA;
  return number(equal ? 1 : 0, true);
}

// cosize_v<L>, size_v<L>, rank_v<L>, tuple_size<T>.
Result<Meaning> measured(const Use& use) {
  if (use.template_.size() != 1) return use.wrong("a layout");
  std::string_view function = use.name;
  function = function.substr(0, function.find("_v"));
  if (function == "tuple_size") function = "rank";
  Use call{use.reader, function, {}, use.template_, use.span};
  return functionNamed(function)(call);
}

Result<Meaning> element(const Use& use) {
  if (use.template_.size() != 2) return use.wrong("an index and a tuple");
  Use call{use.reader, "get", {use.template_[0]}, {use.template_[1]}, use.span};
  return functionNamed("get")(call);
}

Result<Meaning> basis(const Use& use) {
  std::string out = "E<";
  for (std::size_t i = 0; i < use.template_.size(); ++i) out += (i > 0 ? "," : "") + written(use.template_[i], false);
  if (use.name == "E") return textual(Kind::Leaf, out + ">{}");
  if (use.template_.empty()) return use.wrong("a value and modes");
  out = written(use.template_[0]);
  for (std::size_t i = use.template_.size(); i-- > 1;) out += "@" + written(use.template_[i], false);
  return textual(Kind::Leaf, out);
}

Result<Meaning> unsignedOfBits(const Use& use) {
  if (use.template_.size() != 1 || !use.template_[0].is(Kind::Number)) return use.wrong("a number of bits");
  return textual(Kind::Type, "uint" + std::to_string(use.template_[0].number) + "_t");
}

constexpr auto kTypes = std::to_array<Row>({
    {"Int", constant},
    {"C", constant},
    {"Number", constant},
    {"constant", constant},
    {"integral_constant", constant},
    {"bool_constant", constant},
    {"Shape", tupleType},
    {"Stride", tupleType},
    {"Step", tupleType},
    {"Coord", tupleType},
    {"Tile", tupleType},
    {"tuple", tupleType},
    {"IntTuple", tupleType},
    {"TileShape", tupleType},
    {"GemmShape", tupleType},
    {"MatrixShape", tupleType},
    {"Layout", layoutType},
    {"Swizzle", swizzleType},
    {"ComposedLayout", composedType},
    {"smem_ptr_flag_bits", smemFlagBits},
    {"remove_cvref_t", first},
    {"remove_cv_t", first},
    {"remove_const_t", first},
    {"remove_reference_t", first},
    {"remove_pointer_t", first},
    {"decay_t", first},
    {"type_identity", first},
    {"type_identity_t", first},
    {"TagToStrideA_t", first},
    {"sizeof_bits", bits},
    {"sizeof_bits_v", bits},
    {"is_same", same},
    {"is_same_v", same},
    {"cosize_v", measured},
    {"size_v", measured},
    {"rank_v", measured},
    {"tuple_size", measured},
    {"tuple_size_v", measured},
    {"tuple_element_t", element},
    {"tuple_element", element},
    {"E", basis},
    {"ScaledBasis", basis},
    {"uint_bit_t", unsignedOfBits},
    {"uint_byte_t", unsignedOfBits},
});

// Layouts that the traits of instructions share, as CuTe names them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNamedLayouts = {
    {{"SM80_8x4", "((_4,_8),_1):((_8,_1),_0)"},
     {"SM80_8x8_Row", "((_4,_8),_2):((_16,_1),_8)"},
     {"SM80_8x16_Row", "((_4,_8),_4):((_32,_1),_8)"},
     {"SM80_16x8_Row", "((_4,_8),(_2,_2)):((_32,_1),(_16,_8))"}}};

bool isOperation(std::string_view name) {
  if (name.starts_with("SM") && name.size() > 3 && isDigit(name[2])) return true;
  // GMMA::MMA_64x64x16_F32F16F16_SS
  if (name.starts_with("MMA_") && name.size() > 4 && isDigit(name[4])) return true;
  for (const std::string_view known : {"DefaultCopy", "UniversalCopy", "AutoVectorizingCopy", "UniversalFMA"})
    if (name.starts_with(known)) return true;
  return false;
}

}  // namespace

Handler typeNamed(std::string_view name) {
  const auto row = std::find_if(kTypes.begin(), kTypes.end(), [&](const Row& r) { return r.name == name; });
  return row == kTypes.end() ? nullptr : row->handler;
}

std::optional<Meaning> builtin(std::string_view name) {
  const std::string_view last = name.substr(name.rfind(':') == std::string_view::npos ? 0 : name.rfind(':') + 1);
  if (last.size() > 1 && last[0] == '_')
    if (const auto value = wholeNumber(last.substr(1))) return number(*value, true);
  if (last == "_" || last == "Underscore" || name == "X") return textual(Kind::Leaf, "_");
  if (last == "true_type") return number(1, true);
  if (last == "false_type") return number(0, true);
  if (name.find("Major::") != std::string_view::npos) {
    const std::string_view unit = name.find("UMMA") != std::string_view::npos ? "UMMA" : "GMMA";
    return textual(Kind::Word, std::string(unit) + "::Major::" + std::string(last));
  }
  for (const std::string_view word : {"LayoutLeft", "LayoutRight", "GenColMajor", "GenRowMajor", "smem_ptr_flag"})
    if (last == word) return textual(Kind::Word, std::string(word));
  if (name.find("ScaleIn::") != std::string_view::npos || name.find("Saturate::") != std::string_view::npos)
    return textual(Kind::Word, std::string(name));
  if (auto type = elementName(last)) return textual(Kind::Type, *std::move(type));
  for (const std::string_view runtime : {"int", "long", "short", "auto", "void", "bool"})
    if (last == runtime) return textual(Kind::Type, std::string(runtime));
  for (const auto& [known, layout] : kNamedLayouts)
    if (last == known) return textual(Kind::Layout, std::string(layout));
  if (isOperation(last)) return textual(Kind::Operation, std::string(last));
  return std::nullopt;
}

}  // namespace tessera::paste::cute_cpp
