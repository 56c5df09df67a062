#include "app/cli/commands/module_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/cli/io/signals.h"
#include "app/engine/json_writer.h"
#include "app/engine/module/reach_lines.h"
#include "app/engine/module/waste_lines.h"
#include "core/base/chars.h"
#include "core/base/work_budget.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/cost/coverage.h"
#include "core/hlo/cost/waste.h"
#include "core/hlo/listing.h"
#include "core/worksheet/language/place.h"
#include "solver/prove/prove.h"

namespace tessera {

namespace {

using hlo::Coverage;
using hlo::Module;

std::string_view nameOf(Coverage::Kind kind) {
  constexpr std::string_view kNames[] = {"exact", "exact", "over-approximate", "unsupported", "wrong"};
  return kNames[static_cast<std::size_t>(kind)];
}

const hlo::Instruction& firstOf(const Module& module, const Coverage::Gap& gap) { return module.at(gap.first); }

std::string countsOf(const Module& module, const Coverage& c) {
  std::string out =
      fmt::format("{} in {}: {} exact", counted(static_cast<std::size_t>(c.instructions()), "instruction"),
                  counted(module.computations.size(), "computation"), c.exact);
  if (c.nothing > 0) out += fmt::format(", {} read{} nothing", c.nothing, c.nothing == 1 ? "s" : "");
  if (c.over > 0) out += fmt::format(", {} over-approximate", c.over);
  if (c.unknown > 0) out += fmt::format(", {} unsupported", c.unknown);
  if (c.wrong > 0) out += fmt::format(", {} wrong", c.wrong);
  return out;
}

// Proves that every element that is read exists: an out-of-bounds read means a wrong rule or an invalid module.
struct Bounds {
  i64 inside = 0, open = 0;
  std::vector<std::string> outside;  // "%f, line 3, operand 0: ..."
  std::vector<int> lines;            // of those
};

class BoundsCheck {
 public:
  BoundsCheck(const Module& module, double seconds) : module_(module), left_(workOf(seconds)) {}

  Bounds run() {
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
    const xla::Shape* const shape = operandArray({module_, computation, at}, r.slot);
    if (shape == nullptr) return;
    for (std::size_t m = 0; m < r.maps.size(); ++m) {
      const auto map = hlo::mapOf(r, shape->sizes(), static_cast<int>(m));
      if (!map || left_ <= 0) {
        ++bounds_.open;
        continue;
      }
      ProveOptions options;
      options.budgetSeconds = std::min(0.5, secondsOf(left_));
      options.cancel = &interrupted();
      const Verdict v = prove({claims::InBounds{*map}}, options);
      if (v.truth == Truth::Proved) ++bounds_.inside;
      if (v.truth == Truth::Unknown) ++bounds_.open;
      if (v.truth != Truth::Refuted) continue;
      bounds_.lines.push_back(static_cast<int>(module_.lineAt(at.span.begin)));
      bounds_.outside.push_back(
          fmt::format("%{}, line {}, operand {}: {}", at.name, bounds_.lines.back(), r.slot, v.counterexample->text));
    }
  }

