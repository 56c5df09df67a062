// Lines of instructions: PTX, SASS, inline assembly, builtins of HIP, NVVM. Each distinct instruction is bound once, X
// is the last. instruction_text.h lists the spellings.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/atlas/atlas.h"
#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/base/work.h"
#include "core/paste/dialects.h"
#include "core/paste/vendor/instruction_text.h"

namespace tessera::paste {
namespace {

using instruction::Meaning;

// The text without the quotes of string literals, whose neighbours are joined as C does; \n and \t are blanks. `at`
// gives the position of each byte in the original.
struct Flat {
  std::string text;
  std::vector<std::size_t> at;
};
Flat flattened(std::string_view text) {
  Flat out;
  const auto put = [&](char c, std::size_t at) {
    out.text += c;
    out.at.push_back(at);
  };
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      if (inside) {
        const std::size_t next = text.find_first_not_of(" \t\r\n\\", i + 1);
        if (next != std::string_view::npos && text[next] == '"') {
          i = next;
          continue;
        }
      }
      inside = !inside;
      put(' ', i);
    } else if (inside && text[i] == '\\' && i + 1 < text.size()) {
      put(text[i + 1] == 'n' ? '\n' : ' ', i);
      ++i;
    } else {
      put(text[i], i);
    }
  }
  spend(static_cast<Work>(text.size() / 16));
  return out;
}

bool isWordByte(char c) { return isNamePart(c) || c == '.'; }

// The end of the word at `at`: names joined by dots and `::`.
std::size_t wordEnd(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (isWordByte(text[at]))
      ++at;
    else if (text.substr(at, 2) == "::" && at + 2 < text.size() && isNamePart(text[at + 2]))
      at += 2;
    else
      break;
  }
  return at;
}

constexpr std::array<std::string_view, 21> kSassUnits = {
    "HMMA", "IMMA", "DMMA", "BMMA", "QMMA", "HGMMA", "IGMMA", "QGMMA",  "LDSM",    "STSM",   "MOVM",
    "LDS",  "STS",  "LDG",  "STG",  "SHFL", "LDTM",  "STTM",  "LDGSTS", "UTMALDG", "UTMASTG"};

// Whether a word can be an instruction; cheap, and also how the dialect is recognized.
bool mayBeInstruction(std::string_view word) {
  static constexpr std::array<std::string_view, 19> kHeads = {
      "mma.",      "wgmma.",    "ldmatrix.",  "stmatrix.",         "movmatrix.",    "cp.async", "tcgen05.",
      "ld.shared", "st.shared", "ld.global",  "st.global",         "shfl.sync.",    "dp4a.",    "wmma.",
      "nvvm.",     "nvgpu.",    "llvm.nvvm.", "rocwmma::fragment", "wmma::fragment"};
  static constexpr std::array<std::string_view, 10> kAmd = {"__builtin_amdgcn_mfma_",
                                                            "__builtin_amdgcn_wmma_",
                                                            "llvm.amdgcn.mfma.",
                                                            "llvm.amdgcn.wmma.",
                                                            "rocdl.mfma.",
                                                            "rocdl.wmma.",
                                                            "v_mfma_",
                                                            "v_wmma_",
                                                            "amdgpu.mfma",
                                                            "amdgpu.wmma"};
  const auto begins = [&](std::string_view head) { return word.starts_with(head); };
  if (std::ranges::any_of(kHeads, begins) || std::ranges::any_of(kAmd, begins)) return true;
  const std::string_view unit = word.substr(0, word.find('.'));
  return std::ranges::find(kSassUnits, unit) != kSassUnits.end() && (unit.size() < word.size() || unit.size() == 3);
}

template <typename F>
void eachWord(std::string_view text, F&& visit) {
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    const bool starts = isNameStart(text[at]) && (at == 0 || (!isWordByte(text[at - 1]) && text[at - 1] != '%'));
    if (!starts) {
      ++at;
      continue;
    }
    std::size_t end = wordEnd(text, at);
    std::string_view word = text.substr(at, end - at);
    while (word.ends_with('.')) word.remove_suffix(1);
    // nvcuda::wmma::fragment, cute::: only the last two names
    for (const std::string_view space : {"nvcuda::", "rocwmma::rocwmma::"})
      if (word.starts_with(space)) word.remove_prefix(space.size());
    spend();
    if (!visit(word, at, end)) return;
    at = std::max(end, at + 1);
  }
}

