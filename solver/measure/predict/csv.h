// CSV according to RFC 4180, with spreadsheet formulas defused and quotes where needed (core/base/csv.h).
//
//     csvLine({"a", "b,c", "say \"x\""})      a,"b,c","say ""x"""\r\n
//     readCsv("a,\"b,c\"\r\n")                {{"a", "b,c"}}
//
// Law: readCsv returns the fields of any lines that csvLine printed. The reader also accepts bare \n line ends and a
// byte order mark. An unclosed quote is a Diag with its place.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/result.h"

namespace tessera::measure {

[[nodiscard]] std::string csvLine(const std::vector<std::string>& fields);
[[nodiscard]] Result<std::vector<std::vector<std::string>>> readCsv(std::string_view text);

// A finite number that takes the whole field.
template <class T>
requires std::is_arithmetic_v<T>
[[nodiscard]] bool readNumber(std::string_view field, T& into) {
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), into);
  if (error != std::errc() || end != field.data() + field.size()) return false;
  if constexpr (std::is_floating_point_v<T>) return std::isfinite(into);
  return true;
}

}  // namespace tessera::measure
