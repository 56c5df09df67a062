#include "render/draw/asked.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/words.h"

namespace tessera {
namespace {

std::optional<i64> askedNumber(std::string_view text) {
  const auto value = wholeNumber(text);
  return value && *value >= 0 ? value : std::nullopt;
}

bool holdsWord(const std::vector<std::string>& list, std::string_view word) {
  return std::ranges::find(list, word) != list.end();
}

}  // namespace

i64 Asked::at(const std::string& key, i64 otherwise) const {
  const auto found = numbers.find(key);
  return found == numbers.end() ? otherwise : found->second;
}

Result<i64> Asked::below(const std::string& key, i64 count, i64 otherwise) const {
  const i64 value = at(key, otherwise);
  if (value < count) return value;
  return Diag{fmt::format("there is no {} {}", key, value), fmt::format("0 to {}", count - 1),
              fmt::format("{} {}", key, count - 1)};
}

Result<Asked> askedOf(const DrawOptions& options, std::string_view view, const std::vector<std::string>& keys,
                      const std::vector<std::string>& more, const std::vector<std::string>& plain) {
  std::vector<std::string> known = keys;
  known.insert(known.end(), more.begin(), more.end());
  Asked asked;
  for (std::size_t k = 0; k < options.arguments.size(); ++k) {
    std::string word = options.arguments[k], value;
    if (holdsWord(plain, word)) {
      asked.word = word;
      continue;
    }
    if (const std::size_t equals = word.find('='); equals != std::string::npos) {
      value = word.substr(equals + 1);
      word.resize(equals);
    } else if (askedNumber(word) && !keys.empty()) {  // a bare number, as in player 17, sets the first key
      value = std::exchange(word, keys.front());
    } else if (k + 1 < options.arguments.size()) {
      value = options.arguments[++k];
    }
    const auto number = askedNumber(value);
    if (holdsWord(known, word) && number) {
      asked.numbers[word] = *number;
      continue;
    }
    std::vector<std::string> all = known;
    all.insert(all.end(), plain.begin(), plain.end());
    return Diag{holdsWord(known, word) ? fmt::format("{} needs a number", word)
                                       : fmt::format("the {} view knows no \"{}\"", view, word),
                all.empty() ? "no further word" : fmt::format("{}", fmt::join(all, ", ")),
                keys.empty() ? "" : fmt::format("as {} {} 1", view, keys.front())};
  }
  for (const auto& [mode, value] : options.fixed)
    if (mode >= 0 && static_cast<std::size_t>(mode) < keys.size())
      asked.numbers[keys[static_cast<std::size_t>(mode)]] = std::max<i64>(value, 0);
  return asked;
}

}  // namespace tessera
