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
  [[nodiscard]] std::size_t row(std::size_t byte) const;
  [[nodiscard]] std::size_t codePointsBefore(std::size_t byte) const;
  std::string_view document_;
  std::vector<std::size_t> starts_;
  std::vector<Mark> marks_;
};

// printDiag (worksheet.h) with an index that is already there.
[[nodiscard]] std::string printDiag(const Diag& diag, std::string_view document, const LineIndex& index);

// The byte where `text` stops being UTF-8 or holds a NUL; nullopt when it is clean.
[[nodiscard]] std::optional<std::size_t> firstBadByte(std::string_view text);
// Number of code points; bytes that are not UTF-8 count one each.
[[nodiscard]] std::size_t codePointCount(std::string_view text);
// The same text with each bad byte as U+FFFD: what may be shown on a terminal or in JSON.
[[nodiscard]] std::string cleaned(std::string_view text);

}  // namespace tessera
