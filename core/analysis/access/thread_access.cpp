#include "core/analysis/access/thread_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/base/work.h"
#include "core/map/tabulate.h"

namespace tessera {
namespace {

constexpr i64 kMostThreadPoints = i64{1} << 22;

// Which part of the thread number a name is: 0 the fastest; -1: not a thread.
int threadRank(std::string_view name) {
  struct Row {
    std::string_view name;
    int rank;
  };
  constexpr std::array<Row, 27> kRows = {{{"threadIdx.x", 0}, {"threadIdx.y", 1}, {"threadIdx.z", 2},
                                          {"threadIdx_x", 0}, {"threadIdx_y", 1}, {"threadIdx_z", 2},
                                          {"threadIdx", 0},   {"thread_idx", 0},  {"thread_id", 0},
                                          {"threadId", 0},    {"thread", 0},      {"tidx", 0},
                                          {"tid", 0},         {"t", 0},           {"tx", 0},
                                          {"ty", 1},          {"tz", 2},          {"lane", 0},
                                          {"lane_id", 0},     {"laneId", 0},      {"laneid", 0},
                                          {"lane_idx", 0},    {"laneIdx", 0},     {"warp", 3},
                                          {"warp_id", 3},     {"warpId", 3},      {"hipThreadIdx_x", 0}}};
  const auto* row = std::ranges::find(kRows, name, &Row::name);
  return row == kRows.end() ? -1 : row->rank;
}

Diag notAnAccess(std::string message, std::string expected) { return Diag{std::move(message), std::move(expected)}; }

// Visits every warp of every instruction: visit(ThreadWarp&, digits of the first active lane) until it returns false.
class Walk {
 public:
  explicit Walk(const ThreadAccess& access) : a_(access), values_(access.map) {}

  template <typename Visit>
  Result<void> each(MemorySpace space, Visit visit) {
    const auto atlas = vectorAccess(AccessDirection::Read, space, a_.width());
    if (!atlas) return atlas.error();
    std::vector<i64> counts;
    for (const int k : a_.others) counts.push_back(a_.map.digit(k).extent);
    counts.push_back(a_.vectorDigit < 0 ? 1 : a_.map.digit(a_.vectorDigit).extent / a_.perLane);
    ThreadWarp warp;
    warp.instruction.assign(counts.size(), 0);
    static_cast<AtlasAccess&>(warp.access) = *atlas;
    const i64 threads = a_.threadCount();
    for (;;) {
      for (i64 first = 0; first < threads; first += kWarpLanes) {
        warp.warp = first / kWarpLanes;
        TESSERA_TRY(const bool active, fill(warp, first, std::min<i64>(kWarpLanes, threads - first)));
        if (active && !visit(warp)) return {};
      }
      std::size_t k = 0;
      for (; k < counts.size(); ++k) {
        if (++warp.instruction[k] < counts[k]) break;
        warp.instruction[k] = 0;
      }
      if (k == counts.size()) return {};
    }
  }

  // The digits of a thread in an instruction.
  void place(const std::vector<i64>& instruction, i64 thread) {
    digits_.assign(a_.map.digits().size(), 0);
    for (const int k : a_.threads) {
      digits_[static_cast<std::size_t>(k)] = thread % a_.map.digit(k).extent;
      thread /= a_.map.digit(k).extent;
    }
    for (std::size_t k = 0; k < a_.others.size(); ++k) digits_[static_cast<std::size_t>(a_.others[k])] = instruction[k];
    if (a_.vectorDigit >= 0) digits_[static_cast<std::size_t>(a_.vectorDigit)] = instruction.back() * a_.perLane;
  }
  [[nodiscard]] bool isReal() const { return a_.map.guards().empty() || a_.map.isReal(digits_); }
  [[nodiscard]] i64 offset() const { return values_.value(digits_); }
  std::vector<i64>& digits() { return digits_; }

 private:
  [[nodiscard]] std::string where() const {
    std::string text;
    for (std::size_t k = 0; k < digits_.size(); ++k)
      text += fmt::format("{}{} = {}", k == 0 ? "" : ", ", a_.map.digit(static_cast<int>(k)).name,
                          digits_[k] + a_.map.digit(static_cast<int>(k)).lo);
    return text;
  }

