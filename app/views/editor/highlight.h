// highlight: syntax colours of the worksheet language and colours of its prose. Pure; colours are literals here because
// only code uses them (the palette of figures has no keywords). The test checks a contrast of at least 4.5:1 on the
// pane and on the caret's line, in both themes.
#pragma once

#include <string_view>
#include <vector>

#include "app/views/editor/sheet_layout.h"
#include "render/figure/palette.h"

namespace tessera {

enum class CodeInk : unsigned char { Plain, Keyword, Number, Function, Comment };
struct CodeToken {
  std::size_t begin = 0, end = 0;
  CodeInk ink = CodeInk::Plain;
};
// text[begin, end), part of one line whose comment starts at `comment` (npos: none). The tokens cover it completely.
[[nodiscard]] std::vector<CodeToken> highlighted(std::string_view text, std::size_t begin, std::size_t end,
                                                 std::size_t comment);

[[nodiscard]] Rgba colorOf(CodeInk ink, Theme theme);
// Ink::Source has no colour here.
[[nodiscard]] Rgba colorOf(Ink ink, Theme theme);

}  // namespace tessera
