#include "app/engine/names/local_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "app/engine/help/number_steps.h"
#include "core/base/chars.h"
#include "core/worksheet/language/comments.h"

namespace tessera {
namespace {

constexpr std::array<std::string_view, 5> kLanguages = {"cuda", "cpp", "c", "hip", "python"};
// The first coordinate of code with such a name is the thread.
constexpr std::array<std::string_view, 9> kThreadNames = {"tid", "t",  "thread", "lane",     "tx",
                                                          "ty",  "tz", "warp",   "threadIdx"};

enum class BodyOf : unsigned char { Graphene, Module, Code };

std::string_view firstWord(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && isNamePart(text[end])) ++end;
  return text.substr(0, end);
}

BodyOf kindOf(const Statement& s) {
  const std::string_view word = firstWord(s.text);
  if (s.kind == StatementKind::Block && word == "graphene") return BodyOf::Graphene;
  if (s.kind == StatementKind::Block && word == "hlo") return BodyOf::Module;
  return BodyOf::Code;
}

// The places of a word with that sigil in the text, from a byte on.
std::vector<std::size_t> placesOf(std::string_view text, std::size_t from, char sigil, std::string_view name) {
  std::vector<std::size_t> out;
  for (std::size_t at = text.find(name, from); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const char before = at == 0 ? '\n' : text[at - 1];
    if (isNamePart(before) || (end < text.size() && isNamePart(text[end]))) continue;
    const char has = before == '%' || before == '#' || before == '@' ? before : '\0';
    const bool member = before == '.' || (before == '>' && at > 1 && text[at - 2] == '-') ||
                        (before == ':' && at > 1 && text[at - 2] == ':');
    const bool axis = has == '@' && at > 1 && isNamePart(text[at - 2]);  // 4@reg, of a layout
    if (has == sigil && !(sigil == 0 && member) && !axis) out.push_back(at);
  }
  return out;
}

bool matches(const std::string& text, const std::string& pattern) {
  return std::regex_search(text, std::regex(pattern, std::regex::ECMAScript | std::regex::multiline));
}

// Whether the body defines the word, which has no sigil.
bool defines(BodyOf kind, const std::string& body, const std::string& name) {
  const std::string word = "\\b" + name + "\\b";
  if (kind == BodyOf::Module) return false;
  if (kind == BodyOf::Code)  // `int row = ...`, `float tile[8]`, `half* p`, `over (tid = 128, LD = 72`
    return matches(body, "[A-Za-z_0-9>][*& ]*[ *&]" + word + "\\s*[=;\\[,)]") ||
           matches(body, "[(,]\\s*" + word + "\\s*=[^=]") || matches(body, "\\bwith\\s+" + word + "\\s*=");
  return matches(body, "\\bfor\\s*\\(\\s*" + word) || matches(body, "\\bparam\\s+" + word) ||
         matches(body, "\\bdef\\s+" + word) || matches(body, "\\bdef\\s+\\w+\\s*<[^>]*" + word) ||
         matches(body, "\\b(sum|max|min)\\s*\\([^)]*" + word + "\\s*[<=]") ||
         matches(body, "^\\s*" + word + "\\s*(\\[[^\\]]*\\])?\\s*=") ||
         matches(body, "^\\s*%?\\w+\\[[^\\]]*" + word + "[^\\]]*\\]\\s*=") ||
         matches(body, "[%#]\\w+\\s*:\\s*[^.\\n]*\\[[^\\]]*" + word);
}

Span wordIn(std::string_view t, std::size_t byte) {
  std::size_t begin = std::min(byte, t.size()), end = begin;
  while (begin > 0 && isNamePart(t[begin - 1])) --begin;
  while (end < t.size() && isNamePart(t[end])) ++end;
  return begin < end && isNameStart(t[begin]) ? Span{begin, end} : Span{byte, byte};
}

bool bindsName(const Statement& s, std::string_view name) {
  return (s.kind == StatementKind::Bind || s.kind == StatementKind::Block) && s.name == name;
}

// The block that the text before `.local` or `.%local` names: the last one that binds it above the statement.
std::optional<std::size_t> ownerOf(std::span<const Statement> statements, std::size_t k, std::size_t local) {
  const std::string& t = statements[k].text;
  std::size_t dot = local;
  if (dot > 0 && (t[dot - 1] == '%' || t[dot - 1] == '#' || t[dot - 1] == '@')) --dot;
  if (dot == 0 || t[dot - 1] != '.') return std::nullopt;
  const Span owner = wordIn(t, dot - 1);
  if (owner.empty() || owner.end != dot - 1) return std::nullopt;
  const std::string_view name = std::string_view(t).substr(owner.begin, owner.end - owner.begin);
  for (std::size_t j = k; j-- > 0;)
    if (bindsName(statements[j], name)) return bodyOf(statements[j]) ? std::optional(j) : std::nullopt;
  return std::nullopt;
}

LocalName nameIn(std::span<const Statement> statements, std::size_t block, std::string_view text, Span word) {
  const char before = word.begin > 0 ? text[word.begin - 1] : '\0';
  LocalName local{block, before == '%' || before == '#' || before == '@' ? before : '\0',
                  std::string(text.substr(word.begin, word.end - word.begin))};
  const Statement& s = statements[block];
  const std::size_t brace = bodyOf(s).value_or(0);
  const std::string body = withoutTexts(s).substr(brace);
  const bool axis = local.sigil == '@' && word.begin > 1 && isNamePart(text[word.begin - 2]);
  const bool known = kindOf(s) != BodyOf::Module && !axis && !placesOf(body, 0, local.sigil, local.name).empty() &&
                     (local.sigil != 0 || defines(kindOf(s), body, local.name));
  if (!known) local.name.clear();
  return local;
}

}  // namespace

