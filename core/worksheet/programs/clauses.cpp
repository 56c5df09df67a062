#include "core/worksheet/programs/clauses.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/nearest.h"

namespace tessera {

Result<std::string> Clauses::next(Cursor& in) {
  in.skipBlanks();
  const std::size_t begin = in.position();
  const std::string word(in.peekWord());
  if (std::ranges::find(words_, word) == words_.end()) {
    const auto meant = nearest(word, words_);
    return in.fail(fmt::format("'{}' is not a clause of {}", word.empty() ? in.found() : word, statement_), example_,
                   meant ? fmt::format("did you mean {}?", *meant) : "");
  }
  (void)in.acceptWord(word);
  if (!said_.insert(word).second) return in.failFrom(begin, fmt::format("'{}' is given twice", word));
  return word;
}

Result<GivenValue> givenValue(Cursor& in) {
  in.skipBlanks();
  const std::size_t begin = in.position();
  TESSERA_TRY(std::string name, in.identifier("the name of a size or a parameter"));
  TESSERA_CHECKED(in.expect("=", "after the name, M=8"));
  std::string text;
  if (in.atInteger()) {
    TESSERA_TRY(const i64 number, in.integer());
    text = fmt::format("{}", number);
  } else {
    TESSERA_TRY(text, in.identifier("a number or a word"));
  }
  return GivenValue{std::move(name), std::move(text), in.spanFrom(begin)};
}

bool givenValueFollows(const Cursor& in) {
  Cursor ahead = in;
  return !ahead.peekWord().empty() && ahead.identifier("").ok() && ahead.peek() == '=';
}

}  // namespace tessera
