#include "app/engine/module/reach_lines.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/mapped.h"
#include "core/hlo/ops/devices.h"
#include "core/notation/indexing/map.h"

namespace tessera {

using hlo::Reach;
using hlo::Soundness;

const xla::Shape* operandArray(const Reported& t, int operand, int element) {
  const int at = t.instruction.operands.at(static_cast<std::size_t>(operand));
  const xla::Shape* const shape = at < 0 ? nullptr : &t.module.shapeOf(t.computation.at(at));
  if (shape == nullptr || element < 0 || static_cast<std::size_t>(element) >= shape->leaves()) return nullptr;
  const xla::Shape& one = shape->leaf(static_cast<std::size_t>(element));
  return one.isArray() ? &one : nullptr;
}

std::string nameOf(const Reported& t, int operand) {
  const int at = t.instruction.operands.at(static_cast<std::size_t>(operand));
  return at < 0 ? "?" : std::string(t.computation.at(at).name);
}

std::string_view name(Soundness s) {
  return s == Soundness::Exact ? "exact" : s == Soundness::Over ? "at most" : "unknown";
}

std::string mapText(const Map& map) { return indexing::print(indexing::toIndexingMap(map)); }

void beginJson(const Reported& t, std::string_view direction, JsonWriter& json) {
  json.beginObject().member("op", t.instruction.name).member("opcode", t.instruction.opcode);
  json.member("computation", t.computation.name).member("line", t.line).member("direction", direction);
}
std::string_view directionOf(const Reported& t) { return t.reads ? "output_to_input" : "input_to_output"; }

std::optional<hlo::Usage> usageOf(const Reported& t, const Reach& r, i64 mostPoints) {
  if (!t.reads || r.soundness == Soundness::Unknown) return std::nullopt;
  const xla::Shape* const shape = operandArray(t, r.slot, r.element);
  if (shape == nullptr) return std::nullopt;
  return hlo::usageOf(r.maps, shape->sizes(), mostPoints);
}

namespace {

// Which element of a tuple operand; nullopt: it is an array, or any of them.
std::optional<int> elementOf(const Reported& t, const Reach& r) {
  const int at = t.instruction.operands.at(static_cast<std::size_t>(t.reads ? r.slot : t.operand));
  if (at < 0 || r.element < 0 || t.instruction.opcode == "get-tuple-element") return std::nullopt;
  return t.module.isTuple(t.computation.at(at)) ? std::optional(r.element) : std::nullopt;
}

std::string holderOf(const Reported& t, const hlo::RuntimeValue& v) {
  return v.operand < 0 ? v.inside : nameOf(t, v.operand);
}

// utilization: reads per element, counting repeated reads (XLA's cost model); distinct: number of elements read at
// least once.
void addUsage(const hlo::Usage& usage, JsonWriter& json) {
  json.member("elements", usage.elements);
  if (usage.distinct) json.member("distinct", *usage.distinct);
  if (usage.reads) json.member("reads", *usage.reads);
  if (usage.reads && usage.elements > 0)
    json.member("utilization", static_cast<double>(*usage.reads) / static_cast<double>(usage.elements));
  if (!usage.why.empty()) json.member("not counted", usage.why);
}

// The members of a line about the maps; run-time values name their holders.
std::string aboutMaps(const Reported& t, const Reach& r, const std::optional<hlo::Usage>& usage) {
  JsonWriter json;
  json.beginObject().key("maps");
  if (r.soundness == Soundness::Unknown) {
    json.null();
  } else {
    json.value(mapped<std::string>(r.maps, mapText));
  }
  json.member("exact", r.soundness == Soundness::Exact).member("sound", name(r.soundness));
  if (!r.why.empty()) json.member("reason", r.why);
  std::size_t numbers = 0;
  for (const auto& values : r.runtime) numbers += values.size();
  if (numbers > 0) {
    json.key("runtime").beginArray();
    for (std::size_t k = 0; k < r.runtime.size(); ++k)
      for (const hlo::RuntimeValue& v : r.runtime[k]) {
        json.beginObject().member("name", v.name).member("of", holderOf(t, v)).member("map", mapText(v.index));
        if (r.maps.size() > 1) json.member("in", static_cast<i64>(k));
        json.endObject();
      }
    json.endArray();
  }
  if (!r.devices.empty()) {
    json.key("devices").beginArray();  // one per map; null: this device itself
    for (const auto& position : r.devices)
      position && !hlo::staysOn(*position) ? (void)json.value(mapText(hlo::deviceAlone(*position))) : (void)json.null();
    json.endArray();
    json.key("positions").beginArray();  // element and device together, by coordinates and device
    for (std::size_t k = 0; k < r.maps.size(); ++k) {
      const Map* const position = hlo::positionOf(r, k);
      position != nullptr ? (void)json.value(mapText(*position)) : (void)json.null();
    }
    json.endArray();
  }
  if (!r.undecided.empty()) json.member("undecided", r.undecided);
  if (usage) addUsage(*usage, json);
  const std::string text = json.endObject().take();
  return text.substr(1, text.size() - 2);
}

}  // namespace

ReachLine lineOf(const Reported& t, const Reach& r, const std::optional<hlo::Usage>& usage) {
  const bool names = r.soundness != Soundness::Exact || !r.undecided.empty() || !r.devices.empty() ||
                     std::ranges::any_of(r.runtime, [](const auto& values) { return !values.empty(); });
  return {t.reads, t.reads ? r.slot : t.operand, t.reads ? t.output : r.slot, elementOf(t, r),
          names,   aboutMaps(t, r, usage)};
}

std::string jsonOf(Reported t, const ReachLine& line) {
  t.reads = line.reads;
  JsonWriter json;
  beginJson(t, directionOf(t), json);
  json.member("operand", line.operand).member("of", nameOf(t, line.operand)).member("output", line.output);
  if (line.element) json.member("element", *line.element);
  std::string out = json.endObject().take();
  out.pop_back();
  out += "," + line.maps;
  const std::string source = sourceOf(t.module, t.instruction);
  if (source.empty()) return out + "}";
  JsonWriter further;
  return out + "," + further.beginObject().member("source", source).endObject().take().substr(1);
}

std::string jsonOf(const Reported& t, const Reach& r, const std::optional<hlo::Usage>& usage) {
  return jsonOf(t, lineOf(t, r, usage));
}

std::string textOf(const Reported& t, const Reach& r, const std::optional<hlo::Usage>& usage) {
  const int operand = t.reads ? r.slot : t.operand;
  std::string head = fmt::format("    {}{}", t.reads ? "reads " : "from ", nameOf(t, operand));
  if (const auto element = elementOf(t, r)) head += fmt::format(" element {}", *element);
  if (!t.reads && t.module.isTuple(t.instruction)) head += fmt::format(" to output {}", r.slot);
  head += "  ";
  if (r.soundness == Soundness::Unknown) return head + "unknown: " + r.why;
  if (r.maps.empty()) return head + "nothing";
  const std::string next = "\n" + std::string(head.size(), ' ');
  std::string out;
  for (std::size_t k = 0; k < r.maps.size(); ++k) {
    out += (out.empty() ? head : next) + mapText(r.maps[k]);
    if (r.soundness == Soundness::Over) out += "   at most: " + r.why;
    for (const hlo::RuntimeValue& v : r.runtimeOf(k))
      out +=
          fmt::format("{}{} is {}{}", next, v.name, holderOf(t, v), hlo::isDevice(v) ? "" : " at " + mapText(v.index));
    if (const Map* const position = hlo::positionOf(r, k); position != nullptr && !hlo::staysOn(*position))
      out += next + "of device " + mapText(hlo::deviceAlone(*position));
  }
  if (!r.undecided.empty()) out += next + r.undecided;
  if (usage) out += next + hlo::textOf(*usage);
  return out;
}

}  // namespace tessera
