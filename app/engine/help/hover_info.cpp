#include "app/engine/help/hover_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/engine/names/sheet_names.h"
#include "app/engine/program/program_words.h"
#include "app/show/show.h"
#include "core/atlas/atlas.h"
#include "core/base/chars.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

std::string_view wordAt(std::string_view text, std::size_t byte, bool dots) {
  const auto part = [&](std::size_t k) { return isNamePart(text[k]) || (dots && text[k] == '.'); };
  if (byte >= text.size() || !part(byte)) return {};
  std::size_t begin = byte, end = byte;
  while (begin > 0 && part(begin - 1)) --begin;
  while (end < text.size() && part(end)) ++end;
  return text.substr(begin, end - begin);
}

HoverInfo errorInfo(const Diag& diag) {
  HoverInfo info;
  info.isError = true;
  info.lines.push_back(diag.message);
  if (!diag.expected.empty()) info.lines.push_back("Expected: " + diag.expected);
  if (!diag.hint.empty()) info.lines.push_back("Hint: " + diag.hint);
  for (const std::string& line : info.lines) info.copies += (info.copies.empty() ? "" : "\n") + line;
  return info;
}

HoverInfo nameInfo(const Outcome& o) {
  HoverInfo info;
  info.title = o.statement.name;
  const std::string where = fmt::format("bound in line {}", o.statement.line);
  if (o.pending) {
    info.lines.push_back(where + ", still being evaluated");
  } else if (o.value) {
    info.lines.push_back(fmt::format("{}, {}", nounOf(*o.value), where));
    info.value = print(*o.value);
  } else if (o.verdict) {
    info.lines.push_back(fmt::format("a verdict, {}", where));
    info.value = name(o.verdict->truth);
  } else if (!o.learner.blank.empty()) {
    info.lines.push_back(where + ", " + blankText(o));
  } else {
    info.lines.push_back(where + ", without a value because its line has an error");
  }
  return info;
}

std::optional<HoverInfo> functionInfo(std::string_view word) {
  HoverInfo info;
  for (const FunctionInfo& f : functions()) {
    if (f.name != word) continue;
    if (!info.title.empty()) info.title += "\n";  // functions of several notations can share a name
    info.title += f.signature;
    info.lines.emplace_back(f.what);
  }
  if (info.title.empty()) return std::nullopt;
  info.lines.erase(std::unique(info.lines.begin(), info.lines.end()), info.lines.end());
  return info;
}

std::optional<HoverInfo> instructionInfo(std::string_view word) {
  if (word.find('.') == std::string_view::npos || word.size() > 120) return std::nullopt;
  const auto row = findInstruction(word);
  if (!row) return std::nullopt;
  HoverInfo info;
  info.title = row->name;
  info.lines.push_back(fmt::format("{}, {}, {}", name(row->family), row->shape, row->architecture));
  if (!row->ptx.empty()) info.lines.push_back(row->ptx);
  std::string operands;
  for (const AtlasOperand& o : row->operands)
    operands += fmt::format("{}{} {} {}", operands.empty() ? "" : ",  ", o.name, o.element, o.layout);
  if (!operands.empty()) info.lines.push_back(operands);
  if (!row->note.empty()) info.lines.push_back(row->note);
  info.copies = row->name;
  return info;
}

