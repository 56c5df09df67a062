#include "core/atlas/cutlass.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/base/chars.h"
#include "core/base/mapped.h"
#include "core/base/types.h"
#include "core/base/words.h"

namespace tessera {
namespace {

// Element types and their names: PTX's, NumPy's and Triton's, CUTLASS's, CUDA's.
struct TypeRow {
  ElementType type;
  std::string_view also;  // separated by blanks
};
constexpr TypeRow kTypes[] = {
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

// scope::name<arguments>; an integer is also a name.
struct CppName {
  std::vector<std::string> scope;
  std::string name;
  std::vector<CppName> arguments;
  bool templated = false;
};

// Names are compared case-insensitively, as everywhere in the atlas.
bool same(std::string_view a, std::string_view b) { return lowerCase(a) == lowerCase(b); }
bool among(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return same(text, word); });
}

class NameReader {
 public:
  explicit NameReader(std::string_view text) : rest_(text) {}

  std::optional<CppName> all() {
    auto name = qualified(0);
    blanks();
    return rest_.empty() ? name : std::nullopt;
  }

 private:
  static constexpr int kDepth = 6;

  void blanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  std::optional<CppName> qualified(int depth) {
    if (depth > kDepth) return std::nullopt;
    CppName out;
    (void)take("::");
    for (;;) {
      blanks();
      std::size_t n = 0;
      while (n < rest_.size() && isNamePart(rest_[n])) ++n;
      if (n == 0) return std::nullopt;
      out.name = rest_.substr(0, n);
      rest_.remove_prefix(n);
      if (!take("::")) break;
      out.scope.push_back(std::move(out.name));
    }
    if (take("<")) {
      out.templated = true;
      if (!take(">")) {
        do {
          auto argument = qualified(depth + 1);
          if (!argument) return std::nullopt;
          out.arguments.push_back(*std::move(argument));
        } while (take(","));
        if (!take(">")) return std::nullopt;
      }
    }
    if (!take("{}")) (void)take("()");  // a value of the type
    return out;
  }

