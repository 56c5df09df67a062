#include "core/graphene/variants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/base/words.h"
#include "core/graphene/atoms/atom.h"
#include "core/graphene/reader/definitions.h"
#include "core/graphene/walk.h"

namespace tessera::graphene {
namespace {

constexpr Dialect kComments = {.lineComments = true, .blockComments = true};
constexpr std::string_view kTwin = "_plain";

// The end of the swizzle, including its `o`, of the type at the cursor; npos: it has none, or is not in shared memory.
std::size_t endOfSwizzle(Cursor in) {
  if (in.peek() != 'S') return std::string_view::npos;
  const std::size_t close = in.text().find_first_of(">[\n", in.position());
  if (close == std::string_view::npos || in.text()[close] != '>') return std::string_view::npos;
  in.seek(close + 1);
  if (!in.acceptWord("o")) return std::string_view::npos;
  const std::size_t end = in.position();
  while (in.peek() == '[' && in.acceptBracketed(false))
    if (!in.accept('.')) break;
  const std::string element(in.peekWord());
  in.advance(element.size());
  const bool elsewhere = in.accept('.') && (in.peekWord() == "GL" || in.peekWord() == "RF");
  return elsewhere ? std::string_view::npos : end;
}

std::ptrdiff_t ldmatrixLeaves(const Program& program) {
  return std::ranges::count_if(leavesOf(program), [](const Spec* leaf) {
    const auto atom = matchAtom(*leaf);
    return atom && atom->name.starts_with("ldmatrix");
  });
}

// The listing, or why there is none.
void keep(Variant& v, Result<Listing> made) {
  if (made)
    v.listing = *std::move(made);
  else
    v.why = made.error().message;
}

// A block's braces belong to the listing; the change is made between them.
void addChanged(std::vector<Variant>& out, const Listing& listing, const std::string& name,
                std::optional<std::string> (*change)(std::string_view)) {
  const auto [begin, end] = programIn(listing.text);
  const auto text = change(std::string_view(listing.text).substr(begin, end - begin));
  if (!text) return;
  keep(out.emplace_back(Variant{name}),
       again(listing, listing.text.substr(0, begin) + *text + listing.text.substr(end)));
}

void addOthers(std::vector<Variant>& out, const Listing& listing) {
  const auto [begin, end] = programIn(listing.text);
  const std::string_view text = std::string_view(listing.text).substr(begin, end - begin);
  const auto head = parametersOf(text);
  if (!head) return;
  for (const Parameter& p : head->all)
    for (const std::string& value : p.values) {
      if (value == p.value) continue;
      const auto read = parametersOf(text.substr(0, head->end), {{p.name, value}});
      if (read && read->broken.empty()) out.push_back(variantWith(listing, p.name + "=" + value));
    }
}

}  // namespace

std::optional<std::string> withoutSwizzle(std::string_view text) {
  std::string out(text);
  for (Cursor in(text, kComments); !in.atEnd(); in.advance()) {
    if (in.raw() != ':') continue;
    Cursor type = in;
    type.advance();
    const std::size_t end = endOfSwizzle(type);
    if (end == std::string_view::npos) continue;
    for (std::size_t k = in.position() + 1; k < end; ++k)
      if (out[k] != '\n') out[k] = ' ';
  }
  return out == text ? std::nullopt : std::optional(std::move(out));
}

std::optional<std::string> withoutLdmatrix(std::string_view text) {
  const auto head = parametersOf(text);
  const auto before = readProgram(text);
  if (!head || !before) return std::nullopt;
  std::string added;
  for (const Definition& twin : libraryDefinitions()) {
    if (!std::string_view(twin.name).ends_with(kTwin)) continue;
    const std::string name = twin.name.substr(0, twin.name.size() - kTwin.size());
    const std::string one =
        fmt::format("def {}: %to <- Move<<<#b,#w>>>(%from) {{ %to <- {}<<<#b,#w>>>(%from) }}  ", name, twin.name);
    // The program's own definitions keep their meaning.
    const auto read = readProgram(std::string(text.substr(0, head->end)) + one + std::string(text.substr(head->end)));
    if (read && print(*read) != print(*before)) added += one;
  }
  if (added.empty()) return std::nullopt;
  return std::string(text.substr(0, head->end)) + added + std::string(text.substr(head->end));
}

Variant variantWith(const Listing& listing, const std::string& settings) {
  Variant out{settings};
  const auto pieces = wordsIn(settings, ", ");
  const std::vector<std::string> words(pieces.begin(), pieces.end());
  const auto read = settingsOf(words);
  if (!read) {
    out.why = read.error().message;
    return out;
  }
  out.settings = *read;
  out.name = fmt::format("{}", fmt::join(words, " "));
  keep(out, with(listing, *read));
  return out;
}

std::vector<Variant> variantsOf(const Listing& listing) {
  std::vector<Variant> out;
  addOthers(out, listing);
  addChanged(out, listing, "without swizzle", withoutSwizzle);
  addChanged(out, listing, "without ldmatrix", withoutLdmatrix);
  if (!out.empty() && out.back().name == "without ldmatrix" && out.back().listing)
    if (const auto stay = ldmatrixLeaves(*out.back().listing->program); stay > 0)
      out.back().note = fmt::format("{} ldmatrix written in the program itself {}", stay, stay == 1 ? "stays" : "stay");
  std::vector<std::string> texts = {listing.text};
  std::erase_if(out, [&](const Variant& v) {
    if (!v.listing) return false;
    const bool seen = std::ranges::find(texts, v.listing->text) != texts.end();
    texts.push_back(v.listing->text);
    return seen;
  });
  return out;
}

}  // namespace tessera::graphene