std::optional<std::size_t> bodyOf(const Statement& s) {
  const std::size_t brace = s.text.find('{');
  if (brace == std::string::npos) return std::nullopt;
  if (s.kind == StatementKind::Block) return brace;
  if (s.kind != StatementKind::Bind) return std::nullopt;
  const std::size_t equals = s.text.find('=');
  if (equals > brace) return std::nullopt;
  const std::size_t at = std::min(s.text.find_first_not_of(" \t", equals + 1), s.text.size());
  const std::string_view word = firstWord(std::string_view(s.text).substr(at));
  const std::string_view between =
      stripped(std::string_view(s.text).substr(at + word.size(), brace - at - word.size()));
  const bool code =
      std::ranges::find(kLanguages, word) != kLanguages.end() && firstWord(between).size() == between.size();
  return code ? std::optional(brace) : std::nullopt;
}

std::string withoutTexts(const Statement& s) {
  std::string out = withoutComments(s.text, s.slashesDivide);
  out.resize(s.text.size(), ' ');
  // In code, `//` is no division.
  if (const auto body = bodyOf(s); body && s.kind == StatementKind::Bind)
    for (std::size_t at = out.find("//", *body); at != std::string::npos; at = out.find("//", at))
      for (; at < out.size() && out[at] != '\n'; ++at) out[at] = ' ';
  std::size_t lineStart = 0;
  bool inside = false;
  for (std::size_t at = 0; at < out.size(); ++at) {
    if (out[at] == '\n') {
      lineStart = at + 1;
      inside = false;
      continue;
    }
    if (s.kind == StatementKind::Task) {
      const std::size_t first = std::min(out.find_first_not_of(" \t", lineStart), out.size());
      const std::string_view word = firstWord(std::string_view(out).substr(first));
      if (word == "answer" || word == "wrong" || word == "also") continue;
    }
    if (out[at] == '"') {
      inside = !inside;
    } else if (inside) {
      out[at] = ' ';
    }
  }
  return out;
}

std::optional<LocalName> localAt(std::string_view text, std::span<const Statement> statements, std::size_t byte) {
  for (std::size_t k = 0; k < statements.size(); ++k) {
    const Statement& s = statements[k];
    if (byte < s.span.begin || byte > s.span.end) continue;
    const std::string clean = withoutTexts(s);
    const Span word = wordIn(clean, byte - s.span.begin);
    if (word.empty()) return std::nullopt;
    const auto brace = bodyOf(s);
    if (brace && word.begin > *brace) return nameIn(statements, k, clean, word);
    if (const auto owner = ownerOf(statements, k, word.begin)) return nameIn(statements, *owner, clean, word);
  }
  (void)text;
  return std::nullopt;
}

std::vector<Span> usesOf(const LocalName& local, std::span<const Statement> statements) {
  std::vector<Span> uses;
  if (local.name.empty()) return uses;
  const Statement& block = statements[local.block];
  const auto add = [&](const Statement& s, std::size_t at) {
    uses.push_back({s.span.begin + at, s.span.begin + at + local.name.size()});
  };
  for (const std::size_t at : placesOf(withoutTexts(block), bodyOf(block).value_or(0), local.sigil, local.name))
    add(block, at);
  for (std::size_t k = local.block + 1; k < statements.size(); ++k) {
    const Statement& s = statements[k];
    const std::string clean = withoutTexts(s);
    if (!bodyOf(s)) {
      // move.%s, C.tile
      for (std::size_t at = clean.find(local.name); at != std::string::npos; at = clean.find(local.name, at + 1)) {
        const Span word = wordIn(clean, at);
        const char before = at > 0 ? clean[at - 1] : '\0';
        const char sigil = before == '%' || before == '#' || before == '@' ? before : '\0';
        if (word.begin == at && word.end == at + local.name.size() && sigil == local.sigil &&
            ownerOf(statements, k, at) == local.block)
          add(s, at);
      }
      // run gemm with M=8; show gemm as player, M 256
      const bool given = s.kind == StatementKind::Run || s.kind == StatementKind::Show;
      if (given && local.sigil == 0 && !placesOf(clean, 0, 0, block.name).empty())
        for (const GivenSize& size : givenSizes(clean))
          if (size.name == local.name) add(s, clean.rfind(local.name, size.number.span.begin));
    }
    if (bindsName(s, block.name)) break;
  }
  std::ranges::sort(uses, {}, &Span::begin);
  return uses;
}

Result<void> freeIn(const LocalName& local, std::span<const Statement> statements, std::string_view name) {
  const Statement& block = statements[local.block];
  if (!placesOf(withoutTexts(block), bodyOf(block).value_or(0), local.sigil, name).empty())
    return Diag{
        fmt::format("{} already has {}{}", block.name, local.sigil == 0 ? "" : std::string(1, local.sigil), name),
        "another name"};
  const auto isThread = [](std::string_view n) { return std::ranges::find(kThreadNames, n) != kThreadNames.end(); };
  if (kindOf(block) == BodyOf::Code && (isThread(local.name) || isThread(name)))
    return Diag{fmt::format("{} is a name of the thread in code, which the accesses are read by",
                            isThread(local.name) ? local.name : std::string(name)),
                "a variable that is no thread, and a name like row"};
  return {};
}

}  // namespace tessera
