#include "solver/kernel/launch/tensor_argument.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/nearest.h"
#include "solver/kernel/launch/element.h"

namespace tessera::kernel {

namespace {

constexpr std::string_view kOptions[] = {"box",  "swizzle", "strides", "steps",     "fill",
                                         "type", "shape",   "offset",  "interleave"};

constexpr i64 kMostBytes = i64{1} << 33;  // of a buffer

// "64x64" or "64"; nullopt: something else.
std::optional<std::vector<i64>> numbersBetweenX(std::string_view text) {
  std::vector<i64> out;
  Cursor in(text);
  while (out.size() < 8) {
    const auto n = in.integer();
    if (!n) return std::nullopt;
    out.push_back(*n);
    if (in.atEnd()) return out;
    if (!in.accept('x')) return std::nullopt;
  }
  return std::nullopt;
}

ptx::Type typeOf(const Element& e) {
  using ptx::Type;
  if (e.kind == Element::Kind::Float && e.bytes > 1)
    return e.name == "bfloat16" ? Type::BF16 : e.bytes == 2 ? Type::F16 : e.bytes == 4 ? Type::F32 : Type::F64;
  if (e.kind == Element::Kind::Signed && e.bytes >= 4) return e.bytes == 4 ? Type::S32 : Type::S64;
  return e.bytes == 1 ? Type::U8 : e.bytes == 2 ? Type::U16 : e.bytes == 4 ? Type::U32 : Type::U64;
}

class MapReader {
 public:
  MapReader(const TensorText& text, bool own, Argument& argument) : text_(text), own_(own), argument_(argument) {}

  Result<void> run() {
    for (const auto& [name, value] : text_.options) TESSERA_CHECKED(option(name, value));
    TESSERA_CHECKED(element());
    const std::size_t rank = argument_.shape.size();
    if (rank < 1 || rank > 5)
      return Diag{fmt::format("a tensor map of a tensor with {} dimensions", rank), "1 to 5 dimensions"};
    if (box_.empty()) return Diag{"a tensor map needs the box of its copies", "box=64x64, in the order of the shape"};
    for (const auto* list : {&box_, &steps_})
      if (!list->empty() && list->size() != rank)
        return Diag{fmt::format("{}={} has {} numbers, and the shape {} has {}", list == &box_ ? "box" : "steps",
                                fmt::join(*list, "x"), list->size(), fmt::join(argument_.shape, "x"), rank),
                    "a number for each dimension, in the order of the shape"};
    TESSERA_CHECKED(strides());
    map_.tile.globalExtents.assign(argument_.shape.rbegin(), argument_.shape.rend());
    map_.tile.box.assign(box_.rbegin(), box_.rend());
    map_.tile.elementStrides.assign(steps_.rbegin(), steps_.rend());
    if (!steps_.empty()) map_.tile.elementStrides[0] = 1;  // the driver ignores that of the innermost dimension
    map_.tile.swizzle = swizzle_;
    if (const auto fault = tmaFault(map_.tile)) {
      Diag diag = fault->diag;
      if (diag.hint.empty()) diag.hint = "dimension 0 is the innermost, as for cuTensorMapEncodeTiled";
      return diag;
    }
    TESSERA_CHECKED(line());
    if (map_.spanBytes() > kMostBytes) return Diag{fmt::format("the tensor takes more than {} bytes", kMostBytes)};
    if (own_) pad();
    argument_.kind = Argument::Kind::TensorMap;
    argument_.map = map_;
    return {};
  }

 private:
  static Diag wrong(const std::string& name, std::string_view value, std::string expected) {
    return Diag{fmt::format("{}={} is not an option of a tensor map", name, value.substr(0, 60)), std::move(expected)};
  }

