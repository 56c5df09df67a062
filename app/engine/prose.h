// prose: parses comment lines as text in light Markdown. Pure: maps bytes to byte ranges.
//
//     // # 3  The swizzle                      a title (## and ### are smaller headings)
//     // Groups of `2^3` stay *together*,      text; the lines of a run flow into one paragraph
//     // see [banks](10_gemm_shared_tile.tess)
//     //
//     // - one thing                           an item of a list; a line indented below it continues it
//     // 1. the first                          a numbered item
//     //     for (i = 0; ...)                  four blanks: kept as written
//     //show S as grid                         no blank after the slashes, or a statement: kept as written
//
// Not Markdown: a mark that is not closed on its line, is between blanks (i * 8 + j * 2) or inside a word
// (blocked_product) is an ordinary character, so that formulas are preserved.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace tessera {

enum class CommentKind : unsigned char { Text, Heading, Item, Verbatim, Blank };

struct CommentLine {
  CommentKind kind = CommentKind::Text;
  std::size_t content = 0;                 // first byte of the words, after slashes and marks
  std::size_t markBegin = 0, markEnd = 0;  // Item: the bytes of "-" or "12."
  int level = 0;                           // Heading: 1 to 3; Item: depth
  int indent = 0;                          // blanks after the slashes
};

// Parses text[begin, end) if the line is only a comment.
[[nodiscard]] std::optional<CommentLine> readComment(std::string_view text, std::size_t begin, std::size_t end);
// Whether `next` continues the paragraph or item that `first` began.
[[nodiscard]] bool flowsOn(const CommentLine& first, const CommentLine& next);

enum class Ink : unsigned char { Source, Body, Strong, Emphasis, Code, Link, Title, Heading, Bullet, Join };
// Bytes [begin, end) are shown in that ink; bytes between spans (marks, link targets) are hidden.
struct ProseSpan {
  std::size_t begin = 0, end = 0;
  Ink ink = Ink::Body;                         // or Strong, Emphasis, Code, Link
  std::size_t targetBegin = 0, targetEnd = 0;  // Link
};
// Ensures: spans are ordered, disjoint, and within [begin, end).
[[nodiscard]] std::vector<ProseSpan> proseSpans(std::string_view text, std::size_t begin, std::size_t end);

}  // namespace tessera
