// Places in a text: from bytes to lines and columns, encoding checks, and the underlined message.
//
// A LineIndex is built once per document and answers in O(log bytes) for lines of any length, so a document with a
// million errors is reported in linear time, even `1; 1; 1; ...` on one line.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/worksheet/worksheet.h"

namespace tessera {

class LineIndex {
 public:
  explicit LineIndex(std::string_view document);
  [[nodiscard]] LineColumn at(std::size_t byte) const;
  // The bytes of the line that holds `byte`, without its line ending.
  [[nodiscard]] Span lineOf(std::size_t byte) const;

 private:
  struct Mark {
    std::size_t byte = 0, codePoints = 0;  // of the document before it
  };
  [[nodiscard]] std::size_t row(std::size_t byte) const;  // from 0
  [[nodiscard]] std::size_t startOf(std::size_t row) const { return row == 0 ? 0 : starts_[row - 1]; }
  [[nodiscard]] std::size_t codePointsBefore(std::size_t byte) const;
  std::string_view document_;
  std::vector<std::size_t> starts_;  // of all lines but the first, so a single line needs no memory
  std::vector<Mark> marks_;          // of all marks but the one at 0
};

// printDiag (worksheet.h) with an existing index. `linesBefore`: lines before the document in its stream.
[[nodiscard]] std::string printDiag(const Diag& diag, std::string_view document, const LineIndex& index,
                                    std::size_t linesBefore = 0);

// The byte where `text` stops being UTF-8 or has a NUL; nullopt if it is clean.
[[nodiscard]] std::optional<std::size_t> firstBadByte(std::string_view text);
// The number of code points; each byte that is not UTF-8 counts as one.
[[nodiscard]] std::size_t codePointCount(std::string_view text);
// Text that is safe to show on a terminal (no escape sequences) or in JSON: U+FFFD replaces each bad byte and each
// control character (U+0000 to U+001F except tab and newline, U+007F to U+009F), and a newline replaces CR LF.
[[nodiscard]] std::string cleaned(std::string_view text);

}  // namespace tessera
