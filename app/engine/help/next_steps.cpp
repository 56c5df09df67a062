#include "app/engine/help/next_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/analysis/access/tile.h"
#include "core/base/chars.h"
#include "core/base/nearest.h"
#include "core/claim/claim.h"
#include "core/graphene/program.h"
#include "core/map/forms/recognise.h"
#include "core/worksheet/value.h"
#include "solver/graphene/check.h"

namespace tessera {
namespace {

// --- refuted claims -------------------------------------------------------------------------------------------------

constexpr i64 kDrawn = i64{1} << 18;  // limit on coordinates that a picture may have to scan

bool always(const Claim&) { return true; }
bool drawable(const Claim& c) {
  return std::ranges::all_of(c.maps(), [](const Map& m) {
    const auto size = m.size();
    return m.params().empty() && !m.isEmpty() && !m.axes().empty() && size && *size <= (i64{1} << 62);
  });
}
// One address per coordinate, and an inverse.
bool inMemory(const Claim& c) {
  const Map& m = c.maps()[0];
  if (!drawable(c) || m.axes().size() != 1 || !m.fanDigits().empty()) return false;
  return *m.size() <= kDrawn || asStrided(m).ok() || asF2(m).ok();
}
bool isTile(const Claim& c) { return inMemory(c) && *c.maps()[0].size() <= Tile::kMaxTileElements; }
bool typedTile(const Claim& c) { return isTile(c) && argumentsOf(c).size() >= 2; }
bool typedStridedTile(const Claim& c) { return typedTile(c) && asStrided(c.maps()[0]).ok(); }
bool typedAccess(const Claim& c) { return argumentsOf(c).size() >= 2 && !c.text.starts_with("race_free"); }
bool sized(const Claim& c) { return argumentsOf(c).size() == 2; }
bool unsized(const Claim& c) { return argumentsOf(c).size() == 1; }
bool twoLayouts(const Claim& c) { return argumentsOf(c).size() == 2 && drawable(c); }

// A type of that many bits, for a claim whose layout gives its own width.
const char* typeOf(int bits) {
  return bits == 64 ? "f64" : bits == 32 ? "f32" : bits == 16 ? "fp16" : bits == 4 ? "e2m1" : "s8";
}

// {0} {1} {2}: the claim's arguments as typed; {2} is the element type.
struct ClaimStep {
  ClaimKind kind;
  const char* label;
  const char* statement;
  bool (*fits)(const Claim&);
};
constexpr ClaimStep kClaimSteps[] = {
    {ClaimKind::Injective, "show {0} as memory", "show {0} as memory", inMemory},
    {ClaimKind::Injective, "show {0} as grid", "show {0} as grid", drawable},
    {ClaimKind::Surjective, "show {0} as memory", "show {0} as memory", inMemory},
    {ClaimKind::Surjective, "prove in_bounds({0})", "prove in_bounds({0}, {1})", sized},
    {ClaimKind::Bijective, "prove injective({0})", "prove injective({0})", always},
    {ClaimKind::Bijective, "prove surjective({0})", "prove surjective({0}, {1})", sized},
    {ClaimKind::Bijective, "prove surjective({0})", "prove surjective({0})", unsized},
    {ClaimKind::Bijective, "show {0} as memory", "show {0} as memory", inMemory},
    {ClaimKind::Equal, "compare {0} with {1}", "show {0} as grid\nshow {1} as grid", twoLayouts},
    {ClaimKind::Roundtrip, "prove injective({0})", "prove injective({0})", always},
    {ClaimKind::Roundtrip, "compare {0} with {1}", "show {0} as grid\nshow {1} as grid", twoLayouts},
    {ClaimKind::InBounds, "show {0} as grid", "show {0} as grid", drawable},
    {ClaimKind::InBounds, "show {0} as memory", "show {0} as memory", inMemory},
    {ClaimKind::ConflictFree, "show {0} as banks", "show {0} as banks {2} {1}", typedTile},
    {ClaimKind::ConflictFree, "find swizzle for {0}", "find swizzle for {0} where conflict_free({1}, {2})",
     typedStridedTile},
    {ClaimKind::Coalesced, "sectors of {0}", "sectors({0}, {1}, {2})", typedTile},
    {ClaimKind::Coalesced, "show {0} as memory", "show {0} as memory", inMemory},
    {ClaimKind::Vectorizes, "vector_bytes({0})", "vector_bytes({0}, {2})", typedTile},
    {ClaimKind::Vectorizes, "show {0} as memory", "show {0} as memory", inMemory},
    {ClaimKind::Threads, "accesses of {0}", "accesses({0}, {1})", typedAccess},
    {ClaimKind::Threads, "show {0} as grid", "show {0} as grid", drawable},
    {ClaimKind::Aligned, "show {0} as memory", "show {0} as memory", inMemory},
    {ClaimKind::Aligned, "vector_bytes({0})", "vector_bytes({0}, {2})", typedTile},
};

std::vector<NextStep> afterClaim(const Claim& claim) {
  std::vector<NextStep> steps;
  std::vector<std::string> arguments = argumentsOf(claim);
  if (arguments.empty() || claim.maps().empty()) return steps;
  arguments.resize(3);
  if (arguments[2].empty()) arguments[2] = typeOf(claim.memory() == nullptr ? 0 : claim.memory()->elementBits);
  for (const ClaimStep& row : kClaimSteps) {
    if (row.kind != claim.kind() || !row.fits(claim)) continue;
    const auto filled = [&](const char* text) {
      return fmt::vformat(text, fmt::make_format_args(arguments[0], arguments[1], arguments[2]));
    };
    steps.push_back({filled(row.label), filled(row.statement), std::nullopt});
  }
  return steps;
}

// --- programs and searches ------------------------------------------------------------------------------------------

// Moments that cannot be drawn without sizes are not offered.
std::vector<NextStep> afterProgram(const Outcome& o) {
  const graphene::Listing& listing = *o.program.listing;
  const auto& variables = listing.program->variables;
  const bool sized = std::ranges::none_of(
      variables, [](const graphene::Variable& v) { return v.kind == graphene::Variable::Kind::Size; });
  std::vector<NextStep> steps;
  const std::string show = "show " + listing.name;
  if (sized) {
    const graphene::Finding* finding = o.program.checked->firstFinding();
    const i64 thread = finding == nullptr || finding->instances.empty() ? 0 : finding->instances[0].thread;
    steps.push_back({show + " as player", show + " as player" + (thread > 0 ? fmt::format(", thread {}", thread) : ""),
                     std::nullopt});
  }
  steps.push_back({show + " as tree", show + " as tree", std::nullopt});
  return steps;
}

// "S" in "find swizzle for S where ...", if that is a name.
std::string searchedName(const Statement& s) {
  const std::size_t from = s.text.find(" for "), to = s.text.find(" where");
  if (from == std::string::npos || to == std::string::npos || to < from + 6) return "";
  const std::string name = s.text.substr(from + 5, to - from - 5);
  return !name.empty() && isNameStart(name[0]) && std::ranges::all_of(name, isNamePart) ? name : "";
}

// Binds the first answer to a name, and proves the claims of the search.
std::vector<NextStep> afterSearch(const Outcome& o, const SwizzleFinding& finding) {
  const SwizzleSearch& s = finding.search;
  if (finding.linear || s.swizzles.size() + s.paddings.size() == 0) return {};
  const SwizzleAnswer& a = s.swizzles.empty() ? s.paddings.front() : s.swizzles.front();
  if (a.kind == SwizzleAnswer::Kind::AsIs) return {};
  const char* how = a.kind == SwizzleAnswer::Kind::Padded ? "padded" : "swizzled";
  const std::string searched = searchedName(o.statement), name = searched.empty() ? how : searched + "_" + how;
  std::string text = fmt::format("{} = {}", name, a.cute);
  for (const AccessSpec& access : finding.specs)
    text += fmt::format("\nprove conflict_free({}, {}, {})", name, access.text, typeOf(finding.elementBits));
  return {{"use " + a.cute, text, std::nullopt}};
}

// --- errors ---------------------------------------------------------------------------------------------------------

constexpr std::string_view kMeant = "did you mean ";

// The first ", " outside brackets.
std::size_t commaIn(std::string_view s) {
  int depth = 0;
  for (std::size_t k = 0; k + 1 < s.size(); ++k) {
    if (s[k] == '(' || s[k] == '[') ++depth;
    if (s[k] == ')' || s[k] == ']') --depth;
    if (depth == 0 && s[k] == ',' && s[k + 1] == ' ') return k;
  }
  return std::string_view::npos;
}

// The whole statement as it was meant (core/worksheet/statements/mend.h): no question mark follows it.
std::optional<std::string> mendIn(const std::string& hint) {
  if (!hint.starts_with(kMeant) || hint.ends_with('?')) return std::nullopt;
  return hint.substr(kMeant.size());
}

// "did you mean (8,4):(4,1)?", "did you mean a, b?", "did you mean gpuid (the device)?"
std::vector<std::string> meantIn(const std::string& hint) {
  std::vector<std::string> meant;
  if (!hint.starts_with(kMeant) || !hint.ends_with('?')) return meant;
  std::string rest = hint.substr(kMeant.size(), hint.size() - kMeant.size() - 1);
  if (rest.find(" (") != std::string::npos) rest.resize(rest.find(" ("));
  while (!rest.empty()) {
    const std::size_t comma = commaIn(rest);
    meant.push_back(rest.substr(0, comma));
    rest = comma == std::string::npos ? "" : rest.substr(comma + 2);
  }
  return meant;
}

// A span may be smaller than the replacement: in (8,4):(4,1,2) only the strides are wrong, and the replacement is
// (8,4):(4,1). Returns the piece around the span that is most similar to the replacement.
Span pieceNearest(std::string_view text, Span span, const std::string& meant) {
  constexpr std::size_t kSlack = 8, kLong = 200;
  if (span.begin > span.end || span.end > text.size() || meant.size() > kLong || span.end - span.begin > kLong)
    return span;
  Span best = span;
  std::size_t least = editDistance(text.substr(span.begin, span.end - span.begin), meant);
  const std::size_t longest = meant.size() + kSlack;
  const std::size_t first = span.end > longest ? span.end - longest : 0;
  for (std::size_t begin = span.begin + 1; begin-- > first && least > 0;) {
    for (std::size_t end = span.end; end <= text.size() && end - begin <= longest; ++end) {
      const std::size_t size = end - begin, apart = size > meant.size() ? size - meant.size() : meant.size() - size;
      if (apart >= least) continue;
      const std::size_t distance = editDistance(text.substr(begin, size), meant);
      if (distance < least) {
        least = distance;
        best = {begin, end};
      }
    }
  }
  return best;
}

// `write "as grid"`, "as banks fp16", "as threads 16x8 names the tile": the view after the last `as`.
std::optional<std::string> viewIn(const std::string& hint) {
  std::size_t at = hint.starts_with("write \"as ") ? 7 : hint.starts_with("as ") ? 0 : std::string::npos;
  if (at == std::string::npos) return std::nullopt;
  std::string view = hint.substr(at, hint.find('"', at) - at);
  const auto isWord = [](char c) { return c == ' ' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); };
  if (!std::ranges::all_of(view, isWord)) return std::nullopt;
  const std::size_t explained = view.find(" names ");
  if (explained != std::string::npos) view.resize(explained);
  return view;
}

// "write conflict_free(S, ldmatrix.x4, fp16)": replaces the whole erroneous piece.
std::optional<std::string> wholeIn(const std::string& hint) {
  constexpr std::string_view kWrite = "write ";
  if (!hint.starts_with(kWrite) || !hint.ends_with(')') || hint.size() <= kWrite.size()) return std::nullopt;
  std::string whole = hint.substr(kWrite.size());
  const std::size_t open = whole.find('(');
  const auto isWord = [](char c) { return isNamePart(c); };
  if (open == 0 || !std::all_of(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(open), isWord))
    return std::nullopt;
  return whole;
}

std::vector<NextStep> afterError(const Outcome& o) {
  std::vector<NextStep> steps;
  const Diag& diag = *o.diag;
  const Statement& s = o.statement;
  const bool inside = diag.span.begin >= s.span.begin && diag.span.end <= s.span.end && !diag.span.empty();
  for (const Correction& c : o.learner.corrections) steps.push_back({"write it as " + c.label, c.after, s.span});
  for (const std::string& meant : meantIn(diag.hint)) {
    if (!inside) break;
    const Span local = {diag.span.begin - s.span.begin, diag.span.end - s.span.begin};
    steps.push_back({meant, meant, pieceNearest(s.text, local, meant).shifted(s.span.begin)});
  }
  if (const auto mend = mendIn(diag.hint)) steps.push_back({*mend, *mend, s.span});
  if (const auto whole = inside ? wholeIn(diag.hint) : std::nullopt) steps.push_back({*whole, *whole, diag.span});
  if (s.kind == StatementKind::Show) {
    if (const auto view = viewIn(diag.hint)) {
      const std::size_t as = s.text.rfind(" as ");
      const Span tail = {as == std::string::npos ? s.text.size() : as, s.text.size()};
      steps.push_back({"show " + *view, " " + *view, tail.shifted(s.span.begin)});
    }
  }
  return steps;
}

}  // namespace

