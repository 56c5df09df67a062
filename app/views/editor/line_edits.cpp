#include "app/views/editor/line_edits.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/views/editor/local_names.h"
#include "core/base/chars.h"
#include "core/worksheet/worksheet.h"

namespace tessera::panes {
namespace {

std::size_t lineStart(std::string_view t, std::size_t at) {
  const std::size_t before = at == 0 ? std::string_view::npos : t.rfind('\n', at - 1);
  return before == std::string_view::npos ? 0 : before + 1;
}
std::size_t lineStop(std::string_view t, std::size_t at) { return std::min(t.find('\n', at), t.size()); }

// The touched lines, without the last newline.
Span linesOfSelection(std::string_view t, std::size_t anchor, std::size_t caret) {
  auto [from, to] = std::minmax({std::min(anchor, t.size()), std::min(caret, t.size())});
  if (to > from && t[to - 1] == '\n') --to;
  return {lineStart(t, from), lineStop(t, to)};
}

std::vector<std::string_view> splitLines(std::string_view t) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0;;) {
    const std::size_t end = lineStop(t, at);
    lines.push_back(t.substr(at, end - at));
    if (end == t.size()) return lines;
    at = end + 1;
  }
}

std::size_t indentOf(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

bool isComment(std::string_view line) { return line.substr(indentOf(line)).starts_with("//"); }

}  // namespace

LineEdit toggleComment(std::string_view text, std::size_t anchor, std::size_t caret) {
  const Span lines = linesOfSelection(text, anchor, caret);
  const auto all = splitLines(text.substr(lines.begin, lines.end - lines.begin));
  bool comments = true, any = false;
  std::size_t indent = std::string_view::npos;
  for (const std::string_view line : all) {
    if (indentOf(line) == line.size()) continue;
    any = true;
    comments = comments && isComment(line);
    indent = std::min(indent, indentOf(line));
  }
  LineEdit edit{lines.begin, lines.end, "", 0, 0};
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string_view line = all[k];
    if (k > 0) edit.with += '\n';
    if (indentOf(line) == line.size() && any) {
      edit.with += line;
    } else if (comments && any) {
      const std::size_t mark = indentOf(line), words = mark + (line.substr(mark + 2).starts_with(' ') ? 3 : 2);
      edit.with.append(line.substr(0, mark)).append(line.substr(words));
    } else {
      const std::size_t at = any ? indent : 0;
      edit.with.append(line.substr(0, at)).append("// ").append(line.substr(at));
    }
  }
  // The selection stays on its lines; a caret without a selection keeps its place in the line.
  const std::size_t end = lines.begin + edit.with.size();
  const auto moved =
      static_cast<std::ptrdiff_t>(edit.with.size()) - static_cast<std::ptrdiff_t>(lines.end - lines.begin);
  edit.anchor = anchor == caret ? 0 : lines.begin;
  edit.caret = anchor == caret ? static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(
                                     static_cast<std::ptrdiff_t>(caret) + moved,
                                     static_cast<std::ptrdiff_t>(lines.begin), static_cast<std::ptrdiff_t>(end)))
                               : end;
  if (anchor == caret) edit.anchor = edit.caret;
  return edit;
}

std::optional<LineEdit> moveLines(std::string_view text, std::size_t anchor, std::size_t caret, int direction) {
  const Span lines = linesOfSelection(text, anchor, caret);
  const std::string moved(text.substr(lines.begin, lines.end - lines.begin));
  LineEdit edit;
  std::size_t at = 0;  // of the moved lines, in the new text
  if (direction < 0) {
    if (lines.begin == 0) return std::nullopt;
    at = lineStart(text, lines.begin - 1);
    edit = {at, lines.end, moved + "\n" + std::string(text.substr(at, lines.begin - 1 - at)), 0, 0};
  } else {
    if (lines.end == text.size()) return std::nullopt;
    const std::size_t below = lineStop(text, lines.end + 1);
    edit = {lines.begin, below, std::string(text.substr(lines.end + 1, below - lines.end - 1)) + "\n" + moved, 0, 0};
    at = lines.begin + (below - lines.end);
  }
  // A selection becomes the moved lines; a caret keeps its place in its line.
  edit.anchor = anchor == caret ? at + (caret - lines.begin) : at;
  edit.caret = anchor == caret ? edit.anchor : at + moved.size();
  return edit;
}

