#include "core/paste/printed/cute_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "core/base/chars.h"
#include "core/base/work.h"
#include "core/notation/cute/text/parser.h"
#include "core/notation/cute/text/text.h"
#include "core/paste/printed/next_of.h"
#include "core/paste/printed/print_tiled.h"

namespace tessera::paste {
namespace {

constexpr std::array<std::string_view, 5> kTypeWords = {"cute::TiledMMA<", "cute::ComposedLayout<", "cute::Layout<",
                                                        "Layout<cute::tuple<", "Layout<tuple<"};

constexpr int kMostFailures = 1000;  // types that begin like one of CuTe and are none

struct TypeRead {
  std::string text;
  std::size_t end = 0;
};

std::optional<cute::Value> partAt(std::string_view text, std::size_t at, std::size_t& end) {
  cute::Parser parser(text, at);
  Result<cute::Value> value = parser.part();
  if (!value) return std::nullopt;
  end = parser.cursor().position();
  return *std::move(value);
}

std::optional<TypeRead> layoutTypeAt(std::string_view text, std::size_t at) {
  TypeRead read;
  const auto value = partAt(text, at, read.end);
  if (!value) return std::nullopt;
  if (!std::holds_alternative<cute::Layout>(*value) && !std::holds_alternative<cute::ComposedLayout>(*value))
    return std::nullopt;
  read.text = cute::print(*value);
  return read;
}

// SM80_16x8x16_F32F16F16F32_TN, with its template arguments, in MMA_Atom<MMA_Traits<..>>.
std::string atomName(std::string_view text) {
  for (std::size_t at = text.find("SM"); at != std::string_view::npos; at = text.find("SM", at + 1)) {
    if (at + 2 >= text.size() || !isDigit(text[at + 2]) || (at > 0 && isNamePart(text[at - 1]))) continue;
    std::size_t end = at;
    while (end < text.size() && isNamePart(text[end])) ++end;
    if (end < text.size() && text[end] == '<') {
      Cursor in(text, {}, end);
      if (in.acceptBracketed()) end = in.position();
    }
    std::string name(text.substr(at, end - at));
    for (std::size_t k = name.find("cute::"); k != std::string::npos; k = name.find("cute::")) name.erase(k, 6);
    return name;
  }
  return {};
}

// cute::TiledMMA<ATOM, LAYOUT, TILE>
std::optional<TypeRead> tiledTypeAt(std::string_view text, std::size_t at) {
  const std::size_t open = text.find('<', at);
  Cursor in(text, {}, open);
  if (!in.acceptBracketed()) return std::nullopt;
  TypeRead read;
  read.end = in.position();
  const std::string_view inside = text.substr(open + 1, read.end - open - 2);
  const std::string name = atomName(inside.substr(0, std::min(inside.find("cute::Layout<"), inside.size())));
  const std::size_t layout = inside.find("cute::Layout<");
  if (name.empty() || layout == std::string_view::npos) return std::nullopt;
  std::size_t end = 0;
  const auto arrangement = partAt(inside, layout, end);
  if (!arrangement) return std::nullopt;
  std::string tile;
  if (const std::size_t tuple = inside.find("cute::tuple<", end); tuple != std::string_view::npos) {
    std::size_t after = 0;
    const auto value = partAt(inside, tuple, after);
    if (value) tile = cute::print(*value);
  }
  read.text = tiledMmaText(name, cute::print(*arrangement), tile);
  return read;
}

// `LayoutA = ` or `LayoutA=` before the type.
std::string_view templateName(std::string_view before) {
  before = stripped(before);
  while (!before.empty() && (before.back() == '\'' || before.back() == '"')) before.remove_suffix(1);
  for (const std::string_view word : {"const", "struct", "class"})
    if (before.ends_with(word)) before = stripped(before.substr(0, before.size() - word.size()));
  if (!before.ends_with('=') && !before.ends_with(':')) return {};
  before = stripped(before.substr(0, before.size() - 1));
  std::size_t begin = before.size();
  while (begin > 0 && isNamePart(before[begin - 1])) --begin;
  const std::string_view word = before.substr(begin);
  return word.empty() || isDigit(word[0]) || word == "error" || word == "note" ? std::string_view() : word;
}

// The parser reads C<(int)8>, C<8ul> and integral_constant<int, 8>; those of `std::` are written as cute's.
std::string plainTypes(std::string_view text) {
  std::string out(text);
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kSpellings = {
      {{"std::tuple<", "cute::tuple<"},
       {"cute::v1::", "cute::"},
       {"std::integral_constant<", "integral_constant<"},
       {"cuda::std::", "std::"}}};
  for (const auto& [written, plain] : kSpellings)
    for (std::size_t at = out.find(written); at != std::string::npos; at = out.find(written, at + plain.size()))
      out.replace(at, written.size(), plain);
  return out;
}

// Of a text without a layout: the shapes, as cute::tuple<cute::C<128>, cute::C<64>>.
void bindTuples(const std::string& text, Bindings& bindings) {
  std::set<std::string> seen;
  int failures = 0;
  for (std::size_t at = text.find("cute::tuple<"); at != std::string::npos; at = text.find("cute::tuple<", at)) {
    if (failures > kMostFailures) return;
    std::size_t end = 0;
    const auto value = partAt(text, at, end);
    if (value && std::holds_alternative<cute::IntTuple>(*value) && seen.insert(cute::print(*value)).second) {
      const std::string_view name = templateName(std::string_view(text).substr(0, at));
      bindings.bind(name.empty() ? "tuple" : name, cute::print(*value), {});
    }
    failures += value ? 0 : 1;
    at = value ? end : at + 1;
  }
}

}  // namespace

bool hasCuteTypes(std::string_view text) {
  if (text.find("cute::tuple<cute::C<") != std::string_view::npos) return true;
  if (text.find("tuple<") == std::string_view::npos) return false;
  return std::ranges::any_of(kTypeWords,
                             [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

void bindCuteTypes(std::string_view written, Bindings& bindings) {
  const std::string text = plainTypes(written);
  std::set<std::string> seen;
  NextOf words(text, kTypeWords);
  int failures = 0;
  for (std::size_t at = 0; at < text.size();) {
    spend(4);
    const std::size_t next = words.from(at);
    if (next == std::string::npos || failures > kMostFailures) break;
    const bool tiled = std::string_view(text).substr(next).starts_with("cute::TiledMMA<");
    const auto read = tiled ? tiledTypeAt(text, next) : layoutTypeAt(text, next);
    if (!read) {
      ++failures;
      at = next + 6;
      continue;
    }
    const std::string_view name = templateName(std::string_view(text).substr(0, next));
    if (seen.insert(fmt::format("{} = {}", name, read->text)).second &&
        (!name.empty() || seen.insert(read->text).second))
      bindings.bind(name.empty() ? "layout" : name, read->text,
                    {std::min(next, written.size()), std::min(read->end, written.size())});
    seen.insert(read->text);
    at = read->end;
  }
  if (bindings.empty()) bindTuples(text, bindings);
}

}  // namespace tessera::paste