  const Module& module_;
  Work left_;
  Bounds bounds_;
};

std::string textOf(const Bounds& b) {
  std::string out = counted(static_cast<std::size_t>(b.inside), "read") + " in bounds, proved";
  if (!b.outside.empty()) out += fmt::format(", {} outside", b.outside.size());
  if (b.open > 0) out += fmt::format(", {} not shown", b.open);
  return out;
}

void asJson(const Module& module, const Coverage& c, const Bounds& b, const std::string& file, double seconds,
            Output& out) {
  JsonWriter json;
  json.beginObject()
      .member("ok", c.wrong == 0 && b.outside.empty() && module.problems.empty())
      .member("kind", "module")
      .member("file", file);
  json.member("module", module.name).member("computations", static_cast<i64>(module.computations.size()));
  json.member("instructions", c.instructions()).member("exact", c.exact).member("nothing", c.nothing);
  json.member("over", c.over).member("unsupported", c.unknown).member("wrong", c.wrong);
  json.key("gaps").beginArray();
  for (const Coverage::Gap& g : c.gaps) {
    const hlo::Instruction& first = firstOf(module, g);
    json.beginObject().member("sound", nameOf(g.kind)).member("op", g.opcode).member("why", g.why);
    json.member("count", g.count).member("instruction", first.name).member("line", module.lineAt(first.span.begin));
    json.endObject();
  }
  json.endArray().key("problems").beginArray();
  for (const hlo::Problem& p : module.problems)
    json.beginObject()
        .member("line", p.line)
        .member("instruction", p.instruction)
        .member("error", p.diag.message)
        .member("expected", p.diag.expected)
        .endObject();
  json.endArray().member("in bounds", b.inside).member("not shown", b.open).member("outside", b.outside);
  json.member("seconds", seconds);
  (void)out.line(json.endObject().take());
}

void asText(const Module& module, const Coverage& c, const Bounds& b, double seconds, Output& out) {
  for (const hlo::Problem& p : module.problems) complain(hlo::textOf(p));
  for (const Coverage::Gap& g : c.gaps) {
    const hlo::Instruction& first = firstOf(module, g);
    (void)out.line(fmt::format("  {:<16}  {} %{}, line {}: {}{}", nameOf(g.kind), g.opcode, first.name,
                               module.lineAt(first.span.begin), g.why,
                               g.count == 1 ? "" : fmt::format("   (and {} more)", g.count - 1)));
  }
  for (const std::string& one : b.outside) (void)out.line("  outside           " + one);
  (void)out.line("  " + textOf(b));
  (void)out.line(fmt::format("  {}  ({:.1f} ms)", countsOf(module, c), seconds * 1e3));
}

}  // namespace

bool printCoverage(const Module& module, const std::string& file, double seconds, bool json, Output& out) {
  try {
    const WorkBudget limit({.cancel = &interrupted()});
    const auto start = std::chrono::steady_clock::now();
    const Coverage coverage = hlo::coverageOf(module, seconds);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const Bounds bounds = BoundsCheck(module, seconds).run();
    json ? asJson(module, coverage, bounds, file, took, out) : asText(module, coverage, bounds, took, out);
    return coverage.wrong == 0 && bounds.outside.empty() && module.problems.empty();
  } catch (const OutOfBudget&) {  // interrupted
    return false;
  }
}

std::optional<std::vector<ModuleFinding>> moduleFindings(const Module& module, double seconds) {
  std::vector<ModuleFinding> out;
  for (const hlo::Problem& p : module.problems) out.push_back({static_cast<int>(p.line), hlo::textOf(p), true});
  try {
    const WorkBudget limit({.cancel = &interrupted()});
    for (const Coverage::Gap& g : hlo::coverageOf(module, seconds).gaps) {
      if (nameOf(g.kind) != "wrong") continue;
      const hlo::Instruction& first = firstOf(module, g);
      out.push_back({static_cast<int>(module.lineAt(first.span.begin)),
                     fmt::format("{} %{} contradicts itself: {}", g.opcode, first.name, g.why)});
    }
    const Bounds bounds = BoundsCheck(module, seconds).run();
    for (std::size_t k = 0; k < bounds.outside.size(); ++k)
      out.push_back({bounds.lines[k], "reads outside its operand: " + bounds.outside[k]});
    return out;
  } catch (const OutOfBudget&) {  // interrupted
    return std::nullopt;
  }
}

bool printWorst(const hlo::Module& module, double secondsEach, bool json, Output& out) {
  const LineIndex lines(*module.text);
  int rank = 0;
  bool inTime = true;
  try {
    const WorkBudget limit({.cancel = &interrupted()});
    for (const hlo::KernelWaste& k : hlo::wasteOf(module, SIZE_MAX, secondsEach)) {
      ++rank;
      inTime = inTime && k.why.empty();
      if (!out.line(json ? wasteJson(module, lines, rank, k) : wasteText(module, rank, k))) return false;
    }
  } catch (const OutOfBudget&) {  // interrupted
    return false;
  }
  if (rank == 0 && !json) (void)out.line("no instruction of the module reads memory");
  return inTime;
}

}  // namespace tessera
