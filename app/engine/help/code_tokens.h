// code_tokens: the worksheet language as coloured pieces of a line: keywords, numbers, functions, comments. Pure.
//
//     prove injective(A) by z3  // why        prove by: keywords; injective: a function; z3: plain; the comment
//     check(A)                                 check begins a statement only without a bracket: a function
//
// Law: the tokens of a piece cover it completely, in order.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace tessera {

enum class CodeInk : unsigned char { Plain, Keyword, Number, Function, Comment };
struct CodeToken {
  std::size_t begin = 0, end = 0;
  CodeInk ink = CodeInk::Plain;
};
// text[begin, end), part of one line whose comment starts at `comment` (npos: none). The tokens cover it completely.
[[nodiscard]] std::vector<CodeToken> highlighted(std::string_view text, std::size_t begin, std::size_t end,
                                                 std::size_t comment);

// The words that are keywords anywhere, and those that are only at the start of a line or after a closing brace.
[[nodiscard]] std::span<const std::string_view> keywordNames();
[[nodiscard]] std::span<const std::string_view> lineKeywordNames();

}  // namespace tessera
