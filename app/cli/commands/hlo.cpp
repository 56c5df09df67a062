// tessera hlo: prints the indexing maps of every instruction of an HLO module.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <unordered_map>

#include "app/cli/commands.h"
#include "app/cli/commands/custom_table.h"
#include "app/cli/commands/hlo_tiles.h"
#include "app/cli/commands/module_reports.h"
#include "app/cli/io/report.h"
#include "app/engine/json_writer.h"
#include "app/engine/module/reach_lines.h"
#include "core/base/nearest.h"
#include "core/base/work_budget.h"
#include "core/hlo/compose/fusion.h"
#include "core/hlo/compose/structure.h"
#include "core/hlo/cost/plan.h"
#include "core/hlo/cost/usage.h"
#include "core/hlo/cost/warp_reads.h"
#include "core/hlo/text/attributes.h"
#include "core/notation/indexing/map.h"
#include "core/worksheet/language/place.h"
#include "solver/measure/predict/devices.h"
#include "solver/prove/structure/same_maps.h"

namespace tessera {
namespace {

using hlo::Instruction;
using hlo::Module;
using hlo::Reach;
using hlo::Soundness;

// A read in memory order, and as slots of the operand.
struct Physical {
  std::string order, slots;
};
Physical physicalOf(const Map& map, const xla::Shape& result, const xla::Shape& operand) {
  Physical p;
  const auto order = hlo::inMemoryOrder(map, result, operand);
  const auto slots = hlo::slotsRead(map, operand);
  p.order = order ? mapText(*order) : "unknown: " + order.error().message;
  p.slots = slots ? mapText(*slots) : "unknown: " + slots.error().message;
  return p;
}

// How warps read an operand.
struct Warps {
  int operand = 0;
  hlo::WarpReads reads;
};

std::string textOf(const Reported& t, const Warps& w) {
  return fmt::format("    warps {}  {}", nameOf(t, w.operand), hlo::textOf(w.reads));
}

std::string jsonOf(const Reported& t, const hlo::Plan& plan, const Warps& w) {
  JsonWriter json;
  beginJson(t, "warps", json);
  json.member("operand", w.operand).member("of", nameOf(t, w.operand));
  json.member("plan", plan.name);
  if (plan.kind == hlo::Plan::Kind::Threads) json.member("threads", mapText(plan.threads));
  if (plan.kind == hlo::Plan::Kind::Tiles) json.member("tile", fmt::format("[{}]", fmt::join(plan.tile, ",")));
  json.member("verdict", hlo::nameOf(w.reads.verdict)).member("text", hlo::textOf(w.reads));
  if (w.reads.verdict != hlo::WarpVerdict::Unknown) {
    json.member("warps", w.reads.warps).member("of warps", w.reads.warps).member("accesses", w.reads.accesses);
    json.member("width", w.reads.width).member("sectors", w.reads.sectors).member("ideal", w.reads.ideal);
    json.member("aligned", w.reads.aligned);
  }
  if (!w.reads.why.empty()) json.member("why", w.reads.why);
  return json.endObject().take();
}

std::string problemJson(const hlo::Problem& p) {
  JsonWriter json;
  json.beginObject().member("computation", p.computation).member("instruction", p.instruction).member("line", p.line);
  json.member("error", p.diag.message).member("expected", p.diag.expected).member("hint", p.diag.hint).endObject();
  return json.take();
}

void printProblems(const Module& module, const HloCommandOptions& options, Output& out) {
  for (const hlo::Problem& p : module.problems) {
    if (options.json)
      (void)out.line(problemJson(p));
    else
      complain(fmt::format("tessera: '{}': {}", options.file, hlo::textOf(p)));
  }
}

class ModulePrinter {
 public:
  ModulePrinter(const Module& module, const HloCommandOptions& options, Output& out)
      : module_(module), options_(options), out_(out), structures_(module), failed_(!module.problems.empty()) {
    for (const std::string_view field : hlo::split(options.reported.fields, ','))
      if (!field.empty()) fields_.emplace_back(field);
  }

