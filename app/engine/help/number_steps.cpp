#include "app/engine/help/number_steps.h"

#include <charconv>

#include "core/base/chars.h"

namespace tessera {

i64 nextSize(i64 value, int direction) {
  const auto sizeAt = [](int k) { return k == 0 ? i64{0} : k == 1 ? i64{1} : (i64{2} + k % 2) << (k / 2 - 1); };
  if (direction > 0) {
    for (int k = 0; sizeAt(k) <= kLargestSize; ++k)
      if (sizeAt(k) > value) return sizeAt(k);
    return value;
  }
  i64 below = value;
  for (int k = 0; sizeAt(k) <= kLargestSize && sizeAt(k) < value; ++k) below = sizeAt(k);
  return below;
}

std::optional<NumberPlace> integerAt(std::string_view text, std::size_t byte) {
  if (byte > text.size()) return std::nullopt;
  const auto isPart = [&](std::size_t at) { return isNamePart(text[at]) || text[at] == '.'; };
  std::size_t begin = byte, end = byte;
  while (begin > 0 && isPart(begin - 1)) --begin;
  while (end < text.size() && isPart(end)) ++end;
  if (begin < end && text[begin] == '_') ++begin;
  i64 value = 0;
  const auto [last, error] = std::from_chars(text.data() + begin, text.data() + end, value);
  if (begin == end || error != std::errc() || last != text.data() + end) return std::nullopt;
  return NumberPlace{{begin, end}, value};
}

std::optional<NumberPlace> assumedConstant(std::string_view line) {
  const std::size_t equals = line.find('='), comment = line.find("//");
  if (equals == std::string_view::npos || comment == std::string_view::npos || comment < equals) return std::nullopt;
  const std::string_view name = stripped(line.substr(0, equals)), value = line.substr(equals + 1, comment - equals - 1);
  if (name.empty() || !isNameStart(name[0]) || name.find(' ') != std::string_view::npos) return std::nullopt;
  if (!stripped(line.substr(comment + 2)).starts_with("assumed")) return std::nullopt;
  const std::size_t first = value.find_first_not_of(' ');
  if (first == std::string_view::npos || !isDigit(value[first])) return std::nullopt;
  const auto number = integerAt(line, equals + 1 + first);
  if (!number || stripped(value) != line.substr(number->span.begin, number->span.end - number->span.begin))
    return std::nullopt;
  return number;
}

}  // namespace tessera
