#include "solver/kernel/machine/tensor_instruction.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "core/atlas/atlas.h"

namespace tessera::kernel {

namespace {

// Elements by the number in a descriptor; empty: there is none.
struct TensorKind {
  std::string_view name;
  std::array<std::string_view, 8> elements;
  int block;  // of its scales, unless the opcode names another; 0: none
};
constexpr TensorKind kTensorKinds[] = {
    {"f16", {"f16", "bf16"}, 0},
    {"tf32", {"", "", "tf32"}, 0},
    {"f8f6f4", {"e4m3", "e5m2", "", "e2m3", "e3m2", "e2m1"}, 0},
    {"i8", {"u8", "s8"}, 0},
    {"mxf8f6f4", {"e4m3", "e5m2", "", "e2m3", "e3m2", "e2m1"}, 32},
    {"mxf4", {"", "e2m1"}, 32},
    {"mxf4nvf4", {"", "e2m1"}, 16},
};
constexpr std::string_view kSums[] = {"f16", "f32", "s32", ""};

std::string_view kindNamed(const ptx::Opcode& o) {
  for (const std::string_view part : o.parts)
    if (part.starts_with("kind::")) return part.substr(6);
  return {};
}

}  // namespace

Result<TensorInstruction> TensorInstruction::of(std::uint32_t bits, const ptx::Opcode& o, int ctas, bool tensorA) {
  const std::string_view name = kindNamed(o);
  const auto field = [&](int from, int width) { return bits >> from & ((1u << width) - 1); };
  const auto says = [&](const std::string& what) {
    return Diag{fmt::format("the instruction descriptor {:#x} of kind::{} has {}", bits, name, what)};
  };
  TensorInstruction t;
  const TensorKind* kind = nullptr;
  for (const TensorKind& row : kTensorKinds)
    if (row.name == name) kind = &row;
  if (kind == nullptr || (kind->block != 0) != o.has("block_scale")) return Diag{o.text + " is not supported"};
  t.kind = static_cast<int>(kind - kTensorKinds);
  t.block = kind->block;
  if (t.block != 0 && (o.has("scale_vec::2X") || o.has("block32"))) t.block = 32;
  const bool scaled = t.block != 0;
  const std::string_view a = kind->elements[field(7, 3)], b = kind->elements[field(10, 3)],
                         d = scaled ? "f32" : kSums[field(4, 2)];
  if (a.empty() || b.empty() || d.empty()) return says("types that do not exist");
  if (field(2, 1) != 0) return says("a sparse A, which is not supported");
  if ((d == "s32") != (name == "i8") || (name == "tf32" && d != "f32")) return says(fmt::format("sums of {}", d));
  t.a.type = *tileType(a);
  t.b.type = *tileType(b);
  t.d = *tileType(d);
  t.saturates = !scaled && field(3, 1) != 0;
  t.a.negated = field(13, 1) != 0;
  t.b.negated = field(14, 1) != 0;
  t.a.transposed = field(15, 1) != 0;
  t.b.transposed = field(16, 1) != 0;
  t.n = static_cast<int>(field(17, 6)) * 8;
  t.m = static_cast<int>(field(24, 5)) * 16;
  t.k = name.starts_with("mxf4") ? 64 : 256 / std::max(t.a.type.bits, 8);
  const auto shape = fmt::format("M = {} and N = {}, which cta_group::{} does not have", t.m, t.n, ctas);
  if (!scaled) {  // the shapes that the atlas has
    if (!findInstruction(fmt::format("tcgen05.mma.cta_group::{}.kind::{}.m{}n{}k{}.{}", ctas, name, t.m, t.n, t.k,
                                     tensorA ? "ts" : "ss")))
      return says(shape);
    return t;
  }
  if (ctas == 2 && t.m == 128) return says("M = 128, which is not supported for two blocks");
  if (t.m != 128 * ctas || t.n < 8 * ctas || t.n % (8 * ctas) != 0 || t.n > 256) return says(shape);
  if (field(31, 1) != 0) return says("K = 96, which is not supported");
  if (t.packed() && (t.a.transposed || t.b.transposed)) return says("a transposed matrix of 4 bits");
  t.ue4m3 = field(23, 1) == 0;
  if (t.ue4m3 && (t.block != 16 || name != "mxf4nvf4")) return says("scales of ue4m3");
  t.a.scales = static_cast<int>(field(29, 2));
  t.b.scales = static_cast<int>(field(4, 2));
  const int scales = t.k / t.block;
  if (t.a.scales % scales != 0 || t.b.scales % scales != 0)
    return says(fmt::format("the scales {} and {}, which must be multiples of {}", t.a.scales, t.b.scales, scales));
  return t;
}

double TensorInstruction::scale(std::uint32_t cell, int first, int element) const {
  const u64 x = cell >> 8 * (first + element / block) & 0xff;
  if (ue4m3) return unpack(x & 0x7f, kE4m3);
  return x == 255 ? std::nan("") : std::ldexp(1.0, static_cast<int>(x) - 127);
}

}  // namespace tessera::kernel
