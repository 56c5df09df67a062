#include "cli/json_by_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/cli/io/report.h"
#include "app/engine/program/check_graphene.h"
#include "app/engine/program/check_program.h"
#include "core/worksheet/statements/task.h"
#include "core/worksheet/value.h"

namespace tessera::by_tree {
namespace {

using Json = nlohmann::ordered_json;

// JSON allows DEL and U+0080 to U+009F as they are; a terminal would obey some of them. They can occur in strings only.
std::string dumped(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (std::none_of(text.begin(), text.end(), [](char c) { return c == '\x7F' || c == '\xC2'; })) return text;
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = text[i] == '\xC2' && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (pair) ++i;
    if (pair || text[i] == '\x7F') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(text[i]));
    } else {
      out += text[i];
    }
  }
  return out;
}

// (4,(2,3)) -> [4,[2,3]]; a leaf that is no plain integer is its text.
Json treeOf(const cute::IntTuple& t) {
  if (t.isTuple()) {
    Json out = Json::array();
    for (const cute::IntTuple& c : t.children()) out.push_back(treeOf(c));
    return out;
  }
  if (t.isKnown() && t.basis().empty()) return t.value();
  return print(t);
}

Json valueOf(LayoutFact&& fact) {
  if (const auto* n = std::get_if<i64>(&fact.value)) return *n;
  if (auto* text = std::get_if<std::string>(&fact.value)) return std::move(*text);
  Json list = Json::array();
  auto& tree = std::get<LayoutFact::Tree>(fact.value);
  list.get_ref<Json::array_t&>().reserve(tree.size());
  for (LayoutFact& f : tree) list.push_back(valueOf(std::move(f)));
  return list;
}

// An object with room for its members: they move when it grows.
Json object(std::size_t members) {
  Json json = Json::object();
  json.get_ref<Json::object_t&>().reserve(members);
  return json;
}

// What the notation says of itself, and for every layout the extents of its modes and how many coordinates it has.
void addLayout(Json& json, const Layout& layout) {
  LayoutFacts facts = layout.facts();
  for (LayoutFact& fact : facts) json[fact.name] = valueOf(std::move(fact));
  if (json.contains("shape") && json.contains("size")) return;  // an arrow costs as much as the rest of the answer
  const Result<Arrow> arrow = layout.arrow();
  if (!arrow) return;
  if (!json.contains("shape")) json["shape"] = extentsOf(arrow->from);
  if (const auto size = sizeOf(*arrow); size && !json.contains("size")) json["size"] = *size;
}

Json witnessOf(const Witness& witness) { return {{"name", witness.name}, {"values", witness.values}}; }

void addVerdict(Json& json, const Verdict& verdict) {
  json["verdict"] = name(verdict.truth);
  json["claim"] = verdict.claim;
  json["method"] = verdict.method;
  json["ms"] = verdict.milliseconds;
  if (!verdict.detail.empty()) json["detail"] = verdict.detail;
  if (!verdict.counterexample) return;
  Json counterexample = {{"text", verdict.counterexample->text}, {"witnesses", Json::array()}};
  for (const Witness& w : verdict.counterexample->witnesses) counterexample["witnesses"].push_back(witnessOf(w));
  counterexample["points"] = verdict.counterexample->points;
  json["counterexample"] = std::move(counterexample);
}

void addFinding(Json& json, const SwizzleFinding& found) {
  const auto listed = [](const std::vector<SwizzleAnswer>& answers) {
    Json list = Json::array();
    for (const SwizzleAnswer& a : answers) {
      Json one = {{"layout", a.cute}, {"cuda", a.cuda}, {"bytes", a.bytes}};
      if (!a.tma.empty()) one["tma"] = a.tma;
      if (!a.triton.empty()) one["triton"] = a.triton;
      if (a.padding > 0) one["padding"] = a.padding;
      list.push_back(std::move(one));
    }
    return list;
  };
  if (found.linear) {
    json["found"] = found.linear->exists();
    if (found.linear->exists())
      json["swizzle"] = {{"bits", print(*found.linear)}, {"cuda", cudaIndexCode(*found.linear, found.layout)}};
    if (!found.linear->exists()) json["reason"] = found.linear->none;
    return;
  }
  json["found"] = !found.search.swizzles.empty();
  json["swizzles"] = listed(found.search.swizzles);
  json["paddings"] = listed(found.search.paddings);
  json["candidates"] = found.search.candidates;
  json["bytes"] = found.search.bytes;
  json["conflict_free_as_it_is"] =
      !found.search.swizzles.empty() && found.search.swizzles.front().kind == SwizzleAnswer::Kind::AsIs;
  if (found.search.swizzles.empty()) {
    json["clash"] = Json::array();
    for (const SwizzleClash& c : found.search.clash) json["clash"].push_back(c.text);
    json["clash_is_smallest"] = found.search.clashIsSmallest;
  }
}

