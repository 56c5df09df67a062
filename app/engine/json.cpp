// Outcomes as JSON, with their members in a fixed order.
#include "app/engine/json.h"

#include "app/engine/json_writer.h"
#include "app/engine/measure/comparison_json.h"
#include "app/engine/program/check_graphene.h"
#include "core/base/mapped.h"
#include "core/worksheet/statements/task.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

// (4,(2,3)) -> [4,[2,3]]; a leaf that is not a plain integer becomes its text.
void addTree(JsonWriter& json, const cute::IntTuple& t) {
  if (t.isTuple()) {
    json.beginArray();
    for (const cute::IntTuple& c : t.children()) addTree(json, c);
    json.endArray();
  } else if (t.isKnown() && t.basis().empty()) {
    json.value(t.value());
  } else {
    json.value(print(t));
  }
}

void addFact(JsonWriter& json, const LayoutFact& fact) {
  if (const auto* n = std::get_if<i64>(&fact.value)) {
    json.value(*n);
  } else if (const auto* text = std::get_if<std::string>(&fact.value)) {
    json.value(*text);
  } else {
    json.beginArray();
    for (const LayoutFact& f : std::get<LayoutFact::Tree>(fact.value)) addFact(json, f);
    json.endArray();
  }
}

// The properties of the notation, and for every layout the extents of its modes and its number of coordinates.
void addLayout(JsonWriter& json, const Layout& layout) {
  bool shape = false, size = false;
  for (const LayoutFact& fact : layout.facts()) {
    shape = shape || fact.name == "shape";
    size = size || fact.name == "size";
    addFact(json.key(fact.name), fact);
  }
  if (shape && size) return;  // computing an arrow costs as much as the rest of the answer
  const Result<Arrow>& arrow = layout.arrow();
  if (!arrow) return;
  if (!shape) json.member("shape", extentsOf(arrow->from));
  if (size) return;
  if (const auto count = sizeOf(*arrow)) json.member("size", *count);
}

void addVerdict(JsonWriter& json, const Verdict& verdict) {
  json.member("verdict", name(verdict.truth));
  json.member("claim", verdict.claim);
  json.member("method", verdict.method);
  json.member("ms", verdict.milliseconds);
  if (!verdict.detail.empty()) json.member("detail", verdict.detail);
  if (!verdict.counterexample) return;
  json.key("counterexample").beginObject().member("text", verdict.counterexample->text);
  json.key("witnesses").beginArray();
  for (const Witness& w : verdict.counterexample->witnesses)
    json.beginObject().member("name", w.name).member("values", w.values).endObject();
  json.endArray().member("points", verdict.counterexample->points).endObject();
}

void addAnswers(JsonWriter& json, const std::vector<SwizzleAnswer>& answers) {
  json.beginArray();
  for (const SwizzleAnswer& a : answers) {
    json.beginObject().member("layout", a.cute).member("cuda", a.cuda).member("bytes", a.bytes);
    if (!a.tma.empty()) json.member("tma", a.tma);
    if (!a.triton.empty()) json.member("triton", a.triton);
    if (a.padding > 0) json.member("padding", a.padding);
    json.endObject();
  }
  json.endArray();
}

void addLinear(JsonWriter& json, const LinearSwizzle& linear, const cute::Layout& layout) {
  json.member("found", linear.exists());
  if (!linear.exists()) {
    json.member("reason", linear.none);
    return;
  }
  json.key("swizzle").beginObject().member("bits", print(linear)).member("cuda", cudaIndexCode(linear, layout));
  json.endObject();
}

void addFinding(JsonWriter& json, const SwizzleFinding& found) {
  if (found.linear) return addLinear(json, *found.linear, found.layout);
  const SwizzleSearch& search = found.search;
  json.member("found", !search.swizzles.empty());
  addAnswers(json.key("swizzles"), search.swizzles);
  addAnswers(json.key("paddings"), search.paddings);
  json.member("candidates", search.candidates);
  json.member("bytes", search.bytes);
  json.member("conflict_free_as_it_is",
              !search.swizzles.empty() && search.swizzles.front().kind == SwizzleAnswer::Kind::AsIs);
  if (!search.swizzles.empty()) return;
  json.member("clash", mapped<std::string>(search.clash, &SwizzleClash::text));
  json.member("clash_is_smallest", search.clashIsSmallest);
}