// LDS R0, [R4]: what follows a bare name of SASS. Else LDS may be a variable.
bool isBareName(std::string_view word, std::string_view rest) {
  if (word.size() != 3 || word.find_first_of("abcdefghijklmnopqrstuvwxyz") != std::string_view::npos) return false;
  const std::size_t at = rest.find_first_not_of(" \t");
  if (at == 0 || at == std::string_view::npos) return true;
  const std::string_view operand = rest.substr(at);
  const bool named = operand.size() > 1 && (operand[0] == 'R' || operand[0] == 'P' || operand[0] == 'U') &&
                     (isDigit(operand[1]) || operand[1] == 'Z' || operand[1] == 'R');
  return !named && operand[0] != '[' && !operand.starts_with("desc[");
}

Meaning meaningOf(std::string_view word, std::string_view rest, Span span, Bindings& out) {
  for (Meaning one : {instruction::nvvm(word, rest, span, out), instruction::amd(word, rest)})
    if (one.kind != Meaning::Kind::Other) return one;
  const Meaning ptx = instruction::ptx(word, rest, span, out);
  return ptx.kind != Meaning::Kind::Other ? ptx : instruction::sass(word, rest);
}

struct Row {
  std::string name;
  Span span;
  int count = 1;
};

// Rows in the order in which they occur last.
void keep(std::vector<Row>& rows, std::string name, Span span) {
  const auto known = std::ranges::find(rows, name, &Row::name);
  if (known == rows.end()) {
    rows.push_back({std::move(name), span});
    return;
  }
  ++known->count;
  std::rotate(known, known + 1, rows.end());
}

// Whether nothing but inline assembly computes in this text: a wrapper of one instruction.
bool isAsmWrapper(std::string_view text) {
  std::string rest;
  Cursor in(text, {.lineComments = true, .blockComments = true});
  bool any = false;
  while (!in.atEnd()) {
    const std::string_view word = in.peekWord();
    if (word == "asm" || word == "__asm__") {
      in.advance(word.size());
      (void)(in.acceptWord("volatile") || in.acceptWord("__volatile__"));
      any = in.peek() == '(' && in.acceptBracketed(false);
      if (!any) return false;
      continue;
    }
    rest += ' ';
    rest += word.empty() ? std::string_view(&text[in.position()], 1) : word;
    in.advance(std::max<std::size_t>(word.size(), 1));
  }
  return any && rest.find_first_of("[%^|+/") == std::string::npos && rest.find(" return") == std::string::npos;
}

int recognizesInstruction(std::string_view whole) {
  const std::string_view text = whole.substr(0, 65536);
  int best = 0;
  std::size_t words = 0;
  eachWord(text, [&](std::string_view word, std::size_t, std::size_t end) {
    ++words;
    if (!mayBeInstruction(word) || isBareName(word, text.substr(end))) return true;
    const bool bare = word.size() == 3;  // LDS may be a variable
    const bool fragment = word.ends_with("wmma::fragment");
    best = std::max(best, words <= 12 && !bare && !fragment ? 2 : 1);
    return best < 2;
  });
  return best == 1 && isAsmWrapper(text) ? 2 : best;
}

Result<Reading> readInstructions(std::string_view text, const Given& given) {
  Bindings out(given);
  const Flat flat = flattened(text);
  std::vector<Row> rows;
  std::optional<Diag> missing;
  eachWord(flat.text, [&](std::string_view word, std::size_t at, std::size_t end) {
    if (!mayBeInstruction(word) || isBareName(word, std::string_view(flat.text).substr(end))) return true;
    const Span span{flat.at[at], flat.at[end - 1] + 1};
    const Meaning meaning = meaningOf(word, std::string_view(flat.text).substr(end), span, out);
    if (meaning.kind == Meaning::Kind::Unknown && !missing)
      missing = Diag{meaning.name, "an instruction of `tessera atlas`", "", span};
    if (meaning.kind != Meaning::Kind::Row) return true;
    const Result<AtlasRow> found = findInstruction(meaning.name);
    if (found)
      keep(rows, found->name, span);
    else if (!missing)
      missing = Diag{fmt::format("the atlas has no '{}'", word), found.error().expected, found.error().hint, span};
    return true;
  });
  for (const Row& row : rows) {
    out.bind(rows.size() == 1 ? "X" : row.name, row.name, row.span);
    if (row.count > 1) out.note(fmt::format("{} occurs {} times", row.name, row.count));
  }
  if (missing && rows.empty() && !out.asked()) return *std::move(missing);
  if (missing && !rows.empty()) out.note(missing->message);
  if (rows.empty() && !out.asked())
    return Diag{"these lines have no instruction with a layout", "mma, wgmma, ldmatrix, cp.async, tcgen05.ld ..."};
  return out.reading("instructions");
}

}  // namespace

const Dialect kInstruction{"an instruction", recognizesInstruction, readInstructions};

}  // namespace tessera::paste
