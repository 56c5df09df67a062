// The Shape value, the table of types, and printing.
#include "core/notation/xla/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/notation/xla/address.h"

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
  const auto* found = std::ranges::find(kTypes, name, &Type::name);
  return found == kTypes.end() ? nullptr : found;
}

Result<Shape> Shape::array(std::string_view type, std::vector<Dim> dims, Layout layout) {
  const Type* found = findType(type);
  if (found == nullptr) return Diag{fmt::format("{} is not an element type of XLA", type), "f32, bf16, s8, pred ..."};
  if (layout.minorToMajor.empty()) {
    for (std::size_t k = dims.size(); k-- > 0;) layout.minorToMajor.push_back(static_cast<i64>(k));
  }
  if (const auto fault = check(*found, dims, layout)) return fault->diag;
  Shape shape(Kind::Array);
  shape.type_ = found;
  shape.dims_ = std::move(dims);
  shape.layout_ = std::move(layout);
  return shape;
}

Result<Shape> Shape::array(std::string_view type, const std::vector<i64>& sizes, Layout layout) {
  return array(type, mapped<Dim>(sizes, [](i64 size) { return Dim{size}; }), std::move(layout));
}

Shape Shape::tuple(std::vector<Shape> elements) {
  Shape shape;
  shape.elements_ = std::move(elements);
  if (std::ranges::none_of(shape.elements_, [](const Shape& s) { return s.kind_ == Kind::Tuple; })) return shape;
  std::size_t end = 0;
  for (const Shape& s : shape.elements_) shape.ends_.push_back(end += s.leaves());
  return shape;
}

std::size_t Shape::leaves() const {
  if (kind_ != Kind::Tuple) return 1;
  return ends_.empty() ? elements_.size() : ends_.back();
}

std::size_t Shape::firstLeaf(std::size_t element) const {
  return ends_.empty() || element == 0 ? element : ends_[element - 1];
}

const Shape& Shape::leaf(std::size_t k) const {
  const Shape* at = this;
  while (at->kind_ == Kind::Tuple) {
    std::size_t element = k;
    if (!at->ends_.empty()) {
      element = static_cast<std::size_t>(std::ranges::upper_bound(at->ends_, k) - at->ends_.begin());
      k -= at->firstLeaf(element);
    }
    at = &at->elements_[element];
  }
  return *at;
}

Result<Shape> Shape::buffer(Shape array) {
  if (!array.isArray()) return Diag{"a buffer refers to an array", "b(f32[4]{0})"};
  Shape shape(Kind::Buffer);
  shape.elements_.push_back(std::move(array));
  return shape;
}

std::vector<i64> Shape::sizes() const { return mapped<i64>(dims_, &Dim::size); }

bool Shape::isUnbounded() const {
  return std::ranges::any_of(dims_, [](const Dim& dim) { return dim.unbounded; });
}