void addAccess(JsonWriter& json, const AtlasAccess& access) {
  json.beginObject();
  json.member("direction", name(access.direction));
  json.member("space", name(access.space));
  json.member("bytes", access.width);
  json.member("matrices", access.matrices);
  json.member("transposed", access.trans);
  json.member("phases", print(access.phases));
  json.member("text", print(access));
  json.member("source", access.source);
  if (access.merged) json.member("merged_phases", print(*access.merged));
  json.endObject();
}

void addOperand(JsonWriter& json, const AtlasOperand& operand) {
  static constexpr const char* kSpaces[] = {"register", "shared", "tensor", "global"};
  json.beginObject();
  json.member("name", operand.name);
  json.member("element", operand.element);
  json.member("rows", operand.rows);
  json.member("columns", operand.columns);
  json.member("layout", operand.layout);
  json.member("space", kSpaces[static_cast<int>(operand.space)]);
  json.member("coverage", operand.coverage == Coverage::Once ? "once" : "broadcast");
  if (operand.access) addAccess(json.key("access"), *operand.access);
  json.endObject();
}

// All members except the name, which is at the position of the bound or shown name.
void addInstruction(JsonWriter& json, const AtlasRow& row) {
  json.member("family", name(row.family));
  json.member("arch", row.architecture);
  json.member("ptx", row.ptx);
  json.member("shape", row.shape);
  json.member("threads", row.threadId);
  if (!row.parameter.empty()) json.member("n", row.parameter);
  if (!row.aliases.empty()) json.member("aliases", row.aliases);
  json.key("operands").beginArray();
  for (const AtlasOperand& o : row.operands) addOperand(json, o);
  json.endArray().member("source", row.source);
  if (!row.note.empty()) json.member("note", row.note);
}

void addBanks(JsonWriter& json, const BankReport& report) {
  json.member("wavefronts", report.wavefronts);
  json.member("ideal", report.ideal);
  json.member("excess", report.excess);
  json.member("phases", report.phaseWavefronts);
  json.member("conflict_degree", report.conflictDegree);
}

// Extra members for scripts.
void addExtras(JsonWriter& json, const Value& value) {
  if (const auto* n = std::get_if<i64>(&value)) json.member("value", *n);
  if (const auto* b = std::get_if<bool>(&value)) json.member("value", *b);
  if (const auto* t = std::get_if<cute::IntTuple>(&value)) {
    addTree(json.key("value"), *t);
    // A bare shape denotes its compact layout.
    if (auto compact = cute::Layout::compact(*t)) json.member("layout", print(*compact));
  }
  if (const auto* layout = std::get_if<Layout>(&value)) addLayout(json, *layout);
  if (const auto* row = std::get_if<AtlasRow>(&value)) addInstruction(json, *row);
  if (const auto* banks = std::get_if<BankAccess>(&value)) addBanks(json, banks->report);
  if (const auto* found = std::get_if<SwizzleFinding>(&value)) addFinding(json, *found);
  if (const auto* verdict = std::get_if<Verdict>(&value)) addVerdict(json, *verdict);
}

void addPlace(JsonWriter& json, const JsonPlace& where, int line) {
  if (!where.file.empty()) json.member("file", where.file);
  json.member("line", line + static_cast<i64>(where.lineOffset));
}

// "name": of the binding or the show; instructions have their own.
void addName(JsonWriter& json, const Outcome& outcome, const Value& value) {
  if (const auto* row = std::get_if<AtlasRow>(&value)) {
    json.member("name", row->name);
  } else if (outcome.show) {
    json.member("name", outcome.show->name);
  } else if (outcome.statement.kind == StatementKind::Bind) {
    json.member("name", outcome.statement.name);
  }
  if (outcome.show) json.member("view", outcome.show->view);
}

void addNotes(JsonWriter& json, const Outcome& outcome) {
  if (outcome.notes.empty()) return;
  json.member("notes", mapped<std::string>(outcome.notes, &Diag::message));
}