  Result<void> option(const std::string& name, const std::string& value) {
    const auto list = [&](std::vector<i64>& out, const char* example) -> Result<void> {
      const auto numbers = numbersBetweenX(value);
      if (!numbers) return wrong(name, value, fmt::format("{}={}", name, example));
      out = *numbers;
      return {};
    };
    if (name == "box") return list(box_, "64x64");
    if (name == "steps") return list(steps_, "2x1");
    if (name == "strides") {
      stridesGiven_ = true;
      return list(strides_, "1024, in bytes, without the innermost dimension");
    }
    if (name == "swizzle") {
      std::string upper = value;
      for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      TESSERA_TRY(swizzle_, tmaSwizzleMode(upper));
      if (swizzle_.name.ends_with("FLIP_8B"))
        return Diag{fmt::format("swizzle={} is not supported", value), "NONE, 32B, 64B, 128B, 128B_ATOM_32B"};
      return {};
    }
    if (name == "fill") {
      if (value != "zero" && value != "nan") return wrong(name, value, "fill=zero or fill=nan");
      map_.fillNan = value == "nan";
      return {};
    }
    if (name == "interleave") {
      if (lowerCase(value) == "none") return {};
      return Diag{fmt::format("interleave={} is not supported", value.substr(0, 60)), "interleave=none"};
    }
    if (name == "type") {
      type_ = elementNamed(value);
      if (type_ == nullptr) return wrong(name, value, elementNames());
      return {};
    }
    if (own_) return Diag{fmt::format("{}={} is for a tensor in another argument's buffer", name, value), "#2"};
    if (name == "shape") return list(argument_.shape, "1024x512");
    std::vector<i64> offset;  // "offset"
    TESSERA_CHECKED(list(offset, "4096, in bytes"));
    if (offset.size() != 1 || offset[0] < 0 || offset[0] % 16 != 0)
      return Diag{fmt::format("offset={}: a tensor starts at a multiple of 16 bytes", value), "offset=4096"};
    map_.offset = offset[0];
    return {};
  }

  Result<void> element() {
    const Element* const e = type_ != nullptr ? type_ : elementNamed(argument_.element);
    if (e == nullptr || e->bytes > 8 || e->name.starts_with("complex"))
      return Diag{fmt::format("a tensor map has no elements of type {}", argument_.element),
                  "elements of 1, 2, 4 or 8 bytes"};
    if (e->name == "tfloat32") return Diag{"how a tensor map of type tf32 rounds is not documented", "type f32"};
    const Element* const before = elementNamed(argument_.element);
    if (own_ && before != nullptr && before->bytes != e->bytes)
      return Diag{fmt::format("type={} has {} bytes, and {} has {}", e->name, e->bytes, before->name, before->bytes)};
    argument_.element = e->name;
    TESSERA_TRY(map_.tile.element, tmaElement(i64{8} * e->bytes));
    map_.type = typeOf(*e);
    if (map_.fillNan && (e->kind != Element::Kind::Float || e->bytes == 1))
      return Diag{fmt::format("fill=nan for elements of type {}", e->name), "a floating-point type of 16 to 64 bits"};
    return {};
  }

  // Innermost first into the map.
  Result<void> strides() {
    const std::size_t rank = argument_.shape.size();
    std::vector<i64>& out = map_.tile.globalStrideBytes;
    if (stridesGiven_) {
      if (strides_.size() + 1 != rank)
        return Diag{fmt::format("strides={} has {} numbers", fmt::join(strides_, "x"), strides_.size()),
                    fmt::format("{}: bytes for each dimension but the innermost", rank - 1)};
      out.assign(strides_.rbegin(), strides_.rend());
      return {};
    }
    std::optional<i64> bytes = map_.elementBytes();
    for (std::size_t d = rank; d-- > 1;) {
      bytes = checkedMul(*bytes, argument_.shape[d]);
      if (!bytes) return Diag{"the tensor is too large"};
      out.push_back(*bytes);
    }
    if (rank > 1 && out[0] % 16 != 0)
      return Diag{fmt::format("a row of {} elements has {} bytes; the rows of a tensor map are multiples of 16 apart",
                              argument_.shape.back(), out[0]),
                  own_ ? fmt::format("strides={}, which pads them", fmt::join(padded(), "x"))
                       : "a buffer whose rows are multiples of 16 bytes, and strides=",
                  "cuTensorMapEncodeTiled refuses it too"};
    return {};
  }