Json accessObject(const AtlasAccess& access) {
  Json json = {{"direction", name(access.direction)},
               {"space", name(access.space)},
               {"bytes", access.width},
               {"matrices", access.matrices},
               {"transposed", access.trans},
               {"phases", print(access.phases)},
               {"text", print(access)},
               {"source", std::string(access.source)}};
  if (access.merged) json["merged_phases"] = print(*access.merged);
  return json;
}

void addInstruction(Json& json, const AtlasRow& row) {
  static constexpr const char* kSpaces[] = {"register", "shared", "tensor", "global"};
  json["name"] = row.name;
  json["family"] = name(row.family);
  json["arch"] = row.architecture;
  json["ptx"] = row.ptx;
  json["shape"] = row.shape;
  json["threads"] = row.threadId;
  if (!row.parameter.empty()) json["n"] = row.parameter;
  if (!row.aliases.empty()) json["aliases"] = row.aliases;
  json["operands"] = Json::array();
  for (const AtlasOperand& o : row.operands) {
    json["operands"].push_back({{"name", o.name},
                                {"element", o.element},
                                {"rows", o.rows},
                                {"columns", o.columns},
                                {"layout", o.layout},
                                {"space", kSpaces[static_cast<int>(o.space)]},
                                {"coverage", o.coverage == Coverage::Once ? "once" : "broadcast"}});
    if (o.access) json["operands"].back()["access"] = accessObject(*o.access);
  }
  json["source"] = row.source;
  if (!row.note.empty()) json["note"] = row.note;
}

// What a script wants beside the text.
void addExtras(Json& json, const Value& value) {
  if (const auto* n = std::get_if<i64>(&value)) json["value"] = *n;
  if (const auto* b = std::get_if<bool>(&value)) json["value"] = *b;
  if (const auto* t = std::get_if<cute::IntTuple>(&value)) {
    json["value"] = treeOf(*t);
    // A bare shape means the compact layout over it.
    if (auto compact = cute::Layout::compact(*t)) json["layout"] = print(*compact);
  }
  if (const auto* layout = std::get_if<Layout>(&value)) addLayout(json, *layout);
  if (const auto* row = std::get_if<AtlasRow>(&value)) addInstruction(json, *row);
  if (const auto* banks = std::get_if<BankAccess>(&value)) {
    json["wavefronts"] = banks->report.wavefronts;
    json["ideal"] = banks->report.ideal;
    json["excess"] = banks->report.excess;
    json["phases"] = banks->report.phaseWavefronts;
    json["conflict_degree"] = banks->report.conflictDegree;
  }
  if (const auto* found = std::get_if<SwizzleFinding>(&value)) addFinding(json, *found);
  if (const auto* verdict = std::get_if<Verdict>(&value)) addVerdict(json, *verdict);
}

void addPlace(Json& json, const JsonPlace& where, int line) {
  if (!where.file.empty()) json["file"] = where.file;
  json["line"] = line + static_cast<i64>(where.lineOffset);
}

Json errorOf(const Diag& diag, const LineIndex& index, const JsonPlace& where) {
  Json error = {{"message", diag.message}};
  if (!diag.expected.empty()) error["expected"] = diag.expected;
  error["hint"] = diag.hint;
  addPlace(error, where, index.at(diag.span.begin).line);
  error["column"] = index.at(diag.span.begin).column;
  error["begin"] = diag.span.begin;
  error["end"] = diag.span.end;
  return error;
}

// ---- programs

void addSpan(Json& json, Span span, const ProgramText& where, const LineIndex& index) {
  const Span at = span.shifted(where.begin);
  json["line"] = index.at(at.begin).line;
  json["column"] = index.at(at.begin).column;
  json["begin"] = at.begin;
  json["end"] = at.end;
}

Json instanceOf(const graphene::Instance& i, const ProgramText& where, const LineIndex& index) {
  Json json = {{"block", i.block}, {"thread", i.thread}, {"variables", Json::object()}};
  for (const auto& [variable, value] : i.variables) json["variables"][variable] = value;
  if (!i.span.empty()) addSpan(json, i.span, where, index);
  return json;
}

Json findingOf(const graphene::Finding& f, const ProgramText& where, const LineIndex& index) {
  Json json = {{"text", print(f)}, {"message", f.message}};
  if (!f.tensor.empty()) json["tensor"] = f.tensor;
  if (!f.coordinate.empty()) json["coordinate"] = f.coordinate;
  if (f.address >= 0) json["address"] = f.address;
  if (f.phase >= 0) json["phase"] = f.phase;
  if (!f.expected.empty()) json["expected"] = f.expected;
  if (!f.actual.empty()) json["actual"] = f.actual;
  if (!f.span.empty()) {
    addSpan(json, f.span, where, index);
    json["source"] = excerptOf(where.document, f.span.shifted(where.begin));
  }
  json["instances"] = Json::array();
  for (const graphene::Instance& i : f.instances) json["instances"].push_back(instanceOf(i, where, index));
  return json;
}

