// CsvReader: records of CSV (RFC 4180) inside other text, one after the other.
//
//     CsvReader("a,\"b,c\"\r\n").record().fields      {"a", "b,c"}
//
// It also accepts bare \n line ends and a byte order mark. Lines are printed by core/base/csv.h.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/base/result.h"

namespace tessera::measure {

// Records one after the other; a quoted field may span several lines.
class CsvReader {
 public:
  struct Record {
    std::vector<std::string> fields;
    Span span;
    std::size_t line = 0;             // 1-based, of its first line
    std::optional<std::size_t> open;  // a quote that is not closed
  };
  explicit CsvReader(std::string_view text);
  [[nodiscard]] bool done() const { return at_ >= text_.size(); }
  [[nodiscard]] std::string_view line() const;  // up to the next end of line
  void skip();                                  // that line
  Record record();

 private:
  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
};

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
