// Cursor: a place in a text. Parsers of notations share it; spans come out relative to the whole text.
#pragma once

#include <string>
#include <string_view>

#include "core/base/chars.h"
#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera {

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t position() const { return pos_; }
  void seek(std::size_t pos) { pos_ = pos; }
  void skipBlanks() {
    while (pos_ < text_.size() && isBlank(text_[pos_])) ++pos_;
  }
  [[nodiscard]] bool atEnd() {
    skipBlanks();
    return pos_ >= text_.size();
  }
  // The next byte after blanks; NUL at the end.
  [[nodiscard]] char peek() {
    skipBlanks();
    return raw();
  }
  [[nodiscard]] char raw(std::size_t ahead = 0) const {
    return pos_ + ahead < text_.size() ? text_[pos_ + ahead] : '\0';
  }
  void advance(std::size_t n = 1) { pos_ += n; }
  bool accept(char c) {
    if (peek() != c || pos_ >= text_.size()) return false;
    ++pos_;
    return true;
  }
  bool accept(std::string_view word) {
    skipBlanks();
    if (text_.substr(pos_, word.size()) != word) return false;
    pos_ += word.size();
    return true;
  }
  // [A-Za-z_][A-Za-z0-9_]*, with :: between parts; empty when there is none. Does not move.
  [[nodiscard]] std::string_view peekWord() {
    skipBlanks();
    std::size_t end = pos_;
    while (end < text_.size()) {
      const char c = text_[end];
      const bool letter = isNameStart(c) || (end > pos_ && isDigit(c));
      if (letter) {
        ++end;
      } else if (end > pos_ && text_.substr(end, 2) == "::") {
        end += 2;
      } else {
        break;
      }
    }
    return text_.substr(pos_, end - pos_);
  }
  [[nodiscard]] Span spanFrom(std::size_t begin) const { return {begin, pos_}; }
  // The byte at the cursor (or one past the end), for "expected X here". A whole UTF-8 sequence when there is one.
  [[nodiscard]] Span here() {
    skipBlanks();
    std::size_t end = pos_ < text_.size() ? pos_ + 1 : pos_;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
    return {pos_, end};
  }
  [[nodiscard]] std::string found() {
    if (atEnd()) return "the end of the text";
    const Span s = here();
    const auto byte = static_cast<unsigned char>(text_[s.begin]);
    if (byte < 0x20 || byte >= 0x7f) {
      static constexpr char kHex[] = "0123456789abcdef";
      return std::string("byte 0x") + kHex[byte >> 4] + kHex[byte & 15];
    }
    return "`" + std::string(1, text_[s.begin]) + "`";
  }

 private:
  std::string_view text_;
  std::size_t pos_ = 0;
};

}  // namespace tessera
