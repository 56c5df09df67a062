// highlight: the words of the worksheet language in their colours, and the colours of its prose. Pure; colours are
// numbers here because they belong to code alone (the figures' palette knows nothing of keywords). The test holds each
// of them to a contrast of 4.5:1 on the pane and on the caret's line, in both themes.
#pragma once

#include <string_view>
#include <vector>

#include "app/views/sheet_layout.h"
#include "render/figure/palette.h"

namespace tessera {

enum class CodeInk : unsigned char { Plain, Keyword, Number, Function, Comment };
struct CodeToken {
  std::size_t begin = 0, end = 0;
  CodeInk ink = CodeInk::Plain;
};
// text[begin, end), a piece of one line whose comment begins at `comment` (npos: none). Tokens cover it without a gap.
[[nodiscard]] std::vector<CodeToken> highlighted(std::string_view text, std::size_t begin, std::size_t end,
                                                 std::size_t comment);

[[nodiscard]] Rgba colorOf(CodeInk ink, Theme theme);
// Ink::Source has none of its own.
[[nodiscard]] Rgba colorOf(Ink ink, Theme theme);

}  // namespace tessera