  Result<bool> fill(ThreadWarp& warp, i64 first, i64 lanes) {
    warp.access.addresses.fill(kInactive);
    bool active = false;
    for (i64 lane = 0; lane < lanes; ++lane) {
      spend(4);
      place(warp.instruction, first + lane);
      if (!isReal()) continue;
      const i64 begin = offset(), byte = begin * a_.elementBits / 8;
      if (begin < 0 || begin * a_.elementBits % (8 * i64{a_.width()}) != 0)
        return notAnAccess(fmt::format("at {} the address is {} {}, {}", where(), begin < 0 ? "element" : "byte",
                                       begin < 0 ? begin : byte,
                                       begin < 0 ? "below 0" : fmt::format("not a multiple of {}", a_.width())),
                           begin < 0 ? "offsets of at least 0" : "addresses that are multiples of the access's width");
      if (a_.vectorDigit >= 0) TESSERA_CHECKED(consecutive(begin));
      warp.access.addresses[static_cast<std::size_t>(lane)] = byte;
      active = true;
    }
    return active;
  }

  Result<void> consecutive(i64 begin) {
    i64& at = digits_[static_cast<std::size_t>(a_.vectorDigit)];
    for (i64 j = 1; j < a_.perLane; ++j) {
      ++at;
      if (!isReal() || offset() == begin + j) continue;
      return notAnAccess(fmt::format("{} values of a lane are no vector: at {} the offset is {}, not {}", a_.perLane,
                                     where(), offset(), begin + j),
                         "consecutive elements");
    }
    at -= a_.perLane - 1;
    return {};
  }

