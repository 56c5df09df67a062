#include "core/atlas/guess.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "core/atlas/rows/rows.h"

namespace tessera {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::size_t kLongest = 128;  // longer names must be exact
constexpr std::size_t kChoices = 4;    // listed in a Diag
constexpr std::size_t kOthers = 2;     // listed in a note

Words wordsOf(std::string_view text) {
  Words words;
  for (;;) {
    const std::size_t dot = text.find('.');
    words.push_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return words;
    text.remove_prefix(dot + 1);
  }
}

// Matches a row's word with a typed one; `n` receives the number for {n}.
bool wordFits(std::string_view own, std::string_view typed, bool maybeCut, std::optional<i64>& n) {
  const std::size_t place = own.find("{n}");
  if (place == std::string_view::npos) return maybeCut ? own.starts_with(typed) : own == typed;
  const std::string_view before = own.substr(0, place), after = own.substr(place + 3);
  if (maybeCut && before.starts_with(typed)) return true;
  if (!typed.starts_with(before)) return false;
  i64 number = 0;
  const auto [end, error] = std::from_chars(typed.data() + before.size(), typed.data() + typed.size(), number);
  if (error != std::errc{}) return false;
  const std::string_view rest(end, static_cast<std::size_t>(typed.data() + typed.size() - end));
  if (!(maybeCut ? after.starts_with(rest) : after == rest)) return false;
  n = number;
  return true;
}

// If the typed words are among the row's, in order, with equal first words: the number of the row's words omitted
// between them; otherwise nullopt.
std::optional<std::size_t> leftOut(const Words& own, const Words& typed, std::optional<i64>& n) {
  std::size_t at = 0;
  for (std::size_t k = 0; k < typed.size(); ++k) {
    if (typed[k].empty()) return std::nullopt;
    const bool last = k + 1 == typed.size();
    const std::size_t from = at;
    while (at < own.size() && !wordFits(own[at], typed[k], last && typed[k].size() > 1, n)) ++at;
    if (at == own.size() || (k == 0 && at != from)) return std::nullopt;
    ++at;
  }
  return at - typed.size();
}

// The most common requests, most common first. Among names with equally many words, those with earlier entries come
// first.
constexpr std::string_view kCommon[] = {"m16n8k16.",  "f32.f16.f16",   "f32.bf16.bf16", "f16.f16.f16",
                                        "s32.s8.s8",  "f32.e4m3.e4m3", ".x4",           ".16",
                                        "m64n128k16", ".ss",           "_group::1",     ".x2"};

std::vector<bool> commonness(const std::string& name) {
  std::vector<bool> carries;
  for (const std::string_view word : kCommon) carries.push_back(name.find(word) != std::string::npos);
  return carries;
}

struct Candidate {
  const AtlasRow* row = nullptr;
  std::optional<i64> n;
  std::size_t leftOut = 0;
  [[nodiscard]] AtlasRow bound() const {
    if (row->parameter.empty()) return *row;
    const auto& all = row->parameter;
    const i64 usual = std::ranges::find(all, 128) != all.end() ? 128 : all.back();
    return bind(*row, n.value_or(usual));
  }
};

std::vector<Candidate> candidatesOf(const std::string& query) {
  std::vector<Candidate> found;
  for (const std::string& text : {query, "mma." + query}) {
    const Words typed = wordsOf(text);
    for (const AtlasRow& row : atlas()) {
      const std::string name = atlas_rows::normalizedName(row.name);
      std::optional<i64> n;
      const auto out = leftOut(wordsOf(name), typed, n);
      if (!out) continue;
      if (n && std::ranges::find(row.parameter, *n) == row.parameter.end()) continue;
      found.push_back({&row, n, *out});
    }
    if (!found.empty()) break;
  }
  std::size_t least = std::string::npos;  // mma.m16n8k16 is closer to mma.m16n8k16.f32... than to mma.sp.m16n8k16...
  for (const Candidate& c : found) least = std::min(least, c.leftOut);
  std::erase_if(found, [&](const Candidate& c) { return c.leftOut > least; });
  std::ranges::stable_sort(found, [](const Candidate& a, const Candidate& b) {
    const std::string first = a.bound().name, second = b.bound().name;
    const std::size_t words = wordsOf(first).size(), others = wordsOf(second).size();
    return words != others ? words < others : commonness(first) > commonness(second);
  });
  return found;
}

// Whether all have one shape (of one family, transposed or not), so that only types remain to be chosen.
bool differInTypesOnly(const std::vector<Candidate>& found) {
  const auto transposed = [](const AtlasRow& row) { return row.name.find(".trans") != std::string::npos; };
  const AtlasRow first = found.front().bound();
  return std::ranges::all_of(found, [&](const Candidate& c) {
    const AtlasRow row = c.bound();
    const bool numberSaid = c.row->parameter.empty() || c.n.has_value();
    return numberSaid && row.family == first.family && row.shape == first.shape && transposed(row) == transposed(first);
  });
}

std::string namesOf(const std::vector<Candidate>& found, std::size_t from, std::size_t most) {
  std::vector<std::string> names;
  for (std::size_t k = from; k < found.size() && names.size() < most; ++k) names.push_back(found[k].bound().name);
  const std::size_t more = found.size() - from - names.size();
  return fmt::format("{}{}", fmt::join(names, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

Result<InstructionGuess> guessInstruction(std::string_view name) {
  Result<AtlasRow> exact = findInstruction(name);
  if (exact) return InstructionGuess{*std::move(exact), "", ""};
  if (name.empty() || name.size() > kLongest) return exact.error();
  const std::vector<Candidate> found = candidatesOf(atlas_rows::normalizedName(name));
  if (found.empty()) return exact.error();
  if (found.size() > 1 && !differInTypesOnly(found)) {
    return Diag{fmt::format("'{}' may be any of {} instructions", name, found.size()), namesOf(found, 0, kChoices),
                fmt::format("did you mean {}?", found.front().bound().name)};
  }
  InstructionGuess guess{found.front().bound(), "", ""};
  guess.note = fmt::format("{} is read as {}{}", name, guess.row.name, found.size() > 1 ? ", the common one" : "");
  guess.hint = found.size() > 1 ? fmt::format("to choose another, add its types: {}", namesOf(found, 1, kOthers)) : "";
  return guess;
}

bool isInstructionWord(std::string_view word) {
  if (word.size() < 3 || word.size() > kLongest) return false;
  if (findInstruction(word).ok()) return true;
  const std::string query = atlas_rows::normalizedName(word);
  return std::ranges::any_of(atlas(), [&](const AtlasRow& row) {
    const Words words = wordsOf(row.name);
    return words.front() == query || (words.size() > 1 && words[0] == "mma" && words[1] == query);
  });
}

}  // namespace tessera
