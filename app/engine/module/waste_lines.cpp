#include "app/engine/module/waste_lines.h"

#include <fmt/format.h>

#include "app/engine/json_writer.h"
#include "core/hlo/listing.h"

namespace tessera {
namespace {

using hlo::KernelWaste;
using hlo::OperandWaste;

std::string readText(const OperandWaste& w) {
  std::string out = w.usage.distinct ? hlo::textOf(w.usage) : "unknown how much is read";
  if (!w.usage.distinct && !(w.why.empty() && w.usage.why.empty()))
    out += ": " + (w.usage.why.empty() ? w.why : w.usage.why);
  if (w.soundness == hlo::Soundness::Over) out = "at most " + out;
  return out;
}

std::string bytesOf(const OperandWaste& w) {
  if (!w.needed || !w.asked) return "";
  return fmt::format("{} requested, {} needed: ", hlo::bytesText(*w.asked), hlo::bytesText(*w.needed));
}

}  // namespace

std::string wasteText(const OperandWaste& w) {
  return fmt::format("{}  {}{}; warps {}", w.name, bytesOf(w), readText(w), hlo::textOf(w.warps));
}

std::string wasteText(const hlo::Module& module, int rank, const KernelWaste& k) {
  const hlo::Instruction& i = module.at(k.where);
  const std::string source = sourceOf(module, i);
  std::string out = fmt::format("{:>3}  {}  {}{}", rank, i.name, hlo::textOf(k), source.empty() ? "" : "   " + source);
  if (!k.plan.empty()) out += fmt::format("\n       assumed: {}", k.plan);
  for (const OperandWaste& w : k.operands) out += "\n       " + wasteText(w);
  return out;
}

std::string wasteJson(const hlo::Module& module, const LineIndex& lines, int rank, const KernelWaste& k) {
  const hlo::Computation& c = module.computation(k.where.computation);
  const hlo::Instruction& i = c.at(k.where.instruction);
  JsonWriter json;
  json.beginObject().member("rank", rank).member("computation", c.name).member("instruction", i.name);
  json.member("op", i.opcode).member("line", static_cast<int>(lines.at(i.span.begin).line)).member("plan", k.plan);
  json.member("needed", k.needed()).member("asked", k.asked()).member("about", false).member("runs", k.runs);
  if (!k.runsKnown) json.member("runs known", false);
  if (!k.why.empty()) json.member("why", k.why);
  json.key("operands").beginArray();
  for (const OperandWaste& w : k.operands) {
    json.beginObject().member("operand", w.operand).member("of", w.name);
    if (w.needed) json.member("needed", *w.needed);
    if (w.asked) json.member("asked", *w.asked);
    if (w.usage.distinct) json.member("distinct", *w.usage.distinct);
    if (w.usage.reads) json.member("reads", *w.usage.reads);
    json.member("warps", hlo::nameOf(w.warps.verdict)).member("about", false);
    if (!w.why.empty()) json.member("why", w.why);
    json.endObject();
  }
  return json.endArray().endObject().take();
}

}  // namespace tessera
