#include "core/code/run/type.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/chars.h"

namespace tessera::code {
namespace {

struct KnownType {
  std::string_view name;
  Type::Kind kind;
  int bits;
  bool isSigned = true;
};
using enum Type::Kind;
constexpr auto kKnownTypes = std::to_array<KnownType>({
    {"bool", Bool, 8, false},
    {"char", Integer, 8},
    {"short", Integer, 16},
    {"int", Integer, 32},
    {"long", Integer, 64},
    {"uint", Integer, 32, false},
    {"uchar", Integer, 8, false},
    {"ushort", Integer, 16, false},
    {"ulong", Integer, 64, false},
    {"byte", Integer, 8, false},
    {"index_t", Integer, 32},
    {"Index", Integer, 32},
    {"LongIndex", Integer, 64},
    {"OffsetT", Integer, 32},
    {"long_index_t", Integer, 64},
    {"size_t", Integer, 64, false},
    {"ssize_t", Integer, 64},
    {"ptrdiff_t", Integer, 64},
    {"intptr_t", Integer, 64},
    {"uintptr_t", Integer, 64, false},
    {"int8_t", Integer, 8},
    {"int16_t", Integer, 16},
    {"int32_t", Integer, 32},
    {"int64_t", Integer, 64},
    {"uint8_t", Integer, 8, false},
    {"uint16_t", Integer, 16, false},
    {"uint32_t", Integer, 32, false},
    {"uint64_t", Integer, 64, false},
    {"i8", Integer, 8},
    {"i16", Integer, 16},
    {"i32", Integer, 32},
    {"i64", Integer, 64},
    {"u8", Integer, 8, false},
    {"u16", Integer, 16, false},
    {"u32", Integer, 32, false},
    {"u64", Integer, 64, false},
    {"float", Data, 32},
    {"double", Data, 64},
    {"half", Data, 16},
    {"__half", Data, 16},
    {"half_t", Data, 16},
    {"fp16", Data, 16},
    {"f16", Data, 16},
    {"float16", Data, 16},
    {"f32", Data, 32},
    {"fp32", Data, 32},
    {"float32", Data, 32},
    {"f64", Data, 64},
    {"bf16", Data, 16},
    {"bfloat16", Data, 16},
    {"__hip_bfloat16", Data, 16},
    {"hip_bfloat16", Data, 16},
    {"bfloat16_t", Data, 16},
    {"nv_bfloat16", Data, 16},
    {"__nv_bfloat16", Data, 16},
    {"_Float16", Data, 16},
    {"float16_t", Data, 16},
    {"tf32", Data, 32},
    {"tfloat32_t", Data, 32},
    {"fp8", Data, 8},
    {"fp8e4m3", Data, 8},
    {"fp8e5m2", Data, 8},
    {"float_e4m3_t", Data, 8},
    {"float_e5m2_t", Data, 8},
    {"float8_e4m3_t", Data, 8},
    {"__nv_fp8_e4m3", Data, 8},
    {"__nv_fp8_e5m2", Data, 8},
    {"int4b_t", Data, 4},
    {"uint4b_t", Data, 4},
    {"half_raw", Data, 16},
    {"void", Void, 0},
});

// char, short ... with a number of lanes: float4, uint2, half2, bf16_2.
struct LanesOf {
  std::string_view name;
  std::string_view lane;
  int lanes;
};
constexpr auto kLanes = std::to_array<LanesOf>({
    {"__half2", "half", 2},
    {"nv_bfloat162", "nv_bfloat16", 2},
    {"__nv_bfloat162", "__nv_bfloat16", 2},
    {"bfloat162", "bfloat16", 2},
    {"bf16_2", "bf16", 2},
    {"fp8e4m3_4", "fp8", 4},
    {"longlong2", "long", 2},
    {"ulonglong2", "ulong", 2},
    {"dim3", "uint", 3},
    {"float4_", "float", 4},
});

std::string_view withoutScopes(std::string_view name) {
  const std::size_t at = name.rfind("::");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

std::optional<Type> scalarNamed(std::string_view name) {
  const auto known = std::ranges::find(kKnownTypes, name, &KnownType::name);
  if (known == kKnownTypes.end()) return std::nullopt;
  return Type{known->kind, known->bits, known->isSigned, 1, 0, std::string(name)};
}

std::optional<Type> wordNamed(std::string_view name) {
  name = withoutScopes(name);
  if (auto scalar = scalarNamed(name)) return scalar;
  const auto lanes = std::ranges::find(kLanes, name, &LanesOf::name);
  std::string_view lane = lanes != kLanes.end() ? lanes->lane : std::string_view();
  int count = lanes != kLanes.end() ? lanes->lanes : 0;
  if (lane.empty() && name.size() > 1) {
    const char last = name.back();
    count = last >= '1' && last <= '8' && last != '5' && last != '6' && last != '7' ? last - '0' : 0;
    lane = name.substr(0, name.size() - 1);
    const auto plain = std::to_array<std::string_view>(
        {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half"});
    if (count == 0 || std::ranges::find(plain, lane) == plain.end()) return std::nullopt;
  }
  std::optional<Type> type = lane.empty() ? std::nullopt : scalarNamed(lane);
  if (type) type->lanes = count;
  return type;
}

std::vector<std::string_view> typeWords(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && (isNamePart(text[end]) || text[end] == ':')) ++end;
    if (end > i) words.push_back(text.substr(i, end - i));
    if (end == i && (text[i] == '*' || text[i] == '&')) words.push_back(text.substr(i, 1));
    if (end == i && !isBlank(text[i]) && text[i] != '*' && text[i] != '&') words.push_back(text.substr(i, 1));
    i = std::max(end, i + 1);
  }
  return words;
}

// unsigned long long, short int ...
struct TypeWords {
  int shorts = 0, longs = 0;
  bool isUnsigned = false, isSigned = false;
  std::string_view base;
  [[nodiscard]] bool any() const { return shorts > 0 || longs > 0 || isUnsigned || isSigned; }
};

}  // namespace

Type Type::pointee() const {
  Type type = *this;
  type.pointers = std::max(0, pointers - 1);
  return type;
}

Type Type::lane() const {
  Type type = *this;
  type.lanes = 1;
  return type;
}

Type integerType(int bits, bool isSigned) {
  const std::string name = bits == 32 ? (isSigned ? "int" : "unsigned int")
                                      : std::string(isSigned ? "int" : "uint") + std::to_string(bits) + "_t";
  return {Type::Kind::Integer, bits, isSigned, 1, 0, name};
}
Type unboundedInteger() { return {Type::Kind::Integer, 0, true, 1, 0, "int"}; }
Type boolType() { return {Type::Kind::Bool, 8, false, 1, 0, "bool"}; }

std::optional<Type> typeNamed(std::string_view name) {
  TypeWords c;
  int pointers = 0;
  for (const std::string_view word : typeWords(name)) {
    constexpr auto kSpaces = std::to_array<std::string_view>(
        {"device", "threadgroup", "thread", "__global", "__local", "__private", "__constant", "__shared__"});
    if (std::ranges::find(kSpaces, word) != kSpaces.end()) continue;
    if (word == "const" || word == "volatile" || word == "&" || word == "restrict" || word == "__restrict__" ||
        word == "__restrict" || word == "typename" || word == "struct" || word == "constexpr" || word == "static")
      continue;
    if (word == "*") {
      ++pointers;
    } else if (word == "unsigned") {
      c.isUnsigned = true;
    } else if (word == "signed") {
      c.isSigned = true;
    } else if (word == "short" && pointers == 0) {
      ++c.shorts;
    } else if (word == "long") {
      ++c.longs;
    } else if (c.base.empty()) {
      c.base = word;
    } else {
      return std::nullopt;
    }
  }
  std::optional<Type> type;
  if (!c.any()) {
    if (!c.base.empty()) type = wordNamed(c.base);
  } else if (c.base.empty() || c.base == "int" || c.base == "char") {
    type = integerType(c.base == "char" ? 8 : c.shorts > 0 ? 16 : c.longs > 0 ? 64 : 32, !c.isUnsigned);
  } else if (c.base == "double" && c.longs > 0) {
    type = scalarNamed("double");
  }
  if (type) type->pointers += pointers;
  return type;
}

std::string print(const Type& type) {
  std::string text = type.name.empty() ? "an unknown type" : type.name;
  if (type.lanes > 1) text += std::to_string(type.lanes);
  if (type.pointers > 0) text += " " + std::string(static_cast<std::size_t>(type.pointers), '*');
  return text;
}

i64 leastOf(const Type& type) {
  if (type.bits == 0 || (type.isSigned && type.bits >= 64)) return INT64_MIN;
  return type.isSigned ? -(i64{1} << (type.bits - 1)) : 0;
}

i64 mostOf(const Type& type) {
  if (type.kind == Type::Kind::Bool) return 1;
  if (type.bits == 0 || type.bits >= 64) return INT64_MAX;
  return (i64{1} << (type.bits - (type.isSigned ? 1 : 0))) - 1;
}

Type promoted(const Type& type) {
  if (type.bits == 0) return type.kind == Type::Kind::Bool ? intType() : type;
  return type.bits < 32 ? intType() : type;
}

Type commonType(const Type& a, const Type& b) {
  const Type x = promoted(a), y = promoted(b);
  if (x.bits == 0) return x;
  if (y.bits == 0) return y;
  if (x.bits != y.bits) return x.bits > y.bits ? x : y;
  return x.isSigned ? y : x;
}

}  // namespace tessera::code
