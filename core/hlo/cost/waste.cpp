#include "core/hlo/cost/waste.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "core/base/arith.h"
#include "core/base/work_budget.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/cost/thread_map.h"

namespace tessera::hlo {
namespace {

constexpr i64 kSectorBytes = 32, kMostAddresses = i64{1} << 18;

// Excludes what runs as part of another instruction, or not at all.
bool isKernel(std::string_view opcode) {
  constexpr std::array<std::string_view, 11> kOthers = {"parameter", "constant", "tuple",       "get-tuple-element",
                                                        "bitcast",   "while",    "conditional", "call",
                                                        "after-all", "iota",     "opt-barrier"};
  return std::ranges::find(kOthers, opcode) == kOthers.end();
}

// The bytes of all sectors; if unknown, of all reads.
void countAsked(OperandWaste& w, i64 elementBytes) {
  const WarpReads& r = w.warps;
  if (r.verdict == WarpVerdict::Unknown) {
    if (w.usage.reads) w.asked = checkedMul(*w.usage.reads, elementBytes);
    return;
  }
  w.about = r.cut || r.warps < r.of;
  const double bytes = r.whole * static_cast<double>(kSectorBytes);
  if (bytes < 9e18) w.asked = static_cast<i64>(bytes);
}

OperandWaste operandWaste(const Reach& reach, const Result<std::vector<Reach>>& planned, const Result<ThreadPlan>& plan,
                          const xla::Shape& shape) {
  OperandWaste w{.operand = reach.slot, .soundness = reach.soundness, .why = reach.why};
  if (reach.soundness == Soundness::Unknown || !shape.isArray()) {
    w.warps.verdict = WarpVerdict::Unknown;
    w.warps.why = w.why.empty() ? "it is not an array" : w.why;
    return w;
  }
  w.usage = usageOf(reach.maps, shape.sizes());
  const i64 bits = shape.storedBits(), bytes = std::max<i64>(1, ceilDiv(bits, 8));
  if (const auto all = w.usage.distinct ? checkedMul(*w.usage.distinct, bits) : std::nullopt)
    w.needed = ceilDiv(*all, 8);
  w.warps.verdict = WarpVerdict::Unknown;
  w.warps.why = !plan ? plan.error().message : !planned ? planned.error().message : "";
  if (plan && planned)
    for (const Reach& r : *planned)
      if (r.slot == reach.slot)
        if (auto warps = warpReads(r, plan->threads, shape, kMostAddresses)) w.warps = *std::move(warps);
  countAsked(w, bytes);
  return w;
}

std::optional<KernelWaste> wasteInTime(const Module& module, Where where, double seconds) {
  try {
    const WorkBudget limit({.seconds = seconds});
    return wasteOf(module, where);
  } catch (const OutOfBudget& end) {
    if (end.cancelled()) throw;
    return KernelWaste{.where = where, .why = end.what()};
  }
}

std::vector<int> kernelComputations(const Module& module) {
  if (module.entry < 0) return {};
  std::vector<int> list{module.entry};
  for (std::size_t at = 0; at < list.size(); ++at)
    for (const Instruction& i : module.computation(list[at]).instructions) {
      if (i.opcode != "while" && i.opcode != "conditional" && i.opcode != "call") continue;
      for (const int c : calledBy(module, i))
        if (std::ranges::find(list, c) == list.end()) list.push_back(c);
    }
  return list;
}

}  // namespace

double OperandWaste::times() const {
  if (!usage.reads || !usage.distinct || *usage.distinct == 0) return 1;
  return static_cast<double>(*usage.reads) / static_cast<double>(*usage.distinct);
}

// The sum over the operands; INT64_MAX if it is larger.
template <typename Of>
static i64 total(const std::vector<OperandWaste>& operands, Of of) {
  i64 n = 0;
  for (const OperandWaste& w : operands) n = checkedAdd(n, of(w)).value_or(INT64_MAX);
  return n;
}

i64 KernelWaste::needed() const {
  return total(operands, [](const OperandWaste& w) { return w.asked ? w.needed.value_or(0) : 0; });
}
i64 KernelWaste::asked() const {
  return total(operands, [](const OperandWaste& w) { return w.needed ? w.asked.value_or(0) : 0; });
}
i64 KernelWaste::wasted() const { return total(operands, std::mem_fn(&OperandWaste::wasted)); }
bool KernelWaste::about() const { return std::ranges::any_of(operands, &OperandWaste::about); }

std::optional<KernelWaste> wasteOf(const Module& module, Where where) {
  const Instruction& instruction = module.at(where);
  if (instruction.operands.empty() || !isKernel(instruction.opcode)) return std::nullopt;
  const auto reads = readsThrough(module, where, 0);
  if (!reads) return std::nullopt;  // the instruction contradicts itself; tessera check reports it
  const auto plan = planOf(module, where, 0);
  Result<std::vector<Reach>> planned = Diag{plan ? "" : plan.error().message};
  if (plan) planned = readsOfPlan(module, where, 0, *plan);
  KernelWaste kernel{.where = where, .plan = plan ? plan->name : ""};
  for (const Reach& reach : *reads) {
    const int at = instruction.operands.at(static_cast<std::size_t>(reach.slot));
    if (at < 0) continue;
    const Instruction& operand = module.computation(where.computation).at(at);
    if (operand.opcode == "constant" && module.shapeOf(operand).isArray() && module.shapeOf(operand).rank() == 0)
      continue;  // embedded in the kernel
    kernel.operands.push_back(operandWaste(reach, planned, plan, module.shapeOf(operand)));
    kernel.operands.back().name = operand.name;
  }
  if (module.isTuple(instruction))
    for (OperandWaste& w : kernel.operands)
      w.why += fmt::format("{}for the first of several outputs", w.why.empty() ? "" : "; ");
  return kernel;
}

std::vector<KernelWaste> wasteOf(const Module& module, std::size_t most, double secondsEach) {
  std::vector<KernelWaste> all;
  for (const int c : kernelComputations(module))
    for (std::size_t i = 0; i < module.computation(c).instructions.size(); ++i)
      if (auto one = all.size() < most ? wasteInTime(module, {c, static_cast<int>(i)}, secondsEach) : std::nullopt)
        all.push_back(*std::move(one));
  std::ranges::stable_sort(all, std::greater(), &KernelWaste::wasted);
  return all;
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
  if (needed == 0) return "no reads are known";
  const std::string about = kernel.about() ? "about " : "";
  if (asked <= needed) return fmt::format("{} read, nothing requested twice", bytesText(needed));
  return fmt::format("{}{} requested for {} ({:.3g} times)", about, bytesText(asked), bytesText(needed),
                     static_cast<double>(asked) / static_cast<double>(needed));
}

}  // namespace tessera::hlo