  std::string_view rest_;
};

std::string print(const CppName& n) {
  std::string out;
  for (const std::string& s : n.scope) out += s + "::";
  out += n.name;
  if (!n.templated) return out;
  auto arguments = mapped<std::string>(n.arguments, [&](const CppName& a) { return print(a); });
  return fmt::format("{}<{}>", out, fmt::join(arguments, ","));
}

// '*' matches any text.
bool fits(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  const std::string_view after = pattern.substr(star + 1);
  for (std::size_t at = star; at <= text.size(); ++at)
    if (fits(after, text.substr(at))) return true;
  return false;
}

// ---- the templates ----

// One letter per parameter: T a type and I an integer, both in the key; W a type by its bits, in the key; w, t a
// repeated one, dropped; U an integer, dropped; J and K a major (K: K only), S ScaleIn, C Saturate, P SparseSel.
// Parameters after '|' are optional.
struct TemplateRule {
  std::string_view name;
  std::string_view parameters;
  std::string_view usage;
};
constexpr std::string_view kUmma = "<A type, B type, D type, M, N, UMMA::Major of A, UMMA::Major of B>";
constexpr TemplateRule kTemplates[] = {
    {"sm100_mma_s8*_ss", "TTTII|JJC", kUmma},
    {"sm100_mma_s8*_ts", "TTTII|KJSSC", kUmma},
    {"sm100_mma_f16bf16*_ss_scaled", "TTTII|JJUSS", kUmma},
    {"sm100_mma_f16bf16*_ts_scaled", "TTTII|KJUSSC", kUmma},
    {"sm100_mma_*_ss", "TTTII|JJSS", kUmma},
    {"sm100_mma_*_ts", "TTTII|KJSSC", kUmma},
    {"sm120_16x8x32_tn", "TTT", "<A type, B type, D type>"},
    {"sm120_16x8x*_tn_vs", "TTTTI", "<A type, B type, D type, scale type, elements of one scale>"},
    {"universalfma", "|Tttt", "<type>"},
    {"universalcopy", "W|w", "<type>, such as uint128_t"},
    {"sm80_cp_async_cachealways*", "W|w", "<type>, such as uint128_t"},
    {"sm80_cp_async_cacheglobal*", "W|w", "<type>, such as uint128_t"},
    {"autovectorizingcopywithassumedalignment", "I", "<bits>"},
};

struct AbsentRow {
  std::string_view name;
  std::string_view what;
  std::string_view nearest;
};
constexpr AbsentRow kAbsent[] = {
    {"sm100_mma_*_sparse", "sparse tcgen05.mma", "tcgen05.mma without .sp, and wgmma.sp for a sparse A"},
    {"sm100_mma_mxf8f6f4*", "block-scaled tcgen05.mma",
     "tcgen05.mma with kind::f8f6f4: the same A, B and C, no scales"},
    {"sm100_mma_mxf4*", "block-scaled tcgen05.mma",
     "tcgen05.mma with kind::f8f6f4, and mma with kind::mxf4 of sm_120a"},
    {"sm103_mxf4_ultra*", "block-scaled tcgen05.mma",
     "tcgen05.mma with kind::f8f6f4, and mma with kind::mxf4 of sm_120a"},
    {"sm120_sparse_*", "sparse mma of sm_120", "mma with kind::f8f6f4 of sm_120a, and mma.sp of sm_89"},
    {"sm100_utccp_*", "tcgen05.cp", "tcgen05.ld and tcgen05.st"},
    {"sm100_2x1x1_*", "packed fma", "fma.f32"},
    {"sm100_1x2x1_*", "packed fma", "fma.f32"},
    {"sm100_tma_2sm_*", "TMA with cta_group::2", "cp.async.bulk.tensor.2d.load"},
    {"sm90_tma_*im2col*", "TMA in im2col mode", "cp.async.bulk.tensor.3d.load"},
    {"sm90_tma_reduce_*", "TMA reductions", "cp.async.bulk.tensor.1d.store"},
    {"sm90_bulk_copy_*", "bulk copies without a tensor map", "cp.async.bulk.tensor.1d.load"},
};

// wgmma's atoms: 64xNxK_DAB_SS or _RS; 16-bit types have majors, float types a sign, sparse ones a selector.
std::optional<TemplateRule> gmmaRule(std::string_view name) {
  const bool sparse = name.starts_with("gmma_64x") || fits("*sparse_64x*", name);
  if (!sparse && !name.starts_with("mma_64x") && !name.starts_with("sm90_64x")) return std::nullopt;
  const bool integer = fits("*_s32*", name), fixed = fits("*_tn*", name), registers = fits("*_rs*", name);
  std::string_view parameters = sparse ? "|JJSSP" : "|JJSS";
  if (registers) parameters = sparse ? "|KJSSP" : "|KJSS";
  if (fixed) parameters = sparse ? "|SSP" : "|SS";
  if (integer) parameters = sparse ? "|P" : "|";
  const std::string_view usage = integer ? "" : fixed ? "<GMMA::ScaleIn, GMMA::ScaleIn>" : "<GMMA::Major of A, of B>";
  return TemplateRule{name, parameters, usage};
}

std::optional<TemplateRule> ruleOf(std::string_view name) {
  for (const TemplateRule& rule : kTemplates)
    if (fits(rule.name, name)) return rule;
  return gmmaRule(name);
}

// ---- the arguments ----

std::optional<ElementType> typeOf(const CppName& n) {
  if (n.templated) return std::nullopt;
  for (const std::string& s : n.scope)
    if (!among(s, {"cute", "cutlass", "detail", "std"})) return std::nullopt;
  return elementType(n.name);
}

// 128, _128, Int<128>, C<128>, integral_constant<int,128>.
std::optional<i64> integerOf(const CppName& n) {
  if (n.templated) {
    const bool constant = same(n.name, "integral_constant") && n.arguments.size() == 2;
    const bool direct = among(n.name, {"Int", "C"}) && n.arguments.size() == 1;
    return constant || direct ? integerOf(n.arguments.back()) : std::nullopt;
  }
  std::string_view digits = n.name;
  if (digits.starts_with('_')) digits.remove_prefix(1);
  return wholeNumber(digits);
}

// The bits of the type that a copy moves: uint128_t, float4, uint_bit_t<128>, uint_byte_t<16>.
std::optional<i64> widthOf(const CppName& n) {
  if (n.templated && n.arguments.size() == 1 && among(n.name, {"uint_bit_t", "uint_byte_t"})) {
    const auto count = integerOf(n.arguments[0]);
    if (!count || *count < 1 || *count > 512) return std::nullopt;
    return same(n.name, "uint_bit_t") ? *count : 8 * *count;
  }
  if (!n.templated && among(n.name, {"float4", "double2"})) return 128;
  if (!n.templated && same(n.name, "float2")) return 64;
  if (const auto type = typeOf(n)) return type->bits;
  return std::nullopt;
}

// Whether it is one of these enumerators SCOPE::VALUE, also as integral_constant<SCOPE, SCOPE::VALUE>.
bool isEnumerator(const CppName& n, std::string_view scope, std::initializer_list<std::string_view> values) {
  if (same(n.name, "integral_constant") && n.arguments.size() == 2)
    return same(n.arguments[0].name, scope) && isEnumerator(n.arguments[1], scope, values);
  return !n.templated && !n.scope.empty() && same(n.scope.back(), scope) && among(n.name, values);
}

struct ReadArgument {
  bool ok = false;
  std::string kept;      // its part of the key
  std::string expected;  // if it is invalid
};

ReadArgument readArgument(char letter, const CppName& n, const std::vector<std::string>& kept) {
  const auto enumerator = [&](std::string_view scope, std::initializer_list<std::string_view> values) {
    return ReadArgument{isEnumerator(n, scope, values), "",
                        fmt::format("{}::{}", scope, fmt::join(values, fmt::format(" or {}::", scope)))};
  };
  switch (letter) {
    case 'T':
    case 't': {
      const auto type = typeOf(n);
      const bool repeats = type && !kept.empty() && kept.front() == type->name;
      if (letter == 't') return {repeats, "", "the same type"};
      return {type.has_value(), type ? std::string(type->name) : "", "a type such as half_t or float_e4m3_t"};
    }
    case 'W':
    case 'w': {
      const auto bits = widthOf(n);
      const std::string text = bits ? std::to_string(*bits) : "";
      if (letter == 'w') return {bits && !kept.empty() && kept.front() == text, "", "a type as wide as the first"};
      return {bits.has_value(), text, "a type such as uint128_t"};
    }
    case 'I':
    case 'U': {
      const auto value = integerOf(n);
      return {value.has_value(), value && letter == 'I' ? std::to_string(*value) : "", "an integer"};
    }
    case 'J':
      return enumerator("Major", {"K", "MN"});
    case 'K':
      return enumerator("Major", {"K"});
    case 'S':
      return enumerator("ScaleIn", {"One", "Neg"});
    case 'C':
      return enumerator("Saturate", {"False", "True"});
    default:
      return enumerator("SparseSel", {"Zero", "One"});
  }
}

Result<std::string> keyOf(const CppName& n, const std::string& name, const TemplateRule& rule) {
  const std::size_t bar = std::min(rule.parameters.find('|'), rule.parameters.size());
  std::string letters(rule.parameters);
  if (bar < letters.size()) letters.erase(bar, 1);
  if (n.arguments.size() < bar || n.arguments.size() > letters.size())
    return Diag{fmt::format("{} is given {} template arguments", n.name, n.arguments.size()),
                letters.empty() ? "none" : std::string(rule.usage)};
  std::vector<std::string> kept;
  for (std::size_t k = 0; k < n.arguments.size(); ++k) {
    const ReadArgument read = readArgument(letters[k], n.arguments[k], kept);
    if (!read.ok)
      return Diag{fmt::format("template argument {} of {} is {}", k + 1, n.name, print(n.arguments[k])), read.expected};
    if (!read.kept.empty()) kept.push_back(read.kept);
  }
  // A factor on the accumulator does not change the row.
  std::string key = name.ends_with("_scaled") ? name.substr(0, name.size() - 7) : name;
  return kept.empty() ? key : fmt::format("{}<{}>", key, fmt::join(kept, ","));
}

// MMA_Atom<X>, MMA_Traits<X, arguments>, Copy_Atom<X, type>, Copy_Traits<X> are X.
CppName unwrapped(CppName n) {
  const bool mma = among(n.name, {"MMA_Atom", "MMA_Traits"}), copy = among(n.name, {"Copy_Atom", "Copy_Traits"});
  if ((!mma && !copy) || n.arguments.empty()) return n;
  CppName inner = n.arguments.front();
  if (mma && !inner.templated && n.arguments.size() > 1) {
    inner.templated = true;
    inner.arguments.assign(n.arguments.begin() + 1, n.arguments.end());
  }
  return unwrapped(std::move(inner));
}

bool knownScope(const std::vector<std::string>& scope) {
  return std::ranges::all_of(scope, [](const std::string& s) {
    return among(s, {"cute", "cutlass", "arch", "detail", "SM90", "SM100", "SM103", "SM120", "GMMA", "UMMA", "SPARSE",
                     "TMEM", "BLOCKSCALED", "LOAD", "STORE", "UTCCP"});
  });
}

}  // namespace