  int run() {
    printProblems(module_, options_, out_);
    const LineIndex lines(*module_.text);
    for (std::size_t c = 0; c < module_.computations.size(); ++c) {
      const hlo::Computation& computation = module_.computations[c];
      if (!options_.computation.empty() && withoutMark(options_.computation) != computation.name) continue;
      const bool all = options_.instruction.empty();
      if (!options_.json && all && !out_.line(fmt::format("{}{}", computation.entry ? "ENTRY " : "", computation.name)))
        return kExitOk;
      for (std::size_t i = 0; i < computation.instructions.size(); ++i) {
        const Instruction& instruction = computation.instructions[i];
        if (!all && withoutMark(options_.instruction) != instruction.name) continue;
        if (!isWanted(computation, instruction)) continue;
        const int line = static_cast<int>(lines.at(instruction.span.begin).line);
        if (!printInstruction(static_cast<int>(c), static_cast<int>(i), line) || interrupted().load()) return kExitOk;
      }
    }
    if (reported_ == 0) return reportNoMatch();
    for (const std::string& field : fields_)
      if (!seen_.contains(field)) {
        complain(fmt::format("tessera: no line has a member '{}'", field));
        failed_ = true;
      }
    return failed_ ? kExitFailed : kExitOk;
  }

 private:
  // Dumps may write %add.1 as add.1.
  static std::string_view withoutMark(std::string_view name) { return name.starts_with('%') ? name.substr(1) : name; }

  bool isWanted(const hlo::Computation& computation, const Instruction& instruction) const {
    const std::string_view only = withoutMark(options_.reported.only);
    return only.empty() || only == instruction.name || only == computation.name || only == instruction.opcode;
  }

  // Reports that no instruction has the given name.
  int reportNoMatch() const {
    const std::string_view computation = withoutMark(options_.computation),
                           name = withoutMark(options_.instruction.empty() ? options_.reported.only
                                                                           : options_.instruction);
    std::vector<std::string> computations, names;
    for (const hlo::Computation& c : module_.computations) {
      computations.emplace_back(c.name);
      if (computation.empty() || computation == c.name)
        for (const Instruction& i : c.instructions) names.emplace_back(i.name);
    }
    const bool there = computation.empty() || module_.byName.contains(computation);
    const auto near = nearest(std::string(there ? name : computation), there ? names : computations);
    const std::string meant = near ? fmt::format("; did you mean {}?", *near) : "";
    if (!there) {
      complain(fmt::format("tessera: the module has no computation {}{}", computation, meant));
    } else if (name.empty()) {
      complain(fmt::format("tessera: '{}' has no instruction", options_.file));
    } else {
      complain(fmt::format("tessera: {} has no instruction {}{}",
                           computation.empty() ? "the module" : std::string(computation), name, meant));
    }
    return kExitUnreadable;
  }

  // Returns false if output is closed, or on interruption.
  bool printInstruction(int c, int i, int line) {
    ++reported_;
    const hlo::Computation& computation = module_.computation(c);
    const Instruction& instruction = computation.at(i);
    Reported t{module_, computation, instruction, line};
    try {
      const WorkBudget limit({.seconds = options_.budgetSeconds, .cancel = &interrupted()});
      return printInstruction(t, {c, i});
    } catch (const OutOfBudget& end) {
      return !end.cancelled() && refuse(t, {end.what(), "", "more time: --budget SECONDS", {}});
    }
  }

  // Whether the lines of one instruction are those of every other one of its structure: only maps are reported, and
  // they do not depend on the place of the instruction.
  [[nodiscard]] bool isShared(const Instruction& i) const {
    constexpr std::array<std::string_view, 3> kByPlace = {"while", "call", "conditional"};
    const bool plain = options_.json && !options_.physical && !options_.coalescing && options_.threads.empty() &&
                       options_.tile.empty() && !i.operands.empty();
    return plain && !i.opcode.starts_with("async-") && std::ranges::find(kByPlace, i.opcode) == kByPlace.end();
  }