  // Strides in the order of the shape, with rows of a multiple of 16 bytes.
  [[nodiscard]] std::vector<i64> padded() const {
    std::vector<i64> out;
    i64 bytes = roundUp(argument_.shape.back() * map_.elementBytes(), 16);
    for (std::size_t d = argument_.shape.size(); d-- > 1; bytes *= argument_.shape[d - 1]) out.push_back(bytes);
    std::reverse(out.begin(), out.end());
    return out;
  }

  Result<void> line() const {
    const i64 bytes = map_.tile.box[0] * map_.elementBytes();
    if (swizzle_.onBytes.isIdentity() || bytes == swizzle_.lineBytes) return {};
    std::string fits;
    for (const char* name : {"32B", "64B", "128B"})
      if (tmaSwizzleMode(name)->lineBytes == bytes) fits = fmt::format(", or swizzle={}", name);
    return Diag{fmt::format("a line of the box has {} bytes, and swizzle {} spans {}: how shorter lines are placed is "
                            "not documented",
                            bytes, swizzle_.name, swizzle_.lineBytes),
                fmt::format("an innermost box of {} elements{}", swizzle_.lineBytes / map_.elementBytes(), fits)};
  }

  // Spreads contiguous elements over padded rows; the padding is zero.
  void pad() {
    const i64 row = map_.tile.globalExtents[0] * map_.elementBytes();
    const std::vector<std::byte> dense = std::move(argument_.bytes);
    argument_.bytes.assign(static_cast<std::size_t>(map_.spanBytes()), std::byte{0});
    for (i64 l = 0; l * row < static_cast<i64>(dense.size()); ++l) {
      i64 rest = l, at = 0;
      for (std::size_t d = 1; d < map_.rank(); ++d) {
        at += rest % map_.tile.globalExtents[d] * map_.tile.globalStrideBytes[d - 1];
        rest /= map_.tile.globalExtents[d];
      }
      std::memcpy(argument_.bytes.data() + at, dense.data() + l * row, static_cast<std::size_t>(row));
    }
  }

  const TensorText& text_;
  bool own_;
  Argument& argument_;
  TensorMap map_;
  TmaSwizzleMode swizzle_ = *tmaSwizzleMode("NONE");
  std::vector<i64> box_, steps_, strides_;
  bool stridesGiven_ = false;
  const Element* type_ = nullptr;
};

}  // namespace

Result<TensorText> readTensorText(std::string_view text) {
  TensorText out;
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth <= 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  out.tensor = stripped(parts[0]);
  if (out.tensor.empty() || (out.tensor[0] != '@' && out.tensor[0] != '#' && out.tensor.find('[') == std::string::npos))
    return Diag{fmt::format("tensormap:{} names no tensor", text.substr(0, 60)),
                "tensormap:f16[1024,512],box=64x64, tensormap:@A.npy,box=64x64 or tensormap:#2,box=64x64"};
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const std::size_t equals = parts[k].find('=');
    const std::string name(stripped(parts[k].substr(0, equals)));
    if (equals == std::string::npos ||
        std::find(std::begin(kOptions), std::end(kOptions), name) == std::end(kOptions)) {
      std::vector<std::string> names(std::begin(kOptions), std::end(kOptions));
      return Diag{fmt::format("'{}' is not an option of a tensor map", parts[k].substr(0, 60)),
                  fmt::format("{}", fmt::join(names, ", ")), didYouMean(name, names)};
    }
    for (const auto& [known, value] : out.options)
      if (known == name) return Diag{fmt::format("{} is given twice", name)};
    out.options.emplace_back(name, stripped(parts[k].substr(equals + 1)));
  }
  return out;
}

Result<void> completeMap(const TensorText& text, bool own, Argument& argument) {
  return MapReader(text, own, argument).run();
}

}  // namespace tessera::kernel
