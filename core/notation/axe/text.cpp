#include "core/notation/axe/text.h"

#include <fmt/format.h>

#include "core/base/arith.h"
#include "core/base/chars.h"

namespace tessera::axe_text {

namespace {
bool isIdPart(char c) { return isNamePart(c) || c == '.'; }
}  // namespace

void Scanner::skipBlanks() {
  while (at_ < text_.size() && isBlank(text_[at_])) ++at_;
}
bool Scanner::atEnd() {
  skipBlanks();
  return at_ >= text_.size();
}
char Scanner::peek() {
  skipBlanks();
  return at_ < text_.size() ? text_[at_] : '\0';
}
bool Scanner::accept(std::string_view token) {
  skipBlanks();
  if (text_.substr(at_, token.size()) != token) return false;
  at_ += token.size();
  return true;
}
bool Scanner::acceptWord(std::string_view word) {
  skipBlanks();
  if (text_.substr(at_, word.size()) != word) return false;
  const std::size_t end = at_ + word.size();
  if (end < text_.size() && isIdPart(text_[end])) return false;
  at_ = end;
  return true;
}
Result<void> Scanner::expect(std::string_view token, std::string_view where) {
  if (accept(token)) return {};
  return fail(fmt::format("`{}` is missing {}", token, where), fmt::format("`{}`", token));
}
bool Scanner::atInteger() {
  const char c = peek();
  if (isDigit(c)) return true;
  return (c == '-' || c == '+') && at_ + 1 < text_.size() && isDigit(text_[at_ + 1]);
}
Result<i64> Scanner::integer() {
  skipBlanks();
  const std::size_t begin = at_;
  if (!atInteger()) return fail("an integer is missing here", "an integer such as 8");
  bool negative = false;
  if (text_[at_] == '-' || text_[at_] == '+') negative = text_[at_++] == '-';
  std::optional<i64> value = 0;
  while (at_ < text_.size() && isDigit(text_[at_])) {
    if (value) value = checkedMul(*value, 10);
    if (value) value = checkedSub(*value, text_[at_] - '0');  // downwards, so that -2^63 reads
    ++at_;
  }
  if (value && !negative) value = checkedSub(0, *value);
  if (!value) return failFrom(begin, fmt::format("{} does not fit in 64 bits", text_.substr(begin, at_ - begin)));
  return *value;
}
Result<std::string> Scanner::identifier(std::string_view what) {
  skipBlanks();
  if (at_ >= text_.size() || !isNameStart(text_[at_])) return fail(fmt::format("{} is missing here", what));
  const std::size_t begin = at_;
  while (at_ < text_.size() && isIdPart(text_[at_])) ++at_;
  return std::string(text_.substr(begin, at_ - begin));
}
Diag Scanner::fail(std::string message, std::string expected, std::string hint) {
  skipBlanks();
  std::size_t end = at_;
  if (end < text_.size()) {
    ++end;
    if (isIdPart(text_[at_]))
      while (end < text_.size() && isIdPart(text_[end])) ++end;
  }
  return Diag{std::move(message), std::move(expected), std::move(hint), Span{at_, end}};
}
Diag Scanner::failFrom(std::size_t begin, std::string message, std::string expected, std::string hint) {
  return Diag{std::move(message), std::move(expected), std::move(hint), Span{begin, at_ > begin ? at_ : begin}};
}

Result<std::vector<i64>> shapeTuple(Scanner& in) {
  std::vector<i64> shape;
  const bool tuple = in.accept("(");
  do {
    if (tuple && in.peek() == ')') break;
    in.skipBlanks();
    const std::size_t begin = in.position();
    TESSERA_TRY(const i64 e, in.integer());
    if (e < 1) return in.failFrom(begin, fmt::format("the extent {} is not positive", e), "an extent >= 1");
    shape.push_back(e);
  } while (tuple && in.accept(","));
  if (tuple) TESSERA_CHECKED(in.expect(")", "at the end of the shape"));
  if (shape.empty()) return in.fail("an empty shape", "at least one extent");
  return shape;
}

}  // namespace tessera::axe_text
