#include "core/hlo/cost/warp_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/map/compose.h"
#include "core/notation/xla/address.h"

namespace tessera::hlo {
namespace {

// Adds the accesses through one map of an operand.
void addTo(WarpReads& all, const SectorCount& one) {
  const auto above = [](const std::optional<SectorCount::Access>& a) {
    return a ? a->report.sectors - a->report.idealSectors : 0;
  };
  if (above(one.worst) > above(all.worst)) all.worst = one.worst;
  all.warps += one.warps;
  all.accesses += one.accesses;
  all.width = std::max(all.width, one.width);
  all.sectors += one.sectors;
  all.ideal += one.ideal;
  all.aligned += one.aligned;
}

WarpVerdict verdictOf(const WarpReads& r) {
  if (r.accesses == 0) return WarpVerdict::Nothing;
  if (r.sectors == r.ideal) return WarpVerdict::Coalesced;
  return r.ideal * 10 > r.aligned * 9 ? WarpVerdict::Misaligned : WarpVerdict::Scattered;
}

WarpReads notKnown(std::string why) { return {WarpVerdict::Unknown, std::move(why)}; }

}  // namespace

std::string_view nameOf(WarpVerdict verdict) {
  constexpr std::array<std::string_view, 5> kNames{"nothing", "coalesced", "misaligned", "scattered", "unknown"};
  return kNames[static_cast<std::size_t>(verdict)];
}

Result<WarpReads> warpReads(const std::vector<Map>& elements, Soundness soundness, const std::string& why,
                            const xla::Shape& operand) {
  if (soundness == Soundness::Unknown) return notKnown(why);
  if (!operand.isArray()) return notKnown("it is not an array");
  const i64 bits = operand.storedBits();
  if (bits < 8 ? 8 % bits != 0 : bits % 8 != 0 || bits > 128 || (bits & (bits - 1)) != 0)
    return notKnown(fmt::format("no access takes elements of {} bits", bits));
  WarpReads all;
  if (elements.empty()) return all;
  for (const i64 n : operand.sizes())
    if (n == 0) return all;  // no elements, no addresses
  TESSERA_TRY(const Map address, xla::toMap(operand));
  for (const Map& map : elements) {
    TESSERA_TRY(const Map slots, thenInside(map, address));
    if (slots.isEmpty()) continue;
    const auto counted = countSectors(slots, bits);
    if (!counted) return notKnown(counted.error().message);
    addTo(all, *counted);
    for (const Param& p : slots.params())
      all.why += fmt::format("{}{} is assumed to be {}", all.why.empty() ? "" : ", ", p.name, p.lo + (p.hi - p.lo) / 2);
  }
  if (soundness == Soundness::Over) all.why += (all.why.empty() ? "at most: " : "; at most: ") + why;
  all.verdict = verdictOf(all);
  return all;
}

Result<WarpReads> warpReads(const Reach& reach, const Map& threads, const xla::Shape& operand) {
  std::vector<Map> elements;
  for (const Map& map : reach.maps) {
    TESSERA_TRY(Map one, thenInside(threads, map));
    elements.push_back(std::move(one));
  }
  return warpReads(elements, reach.soundness, reach.why, operand);
}

std::string textOf(const WarpReads& r) {
  std::string out(nameOf(r.verdict));
  if (r.verdict == WarpVerdict::Unknown) return out + ": " + r.why;
  if (r.verdict == WarpVerdict::Nothing) return out + " is read by these threads";
  const std::string sectors = r.sectors == 1 ? "1 sector" : fmt::format("{} sectors", r.sectors);
  out += r.sectors == r.ideal ? fmt::format(": {}, as few as the bytes fill", sectors)
                              : fmt::format(": {} where {} would do ({:.3g} times)", sectors, r.ideal,
                                            static_cast<double>(r.sectors) / static_cast<double>(r.ideal));
  out += fmt::format(", {} access{} of up to {} bytes a lane", r.accesses, r.accesses == 1 ? "" : "es", r.width);
  if (r.worst) {
    out += fmt::format("; at worst {} for {} bytes (block {}, warp {})", r.worst->report.sectors,
                       r.worst->report.uniqueBytes, r.worst->block, r.worst->warp);
    if (r.worst->stride) out += fmt::format(", lanes {} bytes apart", *r.worst->stride);
  }
  if (!r.why.empty()) out += "; " + r.why;
  return out;
}

Result<Map> inMemoryOrder(const Map& map, const xla::Shape& from, const xla::Shape& to) {
  const auto& outer = from.layout().minorToMajor;
  const auto& inner = to.layout().minorToMajor;
  const std::vector<int> index = map.indexDigits();
  if (!from.isArray() || !to.isArray() || outer.size() != index.size() || inner.size() != map.axes().size())
    return Diag{fmt::format("a map from {} to {} coordinates between {} and {}", index.size(), map.axes().size(),
                            xla::print(from), xla::print(to)),
                "the map of a read, and the two arrays"};
  Redigited physical(map);
  for (std::size_t k = outer.size(); k-- > 0;)
    physical.keep(index[static_cast<std::size_t>(outer[k])]).name = fmt::format("d{}", outer.size() - 1 - k);
  for (const int at : map.fanDigits()) physical.keep(at);
  std::vector<Axis> axes;
  for (std::size_t k = inner.size(); k-- > 0;) axes.push_back(map.axes()[static_cast<std::size_t>(inner[k])]);
  TESSERA_TRY(const Map made, Map::create(std::move(physical.digits), substituted(std::move(axes), physical.byDigit),
                                          substituted(map.guards(), physical.byDigit), map.params()));
  return simplified(made);
}

Result<Map> slotsRead(const Map& map, const xla::Shape& of) {
  TESSERA_TRY(const Map slots, xla::toMap(of));
  TESSERA_TRY(const Map both, thenInside(map, slots));
  std::vector<Axis> axes = both.axes();  // slot count as the extent, for in_bounds
  for (std::size_t k = 0; k < axes.size() && k < slots.axes().size(); ++k) {
    axes[k].name = slots.axes()[k].name;
    axes[k].extent = slots.axes()[k].extent;
  }
  return Map::create(both.digits(), std::move(axes), both.guards(), both.params());
}

}  // namespace tessera::hlo