bool isThere(std::string_view text, const Statement& statement) {
  const Span span = statement.span;
  return span.end <= text.size() && text.substr(span.begin, span.end - span.begin) == statement.text;
}

std::size_t lineEndAfter(std::string_view text, const Statement& statement) {
  return std::min(text.find('\n', std::min(statement.span.end, text.size())), text.size());
}

namespace {

// Where the text to correct begins: the last statement up to `of` that is exactly it, else its last place before that.
std::optional<std::size_t> correctedAt(std::string_view text, const Statement& of, const std::string& corrects) {
  std::optional<std::size_t> found;
  for (const Statement& s : splitStatements(text))
    if (s.span.begin <= of.span.begin && s.text == corrects) found = s.span.begin;
  if (found) return found;
  const std::size_t at = text.rfind(corrects, of.span.begin);
  return at == std::string_view::npos ? std::nullopt : std::optional(at);
}

}  // namespace

std::optional<StepEdit> editOf(std::string_view text, const Statement& of, const NextStep& step) {
  if (!isThere(text, of)) return std::nullopt;
  if (step.replace) return StepEdit{*step.replace, step.statement};
  if (step.corrects.empty()) {
    const std::size_t end = lineEndAfter(text, of);
    return StepEdit{{end, end}, "\n" + step.statement};
  }
  const auto at = correctedAt(text, of, step.corrects);
  if (!at) return std::nullopt;
  return StepEdit{{*at, *at + step.corrects.size()}, step.statement};
}