  bool printInstruction(Reported& t, hlo::Where where) {
    if (!isShared(t.instruction)) return printAlone(t, where);
    const int number = structures_.of(where);
    if (const auto known = known_.find(number); known != known_.end()) {
      for (const ReachLine& line : known->second)
        if (!print(jsonOf(t, line))) return false;
      return true;
    }
    lines_.emplace();
    const bool open = printAlone(t, where);
    const bool names = std::ranges::any_of(*lines_, &ReachLine::names);
    if (open && !names && !refused_) known_[number] = *std::move(lines_);
    lines_.reset();
    refused_ = false;
    return open;
  }

  // A line of JSON, with the members that are wanted.
  bool print(const std::string& line) { return out_.line(fields_.empty() ? line : withFields(line)); }

  std::string withFields(const std::string& line) {
    std::string out = "{";
    std::size_t from = 1;
    int depth = 0;
    bool quoted = false;
    for (std::size_t k = 1; k < line.size(); ++k) {
      const char c = line[k];
      if (quoted) {
        if (c == '\\') ++k;
        quoted = c != '"';
        continue;
      }
      quoted = c == '"';
      if (c == '{' || c == '[') ++depth;
      if (const bool last = k + 1 == line.size(); depth == 0 && (c == ',' || last)) {
        const std::string member = line.substr(from, k - from);
        const std::string key = member.substr(1, member.find('"', 1) - 1);
        if (std::ranges::find(fields_, key) != fields_.end()) {
          out += (out.size() > 1 ? "," : "") + member;
          seen_.insert(key);
        }
        from = k + 1;
      } else if (c == '}' || c == ']') {
        --depth;
      }
    }
    return out + "}";
  }

  bool printAlone(Reported& t, hlo::Where where) {
    const Instruction& instruction = t.instruction;
    if (!options_.json) {
      const std::string source = sourceOf(module_, instruction);
      if (!out_.line(fmt::format("  {} = {} {}{}", instruction.name, xla::print(module_.shapeOf(instruction)),
                                 instruction.opcode, source.empty() ? "" : "   " + source)))
        return false;
    }
    const std::size_t outputs = module_.outputsOf(instruction);
    for (std::size_t o = 0; o < outputs; ++o) {
      if (!options_.json && outputs > 1 && !out_.line(fmt::format("    output {}", o))) return false;
      t.output = static_cast<int>(o);
      const auto reads = hlo::readsThrough(module_, where, static_cast<int>(o), same_);
      if (!printReaches(t, reads)) return false;
      if (reads && options_.physical && !printPhysical(t, *reads)) return false;
      if (reads && !options_.tile.empty() && !printTiles(t, *reads)) return false;
      const bool warps = options_.coalescing || !options_.threads.empty();
      if (reads && warps && !printWarps(t, where, static_cast<int>(o))) return false;
    }
    t.reads = false;
    for (std::size_t k = 0; k < instruction.operands.size() && (options_.json || options_.uses); ++k) {
      t.operand = static_cast<int>(k);
      const auto uses = hlo::usesThrough(module_, where, t.operand, same_);
      if (!printReaches(t, uses)) return false;
      if (uses && !options_.tile.empty() && !printTiles(t, *uses)) return false;
    }
    return true;
  }

  bool printReaches(const Reported& t, const Result<std::vector<Reach>>& reaches) {
    if (!reaches) return refuse(t, reaches.error());
    const bool tuple = t.instruction.opcode == "tuple";  // for 1,000 elements: a million pairs without reads
    for (const Reach& r : *reaches) {
      if (tuple && r.maps.empty() && r.soundness == Soundness::Exact) continue;
      const auto usage = options_.usage || options_.json
                             ? usageOf(t, r, options_.usage ? hlo::kMostCounted : kUnaskedUsage)
                             : std::nullopt;
      if (!options_.json) {
        if (!out_.line(textOf(t, r, usage))) return false;
        continue;
      }
      ReachLine line = lineOf(t, r, usage);
      if (!print(jsonOf(t, line))) return false;
      if (lines_) lines_->push_back(std::move(line));
    }
    return true;
  }

