// csvField: one cell of a CSV file (RFC 4180), quoted if it contains a comma, a quote or an end of line.
//
//     csvField("a,b")    "a,b"        csvField("-3.5")   -3.5         numbers are unchanged
//     csvField("8:1")    8:1          csvField("=1+1")   '=1+1        a spreadsheet would run the text as a formula
//
// A text cell that begins with = + - @, a tab or a carriage return is prefixed with an apostrophe; so is one that
// begins with apostrophes before such a byte, so that plainText() restores every text.
// Law: plainText(the cell as returned by a CSV reader) == text.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

[[nodiscard]] std::string csvField(std::string_view text);
// The text of a cell, without the apostrophe added by csvField.
[[nodiscard]] std::string_view plainText(std::string_view cell);

}  // namespace tessera
