// Cursor: a position in a text with the operations that all readers share: skip, accept, read and report.
//
// Every notation's parser is a recursive descent over a Cursor; none scans bytes itself.
//
//     Cursor in("S[ 8:-4@lane ]", {.nameAlso = "."});
//     in.accept("S[")                 true; blanks before a token are skipped
//     in.integer()                    8
//     in.expect(":", "after the extent")
//     in.integer()                    -4; a number beyond 64 bits is a Diag; it never wraps
//     in.accept("@"), in.identifier("an axis name")    "lane"
//     in.expect(")", "at the end")    Diag{"`)` is missing at the end", expected "`)`", at the byte of the `]`}
//
// A Dialect defines blanks, names and integers where notations differ: comments, `.` or `::` inside names, 0x.
//
// A notation's `parsePrefix(Cursor&)` reads a literal inside a longer text. It returns the value that begins at the
// cursor and moves past it; nullopt, with the cursor unmoved, if none begins there; a Diag if it is malformed.
//
// Every step counts as work (core/base/work.h), and every level of a recursive reader is counted (Nesting), so no
// reader exceeds its budget or the stack.
//
// Laws: only seek moves the position backwards; a failed accept* or peek* moves it past blanks only; spans are byte
// ranges of the whole text and never cut a UTF-8 sequence.
// It is not a lexer: there is no list of tokens, because the grammar decides what a token is.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/chars.h"
#include "core/base/result.h"
#include "core/base/types.h"
#include "core/base/work.h"

namespace tessera {

struct Dialect {
  std::string_view nameAlso = {};  // bytes that continue a name, in addition to letters, digits and _
  bool scopes = false;             // a::b is one name
  bool lineComments = false;       // text from // to the end of the line is a blank
  bool blockComments = false;      // text from /* to */ is a blank
  bool plus = true;                // +8 is an integer
  bool hex = false;                // 0x1f is an integer
};

class Cursor {
 public:
  explicit Cursor(std::string_view text, Dialect dialect = {}, std::size_t at = 0)
      : text_(text), dialect_(dialect), at_(at) {}

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::size_t position() const { return at_; }
  void seek(std::size_t at) { at_ = at; }
  void advance(std::size_t bytes = 1) { at_ += bytes; }

  // How far a failed parsePrefix read; 0: unknown. No literal begins inside a list that was still open
  // there, so `((((1 + 2))))` is tried once and not four times.
  void giveUp(std::size_t at) { gaveUp_ = at; }
  [[nodiscard]] std::size_t gaveUp() const { return gaveUp_; }
  // The byte at this distance, blanks included; NUL beyond the end.
  [[nodiscard]] char raw(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  // Whether the byte at the cursor could continue a name: `8x` is not an integer in MLIR.
  [[nodiscard]] bool atNamePart() const { return isPart(raw()); }

  // The functions below skip blanks first.
  void skipBlanks() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && isBlank(text_[at_])) ++at_;
    spend(1 + static_cast<Work>((at_ - begin) / kBytesPerStep));
    if (raw() == '/') skipComments();
  }
  // The position where the next token begins.
  [[nodiscard]] std::size_t start() {
    skipBlanks();
    return at_;
  }
  [[nodiscard]] bool atEnd() {
    skipBlanks();
    return at_ >= text_.size();
  }
  [[nodiscard]] char peek() {
    skipBlanks();
    return raw();
  }
  [[nodiscard]] bool accept(char c) {
    if (peek() != c || at_ >= text_.size()) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] bool accept(std::string_view token) {
    skipBlanks();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  // Moves past the bracketed text that begins here: nested (), [], {}, quoted text, comments, and <> if `angles` (`->`
  // does not close one). Returns false without moving if no bracket opens here or it is never closed. Iterative, so
  // 10,000 nested brackets use no stack.
  [[nodiscard]] bool acceptBracketed(bool angles = true);
  // accept() for a whole word: `over` does not match the start of `overlap`.
  [[nodiscard]] bool acceptWord(std::string_view word);
  // The name that begins here; empty if none does.
  [[nodiscard]] std::string_view peekWord();
  [[nodiscard]] bool atInteger();

  // "`)` is missing at the end": `where` ends the sentence.
  [[nodiscard]] Result<void> expect(std::string_view token, std::string_view where);
  // "an axis name is missing here": `what` begins the sentence.
  [[nodiscard]] Result<std::string> identifier(std::string_view what);
  [[nodiscard]] Result<i64> integer(std::string_view what = "an integer");

  // The character under the cursor; empty at the end of the text.
  [[nodiscard]] Span here();
  [[nodiscard]] Span spanFrom(std::size_t begin) const { return {begin, at_ > begin ? at_ : begin}; }
  // The character under the cursor, for a message: "`)`", "byte 0xe2", "the end of the text".
  [[nodiscard]] std::string found();
  // A Diag at the name or number under the cursor, else at its character. failFrom: at the text read since `begin`, or
  // at the character there if nothing was read.
  [[nodiscard]] Diag fail(std::string message, std::string expected = {}, std::string hint = {});
  [[nodiscard]] Diag failFrom(std::size_t begin, std::string message, std::string expected = {},
                              std::string hint = {}) const;

 private:
  static constexpr std::size_t kBytesPerStep = 16;  // skipped or read in one step

  [[nodiscard]] bool isPart(char c) const {
    return isNamePart(c) || (c != '\0' && dialect_.nameAlso.find(c) != std::string_view::npos);
  }
  void skipComments();

  std::string_view text_;
  Dialect dialect_;
  std::size_t at_ = 0;
  std::size_t gaveUp_ = 0;
};

// Nesting: one level of a recursive reader, until the end of the block. The count belongs to the thread, so readers
// that call each other share one limit.
//
//     const Nesting level;
//     if (level.tooDeep()) return level.refusal(in_);    // "this nests more than 200 levels deep", at the cursor
//
// Law: a text costs the same levels and the same work, whichever reader begins it.
// Why 200: recursive functions walk the result later, and under a sanitizer a few thousand levels fill a stack of 8 MB.
class Nesting {
 public:
  static constexpr int kMost = 200;

  Nesting() { ++levels_; }
  ~Nesting() { --levels_; }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

  // Of this thread.
  [[nodiscard]] static int levels() { return levels_; }
  [[nodiscard]] bool tooDeep() const { return levels_ > kMost; }
  [[nodiscard]] Diag refusal(Cursor& at) const;

 private:
  static inline constinit thread_local int levels_ = 0;
};

// NamedBlock: "WORD NAME { ... }", a worksheet statement whose content is another language.
//
//     namedBlock("hlo soft { ROOT a = ... }", "hlo")        name "soft", inside "           ROOT a = ...  "
//
// Law: `inside` has the statement's length and line ends, so positions are the same in both; the head and the closing
// brace are blanks.
struct NamedBlock {
  std::string name, inside;
  std::size_t open = 0;  // position of its brace
};

// A Diag if there are no braces or no name. `example` is shown in the hint: "hlo softmax {".
[[nodiscard]] Result<NamedBlock> namedBlock(std::string_view statement, std::string_view word,
                                            std::string_view example);

}  // namespace tessera
