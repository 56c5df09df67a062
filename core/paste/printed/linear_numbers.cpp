// The integer expressions of linear_source.h: 2 * kWidth, 1 << k, order[0].
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/words.h"
#include "core/paste/printed/linear_source.h"

namespace tessera::paste {

Result<i64> LinearSource::sum() {
  TESSERA_TRY(i64 value, term());
  while (true) {
    const std::size_t begin = in_.start();
    const bool shift = in_.accept("<<");
    const char sign = shift ? '<' : in_.peek();
    if (!shift && sign != '+' && sign != '-') return value;
    if (!shift) in_.advance();
    TESSERA_TRY(const i64 right, term());
    std::optional<i64> next;
    if (shift && right >= 0 && right < 62) next = checkedMul(value, i64{1} << right);
    if (sign == '+') next = checkedAdd(value, right);
    if (sign == '-') next = checkedSub(value, right);
    if (!next) return in_.failFrom(begin, "this number is beyond 64 bits");
    value = *next;
  }
}

Result<i64> LinearSource::term() {
  TESSERA_TRY(i64 value, number());
  while (in_.peek() == '*' || in_.peek() == '/' || in_.peek() == '%') {
    const char sign = in_.peek();
    const std::size_t begin = in_.position();
    in_.advance();
    if (sign == '/') (void)in_.accept('/');
    TESSERA_TRY(const i64 right, number());
    if (sign != '*' && right <= 0) return in_.failFrom(begin, "a division by a number that is not positive");
    const std::optional<i64> next = sign == '*'   ? checkedMul(value, right)
                                    : sign == '/' ? std::optional(value / right)
                                                  : std::optional(value % right);
    if (!next) return in_.failFrom(begin, "this number is beyond 64 bits");
    value = *next;
  }
  return value;
}

Result<i64> LinearSource::number() {
  const Nesting level;
  if (level.tooDeep()) return level.refusal(in_);
  if (in_.accept('(')) {
    TESSERA_TRY(const i64 inner, sum());
    TESSERA_CHECKED(in_.expect(")", "after the expression"));
    return inner;
  }
  const std::size_t begin = in_.start();
  const std::string_view word = in_.peekWord();
  if (word.empty()) return in_.integer("a coordinate");
  in_.advance(word.size());
  std::optional<i64> index;
  if (in_.accept('[')) {
    TESSERA_TRY(index, sum());
    TESSERA_CHECKED(in_.expect("]", "after the index"));
  }
  return given(word, in_.spanFrom(begin), index);
}

// A name's value, or entry `index` of its list, from --let.
Result<i64> LinearSource::given(std::string_view name, Span span, std::optional<i64> index) {
  const std::string written(in_.text().substr(span.begin, span.end - span.begin));
  if (const std::string* whole = given_.let(written)) {
    if (const auto value = wholeNumber(stripped(*whole))) return *value;
  }
  const std::string* list = given_.let(name);
  const std::vector<std::string_view> entries =
      list == nullptr ? std::vector<std::string_view>() : wordsIn(*list, " ,()[]{}");
  const std::size_t k = index ? static_cast<std::size_t>(std::max<i64>(*index, 0)) : 0;
  if (k < entries.size() && (index || entries.size() == 1)) {
    if (const auto value = wholeNumber(entries[k])) return *value;
  }
  ask(name, index ? "the order of the dimensions, fastest first" : "an integer of the bases", index ? "[1,0]" : "8",
      span);
  return index ? *index : i64{1};  // reading goes on to find every question
}

}  // namespace tessera::paste
