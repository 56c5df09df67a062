// Comments of a statement, and where `//` is none.
//
//     A = (4,8):(8,1)   // row-major          a comment
//     S(i) = i // 2 over (64)                 floor division: up to its `over` a formula is C's or Python's
//     tessera eval '20 // 3'                  floor division: an argument of one line (Slashes::Divide)
//     20 // 3                                 a comment in a worksheet, with a warning: it reads as a divisor
//
// Law: splitStatements() and withoutComments() agree on every `//`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tessera {

// Up to here, from the first byte of a statement on, `//` divides; 0 when it is no formula with an `over` on its first line.
[[nodiscard]] std::size_t formulaDivisionsEnd(std::string_view statement);
// Whether only blanks stand before text[at] in its line or behind a `;`: a comment also where slashes divide.
[[nodiscard]] bool opensLine(std::string_view text, std::size_t at);
// The comment behind its `//`, without blanks around it, when it is a number or a bracket, and brackets may close behind it:
// "3", "-0x10", "(a + b)", "3)". Else empty: it is prose.
[[nodiscard]] std::string_view divisorIn(std::string_view comment);

// The text with // and /* */ comments blanked out, so that places stay. `slashesDivide`: as in an argument of eval.
[[nodiscard]] std::string withoutComments(std::string_view text, bool slashesDivide = false);

}  // namespace tessera
