#include "core/hlo/cost/warp_reads.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/base/arith.h"
#include "core/expr/compile.h"
#include "core/hlo/cost/thread_map.h"
#include "core/map/compose.h"
#include "core/map/domain/domain_size.h"
#include "core/notation/xla/address.h"

namespace tessera::hlo {
namespace {

constexpr i64 kWidest = 16;

using Lanes = std::array<std::optional<i64>, static_cast<std::size_t>(kWarp)>;

// The slots that threads read through one map of an operand.
class Walk {
 public:
  Walk(const Map& map, i64 bits) : map_(map), bits_(bits), slot_(Program::compile(map.axes()[0].value)) {
    for (const Guard& g : map.guards()) guards_.push_back(Program::compile(g.value));
    const std::vector<int> index = map.indexDigits();
    thread_ = index.at(0);
    for (std::size_t k = 1; k < index.size(); ++k) blocks_.push_back(index[k]);
    fans_ = map.fanDigits();
    for (const Param& p : map.params()) params_.push_back(p.lo + (p.hi - p.lo) / 2);
    const Digit& th = digit(thread_);
    firstWarp_ = th.lo / kWarp;
    warpsOfBlock_ = (th.lo + th.extent - 1) / kWarp - firstWarp_ + 1;
    point_.assign(map.digits().size(), 0);
  }

  [[nodiscard]] const Digit& digit(int k) const { return map_.digit(k); }
  [[nodiscard]] const std::vector<int>& fans() const { return fans_; }
  // The number of warps; nullopt: overflow.
  [[nodiscard]] std::optional<i64> warps() const { return pointsOf(map_, blocks_, warpsOfBlock_); }
  [[nodiscard]] std::optional<i64> steps() const { return pointsOf(map_, fans_); }

  // Moves to the warp of that number, from 0.
  void goTo(i64 warp) {
    warp_ = firstWarp_ + warp % warpsOfBlock_;
    spread(map_, blocks_, warp / warpsOfBlock_, point_);
  }
  [[nodiscard]] i64 warp() const { return warp_; }
  [[nodiscard]] i64 block() const {
    return blocks_.empty() ? 0 : point_[static_cast<std::size_t>(blocks_[0])] + digit(blocks_[0]).lo;
  }
  // Byte addresses of the lanes at a step, last ranged variable fastest.
  Lanes at(i64 step) {
    spread(map_, fans_, step, point_);
    Lanes lanes;
    for (i64 l = 0; l < kWarp; ++l) {
      const i64 thread = warp_ * kWarp + l - digit(thread_).lo;
      if (thread < 0 || thread >= digit(thread_).extent) continue;
      point_[static_cast<std::size_t>(thread_)] = thread;
      if (real()) lanes[static_cast<std::size_t>(l)] = slot_.run(point_, params_) * bits_ / 8;
    }
    return lanes;
  }

 private:
  bool real() const {
    for (std::size_t g = 0; g < guards_.size(); ++g) {
      const i64 value = guards_[g].run(point_, params_);
      if (value < map_.guards()[g].lo || value > map_.guards()[g].hi) return false;
    }
    return true;
  }

