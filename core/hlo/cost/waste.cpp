#include "core/hlo/cost/waste.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <unordered_map>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/compose/structure.h"
#include "core/hlo/cost/kernel_reads.h"
#include "core/hlo/cost/plan.h"
#include "core/hlo/text/kept.h"

namespace tessera::hlo {
namespace {

constexpr double kRankingSeconds = 5;

// The bytes of all sectors; if unknown, of all reads.
void countAsked(OperandWaste& w, i64 elementBytes) {
  const WarpReads& r = w.warps;
  if (r.verdict == WarpVerdict::Unknown) {
    if (w.usage.reads) w.asked = checkedMul(*w.usage.reads, elementBytes);
    return;
  }
  w.asked = checkedMul(r.sectors, kSectorBytes);
}

OperandWaste operandWaste(const Reach& reach, const PlannedReads* planned, const std::string& unplanned,
                          const xla::Shape& shape) {
  OperandWaste w{.operand = reach.slot, .soundness = reach.soundness, .why = reach.why};
  w.warps.verdict = WarpVerdict::Unknown;
  if (reach.soundness == Soundness::Unknown || !shape.isArray()) {
    w.warps.why = w.why.empty() ? "it is not an array" : w.why;
    return w;
  }
  w.usage = usageOf(reach.maps, shape.sizes());
  const i64 bits = shape.storedBits(), bytes = std::max<i64>(1, ceilDiv(bits, 8));
  if (const auto all = w.usage.distinct ? checkedMul(*w.usage.distinct, bits) : std::nullopt)
    w.needed = ceilDiv(*all, 8);
  w.warps.why = unplanned;
  if (planned != nullptr)
    if (auto warps = warpReads(*planned, shape)) w.warps = *std::move(warps);
  if (planned != nullptr && planned->inPlace) {
    w.usage.distinct = w.usage.reads = 0;
    w.warps = {};
    w.why = "updated in place";
    w.needed = w.asked = 0;
    return w;
  }
  if (planned != nullptr && planned->once)
    w.asked = w.needed;
  else
    countAsked(w, bytes);
  return w;
}

std::optional<KernelWaste> wasteInTime(const Module& module, Where where, double seconds) {
  try {
    const WorkBudget limit({.seconds = seconds});
    return wasteOf(module, where);
  } catch (const OutOfBudget& end) {
    if (!end.counted()) throw;
    return KernelWaste{.where = where, .why = end.what()};
  }
}

// Computations whose instructions run as kernels when the instruction does, and how often each.
std::vector<std::pair<int, Runs>> runBy(const Module& module, Where where) {
  const Instruction& i = module.at(where);
  std::vector<std::pair<int, Runs>> list;
  if (i.opcode != "while" && i.opcode != "conditional" && i.opcode != "call") return list;
  for (const int c : calledBy(module, i)) {
    Runs runs{1, true};
    if (i.opcode == "while") {
      const auto trips = tripsOf(module, where);
      runs = {trips.value_or(1), trips.has_value()};
    }
    list.emplace_back(c, runs);
  }
  return list;
}

}  // namespace

// Excludes what runs as part of another instruction, or not at all.
bool isKernel(const Instruction& i) {
  constexpr std::array<std::string_view, 14> kOthers = {
      "parameter", "constant",  "tuple", "get-tuple-element", "bitcast",    "while",          "conditional",
      "call",      "after-all", "iota",  "opt-barrier",       "replica-id", "add-dependency", "partition-id"};
  if (i.operands.empty() || i.opcode.ends_with("-done") || i.opcode.ends_with("-update")) return false;
  return std::ranges::find(kOthers, i.opcode) == kOthers.end();
}

i64 timesAtMost(i64 a, i64 b) { return checkedMul(a, b).value_or(INT64_MAX); }
i64 plusAtMost(i64 a, i64 b) { return checkedAdd(a, b).value_or(INT64_MAX); }

// Callers before what they call: reverse postorder of a depth-first search.
std::vector<Runs> runsOf(const Module& module) {
  std::vector<Runs> runs(module.computations.size());
  if (module.entry < 0) return runs;
  std::vector<std::vector<std::pair<int, Runs>>> called(module.computations.size());
  std::vector<int> state(module.computations.size(), 0), order;
  std::vector<int> open{module.entry};
  while (!open.empty()) {
    const int c = open.back();
    const auto at = static_cast<std::size_t>(c);
    if (state[at] == 0) {
      state[at] = 1;
      for (std::size_t i = 0; i < module.computation(c).instructions.size(); ++i)
        for (auto& one : runBy(module, {c, static_cast<int>(i)})) called[at].push_back(one);
      for (const auto& [next, by] : called[at])
        if (state[static_cast<std::size_t>(next)] == 0) open.push_back(next);
      continue;
    }
    open.pop_back();
    if (state[at] == 1) order.push_back(c);
    state[at] = 2;
  }
  runs[static_cast<std::size_t>(module.entry)].times = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    const Runs from = runs[static_cast<std::size_t>(order[k])];
    for (const auto& [next, by] : called[static_cast<std::size_t>(order[k])]) {
      Runs& to = runs[static_cast<std::size_t>(next)];
      to.times = plusAtMost(to.times, timesAtMost(from.times, by.times));
      to.known = to.known && from.known && by.known;
    }
  }
  return runs;
}

