// Comments of a statement, and where `//` does not begin one.
//
//     A = (4,8):(8,1)   // row-major          a comment
//     S(i) = i // 2 over (64)                 floor division: before its `over`, a formula is in C's or Python's syntax
//     tessera eval '20 // 3'                  floor division: an argument of one line (Slashes::Divide)
//     20 // 3                                 a comment in a worksheet, with a warning: it looks like a divisor
//
// Law: splitStatements() and withoutComments() classify every `//` the same way.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

// The end of the part, from the statement's start, in which `//` divides; 0 if its first line has no formula with
// `over`.
[[nodiscard]] std::size_t formulaDivisionsEnd(std::string_view statement);
// Whether only blanks precede text[at] on its line or after a `;`: then `//` is a comment even where slashes divide.
[[nodiscard]] bool opensLine(std::string_view text, std::size_t at);
// The trimmed comment after its `//` if it is a number or a bracketed expression, possibly with closing brackets:
// "3", "-0x10", "(a + b)", "3)". Otherwise empty: it is prose.
[[nodiscard]] std::string_view divisorIn(std::string_view comment);

// The text with // and /* */ comments replaced by blanks, which keeps positions. `slashesDivide`: as in an eval
// argument.
[[nodiscard]] std::string withoutComments(std::string_view text, bool slashesDivide = false);

}  // namespace tessera