  const ThreadAccess& a_;
  PointEvaluator values_;
  std::vector<i64> digits_;
};

// How many consecutive, aligned elements of a lane follow one another along the last coordinate: 1, 2, 4 ...
i64 vectorElementsOf(const ThreadAccess& access) {
  if (access.perLane > 1 || access.others.empty()) return access.perLane;
  ThreadAccess wider = access;
  i64 best = 1;
  for (i64 n = 2; n * access.elementBits <= 128 && access.map.digit(access.others.back()).extent % n == 0; n *= 2) {
    if (n * access.elementBits % 8 != 0) continue;
    wider.perLane = n;
    wider.others = access.others;
    wider.vectorDigit = wider.others.back();
    wider.others.pop_back();
    if (!Walk(wider).each(MemorySpace::Shared, [](const ThreadWarp&) { return true; })) break;
    best = n;
  }
  return best;
}

bool countsConsecutively(const ThreadAccess& access, int digit) {
  std::vector<i64> at(access.map.digits().size(), 0);
  const PointEvaluator values(access.map);
  for (i64 j = 0; j < access.perLane; ++j) {
    at[static_cast<std::size_t>(digit)] = j;
    if (values.value(at) != values.value(std::vector<i64>(at.size(), 0)) + j) return false;
  }
  return true;
}

}  // namespace

i64 ThreadAccess::threadCount() const {
  i64 count = 1;
  for (const int k : threads) count *= map.digit(k).extent;
  return count;
}

Result<ThreadAccess> threadAccess(const Arrow& arrow, std::string name, int elementBits, i64 perLane) {
  ThreadAccess out;
  TESSERA_TRY(const Arrow whole, withWholeModes(arrow));
  out.map = whole.map;
  out.name = std::move(name);
  out.elementBits = elementBits;
  out.perLane = perLane;
  const auto points = out.map.pointCount();
  if (out.map.axes().size() != 1 || !out.map.fanDigits().empty() || !out.map.params().empty())
    return notAnAccess("an access needs one offset for each thread",
                       "a function of the thread and of other coordinates");
  if (!points || *points > kMostThreadPoints)
    return notAnAccess(fmt::format("the access has {} points, more than {}", points ? std::to_string(*points) : "2^63",
                                   kMostThreadPoints),
                       "fewer threads or values");
  if (perLane < 1 || perLane > 256 || perLane * elementBits % 8 != 0)
    return notAnAccess(fmt::format("{} values of {} bits are not a whole number of bytes", perLane, elementBits),
                       "1, 2, 4, 8 or 16 bytes for each lane");
  if (auto width = vectorAccess(AccessDirection::Read, MemorySpace::Shared, out.width()); !width) return width.error();
  std::vector<std::pair<int, int>> ranked;  // rank, digit
  for (int k = 0; k < static_cast<int>(out.map.digits().size()); ++k) {
    const std::string mode = static_cast<std::size_t>(k) < whole.from.modes.size() ? whole.from.modes[k].name : "";
    const int rank = std::max(threadRank(out.map.digit(k).name), threadRank(mode));
    if (rank >= 0) ranked.emplace_back(rank, k);
  }
  std::ranges::stable_sort(ranked, {}, [](const auto& r) { return r.first; });
  for (const auto& [rank, k] : ranked) out.threads.push_back(k);
  if (out.threads.empty() && !out.map.digits().empty()) {
    out.threads = {0};
    out.asked = fmt::format("the first coordinate, {}, is the thread", out.map.digit(0).name);
  }
  for (int k = 0; k < static_cast<int>(out.map.digits().size()); ++k)
    if (std::ranges::find(out.threads, k) == out.threads.end()) out.others.push_back(k);
  if (perLane > 1 && !out.others.empty() && out.map.digit(out.others.back()).extent % perLane == 0 &&
      countsConsecutively(out, out.others.back())) {
    out.vectorDigit = out.others.back();
    out.others.pop_back();
  }
  return out;
}

std::vector<i64> digitsAt(const ThreadAccess& access, const ThreadWarp& warp, int lane) {
  Walk walk(access);
  walk.place(warp.instruction, warp.warp * kWarpLanes + lane);
  return walk.digits();
}

std::string placeOf(const ThreadAccess& access, const ThreadWarp& warp) {
  std::string text;
  for (std::size_t k = 0; k < access.others.size(); ++k)
    text += fmt::format("{} = {}, ", access.map.digit(access.others[k]).name,
                        warp.instruction[k] + access.map.digit(access.others[k]).lo);
  if (access.vectorDigit >= 0 && access.map.digit(access.vectorDigit).extent > access.perLane)
    text +=
        fmt::format("{} = {}, ", access.map.digit(access.vectorDigit).name, warp.instruction.back() * access.perLane);
  return text + fmt::format("warp {}", warp.warp);
}

namespace {

using Addresses = decltype(WarpAccess::addresses);

// The addresses from the line of 128 bytes on in which the first active one lies. Wavefronts and sectors depend on
// nothing else. nullopt: no lane is active, or an address is negative.
std::optional<Addresses> fromLine(const Addresses& addresses) {
  constexpr i64 kLine = 128;
  i64 first = kInactive;
  for (const i64 a : addresses) {
    if (a == kInactive) continue;
    if (a < 0) return std::nullopt;
    if (first == kInactive) first = a - a % kLine;
  }
  if (first == kInactive) return std::nullopt;
  Addresses out = addresses;
  for (i64& a : out)
    if (a != kInactive) a -= first;
  return out;
}

}  // namespace

Result<ThreadReport> threadReport(const ThreadAccess& access, MemorySpace space) {
  ThreadReport out;
  out.threads = access.threadCount();
  out.warps = ceilDiv(out.threads, kWarpLanes);
  i64 mostExcess = 0, mostSectors = 0;
  std::optional<Diag> fault;
  std::optional<Addresses> last;  // of the instruction before, and what it costs
  MemoryCost cost;
  i64 bytesOfLast = 0;
  TESSERA_CHECKED(Walk(access).each(space, [&](const ThreadWarp& warp) {
    ++out.instructions;
    const std::optional<Addresses> now = fromLine(warp.access.addresses);
    if (now && now == last) {
      out += cost;
      out.bytes += bytesOfLast;
      return true;
    }
    last = now;
    cost = {};
    std::vector<std::optional<i64>> bytes;
    for (const i64 a : warp.access.addresses) bytes.push_back(a == kInactive ? std::nullopt : std::optional(a));
    const auto sectors = sectorReport(bytes, access.width());
    if (!sectors) {
      fault = sectors.error();
      return false;
    }
    bytesOfLast = sectors->requestedBytes;
    out.bytes += bytesOfLast;
    cost.sectors = sectors->sectors;
    cost.idealSectors = sectors->idealSectors;
    if (sectors->sectors - sectors->idealSectors > mostSectors) {
      mostSectors = sectors->sectors - sectors->idealSectors;
      out.widest = warp;
      out.widestReport = *sectors;
    }
    if (space == MemorySpace::Global) {
      out += cost;
      return true;
    }
    const auto banks = bankReport(warp.access);
    if (!banks) {
      fault = banks.error();
      return false;
    }
    cost.wavefronts = banks->wavefronts;
    cost.ideal = banks->ideal;
    out += cost;
    out.degree = std::max(out.degree, banks->conflictDegree);
    if (banks->excess > mostExcess) {
      mostExcess = banks->excess;
      out.worst = warp;
    }
    return true;
  }));
  if (fault) return *std::move(fault);
  if (out.worst) out.conflict = worstConflict(out.worst->access);
  out.vectorElements = vectorElementsOf(access);
  return out;
}

std::optional<ThreadWarp> firstInstruction(const ThreadAccess& access, MemorySpace space) {
  std::optional<ThreadWarp> first;
  const auto walked = Walk(access).each(space, [&](const ThreadWarp& warp) {
    first = warp;
    return false;
  });
  return walked ? first : std::nullopt;
}

bool isConflictFree(const ThreadAccess& access) {
  bool free = true;
  const auto walked = Walk(access).each(MemorySpace::Shared, [&](const ThreadWarp& warp) {
    free = conflictFree(warp.access);
    return free;
  });
  return walked.ok() && free;
}

std::string print(const ThreadReport& report, const ThreadAccess& access, std::optional<MemorySpace> space) {
  std::string text = fmt::format("{} thread{} in {} warp{}, {} instruction{} of {} bytes a lane: ", report.threads,
                                 report.threads == 1 ? "" : "s", report.warps, report.warps == 1 ? "" : "s",
                                 report.instructions, report.instructions == 1 ? "" : "s", access.width());
  if (space != MemorySpace::Global)
    text += report.wavefronts == report.ideal ? fmt::format("{} wavefronts, no bank conflict", report.wavefronts)
                                              : fmt::format("{} wavefronts where {} would do, {}-way",
                                                            report.wavefronts, report.ideal, report.degree);
  if (!space) text += "; ";
  if (space != MemorySpace::Shared)
    text += report.sectors == report.idealSectors
                ? fmt::format("{} sectors, coalesced", report.sectors)
                : fmt::format("{} sectors where {} would do", report.sectors, report.idealSectors);
  if (report.vectorElements > access.perLane)
    text += fmt::format("; {} values of a lane are consecutive: one access of {} bytes could move them",
                        report.vectorElements, report.vectorElements * access.elementBits / 8);
  return text;
}

namespace {

// Who stored to an address: the first thread, and its place.
struct Storer {
  i64 thread = 0;
  std::size_t access = 0;
};

struct Touch {
  std::size_t access = 0;
  i64 thread = 0, address = 0;
};

// Calls visit(Touch) for every element that a thread touches, until it returns false.
template <typename Visit>
void eachTouch(const ThreadAccess& a, std::size_t number, int unit, Visit visit) {
  const i64 parts = a.elementBits / unit;
  Walk walk(a);
  std::vector<i64> counts;
  for (const int k : a.others) counts.push_back(a.map.digit(k).extent);
  counts.push_back(a.vectorDigit < 0 ? 1 : a.map.digit(a.vectorDigit).extent / a.perLane);
  std::vector<i64> instruction(counts.size(), 0);
  for (;;) {
    for (i64 thread = 0; thread < a.threadCount(); ++thread) {
      spend(4);
      walk.place(instruction, thread);
      if (!walk.isReal()) continue;
      const i64 begin = walk.offset() * parts;
      for (i64 j = 0; j < a.perLane * parts; ++j)
        if (!visit(Touch{number, thread, begin + j})) return;
    }
    std::size_t k = 0;
    for (; k < counts.size(); ++k) {
      if (++instruction[k] < counts[k]) break;
      instruction[k] = 0;
    }
    if (k == counts.size()) return;
  }
}

}  // namespace

Result<RaceReport> racesOf(const std::vector<ThreadAccess>& accesses, const std::vector<bool>& stores) {
  RaceReport out;
  int unit = 0;  // bits of what is compared: the narrowest elements
  for (const ThreadAccess& a : accesses) unit = unit == 0 ? a.elementBits : std::gcd(unit, a.elementBits);
  std::unordered_map<i64, Storer> stored;
  const auto nameOf = [&](std::size_t k) {
    return accesses[k].name.empty() ? fmt::format("access {}", k) : accesses[k].name;
  };
  const auto found = [&](const Storer& by, const Touch& touch, bool store) {
    const std::string sentence =
        store ? fmt::format("threads {} and {} both store to element {}", by.thread, touch.thread, touch.address)
              : fmt::format("thread {} stores to element {}, and thread {} loads it", by.thread, touch.address,
                            touch.thread);
    out.race =
        Race{touch.address, by.thread, touch.thread,
             fmt::format("{} ({}, {}), with no barrier between", sentence, nameOf(by.access), nameOf(touch.access))};
    return false;
  };
  for (std::size_t k = 0; k < accesses.size() && !out.race; ++k) {
    if (!stores[k]) continue;
    eachTouch(accesses[k], k, unit, [&](const Touch& touch) {
      ++out.stores;
      const auto [owner, isNew] = stored.emplace(touch.address, Storer{touch.thread, k});
      return isNew || owner->second.thread == touch.thread || found(owner->second, touch, true);
    });
  }
  for (std::size_t k = 0; k < accesses.size() && !out.race; ++k) {
    if (stores[k]) continue;
    eachTouch(accesses[k], k, unit, [&](const Touch& touch) {
      ++out.loads;
      const auto owner = stored.find(touch.address);
      return owner == stored.end() || owner->second.thread == touch.thread || found(owner->second, touch, false);
    });
  }
  return out;
}

}  // namespace tessera