double OperandWaste::times() const {
  if (!usage.reads || !usage.distinct || *usage.distinct == 0) return 1;
  return static_cast<double>(*usage.reads) / static_cast<double>(*usage.distinct);
}

// The sum over the operands; INT64_MAX if it is larger.
template <typename Of>
static i64 total(const std::vector<OperandWaste>& operands, Of of) {
  i64 n = 0;
  for (const OperandWaste& w : operands) n = plusAtMost(n, of(w));
  return n;
}

i64 KernelWaste::needed() const {
  return total(operands, [](const OperandWaste& w) { return w.asked ? w.needed.value_or(0) : 0; });
}
i64 KernelWaste::asked() const {
  return total(operands, [](const OperandWaste& w) { return w.needed ? w.asked.value_or(0) : 0; });
}
i64 KernelWaste::wasted() const { return total(operands, std::mem_fn(&OperandWaste::wasted)); }
i64 KernelWaste::wastedInAll() const { return timesAtMost(wasted(), runs); }

std::optional<KernelWaste> wasteOf(const Module& module, Where where) {
  const Instruction& instruction = module.at(where);
  if (!isKernel(instruction)) return std::nullopt;
  const auto reads = readsOfKernel(module, where);
  if (!reads) return std::nullopt;  // the instruction contradicts itself; tessera check reports it
  KernelWaste kernel{.where = where, .plan = reads->plan};
  for (const Reach& reach : reads->reads) {
    const auto slot = static_cast<std::size_t>(reach.slot);
    const int at = instruction.operands.at(slot);
    if (at < 0) continue;
    const Instruction& operand = module.computation(where.computation).at(at);
    if (operand.opcode == "constant" && module.shapeOf(operand).isArray() && module.shapeOf(operand).rank() == 0)
      continue;  // embedded in the kernel
    const bool known = slot < reads->planned.size();
    kernel.operands.push_back(
        operandWaste(reach, known ? &reads->planned[slot] : nullptr, reads->unplanned, module.shapeOf(operand)));
    kernel.operands.back().name = operand.name;
  }
  return kernel;
}

Ranking rankingOf(const Module& module, double secondsEach) {
  Ranking ranking;
  std::unordered_map<int, std::optional<KernelWaste>> known;  // by structure
  Structures structures(module);
  const std::vector<Runs> runs = runsOf(module);
  std::size_t examined = 0, all = 0;
  for (std::size_t c = 0; c < runs.size(); ++c)
    if (runs[c].times > 0) all += module.computations[c].instructions.size();
  try {
    for (std::size_t c = 0; c < runs.size(); ++c) {
      if (runs[c].times == 0) continue;
      const auto& instructions = module.computations[c].instructions;
      for (std::size_t i = 0; i < instructions.size(); ++i, ++examined) {
        if (!isKernel(instructions[i])) continue;
        const Where where{static_cast<int>(c), static_cast<int>(i)};
        const auto found = known.try_emplace(structures.of(where));
        if (found.second) found.first->second = wasteInTime(module, where, secondsEach);
        if (!found.first->second) continue;
        KernelWaste kernel = *found.first->second;
        kernel.where = where;
        kernel.runs = runs[c].times;
        kernel.runsKnown = runs[c].known;
        for (OperandWaste& w : kernel.operands)
          w.name = module.computations[c].at(instructions[i].operands[static_cast<std::size_t>(w.operand)]).name;
        ranking.kernels.push_back(std::move(kernel));
      }
    }
  } catch (const OutOfBudget& end) {
    ranking.why = end.what();
    ranking.missing = all - examined;
  }
  std::ranges::stable_sort(ranking.kernels, std::greater(), &KernelWaste::wastedInAll);
  return ranking;
}

std::shared_ptr<const Ranking> keptRanking(const Module& module) {
  if (module.kept != nullptr) {
    const std::lock_guard lock(module.kept->guard);
    if (module.kept->ranking != nullptr) return std::static_pointer_cast<const Ranking>(module.kept->ranking);
  }
  const auto ranking = std::make_shared<Ranking>();
  {
    const WorkBudget limit({.seconds = kRankingSeconds});
    *ranking = rankingOf(module);
  }
  // What an outer budget or the user ended says nothing about the module.
  const bool own = ranking->why.empty() || ranking->why == outOfBudget(workOf(kRankingSeconds));
  if (own && module.kept != nullptr) {
    const std::lock_guard lock(module.kept->guard);
    module.kept->ranking = ranking;
  }
  return ranking;
}

std::string bytesText(i64 bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KB", "MB", "GB", "TB"};
  double n = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (n >= 999.5 && unit + 1 < kUnits.size()) {
    n /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", n, kUnits[unit]);
}

std::string textOf(const KernelWaste& kernel) {
  const i64 needed = kernel.needed(), asked = kernel.asked();
  if (!kernel.why.empty()) return "not known: " + kernel.why;
  if (kernel.operands.empty()) return "reads nothing from memory";
  if (needed == 0) return "no reads are known";
  std::string out = asked <= needed
                        ? fmt::format("{} read, nothing requested twice", bytesText(needed))
                        : fmt::format("{} requested for {} ({:.3g} times)", bytesText(asked), bytesText(needed),
                                      static_cast<double>(asked) / static_cast<double>(needed));
  if (kernel.runs > 1) out += fmt::format(", {} runs", kernel.runs);
  if (!kernel.runsKnown) out += ", in a loop of unknown length";
  return out;
}

}  // namespace tessera::hlo
