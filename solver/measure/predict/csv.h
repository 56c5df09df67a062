// CSV according to RFC 4180, with spreadsheet formulas defused and quotes where needed (core/base/csv.h).
//
//     csvLine({"a", "b,c", "say \"x\""})      a,"b,c","say ""x"""\r\n
//     readCsv("a,\"b,c\"\r\n")                {{"a", "b,c"}}
//
// Law: readCsv returns the fields of any lines that csvLine printed. The reader also accepts bare \n line ends and a
// byte order mark. An unclosed quote is a Diag with its place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera::measure {

[[nodiscard]] std::string csvLine(const std::vector<std::string>& fields);
[[nodiscard]] Result<std::vector<std::vector<std::string>>> readCsv(std::string_view text);

}  // namespace tessera::measure
