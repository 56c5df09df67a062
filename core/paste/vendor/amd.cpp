// AMD: MFMA and WMMA as builtins of HIP, LLVM intrinsics, operations of MLIR and assembly.
//
//     __builtin_amdgcn_mfma_f32_32x32x8f16, llvm.amdgcn.mfma.f32.32x32x8f16, rocdl.mfma.f32.32x32x8f16,
//     v_mfma_f32_32x32x8f16, v_mfma_f32_32x32x8_f16         mfma.32x32x8.f32.f16
//     __builtin_amdgcn_mfma_f32_32x32x4bf16_1k              mfma.32x32x4.2b.f32.bf16
//     __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12      wmma.gfx12.16x16x16.f32.f16
//     amdgpu.mfma %a * %b + %c {m = 32 : i32, ...} : vector<4xf16>, ..
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/atlas/atlas.h"
#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/words.h"
#include "core/paste/vendor/instruction_text.h"

namespace tessera::paste::instruction {
namespace {

using Kind = Meaning::Kind;

std::string atlasType(std::string_view amdType) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kTypes = {{{"i8", "s8"},
                                                                                           {"i32", "s32"},
                                                                                           {"xf32", "tf32"},
                                                                                           {"fp8", "e4m3"},
                                                                                           {"bf8", "e5m2"},
                                                                                           {"iu8", "u8"},
                                                                                           {"iu4", "u4"},
                                                                                           {"f8", "e4m3"},
                                                                                           {"half", "f16"}}};
  for (const auto& [amd, ours] : kTypes)
    if (amdType == amd) return std::string(ours);
  return std::string(amdType);
}

// f32_32x32x8f16, f32.32x32x8.f16, f32_32x32x4_2b_bf16, f32_16x16x32_fp8_fp8: accumulator, shape, input.
struct Product {
  std::string out, shape, in, second;
  bool tagged1k = false, gfx12 = false;
  bool joined = false;  // 32x32x8f16, not 32x32x8_f16
};
std::optional<Product> productOf(std::string text) {
  std::ranges::replace(text, '.', ' ');
  std::ranges::replace(text, '_', ' ');
  Product p;
  for (const std::string_view one : wordsIn(text)) {
    if (p.out.empty()) {
      p.out = atlasType(one);
    } else if (p.shape.empty()) {
      std::size_t end = 0;
      while (end < one.size() && (isDigit(one[end]) || one[end] == 'x')) ++end;
      // 32x32x2xf32: the last x belongs to the type
      if (end > 0 && end < one.size() && one[end - 1] == 'x') --end;
      p.shape = one.substr(0, end);
      p.joined = end < one.size();
      if (p.joined) p.in = atlasType(one.substr(end));
    } else if (one == "1k") {
      p.tagged1k = true;
    } else if (one == "gfx12") {
      p.gfx12 = true;
    } else if (one == "w32" || one == "w64" || one == "e32" || one == "e64" || one.ends_with("b")) {
      continue;
    } else if (p.in.empty()) {
      p.in = atlasType(one);
    } else if (p.second.empty()) {
      p.second = atlasType(one);
    }
  }
  if (std::ranges::count(p.shape, 'x') != 2 || p.in.empty()) return std::nullopt;
  return p;
}

// The row with this shape, accumulator and input; 32x32x4.f16 has two blocks, which the builtin's name does not say.
Meaning productRow(AtlasFamily family, const Product& p) {
  // gfx908's 32x32x4bf16 has one block and half the values of each lane of gfx90a's 32x32x4bf16_1k.
  if (p.shape == "32x32x4" && p.in == "bf16" && p.joined && !p.tagged1k)
    return {Kind::Unknown, "the atlas has gfx90a's 32x32x4bf16_1k, not gfx908's 32x32x4bf16"};
  const std::string_view generation = p.gfx12 ? "gfx12" : "gfx11";
  for (const AtlasRow& one : atlas()) {
    if (one.family != family || one.shape != p.shape || !one.name.ends_with("." + p.out + "." + p.in)) continue;
    if (family == AtlasFamily::Wmma && !hasWord(one.name, generation)) continue;
    return row(one.name);
  }
  return {Kind::Unknown,
          fmt::format("the atlas has no {} {} with {} inputs and {} accumulators", name(family), p.shape, p.in, p.out)};
}

// The integer of `m = 32 : i32`.
std::string attribute(std::string_view rest, std::string_view key) {
  for (std::size_t at = rest.find(key); at != std::string_view::npos; at = rest.find(key, at + 1)) {
    if (at > 0 && isNamePart(rest[at - 1])) continue;
    Cursor in(rest, {}, at + key.size());
    if (!in.accept('=')) continue;
    if (const auto n = in.integer()) return std::to_string(*n);
  }
  return {};
}

// amdgpu.mfma %a * %b + %c {...} : vector<4xf16>, vector<4xf16>, vector<16xf32>; or amdgpu.mfma 32x32x8 %a * ...
Meaning mlirProduct(std::string_view rest, AtlasFamily family) {
  rest = rest.substr(0, std::min<std::size_t>(rest.find('\n'), 2048));
  Product p;
  p.shape = fmt::format("{}x{}x{}", attribute(rest, "m"), attribute(rest, "n"), attribute(rest, "k"));
  if (p.shape == "xx") p.shape = std::string(stripped(rest).substr(0, stripped(rest).find(' ')));
  if (family == AtlasFamily::Wmma) p.shape = "16x16x16";
  std::vector<std::string> types;
  for (std::size_t at = rest.find("vector<"); at != std::string_view::npos; at = rest.find("vector<", at + 1)) {
    const std::size_t x = rest.find('x', at), close = rest.find('>', at);
    if (x == std::string_view::npos || close == std::string_view::npos || x > close) break;
    std::string type = lowerCase(rest.substr(x + 1, close - x - 1));
    if (type.starts_with("f8e4m3")) type = "e4m3";
    if (type.starts_with("f8e5m2")) type = "e5m2";
    types.push_back(atlasType(type));
  }
  if (types.size() < 2) return {Kind::Unknown, "the operation has no vector types"};
  p.in = types.front();
  p.out = types.back();
  return productRow(family, p);
}

// rocwmma::fragment<matrix_a, 32, 32, 8, float16_t, ...>
Meaning rocWmma(std::string_view rest) {
  const std::string_view inside = rest.substr(0, std::min<std::size_t>(rest.find('>'), 512));
  std::vector<std::string> sizes;
  std::string type, use;
  std::string text(inside);
  std::ranges::replace_if(
      text, [](char c) { return c == ',' || c == '<' || c == ':'; }, ' ');
  for (const std::string_view one : wordsIn(text)) {
    if (integerText(one)) sizes.emplace_back(one);
    if (one.starts_with("matrix_") || one == "accumulator") use = one;
    if (type.empty() && sizes.size() == 3 && !integerText(one) && one != "rocwmma") type = one;
  }
  if (sizes.size() != 3 || type.empty()) return {};
  Product p;
  p.shape = fmt::format("{}x{}x{}", sizes[0], sizes[1], sizes[2]);
  p.in = type.starts_with("bfloat16") || type == "hip_bfloat16" ? "bf16"
         : type.starts_with("float16") || type == "hfloat16_t"  ? "f16"
         : type.starts_with("float32") || type == "float"       ? "f32"
         : type.starts_with("int8")                             ? "s8"
         : type.starts_with("float64") || type == "double"      ? "f64"
                                                                : type;
  p.out = p.in == "s8" ? "s32" : p.in == "f64" ? "f64" : "f32";
  if (use == "accumulator") p.in = "f16";
  return productRow(AtlasFamily::Mfma, p);
}

}  // namespace

Meaning amd(std::string_view word, std::string_view rest) {
  if (word == "amdgpu.mfma") return mlirProduct(rest, AtlasFamily::Mfma);
  if (word == "amdgpu.wmma") return mlirProduct(rest, AtlasFamily::Wmma);
  if (word == "rocwmma::fragment" || word == "wmma::fragment") {
    if (word[0] == 'w')
      return {Kind::Unknown, "CUDA does not say which thread holds which element of a wmma::fragment; use mma.sync"};
    return rocWmma(rest);
  }
  for (const std::string_view head : {"__builtin_amdgcn_mfma_", "llvm.amdgcn.mfma.", "rocdl.mfma.", "v_mfma_",
                                      "__builtin_amdgcn_wmma_", "llvm.amdgcn.wmma.", "rocdl.wmma.", "v_wmma_"}) {
    if (!word.starts_with(head)) continue;
    const auto product = productOf(std::string(word.substr(head.size())));
    if (!product) return {Kind::Unknown, fmt::format("'{}' names no shape and types", word)};
    const bool mfma = head.find("mfma") != std::string_view::npos;
    return productRow(mfma ? AtlasFamily::Mfma : AtlasFamily::Wmma, *product);
  }
  return {};
}

}  // namespace tessera::paste::instruction
