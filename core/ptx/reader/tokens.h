// The tokens of PTX on a Cursor: names, numbers, opcodes, and stretches of text that are kept as they are.
//
//     takeName at "%r1+4"                 "%r1"
//     takeOpcode at "ld .shared::cta.b32"  "ld.shared::cta.b32"
//     number at "0f3F800000"              {Single, 0x3f800000}
//     keptText(in, "{;")                  ".maxntid 128, 1, 1", up to the brace
//
// Law: keptText(print) gives the same text again: each run of blanks and comments is one blank.
#pragma once

#include <string>
#include <string_view>

#include "core/base/cursor.h"

namespace tessera::ptx {

// Letters, digits, _ and $; a name may begin with %.
[[nodiscard]] inline Cursor cursorOf(std::string_view text) {
  return Cursor(text, {.nameAlso = "$", .lineComments = true, .blockComments = true});
}

// The name that begins at the cursor; empty if none does. Skips blanks first.
[[nodiscard]] std::string_view peekName(Cursor& in);
[[nodiscard]] std::string_view takeName(Cursor& in);
// ".global" without its dot; empty, without moving, if no directive begins here.
[[nodiscard]] std::string_view peekDirective(Cursor& in);
void takeDirective(Cursor& in, std::string_view word);

// A name with its modifiers; empty if no name begins here.
[[nodiscard]] std::string takeOpcode(Cursor& in);

struct Literal {
  enum class Kind : unsigned char { Integer, Single, Double };
  Kind kind = Kind::Integer;
  bool isUnsigned = false;  // suffix U, or beyond the range of s64
  u64 bits = 0;
};
[[nodiscard]] bool atNumber(Cursor& in);
[[nodiscard]] Result<Literal> number(Cursor& in);

// "..." without its quotes; escapes are kept as written.
[[nodiscard]] Result<std::string> quoted(Cursor& in);

// The text up to the first of the bytes `ends` outside quotes and brackets, without moving past it. `lines`: a line end
// among blanks stays a line end.
[[nodiscard]] std::string keptText(Cursor& in, std::string_view ends, bool lines = false);

}  // namespace tessera::ptx
