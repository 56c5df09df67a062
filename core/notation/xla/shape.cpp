// The value, the table of types, printing.
#include "core/notation/xla/shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/base/mapped.h"

namespace tessera::xla {
namespace {

constexpr std::array<Type, 32> kTypes = {{
    {"pred", 1, 1, false},       {"s1", 1, 1, false},         {"s2", 2, 1, false},
    {"s4", 4, 1, false},         {"s8", 8, 1, false},         {"s16", 16, 2, false},
    {"s32", 32, 4, false},       {"s64", 64, 8, false},       {"u1", 1, 1, true},
    {"u2", 2, 1, true},          {"u4", 4, 1, true},          {"u8", 8, 1, true},
    {"u16", 16, 2, true},        {"u32", 32, 4, true},        {"u64", 64, 8, true},
    {"f4e2m1fn", 4, 1, false},   {"f6e2m3fn", 6, 1, false},   {"f6e3m2fn", 6, 1, false},
    {"f8e3m4", 8, 1, false},     {"f8e4m3", 8, 1, false},     {"f8e4m3b11fnuz", 8, 1, false},
    {"f8e4m3fn", 8, 1, false},   {"f8e4m3fnuz", 8, 1, false}, {"f8e5m2", 8, 1, false},
    {"f8e5m2fnuz", 8, 1, false}, {"f8e8m0fnu", 8, 1, false},  {"f16", 16, 2, false},
    {"bf16", 16, 2, false},      {"f32", 32, 4, false},       {"f64", 64, 8, false},
    {"c64", 64, 8, false},       {"c128", 128, 16, false},
}};

std::string tupleText(const std::vector<Shape>& elements) {
  std::string out = "(";
  for (std::size_t k = 0; k < elements.size(); ++k) {
    if (k > 0) out += ", ";
    if (k > 0 && k % 5 == 0) out += fmt::format("/*index={}*/", k);
    out += print(elements[k]);
  }
  return out + ")";
}

std::string dimText(const Dim& dim) {
  if (dim.unbounded) return "?";
  return fmt::format("{}{}", dim.dynamic ? "<=" : "", dim.size);
}

}  // namespace

const Type* findType(std::string_view name) {
  for (const Type& type : kTypes) {
    if (!type.name.empty() && type.name == name) return &type;
  }
  return nullptr;
}

Result<Shape> Shape::array(std::string_view type, std::vector<Dim> dims, Layout layout) {
  const Type* found = findType(type);
  if (found == nullptr) return Diag{fmt::format("{} is no element type of XLA", type), "f32, bf16, s8, pred ..."};
  if (layout.minorToMajor.empty()) {
    for (std::size_t k = dims.size(); k-- > 0;) layout.minorToMajor.push_back(static_cast<i64>(k));
  }
  if (const auto fault = check(*found, dims, layout)) return fault->diag;
  Shape shape;
  shape.kind_ = Kind::Array;
  shape.type_ = found;
  shape.dims_ = std::move(dims);
  shape.layout_ = std::move(layout);
  return shape;
}

Result<Shape> Shape::array(std::string_view type, const std::vector<i64>& sizes, Layout layout) {
  std::vector<Dim> dims;
  for (const i64 size : sizes) dims.push_back({size, false, false});
  return array(type, std::move(dims), std::move(layout));
}

Shape Shape::tuple(std::vector<Shape> elements) {
  Shape shape;
  shape.elements_ = std::move(elements);
  return shape;
}

Result<Shape> Shape::buffer(Shape array) {
  if (!array.isArray()) return Diag{"a buffer refers to an array", "b(f32[4]{0})"};
  Shape shape;
  shape.kind_ = Kind::Buffer;
  shape.elements_.push_back(std::move(array));
  return shape;
}

Shape Shape::token() {
  Shape shape;
  shape.kind_ = Kind::Token;
  return shape;
}

Shape Shape::opaque() {
  Shape shape;
  shape.kind_ = Kind::Opaque;
  return shape;
}

std::vector<i64> Shape::sizes() const { return mapped<i64>(dims_, &Dim::size); }

bool Shape::isUnbounded() const {
  return std::any_of(dims_.begin(), dims_.end(), [](const Dim& dim) { return dim.unbounded; });
}

std::vector<const Shape*> Shape::arrays() const {
  std::vector<const Shape*> out;
  std::vector<const Shape*> open{this};
  while (!open.empty()) {
    const Shape* shape = open.back();
    open.pop_back();
    if (shape->isArray()) out.push_back(shape);
    for (std::size_t k = shape->elements_.size(); k-- > 0;) open.push_back(&shape->elements_[k]);
  }
  return out;
}

i64 Shape::storedBits() const { return layout_.elementBits != 0 ? layout_.elementBits : 8 * type_->byteWidth; }

std::string print(const Layout& layout) {
  std::string attributes;
  if (!layout.tiles.empty()) attributes += "T";
  for (const std::vector<i64>& tile : layout.tiles) {
    attributes += "(";
    for (std::size_t k = 0; k < tile.size(); ++k) {
      if (k > 0) attributes += ",";
      attributes += tile[k] == kCombine ? std::string("*") : std::to_string(tile[k]);
    }
    attributes += ")";
  }
  if (layout.tailAlignment != 1) attributes += fmt::format("L({})", layout.tailAlignment);
  if (layout.elementBits != 0) attributes += fmt::format("E({})", layout.elementBits);
  if (layout.memorySpace != 0) attributes += fmt::format("S({})", layout.memorySpace);
  if (!layout.splits.empty()) attributes += "SC";
  for (const Split& split : layout.splits)
    attributes += fmt::format("({}:{})", split.dim, fmt::join(split.indices, ","));
  if (layout.metadataPrefix != 0) attributes += fmt::format("M({})", layout.metadataPrefix);
  if (layout.minorToMajor.empty() && attributes.empty()) return "";
  return fmt::format("{{{}{}{}}}", fmt::join(layout.minorToMajor, ","), attributes.empty() ? "" : ":", attributes);
}

std::string print(const Shape& shape) {
  switch (shape.kind()) {
    case Shape::Kind::Token:
      return "token[]";
    case Shape::Kind::Opaque:
      return "opaque[]";
    case Shape::Kind::Tuple:
      return tupleText(shape.elements());
    case Shape::Kind::Buffer:
      return "b(" + print(shape.elements().front()) + ")";
    case Shape::Kind::Array:
      break;
  }
  std::string dims;
  for (const Dim& dim : shape.dims()) dims += (dims.empty() ? "" : ",") + dimText(dim);
  return fmt::format("{}[{}]{}", shape.type().name, dims, print(shape.layout()));
}

std::string memorySpaceName(i64 space) {
  switch (space) {
    case 0:
      return "HBM";
    case 1:
      return "VMEM";  // on a TPU: vector memory
    case kHostMemory:
      return "host";
    case 6:
      return "host, unpinned";
    default:
      return fmt::format("space {}", space);
  }
}

std::vector<std::string> dimensionNames(std::size_t rank) {
  constexpr std::array<std::string_view, 4> kLetters = {"p", "z", "y", "x"};
  std::vector<std::string> out;
  for (std::size_t k = 0; k < rank; ++k)
    out.push_back(rank <= 4 ? std::string(kLetters[4 - rank + k]) : fmt::format("d{}", k));
  return out;
}

}  // namespace tessera::xla
