// Tensor maps and matrix descriptors.
//
//     cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, p, {K, M}, {K * 2}, {64, 128}, {1, 1}, ..)
//         map_smem = Sw<3,3,3> o (128,64):(64,1)       where the box lies in shared memory, outermost dimension first
//         map = tma_box(bf16, (K,M), (2K), (64,128), "128B")
//     desc.bitfield.layout_type_ = 1; desc.bitfield.stride_byte_offset_ = 64;
//         desc = smem_descriptor("128B", 0, 1024)
//     uint64_t desc = 0x4000004000010000;        the fields of wgmma's or, with version 1, of tcgen05's descriptor
#include "core/atlas/tma.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/paste/dialects.h"
#include "core/paste/vendor/matrix_fields.h"
#include "core/paste/vendor/source.h"

namespace tessera::paste {
namespace {

using code::Tree;
using vendor::Source;
using Ints = std::vector<i64>;

constexpr std::string_view kTypePrefix = "CU_TENSOR_MAP_DATA_TYPE_", kSwizzlePrefix = "CU_TENSOR_MAP_SWIZZLE_";

// The calls inside a tree, outermost first.
void callsIn(const Tree& tree, std::vector<const Tree*>& out) {
  spend();
  if (tree.kind == Tree::Kind::Call) out.push_back(&tree);
  for (const Tree& child : tree.children)
    if (child.kind < Tree::Kind::Declare) callsIn(child, out);
}

// The argument that begins with the prefix, by name, through variables; "" if none does.
std::string constantWith(std::string_view prefix, const Tree& call, const Source& source) {
  for (std::size_t k = 1; k < call.children.size(); ++k) {
    const Tree& at = source.resolved(call.children[k]);
    const std::string_view name = code::lastName(at);
    if (name.starts_with(prefix)) return std::string(name);
  }
  return {};
}

struct TmaReader {
  Source& source;