Json specOf(const graphene::SpecVerdict& spec, const ProgramText& where, const LineIndex& index) {
  Json json = object(16);
  const Truth truth = truthOf(spec);
  json["ok"] = truth == Truth::Proved;
  json["kind"] = "spec";
  json["text"] = spec.spec;
  json["verdict"] = name(truth);
  if (!where.file.empty()) json["file"] = where.file;
  addSpan(json, spec.span, where, index);
  json["depth"] = spec.depth;
  json["leaf"] = spec.leaf;
  if (!spec.atom.empty()) json["atom"] = spec.atom;
  json["obligations"] = Json::array();
  for (const graphene::ObligationVerdict& o : spec.obligations) {
    Json one = {{"label", label(o.obligation)}, {"name", name(o.obligation)}, {"standing", name(o.standing)}};
    if (!o.method.empty()) one["method"] = o.method;
    if (!o.reason.empty()) one["reason"] = o.reason;
    one["ms"] = o.seconds * 1e3;
    if (o.finding) one["finding"] = findingOf(*o.finding, where, index);
    json["obligations"].push_back(std::move(one));
  }
  return json;
}

Json successOf(const Outcome& outcome) {
  Json json = object(16);
  json["ok"] = true;
  const std::optional<Value> verdict = outcome.verdict ? std::optional<Value>(*outcome.verdict) : std::nullopt;
  const Shared<Value>& own = outcome.value;
  const Value* value = verdict ? &*verdict : outcome.show ? outcome.show->value.get() : own.get();
  if (outcome.learner.task) {
    json["kind"] = "task";
    json["text"] = taskText(outcome);
    json["title"] = outcome.learner.task->title;
    json["solved"] = outcome.solved();
    if (outcome.verdict) addVerdict(json, *outcome.verdict);
    for (const Diag& note : outcome.notes) json["notes"].push_back(note.message);
    return json;
  }
  if (value == nullptr && !outcome.learner.blank.empty()) {
    json["kind"] = "blank";
    json["text"] = blankText(outcome);
    if (!outcome.statement.name.empty()) json["name"] = outcome.statement.name;
    return json;
  }
  if (value == nullptr) return {{"ok", true}, {"kind", "none"}, {"text", ""}};
  json["kind"] = kindOf(*value);
  json["text"] = printLimited(*value);
  if (outcome.statement.kind == StatementKind::Bind) json["name"] = outcome.statement.name;
  if (outcome.show) {
    json["name"] = outcome.show->name;
    json["view"] = outcome.show->view;
  }
  addExtras(json, *value);
  if (!outcome.notes.empty()) {
    json["notes"] = Json::array();
    for (const Diag& note : outcome.notes) json["notes"].push_back(note.message);
  }
  return json;
}

}  // namespace

std::string jsonOf(const Outcome& outcome, const LineIndex& index, const JsonPlace& where) {
  if (outcome.diag) return by_tree::jsonOf(*outcome.diag, index, where);
  Json json = successOf(outcome);
  if (outcome.program.checked && outcome.program.listing) {
    const LineIndex own(outcome.program.listing->text);
    json["specs"] = Json::array();
    for (const graphene::SpecVerdict& spec : outcome.program.checked->specs)
      json["specs"].push_back(specOf(spec, ProgramText{outcome.program.listing->text, 0, ""}, own));
  }
  addPlace(json, where, index.at(outcome.statement.span.begin).line);
  return dumped(json);
}

std::string jsonOf(const Diag& diag, const LineIndex& index, const JsonPlace& where) {
  return dumped({{"ok", false}, {"error", errorOf(diag, index, where)}});
}

std::string jsonOf(const AtlasRow& row) {
  Json json = {{"ok", true}, {"kind", "instruction"}, {"text", print(Value(row))}};
  addInstruction(json, row);
  return dumped(json);
}

std::string jsonOfPicture(std::size_t bytes) { return dumped({{"ok", true}, {"kind", "picture"}, {"bytes", bytes}}); }

std::string jsonOf(const Tally& tally, const std::string& file, double seconds) {
  Json json = {{"ok", tally.allHold()},
               {"kind", "summary"},
               {"text", tally.interrupted ? "interrupted"
                        : tally.allHold() ? "all hold"
                                          : "not all hold"},
               {"file", file},
               {"proved", tally.proved},
               {"asserted", tally.asserted},
               {"refuted", tally.refuted},
               {"unknown", tally.unknown},
               {"failed", tally.failed}};
  if (tally.tasks > 0) {
    json["tasks"] = tally.tasks;
    json["solved"] = tally.solved;
  }
  json["ms"] = seconds * 1e3;
  return dumped(json);
}

}  // namespace tessera::by_tree
