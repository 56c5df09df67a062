// PTX: mnemonics with their modifiers. The operands decide what a name leaves open: whether wgmma reads A from
// registers, how many bytes a cp.async copies.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/paste/vendor/instruction_text.h"

namespace tessera::paste::instruction {
namespace {

using Kind = Meaning::Kind;

// The words between dots.
std::vector<std::string> dotted(std::string_view word) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at <= word.size();) {
    const std::size_t dot = std::min(word.find('.', at), word.size());
    out.emplace_back(word.substr(at, dot - at));
    at = dot + 1;
  }
  return out;
}

std::string joined(const std::vector<std::string>& words, std::string_view without) {
  std::string out;
  for (const std::string& one : words)
    if (!one.empty() && (std::string(" ").append(without) + " ").find(" " + one + " ") == std::string::npos)
      out += (out.empty() ? "" : ".") + one;
  return out;
}

// The operands up to `;`, a line end outside brackets, or `:` of inline asm; each stripped.
std::vector<std::string> operandsOf(std::string_view rest) {
  std::vector<std::string> out;
  Cursor in(rest.substr(0, 4096));
  std::string one;
  while (in.position() < in.text().size() && std::string_view(";\n:").find(in.raw()) == std::string_view::npos) {
    const std::size_t begin = in.position();
    if (in.raw() == ',') {
      out.emplace_back(stripped(one));
      one.clear();
      in.advance();
      (void)in.start();  // an operand may be on the next line
      continue;
    }
    if ((in.raw() == '{' || in.raw() == '[' || in.raw() == '(') && in.acceptBracketed(false)) {
      one += in.text().substr(begin, in.position() - begin);
      continue;
    }
    one += in.raw();
    in.advance();
  }
  if (!stripped(one).empty()) out.emplace_back(stripped(one));
  return out;
}

// wgmma and tcgen05.mma: operand 1 is A.
bool operandBegins(std::string_view rest, std::size_t k, char c) {
  const auto operands = operandsOf(rest);
  return k < operands.size() && !operands[k].empty() && operands[k][0] == c;
}

Meaning wgmma(const std::vector<std::string>& words, std::string_view rest) {
  if (words.size() < 2 || !words[1].starts_with("mma_async")) return {Kind::Control};
  const std::string name = joined(words, "sync aligned mma_async satfinite");
  if (name.ends_with(".ss") || name.ends_with(".rs")) return row(name);
  return row(name + (operandBegins(rest, 1, '{') ? ".rs" : ".ss"));
}

Meaning tcgen05Mma(const std::vector<std::string>& words, std::string_view rest, Span span, Bindings& out) {
  const std::string word = joined(words, "sp ws block_scale");
  const std::size_t kind = word.find("kind::");
  const std::string type = kind == std::string::npos ? "" : word.substr(kind + 6, word.find('.', kind) - kind - 6);
  const std::string group = word.find("cta_group::2") == std::string::npos ? "1" : "2";
  const int k = type == "f16" ? 16 : type == "tf32" ? 8 : type == "f8f6f4" || type == "i8" ? 32 : 0;
  if (k == 0) return {Kind::Unknown, fmt::format("the atlas has no tcgen05.mma of kind '{}'", type)};
  if (word.find(".m64n") != std::string::npos || word.find(".m128n") != std::string::npos ||
      word.find(".m256n") != std::string::npos)
    return row(word);
  constexpr std::string_view kAsks = "an extent of the instruction, which its descriptor holds";
  const auto m = out.number("M", kAsks, "128", span), n = out.number("N", kAsks, "256", span);
  if (!m || !n) return {Kind::Asked};
  return row(fmt::format("tcgen05.mma.cta_group::{}.kind::{}.m{}n{}k{}.{}", group, type, *m, *n, k,
                         operandBegins(rest, 1, '[') ? "ts" : "ss"));
}

Meaning tcgen05(const std::vector<std::string>& words, std::string_view rest, Span span, Bindings& out) {
  if (words.size() < 2) return {};
  if (words[1] == "mma") return tcgen05Mma(words, rest, span, out);
  if (words[1] != "ld" && words[1] != "st") return {Kind::Control};
  return row(joined(words, "sync aligned b32 pack::16b unpack::16b"));
}

