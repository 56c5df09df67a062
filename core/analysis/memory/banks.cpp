#include "core/analysis/memory/banks.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/atlas/atlas.h"
#include "core/base/arith.h"

namespace tessera {
namespace {

int wordsOf(int width) { return std::max(1, width / kBankBytes); }

// Distinct words per bank for one phase, on the stack: a lane accesses at most one word of a bank, so a bank sees at
// most as many words as there are lanes.
struct BankTable {
  std::array<std::array<i64, kWarpLanes>, kBanks> word;
  std::array<int, kBanks> count{};

  // Returns the bank's count after the request.
  int add(i64 w) {
    auto b = static_cast<std::size_t>(w % kBanks);
    int n = count[b];
    for (int i = 0; i < n; ++i)
      if (word[b][static_cast<std::size_t>(i)] == w) return n;
    word[b][static_cast<std::size_t>(n)] = w;
    return count[b] = n + 1;
  }
};

// -1, which is not a word, for an inactive lane.
i64 firstWord(const WarpAccess& access, int lane) {
  const i64 a = access.addresses[static_cast<std::size_t>(lane)];
  return a == kInactive ? -1 : a / kBankBytes;
}

// Visits every (lane, word) of a phase.
template <class F>
void forEachWord(const WarpAccess& access, const LanePhases& phases, int phase, F&& f) {
  const int words = wordsOf(access.width);
  for (int l = 0; l < phases.lanes; ++l) {
    const int lane = phases.lane(phase, l);
    const i64 first = firstWord(access, lane);
    for (int i = 0; i < words && first >= 0; ++i) f(lane, first + i);
  }
}

int phaseWavefronts(const WarpAccess& access, const LanePhases& phases, int phase) {
  BankTable table;
  int worst = 0;
  forEachWord(access, phases, phase, [&](int, i64 word) { worst = std::max(worst, table.add(word)); });
  return worst;
}

// Every lane n and n^x read the same address. Inactive lanes only match inactive ones.
bool pairsRepeat(const WarpAccess& access, unsigned x) {
  bool active = false;
  for (unsigned lane = 0; lane < kWarpLanes; ++lane) {
    if (access.addresses[lane] != access.addresses[lane ^ x]) return false;
    active = active || access.addresses[lane] != kInactive;
  }
  return active;
}

std::optional<std::vector<int>> mergedPhases(const WarpAccess& access) {
  if (!access.merged || (!pairsRepeat(access, 1) && !pairsRepeat(access, 2))) return std::nullopt;
  std::vector<int> merged;
  for (int p = 0; p < access.merged->count; ++p) merged.push_back(phaseWavefronts(access, *access.merged, p));
  return merged;
}

Diag misaligned(std::size_t lane, i64 address, int width, std::string hint) {
  return Diag{
      fmt::format("lane {}: address {} is not a multiple of {} bytes; the hardware faults", lane, address, width),
      fmt::format("every address a multiple of {}", width), std::move(hint)};
}

Result<void> checkAccess(const WarpAccess& access) {
  if (access.space == MemorySpace::Global)
    return Diag{"an access to global memory has no banks", "an access to shared memory"};
  const int w = access.width;
  for (int p = 0; p < access.phases.count; ++p)
    for (int l = 0; l < access.phases.lanes; ++l) {
      const int lane = access.phases.lane(p, l);
      const i64 a = access.addresses[static_cast<std::size_t>(lane)];
      if (a == kInactive) continue;
      if (a < 0) return Diag{fmt::format("lane {} has the negative address {}", lane, a), "addresses >= 0"};
      if (a % w != 0)
        return misaligned(static_cast<std::size_t>(lane), a, w,
                          fmt::format("pad rows by a multiple of {} bytes, or use a narrower access", w));
    }
  return {};
}

i64 distinct(std::vector<i64> values) {
  std::ranges::sort(values);
  return std::unique(values.begin(), values.end()) - values.begin();
}

// Distinct unit numbers floor(byte / unit) over [a, a + width) for every a.
i64 distinctUnits(const std::vector<i64>& starts, int width, i64 unit) {
  std::vector<i64> units;
  for (i64 a : starts)
    for (i64 u = a / unit; u <= (a + width - 1) / unit; ++u) units.push_back(u);
  return distinct(std::move(units));
}

// The access named by `kind`, at that width.
Result<AtlasAccess> sharedAccess(std::string_view kind, int width) {
  if (kind == "load" || kind == "ld.shared") return vectorAccess(AccessDirection::Read, MemorySpace::Shared, width);
  if (kind == "store" || kind == "st.shared") return vectorAccess(AccessDirection::Write, MemorySpace::Shared, width);
  const auto row = findInstruction(kind);
  const AtlasAccess* access = row ? accessOf(*row, MemorySpace::Shared) : nullptr;
  if (access == nullptr)
    return Diag{fmt::format("'{}' is not a kind of shared-memory access", kind),
                "load, store, or an instruction such as ldmatrix.x4, stmatrix.x2, ld.shared.v4, cp.async16",
                row ? fmt::format("{} has no lanes that address shared memory", row->name) : row.error().hint};
  if (access->width != width)
    return access->matrices > 0
               ? Diag{fmt::format("a matrix row is 16 bytes, not {}", width), "width 16"}
               : Diag{fmt::format("{} moves {} bytes per lane, not {}", row->name, access->width, width),
                      fmt::format("width {}", access->width)};
  return *access;
}

}  // namespace

Result<WarpAccess> warpAccess(const AtlasAccess& kind, std::span<const std::optional<i64>> addresses) {
  if (addresses.size() > kWarpLanes)
    return Diag{fmt::format("a warp has 32 lanes, {} addresses were given", addresses.size()), "at most 32 addresses",
                "one instruction at a time"};
  WarpAccess access{kind};
  for (std::size_t lane = 0; lane < addresses.size(); ++lane)
    access.addresses[lane] = addresses[lane].value_or(kInactive);
  TESSERA_CHECKED(checkAccess(access));
  return access;
}

Result<WarpAccess> warpAccess(std::string_view kind, int width, std::span<const std::optional<i64>> addresses) {
  TESSERA_TRY(const AtlasAccess access, sharedAccess(kind, width));
  return warpAccess(access, addresses);
}

Result<BankReport> bankReport(const WarpAccess& access) {
  TESSERA_CHECKED(checkAccess(access));
  BankReport report;
  std::vector<i64> words;
  for (int p = 0; p < access.phases.count; ++p) {
    const int n = phaseWavefronts(access, access.phases, p);
    report.phaseWavefronts.push_back(n);
    report.wavefronts += n;
    report.ideal += n > 0 ? 1 : 0;
    report.conflictDegree = std::max(report.conflictDegree, n);
    forEachWord(access, access.phases, p, [&](int, i64 word) { words.push_back(word); });
  }
  report.uniqueWords = static_cast<int>(distinct(std::move(words)));
  report.excess = report.wavefronts - report.ideal;
  report.mergedPhases = mergedPhases(access);
  return report;
}

Result<BankAccess> bankAccess(const WarpAccess& access) {
  TESSERA_TRY(BankReport report, bankReport(access));
  return BankAccess{access, std::move(report)};
}

int wavefronts(const WarpAccess& access) {
  int total = 0;
  for (int p = 0; p < access.phases.count; ++p) total += phaseWavefronts(access, access.phases, p);
  return total;
}

bool conflictFree(const WarpAccess& access) {
  const LanePhases& phases = access.phases;
  const int words = wordsOf(access.width);
  for (int p = 0; p < phases.count; ++p) {
    std::array<i64, kBanks> seen;
    seen.fill(-1);
    for (int l = 0; l < phases.lanes; ++l) {
      const i64 first = firstWord(access, phases.lane(p, l));
      for (int i = 0; i < words && first >= 0; ++i) {
        i64& bank = seen[static_cast<std::size_t>((first + i) % kBanks)];
        if (bank >= 0 && bank != first + i) return false;
        bank = first + i;
      }
    }
  }
  return true;
}

std::vector<BankLoad> bankLoads(const WarpAccess& access, int phase) {
  std::array<BankLoad, kBanks> banks;
  forEachWord(access, access.phases, phase, [&](int lane, i64 w) {
    auto& words = banks[static_cast<std::size_t>(w % kBanks)].words;
    auto it = std::ranges::find(words, w, &BankLoad::Word::word);
    if (it == words.end()) it = words.insert(words.end(), {w, {}});
    if (it->lanes.empty() || it->lanes.back() != lane) it->lanes.push_back(lane);
  });
  std::vector<BankLoad> busy;
  for (int b = 0; b < kBanks; ++b) {
    auto& load = banks[static_cast<std::size_t>(b)];
    load.bank = b;
    if (!load.words.empty()) busy.push_back(std::move(load));
  }
  return busy;
}

std::optional<BankConflict> worstConflict(const WarpAccess& access) {
  std::optional<BankConflict> worst;
  for (int p = 0; p < access.phases.count; ++p)
    for (BankLoad& load : bankLoads(access, p))
      if (load.words.size() > 1 && (!worst || load.words.size() > worst->load.words.size()))
        worst = BankConflict{p, std::move(load), ""};
  if (!worst) return worst;
  std::string list;
  for (std::size_t i = 0; i < worst->load.words.size(); ++i) {
    if (i == 4 && worst->load.words.size() > 5) {
      list += fmt::format(" and {} more", worst->load.words.size() - i);
      break;
    }
    const auto& word = worst->load.words[i];
    list += fmt::format("{}lane {} byte {}", i == 0 ? "" : ", ", word.lanes.front(), word.word * kBankBytes);
  }
  worst->text = fmt::format("phase {}: bank {} must deliver {} words: {}", worst->phase, worst->load.bank,
                            worst->load.words.size(), list);
  return worst;
}

std::string print(const BankReport& report) {
  return fmt::format("{{wavefronts: {}, ideal: {}, excess: {}}}", report.wavefronts, report.ideal, report.excess);
}

Result<SectorReport> sectorReport(std::span<const std::optional<i64>> addresses, int width) {
  TESSERA_CHECKED(vectorAccess(AccessDirection::Read, MemorySpace::Global, width));
  SectorReport report;
  std::vector<i64> starts;
  for (std::size_t lane = 0; lane < addresses.size(); ++lane) {
    if (!addresses[lane]) continue;
    i64 a = *addresses[lane];
    if (a < 0 || a > std::numeric_limits<i64>::max() - width)
      return Diag{fmt::format("lane {} has the address {}", lane, a), "addresses from 0 below 2^63 - width"};
    if (a % width != 0)
      return misaligned(lane, a, width, fmt::format("use {} accesses of {} bytes", width / (a & -a), a & -a));
    starts.push_back(a);
  }
  report.requestedBytes = static_cast<i64>(starts.size()) * width;
  report.uniqueBytes = distinctUnits(starts, width, 1);
  report.sectors = distinctUnits(starts, width, kSectorBytes);
  report.lines = distinctUnits(starts, width, kLineBytes);
  report.idealSectors = ceilDiv(report.uniqueBytes, kSectorBytes);
  if (report.sectors > 0)
    report.efficiency = static_cast<double>(report.uniqueBytes) / static_cast<double>(kSectorBytes * report.sectors);
  return report;
}

std::string print(const SectorReport& report) {
  return fmt::format("{{sectors: {}, lines: {}}}", report.sectors, report.lines);
}

}  // namespace tessera
