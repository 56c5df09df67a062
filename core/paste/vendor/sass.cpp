// SASS: NVIDIA's machine code as cuobjdump, nvdisasm and Nsight Compute print it. There is no document of it; the names
// are those that ptxas gives for each PTX instruction.
//
//     HMMA.16816.F32.BF16      mma.m16n8k16.f32.bf16.bf16.f32       LDSM.16.MT88.4      ldmatrix.x4.trans
//     HGMMA.64x128x16.F32      wgmma.m64n128k16.f32.f16.f16         LDS.128, STG.E.64   ld.shared.v4, st.global.v2
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/paste/vendor/instruction_text.h"

namespace tessera::paste::instruction {
namespace {

using Kind = Meaning::Kind;

// 16816 is m16n8k16, 8816 m8n8k16, 1688 m16n8k8, 16864 m16n8k64, 884 m8n8k4. Empty: no shape.
std::string mmaShape(std::string_view digits) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kShapes = {{{"16816", "m16n8k16"},
                                                                                             {"1688", "m16n8k8"},
                                                                                             {"1684", "m16n8k4"},
                                                                                             {"16832", "m16n8k32"},
                                                                                             {"16864", "m16n8k64"},
                                                                                             {"8816", "m8n8k16"},
                                                                                             {"8832", "m8n8k32"},
                                                                                             {"884", "m8n8k4"},
                                                                                             {"88128", "m8n8k128"},
                                                                                             {"168128", "m16n8k128"},
                                                                                             {"168256", "m16n8k256"},
                                                                                             {"8x8x4", "m8n8k4"}}};
  for (const auto& [spelled, shape] : kShapes)
    if (digits == spelled) return std::string(shape);
  return {};
}

// "64x128x16" -> m64n128k16.
std::string gmmaShape(std::string_view text) {
  const std::size_t a = text.find('x'), b = text.find('x', a + 1);
  if (a == std::string_view::npos || b == std::string_view::npos) return {};
  return fmt::format("m{}n{}k{}", text.substr(0, a), text.substr(a + 1, b - a - 1), text.substr(b + 1));
}

// The element types among the words, lower case.
std::vector<std::string> typesIn(const std::vector<std::string>& words) {
  static constexpr std::string_view kTypes = " f16 f32 bf16 tf32 f64 s8 u8 s4 u4 b1 e4m3 e5m2 e2m3 e3m2 e2m1 ";
  std::vector<std::string> out;
  for (const std::string& word : words) {
    const std::string lower = lowerCase(word);
    if (kTypes.find(fmt::format(" {} ", lower)) != std::string_view::npos) out.push_back(lower);
  }
  return out;
}

// d.a.b.c (d.a.b of wgmma) from the types that SASS writes: the accumulator first, inputs only if they are not f16.
std::string mmaTypes(std::string_view unit, const std::vector<std::string>& types, bool warpgroup) {
  std::string d = "f32", a = "f16", b;
  if (unit[0] == 'I') d = "s32", a = "s8";
  if (unit[0] == 'B') d = "s32", a = "b1";
  if (unit[0] == 'D') d = a = "f64";
  if (unit[0] == 'Q') a = "e4m3";
  std::size_t next = 0;
  if (unit[0] != 'I' && unit[0] != 'B' && unit[0] != 'D' && !types.empty() && (types[0] == "f32" || types[0] == "f16"))
    d = types[next++];
  if (next < types.size() && unit[0] != 'D') a = types[next++];
  b = next < types.size() && unit[0] != 'D' ? types[next] : a;
  return warpgroup ? fmt::format("{}.{}.{}", d, a, b) : fmt::format("{}.{}.{}.{}", d, a, b, d);
}

Meaning matrixProduct(std::string_view unit, const std::vector<std::string>& words, std::string_view rest) {
  const bool warpgroup = unit.ends_with("GMMA");
  std::string shape;
  bool sparse = false;
  for (const std::string& word : words) {
    if (shape.empty()) shape = warpgroup ? gmmaShape(word) : mmaShape(word);
    sparse = sparse || word == "SP";
  }
  if (shape.empty()) return {};
  std::string types = mmaTypes(unit, typesIn(words), warpgroup);
  if (unit == "BMMA") types += std::ranges::find(words, "AND") == words.end() ? ".xor.popc" : ".and.popc";
  std::string name = fmt::format("{}{}.{}.{}", warpgroup ? "wgmma" : "mma", sparse ? ".sp" : "", shape, types);
  if (warpgroup) {  // HGMMA R24, gdesc[UR4], R24: A and B by descriptors; with registers R, R4, gdesc[UR8]
    const std::size_t comma = rest.find(',');
    const std::size_t second = comma == std::string_view::npos ? comma : rest.find_first_not_of(" \t", comma + 1);
    name += second != std::string_view::npos && rest[second] == 'R' ? ".rs" : ".ss";
  }
  if (shape == "m8n8k4" && unit == "HMMA") name.insert(name.find("m8n8k4") + 6, ".row.col");
  return row(std::move(name));
}

// LDSM.16.MT88.4, STSM.16.M88.2, MOVM.16.MT88
Meaning matrixCopy(std::string_view unit, const std::vector<std::string>& words) {
  if (unit == "MOVM") return row("movmatrix.trans");
  const std::string& last = words.back();
  const std::string count = last == "2" || last == "4" ? last : "1";
  const bool transposed = std::ranges::any_of(words, [](const std::string& w) { return w.starts_with("MT88"); });
  return row(fmt::format("{}.x{}{}", unit == "LDSM" ? "ldmatrix" : "stmatrix", count, transposed ? ".trans" : ""));
}

int accessBytes(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "U8" || word == "S8") return 1;
    if (word == "U16" || word == "S16") return 2;
    if (word == "64") return 8;
    if (word == "128") return 16;
    if (word == "256") return 32;
  }
  return 4;
}

