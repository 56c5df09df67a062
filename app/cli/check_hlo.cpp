#include "app/cli/check_hlo.h"

#include <fmt/format.h>

#include <chrono>

#include "app/cli/json_writer.h"
#include "core/hlo/coverage.h"

namespace tessera {
namespace {

using hlo::Coverage;
using hlo::Module;

std::string_view nameOf(Coverage::Kind kind) {
  switch (kind) {
    case Coverage::Kind::Over:
      return "over-approximate";
    case Coverage::Kind::Unknown:
      return "unsupported";
    case Coverage::Kind::Wrong:
      return "wrong";
    default:
      return "exact";
  }
}

const hlo::Instruction& firstOf(const Module& module, const Coverage::Gap& gap) {
  return module.computations[static_cast<std::size_t>(gap.first.computation)]
      .instructions[static_cast<std::size_t>(gap.first.instruction)];
}

std::string countsOf(const Module& module, const Coverage& c) {
  std::string out =
      fmt::format("{} instruction{} in {} computation{}: {} exact", c.instructions(), c.instructions() == 1 ? "" : "s",
                  module.computations.size(), module.computations.size() == 1 ? "" : "s", c.exact);
  if (c.nothing > 0) out += fmt::format(", {} read{} nothing", c.nothing, c.nothing == 1 ? "s" : "");
  if (c.over > 0) out += fmt::format(", {} over-approximate", c.over);
  if (c.unknown > 0) out += fmt::format(", {} unsupported", c.unknown);
  if (c.wrong > 0) out += fmt::format(", {} wrong", c.wrong);
  return out;
}

void asJson(const Module& module, const Coverage& c, const std::string& file, double seconds, Output& out) {
  JsonWriter json;
  json.beginObject()
      .member("ok", c.wrong == 0 && module.problems.empty())
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
  json.endArray().member("seconds", seconds);
  (void)out.line(json.endObject().take());
}

void asText(const Module& module, const Coverage& c, double seconds, Output& out) {
  for (const hlo::Problem& p : module.problems) complain(hlo::textOf(p));
  for (const Coverage::Gap& g : c.gaps) {
    const hlo::Instruction& first = firstOf(module, g);
    (void)out.line(fmt::format("  {:<16}  {} %{}, line {}: {}{}", nameOf(g.kind), g.opcode, first.name,
                               module.lineAt(first.span.begin), g.why,
                               g.count == 1 ? "" : fmt::format("   (and {} more)", g.count - 1)));
  }
  (void)out.line(fmt::format("  {}  ({:.1f} ms)", countsOf(module, c), seconds * 1e3));
}

}  // namespace

bool tellCoverage(const Module& module, const std::string& file, bool json, Output& out) {
  const auto start = std::chrono::steady_clock::now();
  const Coverage coverage = hlo::coverageOf(module);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  json ? asJson(module, coverage, file, seconds, out) : asText(module, coverage, seconds, out);
  return coverage.wrong == 0 && module.problems.empty();
}

}  // namespace tessera
