#include "app/engine/module/module_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/engine/module/reach_lines.h"
#include "core/base/chars.h"
#include "core/base/work_budget.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/listing.h"
#include "core/worksheet/language/place.h"
#include "solver/prove/prove.h"

namespace tessera {
namespace {

class BoundsCheck {
 public:
  BoundsCheck(const hlo::Module& module, double seconds, const std::atomic<bool>* cancel)
      : module_(module), cancel_(cancel), left_(workOf(seconds)) {}

  ReadBounds run() {
    for (std::size_t c = 0; c < module_.computations.size(); ++c)
      for (std::size_t i = 0; i < module_.computations[c].instructions.size(); ++i)
        readsOf({static_cast<int>(c), static_cast<int>(i)});
    return std::move(bounds_);
  }

 private:
  // Reads not proved in time count as open; an instruction whose reads were not found in time counts as one.
  void readsOf(hlo::Where where) {
    const Work start = workSpent();
    try {
      const WorkBudget limit({.steps = left_});
      if (const auto reads = hlo::readsThrough(module_, where); reads)
        for (const hlo::Reach& r : *reads) judge(where, r);
    } catch (const OutOfBudget& end) {
      if (end.cancelled()) throw;
      ++bounds_.open;
    }
    left_ -= workSpent() - start;
  }

  void judge(hlo::Where where, const hlo::Reach& r) {
    const hlo::Computation& computation = module_.computation(where.computation);
    const hlo::Instruction& at = computation.at(where.instruction);
    const xla::Shape* const shape = operandArray({module_, computation, at}, r.slot, r.element);
    if (shape == nullptr) return;
    for (std::size_t m = 0; m < r.maps.size(); ++m) {
      const auto map = hlo::mapOf(r, shape->sizes(), static_cast<int>(m));
      if (!map || left_ <= 0) {
        ++bounds_.open;
        continue;
      }
      ProveOptions options;
      options.budgetSeconds = std::min(0.5, secondsOf(left_));
      options.cancel = cancel_;
      const Verdict v = prove({claims::InBounds{*map}}, options);
      if (v.truth == Truth::Proved) ++bounds_.inside;
      if (v.truth == Truth::Unknown) ++bounds_.open;
      if (v.truth != Truth::Refuted) continue;
      bounds_.lines.push_back(static_cast<int>(module_.lineAt(at.span.begin)));
      bounds_.outside.push_back(
          fmt::format("%{}, line {}, operand {}: {}", at.name, bounds_.lines.back(), r.slot, v.counterexample->text));
    }
  }

  const hlo::Module& module_;
  const std::atomic<bool>* cancel_;
  Work left_;
  ReadBounds bounds_;
};

}  // namespace

ReadBounds boundsOf(const hlo::Module& module, double seconds, const std::atomic<bool>* cancel) {
  return BoundsCheck(module, seconds, cancel).run();
}

std::string_view nameOf(hlo::Coverage::Kind kind) {
  constexpr std::string_view kNames[] = {"exact", "exact", "over-approximate", "unsupported", "wrong"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string coverageText(const hlo::Module& module, const hlo::Coverage& c) {
  std::string out =
      fmt::format("{} in {}: {} exact", counted(static_cast<std::size_t>(c.instructions()), "instruction"),
                  counted(module.computations.size(), "computation"), c.exact);
  if (c.nothing > 0) out += fmt::format(", {} read{} nothing", c.nothing, c.nothing == 1 ? "s" : "");
  if (c.over > 0) out += fmt::format(", {} over-approximate", c.over);
  if (c.unknown > 0) out += fmt::format(", {} unsupported", c.unknown);
  if (c.wrong > 0) out += fmt::format(", {} wrong", c.wrong);
  return out;
}

std::string gapText(const hlo::Module& module, const hlo::Coverage::Gap& gap) {
  const hlo::Instruction& first = module.at(gap.first);
  return fmt::format("{:<16}  {} %{}, line {}: {}{}", nameOf(gap.kind), gap.opcode, first.name,
                     module.lineAt(first.span.begin), gap.why,
                     gap.count == 1 ? "" : fmt::format("   (and {} more)", gap.count - 1));
}

std::string boundsText(const ReadBounds& b) {
  std::string out = counted(static_cast<std::size_t>(b.inside), "read") + " in bounds, proved";
  if (!b.outside.empty()) out += fmt::format(", {} outside", b.outside.size());
  if (b.open > 0) out += fmt::format(", {} not shown", b.open);
  return out;
}

}  // namespace tessera
