// tessera ttgir: the layout conversions of a TTGIR module, and those that a pass added or removed.
#include <fmt/format.h>

#include <array>

#include "app/cli/commands.h"
#include "app/cli/io/report.h"
#include "app/engine/json_writer.h"
#include "core/analysis/conversion/conversions.h"
#include "core/base/chars.h"
#include "core/base/work_budget.h"
#include "core/notation/triton/module.h"
#include "core/worksheet/language/place.h"

namespace tessera {
namespace {

constexpr std::array<const char*, 4> kKindWords = {"convert", "load", "store", "allocate"};

// A module as read: its text, and its conversions.
struct ReadModule {
  std::string file, text;
  std::vector<Conversion> conversions;
};

// "nothing: same registers", "a shuffle", "shared memory".
std::string needOf(const Conversion& one) {
  if (!one.movement) return "";
  switch (*one.movement) {
    case Movement::Same:
      return "nothing: both layouts are the same function";
    case Movement::Thread:
      return "nothing: every element is in another register of its thread";
    case Movement::Warp:
      return "a shuffle: every element is in a lane of its warp";
    case Movement::Block:
      return "shared memory: elements change their warp";
    case Movement::Cluster:
      return "shared memory of other blocks";
  }
  return "";
}

std::string textOf(const char* word, const Transfer& t) {
  std::string text =
      fmt::format("    {}: {} wavefront{}, ideal {}", word, t.wavefronts, t.wavefronts == 1 ? "" : "s", t.ideal);
  text += fmt::format("; {} x {} of {} bytes per lane", counted(static_cast<std::size_t>(t.warps), "warp"), t.accesses,
                      t.width);
  return t.matrices ? text + ", transposed matrices" : text;
}

std::string headOf(const Conversion& one, std::size_t line) {
  const bool store = one.kind == ConversionKind::Store;
  const std::string to = store ? fmt::format("{}, {}", one.source.operand, one.source.result) : one.source.operand;
  return fmt::format("{}: {}{} {} : {} -> {}", line,
                     store || one.source.result.empty() ? "" : one.source.result + " = ", one.source.operation, to,
                     one.source.fromText, one.source.toText);
}

std::vector<std::string> linesOf(const Conversion& one, std::size_t line) {
  std::vector<std::string> lines = {headOf(one, line)};
  const std::string need = needOf(one);
  if (!need.empty() && one.filledBy.empty()) lines.push_back("    needs " + need + " (proved)");
  if (!need.empty() && !one.filledBy.empty())
    lines.push_back(
        fmt::format("    from {} through {}, it needs {} (proved)", one.filledBy, one.source.operand, need));
  if (one.bytes > 0) lines.push_back(fmt::format("    {} bytes through shared memory", one.bytes));
  if (one.write) lines.push_back(textOf("write", *one.write));
  if (one.read) lines.push_back(textOf("read", *one.read));
  if (!one.uncounted.empty()) lines.push_back("    " + one.uncounted);
  if (!one.why.empty()) lines.push_back("    unknown: " + one.why);
  return lines;
}

void addTransfer(JsonWriter& json, const char* name, const std::optional<Transfer>& transfer) {
  if (!transfer) return;
  json.key(name).beginObject().member("wavefronts", transfer->wavefronts).member("ideal", transfer->ideal);
  json.member("width", transfer->width).member("accesses", transfer->accesses).member("warps", transfer->warps);
  json.member("matrices", transfer->matrices).endObject();
}

// change: "" or "added", "removed".
std::string jsonOf(const ReadModule& module, const Conversion& one, std::size_t line, std::string_view change) {
  JsonWriter json;
  json.beginObject().member("ok", one.why.empty());
  if (!change.empty()) json.member("change", change);
  json.member("file", module.file).member("line", line).member("function", one.source.function);
  json.member("kind", kKindWords[static_cast<std::size_t>(one.kind)]).member("operation", one.source.operation);
  json.member("result", one.source.result).member("operand", one.source.operand);
  json.member("from", one.source.fromText).member("to", one.source.toText);
  if (one.movement) {
    json.member("needs", *one.movement <= Movement::Thread ? "nothing"
                         : *one.movement == Movement::Warp ? "shuffle"
                                                           : "shared memory");
    json.member("movement", name(*one.movement)).member("proved", true);
  }
  if (!one.filledBy.empty()) json.member("of", one.filledBy);
  json.member("bytes", one.bytes);
  addTransfer(json, "write", one.write);
  addTransfer(json, "read", one.read);
  if (!one.uncounted.empty()) json.member("uncounted", one.uncounted);
  if (!one.why.empty()) json.member("why", one.why);
  return json.endObject().take();
}

std::string summaryOf(const std::vector<Conversion>& conversions) {
  std::size_t converts = 0, shuffles = 0, nothing = 0, loads = 0, stores = 0;
  i64 bytes = 0;
  for (const Conversion& one : conversions) {
    bytes += one.bytes;
    loads += one.kind == ConversionKind::Load ? 1 : 0;
    stores += one.kind == ConversionKind::Store || one.kind == ConversionKind::Allocate ? 1 : 0;
    if (one.kind != ConversionKind::Convert) continue;
    ++converts;
    shuffles += one.movement == Movement::Warp ? 1 : 0;
    nothing += one.movement && *one.movement <= Movement::Thread ? 1 : 0;
  }
  return fmt::format("{} ({} by shuffle, {} for nothing), {}, {}: {} bytes through shared memory",
                     counted(converts, "conversion"), shuffles, nothing, counted(loads, "load"),
                     counted(stores, "store"), bytes);
}

class TtgirPrinter {
 public:
  TtgirPrinter(const TtgirOptions& options, Output& out) : options_(options), out_(out) {}

