// tessera hlo: the indexing maps of every instruction of an HLO module.
#include <fmt/format.h>

#include <algorithm>

#include "app/cli/commands.h"
#include "app/cli/hlo_tiles.h"
#include "app/cli/json_writer.h"
#include "core/hlo/fusion.h"
#include "core/hlo/thread_map.h"
#include "core/hlo/usage.h"
#include "core/hlo/uses_through.h"
#include "core/hlo/warp_reads.h"
#include "core/notation/indexing/map.h"

namespace tessera {
namespace {

using hlo::Instruction;
using hlo::Module;
using hlo::Reach;
using hlo::Soundness;

std::string_view name(Soundness s) {
  return s == Soundness::Exact ? "exact" : s == Soundness::Over ? "at most" : "unknown";
}

std::string mapText(const Map& map) { return indexing::print(indexing::toIndexingMap(map)); }

// One instruction that is told of, in one direction.
struct Told {
  const Module& module;
  const hlo::Computation& computation;
  const Instruction& instruction;
  int line = 0;
  bool reads = true;
  int operand = 0;  // whose uses; reads have them all
};

std::string nameOf(const Told& t, int operand) {
  const int at = t.instruction.operands.at(static_cast<std::size_t>(operand));
  return at < 0 ? "?" : std::string(t.computation.instructions[static_cast<std::size_t>(at)].name);
}

void beginJson(const Told& t, JsonWriter& json) {
  json.beginObject().member("computation", t.computation.name).member("instruction", t.instruction.name);
  json.member("op", t.instruction.opcode).member("line", t.line).member("direction", t.reads ? "reads" : "uses");
}

// How much of its operand is read; nullopt: it is no array, or nobody knows what is read.
std::optional<hlo::Usage> usageOf(const Told& t, const Reach& r) {
  const int at = t.instruction.operands.at(static_cast<std::size_t>(r.slot));
  if (!t.reads || at < 0 || r.soundness == Soundness::Unknown) return std::nullopt;
  const xla::Shape& shape = t.module.shapeOf(t.computation.instructions[static_cast<std::size_t>(at)]);
  if (!shape.isArray()) return std::nullopt;
  return hlo::usageOf(r.maps, shape.sizes());
}

std::string jsonOf(const Told& t, const Reach& r, const std::optional<hlo::Usage>& usage) {
  JsonWriter json;
  beginJson(t, json);
  const int operand = t.reads ? r.slot : t.operand;
  json.member("operand", operand).member("of", nameOf(t, operand));
  if (!t.reads) json.member("output", r.slot);
  json.member("sound", name(r.soundness));
  if (!r.why.empty()) json.member("why", r.why);
  json.key("maps").beginArray();
  for (const Map& map : r.maps) json.value(mapText(map));
  json.endArray();
  if (!r.runtime.empty()) {
    json.key("runtime").beginArray();
    for (const hlo::RuntimeValue& v : r.runtime)
      json.beginObject()
          .member("name", v.name)
          .member("of", nameOf(t, v.operand))
          .member("map", mapText(v.index))
          .endObject();
    json.endArray();
  }
  if (r.replica) json.member("replica", mapText(*r.replica));
  if (usage) {
    json.member("elements", usage->elements);
    if (usage->distinct) json.member("distinct", *usage->distinct);
    if (usage->reads) json.member("reads", *usage->reads);
    if (!usage->why.empty()) json.member("not counted", usage->why);
  }
  if (const std::string source = sourceOf(t.module, t.instruction); !source.empty()) json.member("source", source);
  return json.endObject().take();
}

std::string textOf(const Told& t, const Reach& r, const std::optional<hlo::Usage>& usage) {
  const int operand = t.reads ? r.slot : t.operand;
  std::string head = fmt::format("    {}{}", t.reads ? "reads " : "from ", nameOf(t, operand));
  if (!t.reads && t.module.shapeOf(t.instruction).kind() == xla::Shape::Kind::Tuple)
    head += fmt::format(" to output {}", r.slot);
  head += "  ";
  if (r.soundness == Soundness::Unknown) return head + "unknown: " + r.why;
  if (r.maps.empty()) return head + "nothing";
  std::string out;
  for (const Map& map : r.maps) {
    out += (out.empty() ? head : "\n" + std::string(head.size(), ' ')) + mapText(map);
    if (r.soundness == Soundness::Over) out += "   at most: " + r.why;
  }
  for (const hlo::RuntimeValue& v : r.runtime)
    out += fmt::format("\n{}{} is {} at {}", std::string(head.size(), ' '), v.name, nameOf(t, v.operand),
                       mapText(v.index));
  if (usage) out += "\n" + std::string(head.size(), ' ') + hlo::textOf(*usage);
  return out;
}

// How warps read an operand.
struct Warps {
  int operand = 0;
  hlo::WarpReads reads;
};

std::string textOf(const Told& t, const Warps& w) {
  return fmt::format("    warps {}  {}", nameOf(t, w.operand), hlo::textOf(w.reads));
}

std::string jsonOf(const Told& t, const hlo::ThreadPlan& plan, const Warps& w) {
  JsonWriter json;
  json.beginObject().member("computation", t.computation.name).member("instruction", t.instruction.name);
  json.member("op", t.instruction.opcode).member("line", t.line).member("direction", "warps");
  json.member("operand", w.operand).member("of", nameOf(t, w.operand));
  json.member("plan", plan.name).member("threads", mapText(plan.threads));
  json.member("verdict", hlo::nameOf(w.reads.verdict)).member("text", hlo::textOf(w.reads));
  if (w.reads.verdict != hlo::WarpVerdict::Unknown) {
    json.member("warps", w.reads.warps).member("of warps", w.reads.of).member("accesses", w.reads.accesses);
    json.member("width", w.reads.width).member("sectors", w.reads.sectors).member("ideal", w.reads.ideal);
    json.member("aligned", w.reads.aligned);
  }
  if (!w.reads.why.empty()) json.member("why", w.reads.why);
  return json.endObject().take();
}

class Teller {
 public:
  Teller(const Module& module, const HloCommandOptions& options, Output& out)
      : module_(module), options_(options), out_(out) {}

