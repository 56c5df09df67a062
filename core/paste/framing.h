// Framing: what a page, a reply or a diff puts around the lines of a text.
//
//     ```cpp                       (blanks)
//     using A = Layout<_8>;   ->   using A = Layout<_8>;
//     ```                          (blanks)
//
//     -  s = row * 32 + col;       (blanks)
//     +  s = row * 33 + col;  ->      s = row * 33 + col;
//
//     12   int row = t / 8;             int row = t / 8;
//     13   int col = t % 8;   ->        int col = t % 8;
//
// Also `> ` before each line, and the blanks of web pages that are no ASCII.
//
// Law: the result has the length and the line ends of the text, so every place in it is a place in the text. A text
// without framing is unchanged; a table of numbers and a dump whose lines begin with `- ` have none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::paste {

// The text with blanks in place of its framing. What is left out, if it is more than marks, is a note.
[[nodiscard]] std::string withoutFraming(std::string_view text, std::vector<std::string>& notes);

}  // namespace tessera::paste
