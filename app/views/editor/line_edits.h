// line_edits: edits of whole lines and of names, as pure functions of the text. An edit is one replacement, so one undo
// step.
//
//     toggleComment("A = 1\nB = 2", 0, 11)     "// A = 1\n// B = 2"; again: the old text
//     moveLines("a\nb\nc", 2, 2, -1)           "b\na\nc"
//     duplicateLines("a\nb", 0, 0)             "a\na\nb"
//     renamed(text, at the A of `show A`, "L") A of its binding and of every use until A is bound again
//
// Laws (tests/gui/line_edits_test.cpp): toggleComment twice is the old text if no line was a comment; moveLines up and
// down is the old text; a rename leaves every value and verdict of the sheet as it was.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera::panes {

// text[begin, end) becomes `with`; the selection is then [anchor, caret) of the new text.
struct LineEdit {
  std::size_t begin = 0, end = 0;
  std::string with;
  std::size_t anchor = 0, caret = 0;
};

// Of the lines that [from, to] touches; a selection that ends at the start of a line does not touch it.
[[nodiscard]] LineEdit toggleComment(std::string_view text, std::size_t anchor, std::size_t caret);
// direction -1: up, 1: down. nullopt at the end of the text.
[[nodiscard]] std::optional<LineEdit> moveLines(std::string_view text, std::size_t anchor, std::size_t caret,
                                                int direction);
[[nodiscard]] LineEdit duplicateLines(std::string_view text, std::size_t anchor, std::size_t caret);
// The line with this byte, with its newline.
[[nodiscard]] Span lineAround(std::string_view text, std::size_t byte);

// Refuses a name that is none, or that the sheet already binds.
[[nodiscard]] Result<LineEdit> renamed(std::string_view text, std::size_t byte, std::string_view name);

}  // namespace tessera::panes
