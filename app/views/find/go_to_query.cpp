#include "app/views/find/go_to_query.h"

#include <algorithm>
#include <cctype>

#include "core/base/cursor.h"

namespace tessera::panes {
namespace {

constexpr Dialect kDialect{.plus = false, .hex = true};

std::optional<i64> number(Cursor& in) {
  if (in.atEnd() || std::isdigit(static_cast<unsigned char>(in.peek())) == 0) return std::nullopt;
  const auto n = in.integer();
  if (!n.ok() || *n < 0) return std::nullopt;
  return *n;
}

std::optional<GoTo> coordinate(std::string_view text) {
  Cursor in(text, kDialect);
  GoTo wanted{GoTo::Kind::Coordinate, {}, {}};
  const bool bracket = in.accept('(');
  do {
    const auto n = number(in);
    if (!n) return std::nullopt;
    wanted.numbers.push_back(*n);
  } while (in.accept(','));
  if (bracket && !in.accept(')')) return std::nullopt;
  // A bare number is text: numbers occur in every worksheet.
  if (!in.atEnd() || (!bracket && wanted.numbers.size() < 2)) return std::nullopt;
  return wanted;
}

// "T12", "T12 V3", "thread 12 value 3": `first` is the word, followed by its number with or without a blank.
std::optional<GoTo> named(std::string_view text) {
  struct Word {
    std::string_view word;
    GoTo::Kind kind;
    bool blank;  // a blank is required before the number
  };
  constexpr Word kWords[] = {{"offset", GoTo::Kind::Offset, true}, {"byte", GoTo::Kind::Byte, true},
                             {"thread", GoTo::Kind::Thread, true}, {"lane", GoTo::Kind::Thread, true},
                             {"bank", GoTo::Kind::Bank, true},     {"t", GoTo::Kind::Thread, false}};
  std::string low(text);
  std::transform(low.begin(), low.end(), low.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const Word& w : kWords) {
    if (low.compare(0, w.word.size(), w.word) != 0) continue;
    Cursor in(std::string_view(low).substr(w.word.size()), kDialect);
    if (w.blank && in.raw() != ' ') continue;
    const auto n = number(in);
    if (!n) continue;
    GoTo wanted{w.kind, {*n}, {}};
    if (w.kind == GoTo::Kind::Thread && !in.atEnd()) {
      if (!in.accept("value") && !in.accept("register") && !in.accept('v') && !in.accept('r')) continue;
      const auto value = number(in);
      if (!value) continue;
      wanted.numbers.push_back(*value);
    }
    if (in.atEnd()) return wanted;
  }
  return std::nullopt;
}

}  // namespace

GoTo goToOf(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::optional<GoTo> wanted = coordinate(text);
  if (!wanted) wanted = named(text);
  if (!wanted) wanted = GoTo{};
  wanted->text = text;
  return *wanted;
}

}  // namespace tessera::panes
