// CSV as RFC 4180 has it: fields between commas (core/base/csv.h: quoted where they must be, formulas of spreadsheets defused).
//
//     csvLine({"a", "b,c", "say \"x\""})      a,"b,c","say ""x"""\r\n
//     readCsv("a,\"b,c\"\r\n")                {{"a", "b,c"}}
//
// Law: readCsv of lines that csvLine printed gives their fields back. The reader also takes lines that end in \n alone, and a byte order
// mark; a quote that is never closed is a Diag with its place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera::measure {

[[nodiscard]] std::string csvLine(const std::vector<std::string>& fields);
[[nodiscard]] Result<std::vector<std::vector<std::string>>> readCsv(std::string_view text);

}  // namespace tessera::measure
