#include "core/code/comments.h"

#include <algorithm>
#include <string>

#include "core/base/chars.h"
#include "core/base/work.h"

namespace tessera::code {
namespace {

constexpr std::size_t kBytesAStep = 64;
constexpr std::size_t kLongestDelimiter = 16;  // of a raw string, by the standard

class CommentScanner {
 public:
  CommentScanner(std::string_view text, Language language) : text_(text), isPython_(language == Language::Python) {}

  std::vector<Comment> run() {
    while (at_ < text_.size()) {
      const std::size_t before = at_;
      step();
      spend(1 + static_cast<Work>((at_ - before) / kBytesAStep));
    }
    return std::move(out_);
  }

 private:
  void step() {
    const char c = text_[at_];
    if (c == '\n') {
      ++at_;
      lineIsBlank_ = true;
      return;
    }
    const bool alone = lineIsBlank_;
    if (!isBlank(c)) lineIsBlank_ = false;
    if (isPython_ ? c == '#' : text_.substr(at_, 2) == "//") return lineComment(alone);
    if (!isPython_ && text_.substr(at_, 2) == "/*") return blockComment(alone);
    if (isDigit(c)) return number();
    if (isNameStart(c)) return word();
    if (c == '"' || c == '\'') return isPython_ ? pythonString() : skipString(c);
    ++at_;
  }

  void add(std::size_t from, std::size_t marks, std::size_t insideEnd, std::size_t end, bool block, bool alone) {
    out_.push_back({{from, end}, {from + marks, insideEnd}, block, alone});
    at_ = end;
  }

  void lineComment(bool alone) {
    std::size_t end = std::min(text_.find('\n', at_), text_.size());
    while (!isPython_ && end < text_.size() && isContinued(end))
      end = std::min(text_.find('\n', end + 1), text_.size());
    if (end > at_ && end < text_.size() && text_[end - 1] == '\r') --end;
    const std::size_t marks = std::min<std::size_t>(isPython_ ? 1 : 2, end - at_);
    add(at_, marks, end, end, false, alone);
  }
  // Whether a backslash precedes this line end.
  [[nodiscard]] bool isContinued(std::size_t lineEnd) const {
    std::size_t k = lineEnd;
    if (k > at_ && text_[k - 1] == '\r') --k;
    return k > at_ && text_[k - 1] == '\\';
  }

  void blockComment(bool alone) {
    const std::size_t close = text_.find("*/", at_ + 2);
    const std::size_t inside = std::min(close, text_.size());
    add(at_, 2, std::max(inside, at_ + 2), close == std::string_view::npos ? text_.size() : close + 2, true, alone);
  }

  // 1'000'000, 0x1F'FFu: a quote between digits is no literal.
  void number() {
    while (at_ < text_.size()) {
      const bool separates = !isPython_ && text_[at_] == '\'' && at_ + 1 < text_.size() && isNamePart(text_[at_ + 1]);
      if (!separates && !isNamePart(text_[at_]) && text_[at_] != '.') break;
      ++at_;
    }
  }

  void word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && isNamePart(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    const char next = at_ < text_.size() ? text_[at_] : '\0';
    if (isPython_) return;  // the prefix of a string changes nothing here: \ escapes a quote in raw strings too
    const bool raw = word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
    if (raw && next == '"') rawString();
  }

  // At the quote of R"delimiter( ... )delimiter".
  void rawString() {
    const std::size_t open = text_.find_first_of("( )\\\t\n\"", at_ + 1);
    if (open == std::string_view::npos || text_[open] != '(' || open - at_ - 1 > kLongestDelimiter)
      return skipString('"');
    const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t close = text_.find(end, open + 1);
    at_ = close == std::string_view::npos ? text_.size() : close + end.size();
  }

  // "..." or '...' on its line; an escaped line end continues it.
  void skipString(char quote) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != '\n') {
      const char c = text_[at_++];
      if (c == quote) return;
      if (c != '\\' || at_ == text_.size()) continue;
      if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
      ++at_;
    }
  }

  void pythonString() {
    const char quote = text_[at_];
    if (text_.substr(at_, 3) != std::string(3, quote)) return skipString(quote);
    at_ += 3;
    while (at_ < text_.size()) {
      if (text_.substr(at_, 3) == std::string(3, quote)) {
        at_ += 3;
        return;
      }
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() ? 2 : 1;
    }
  }

  std::string_view text_;
  bool isPython_;
  std::size_t at_ = 0;
  bool lineIsBlank_ = true;
  std::vector<Comment> out_;
};

}  // namespace

std::vector<Comment> commentsIn(std::string_view text, Language language) {
  return CommentScanner(text, language).run();
}

}  // namespace tessera::code