  void all(const ReadModule& module) {
    const LineIndex lines(module.text);
    for (const Conversion& one : module.conversions) print(module, lines, one, "");
    if (!options_.json) (void)out_.line(summaryOf(module.conversions));
  }

  void changes(const ReadModule& before, const ReadModule& after) {
    const LineIndex linesBefore(before.text), linesAfter(after.text);
    const ConversionChanges changes = changesOf(before.conversions, after.conversions);
    for (const Conversion& one : changes.removed) print(before, linesBefore, one, "removed");
    for (const Conversion& one : changes.added) print(after, linesAfter, one, "added");
    if (options_.json) return;
    (void)out_.line(
        fmt::format("{} removed, {} added, {} kept", changes.removed.size(), changes.added.size(), changes.kept));
    (void)out_.line(fmt::format("{}: {}", before.file, summaryOf(before.conversions)));
    (void)out_.line(fmt::format("{}: {}", after.file, summaryOf(after.conversions)));
  }

  [[nodiscard]] bool complete() const { return complete_; }

 private:
  void print(const ReadModule& module, const LineIndex& lines, const Conversion& one, std::string_view change) {
    complete_ = complete_ && one.why.empty();
    if (out_.broken()) return;
    const std::size_t line = lines.at(one.source.span.begin).line;
    if (options_.json) {
      (void)out_.line(jsonOf(module, one, line, change));
      return;
    }
    bool first = true;
    for (const std::string& text : linesOf(one, line)) {
      (void)out_.line(first && !change.empty() ? fmt::format("{} {}", change, text) : text);
      first = false;
    }
  }

  const TtgirOptions& options_;
  Output& out_;
  bool complete_ = true;
};

Result<ReadModule> readModule(const std::string& file, double seconds) {
  TESSERA_TRY(std::string text, readFile(file));
  ReadModule module{file, std::move(text), {}};
  const WorkBudget limit({.seconds = seconds, .cancel = &interrupted()});
  try {
    module.conversions = conversionsOf(module.text);
    if (module.conversions.empty() && triton::outlineOf(module.text).operations.empty())
      return Diag{"there is no operation of Triton's MLIR in this text", "a TTGIR module",
                  "triton dumps it: kernel.asm[\"ttgir\"]"};
  } catch (const OutOfBudget& end) {
    return Diag{end.what(), "", "more time: --budget SECONDS"};
  }
  return module;
}

}  // namespace

int runTtgir(const TtgirOptions& options, Output& out) {
  const Complaints wrong(options.json, out);
  std::vector<ReadModule> modules;
  for (const std::string& file : {options.file, options.against}) {
    if (file.empty()) continue;
    Result<ReadModule> module = readModule(file, options.budgetSeconds);
    if (!module) {
      wrong.say(module.error(), file);
      return kExitUnreadable;
    }
    modules.push_back(*std::move(module));
  }
  TtgirPrinter printer(options, out);
  if (modules.size() == 2)
    printer.changes(modules[0], modules[1]);
  else
    printer.all(modules[0]);
  return printer.complete() ? kExitOk : kExitFailed;
}

}  // namespace tessera