std::vector<const Shape*> Shape::arrays() const {
  std::vector<const Shape*> out, open{this};
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
    const auto sizeText = [](i64 t) { return t == kCombine ? "*" : std::to_string(t); };
    attributes += fmt::format("({})", fmt::join(mapped<std::string>(tile, sizeText), ","));
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
  return fmt::format("{}[{}]{}", shape.type().name, fmt::join(mapped<std::string>(shape.dims(), dimText), ","),
                     print(shape.layout()));
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

// check: the shapes that XLA's validator rejects or its constructors abort on, and sizes above 2^63.

namespace {

using Part = Fault::Part;
using Found = std::optional<Fault>;

// Limit on the digits of a layout, one per dimension and tile size. Compilers print about a dozen; the time for
// addresses, digits and pictures is quadratic in them.
constexpr std::size_t kMaxDigits = 512;

Fault fault(Part part, std::size_t index, std::string message, std::string expected = {}, std::string hint = {}) {
  return {Diag{std::move(message), std::move(expected), std::move(hint)}, part, index};
}

Found checkDims(const std::vector<Dim>& dims) {
  for (std::size_t k = 0; k < dims.size(); ++k) {
    if (dims[k].size < 0) {
      return fault(Part::Dim, k, fmt::format("dimension {} has the negative size {}", k, dims[k].size),
                   "a size >= 0, <=N or ?");
    }
  }
  return std::nullopt;
}

Found checkOrder(std::size_t rank, const std::vector<i64>& order) {
  if (order.size() != rank) {
    std::string row;
    for (std::size_t k = rank; k-- > 0;) row += (row.empty() ? "" : ",") + std::to_string(k);
    return fault(Part::Order, order.size(),  // the whole list
                 fmt::format("Dimensions size is {}, but minor to major size is {}.", rank, order.size()),
                 "each dimension once, the fastest first", fmt::format("{{{}}} is row-major", row));
  }
  std::vector<bool> seen(rank, false);
  for (std::size_t k = 0; k < rank; ++k) {
    const i64 d = order[k];
    if (d < 0 || d >= static_cast<i64>(rank)) {
      return fault(Part::Order, k, fmt::format("minor to major names dimension {}, but the array has {}", d, rank),
                   fmt::format("a permutation of 0..{}", rank - 1));
    }
    if (seen[static_cast<std::size_t>(d)]) {
      return fault(Part::Order, k, fmt::format("minor to major names dimension {} twice", d),
                   fmt::format("a permutation of 0..{}", rank - 1));
    }
    seen[static_cast<std::size_t>(d)] = true;
  }
  return std::nullopt;
}

Found checkTiles(const std::vector<std::vector<i64>>& tiles) {
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    if (tiles[k].empty()) {
      return fault(Part::Tile, k, "layout has invalid tiles: a tile without sizes", "T(8,128), or no T at all");
    }
    for (const i64 t : tiles[k]) {
      if (t == kCombine || t > 0) continue;
      return fault(Part::Tile, k, fmt::format("layout has invalid tiles: the tile size {} is not positive", t),
                   "tile sizes >= 1, or *");
    }
    if (tiles[k].back() == kCombine) {
      return fault(Part::Tile, k, "the last * of a tile has no more minor dimension to merge with",
                   "a size at the end, as in T(2,*,128)");
    }
  }
  return std::nullopt;
}

Found checkDigits(const std::vector<Dim>& dims, const std::vector<std::vector<i64>>& tiles) {
  if (dims.size() > kMaxDigits) {
    return fault(Part::Dim, kMaxDigits, fmt::format("the array has {} dimensions", dims.size()),
                 fmt::format("at most {}", kMaxDigits));
  }
  std::size_t digits = dims.size();
  for (std::size_t k = 0; k < tiles.size(); ++k) {
    digits += tiles[k].size();
    if (digits <= kMaxDigits) continue;
    return fault(Part::Tile, k, fmt::format("{} tiles on {} dimensions are too many", tiles.size(), dims.size()),
                 fmt::format("at most {} dimensions and tile sizes together", kMaxDigits));
  }
  return std::nullopt;
}

Found checkSplits(const std::vector<Dim>& dims, const Layout& layout) {
  std::vector<i64> seen;
  for (std::size_t k = 0; k < layout.splits.size(); ++k) {
    const Split& split = layout.splits[k];
    const auto rank = static_cast<i64>(dims.size());
    if (split.dim < 0 || split.dim >= rank) {
      return fault(Part::Split, k, fmt::format("SC names physical dimension {}, but the array has {}", split.dim, rank),
                   "a physical dimension, 0 the most major");
    }
    if (std::ranges::find(seen, split.dim) != seen.end()) {
      return fault(Part::Split, k, fmt::format("SC names the physical dimension {} twice", split.dim),
                   fmt::format("one list, SC({}:i,j)", split.dim));
    }
    seen.push_back(split.dim);
    const auto logical = static_cast<std::size_t>(layout.minorToMajor[static_cast<std::size_t>(rank - 1 - split.dim)]);
    if (split.indices.empty()) return fault(Part::Split, k, "SC has a dimension and no index", "SC(0:10)");
    i64 before = 0;
    for (const i64 at : split.indices) {
      if (at <= before) {
        return fault(Part::Split, k, fmt::format("the split index {} does not follow {}", at, before),
                     "indices > 0 that increase");
      }
      if (!dims[logical].unbounded && at >= dims[logical].size) {
        return fault(Part::Split, k,
                     fmt::format("the split index {} is outside physical dimension {} (dimension {}, size {})", at,
                                 split.dim, logical, dims[logical].size),
                     fmt::format("an index below {}", dims[logical].size));
      }
      before = at;
    }
  }
  return std::nullopt;
}

Found checkNumbers(const Layout& layout) {
  if (layout.tailAlignment < 1) {
    return fault(Part::Tail, 0, fmt::format("the tail alignment L({}) is not positive", layout.tailAlignment),
                 "L(n) with n >= 1");
  }
  if (layout.elementBits < 0) {
    return fault(Part::ElementBits, 0, fmt::format("the element size E({}) is negative", layout.elementBits),
                 "a number of bits");
  }
  if (layout.memorySpace < 0 || layout.memorySpace > 127) {
    return fault(Part::Space, 0, fmt::format("there is no memory space {}", layout.memorySpace),
                 "S(n) with n from 0 to 127: 0 HBM, 1 VMEM, 5 host");
  }
  if (layout.metadataPrefix < 0) {
    return fault(Part::Metadata, 0, fmt::format("the metadata prefix M({}) is negative", layout.metadataPrefix),
                 "a number of bytes");
  }
  return std::nullopt;
}

Found checkSizes(const Type& type, const std::vector<Dim>& dims, const Layout& layout) {
  if (std::ranges::any_of(dims, [](const Dim& d) { return d.unbounded; })) return std::nullopt;
  auto sizes = mapped<i64>(dims, &Dim::size);
  if (!product(sizes)) {
    return fault(Part::Whole, 0, "the array has more than 2^63-1 elements", "sizes whose product is below 2^63");
  }
  const auto expanded = expand(sizes, layout);
  std::optional<i64> slots;
  if (expanded) slots = product(expanded->dims);
  if (slots && *slots > 0) {
    const auto padded = checkedAdd(*slots, layout.tailAlignment - 1);
    slots = padded ? std::optional(*padded / layout.tailAlignment * layout.tailAlignment) : std::nullopt;
  }
  if (!slots) {
    return fault(layout.tiles.empty() ? Part::Tail : Part::Tile, 0,
                 "with its padding the array has more than 2^63-1 slots", "smaller tiles or sizes");
  }
  const i64 bits = layout.elementBits != 0 ? layout.elementBits : 8 * type.byteWidth;
  if (!byteCount(*slots, bits)) {
    return fault(Part::Whole, 0, fmt::format("{} slots of {} bits are more than 2^63-1 bytes", *slots, bits),
                 "smaller sizes");
  }
  return std::nullopt;
}

}  // namespace

std::optional<Fault> check(const Type& type, const std::vector<Dim>& dims, const Layout& layout) {
  if (auto bad = checkDims(dims)) return bad;
  if (auto bad = checkOrder(dims.size(), layout.minorToMajor)) return bad;
  if (auto bad = checkTiles(layout.tiles)) return bad;
  if (auto bad = checkDigits(dims, layout.tiles)) return bad;
  if (auto bad = checkSplits(dims, layout)) return bad;
  if (auto bad = checkNumbers(layout)) return bad;
  return checkSizes(type, dims, layout);
}

}  // namespace tessera::xla
