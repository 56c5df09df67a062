// Places in a text: from bytes to lines and columns, checks of the encoding, and the underlined message.
//
// A LineIndex is built once per document and answers in O(log bytes), however long the line is, so that a document with
// a million errors is reported in linear time, `1; 1; 1; ...` on one line, too.
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
  std::vector<std::size_t> starts_;  // of the lines behind the first: a single one, as in a stream, needs no memory
  std::vector<Mark> marks_;          // likewise: behind the one at 0
};

// printDiag (worksheet.h) with an index that is already there. `linesBefore`: of the stream that the document is a part of.
[[nodiscard]] std::string printDiag(const Diag& diag, std::string_view document, const LineIndex& index,
                                    std::size_t linesBefore = 0);

// The byte where `text` stops being UTF-8 or holds a NUL; nullopt when it is clean.
[[nodiscard]] std::optional<std::size_t> firstBadByte(std::string_view text);
// Number of code points; bytes that are not UTF-8 count one each.
[[nodiscard]] std::size_t codePointCount(std::string_view text);
// What may be shown on a terminal, which obeys an escape sequence wherever it comes from, or in JSON: the same text with
// U+FFFD for each bad byte and each control character (U+0000 to U+001F but tab and newline, U+007F to U+009F), and a plain
// newline for CR LF.
[[nodiscard]] std::string cleaned(std::string_view text);

}  // namespace tessera
