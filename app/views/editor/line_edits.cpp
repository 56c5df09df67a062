#include "app/views/editor/line_edits.h"

#include <algorithm>

#include "app/engine/names/sheet_names.h"

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

Result<LineEdit> renamed(std::string_view text, std::size_t byte, std::string_view name) {
  TESSERA_TRY(const std::vector<Span> uses, placesToRename(text, byte, name));
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
