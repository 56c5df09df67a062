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

namespace {

std::size_t afterBlanks(std::string_view line, std::size_t at) {
  return std::min(line.find_first_not_of(" \t", at), line.size());
}
std::size_t afterName(std::string_view line, std::size_t at) {
  if (at >= line.size() || !isNameStart(line[at])) return at;
  while (at < line.size() && isNamePart(line[at])) ++at;
  return at;
}
// The end of the integer at this byte, which it adds; `at` if there is none.
std::size_t addNumber(std::string_view line, std::size_t at, std::string_view name, std::vector<GivenSize>& out) {
  if (at >= line.size() || !isDigit(line[at])) return at;
  const auto number = integerAt(line, at);
  if (!number || number->span.begin != at) return at;
  out.push_back({std::string(name), *number});
  return number->span.end;
}

// NAME=8, NAME=word, ...: the end of the list.
std::size_t addPairs(std::string_view line, std::size_t at, std::vector<GivenSize>& out) {
  for (;;) {
    const std::size_t from = afterBlanks(line, at), to = afterName(line, from), equals = afterBlanks(line, to);
    if (to == from || equals >= line.size() || line[equals] != '=') return at;
    const std::size_t value = afterBlanks(line, equals + 1),
                      end = addNumber(line, value, line.substr(from, to - from), out);
    at = afterBlanks(line, end == value ? afterName(line, value) : end);
    if (at < line.size() && line[at] == ',') ++at;
  }
}

// The end of a word of the line, with blanks around it; npos if it is not there.
std::size_t afterWord(std::string_view line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !isNamePart(line[at - 1]), ends = end == line.size() || !isNamePart(line[end]);
    if (begins && ends) return end;
  }
  return std::string_view::npos;
}

}  // namespace

std::vector<GivenSize> givenSizes(std::string_view line) {
  line = line.substr(0, line.find("//"));
  std::vector<GivenSize> out;
  if (std::size_t at = afterWord(line, "over"); at != std::string_view::npos) {
    at = afterBlanks(line, at);
    if (at < line.size() && line[at] == '(') addPairs(line, at + 1, out);
  }
  if (const std::size_t at = afterWord(line, "with"); at != std::string_view::npos) addPairs(line, at, out);
  const std::size_t player = afterWord(line, "player");
  if (player == std::string_view::npos || !line.starts_with("show ")) return out;
  for (std::size_t at = player; at < line.size();) {
    const std::size_t from = std::min(line.find_first_not_of(" \t,", at), line.size()), to = afterName(line, from);
    const std::string_view name = line.substr(from, to - from);
    at = std::max(to, from + 1);
    if (name.empty() || name == "step" || name == "block" || name == "thread" || name == "finding") continue;
    at = std::max(at, addNumber(line, afterBlanks(line, to), name, out));
  }
  return out;
}

}  // namespace tessera
