#include "core/claim/claim.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/chars.h"
#include "core/base/check.h"
#include "core/base/mapped.h"

namespace tessera {
namespace {

template <typename T>
claims::Any madeOf(std::vector<Map> maps) {
  if constexpr (requires(T claim) { claim.maps; }) return T{.maps = std::move(maps)};
  if constexpr (requires(T claim) { claim.map; }) return T{.map = maps.empty() ? Map() : std::move(maps.front())};
}

std::vector<i64> digitExtents(const Map& map) {
  return mapped<i64>(map.indexDigits(), [&](int k) { return map.digit(k).extent; });
}

}  // namespace

std::string coordinateText(const std::vector<i64>& values, std::string_view profile) {
  if (std::ranges::count(profile, 'i') != static_cast<std::ptrdiff_t>(values.size()) || values.empty())
    return values.size() == 1 ? std::to_string(values.front()) : fmt::format("({})", fmt::join(values, ","));
  std::string text;
  std::size_t next = 0;
  for (const char c : profile) text += c == 'i' ? std::to_string(values[next++]) : std::string(1, c);
  return text;
}

std::span<const Map> Claim::maps() const {
  if (const auto* equal = std::get_if<claims::Equal>(&says)) return equal->maps;
  if (const auto* both = std::get_if<claims::Roundtrip>(&says)) return both->maps;
  if (const auto* threads = std::get_if<claims::Threads>(&says)) return threads->question->maps;
  if (!undecided.empty() || !unions.empty()) return {};
  return std::visit(
      [](const auto& claim) -> std::span<const Map> {
        if constexpr (requires { claim.map; }) return {&claim.map, 1};
        return {};
      },
      says);
}

const claims::Memory* Claim::memory() const {
  if (!undecided.empty()) return nullptr;
  return std::visit(
      [](const auto& claim) -> const claims::Memory* {
        if constexpr (requires { claim.elementBits; }) return &claim;
        return nullptr;
      },
      says);
}

claims::Any claimAbout(ClaimKind kind, std::vector<Map> maps) {
  using namespace claims;
  constexpr claims::Any (*kMade[])(std::vector<Map>) = {madeOf<Injective>, madeOf<Surjective>, madeOf<Bijective>,
                                                        madeOf<Equal>,     madeOf<Roundtrip>,  madeOf<InBounds>};
  LAYOUT_CHECK(kind <= ClaimKind::InBounds, "a claim about memory needs its tile");
  return kMade[static_cast<std::size_t>(kind)](std::move(maps));
}

const char* name(Truth truth) {
  constexpr const char* kNames[] = {"proved", "refuted", "unknown"};
  return kNames[static_cast<std::size_t>(truth)];
}

const char* name(ClaimKind kind) {
  constexpr const char* kNames[] = {"injective",     "surjective", "bijective",  "equal",   "roundtrip", "in_bounds",
                                    "conflict_free", "coalesced",  "vectorizes", "aligned", "threads"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* name(Method method) {
  constexpr const char* kNames[] = {"auto", "simplify", "strided", "f2", "exhaustive", "z3"};
  return kNames[static_cast<std::size_t>(method)];
}

std::vector<std::string> argumentsOf(const Claim& claim) {
  std::vector<std::string> arguments;
  const std::size_t open = claim.text.find('('), close = claim.text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close <= open) return arguments;
  int depth = 0;
  std::string argument;
  const auto end = [&] {
    if (const std::string_view one = stripped(argument); !one.empty()) arguments.emplace_back(one);
    argument.clear();
  };
  for (const char c : claim.text.substr(open + 1, close - open - 1)) {
    if (std::string_view("([{<").find(c) != std::string_view::npos) ++depth;
    if (std::string_view(")]}>").find(c) != std::string_view::npos) --depth;
    if (c == ',' && depth == 0) {
      end();
    } else {
      argument += c;
    }
  }
  end();
  return arguments;
}

std::vector<i64> modesOf(const Claim& claim, std::size_t map) {
  if (map >= claim.maps().size()) return {};
  std::vector<i64> extents = digitExtents(claim.maps()[map]);
  const std::string profile = map < claim.profiles.size() ? claim.profiles[map] : "";
  if (std::ranges::count(profile, 'i') != static_cast<std::ptrdiff_t>(extents.size())) return extents;
  std::vector<i64> modes;
  int depth = 0;
  std::size_t digit = 0;
  for (const char c : profile) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    const bool begins = (depth == 1 && c == 'i') || (depth == 2 && c == '(');
    if (begins) modes.push_back(1);
    if (c == 'i' && !modes.empty()) modes.back() *= extents[digit++];
  }
  return digit == extents.size() ? modes : extents;
}

std::vector<i64> indicesOf(const Claim& claim, const Counterexample& why, std::size_t map) {
  std::vector<i64> indices;
  const std::span<const Map> maps = claim.maps();
  const auto* equal = std::get_if<claims::Equal>(&claim.says);
  if (map >= maps.size() || (map > 0 && equal == nullptr)) return indices;
  const LinearOrder order = equal == nullptr ? LinearOrder::Colex : equal->order;
  const std::vector<i64> asked = digitExtents(maps[0]), own = digitExtents(maps[map]);
  const auto partial = [](const Map& m) { return !m.guards().empty() || m.isShifted(); };
  const bool byCoordinate = own.size() == asked.size() && (partial(maps[0]) || partial(maps[map]));
  for (const std::vector<i64>& point : why.points) {
    if (point.size() != asked.size()) continue;
    std::vector<i64> digits = point;
    if (own != asked && !byCoordinate) digits = delinearize(linearize(point, asked, order), own, order);
    bool inside = true;
    for (std::size_t k = 0; k < own.size(); ++k) inside = inside && digits[k] >= 0 && digits[k] < own[k];
    if (inside) indices.push_back(linearize(digits, own, LinearOrder::Colex));
  }
  return indices;
}

}  // namespace tessera
