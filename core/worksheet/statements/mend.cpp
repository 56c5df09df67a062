#include "core/worksheet/statements/mend.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/chars.h"
#include "core/base/nearest.h"
#include "core/base/work_budget.h"
#include "core/layout/layout.h"
#include "core/worksheet/language/comments.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

constexpr std::string_view kOpen = "([{<", kClose = ")]}>";
constexpr std::size_t kMostEdits = 400;

// The bracket at text[at] as an index into kOpen or kClose; excludes -> <= >= << >> and a < between blanks.
struct Bracket {
  std::size_t at = 0, kind = 0;
  bool opens = false;
};
std::vector<Bracket> bracketsOf(std::string_view text) {
  std::vector<Bracket> out;
  bool inString = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i], before = i > 0 ? text[i - 1] : ' ', after = i + 1 < text.size() ? text[i + 1] : ' ';
    if (c == '"') inString = !inString;
    if (inString) continue;
    if (c == '<' && (!isNamePart(before) || after == '=' || after == '<')) continue;
    if (c == '>' && (before == '-' || before == '=' || after == '=' || isBlank(before))) continue;
    if (const std::size_t kind = kOpen.find(c); kind != std::string_view::npos) out.push_back({i, kind, true});
    if (const std::size_t kind = kClose.find(c); kind != std::string_view::npos) out.push_back({i, kind, false});
  }
  return out;
}

struct Edit {
  std::size_t at = 0, removed = 0;
  std::string inserted, message;
  [[nodiscard]] std::string in(std::string text) const { return text.replace(at, removed, inserted); }
};

// Before and after names, numbers and brackets: where a bracket may be missing.
std::vector<std::size_t> seams(std::string_view text) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const bool inside = i > 0 && i < text.size() && isNamePart(text[i - 1]) && isNamePart(text[i]);
    const bool blank = i < text.size() && isBlank(text[i]) && i > 0 && isBlank(text[i - 1]);
    if (!inside && !blank) out.push_back(i);
  }
  return out;
}

// Brackets of one kind missing or superfluous, or one kind instead of another.
std::vector<Edit> bracketEdits(std::string_view text) {
  std::array<int, 4> net{};
  const std::vector<Bracket> brackets = bracketsOf(text);
  for (const Bracket& b : brackets) net[b.kind] += b.opens ? 1 : -1;
  std::vector<std::size_t> off;
  for (std::size_t k = 0; k < net.size(); ++k)
    if (net[k] != 0) off.push_back(k);
  std::vector<Edit> out;
  if (off.size() == 2 && net[off[0]] == -net[off[1]] && std::abs(net[off[0]]) == 1) {
    const bool firstOpens = net[off[0]] > 0;  // more of the first opens than closes: replace a closer of the second
    const std::size_t missing = firstOpens ? off[0] : off[1], wrong = firstOpens ? off[1] : off[0];
    for (const Bracket& b : brackets) {
      if (b.kind == wrong && !b.opens)
        out.push_back(
            {b.at, 1, std::string(1, kClose[missing]), fmt::format("this should be a '{}'", kClose[missing])});
      if (b.kind == missing && b.opens)
        out.push_back({b.at, 1, std::string(1, kOpen[wrong]), fmt::format("this should be a '{}'", kOpen[wrong])});
    }
    return out;
  }
  if (off.size() != 1 || std::abs(net[off[0]]) != 1) return out;
  const std::size_t kind = off[0];
  const bool closes = net[kind] > 0;  // a closing bracket is missing
  const char missing = closes ? kClose[kind] : kOpen[kind], extra = closes ? kOpen[kind] : kClose[kind];
  for (const std::size_t at : seams(text))
    out.push_back({at, 0, std::string(1, missing), fmt::format("a '{}' is missing", missing)});
  for (const Bracket& b : brackets)
    if (b.kind == kind && b.opens == closes) out.push_back({b.at, 1, "", fmt::format("one '{}' too many", extra)});
  return out;
}

// A lone zero, and the word before the error.
std::vector<Edit> wordEdits(std::string_view text, Span at) {
  std::vector<Edit> out;
  const std::size_t here = std::min(at.begin, text.size());
  if (here < text.size() && text[here] == '0' && (here + 1 == text.size() || isBlank(text[here + 1])))
    out.push_back({here, 1, "o", "composition is the letter o, not a zero"});
  std::size_t end = here;
  while (end > 0 && isBlank(text[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && isNamePart(text[begin - 1])) --begin;
  const std::string word(text.substr(begin, end - begin));
  static const std::vector<std::string> kTypes = {
      "pred",       "s1",         "s2",       "s4",     "s8",       "s16",       "s32",
      "s64",        "u1",         "u2",       "u4",     "u8",       "u16",       "u32",
      "u64",        "f16",        "bf16",     "f32",    "f64",      "c64",       "c128",
      "f8e5m2",     "f8e4m3",     "f8e4m3fn", "f8e3m4", "f4e2m1fn", "f8e8m0fnu", "f8e4m3b11fnuz",
      "f8e5m2fnuz", "f8e4m3fnuz", "token"};
  if (!word.empty() && here < text.size() && text[here] == '[')
    for (const std::string& type : kTypes)
      if (editDistance(word, type) == 1)
        out.push_back({begin, end - begin, type, fmt::format("'{}' is not an element type", word)});
  return out;
}

// 0: a layout, 1: another value or a request; nullopt: it does not evaluate.
struct Tried {
  int rank = 0;
  std::string value;
};
std::optional<Tried> tried(const std::string& text, const Statement& statement, const Scope& scope) {
  std::vector<Statement> statements = statement.slashesDivide ? splitArgument(text) : splitStatements(text);
  if (statements.size() != 1 || statements.front().kind != statement.kind) return std::nullopt;
  Scope own = scope;
  own.keepTrace(nullptr);
  const Evaluated e = evaluateAsWritten(statements.front(), own);
  if (e.diag) return std::nullopt;
  if (!e.value) return Tried{1, text};
  return Tried{std::holds_alternative<Layout>(*e.value) ? 0 : 1, print(*e.value)};
}

std::optional<Mended> best(const std::vector<Edit>& edits, const Statement& statement, const Scope& scope) {
  std::optional<Tried> found;
  std::optional<Mended> out;
  bool unique = true;
  for (const Edit& edit : edits) {
    spend(static_cast<std::int64_t>(statement.text.size()));
    const std::string text = edit.in(statement.text);
    const auto one = tried(text, statement, scope);
    if (!one || (found && found->rank < one->rank)) continue;
    if (found && found->rank == one->rank) {
      unique = unique && found->value == one->value;
      continue;
    }
    found = one;
    unique = true;
    const std::size_t last = edit.at + std::max<std::size_t>(edit.removed, 1);
    out = Mended{text, edit.message, {edit.at, std::min(last, statement.text.size())}};
  }
  return unique ? out : std::nullopt;
}

}  // namespace

std::optional<Mended> mended(const Statement& statement, const Scope& scope, Span at) {
  if (statement.text.size() > kMendBytes || statement.kind == StatementKind::Block) return std::nullopt;
  const std::string text = withoutComments(statement.text, statement.slashesDivide);
  std::vector<Edit> edits = bracketEdits(text);
  if (edits.empty()) edits = wordEdits(text, at);
  if (edits.empty() || edits.size() > kMostEdits) return std::nullopt;
  try {
    const WorkBudget limit({.steps = kMendSteps});
    return best(edits, statement, scope);
  } catch (const OutOfBudget& end) {
    if (end.cancelled()) throw;
    return std::nullopt;
  }
}

}  // namespace tessera
