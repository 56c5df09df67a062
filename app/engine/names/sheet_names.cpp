#include "app/engine/names/sheet_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/engine/names/local_names.h"
#include "core/base/chars.h"
#include "core/worksheet/worksheet.h"

namespace tessera {
namespace {

std::size_t lineStart(std::string_view t, std::size_t at) {
  const std::size_t before = at == 0 ? std::string_view::npos : t.rfind('\n', at - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}

Span wordAt(std::string_view t, std::size_t byte) {
  std::size_t begin = std::min(byte, t.size()), end = begin;
  while (begin > 0 && isNamePart(t[begin - 1])) --begin;
  while (end < t.size() && isNamePart(t[end])) ++end;
  return begin < end && isNameStart(t[begin]) ? Span{begin, end} : Span{byte, byte};
}

// The parameters of `S(r, c) = ...`, else "".
std::string_view parametersOf(const Statement& s) {
  if (s.kind != StatementKind::Bind) return {};
  const std::string_view t = s.text;
  const std::size_t at = s.name.size();
  if (!t.starts_with(s.name) || at >= t.size() || t[at] != '(') return {};
  return t.substr(at, t.find(')', at) - at);
}

bool hasWord(std::string_view t, std::string_view word) {
  for (std::size_t at = t.find(word); at != std::string_view::npos; at = t.find(word, at + 1))
    if (wordAt(t, at).begin == at && wordAt(t, at).end == at + word.size()) return true;
  return false;
}

bool binds(const Statement& s, std::string_view name) {
  return (s.kind == StatementKind::Bind || s.kind == StatementKind::Block) && s.name == name;
}

// Whether a word of a statement is a name of the sheet: no named argument (`M=8`), no word of a view (`as grid`), and
// in no body (local_names.h), which has its own names.
bool readsSheet(const Statement& s, const std::string& clean, Span word, std::string_view name) {
  const auto body = bodyOf(s);
  if (body && word.begin > *body) return false;
  if (hasWord(parametersOf(s), name)) return false;
  if (s.kind == StatementKind::Task) {  // `answer S = ...` binds the sheet's S; `answer` is no name
    const std::size_t before = clean.find_last_not_of(" \t", word.begin - 1);
    return before == std::string::npos || clean[before] != '\n';
  }
  const std::size_t next = clean.find_first_not_of(" \t", word.end);
  const bool argument = next != std::string::npos && clean[next] == '=' && clean.compare(next, 2, "==") != 0;
  const std::size_t as = clean.find(" as ");
  const bool view = s.kind == StatementKind::Show && as != std::string::npos && word.begin > as;
  return !argument && !view;
}

// `%A` outside of bodies is the tensor that the sheet's A binds, unless it declares one (`%A:[4,8]`) or is a part.
bool isSheetTensor(const std::string& clean, Span word) {
  const std::size_t sigil = word.begin - 1;
  const bool part = sigil > 0 && clean[sigil - 1] == '.';
  const std::size_t next = clean.find_first_not_of(" \t", word.end);
  return !part && (next == std::string::npos || clean[next] != ':');
}

struct NameOf {
  std::vector<Statement> statements;
  std::size_t binder = SIZE_MAX;  // of the statements
  std::string name;
  bool marked = false;  // #mma, as Triton writes its layouts: the statement's name is "#mma"
  [[nodiscard]] bool boundBy(const Statement& s) const { return binds(s, marked ? "#" + name : name); }
};

// The binding that the name at `byte` means.
std::optional<NameOf> bindingOf(std::string_view text, std::size_t byte) {
  const Span word = nameAt(text, byte);
  if (word.empty()) return std::nullopt;
  if (localAt(text, splitStatements(text), word.begin)) return std::nullopt;
  NameOf found{splitStatements(text), SIZE_MAX, std::string(text.substr(word.begin, word.end - word.begin))};
  const std::string marked = "#" + found.name;
  found.marked = word.begin > 0 && text[word.begin - 1] == '#' &&
                 std::ranges::any_of(found.statements, [&](const Statement& s) { return binds(s, marked); });
  for (std::size_t k = 0; k < found.statements.size(); ++k) {
    const Statement& s = found.statements[k];
    if (s.span.begin > word.begin) break;
    if (found.boundBy(s) && (placeOfName(s) == word.begin || s.span.end <= word.begin)) found.binder = k;
  }
  if (found.binder == SIZE_MAX) return std::nullopt;
  return found;
}

}  // namespace

std::size_t placeOfName(const Statement& s) {
  const std::string_view head = std::string_view(s.text).substr(0, s.text.find_first_of("={"));
  const std::string_view name = std::string_view(s.name).substr(s.name.starts_with('#') ? 1 : 0);
  for (std::size_t at = head.find(name); at != std::string_view::npos; at = head.find(name, at + 1))
    if (wordAt(s.text, at).begin == at && wordAt(s.text, at).end == at + name.size()) return s.span.begin + at;
  return s.span.begin;
}

Span nameAt(std::string_view text, std::size_t byte) {
  const Span word = wordAt(text, byte);
  if (word.empty()) return word;
  const std::size_t line = lineStart(text, word.begin);
  const bool comment = text.substr(line, word.begin - line).find("//") != std::string_view::npos;
  return comment ? Span{byte, byte} : word;
}

std::optional<std::size_t> definitionOf(std::string_view text, std::size_t byte) {
  const Span word = nameAt(text, byte);
  const std::vector<Statement> statements = splitStatements(text);
  if (const auto local = localAt(text, statements, word.begin); local && !word.empty()) {
    const std::vector<Span> uses = usesOf(*local, statements);
    return uses.empty() ? std::nullopt : std::optional(uses.front().begin);
  }
  const auto found = bindingOf(text, byte);
  if (!found) return std::nullopt;
  return placeOfName(found->statements[found->binder]);
}

std::vector<Span> usesOf(std::string_view text, std::size_t byte) {
  std::vector<Span> uses;
  const Span asked = nameAt(text, byte);
  const std::vector<Statement> statements = splitStatements(text);
  if (const auto local = localAt(text, statements, asked.begin); local && !asked.empty())
    return usesOf(*local, statements);
  const auto found = bindingOf(text, byte);
  if (!found) return uses;
  for (std::size_t k = found->binder; k < found->statements.size(); ++k) {
    const Statement& s = found->statements[k];
    const bool rebinds = k > found->binder && found->boundBy(s);
    const std::size_t binding = k == found->binder || rebinds ? placeOfName(s) : std::string_view::npos;
    const std::string clean = withoutTexts(s);
    for (std::size_t at = clean.find(found->name); at != std::string::npos; at = clean.find(found->name, at + 1)) {
      const Span word = wordAt(clean, at);
      const std::size_t place = s.span.begin + at;
      if (word.begin != at || word.end != at + found->name.size()) continue;
      const char before = at > 0 ? clean[at - 1] : '\0';
      if (before == '.' || before == '@') continue;  // a part of something
      if (found->marked ? before != '#' : (before == '%' || before == '#') && !isSheetTensor(clean, word)) continue;
      const bool own = place == binding && !rebinds;
      // `A = f(A)`: on the right the binding above, on the left the new one.
      const bool use = place != binding && (k > found->binder) && readsSheet(s, clean, word, found->name);
      if (own || use) uses.push_back({place, place + found->name.size()});
    }
    if (rebinds) break;
  }
  return uses;
}

Result<std::vector<Span>> placesToRename(std::string_view text, std::size_t byte, std::string_view name) {
  std::vector<Span> uses = usesOf(text, byte);
  if (uses.empty()) return Diag{"the caret is not at a name that this sheet binds"};
  if (name.empty() || !isNameStart(name[0]) || !std::ranges::all_of(name, isNamePart))
    return Diag{fmt::format("'{}' is not a name", name), "a letter or _, then letters, digits and _"};
  const std::vector<Statement> statements = splitStatements(text);
  if (const auto local = localAt(text, statements, nameAt(text, byte).begin)) {
    TESSERA_CHECKED(freeIn(*local, statements, name));
  } else {
    for (const Statement& s : statements)
      if (s.name == name || (s.name.starts_with('#') && s.name.substr(1) == name))
        return Diag{fmt::format("line {} already binds {}", s.line, name), "another name"};
  }
  return uses;
}

}  // namespace tessera
