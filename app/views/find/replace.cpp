#include "app/views/find/replace.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <regex>

#include "core/base/chars.h"

namespace tessera::panes {
namespace {

// Calls each(span, what replaces it) for every occurrence; nullopt, or why the expression is none.
std::optional<Diag> visit(std::string_view text, const std::string& wanted, const std::string& with, bool regex,
                          const std::function<void(Span, std::string)>& each) {
  if (wanted.empty()) return std::nullopt;
  if (!regex) {
    const auto same = [](char a, char b) { return lowerCase(a) == lowerCase(b); };
    for (auto at = text.begin();;) {
      at = std::search(at, text.end(), wanted.begin(), wanted.end(), same);
      if (at == text.end()) return std::nullopt;
      const auto begin = static_cast<std::size_t>(at - text.begin());
      each({begin, begin + wanted.size()}, with);
      at += static_cast<std::ptrdiff_t>(wanted.size());
    }
  }
  try {
    auto flags = std::regex::ECMAScript;
#ifdef __GLIBCXX__
    flags |= std::regex_constants::__polynomial;  // no backtracking
#endif
    const std::regex pattern(wanted, flags);
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      if (end - at <= kMostPatternLine) {
        const char* const line = text.data() + at;
        for (std::cregex_iterator m(line, text.data() + end, pattern), none; m != none; ++m) {
          const std::size_t begin = at + static_cast<std::size_t>(m->position());
          const auto size = static_cast<std::size_t>(m->length());
          if (size > 0) each({begin, begin + size}, m->format(with));
        }
      }
      at = end + 1;
    }
  } catch (const std::regex_error& error) {
    return Diag{fmt::format("'{}' is no regular expression: {}", wanted, error.what()), "",
                "write \\( for a bracket, or switch .* off"};
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<Span>> occurrencesIn(std::string_view text, const std::string& wanted, bool regex) {
  std::vector<Span> found;
  if (auto problem = visit(text, wanted, "", regex, [&](Span at, const std::string&) { found.push_back(at); }))
    return *std::move(problem);
  return found;
}

Result<Replaced> replacedIn(std::string_view text, const std::string& wanted, const std::string& with, bool regex,
                            Span within) {
  Replaced out;
  std::size_t at = 0;
  const auto take = [&](Span place, const std::string& words) {
    if (place.begin < within.begin || place.end > within.end) return;
    if (out.count++ == 0) out.place.begin = at = place.begin;
    out.with.append(text.substr(at, place.begin - at)).append(words);
    out.place.end = at = place.end;
  };
  if (auto problem = visit(text, wanted, with, regex, take)) return *std::move(problem);
  return out;
}

}  // namespace tessera::panes
