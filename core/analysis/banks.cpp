#include "core/analysis/banks.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

bool isMatrixKind(AccessKind kind) { return kind == AccessKind::Ldmatrix || kind == AccessKind::Stmatrix; }

int wordsOf(int width) { return std::max(1, width / kBankBytes); }

// Distinct words per bank for one phase, on the stack: a lane asks for at most 4 words and a phase never for more than
// 32 words of distinct (lane, word) requests, so a bank sees at most 32.
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

int phaseWavefronts(const WarpAccess& access, int firstLane, int lanes) {
  BankTable table;
  int worst = 0;
  const int words = wordsOf(access.width);
  for (int lane = firstLane; lane < firstLane + lanes; ++lane) {
    i64 a = access.addresses[static_cast<std::size_t>(lane)];
    if (a == kInactive) continue;
    for (int i = 0; i < words; ++i) worst = std::max(worst, table.add(a / kBankBytes + i));
  }
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
  if (access.kind != AccessKind::Load || access.width < 8) return std::nullopt;
  if (!pairsRepeat(access, 1) && !pairsRepeat(access, 2)) return std::nullopt;
  const int lanes = access.width == 8 ? 32 : 16;
  std::vector<int> merged;
  for (int first = 0; first < kWarpLanes; first += lanes) merged.push_back(phaseWavefronts(access, first, lanes));
  return merged;
}

Result<void> checkAccess(const WarpAccess& access) {
  const int w = access.width;
  if (w != 1 && w != 2 && w != 4 && w != 8 && w != 16)
    return Diag{fmt::format("no shared-memory access is {} bytes wide a lane", w), "1, 2, 4, 8 or 16 bytes", "", {}};
  if (isMatrixKind(access.kind)) {
    if (w != 16) return Diag{fmt::format("a matrix row is 16 bytes, not {}", w), "width 16", "", {}};
    if (access.matrices != 1 && access.matrices != 2 && access.matrices != 4)
      return Diag{fmt::format("ldmatrix and stmatrix move 1, 2 or 4 matrices, not {}", access.matrices),
                  ".x1, .x2 or .x4",
                  "",
                  {}};
  }
  const int lanes = isMatrixKind(access.kind) ? 8 * access.matrices : kWarpLanes;
  for (int lane = 0; lane < lanes; ++lane) {
    i64 a = access.addresses[static_cast<std::size_t>(lane)];
    if (a == kInactive) continue;
    if (a < 0) return Diag{fmt::format("lane {} has the negative address {}", lane, a), "addresses >= 0", "", {}};
    if (a % w != 0)
      return Diag{fmt::format("lane {}: address {} is not a multiple of {} bytes; the hardware faults", lane, a, w),
                  fmt::format("every address a multiple of {}", w),
                  fmt::format("pad rows by a multiple of {} bytes, or use a narrower access", w),
                  {}};
  }
  return {};
}

}  // namespace

PhaseShape phaseShape(const WarpAccess& access) {
  if (isMatrixKind(access.kind)) return {access.matrices, 8};
  if (access.width <= 4) return {1, 32};
  return access.width == 8 ? PhaseShape{2, 16} : PhaseShape{4, 8};
}

Result<WarpAccess> warpAccess(AccessKind kind, int width, int matrices, std::span<const std::optional<i64>> addresses) {
  if (addresses.size() > kWarpLanes)
    return Diag{fmt::format("a warp has 32 lanes, {} addresses were given", addresses.size()),
                "at most 32 addresses",
                "one instruction at a time",
                {}};
  WarpAccess access;
  access.kind = kind;
  access.width = width;
  access.matrices = matrices;
  for (std::size_t lane = 0; lane < addresses.size(); ++lane)
    access.addresses[lane] = addresses[lane].value_or(kInactive);
  TESSERA_CHECKED(checkAccess(access));
  return access;
}