Meaning memoryAccess(std::string_view unit, const std::vector<std::string>& words) {
  const int bytes = accessBytes(words);
  if (unit == "LDGSTS") {
    const bool bypass = std::ranges::find(words, "BYPASS") != words.end();
    return row(fmt::format("cp.async.{}.{}", bypass ? "cg" : "ca", bytes));
  }
  const std::string width = bytes == 1 ? "u8" : bytes == 2 ? "u16" : fmt::format("v{}", bytes / 4);
  return row(fmt::format("{}.{}.{}", unit[0] == 'L' ? "ld" : "st", unit[2] == 'S' ? "shared" : "global", width));
}

// LDTM.x8, LDTM.16dp256bit.x4: tcgen05.ld
Meaning tensorMemory(std::string_view unit, const std::vector<std::string>& words) {
  std::string shape = "32x32b", count = "x1";
  for (const std::string& word : words) {
    if (word.size() > 1 && word[0] == 'x' && isDigit(word[1])) count = word;
    const std::size_t dp = word.find("dp");
    if (dp != std::string::npos && isDigit(word[0])) {
      const std::string columns = word.substr(dp + 2, word.find("bit") - dp - 2);
      shape = fmt::format("{}x{}b", word.substr(0, dp), columns);
    }
  }
  return row(fmt::format("tcgen05.{}.{}.{}", unit == "LDTM" ? "ld" : "st", shape, count));
}

}  // namespace

Meaning sass(std::string_view word, std::string_view rest) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= word.size();) {
    const std::size_t dot = std::min(word.find('.', at), word.size());
    words.emplace_back(word.substr(at, dot - at));
    at = dot + 1;
  }
  const std::string unit = words[0];
  words.erase(words.begin());
  for (const std::string_view mma : {"HMMA", "IMMA", "DMMA", "BMMA", "QMMA", "HGMMA", "IGMMA", "QGMMA", "BGMMA"})
    if (unit == mma) return words.empty() ? Meaning{} : matrixProduct(unit, words, rest);
  if ((unit == "LDSM" || unit == "STSM" || unit == "MOVM") && !words.empty()) return matrixCopy(unit, words);
  for (const std::string_view access : {"LDS", "STS", "LDG", "STG", "LDGSTS"})
    if (unit == access) return memoryAccess(unit, words);
  if ((unit == "UTMALDG" || unit == "UTMASTG") && !words.empty())
    return row(fmt::format("cp.async.bulk.tensor.{}.{}", lowerCase(words[0]), unit == "UTMALDG" ? "load" : "store"));
  if (unit == "LDTM" || unit == "STTM") return tensorMemory(unit, words);
  if (unit == "SHFL" && !words.empty()) return row("shfl.sync." + lowerCase(words[0]));
  return {};
}

}  // namespace tessera::paste::instruction