void addSuccess(JsonWriter& json, const Outcome& outcome) {
  const std::optional<Value> verdict = outcome.verdict ? std::optional<Value>(*outcome.verdict) : std::nullopt;
  const Value* value = verdict ? &*verdict : outcome.show ? outcome.show->value.get() : outcome.value.get();
  if (outcome.ran) {
    addRun(json, *outcome.ran);
    return addNotes(json, outcome);
  }
  json.member("ok", true);
  if (outcome.learner.task) {
    json.member("kind", "task").member("text", taskText(outcome)).member("title", outcome.learner.task->title);
    json.member("solved", outcome.solved());
    if (outcome.verdict) addVerdict(json, *outcome.verdict);
    return addNotes(json, outcome);
  }
  if (value == nullptr && !outcome.learner.blank.empty()) {
    json.member("kind", "blank").member("text", blankText(outcome));
    if (!outcome.statement.name.empty()) json.member("name", outcome.statement.name);
    return;
  }
  if (value == nullptr) {
    json.member("kind", "none").member("text", "");
    return;
  }
  json.member("kind", kindOf(*value)).member("text", printLimited(*value));
  addName(json, outcome, *value);
  addExtras(json, *value);
  addNotes(json, outcome);
}

}  // namespace

std::string jsonOf(const Outcome& outcome, const LineIndex& index, const JsonPlace& where) {
  if (outcome.diag) return jsonOf(*outcome.diag, index, where);
  JsonWriter json;
  json.beginObject();
  addSuccess(json, outcome);
  if (outcome.program.checked && outcome.program.listing) {
    // Positions are relative to the block: line 1 is that of `graphene`.
    const LineIndex own(outcome.program.listing->text);
    json.key("specs").beginArray();
    for (const graphene::SpecVerdict& spec : outcome.program.checked->specs)
      addSpec(json, spec, ProgramText{outcome.program.listing->text, 0, ""}, own);
    json.endArray();
  }
  addPlace(json, where, index.at(outcome.statement.span.begin).line);
  return json.endObject().take();
}

std::string jsonOf(const Diag& diag, const LineIndex& index, const JsonPlace& where) {
  const LineColumn at = index.at(diag.span.begin);
  JsonWriter json;
  json.beginObject().member("ok", false).key("error").beginObject();
  json.member("message", diag.message);
  if (!diag.expected.empty()) json.member("expected", diag.expected);
  json.member("hint", diag.hint);
  addPlace(json, where, at.line);
  json.member("column", at.column);
  json.member("begin", diag.span.begin);
  json.member("end", diag.span.end);
  return json.endObject().endObject().take();
}

std::string jsonOf(const AtlasRow& row) {
  JsonWriter json;
  json.beginObject().member("ok", true).member("kind", "instruction").member("text", print(Value(row)));
  json.member("name", row.name);
  addInstruction(json, row);
  return json.endObject().take();
}

std::string jsonOf(const Verdict& verdict, const std::string& file) {
  JsonWriter json;
  json.beginObject().member("ok", true).member("kind", "verdict");
  addVerdict(json, verdict);
  addPlace(json, {file, 0}, 1);
  return json.endObject().take();
}

std::string jsonOfPicture(std::size_t bytes) {
  JsonWriter json;
  return json.beginObject().member("ok", true).member("kind", "picture").member("bytes", bytes).endObject().take();
}

std::string jsonOfReport(std::size_t bytes, std::size_t pictures) {
  JsonWriter json;
  json.beginObject().member("ok", true).member("kind", "report").member("bytes", bytes);
  return json.member("pictures", pictures).endObject().take();
}

std::string jsonOf(const Tally& tally, const std::string& file, double seconds) {
  JsonWriter json;
  json.beginObject();
  json.member("ok", tally.allHold());
  json.member("kind", "summary");
  json.member("text", tally.interrupted ? "interrupted" : tally.allHold() ? "all hold" : "not all hold");
  json.member("file", file);
  json.member("proved", tally.proved);
  json.member("asserted", tally.asserted);
  json.member("refuted", tally.refuted);
  json.member("unknown", tally.unknown);
  json.member("failed", tally.failed);
  if (tally.tasks > 0) json.member("tasks", tally.tasks).member("solved", tally.solved);
  json.member("ms", seconds * 1e3);
  return json.endObject().take();
}

}  // namespace tessera
