// tessera why: the causes of a kernel's memory traffic in sentences, and changes that are proved to keep the result.
#include "core/hlo/cost/why.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/commands/module_reports.h"
#include "app/cli/io/report.h"
#include "app/cli/io/signals.h"
#include "app/engine/json_writer.h"
#include "core/base/nearest.h"
#include "core/base/work_budget.h"
#include "core/hlo/compose/fusion.h"
#include "core/notation/xla/address.h"
#include "solver/prove/prove.h"
#include "solver/prove/structure/same_maps.h"

namespace tessera {
namespace {

std::string_view unmarked(std::string_view name) { return name.starts_with('%') ? name.substr(1) : name; }

// In the entry computation if it is there, else anywhere.
std::optional<hlo::Where> kernelNamed(const hlo::Module& module, std::string_view name) {
  std::optional<hlo::Where> found;
  for (std::size_t c = 0; c < module.computations.size(); ++c)
    for (std::size_t i = 0; i < module.computations[c].instructions.size(); ++i)
      if (module.computations[c].instructions[i].name == name && (!found || static_cast<int>(c) == module.entry))
        found = hlo::Where{static_cast<int>(c), static_cast<int>(i)};
  return found;
}

// The maps of the two kernels, composed, name the same elements as those of the fusion.
std::string proofOf(const hlo::Module& module, hlo::Where fusion, const hlo::Split& split) {
  const hlo::Module two = hlo::readModule(split.text);
  const auto whole = hlo::readsThrough(module, fusion);
  const auto parts = hlo::reachedIn(two, two.entry, 0);
  if (!whole || !parts) return "not proved: the maps do not compose";
  const hlo::SameMaps same = sameByProof();
  const hlo::Computation& entry = two.computation(two.entry);
  for (std::size_t k = 0; k < whole->size(); ++k) {
    std::vector<Map> maps;
    for (const hlo::Reached& r : *parts)
      if (k < entry.parameters.size() && r.instruction == entry.parameters[k])
        for (const hlo::ReachedMap& m : r.maps) maps.push_back(m.map);
    const auto in = [&](const std::vector<Map>& all, const Map& one) {
      return std::ranges::any_of(all, [&](const Map& m) { return sameMaps(m, one, same) == hlo::Same::Yes; });
    };
    const std::vector<Map>& before = (*whole)[k].maps;
    if (!std::ranges::all_of(maps, [&](const Map& m) { return in(before, m); }) ||
        !std::ranges::all_of(before, [&](const Map& m) { return in(maps, m); }))
      return fmt::format("not proved: the maps of operand {} were not shown to be equal", k);
  }
  return "proved: both kernels together read the same elements and apply the same operations";
}

// Each element keeps a place of its own.
std::string proofOf(const hlo::Relayout& relayout) {
  const auto map = xla::toMap(relayout.shape);
  if (!map) return "not proved: " + map.error().message;
  const Verdict verdict = prove(Claim{claims::Injective{*map}});
  return verdict.truth == Truth::Proved
             ? fmt::format("proved ({}): each element has a place of its own, and the kernel reads the same elements",
                           verdict.method)
             : "not proved: " + verdict.detail;
}

std::string jsonOf(const hlo::Module& module, const hlo::KernelWhy& why, const hlo::OperandWhy& w) {
  JsonWriter json;
  const auto cause = [&](std::string_view name, hlo::Where where) {
    if (where.computation < 0) return;
    const hlo::Instruction& i = module.at(where);
    json.key(name).beginObject().member("instruction", i.name).member("op", i.opcode);
    json.member("line", static_cast<i64>(module.lineAt(i.span.begin)))
        .member("source", sourceOf(module, i))
        .endObject();
  };
  json.beginObject().member("instruction", module.at(why.waste.where).name).member("plan", why.waste.plan);
  json.member("operand", w.operand).member("of", w.name);
  if (!w.why.empty()) return json.member("why", w.why).endObject().take();
  json.member("needed", w.needed).member("asked", w.asked).member("repeats", w.repeats).member("spread", w.spread);
  cause("repeated by", w.repeatedBy);
  cause("scattered by", w.scatteredBy);
  if (w.relayout)
    json.key("layout")
        .beginObject()
        .member("shape", xla::print(w.relayout->shape))
        .member("asked", w.relayout->asked)
        .member("proof", proofOf(*w.relayout))
        .endObject();
  if (w.split)
    json.key("split")
        .beginObject()
        .member("at", module.at(w.split->at).name)
        .member("asked", w.split->asked)
        .member("written", w.split->written)
        .member("proof", proofOf(module, why.waste.where, *w.split))
        .endObject();
  return json.endObject().take();
}

}  // namespace

int runWhy(const WhyOptions& options, Output& out) {
  const Complaints wrong(options.json, out);
  const auto module = moduleIn(options.file, options.budgetSeconds, wrong);
  if (!module) return kExitUnreadable;
  const std::string_view name = unmarked(options.instruction);
  const auto where = kernelNamed(*module, name);
  if (!where) {
    std::vector<std::string> names;
    for (const hlo::Computation& c : module->computations)
      for (const hlo::Instruction& i : c.instructions) names.emplace_back(i.name);
    const auto near = nearest(std::string(name), names);
    complain(fmt::format("tessera: the module has no instruction {}{}", name,
                         near ? fmt::format("; did you mean {}?", *near) : ""));
    return kExitUnreadable;
  }
  try {
    const WorkBudget limit({.seconds = options.budgetSeconds, .cancel = &interrupted()});
    const auto why = hlo::whyOf(*module, *where);
    if (!why) {
      wrong.say(why.error(), options.instruction);
      return kExitFailed;
    }
    if (options.json) {
      for (const hlo::OperandWhy& w : why->operands) (void)out.line(jsonOf(*module, *why, w));
    } else {
      for (const std::string& line : hlo::sentencesOf(*module, *why)) (void)out.line(line);
      for (const hlo::OperandWhy& w : why->operands) {
        if (w.relayout) (void)out.line(fmt::format("Layout of %{}: {}.", w.name, proofOf(*w.relayout)));
        if (w.split) (void)out.line(fmt::format("Split for %{}: {}.", w.name, proofOf(*module, *where, *w.split)));
      }
    }
    const bool known = std::ranges::all_of(why->operands, [](const hlo::OperandWhy& w) { return w.why.empty(); });
    return known ? kExitOk : kExitFailed;
  } catch (const OutOfBudget& end) {
    complain(fmt::format("tessera: {}", end.what()));
    return kExitFailed;
  }
}

}  // namespace tessera
