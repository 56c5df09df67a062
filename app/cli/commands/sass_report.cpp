#include "app/cli/commands/sass_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "app/engine/json_writer.h"
#include "app/engine/table.h"
#include "core/base/chars.h"
#include "core/sass/latency.h"

namespace tessera {

namespace {

using sass::Kind;

constexpr std::size_t kMostFindings = 40;

// Products and accesses to memory are named by their operations, the others by their class.
bool namedByOperation(Kind kind) {
  return kind == Kind::Product || kind == Kind::MatrixLoad || kind == Kind::SharedLoad || kind == Kind::SharedStore ||
         kind == Kind::GlobalLoad || kind == Kind::GlobalStore || kind == Kind::Copy || kind == Kind::Local;
}

sass::Instruction ofUnit(const std::string& unit) {
  sass::Instruction i;
  i.operation = unit;
  return i;
}

// "96 HMMA, 24 LDSM, 48 integer", the largest first within both parts.
std::string mixText(const sass::LoopReport& loop) {
  std::vector<std::pair<int, std::string>> operations, classes;
  for (const auto& [unit, count] : loop.units)
    if (namedByOperation(kindOf(ofUnit(unit)))) operations.emplace_back(count, unit);
  for (std::size_t k = 0; k < sass::kKinds; ++k)
    if (loop.kinds[k] > 0 && !namedByOperation(static_cast<Kind>(k)))
      classes.emplace_back(loop.kinds[k], nameOf(static_cast<Kind>(k)));
  const auto larger = [](const auto& a, const auto& b) { return a.first > b.first; };
  std::stable_sort(operations.begin(), operations.end(), larger);
  std::stable_sort(classes.begin(), classes.end(), larger);
  operations.insert(operations.end(), classes.begin(), classes.end());
  std::vector<std::string> words;
  for (const auto& [count, word] : operations) words.push_back(fmt::format("{} {}", count, word));
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string rangeText(const sass::LoopReport& loop) {
  const std::string range = fmt::format("{:04x}-{:04x}", loop.first, loop.last);
  return std::string(2 * static_cast<std::size_t>(std::min(loop.depth, 8) - 1), ' ') + range;
}

std::string ratioText(double x, int products) { return products == 0 ? "" : fmt::format("{:.2f}", x); }

// Each loop before those inside it, by address.
std::vector<std::size_t> inOrder(const std::vector<sass::LoopReport>& loops) {
  std::vector<std::vector<std::size_t>> inside(loops.size() + 1);  // the last: those in no loop
  for (std::size_t k = 0; k < loops.size(); ++k)
    inside[loops[k].parent < 0 ? loops.size() : static_cast<std::size_t>(loops[k].parent)].push_back(k);
  for (std::vector<std::size_t>& list : inside)  // the last is taken first
    std::sort(list.begin(), list.end(), [&](std::size_t a, std::size_t b) { return loops[a].first > loops[b].first; });
  std::vector<std::size_t> open = inside.back(), out;
  while (!open.empty()) {
    const std::size_t k = open.back();
    open.pop_back();
    out.push_back(k);
    open.insert(open.end(), inside[k].begin(), inside[k].end());
  }
  return out;
}

void addLoops(const sass::KernelReport& report, std::vector<std::string>& out) {
  if (report.loops.empty()) return;
  std::vector<std::vector<std::string>> rows = {
      {"loop", "source", "times", "instructions", "issue cycles", "products", "instr/product", "cycles/product", "of"}};
  for (const std::size_t k : inOrder(report.loops)) {
    const sass::LoopReport& loop = report.loops[k];
    rows.push_back({rangeText(loop), loop.source, loop.trips ? fmt::format("{}", *loop.trips) : "",
                    loop.body == loop.instructions ? fmt::format("{}", loop.body)
                                                   : fmt::format("{} of {}", loop.instructions, loop.body),
                    loop.most == loop.cycles ? fmt::format("{}", loop.cycles)
                                             : fmt::format("{}, at most {}", loop.cycles, loop.most),
                    loop.products == 0 ? "" : fmt::format("{}", loop.products),
                    ratioText(loop.products == 0 ? 0 : loop.instructionsPerProduct(), loop.products),
                    ratioText(loop.products == 0 ? 0 : loop.cyclesPerProduct(), loop.products), mixText(loop)});
  }
  for (std::string& row : aligned(rows, 2)) out.push_back(std::move(row));
  out.emplace_back("  issue cycles: stall counts of one warp along the path with most products; waits are not counted");
}

}  // namespace

std::vector<std::string> sassReportText(const sass::Kernel& kernel, const sass::KernelReport& report) {
  std::vector<std::string> out;
  std::string facts = fmt::format("  {}, {} {}", counted(static_cast<std::size_t>(report.instructions), "instruction"),
                                  report.registers, report.declared ? "registers" : "registers used");
  if (report.sharedBytes) facts += fmt::format(", {} bytes of static shared memory", *report.sharedBytes);
  if (report.localBytes) facts += fmt::format(", {} bytes of local memory", *report.localBytes);
  facts += report.localLoads + report.localStores == 0
               ? ", no spills"
               : fmt::format(", spills: {} STL and {} LDL", report.localStores, report.localLoads);
  out.push_back(std::move(facts));
  addLoops(report, out);
  if (report.indirect) out.emplace_back("note: a branch has an unknown target; loops through it are not found");
  if (report.irreducible > 0)
    out.push_back(fmt::format("note: {} into the middle of a cycle; that cycle is not listed",
                              counted(static_cast<std::size_t>(report.irreducible), "jump")));
  const auto& findings = report.dependencies.findings;
  for (std::size_t k = 0; k < std::min(findings.size(), kMostFindings); ++k)
    out.push_back("uncovered: " + textOf(kernel, findings[k]));
  if (findings.size() > kMostFindings) out.push_back(fmt::format("... and {} more", findings.size() - kMostFindings));
  std::string verdict = findings.empty() ? "every read waits for its write"
                                         : counted(findings.size(), "read") + " before the write is complete";
  if (!sass::cyclesKnown(report.architecture))
    verdict += fmt::format("; only barriers are checked: no cycles are known for {}",
                           report.architecture.empty() ? "this architecture" : report.architecture);
  else if (report.dependencies.unchecked > 0)
    verdict += fmt::format("; {} with unknown cycles not checked",
                           counted(static_cast<std::size_t>(report.dependencies.unchecked), "read"));
  out.push_back(std::move(verdict));
  return out;
}

std::string sassReportJson(const sass::Kernel& kernel, const sass::KernelReport& report) {
  JsonWriter json;
  json.beginObject().member("ok", report.dependencies.findings.empty()).member("kernel", report.name);
  json.member("architecture", report.architecture).member("instructions", report.instructions);
  json.member("registers", report.registers).member("registers_declared", report.declared);
  if (report.sharedBytes) json.member("shared_bytes", *report.sharedBytes);
  if (report.localBytes) json.member("local_bytes", *report.localBytes);
  json.member("local_loads", report.localLoads).member("local_stores", report.localStores);
  json.key("loops").beginArray();
  for (const sass::LoopReport& loop : report.loops) {
    json.beginObject().member("first", loop.first).member("last", loop.last).member("depth", loop.depth);
    json.member("parent", loop.parent);
    if (!loop.source.empty()) json.member("source", loop.source);
    if (loop.trips) json.member("times", *loop.trips);
    json.member("body", loop.body).member("instructions", loop.instructions).member("issue_cycles", loop.cycles);
    json.member("most_issue_cycles", loop.most).member("products", loop.products);
    if (loop.products > 0)
      json.member("instructions_per_product", loop.instructionsPerProduct())
          .member("issue_cycles_per_product", loop.cyclesPerProduct());
    json.key("classes").beginObject();
    for (std::size_t k = 0; k < sass::kKinds; ++k)
      if (loop.kinds[k] > 0) json.member(nameOf(static_cast<Kind>(k)), loop.kinds[k]);
    json.endObject().key("operations").beginArray();
    for (const auto& [unit, count] : loop.units)
      json.beginObject().member("operation", unit).member("count", count).endObject();
    json.endArray().endObject();
  }
  json.endArray().key("uncovered").beginArray();
  for (const sass::Finding& f : report.dependencies.findings) {
    const auto at = [&](int k) -> const sass::Instruction& { return kernel.code[static_cast<std::size_t>(k)]; };
    json.beginObject().member("register", sass::nameOf(f.what));
    for (const auto& [name, k] : {std::pair("producer", f.producer), std::pair("reader", f.reader)}) {
      json.key(name).beginObject().member("address", at(k).address).member("line", at(k).line);
      json.member("text", at(k).text());
      if (!at(k).source.empty()) json.member("source", at(k).source);
      json.endObject();
    }
    if (!f.variable) json.member("cycles", f.cycles).member("needed", f.needed);
    if (f.variable && f.barrier != sass::kNoBarrier) json.member("barrier", f.barrier);
    json.member("message", textOf(kernel, f)).endObject();
  }
  json.endArray().member("reads", report.dependencies.reads).member("unchecked", report.dependencies.unchecked);
  json.member("cycles_known", sass::cyclesKnown(report.architecture));
  json.member("indirect", report.indirect).member("irreducible", report.irreducible);
  return json.endObject().take();
}

}  // namespace tessera
