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
#include "core/hlo/cost/compare.h"
#include "core/hlo/cost/coverage.h"
#include "core/hlo/cost/waste.h"
#include "core/hlo/cost/wire.h"
#include "core/hlo/listing.h"
#include "core/worksheet/language/place.h"
#include "solver/measure/predict/kernel_roofline.h"
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

namespace {

hlo::Ranking rankedUntilInterrupted(const hlo::Module& module, double secondsEach) {
  const WorkBudget limit({.cancel = &interrupted()});
  return hlo::rankingOf(module, secondsEach);
}

// Whether every kernel was examined; complains if not.
bool saidComplete(const hlo::Ranking& ranking) {
  if (!ranking.why.empty())
    complain(fmt::format("tessera: {}: {} not examined", ranking.why, counted(ranking.missing, "instruction")));
  return ranking.why.empty() && std::ranges::all_of(ranking.kernels, [](const auto& k) { return k.why.empty(); });
}

std::string timeText(double microseconds) {
  if (microseconds >= 1e6) return fmt::format("{:.3g} s", microseconds / 1e6);
  if (microseconds >= 1e3) return fmt::format("{:.3g} ms", microseconds / 1e3);
  return microseconds < 1 ? fmt::format("{:.3g} ns", microseconds * 1e3) : fmt::format("{:.3g} us", microseconds);
}
// "1.1e+12 operations"
std::string operationsText(double n) { return fmt::format("{:.3g} operations", n); }

std::string bytesText(double bytes) { return hlo::bytesText(bytes < 9e18 ? static_cast<i64>(bytes) : INT64_MAX); }
std::string signedBytes(i64 bytes) {
  return fmt::format("{}{}", bytes < 0 ? "-" : "+", hlo::bytesText(bytes < 0 ? -bytes : bytes));
}

std::string sourceText(const hlo::Module& module, hlo::Where where) {
  const std::string source = sourceOf(module, module.at(where));
  return source.empty() ? "" : "   " + source;
}

}  // namespace

bool printWorst(const hlo::Module& module, double secondsEach, bool json, Output& out) {
  const hlo::Ranking ranking = rankedUntilInterrupted(module, secondsEach);
  const LineIndex lines(*module.text);
  int rank = 0;
  for (const hlo::KernelWaste& k : ranking.kernels) {
    ++rank;
    if (!out.line(json ? wasteJson(module, lines, rank, k) : wasteText(module, rank, k))) return false;
  }
  if (ranking.why.empty() && rank == 0 && !json) (void)out.line("no instruction of the module reads memory");
  return saidComplete(ranking);
}

bool printRooflines(const hlo::Module& module, const measure::DeviceInfo& device, double secondsEach, bool json,
                    Output& out) {
  const hlo::Ranking ranking = rankedUntilInterrupted(module, secondsEach);
  const LineIndex lines(*module.text);
  double total = 0;
  int rank = 0;
  const auto all = measure::rooflinesOf(module, ranking, device);
  for (const measure::KernelRoofline& k : all) total += k.microseconds();
  if (!json &&
      !out.line(fmt::format("at least {} on {}, as {}", timeText(total), device.name, counted(all.size(), "kernel"))))
    return false;
  for (const measure::KernelRoofline& k : all) {
    const hlo::Instruction& i = module.at(k.where);
    ++rank;
    if (json) {
      JsonWriter line;
      line.beginObject().member("rank", rank).member("instruction", i.name).member("op", i.opcode);
      line.member("computation", module.computation(k.where.computation).name);
      line.member("line", static_cast<int>(lines.at(i.span.begin).line)).member("runs", k.runs);
      line.member("bytes", k.bytes).member("operations", k.operations);
      line.member("microseconds", k.microseconds()).member("memory", k.roofline.memoryMicroseconds);
      line.member("compute", k.roofline.computeMicroseconds).member("bound", k.roofline.bound());
      line.member("device", device.name).member("peak", k.roofline.peak);
      if (!k.why.empty()) line.member("why", k.why);
      if (!out.line(line.endObject().take())) return false;
      continue;
    }
    const std::string runs = k.runs > 1 ? fmt::format(", {} runs", k.runs) : "";
    const std::string share = total > 0 ? fmt::format(" ({:.3g} %)", 100 * k.microseconds() / total) : "";
    if (!out.line(fmt::format("{:>3}  {}  at least {}{}{}: {}; {}, {}{}", rank, i.name, timeText(k.microseconds()),
                              share, runs, k.roofline.bound(), bytesText(k.bytes), operationsText(k.operations),
                              sourceText(module, k.where))))
      return false;
    if (!k.why.empty() && !out.line("       " + k.why)) return false;
  }
  return saidComplete(ranking);
}