Result<WarpAccess> warpAccess(std::string_view kind, int width, std::span<const std::optional<i64>> addresses) {
  if (kind == "load") return warpAccess(AccessKind::Load, width, 0, addresses);
  if (kind == "store") return warpAccess(AccessKind::Store, width, 0, addresses);
  for (auto [name, matrixKind] :
       {std::pair{"ldmatrix.x", AccessKind::Ldmatrix}, {"stmatrix.x", AccessKind::Stmatrix}}) {
    std::string_view prefix = name;
    if (kind.size() == prefix.size() + 1 && kind.substr(0, prefix.size()) == prefix)
      return warpAccess(matrixKind, width, kind.back() - '0', addresses);
  }
  return Diag{fmt::format("'{}' is no kind of shared-memory access", kind),
              "load, store, ldmatrix.x1 .x2 .x4, stmatrix.x1 .x2 .x4",
              "",
              {}};
}

Result<BankReport> bankReport(const WarpAccess& access) {
  TESSERA_CHECKED(checkAccess(access));
  BankReport report;
  const PhaseShape shape = phaseShape(access);
  std::vector<i64> words;
  for (int p = 0; p < shape.phases; ++p) {
    int n = phaseWavefronts(access, p * shape.lanesPerPhase, shape.lanesPerPhase);
    report.phaseWavefronts.push_back(n);
    report.wavefronts += n;
    report.ideal += n > 0 ? 1 : 0;
    report.conflictDegree = std::max(report.conflictDegree, n);
  }
  for (int lane = 0; lane < shape.phases * shape.lanesPerPhase; ++lane) {
    i64 a = access.addresses[static_cast<std::size_t>(lane)];
    if (a == kInactive) continue;
    for (int i = 0; i < wordsOf(access.width); ++i) words.push_back(a / kBankBytes + i);
  }
  std::sort(words.begin(), words.end());
  report.uniqueWords = static_cast<int>(std::unique(words.begin(), words.end()) - words.begin());
  report.excess = report.wavefronts - report.ideal;
  report.mergedPhases = mergedPhases(access);
  return report;
}

int wavefronts(const WarpAccess& access) {
  const PhaseShape shape = phaseShape(access);
  int total = 0;
  for (int p = 0; p < shape.phases; ++p) total += phaseWavefronts(access, p * shape.lanesPerPhase, shape.lanesPerPhase);
  return total;
}

bool conflictFree(const WarpAccess& access) {
  const PhaseShape shape = phaseShape(access);
  const int words = wordsOf(access.width);
  for (int p = 0; p < shape.phases; ++p) {
    std::array<i64, kBanks> seen;
    seen.fill(-1);
    for (int l = 0; l < shape.lanesPerPhase; ++l) {
      i64 a = access.addresses[static_cast<std::size_t>(p * shape.lanesPerPhase + l)];
      if (a == kInactive) continue;
      for (int i = 0; i < words; ++i) {
        i64 w = a / kBankBytes + i;
        i64& bank = seen[static_cast<std::size_t>(w % kBanks)];
        if (bank >= 0 && bank != w) return false;
        bank = w;
      }
    }
  }
  return true;
}

std::vector<BankLoad> bankLoads(const WarpAccess& access, int phase) {
  const PhaseShape shape = phaseShape(access);
  std::array<BankLoad, kBanks> banks;
  for (int lane = phase * shape.lanesPerPhase; lane < (phase + 1) * shape.lanesPerPhase; ++lane) {
    i64 a = access.addresses[static_cast<std::size_t>(lane)];
    if (a == kInactive) continue;
    for (int i = 0; i < wordsOf(access.width); ++i) {
      i64 w = a / kBankBytes + i;
      auto& words = banks[static_cast<std::size_t>(w % kBanks)].words;
      auto it = std::find_if(words.begin(), words.end(), [&](const BankLoad::Word& x) { return x.word == w; });
      if (it == words.end()) it = words.insert(words.end(), {w, {}});
      if (it->lanes.empty() || it->lanes.back() != lane) it->lanes.push_back(lane);
    }
  }
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
  for (int p = 0; p < phaseShape(access).phases; ++p)
    for (BankLoad& load : bankLoads(access, p))
      if (load.words.size() > 1 && (!worst || load.words.size() > worst->load.words.size()))
        worst = BankConflict{p, std::move(load), ""};
  if (!worst) return worst;
  std::string list;
  for (std::size_t i = 0; i < worst->load.words.size(); ++i) {
    if (i == 4 && worst->load.words.size() > 5) {
      list += ", ...";
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

}  // namespace tessera
