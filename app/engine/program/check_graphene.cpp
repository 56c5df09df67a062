#include "app/engine/program/check_graphene.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/engine/program/check_program.h"

namespace tessera {

using graphene::Finding;
using graphene::Instance;
using graphene::ObligationVerdict;
using graphene::SpecVerdict;
using graphene::Standing;

namespace {

std::string lineOf(Span span, const ProgramText& where, const LineIndex& index) {
  const Span at = span.shifted(where.begin);
  return fmt::format("line {}: {}", index.at(at.begin).line, excerptOf(where.document, at));
}

std::string findingLines(const Finding& finding, std::string_view said, const std::string& margin,
                         const ProgramText& where, const LineIndex& index) {
  const std::string text = findingText(finding, said);
  std::string out = text.empty() ? "" : fmt::format("\n{}{}", margin, text);
  if (!finding.span.empty()) out += fmt::format("\n{}{}", margin, lineOf(finding.span, where, index));
  for (const Instance& i : finding.instances)  // the other side of a race is elsewhere
    if (!i.span.empty() && i.span != finding.span) out += fmt::format("\n{}{}", margin, lineOf(i.span, where, index));
  return out;
}

std::string explained(const ObligationVerdict& o) {
  // Not stated: no method decided it.
  const bool decided = !o.method.empty() && o.standing != Standing::NotStated;
  std::string out = !decided ? "" : o.method == "static" ? "by static analysis" : "by " + o.method;
  if (!o.reason.empty()) out += (out.empty() ? "" : ": ") + o.reason;
  return out;
}

}  // namespace

std::string checklistOf(const SpecVerdict& spec, const ProgramText& where, const LineIndex& index) {
  const std::string margin(static_cast<std::size_t>(2 * std::clamp(spec.depth, 0, 40)), ' ');
  std::string out = fmt::format("{}line {}: {}", margin, index.at(spec.span.begin + where.begin).line, spec.spec);
  if (!spec.atom.empty()) out += fmt::format("   {}", spec.atom);
  for (const ObligationVerdict& o : spec.obligations) {
    std::string line = fmt::format("\n{}      {} {:<12} {:<11} {}", margin, label(o.obligation), name(o.obligation),
                                   name(o.standing), explained(o));
    line.erase(line.find_last_not_of(' ') + 1);
    out += line;
    if (o.finding) out += findingLines(*o.finding, o.reason, margin + "          ", where, index);
  }
  return out;
}

Truth truthOf(const SpecVerdict& spec) {
  const auto some = [&](Standing s) {
    return std::ranges::any_of(spec.obligations, [s](const ObligationVerdict& o) { return o.standing == s; });
  };
  return some(Standing::Refuted) ? Truth::Refuted : some(Standing::Unknown) ? Truth::Unknown : Truth::Proved;
}

namespace {

void addSpan(JsonWriter& json, Span span, const ProgramText& where, const LineIndex& index) {
  const Span at = span.shifted(where.begin);
  json.member("line", index.at(at.begin).line).member("column", index.at(at.begin).column);
  json.member("begin", at.begin).member("end", at.end);
}

void addInstance(JsonWriter& json, const graphene::Instance& i, const ProgramText& where, const LineIndex& index) {
  json.beginObject().member("block", i.block).member("thread", i.thread);
  json.key("variables").beginObject();
  for (const auto& [variable, value] : i.variables) json.member(variable, value);
  json.endObject();
  if (!i.span.empty()) addSpan(json, i.span, where, index);
  json.endObject();
}

void addFinding(JsonWriter& json, const graphene::Finding& f, const ProgramText& where, const LineIndex& index) {
  json.beginObject().member("text", print(f)).member("message", f.message);
  if (!f.tensor.empty()) json.member("tensor", f.tensor);
  if (!f.coordinate.empty()) json.member("coordinate", f.coordinate);
  if (f.address >= 0) json.member("address", f.address);
  if (f.phase >= 0) json.member("phase", f.phase);
  if (!f.expected.empty()) json.member("expected", f.expected);
  if (!f.actual.empty()) json.member("actual", f.actual);
  if (!f.span.empty()) {
    addSpan(json, f.span, where, index);
    json.member("source", excerptOf(where.document, f.span.shifted(where.begin)));
  }
  json.key("instances").beginArray();
  for (const graphene::Instance& i : f.instances) addInstance(json, i, where, index);
  json.endArray().endObject();
}

}  // namespace

void addSpec(JsonWriter& json, const graphene::SpecVerdict& spec, const ProgramText& where, const LineIndex& index) {
  const Truth truth = truthOf(spec);
  json.beginObject().member("ok", truth == Truth::Proved).member("kind", "spec").member("text", spec.spec);
  json.member("verdict", name(truth));
  if (!where.file.empty()) json.member("file", where.file);
  addSpan(json, spec.span, where, index);
  json.member("depth", spec.depth).member("leaf", spec.leaf);
  if (!spec.atom.empty()) json.member("atom", spec.atom);
  json.key("obligations").beginArray();
  for (const graphene::ObligationVerdict& o : spec.obligations) {
    json.beginObject().member("label", label(o.obligation)).member("name", name(o.obligation));
    json.member("standing", name(o.standing));
    if (!o.method.empty()) json.member("method", o.method);
    if (!o.reason.empty()) json.member("reason", o.reason);
    json.member("ms", o.seconds * 1e3);
    if (o.finding) addFinding(json.key("finding"), *o.finding, where, index);
    json.endObject();
  }
  json.endArray().endObject();
}

std::string jsonOf(const graphene::SpecVerdict& spec, const ProgramText& where, const LineIndex& index) {
  JsonWriter json;
  addSpec(json, spec, where, index);
  return json.take();
}

}  // namespace tessera
