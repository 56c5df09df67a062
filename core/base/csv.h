// CSV (RFC 4180): a cell is quoted if it contains a comma, a quote or an end of line.
//
//     csvLine({"a", "b,c", "say \"x\""})      a,"b,c","say ""x"""\n
//
//     csvField("a,b")    "a,b"        csvField("-3.5")   -3.5         numbers are unchanged
//     csvField("8:1")    8:1          csvField("=1+1")   '=1+1        a spreadsheet would run the text as a formula
//
// A text cell that begins with = + - @, a tab or a carriage return is prefixed with an apostrophe. A cell that
// begins with apostrophes before such a byte also gets one, so every text can be restored.
// Law: a reader that drops such an apostrophe returns the fields (tests/support/csv_reader.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera {

[[nodiscard]] std::string csvField(std::string_view text);
// The fields as one line, terminated by `end`.
[[nodiscard]] std::string csvLine(const std::vector<std::string>& fields, std::string_view end = "\n");

}  // namespace tessera