  bool printPhysical(const Reported& t, const std::vector<Reach>& reads) {
    const xla::Shape& result = outputOf(t);
    for (const Reach& r : reads) {
      const xla::Shape* const operand = operandArray(t, r.slot, r.element);
      if (operand == nullptr || !result.isArray()) continue;
      for (const Map& map : r.maps) {
        const Physical p = physicalOf(map, result, *operand);
        const std::string atMost = r.soundness == Soundness::Over ? "   at most: " + r.why : "";
        const bool reported =
            options_.json ? out_.line(physicalJson(t, r, p, result, *operand))
                          : out_.line(fmt::format("    memory order {} to {}  {}{}", xla::print(result),
                                                  xla::print(*operand), p.order, atMost)) &&
                                out_.line(fmt::format("    slots {}  {}{}", nameOf(t, r.slot), p.slots, atMost));
        if (!reported) return false;
      }
    }
    return true;
  }

  static std::string physicalJson(const Reported& t, const Reach& r, const Physical& p, const xla::Shape& result,
                                  const xla::Shape& operand) {
    JsonWriter json;
    beginJson(t, "physical", json);
    json.member("operand", r.slot).member("of", nameOf(t, r.slot)).member("sound", name(r.soundness));
    json.member("result", xla::print(result)).member("layout", xla::print(operand));
    return json.member("memory order", p.order).member("slots", p.slots).endObject().take();
  }

  // The reported output, which may be a token instead of an array.
  static const xla::Shape& outputOf(const Reported& t) {
    return t.module.shapeOf(t.instruction).leaf(static_cast<std::size_t>(t.output));
  }

  // Sizes of the tiled array: the reading output, or the operand whose uses are reported.
  static std::vector<i64> tiledSizes(const Reported& t) {
    const xla::Shape* const of = t.reads ? &outputOf(t) : operandArray(t, t.operand);
    return of != nullptr && of->isArray() ? of->sizes() : std::vector<i64>{};
  }

  bool printTiles(const Reported& t, const std::vector<Reach>& reaches) {
    const auto option = parseTileOption(options_.tile);
    if (!option) return refuse(t, option.error());
    for (const Reach& r : reaches)
      for (const Map& map : r.maps) {
        if (!t.reads && !option->any && option->sizes.size() != map.indexDigits().size()) continue;  // the output's
        auto reported = reportedTile(map, tiledSizes(t), *option);
        if (!reported) return refuse(t, reported.error());  // the same for all reads
        if (r.soundness == Soundness::Over) reported->text += "; at most: " + r.why;
        if (!out_.line(options_.json ? tileJson(t, r, *reported) : tileText(t, r, *reported))) return false;
      }
    return true;
  }

  static std::string tileText(const Reported& t, const Reach& r, const ReportedTile& reported) {
    const std::string head = fmt::format("    tile {}{}  ", nameOf(t, t.reads ? r.slot : t.operand),
                                         t.reads ? "" : fmt::format(" to output {}", r.slot));
    std::string text = head;
    for (const char c : reported.text) {  // one line per case
      text += c;
      if (c == '\n') text += std::string(head.size(), ' ');
    }
    return text;
  }

  static std::string tileJson(const Reported& t, const Reach& r, const ReportedTile& reported) {
    JsonWriter json;
    beginJson(t, t.reads ? "tile" : "tile of uses", json);
    const int operand = t.reads ? r.slot : t.operand;
    json.member("operand", operand).member("of", nameOf(t, operand));
    if (!t.reads) json.member("output", r.slot);
    write(reported, json);
    return json.endObject().take();
  }

  Result<hlo::Plan> planOf(hlo::Where where, int output) const {
    if (options_.threads.empty()) return hlo::planOf(module_, where, output);
    TESSERA_TRY(const indexing::IndexingMap given, indexing::parse(options_.threads));
    TESSERA_TRY(Map map, indexing::toMap(given));
    return hlo::planWith(module_, where, output, std::move(map));
  }