LineEdit duplicateLines(std::string_view text, std::size_t anchor, std::size_t caret) {
  const Span lines = linesOfSelection(text, anchor, caret);
  const std::string copy = "\n" + std::string(text.substr(lines.begin, lines.end - lines.begin));
  return {lines.end, lines.end, copy, anchor + copy.size(), caret + copy.size()};
}

Span lineAround(std::string_view text, std::size_t byte) {
  const std::size_t end = lineStop(text, std::min(byte, text.size()));
  return {lineStart(text, std::min(byte, text.size())), std::min(end + 1, text.size())};
}

// --- names -----------------------------------------------------------------------------------------------------------

namespace {

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

// Where the statement binds its name: `A` of `A = ...`, `gemm` of `graphene gemm {`.
std::size_t bindingIn(const Statement& s) {
  const std::string_view head = std::string_view(s.text).substr(0, s.text.find_first_of("={"));
  for (std::size_t at = head.find(s.name); at != std::string_view::npos; at = head.find(s.name, at + 1))
    if (wordAt(s.text, at).begin == at && wordAt(s.text, at).end == at + s.name.size()) return s.span.begin + at;
  return s.span.begin;
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
};

// The binding that the name at `byte` means.
std::optional<NameOf> bindingOf(std::string_view text, std::size_t byte) {
  const Span word = nameAt(text, byte);
  if (word.empty()) return std::nullopt;
  if (localAt(text, splitStatements(text), word.begin)) return std::nullopt;
  NameOf found{splitStatements(text), SIZE_MAX, std::string(text.substr(word.begin, word.end - word.begin))};
  for (std::size_t k = 0; k < found.statements.size(); ++k) {
    const Statement& s = found.statements[k];
    if (s.span.begin > word.begin) break;
    if (binds(s, found.name) && (bindingIn(s) == word.begin || s.span.end <= word.begin)) found.binder = k;
  }
  if (found.binder == SIZE_MAX) return std::nullopt;
  return found;
}

}  // namespace

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
  return bindingIn(found->statements[found->binder]);
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
    const bool rebinds = k > found->binder && binds(s, found->name);
    const std::size_t binding = k == found->binder || rebinds ? bindingIn(s) : std::string_view::npos;
    const std::string clean = withoutTexts(s);
    for (std::size_t at = clean.find(found->name); at != std::string::npos; at = clean.find(found->name, at + 1)) {
      const Span word = wordAt(clean, at);
      const std::size_t place = s.span.begin + at;
      if (word.begin != at || word.end != at + found->name.size()) continue;
      const char before = at > 0 ? clean[at - 1] : '\0';
      if (before == '.' || before == '@') continue;  // a part of something
      if ((before == '%' || before == '#') && !isSheetTensor(clean, word)) continue;
      const bool own = place == binding && !rebinds;
      // `A = f(A)`: on the right the binding above, on the left the new one.
      const bool use = place != binding && (k > found->binder) && readsSheet(s, clean, word, found->name);
      if (own || use) uses.push_back({place, place + found->name.size()});
    }
    if (rebinds) break;
  }
  return uses;
}

Result<LineEdit> renamed(std::string_view text, std::size_t byte, std::string_view name) {
  const std::vector<Span> uses = usesOf(text, byte);
  if (uses.empty()) return Diag{"the caret is not at a name that this sheet binds"};
  if (name.empty() || !isNameStart(name[0]) || !std::ranges::all_of(name, isNamePart))
    return Diag{fmt::format("'{}' is not a name", name), "a letter or _, then letters, digits and _"};
  const std::vector<Statement> statements = splitStatements(text);
  if (const auto local = localAt(text, statements, nameAt(text, byte).begin)) {
    TESSERA_CHECKED(freeIn(*local, statements, name));
  } else {
    for (const Statement& s : statements)
      if (s.name == name) return Diag{fmt::format("line {} already binds {}", s.line, name), "another name"};
  }
  LineEdit edit{uses.front().begin, uses.back().end, "", 0, 0};
  std::size_t at = edit.begin;
  for (const Span& use : uses) {
    edit.with.append(text.substr(at, use.begin - at));
    if (byte >= use.begin && byte <= use.end) edit.caret = edit.begin + edit.with.size();
    edit.with.append(name);
    at = use.end;
  }
  edit.anchor = edit.caret;
  return edit;
}

}  // namespace tessera::panes
