#include "core/base/cursor.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"

namespace tessera {

namespace {

constexpr std::size_t kShownDigits = 60;  // of a number that does not fit; keeps messages short

int digitOf(char c, bool hex) {
  if (isDigit(c)) return c - '0';
  if (hex && c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (hex && c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

bool Cursor::acceptBracketed(bool angles) {
  static constexpr std::string_view kOpen = "([{<", kClose = ")]}>";
  const std::size_t kinds = angles ? 4 : 3;
  skipBlanks();
  std::string closers;
  for (std::size_t i = at_; i < text_.size(); ++i) {
    if (i % kBytesPerStep == 0) spend();
    const char c = text_[i];
    if (c == '"') {
      i = text_.find('"', i + 1);
      if (i == std::string_view::npos) return false;
    } else if (dialect_.blockComments && text_.substr(i, 2) == "/*") {
      i = text_.find("*/", i + 2);
      if (i == std::string_view::npos) return false;
      ++i;
    } else if (const std::size_t open = kOpen.find(c); open < kinds) {
      closers.push_back(kClose[open]);
    } else if (kClose.find(c) < kinds) {
      if (c == '>' && i > 0 && text_[i - 1] == '-') continue;
      if (closers.empty() || closers.back() != c) return false;
      closers.pop_back();
      if (closers.empty()) {
        at_ = i + 1;
        return true;
      }
    }
    if (closers.empty()) return false;
  }
  return false;
}

void Cursor::skipComments() {
  const std::size_t begin = at_;
  while (at_ < text_.size()) {
    if (isBlank(text_[at_])) {
      ++at_;
    } else if (dialect_.lineComments && text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (dialect_.blockComments && text_.substr(at_, 2) == "/*") {
      const std::size_t close = text_.find("*/", at_ + 2);
      if (close == std::string_view::npos) break;  // stays at the cursor, so that fail() can report it
      at_ = close + 2;
    } else {
      break;
    }
  }
  spend(static_cast<Work>((at_ - begin) / kBytesPerStep));
}

bool Cursor::acceptWord(std::string_view word) {
  skipBlanks();
  if (text_.substr(at_, word.size()) != word) return false;
  if (isPart(raw(word.size()))) return false;
  at_ += word.size();
  return true;
}

std::string_view Cursor::peekWord() {
  skipBlanks();
  if (!isNameStart(raw())) return {};
  std::size_t end = at_ + 1;
  while (end < text_.size()) {
    if (isPart(text_[end])) {
      ++end;
    } else if (dialect_.scopes && text_.substr(end, 2) == "::") {
      end += 2;
    } else {
      break;
    }
  }
  spend(static_cast<Work>((end - at_) / kBytesPerStep));
  return text_.substr(at_, end - at_);
}

bool Cursor::atInteger() {
  const char c = peek();
  const std::size_t sign = c == '-' || (c == '+' && dialect_.plus) ? 1 : 0;
  const bool hex = dialect_.hex && raw(sign) == '0' && (raw(sign + 1) == 'x' || raw(sign + 1) == 'X');
  return digitOf(raw(sign + (hex ? 2 : 0)), hex) >= 0;
}

Result<void> Cursor::expect(std::string_view token, std::string_view where) {
  if (accept(token)) return {};
  return fail(fmt::format("`{}` is missing {}", token, where), fmt::format("`{}`", token));
}

Result<std::string> Cursor::identifier(std::string_view what) {
  const std::string_view word = peekWord();
  if (word.empty()) return fail(fmt::format("{} is missing here", what));
  at_ += word.size();
  return std::string(word);
}

Result<i64> Cursor::integer(std::string_view what) {
  if (!atInteger()) return fail(fmt::format("{} is missing here", what), "an integer such as 8");
  const std::size_t begin = at_;
  const bool negative = text_[at_] == '-';
  if (negative || text_[at_] == '+') ++at_;
  const bool hex = dialect_.hex && raw() == '0' && (raw(1) == 'x' || raw(1) == 'X');
  if (hex) at_ += 2;
  std::optional<i64> value = 0;
  for (int d = digitOf(raw(), hex); d >= 0; d = digitOf(raw(), hex)) {
    if (value) value = checkedMul(*value, hex ? 16 : 10);
    if (value) value = checkedSub(*value, d);  // downwards, so that -2^63 reads
    ++at_;
  }
  spend(static_cast<Work>((at_ - begin) / kBytesPerStep));
  if (value && !negative) value = checkedSub(0, *value);
  if (value) return *value;
  const std::string_view digits = text_.substr(begin, std::min(at_ - begin, kShownDigits));
  return failFrom(begin, fmt::format("{} does not fit in 64 bits", digits), "a number below 2^63");
}

Span Cursor::here() {
  skipBlanks();
  return {at_, std::max(at_, nextCodePoint(text_, at_))};
}

std::string Cursor::found() {
  if (atEnd()) return "the end of the text";
  const auto byte = static_cast<unsigned char>(raw());
  return byte < 0x20 || byte >= 0x7f ? fmt::format("byte 0x{:02x}", byte) : fmt::format("`{}`", raw());
}

Diag Cursor::fail(std::string message, std::string expected, std::string hint) {
  Span place = here();
  if (dialect_.blockComments && text_.substr(at_, 2) == "/*")
    return Diag{"this comment is never closed", "*/", {}, place};
  if (atNamePart())
    while (place.end < text_.size() && isPart(text_[place.end])) ++place.end;
  return Diag{std::move(message), std::move(expected), std::move(hint), place};
}

Diag Nesting::refusal(Cursor& at) const {
  return at.fail(fmt::format("this nests more than {} levels deep", kMost), "fewer levels");
}

Diag Cursor::failFrom(std::size_t begin, std::string message, std::string expected, std::string hint) const {
  Span place = spanFrom(begin);
  // Nothing was read yet; {0,0} would mean no place.
  if (place.empty() && begin < text_.size()) place.end = nextCodePoint(text_, begin);
  return Diag{std::move(message), std::move(expected), std::move(hint), place};
}

Result<NamedBlock> namedBlock(std::string_view statement, std::string_view word, std::string_view example) {
  const std::string expected = std::string(word) + " NAME { ... }";
  const std::size_t open = statement.find('{'), close = statement.rfind('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return Diag{"this block has no braces", expected, "", {0, statement.size()}};
  Cursor head(statement.substr(0, open), {.lineComments = true, .blockComments = true});
  (void)head.acceptWord(word);
  NamedBlock block{std::string(head.peekWord()), std::string(statement), open};
  if (block.name.empty()) return Diag{"this block has no name", expected, std::string(example), {0, open + 1}};
  for (std::size_t k = 0; k <= open; ++k)
    if (block.inside[k] != '\n') block.inside[k] = ' ';
  block.inside[close] = ' ';
  return block;
}

}  // namespace tessera
