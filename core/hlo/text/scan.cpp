#include "core/hlo/text/scan.h"

#include <array>
#include <string>

#include "core/base/chars.h"
#include "core/base/work.h"

namespace tessera::hlo {
namespace {

constexpr std::array<bool, 256> kNames = [] {
  std::array<bool, 256> names{};
  for (std::size_t c = 0; c < 256; ++c) names[c] = c >= 128 || isNamePart(static_cast<char>(c));
  for (const unsigned char c : {'.', '-', ':', '/', '$', '@', '+', '~', '#', '!'}) names[c] = true;
  return names;
}();

bool isName(char c) { return kNames[static_cast<unsigned char>(c)]; }
constexpr std::size_t kMostWasted = std::size_t{1} << 26;  // wasted bytes before brackets must close on their line

bool isOpen(char c) { return c == '(' || c == '{' || c == '['; }
bool isClose(char c) { return c == ')' || c == '}' || c == ']'; }

}  // namespace

void Scan::charge(std::size_t bytes) {
  uncharged_ += bytes;
  if (uncharged_ < 64) return;
  spend(static_cast<std::int64_t>(uncharged_ / 64));
  uncharged_ %= 64;
}

bool Scan::comment() {
  const bool block = peek(1) == '*';
  if (peek() != '/' || (!block && peek(1) != '/')) return false;
  const std::size_t end = block ? text_.find("*/", at_ + 2) : text_.find('\n', at_);
  at_ = end == std::string_view::npos ? text_.size() : end + (block ? 2 : 0);
  return true;
}

void Scan::blanks() {
  const std::size_t begin = at_;
  do {
    while (!done() && isBlank(text_[at_])) ++at_;
  } while (comment());
  if (at_ > begin) charge(at_ - begin);
}

void Scan::blanksOfLine() {
  do {
    while (!done() && isBlank(text_[at_]) && text_[at_] != '\n') ++at_;
  } while (comment());
}

void Scan::line() {
  const std::size_t begin = at_, end = text_.find('\n', at_);
  at_ = end == std::string_view::npos ? text_.size() : end + 1;
  charge(at_ - begin);
}

bool Scan::accept(char c) {
  blanks();
  if (peek() != c || done()) return false;
  ++at_;
  return true;
}

bool Scan::accept(std::string_view word) {
  blanks();
  if (text_.compare(at_, word.size(), word) != 0) return false;
  if (isName(peek(word.size()))) return false;
  at_ += word.size();
  return true;
}

std::string_view Scan::name() {
  blanks();
  const std::size_t percent = at_;
  if (peek() == '%') ++at_;
  const std::size_t begin = at_;
  while (!done() && isName(text_[at_]) && !(text_[at_] == '/' && (peek(1) == '*' || peek(1) == '/'))) ++at_;
  if (at_ == begin) at_ = percent;
  charge(at_ - percent);
  return at_ == percent ? std::string_view{} : from(begin);
}

std::string_view Scan::shapeText() {
  blanks();
  const std::size_t begin = at_;
  if (peek() == '(') return balanced();
  while (!done() && isName(text_[at_])) ++at_;
  if (at_ > begin && peek() == '(' && text_[begin] == 'b' && at_ == begin + 1) {
    if (balanced().empty()) {
      at_ = begin;
      return {};
    }
    return from(begin);
  }
  if (at_ > begin) blanksOfLine();  // s32 [5,10]
  if (at_ == begin || peek() != '[' || balanced().empty()) {
    at_ = begin;
    return {};
  }
  // A layout, even after a blank: the brace that opens a computation is followed by a name.
  const std::size_t end = at_;
  blanksOfLine();
  std::size_t ahead = 1;
  while (peek(ahead) == ' ') ++ahead;
  const char next = peek(ahead);
  if (peek() != '{' || (at_ > end && (next < '0' || next > '9') && next != ':') || balanced().empty()) at_ = end;
  return from(begin);
}

bool Scan::quoted() {
  const char quote = peek();
  if (quote != '"' && quote != '\'') return false;
  for (std::size_t at = at_ + 1; at < text_.size(); ++at) {
    if (text_[at] == '\\') {
      ++at;
    } else if (text_[at] == quote) {
      at_ = at + 1;
      return true;
    } else if (quote == '\'' && (text_[at] == '\n' || at > at_ + 64)) {
      return false;  // an apostrophe
    }
  }
  charge(text_.size() - at_);
  return false;
}

std::string_view Scan::balanced() {
  const std::size_t begin = at_;
  if (!isOpen(peek())) return {};
  std::string awaited;  // expected closing brackets, innermost last
  const bool impatient = wasted_ > kMostWasted;
  while (!done()) {
    const char c = text_[at_];
    if (c == '"' || c == '\'') {
      if (!quoted()) ++at_;
      continue;
    }
    if (c == '/' && comment()) continue;
    if (c == '\n' && impatient) break;
    ++at_;
    if (isOpen(c)) {
      awaited.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
    } else if (isClose(c)) {
      if (c != awaited.back()) break;
      awaited.pop_back();
      if (awaited.empty()) {
        charge(at_ - begin);
        return from(begin);
      }
    }
  }
  wasted_ += at_ - begin;
  charge(at_ - begin);
  at_ = begin;
  return {};
}

std::string_view Scan::value() {
  blanks();
  const std::size_t begin = at_;
  while (!done()) {
    const char c = text_[at_];
    if (c == ',' || isBlank(c) || isClose(c)) break;
    if (c == '"' || c == '\'') {
      if (!quoted()) ++at_;
    } else if (isOpen(c)) {
      if (balanced().empty()) break;
    } else {
      ++at_;
    }
  }
  charge(at_ - begin);
  return from(begin);
}

}  // namespace tessera::hlo