// The words that begin a statement.
struct KeywordRow {
  std::string_view word, form, what;
};
constexpr auto kKeywordRows = std::to_array<KeywordRow>({
    {"show", "show EXPRESSION as VIEW", "a picture of the value"},
    {"prove", "prove CLAIM by METHOD", "proved, refuted with a counterexample, or unknown with the reason"},
    {"assert", "assert CONDITION", "an error if the condition or claim does not hold"},
    {"find", "find swizzle for A where CONDITIONS", "every swizzle or padding that serves all accesses"},
    {"run", "run PROGRAM with M=8 compare cublas", "compiles, runs, checks and times a program"},
    {"task", "task \"TITLE\": CLAIM",
     "an exercise: solved as soon as the claim holds for what the sheet says above it"},
});
std::optional<HoverInfo> keywordInfo(std::string_view text, std::string_view word) {
  const auto at = static_cast<std::size_t>(word.data() - text.data());
  const std::size_t after = at + word.size(), before = text.substr(0, at).find_last_not_of(" \t");
  const bool first = before == std::string_view::npos || text[before] == '\n' || text[before] == ';';
  if (!first || after >= text.size() || !isBlank(text[after])) return std::nullopt;
  const std::size_t next = text.find_first_not_of(" \t", after);
  if (next != std::string_view::npos && text[next] == '=') return std::nullopt;  // a name
  for (const KeywordRow& row : kKeywordRows)
    if (row.word == word) return HoverInfo{std::string(row.form), {std::string(row.what)}, "", "", false};
  return std::nullopt;
}

std::optional<HoverInfo> viewInfo(std::string_view text, std::string_view word) {
  const auto at = static_cast<std::size_t>(word.data() - text.data());
  if (at < 4 || text.substr(at - 4, 4) != " as ") return std::nullopt;
  for (const ViewInfo& v : views())
    if (v.name == word) return HoverInfo{std::string(v.title), {std::string(v.what)}, "", "", false};
  return std::nullopt;
}

}  // namespace

std::optional<HoverInfo> hoverInfo(std::string_view text, std::size_t byte, Outcomes outcomes) {
  if (byte >= text.size() || text[byte] == '\n') return std::nullopt;
  for (const auto& o : outcomes) {
    if (!o->diag) continue;
    const Span span = o->diag->span.empty() ? o->statement.span : o->diag->span;
    if (span.begin <= byte && byte < std::max(span.end, span.begin + 1)) return errorInfo(*o->diag);
  }
  if (inComment(text, byte + 1)) return std::nullopt;
  for (const auto& o : outcomes) {  // inside a program its own names apply
    const auto* listing = o->value ? std::get_if<graphene::Listing>(&*o->value) : nullptr;
    const std::size_t begin = o->statement.span.begin;
    if (listing == nullptr || o->statement.kind != StatementKind::Block || byte < begin ||
        byte >= o->statement.span.end)
      continue;
    if (byte - begin > listing->text.find('{')) return programInfo(*listing, byte - begin);
  }
  const std::string_view word = wordAt(text, byte, false);
  if (word.empty()) return std::nullopt;
  if (auto view = viewInfo(text, word)) return view;
  if (auto keyword = keywordInfo(text, word)) return keyword;
  // The last binding visible here; that of its own line if left of the `=`. Triton's layouts are named #mma.
  const Outcome* bound = nullptr;
  const auto at = static_cast<std::size_t>(word.data() - text.data());
  const std::string marked = at > 0 && text[at - 1] == '#' ? "#" + std::string(word) : "";
  for (const auto& o : outcomes) {
    const bool binds = o->statement.kind == StatementKind::Bind || o->statement.kind == StatementKind::Block;
    if (!binds || (o->statement.name != word && o->statement.name != marked)) continue;
    const std::size_t named = placeOfName(o->statement);
    const bool own = byte >= named && byte < named + word.size();
    if (own || o->statement.span.end <= byte) bound = o.get();
  }
  const std::string_view dotted = wordAt(text, byte, true);
  if (dotted != word)
    if (auto instruction = instructionInfo(dotted)) return instruction;
  if (bound != nullptr) return nameInfo(*bound);
  return functionInfo(word);
}

std::optional<HoverInfo> valueInfo(Outcomes outcomes, int line) {
  for (const auto& o : outcomes) {
    if (o->statement.line != line || !o->value) continue;
    HoverInfo info;
    info.title = o->statement.name;
    info.lines.emplace_back(nounOf(*o->value));
    info.value = print(*o->value);
    return info;
  }
  return std::nullopt;
}

}  // namespace tessera
