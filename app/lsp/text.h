// Text: the text of a document, and its places as the protocol writes them: a line and a character, both from 0, in
// code units of the encoding that was agreed on.
//
//     "x = \U0001D400 1\n"       byte 9, after the letter of four bytes:   0:6 in UTF-16   0:8 in UTF-8   0:5 in UTF-32
//
// Laws: byteAt(at(b)) == b for every byte b that begins a character, except between the two bytes of a CR LF, which is
// one line ending; so is a lone CR. A character beyond its line is the end of the line, a line beyond the text is the
// end of the text, and a place inside a character is its beginning. at and byteAt take O(log bytes).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera::lsp {

enum class Encoding : unsigned char { Utf8, Utf16, Utf32 };

struct Place {
  std::size_t line = 0, character = 0;
  bool operator==(const Place&) const = default;
};

class Text {
 public:
  explicit Text(std::string bytes = {}, Encoding encoding = Encoding::Utf16);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] std::size_t lines() const { return starts_.size(); }
  [[nodiscard]] Place at(std::size_t byte) const;
  [[nodiscard]] std::size_t byteAt(Place place) const;
  // The bytes of a line, without its ending.
  [[nodiscard]] Span line(std::size_t line) const;
  // The text with the bytes of `span` replaced.
  [[nodiscard]] Text replaced(Span span, std::string_view with) const;

 private:
  [[nodiscard]] std::size_t unitsBefore(std::size_t byte) const;

  std::string bytes_;
  Encoding encoding_;
  std::vector<std::size_t> starts_;  // of each line
  std::vector<std::size_t> marks_;   // units before every kStep-th byte
};

}  // namespace tessera::lsp