  const Map& map_;
  i64 bits_;
  Program slot_;
  std::vector<Program> guards_;
  int thread_ = 0;
  std::vector<int> blocks_, fans_;
  std::vector<i64> params_, point_;
  i64 firstWarp_ = 0, warpsOfBlock_ = 1, warp_ = 0;
};

// Which warps and steps are examined.
struct Range {
  i64 warps = 1, of = 1, steps = 1, ofSteps = 1;
  bool cut = false;  // some steps are left out
  [[nodiscard]] i64 warpAt(i64 k) const { return warps == of || warps == 1 ? k : k * ((of - 1) / (warps - 1)); }
};
std::optional<Range> rangeOf(const Walk& walk, i64 mostAddresses) {
  const auto warps = walk.warps(), steps = walk.steps();
  if (!warps || !steps) return std::nullopt;
  const i64 most = std::max<i64>(1, mostAddresses / kWarp), taken = std::min(*steps, most);
  return Range{std::max<i64>(1, std::min(*warps, most / taken)), *warps, taken, *steps, taken < *steps};
}

// Whether `count` consecutive steps are adjacent and aligned for every lane.
bool together(const Lanes* lanes, i64 count, i64 bytes) {
  for (std::size_t l = 0; l < lanes[0].size(); ++l) {
    const auto first = lanes[0][l];
    if (first && *first % (bytes * count) != 0) return false;
    for (i64 k = 1; k < count; ++k) {
      const auto here = lanes[k][l];
      if (here.has_value() != first.has_value() || (here && *here != *first + k * bytes)) return false;
    }
  }
  return true;
}

// Elements per lane in one access: the most that are adjacent everywhere.
i64 vectorOf(Walk& walk, const Range& range, i64 bytes) {
  if (walk.fans().empty() || range.cut) return 1;
  const Digit& last = walk.digit(walk.fans().back());
  i64 width = 1;
  while (width * 2 * bytes <= kWidest && last.extent % (width * 2) == 0 && last.lo % (width * 2) == 0) width *= 2;
  std::vector<Lanes> some;
  for (i64 w = 0; w < range.warps && width > 1; ++w) {
    walk.goTo(range.warpAt(w));
    for (i64 step = 0; step < range.steps && width > 1; step += width) {
      some.clear();
      for (i64 k = 0; k < width; ++k) some.push_back(walk.at(step + k));
      while (width > 1 && !together(some.data(), width, bytes)) width /= 2;  // earlier accesses become narrower as well
    }
  }
  return width;
}

std::optional<i64> strideOf(const Lanes& lanes) {
  std::optional<i64> stride;
  for (std::size_t l = 1; l < lanes.size(); ++l) {
    if (!lanes[l] || !lanes[l - 1]) continue;
    const i64 here = *lanes[l] - *lanes[l - 1];
    if (stride && *stride != here) return std::nullopt;
    stride = here;
  }
  return stride;
}

// Counts the sectors of an access as it is, and as if it began at a sector.
Result<void> count(const Lanes& lanes, i64 width, const Walk& walk, WarpReads& all) {
  const auto least = std::ranges::min(lanes, {}, [](const auto& a) { return a.value_or(INT64_MAX); });
  if (!least) return {};
  TESSERA_TRY(const SectorReport report, sectorReport(lanes, static_cast<int>(width)));
  Lanes moved = lanes;
  for (auto& a : moved)
    if (a) *a -= *least % kSectorBytes;
  TESSERA_TRY(const SectorReport aligned, sectorReport(moved, static_cast<int>(width)));
  ++all.accesses;
  all.sectors += report.sectors;
  all.ideal += report.idealSectors;
  all.aligned += aligned.sectors;
  const i64 above = report.sectors - report.idealSectors;
  if (above > 0 && (!all.worst || above > all.worst->report.sectors - all.worst->report.idealSectors))
    all.worst = WarpReads::Access{walk.block(), walk.warp(), report, strideOf(lanes)};
  return {};
}

Result<void> countMap(const Map& map, i64 bits, i64 mostAddresses, WarpReads& all) {
  Walk walk(map, bits);
  const auto range = rangeOf(walk, mostAddresses);
  if (!range) return Diag{"there are more than 2^63 threads or steps", "fewer"};
  const i64 bytes = std::max<i64>(1, bits / 8);
  const i64 each = bits < 8 ? 1 : vectorOf(walk, *range, bytes);
  all.width = std::max(all.width, each * bytes);
  all.warps += range->warps;
  all.of += range->of;
  all.cut = all.cut || range->cut;
  const i64 before = all.sectors;
  for (i64 w = 0; w < range->warps; ++w) {
    walk.goTo(range->warpAt(w));
    for (i64 step = 0; step < range->steps; step += each)
      TESSERA_CHECKED(count(walk.at(step), each * bytes, walk, all));
  }
  all.whole += static_cast<double>(all.sectors - before) * static_cast<double>(range->of) /
               static_cast<double>(range->warps) * static_cast<double>(range->ofSteps) /
               static_cast<double>(range->steps);
  return {};
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

Result<WarpReads> warpReads(const Reach& reach, const Map& threads, const xla::Shape& operand, i64 mostAddresses) {
  if (reach.soundness == Soundness::Unknown) return notKnown(reach.why);
  if (!operand.isArray()) return notKnown("it is not an array");
  const i64 bits = operand.storedBits();
  if (bits < 8 ? 8 % bits != 0 : bits % 8 != 0 || bits > 128 || (bits & (bits - 1)) != 0)
    return notKnown(fmt::format("no access takes elements of {} bits", bits));
  WarpReads all;
  if (reach.maps.empty()) return all;
  for (const i64 n : operand.sizes())
    if (n == 0) return all;  // no elements, no addresses
  TESSERA_TRY(const Map address, xla::toMap(operand));
  for (const Map& map : reach.maps) {
    TESSERA_TRY(const Map elements, thenInside(threads, map));
    TESSERA_TRY(const Map slots, thenInside(elements, address));
    if (slots.isEmpty()) continue;
    TESSERA_CHECKED(countMap(slots, bits, mostAddresses, all));
    for (const Param& p : slots.params())
      all.why += fmt::format("{}{} is assumed to be {}", all.why.empty() ? "" : ", ", p.name, p.lo + (p.hi - p.lo) / 2);
  }
  if (reach.soundness == Soundness::Over) all.why += (all.why.empty() ? "at most: " : "; at most: ") + reach.why;
  all.verdict = verdictOf(all);
  if (all.verdict == WarpVerdict::Nothing && (all.cut || all.warps < all.of))
    return notKnown(fmt::format("nothing is read by {} of {} warps{}, and no others were examined", all.warps, all.of,
                                all.cut ? " in their first steps" : ""));
  return all;
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
  if (r.warps < r.of) out += fmt::format("; {} of {} warps examined", r.warps, r.of);
  if (r.cut) out += "; only the first steps of each";
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
