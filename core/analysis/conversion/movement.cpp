#include "core/analysis/conversion/movement.h"

#include <fmt/format.h>

#include <array>

#include "core/map/forms/f2.h"

namespace tessera {
namespace {

using linear::In;

constexpr std::array<const char*, 4> kPlaces = {"register", "lane", "warp", "block"};

const std::vector<linear::Basis>& basesOf(const linear::Layout& layout, const char* name) {
  static const std::vector<linear::Basis> kNone;
  for (const In& in : layout.ins())
    if (in.name == name) return in.bases;
  return kNone;
}

Result<void> comparable(const linear::Layout& from, const linear::Layout& to) {
  if (from.outs() != to.outs()) return Diag{"the layouts are of tensors with different shapes"};
  for (std::size_t k = 1; k < kPlaces.size(); ++k) {
    const i64 a = from.inSize(kPlaces[k]), b = to.inSize(kPlaces[k]);
    if (a != b) return Diag{fmt::format("one layout has {} {}s, the other {}", a, kPlaces[k], b)};
  }
  return {};
}

// Whether every place of `to` finds its element among places of `from` that differ from it in the first `free` inputs.
bool reaches(const linear::Layout& from, const linear::Layout& to, std::size_t free) {
  F2Echelon<u64> held;
  for (std::size_t k = 0; k < free; ++k)
    for (const linear::Basis& basis : basesOf(from, kPlaces[k])) held.add(linear::f2::pack(basis, from.outs()));
  for (std::size_t k = 0; k < kPlaces.size(); ++k) {
    const auto& needs = basesOf(to, kPlaces[k]);
    const auto& has = basesOf(from, kPlaces[k]);
    for (std::size_t bit = 0; bit < needs.size(); ++bit) {
      u64 vector = linear::f2::pack(needs[bit], to.outs());
      if (k >= free) vector ^= linear::f2::pack(has[bit], from.outs());
      if (!held.solve(vector)) return false;
    }
  }
  return true;
}

}  // namespace

std::string_view name(Movement movement) {
  switch (movement) {
    case Movement::Same:
      return "same registers";
    case Movement::Thread:
      return "other registers of the thread";
    case Movement::Warp:
      return "a shuffle";
    case Movement::Block:
      return "shared memory";
    case Movement::Cluster:
      return "other blocks";
  }
  return "";
}

Result<Movement> movementOf(const linear::Layout& from, const linear::Layout& to) {
  TESSERA_CHECKED(comparable(from, to));
  bool same = true;
  for (const char* place : kPlaces) same = same && basesOf(from, place) == basesOf(to, place);
  if (same) return Movement::Same;
  constexpr std::array<Movement, 3> kMovements = {Movement::Thread, Movement::Warp, Movement::Block};
  for (std::size_t k = 0; k < kMovements.size(); ++k)
    if (reaches(from, to, k + 1)) return kMovements[k];
  return Movement::Cluster;
}

}  // namespace tessera