// The bytes of `"n"(16)`, a constant of inline asm whose quotes are blanks by now.
std::string constantOperand(std::string_view rest) {
  rest = rest.substr(0, 2048);
  for (std::size_t at = rest.find(" n ("); at != std::string_view::npos; at = rest.find(" n (", at + 1)) {
    const std::size_t close = rest.find(')', at);
    if (close == std::string_view::npos) break;
    if (const auto n = integerText(rest.substr(at + 4, close - at - 4)); n && (*n == 4 || *n == 8 || *n == 16))
      return std::to_string(*n);
  }
  return {};
}

Meaning cpAsync(const std::vector<std::string>& words, std::string_view rest, Span span, Bindings& out) {
  const auto has = [&](std::string_view one) { return std::ranges::find(words, one) != words.end(); };
  if (has("bulk")) {
    if (!has("tensor")) return {Kind::Control};
    std::string rank;
    for (const std::string& one : words)
      if (one.size() == 2 && one[1] == 'd' && isDigit(one[0])) rank = one;
    if (rank.empty()) return {Kind::Control};  // commit_group, prefetch
    std::size_t global = words.size(), shared = words.size();
    for (std::size_t k = 0; k < words.size(); ++k) {
      if (words[k] == "global") global = k;
      if (words[k].starts_with("shared")) shared = k;
    }
    return row(fmt::format("cp.async.bulk.tensor.{}.{}", rank, global < shared ? "store" : "load"));
  }
  if (!has("ca") && !has("cg")) return {Kind::Control};
  if (has("cg")) return row("cp.async.cg.16");
  for (const std::string& one : words)
    if (one == "4" || one == "8" || one == "16") return row("cp.async.ca." + one);
  const auto operands = operandsOf(rest);
  if (operands.size() > 2 && integerText(operands[2])) return row("cp.async.ca." + operands[2]);
  if (const std::string constant = constantOperand(rest); !constant.empty()) return row("cp.async.ca." + constant);
  const auto bytes = out.number("bytes", "the bytes that cp.async copies for each thread", "16", span);
  return bytes ? row(fmt::format("cp.async.ca.{}", *bytes)) : Meaning{Kind::Asked};
}

// ld.shared.v4.f32: 16 bytes for each thread.
Meaning loadStore(const std::vector<std::string>& words) {
  std::string space;
  int vector = 1, bits = 0;
  for (std::size_t k = 1; k < words.size(); ++k) {
    const std::string& one = words[k];
    if (one == "global" || one.starts_with("shared")) space = one.substr(0, 6);
    if (one == "v2" || one == "v4" || one == "v8") vector = one[1] - '0';
    if (one.size() > 1 && std::string_view("bfsu").find(one[0]) != std::string_view::npos)
      if (const auto n = integerText(one.substr(1))) bits = static_cast<int>(*n);
    if (one == "bf16") bits = 16;
  }
  if (space.empty() || (bits == 0 && vector == 1 && words.size() < 3)) return {};
  if (bits == 0) bits = 32;
  const int bytes = vector * bits / 8;
  const std::string width = bytes == 1 ? "u8" : bytes == 2 ? "u16" : fmt::format("v{}", bytes / 4);
  return row(fmt::format("{}.{}.{}", words[0], space, width));
}

}  // namespace

bool hasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || text[at - 1] == '.') && (end == text.size() || text[end] == '.')) return true;
  }
  return false;
}

Meaning ptx(std::string_view word, std::string_view rest, Span span, Bindings& out) {
  const std::vector<std::string> words = dotted(word);
  const std::string& first = words[0];
  if (words.size() < 2) return {};
  if (first == "mma") return row(joined(words, "sync aligned satfinite"));
  if (first == "wgmma") return wgmma(words, rest);
  if (first == "tcgen05") return tcgen05(words, rest, span, out);
  if (first == "ldmatrix" || first == "stmatrix") return row(joined(words, "sync aligned shared shared::cta"));
  if (first == "movmatrix") return row("movmatrix.trans");
  if (first == "cp" && words[1] == "async") return cpAsync(words, rest, span, out);
  if (first == "ld" || first == "st") return loadStore(words);
  if (first == "shfl") return row(joined(words, "b32"));
  if (first == "dp4a") return row("dp4a.s32");
  if (first == "wmma" && (hasWord(word, "sync") || hasWord(word, "aligned")))
    return {Kind::Unknown, "PTX does not say which thread holds which element of a wmma fragment; use mma.sync"};
  return {};
}

}  // namespace tessera::paste::instruction
