#include "core/hlo/cost/kernel_reads.h"

#include <algorithm>

#include "core/hlo/compose/fusion.h"
#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

constexpr std::size_t kMostOutputs = 64;  // of further ones nothing is planned

struct OneOutput {
  int output = 0;
  std::vector<Reach> reads;
  Result<Plan> plan;
};

void doubt(Soundness& soundness, std::string& why, Soundness other, const std::string& otherWhy) {
  if (other <= soundness) return;
  soundness = other;
  why = otherWhy;
}

void addReach(std::vector<Reach>& to, const Reach& reach) {
  const auto same =
      std::ranges::find_if(to, [&](const Reach& r) { return r.slot == reach.slot && r.element == reach.element; });
  if (same == to.end()) {
    to.push_back(reach);
    return;
  }
  doubt(same->soundness, same->why, reach.soundness, reach.why);
  const auto positionOf = [](const Reach& r, std::size_t k) {
    return k < r.devices.size() ? r.devices[k] : std::nullopt;
  };
  for (std::size_t k = 0; k < reach.maps.size(); ++k) {
    bool there = false;
    for (std::size_t j = 0; j < same->maps.size() && !there; ++j)
      there = same->maps[j] == reach.maps[k] && positionOf(*same, j) == positionOf(reach, k);
    if (there) continue;
    same->runtime.resize(same->maps.size());
    same->devices.resize(same->maps.size());
    same->maps.push_back(reach.maps[k]);
    same->runtime.push_back(reach.runtimeOf(k));
    same->devices.push_back(positionOf(reach, k));
  }
}

void addPlanned(PlannedReads& to, const PlannedReads& from) {
  doubt(to.soundness, to.why, from.soundness, from.why);
  for (const Map& map : from.elements)
    if (std::ranges::find(to.elements, map) == to.elements.end()) to.elements.push_back(map);
  to.once = to.once && from.once;
  to.inPlace = to.inPlace && from.inPlace;
}

// Outputs that a reduction's threads can write: those of the shape that it runs over.
void sharePlan(const Module& module, Where where, std::vector<OneOutput>& outputs) {
  for (const OneOutput& hero : outputs) {
    if (!hero.plan || hero.plan->hero.computation < 0 || module.at(hero.plan->hero).opcode != "reduce") continue;
    const auto over = Op(module, hero.plan->hero).operand(0);
    if (!over || hero.plan->kind != Plan::Kind::Threads) continue;
    for (OneOutput& other : outputs) {
      const auto shape = Op(module, where).output(static_cast<std::size_t>(other.output));
      if (!other.plan || other.plan->hero.computation >= 0 || !shape || (*shape)->sizes() != (*over)->sizes()) continue;
      other.plan->name = hero.plan->name;
      other.plan->threads = hero.plan->threads;
    }
    return;
  }
}

}  // namespace

Result<KernelReads> readsOfKernel(const Module& module, Where where) {
  const Instruction& instruction = module.at(where);
  const std::size_t count = std::min(kMostOutputs, module.outputsOf(instruction));
  std::vector<OneOutput> outputs;
  for (std::size_t k = 0; k < count; ++k) {
    const int output = static_cast<int>(k);
    if (k > 0 && !module.shapeOf(instruction).leaf(k).isArray()) continue;
    TESSERA_TRY(std::vector<Reach> reads, readsThrough(module, where, output));
    const bool known = std::ranges::any_of(reads, [](const Reach& r) { return r.soundness != Soundness::Unknown; });
    if (k > 0 && instruction.opcode == "custom-call" && !known) continue;
    outputs.push_back({output, std::move(reads), planOf(module, where, output)});
  }
  sharePlan(module, where, outputs);
  KernelReads kernel;
  bool first = true;
  for (const OneOutput& one : outputs) {
    for (const Reach& reach : one.reads) addReach(kernel.reads, reach);
    const auto planned = one.plan ? readsOfPlan(module, where, one.output, *one.plan)
                                  : Result<std::vector<PlannedReads>>(one.plan.error());
    if (one.plan && kernel.plan.find(one.plan->name) == std::string::npos)
      kernel.plan += (kernel.plan.empty() ? "" : "; ") + one.plan->name;
    if (!planned && kernel.unplanned.empty()) kernel.unplanned = planned.error().message;
    if (!planned || !kernel.unplanned.empty()) continue;
    if (first) kernel.planned = *planned;
    for (std::size_t k = 0; !first && k < kernel.planned.size() && k < planned->size(); ++k)
      addPlanned(kernel.planned[k], (*planned)[k]);
    first = false;
  }
  if (!kernel.unplanned.empty()) kernel.planned.clear();
  return kernel;
}

}  // namespace tessera::hlo