  int run() {
    tellProblems();
    std::size_t at = 0;
    int line = 1;
    for (std::size_t c = 0; c < module_.computations.size(); ++c) {
      const hlo::Computation& computation = module_.computations[c];
      if (!options_.computation.empty() && options_.computation != computation.name) continue;
      const bool all = options_.instruction.empty();
      if (!options_.json && all && !out_.line(fmt::format("{}{}", computation.entry ? "ENTRY " : "", computation.name)))
        return kExitOk;
      for (std::size_t i = 0; i < computation.instructions.size(); ++i) {
        const Instruction& instruction = computation.instructions[i];
        const std::size_t begin =
            std::max(instruction.span.begin, at);  // bodies that are written where they are called go back
        line += static_cast<int>(std::count(module_.text->begin() + static_cast<std::ptrdiff_t>(at),
                                            module_.text->begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
        at = begin;
        if (!all && options_.instruction != instruction.name) continue;
        const int here = instruction.span.begin < at ? module_.lineAt(instruction.span.begin) : line;
        if (!tell(static_cast<int>(c), static_cast<int>(i), here) || interrupted().load()) return kExitOk;
      }
    }
    if (told_ == 0) {
      complain("tessera: the module has no such computation or instruction");
      return kExitUnreadable;
    }
    return failed_ ? kExitFailed : kExitOk;
  }

 private:
  void tellProblems() {
    for (const hlo::Problem& p : module_.problems) {
      failed_ = true;
      if (!options_.json) {
        complain(fmt::format("tessera: line {}: {}{}{}", p.line, p.diag.message,
                             p.diag.expected.empty() ? "" : "; expected: " + p.diag.expected,
                             p.diag.hint.empty() ? "" : "; " + p.diag.hint));
        continue;
      }
      JsonWriter json;
      json.beginObject()
          .member("computation", p.computation)
          .member("instruction", p.instruction)
          .member("line", p.line);
      json.member("error", p.diag.message).member("expected", p.diag.expected).member("hint", p.diag.hint).endObject();
      (void)out_.line(json.take());
    }
  }

  // False once nobody reads.
  bool tell(int c, int i, int line) {
    ++told_;
    const hlo::Computation& computation = module_.computations[static_cast<std::size_t>(c)];
    const Instruction& instruction = computation.instructions[static_cast<std::size_t>(i)];
    Told t{module_, computation, instruction, line};
    if (!options_.json) {
      const std::string source = sourceOf(module_, instruction);
      if (!out_.line(fmt::format("  {} = {} {}{}", instruction.name, xla::print(module_.shapeOf(instruction)),
                                 instruction.opcode, source.empty() ? "" : "   " + source)))
        return false;
    }
    const std::size_t outputs = module_.shapeOf(instruction).kind() == xla::Shape::Kind::Tuple
                                    ? module_.shapeOf(instruction).elements().size()
                                    : 1;
    for (std::size_t o = 0; o < outputs; ++o) {
      if (!options_.json && outputs > 1 && !out_.line(fmt::format("    output {}", o))) return false;
      const auto reads = hlo::readsThrough(module_, {c, i}, static_cast<int>(o));
      if (!tellAll(t, reads)) return false;
      if (reads && !options_.tile.empty() && !tellTiles(t, *reads)) return false;
      if ((options_.coalescing || !options_.threads.empty()) && !tellWarps(t, {c, i}, static_cast<int>(o)))
        return false;
    }
    t.reads = false;
    for (std::size_t k = 0; k < instruction.operands.size() && (options_.json || options_.uses); ++k) {
      t.operand = static_cast<int>(k);
      const auto uses = hlo::usesThrough(module_, {c, i}, t.operand);
      if (!tellAll(t, uses)) return false;
      if (uses && !options_.tile.empty() && !tellTiles(t, *uses)) return false;
    }
    return true;
  }

  bool tellAll(const Told& t, const Result<std::vector<Reach>>& reaches) {
    if (!reaches) return refuse(t, reaches.error());
    for (const Reach& r : *reaches) {
      const auto usage = options_.usage ? usageOf(t, r) : std::nullopt;
      if (!out_.line(options_.json ? jsonOf(t, r, usage) : textOf(t, r, usage))) return false;
    }
    return true;
  }

  bool tellTiles(const Told& t, const std::vector<Reach>& reaches) {
    const auto asked = tileAsked(options_.tile);
    if (!asked) return refuse(t, asked.error());
    for (const Reach& r : reaches)
      for (const Map& map : r.maps) {
        if (!t.reads && !asked->any && asked->sizes.size() != map.indexDigits().size()) continue;  // it is the output's
        auto told = toldTile(map, *asked);
        if (!told) return refuse(t, told.error());  // the same for all
        if (r.soundness == Soundness::Over) told->text += "; at most: " + r.why;
        if (!out_.line(options_.json ? tileJson(t, r, *told) : tileText(t, r, *told))) return false;
      }
    return true;
  }

  static std::string tileText(const Told& t, const Reach& r, const ToldTile& told) {
    const std::string head = fmt::format("    tile {}{}  ", nameOf(t, t.reads ? r.slot : t.operand),
                                         t.reads ? "" : fmt::format(" to output {}", r.slot));
    std::string text = head;
    for (const char c : told.text) {  // the cases stand below one another
      text += c;
      if (c == '\n') text += std::string(head.size(), ' ');
    }
    return text;
  }

  static std::string tileJson(const Told& t, const Reach& r, const ToldTile& told) {
    JsonWriter json;
    json.beginObject().member("computation", t.computation.name).member("instruction", t.instruction.name);
    json.member("op", t.instruction.opcode)
        .member("line", t.line)
        .member("direction", t.reads ? "tile" : "tile of uses");
    const int operand = t.reads ? r.slot : t.operand;
    json.member("operand", operand).member("of", nameOf(t, operand));
    if (!t.reads) json.member("output", r.slot);
    write(told, json);
    return json.endObject().take();
  }

  Result<hlo::ThreadPlan> planOf(hlo::Where where, int output) const {
    if (options_.threads.empty()) return hlo::planOf(module_, where, output);
    TESSERA_TRY(const indexing::IndexingMap given, indexing::parse(options_.threads));
    TESSERA_TRY(Map map, indexing::toMap(given));
    return hlo::planWith(module_, where, output, std::move(map));
  }

  bool tellWarps(const Told& t, hlo::Where where, int output) {
    if (t.instruction.operands.empty()) return true;
    const auto plan = planOf(where, output);
    if (!plan) return refuse(t, plan.error());
    const auto reads = hlo::readsOfPlan(module_, where, output, *plan);
    if (!reads) return refuse(t, reads.error());
    if (!options_.json && !out_.line(fmt::format("    threads: {}: {}", plan->name, mapText(plan->threads))))
      return false;
    for (const Reach& r : *reads) {
      const int at = t.instruction.operands.at(static_cast<std::size_t>(r.slot));
      if (at < 0) continue;
      const xla::Shape& shape = module_.shapeOf(t.computation.instructions[static_cast<std::size_t>(at)]);
      auto warps = hlo::warpReads(r, plan->threads, shape);
      if (!warps) {
        if (!refuse(t, warps.error())) return false;
        continue;
      }
      const Warps w{r.slot, *std::move(warps)};
      if (!out_.line(options_.json ? jsonOf(t, *plan, w) : textOf(t, w))) return false;
    }
    return true;
  }

  bool refuse(const Told& t, const Diag& diag) {
    failed_ = true;
    if (options_.json) {
      JsonWriter json;
      beginJson(t, json);
      return out_.line(json.member("error", diag.message).member("expected", diag.expected).endObject().take());
    }
    return out_.line(fmt::format("    line {}: {}{}", t.line, diag.message,
                                 diag.expected.empty() ? "" : "; expected: " + diag.expected));
  }

  const Module& module_;
  const HloCommandOptions& options_;
  Output& out_;
  bool failed_ = false;
  int told_ = 0;
};

}  // namespace

int runHlo(const HloCommandOptions& options, Output& out) {
  auto document = readFile(options.file);
  if (!document) {
    complain("tessera: " + document.error().message);
    return kExitUnreadable;
  }
  const Module module = hlo::readModule(*std::move(document));
  if (module.computations.empty()) {
    for (const hlo::Problem& p : module.problems)
      complain(fmt::format("tessera: '{}': line {}: {}; expected: {}", options.file, p.line, p.diag.message,
                           p.diag.expected));
    return kExitUnreadable;
  }
  return Teller(module, options, out).run();
}

}  // namespace tessera
