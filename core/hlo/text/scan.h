// Scan: the lexer of HLO text: names, shapes, balanced brackets, comments. It moves a position and copies nothing.
//
//     Scan in(text);  in.name() "add.1"   in.shapeText() "(f32[2]{0}, /*index=1*/ s32[])"   in.balanced() "{a, {b}}"
//
// Law: every token is a substring of the text, and the position never exceeds the end.
#pragma once

#include <cstddef>
#include <string_view>

namespace tessera::hlo {

class Scan {
 public:
  explicit Scan(std::string_view text, std::size_t at = 0) : text_(text), at_(at) {}
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t at() const { return at_; }
  void seek(std::size_t at) { at_ = at; }
  [[nodiscard]] bool done() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void blanks();                       // blanks, comments and line ends
  void blanksOfLine();                 // without line ends
  void line();                         // moves past the end of this line
  bool accept(char c);                 // skips blanks first
  bool accept(std::string_view word);  // the same, for a whole word
  // A name of letters, digits, _ . - : / and other such characters; empty: none here. Skips a leading %.
  [[nodiscard]] std::string_view name();
  // f32[2,3]{1,0}, (f32[], s32[]), token[], b(f32[4]); empty: none here.
  [[nodiscard]] std::string_view shapeText();
  // From a bracket to its closing bracket, both included; empty: it is not closed, or a mismatched bracket comes first.
  // Skips strings and comments. Takes linear time even for texts with many unclosed brackets.
  [[nodiscard]] std::string_view balanced();
  // Up to a comma, a blank or a closing bracket outside brackets and strings.
  [[nodiscard]] std::string_view value();
  [[nodiscard]] std::string_view from(std::size_t begin) const { return text_.substr(begin, at_ - begin); }

 private:
  bool comment();
  bool quoted();
  void charge(std::size_t bytes);  // one step of the thread's WorkBudget per 64 bytes
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t wasted_ = 0, uncharged_ = 0;
};

}  // namespace tessera::hlo
