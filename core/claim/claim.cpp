#include "core/claim/claim.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"

namespace tessera {

std::string coordinateText(const std::vector<i64>& values, std::string_view profile) {
  if (std::count(profile.begin(), profile.end(), 'i') != static_cast<std::ptrdiff_t>(values.size()) || values.empty())
    return values.size() == 1 ? std::to_string(values.front()) : fmt::format("({})", fmt::join(values, ","));
  std::string text;
  std::size_t next = 0;
  for (const char c : profile) text += c == 'i' ? std::to_string(values[next++]) : std::string(1, c);
  return text;
}

std::span<const Map> Claim::maps() const {
  if (const auto* equal = std::get_if<claims::Equal>(&says)) return equal->maps;
  if (const auto* both = std::get_if<claims::Roundtrip>(&says)) return both->maps;
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
  Map first = maps.empty() ? Map() : maps.front();
  switch (kind) {
    case ClaimKind::Injective:
      return claims::Injective{std::move(first)};
    case ClaimKind::Surjective:
      return claims::Surjective{std::move(first)};
    case ClaimKind::Bijective:
      return claims::Bijective{std::move(first)};
    case ClaimKind::Roundtrip:
      return claims::Roundtrip{std::move(maps)};
    case ClaimKind::InBounds:
      return claims::InBounds{.map = std::move(first)};
    case ClaimKind::Equal:
      return claims::Equal{.maps = std::move(maps)};
    case ClaimKind::ConflictFree:
    case ClaimKind::Coalesced:
    case ClaimKind::Vectorizes:
    case ClaimKind::Aligned:
      break;
  }
  LAYOUT_CHECK(false, "a claim about memory needs its tile");
  return {};
}

const char* name(Truth truth) {
  constexpr const char* kNames[] = {"proved", "refuted", "unknown"};
  return kNames[static_cast<std::size_t>(truth)];
}

const char* name(ClaimKind kind) {
  constexpr const char* kNames[] = {"injective", "surjective",    "bijective", "equal",      "roundtrip",
                                    "in_bounds", "conflict_free", "coalesced", "vectorizes", "aligned"};
  return kNames[static_cast<std::size_t>(kind)];
}

const char* name(Method method) {
  constexpr const char* kNames[] = {"auto", "simplify", "strided", "f2", "exhaustive", "z3"};
  return kNames[static_cast<std::size_t>(method)];
}

}  // namespace tessera