  Result<void> all() const {
    for (const Tree* statement : source.statements()) {
      if (statement->kind == Tree::Kind::Function || statement->kind == Tree::Kind::Struct) continue;
      std::vector<const Tree*> calls;
      for (const Tree& child : statement->children)
        if (child.kind < Tree::Kind::Declare) callsIn(child, calls);
      for (const Tree* call : calls)
        if (isEncode(*call)) TESSERA_CHECKED(read(*call));
    }
    return {};
  }
  [[nodiscard]] bool isEncode(const Tree& call) const {
    const std::string_view name = code::calledName(call);
    if (name.find("TensorMapEncodeTiled") != std::string_view::npos) return call.children.size() > 8;
    return call.children.size() > 9 && !constantWith(kSwizzlePrefix, call, source).empty();
  }
  Result<void> read(const Tree& call) const;
  void bindShared(std::string_view name, const TmaElement& element, const Ints& box, const TmaSwizzleMode& mode,
                  Span span) const;
};

// The box as it lies in shared memory, the outermost dimension first.
void TmaReader::bindShared(std::string_view name, const TmaElement& element, const Ints& box,
                           const TmaSwizzleMode& mode, Span span) const {
  if (element.padded || element.bits % 8 != 0) return;
  Ints shape(box.rbegin(), box.rend()), strides(box.size(), 1);
  for (std::size_t k = shape.size(); k-- > 1;) strides[k - 1] = strides[k] * shape[k];
  const int shift = element.bits == 8 ? 0 : element.bits == 16 ? 1 : element.bits == 32 ? 2 : 3;
  const std::string swizzle = mode.onBytes.bits() == 0 ? ""
                                                       : fmt::format("Sw<{},{},{}> o ", mode.onBytes.bits(),
                                                                     mode.onBytes.base() - shift, mode.onBytes.shift());
  source.out().bind(fmt::format("{}_smem", name),
                    fmt::format("{}({}):({})", swizzle, fmt::join(shape, ","), fmt::join(strides, ",")), span);
}

// Its arguments: map, type, rank, address, sizes, strides, box, element strides, interleave, swizzle, ...
Result<void> TmaReader::read(const Tree& call) const {
  const auto argument = [&](std::size_t k) -> const Tree& { return call.children[k + 1]; };
  if (call.children.size() < 9)
    return Diag{"cuTensorMapEncodeTiled takes 12 arguments", "map, type, rank, address, sizes, strides, box ...", "",
                call.span};
  Bindings& out = source.out();
  std::string type = constantWith(kTypePrefix, call, source);
  if (const std::string* given = out.given().let(Source::spelled(argument(1)))) type = *given;
  if (type.empty())
    out.ask({Source::spelled(argument(1)), "the data type of a tensor map",
             fmt::format("--let {}=bf16", Source::spelled(argument(1))), argument(1).span});
  std::string mode = constantWith(kSwizzlePrefix, call, source);
  if (mode.empty() && call.children.size() > 10)
    if (const std::string* given = out.given().let(Source::spelled(argument(9)))) mode = *given;
  if (mode.empty() && call.children.size() > 10)
    out.ask({Source::spelled(argument(9)), "the swizzle mode of a tensor map",
             fmt::format("--let {}=128B", Source::spelled(argument(9))), argument(9).span});
  const auto sizes = source.integers(argument(4), "the sizes of the tensor, innermost first"),
             strides = source.integers(argument(5), "the strides in bytes of dimensions 1 .."),
             box = source.integers(argument(6), "the box, innermost first");
  if (out.asked() || !sizes || !strides || !box) return {};
  const auto rank = source.integer(argument(2), "the rank of the tensor map");
  if (!rank) return {};
  const auto n = static_cast<std::size_t>(std::clamp<i64>(*rank, 1, 5));
  if (sizes->size() < n || strides->size() + 1 < n || box->size() < n)
    return Diag{fmt::format("a tensor map of rank {} has {} sizes, {} strides and {} box sizes here", n, sizes->size(),
                            strides->size(), box->size()),
                "a size, a box size, and a stride for each dimension but the first", "", call.span};
  if (call.children.size() > 8)
    if (const auto steps = source.list(argument(7)))
      for (const Tree* one : *steps)
        if (one->value && *one->value != 1) out.note("element strides other than 1 are not part of tma_box");
  TESSERA_TRY(const TmaElement element, tmaElement(type));
  TESSERA_TRY(const TmaSwizzleMode swizzle, tmaSwizzleMode(std::string_view(mode.empty() ? "NONE" : mode)));
  const std::span<const i64> outer(strides->data(), n - 1), boxes(box->data(), n), extents(sizes->data(), n);
  const Tree& target = argument(0);
  const std::string name = target.kind == Tree::Kind::Unary && !target.children.empty()
                               ? Source::spelled(target.children[0])
                               : Source::spelled(target);
  const std::string own = worksheetName(name) == "X" ? "map" : name;
  bindShared(own, element, Ints(boxes.begin(), boxes.end()), swizzle, call.span);
  const std::string shortType = type.starts_with(kTypePrefix) ? "\"" + type + "\"" : type;
  out.bind(own,
           fmt::format("tma_box({}, ({}), ({}), ({}), \"{}\")", shortType, fmt::join(extents, ","),
                       fmt::join(outer, ","), fmt::join(boxes, ","), swizzle.name),
           call.span);
  return {};
}

int recognizesTma(std::string_view whole) {
  const std::string_view text = whole.substr(0, 65536);
  spend(static_cast<Work>(text.size() / 64));
  const auto has = [&](std::string_view mark) { return text.find(mark) != std::string_view::npos; };
  if (has("TensorMapEncodeTiled") || has(kSwizzlePrefix)) return 2;
  return vendor::looksLikeMatrixDescriptor(text) ? 2 : 0;
}

// Python's comments after a statement as blanks; a `#` at the start of a line is C's.
std::string withoutHashComments(std::string_view text) {
  std::string out(text);
  bool statement = false, comment = false;
  for (char& c : out) {
    if (c == '\n') statement = comment = false;
    comment = comment || (c == '#' && statement);
    statement = statement || !isBlank(c);
    if (comment) c = ' ';
  }
  return out;
}

Result<Reading> readTma(std::string_view text, const Given& given) {
  Bindings out(given);
  const std::string plain = withoutHashComments(text);
  TESSERA_TRY(Source source, Source::read(plain, out));
  TESSERA_CHECKED(TmaReader{source}.all());
  if (out.empty() && !out.asked()) TESSERA_CHECKED(vendor::readMatrixFields(source));
  if (out.empty() && !out.asked())
    return Diag{"this text neither encodes a tensor map nor sets the fields of a matrix descriptor",
                "cuTensorMapEncodeTiled(...), desc.bitfield.layout_type_ = 1;",
                "paste the call itself, or the lines that set the fields"};
  return out.reading("TMA and matrix descriptors");
}

}  // namespace

const Dialect kTma{"a TMA descriptor", recognizesTma, readTma};

}  // namespace tessera::paste
