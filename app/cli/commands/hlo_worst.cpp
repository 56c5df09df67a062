#include "app/cli/commands/hlo_worst.h"

#include <fmt/format.h>

#include "app/engine/json_writer.h"
#include "core/base/work_budget.h"
#include "core/hlo/cost/waste.h"
#include "core/worksheet/language/place.h"

namespace tessera {
namespace {

using hlo::KernelWaste;
using hlo::OperandWaste;

std::string readText(const OperandWaste& w) {
  std::string out = w.usage.distinct ? hlo::textOf(w.usage) : "how much is read is not known";
  if (!w.usage.distinct && !(w.why.empty() && w.usage.why.empty()))
    out += ": " + (w.usage.why.empty() ? w.why : w.usage.why);
  if (w.soundness == hlo::Soundness::Over) out = "at most " + out;
  return out;
}

std::string bytesOf(const OperandWaste& w) {
  if (!w.needed || !w.asked) return "";
  return fmt::format("{}{} asked for {}: ", w.about ? "about " : "", hlo::bytesText(*w.asked),
                     hlo::bytesText(*w.needed));
}

std::string jsonOf(const hlo::Module& module, const LineIndex& lines, int rank, const KernelWaste& k) {
  const hlo::Computation& c = module.computation(k.where.computation);
  const hlo::Instruction& i = c.at(k.where.instruction);
  JsonWriter json;
  json.beginObject().member("rank", rank).member("computation", c.name).member("instruction", i.name);
  json.member("op", i.opcode).member("line", static_cast<int>(lines.at(i.span.begin).line)).member("plan", k.plan);
  json.member("needed", k.needed()).member("asked", k.asked()).member("about", k.about());
  if (!k.why.empty()) json.member("why", k.why);
  json.key("operands").beginArray();
  for (const OperandWaste& w : k.operands) {
    json.beginObject().member("operand", w.operand).member("of", w.name);
    if (w.needed) json.member("needed", *w.needed);
    if (w.asked) json.member("asked", *w.asked);
    if (w.usage.distinct) json.member("distinct", *w.usage.distinct);
    if (w.usage.reads) json.member("reads", *w.usage.reads);
    json.member("warps", hlo::nameOf(w.warps.verdict)).member("about", w.about);
    if (!w.why.empty()) json.member("why", w.why);
    json.endObject();
  }
  return json.endArray().endObject().take();
}

bool tellText(const hlo::Module& module, int rank, const KernelWaste& k, Output& out) {
  const hlo::Instruction& i = module.at(k.where);
  const std::string source = sourceOf(module, i);
  if (!out.line(fmt::format("{:>3}  {}  {}{}", rank, i.name, hlo::textOf(k), source.empty() ? "" : "   " + source)))
    return false;
  for (const OperandWaste& w : k.operands)
    if (!out.line(fmt::format("       {}  {}{}; warps {}", w.name, bytesOf(w), readText(w), hlo::textOf(w.warps))))
      return false;
  return true;
}

}  // namespace

bool tellWorst(const hlo::Module& module, double secondsEach, bool json, Output& out) {
  const LineIndex lines(*module.text);
  int rank = 0;
  bool inTime = true;
  try {
    const WorkBudget limit({.cancel = &interrupted()});
    for (const KernelWaste& k : hlo::wasteOf(module, SIZE_MAX, secondsEach)) {
      ++rank;
      inTime = inTime && k.why.empty();
      if (!(json ? out.line(jsonOf(module, lines, rank, k)) : tellText(module, rank, k, out))) return false;
    }
  } catch (const OutOfBudget&) {  // interrupted
    return false;
  }
  if (rank == 0 && !json) (void)out.line("no instruction of this module reads memory");
  return inTime;
}

}  // namespace tessera