  bool printWarps(const Reported& t, hlo::Where where, int output) {
    if (t.instruction.operands.empty() || !outputOf(t).isArray()) return true;
    const auto plan = planOf(where, output);
    if (!plan) return refuse(t, plan.error());
    const auto reads = hlo::readsOfPlan(module_, where, output, *plan);
    if (!reads) return refuse(t, reads.error());
    if (!options_.json && !out_.line("    " + hlo::textOf(*plan))) return false;
    for (std::size_t k = 0; k < reads->size(); ++k) {
      const int at = t.instruction.operands.at(k);
      if (at < 0) continue;
      auto warps = hlo::warpReads((*reads)[k], module_.shapeOf(t.computation.at(at)));
      if (!warps) {
        if (!refuse(t, warps.error())) return false;
        continue;
      }
      const Warps w{static_cast<int>(k), *std::move(warps)};
      if (!out_.line(options_.json ? jsonOf(t, *plan, w) : textOf(t, w))) return false;
    }
    return true;
  }

  bool refuse(const Reported& t, const Diag& diag) {
    failed_ = refused_ = true;
    if (options_.json) {
      JsonWriter json;
      beginJson(t, directionOf(t), json);
      if (!t.reads) json.member("operand", t.operand);
      json.key("maps").null().member("exact", false).member("reason", diag.message);
      json.member("error", diag.message).member("expected", diag.expected).member("hint", diag.hint);
      return out_.line(json.endObject().take());
    }
    return out_.line(fmt::format("    line {}: {}{}{}", t.line, diag.message,
                                 diag.expected.empty() ? "" : "; expected: " + diag.expected,
                                 diag.hint.empty() ? "" : "; " + diag.hint));
  }

  const Module& module_;
  const HloCommandOptions& options_;
  Output& out_;
  const hlo::SameMaps same_ = sameByProof();
  hlo::Structures structures_;
  std::unordered_map<int, std::vector<ReachLine>> known_;  // by structure
  std::optional<std::vector<ReachLine>> lines_;            // of the instruction that is being printed
  bool refused_ = false;                                   // some of its lines
  std::vector<std::string> fields_;
  std::set<std::string> seen_;  // of fields_
  bool failed_;
  int reported_ = 0;
};

}  // namespace

std::optional<Module> moduleIn(const std::string& file, double budgetSeconds, const Complaints& wrong) {
  auto document = readFile(file);
  if (!document) {
    wrong.say(document.error(), file);
    return std::nullopt;
  }
  auto read = withinBudget(budgetSeconds, [&]() -> Result<Module> { return hlo::readModule(*std::move(document)); });
  if (!read) {
    wrong.in(file, read.error(), "");
    return std::nullopt;
  }
  return *std::move(read);
}

int runHlo(const HloCommandOptions& options, Output& out) {
  const Complaints wrong(options.json, out);
  const auto table = customCallsIn(options.customCalls, wrong);
  if (!table) return kExitUnreadable;
  auto plain = moduleIn(options.file, options.budgetSeconds, wrong);
  if (!plain) return kExitUnreadable;
  const auto read =
      table->rows().empty() ? std::move(plain) : std::optional(hlo::withCustomCalls(*std::move(plain), *table));
  const Module& module = *read;
  if (module.computations.empty()) {
    printProblems(module, options, out);
    return kExitUnreadable;
  }
  std::optional<Module> before;
  if (!options.ranked.against.empty()) {
    before = moduleIn(options.ranked.against, options.budgetSeconds, wrong);
    if (!before) return kExitUnreadable;
  }
  std::optional<measure::DeviceInfo> device;
  if (!options.ranked.roofline.empty()) {
    const auto named = measure::deviceNamed(options.ranked.roofline);
    if (!named) {
      wrong.in("--roofline", named.error(), "");
      return kExitUnreadable;
    }
    device = *named;
  }
  if (options.ranked.worst || options.ranked.wire || before || device) {
    for (const hlo::Problem& p : module.problems) complain("tessera: " + textOf(p));
    const bool complete = before   ? printChanges(*before, module, options.budgetSeconds, options.json, out)
                          : device ? printRooflines(module, *device, options.budgetSeconds, options.json, out)
                          : options.ranked.wire ? printWire(module, options.json, out)
                                                : printWorst(module, options.budgetSeconds, options.json, out);
    return complete && module.problems.empty() ? kExitOk : kExitFailed;
  }
  return ModulePrinter(module, options, out).run();
}

}  // namespace tessera
