// csvField: one cell of a CSV file (RFC 4180): quoted where it holds a comma, a quote or an end of line.
//
//     csvField("a,b")    "a,b"        csvField("-3.5")   -3.5         a number stays a number
//     csvField("8:1")    8:1          csvField("=1+1")   '=1+1        text that a spreadsheet would run as a formula
//
// A cell of text that begins with = + - @, a tab or a carriage return gets an apostrophe before it; so does one that begins with
// apostrophes before such a byte, so that plainText() gives every text back.
// Law: plainText(the cell as a CSV reader returns it) == text.
#pragma once

#include <string>
#include <string_view>

namespace tessera {

[[nodiscard]] std::string csvField(std::string_view text);
// The text of a cell, without the apostrophe that csvField put before it.
[[nodiscard]] std::string_view plainText(std::string_view cell);

}  // namespace tessera