std::optional<int> copyAtomBits(std::string_view text) {
  const auto parsed = NameReader(text).all();
  if (!parsed || !same(parsed->name, "Copy_Atom") || parsed->arguments.size() != 2) return std::nullopt;
  const auto type = elementType(parsed->arguments[1].name);
  return type ? std::optional(type->bits) : std::nullopt;
}

Result<std::optional<std::string>> cutlassKey(std::string_view text) {
  using Key = std::optional<std::string>;
  auto parsed = NameReader(text).all();
  if (!parsed) return Key();
  const CppName n = unwrapped(*std::move(parsed));
  const std::string name = lowerCase(n.name);
  for (const AbsentRow& row : kAbsent)
    if (fits(row.name, name))
      return Diag{fmt::format("the atlas has no rows for {}, {}", row.what, n.name), "a name of `tessera atlas`",
                  fmt::format("nearest: {}", row.nearest)};
  if (!knownScope(n.scope)) return Key();
  const auto rule = ruleOf(name);
  if (rule && (n.templated || !rule->parameters.starts_with('|'))) {
    TESSERA_TRY(std::string key, keyOf(n, name, *rule));
    return Key(std::move(key));
  }
  if (n.templated) return Key();
  // SM90::GMMA::SPARSE has its own atoms: GMMA_64x8x32..., but no MMA_64x8x32...
  const bool sparse = std::ranges::any_of(n.scope, [](const auto& s) { return same(s, "SPARSE"); });
  if (sparse && !name.starts_with("gmma_") && name.find("sparse") == std::string::npos) return Key("sparse::" + name);
  return Key(name);
}

std::optional<ElementType> elementType(std::string_view text) {
  std::string wanted;
  for (const char c : text.substr(0, 64))
    if (c != ' ' && c != '\t') wanted += lowerCase(c);
  for (const std::string_view scope : {"cute::", "cutlass::", "detail::"})
    if (wanted.starts_with(scope)) wanted.erase(0, scope.size());
  if (wanted.empty()) return std::nullopt;
  for (const TypeRow& row : kTypes)
    if (const auto also = wordsIn(row.also); row.type.name == wanted || std::ranges::find(also, wanted) != also.end())
      return row.type;
  return std::nullopt;
}

}  // namespace tessera
