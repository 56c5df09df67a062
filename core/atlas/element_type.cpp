// Element types and their names: PTX's, NumPy's and Triton's, CUTLASS's, CUDA's.
#include <fmt/format.h>

#include <algorithm>

#include "core/atlas/atlas.h"
#include "core/atlas/cutlass.h"
#include "core/base/chars.h"
#include "core/base/words.h"

namespace tessera {
namespace {

struct Row {
  ElementType type;
  std::string_view also;  // separated by blanks
};
constexpr Row kTypes[] = {
    {{"b1", 1}, "u1 bin1 uint1b_t uint1_t bin1_t"},
    {{"s4", 4}, "int4 int4b_t int4_t"},
    {{"u4", 4}, "uint4 uint4b_t uint4_t"},
    {{"e2m1", 4}, "fp4 float_e2m1_t float_e2m1_unpacksmem_t __nv_fp4_e2m1"},
    {{"b4", 4}, ""},
    {{"e3m2", 6}, "float_e3m2_t float_e3m2_unpacksmem_t __nv_fp6_e3m2"},
    {{"e2m3", 6}, "float_e2m3_t float_e2m3_unpacksmem_t __nv_fp6_e2m3"},
    {{"b6", 6}, "fp6"},
    {{"s8", 8}, "int8 i8 int8_t char"},
    {{"u8", 8}, "uint8 uint8_t byte"},
    {{"e4m3", 8}, "float_e4m3_t __nv_fp8_e4m3 e4m3fn float8_e4m3fn"},
    {{"e5m2", 8}, "float_e5m2_t __nv_fp8_e5m2 float8_e5m2"},
    {{"ue8m0", 8}, "float_ue8m0_t"},
    {{"ue4m3", 8}, "float_ue4m3_t"},
    {{"b8", 8}, "fp8 f8"},
    {{"f16", 16}, "fp16 half half_t __half float16"},
    {{"bf16", 16}, "bfloat16 bfloat16_t __nv_bfloat16"},
    {{"s16", 16}, "int16 i16 int16_t"},
    {{"u16", 16}, "uint16 uint16_t"},
    {{"b16", 16}, ""},
    {{"f32", 32}, "fp32 float float32"},
    {{"tf32", 32}, "tfloat32_t"},
    {{"s32", 32}, "int32 i32 int32_t int"},
    {{"u32", 32}, "uint32 uint32_t"},
    {{"b32", 32}, ""},
    {{"f64", 64}, "fp64 double float64"},
    {{"s64", 64}, "int64 i64 int64_t"},
    {{"u64", 64}, "uint64 uint64_t"},
    {{"b64", 64}, ""},
    {{"b128", 128}, "u128 uint128_t"},
};

}  // namespace

std::optional<ElementType> elementType(std::string_view text) {
  std::string wanted;
  for (const char c : text.substr(0, 64))
    if (c != ' ' && c != '\t') wanted += lowerCase(c);
  for (const std::string_view scope : {"cute::", "cutlass::", "detail::"})
    if (wanted.starts_with(scope)) wanted.erase(0, scope.size());
  if (wanted.empty()) return std::nullopt;
  for (const Row& row : kTypes)
    if (const auto also = wordsIn(row.also);
        row.type.name == wanted || std::find(also.begin(), also.end(), wanted) != also.end())
      return row.type;
  return std::nullopt;
}

Result<int> elementBits(std::string_view type) {
  if (const auto known = elementType(type)) return known->bits;
  return Diag{fmt::format("'{}' is no element type", type), "f16 bf16 tf32 f32 f64 s8 u8 s4 u4 b1 e4m3 e5m2 e2m1 ..."};
}

}  // namespace tessera
