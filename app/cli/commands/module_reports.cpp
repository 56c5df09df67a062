#include "app/cli/commands/module_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/cli/io/signals.h"
#include "app/engine/json_writer.h"
#include "app/engine/module/module_check.h"
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

const hlo::Instruction& firstOf(const Module& module, const Coverage::Gap& gap) { return module.at(gap.first); }

void asJson(const Module& module, const Coverage& c, const ReadBounds& b, const std::string& file, double seconds,
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

void asText(const Module& module, const Coverage& c, const ReadBounds& b, double seconds, Output& out) {
  for (const hlo::Problem& p : module.problems) complain(hlo::textOf(p));
  for (const Coverage::Gap& g : c.gaps) (void)out.line("  " + gapText(module, g));
  for (const std::string& one : b.outside) (void)out.line("  outside           " + one);
  (void)out.line("  " + boundsText(b));
  (void)out.line(fmt::format("  {}  ({:.1f} ms)", coverageText(module, c), seconds * 1e3));
}

}  // namespace

bool printCoverage(const Module& module, const std::string& file, double seconds, bool json, Output& out) {
  try {
    const WorkBudget limit({.cancel = &interrupted()});
    const auto start = std::chrono::steady_clock::now();
    const Coverage coverage = hlo::coverageOf(module, seconds);
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const ReadBounds bounds = boundsOf(module, seconds, &interrupted());
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
    const ReadBounds bounds = boundsOf(module, seconds, &interrupted());
    for (std::size_t k = 0; k < bounds.outside.size(); ++k)
      out.push_back({bounds.lines[k], "reads outside its operand: " + bounds.outside[k]});
    return out;
  } catch (const OutOfBudget&) {  // interrupted
    return std::nullopt;
  }
}

bool printWorst(const hlo::Module& module, double secondsEach, bool json, Output& out) {
  hlo::Ranking ranking;
  {
    const WorkBudget limit({.cancel = &interrupted()});
    ranking = hlo::rankingOf(module, secondsEach);
  }
  const LineIndex lines(*module.text);
  int rank = 0;
  bool inTime = ranking.why.empty();
  for (const hlo::KernelWaste& k : ranking.kernels) {
    ++rank;
    inTime = inTime && k.why.empty();
    if (!out.line(json ? wasteJson(module, lines, rank, k) : wasteText(module, rank, k))) return false;
  }
  if (!ranking.why.empty())
    complain(fmt::format("tessera: {}: {} not examined", ranking.why, counted(ranking.missing, "instruction")));
  else if (rank == 0 && !json)
    (void)out.line("no instruction of the module reads memory");
  return inTime;
}

}  // namespace tessera