std::vector<NextStep> nextSteps(const Outcome& outcome) {
  if (outcome.pending) return {};
  if (outcome.diag) return afterError(outcome);
  if (outcome.statement.kind == StatementKind::Find && outcome.value) {
    const auto* finding = as<SwizzleFinding>(*outcome.value);
    return finding == nullptr ? std::vector<NextStep>{} : afterSearch(outcome, *finding);
  }
  if (outcome.verdict && outcome.program.checked && outcome.program.listing &&
      outcome.verdict->truth == Truth::Refuted && outcome.program.checked->firstFinding() != nullptr)
    return afterProgram(outcome);
  if (!outcome.verdict || !outcome.claim || outcome.verdict->truth != Truth::Refuted) return {};
  std::vector<NextStep> steps;
  for (const Correction& c : outcome.learner.corrections) steps.push_back({c.label, c.after, std::nullopt, c.before});
  if (outcome.claim->text.starts_with("not ")) {
    const std::string claim = outcome.claim->text.substr(4);
    steps.push_back({"prove " + claim, "prove " + claim, std::nullopt});
    return steps;
  }
  for (NextStep& step : afterClaim(*outcome.claim)) steps.push_back(std::move(step));
  return steps;
}

std::vector<NextStep> layoutSteps(const Outcome& outcome) {
  constexpr std::size_t kLongest = 200;
  const Statement& s = outcome.statement;
  const Layout* layout = outcome.value ? heldLayout(*outcome.value) : nullptr;
  const bool named = s.kind == StatementKind::Bind;
  if (layout == nullptr || outcome.diag || (!named && s.kind != StatementKind::Expression)) return {};
  if (s.text.size() > kLongest || s.text.find('\n') != std::string::npos) return {};
  const Result<Arrow>& arrow = layout->arrow();
  const std::string& text = named ? s.name : s.text;
  std::vector<NextStep> steps;
  if (!named) steps.push_back({"name it", "my_layout = " + s.text, s.span});
  if (!arrow || !arrow->map.params().empty()) return steps;
  steps.push_back({"prove it", fmt::format("prove injective({})", text), std::nullopt});
  const std::vector<i64> extents = extentsOf(arrow->from);
  const bool tile = extents.size() == 2 && arrow->map.digits().size() == 2 &&
                    std::ranges::all_of(extents, [](i64 n) { return n % 8 == 0; }) && arrow->map.axes().size() == 1 &&
                    sizeOf(*arrow).value_or(INT64_MAX) <= Tile::kMaxTileElements;
  if (tile && arrow->from.order == LinearOrder::Colex && asStrided(arrow->map).ok())
    steps.push_back({"find a swizzle", fmt::format("find swizzle for {} where conflict_free(ldmatrix.x4, fp16)", text),
                     std::nullopt});
  if (arrow->map.axes().size() == 1 && arrow->to.kind == SpaceKind::Memory)
    steps.push_back({"as CUDA", fmt::format("code({}, cuda)", text), std::nullopt});
  return steps;
}

}  // namespace tessera