bool printWire(const hlo::Module& module, bool json, Output& out) {
  const hlo::Wire wire = hlo::wireOf(module);
  const auto over = [](const std::string& groups, i64 replicas) {
    const std::string of = replicas > 0 ? fmt::format("groups of {}", replicas) : "groups of unknown size";
    return groups.empty() ? of : fmt::format("{} {}", of, groups);
  };
  double total = 0;
  for (const hlo::WireAxis& axis : wire.axes) total += axis.bytes;
  if (!json) {
    if (!out.line(
            fmt::format("{} sent by each replica, in {}", bytesText(total), counted(wire.uses.size(), "collective"))))
      return false;
    for (const hlo::WireAxis& axis : wire.axes)
      if (!out.line(fmt::format("  {:>9}  {} over {}", bytesText(axis.bytes),
                                counted(static_cast<std::size_t>(axis.collectives), "collective"),
                                over(axis.groups, axis.replicas))))
        return false;
    const auto worst = std::ranges::find_if(wire.uses, &hlo::WireUse::reshards);
    if (worst != wire.uses.end() && worst->inAll() > 0 &&
        !out.line(fmt::format("worst resharding: {} {}, {}{}", module.at(worst->where).opcode,
                              module.at(worst->where).name, bytesText(worst->inAll()),
                              sourceText(module, worst->where))))
      return false;
  }
  int rank = 0;
  for (const hlo::WireUse& use : wire.uses) {
    const hlo::Instruction& i = module.at(use.where);
    ++rank;
    if (json) {
      JsonWriter line;
      line.beginObject().member("rank", rank).member("instruction", i.name).member("op", i.opcode);
      line.member("line", static_cast<i64>(module.lineAt(i.span.begin))).member("groups", use.groups);
      line.member("replicas", use.replicas).member("bytes", use.bytes).member("runs", use.runs);
      line.member("reshards", use.reshards);
      if (!out.line(line.endObject().take())) return false;
    } else if (!out.line(fmt::format("{:>3}  {:>9}  {} {}{}, {}{}", rank, bytesText(use.inAll()), i.opcode, i.name,
                                     use.runs > 1 ? fmt::format(", {} runs", use.runs) : "",
                                     over(use.groups, use.replicas), sourceText(module, use.where)))) {
      return false;
    }
  }
  return true;
}

bool printChanges(const hlo::Module& before, const hlo::Module& after, double secondsEach, bool json, Output& out) {
  const hlo::Ranking was = rankedUntilInterrupted(before, secondsEach), is = rankedUntilInterrupted(after, secondsEach);
  i64 asked = 0, needed = 0;
  std::size_t same = 0;
  for (const hlo::KernelChange& c : hlo::changesOf(before, was, after, is)) {
    asked += c.asked;
    needed += c.needed;
    if (c.before && c.after && c.asked == 0 && c.needed == 0) {
      ++same;
      continue;
    }
    const hlo::Where at = c.after ? is.kernels[*c.after].where : was.kernels[*c.before].where;
    const hlo::Module& module = c.after ? after : before;
    const std::string earlier = c.before ? std::string(before.at(was.kernels[*c.before].where).name) : "";
    const std::string later = c.after ? std::string(after.at(is.kernels[*c.after].where).name) : "";
    if (json) {
      JsonWriter line;
      line.beginObject().member("before", earlier).member("after", later).member("op", module.at(at).opcode);
      line.member("by", c.by).member("asked", c.asked).member("needed", c.needed);
      if (!out.line(line.endObject().take())) return false;
      continue;
    }
    const std::string what = !c.before          ? "new: " + later
                             : !c.after         ? "gone: " + earlier
                             : earlier == later ? later
                                                : earlier + " -> " + later;
    if (!out.line(fmt::format("  {:>9} requested, {:>9} needed  {}{}{}", signedBytes(c.asked), signedBytes(c.needed),
                              what, c.by.empty() || c.by == "name and structure" ? "" : fmt::format(" (by {})", c.by),
                              sourceText(module, at))))
      return false;
  }
  if (!json && !out.line(fmt::format("{} requested, {} needed in all; {} unchanged", signedBytes(asked),
                                     signedBytes(needed), counted(same, "kernel"))))
    return false;
  const bool first = saidComplete(was);
  return saidComplete(is) && first;
}

}  // namespace tessera
