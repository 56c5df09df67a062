// prose: what a comment line says when it is read as text, in light Markdown. Pure: bytes in, places of bytes out.
//
//     // # 3  The swizzle                      a title (## and ### are smaller headings)
//     // Groups of `2^3` stay *together*,      text; the lines of a run flow into one paragraph
//     // see [banks](10_gemm_shared_tile.tess)
//     //
//     // - one thing                           an item of a list; a line indented below it goes on with it
//     // 1. the first                          a numbered one
//     //     for (i = 0; ...)                  four blanks: kept as it is written
//     //show S as grid                         no blank behind the bars, or a statement: kept as it is written
//
// What it is not: Markdown. A mark that is not closed on its line, that stands between blanks (i * 8 + j * 2) or inside
// a word (blocked_product) is a character like any other, so that formulas survive.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

enum class CommentKind : unsigned char { Text, Heading, Item, Verbatim, Blank };

struct CommentLine {
  CommentKind kind = CommentKind::Text;
  std::size_t content = 0;                 // byte of the text where the words begin, behind bars and marks
  std::size_t markBegin = 0, markEnd = 0;  // Item: the bytes of "-" or "12."
  int level = 0;                           // Heading: 1 to 3; Item: how deep
  int indent = 0;                          // blanks behind the bars
};

// The line text[begin, end) when it is nothing but a comment.
[[nodiscard]] std::optional<CommentLine> readComment(std::string_view text, std::size_t begin, std::size_t end);
// Whether `next` flows on in the paragraph or the item that `first` began.
[[nodiscard]] bool flowsOn(const CommentLine& first, const CommentLine& next);

enum class ProseInk : unsigned char { Body, Strong, Emphasis, Code, Link };
// Bytes [begin, end) are shown in that ink; what lies between two spans (marks, a link's target) is not shown.
struct ProseSpan {
  std::size_t begin = 0, end = 0;
  ProseInk ink = ProseInk::Body;
  std::size_t targetBegin = 0, targetEnd = 0;  // Link
};
// Ensures: spans are in order, do not overlap, and lie in [begin, end).
[[nodiscard]] std::vector<ProseSpan> proseSpans(std::string_view text, std::size_t begin, std::size_t end);
// The words without their marks: "Groups of 2^3 stay together". For titles in lists.
[[nodiscard]] std::string plainProse(std::string_view words);

}  // namespace tessera
