#include "app/engine/kernel/kernel_value.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <list>
#include <mutex>

#include "app/engine/kernel/kernel_trace.h"
#include "app/files/assets.h"
#include "app/files/file_stamp.h"
#include "app/files/kernel_source.h"
#include "core/base/work_budget.h"
#include "core/code/index_code.h"
#include "core/worksheet/extension.h"
#include "core/worksheet/value.h"
#include "solver/kernel/access_layout.h"
#include "solver/kernel/launch/prepare.h"
#include "solver/kernel/prove/prove_kernel.h"
#include "solver/kernel/reference/check.h"
#include "solver/kernel/reference/proof.h"

namespace tessera {
namespace {

// The path as it is, else in the folder of the files that come with Tessera: "kernels/copy.ptx".
std::string foundPath(const std::string& path) {
  std::error_code failed;
  if (std::filesystem::exists(path, failed) || std::filesystem::path(path).is_absolute()) return path;
  const std::filesystem::path ours = std::filesystem::path(assetsFolder()) / path;
  return std::filesystem::exists(ours, failed) ? ours.string() : path;
}

constexpr i64 kSteps = i64{1} << 30;  // thread instructions of a statement
constexpr std::size_t kMostFindings = 4;

code::IndexValue accessValue(const kernel::AccessLine& line, std::size_t at, const std::vector<kernel::Given>& given) {
  code::IndexValue out;
  out.kind = code::IndexValue::Kind::Access;
  out.line = at;
  out.direction = line.store ? code::Direction::Store : code::Direction::Load;
  out.isShared = line.space == ptx::Space::Shared;
  out.name = out.isShared ? "shared" : "memory";
  if (line.argument >= 0) {
    const std::string& name = given[static_cast<std::size_t>(line.argument)].name;
    out.name = name.find("param") == std::string::npos ? name : fmt::format("p{}", line.argument);
  }
  out.element = line.op;
  out.kernel.variable = line.range.variable;
  out.kernel.variableAt = line.range.variableAt;
  auto map = kernel::accessMap(line);
  if (!map) {
    out.fault = Diag{fmt::format("line {}, {}: {}", out.line, line.op, map.error().message)};
    return out;
  }
  if (!line.proved && static_cast<i64>(line.samples.size()) < line.warps)
    out.kernel.partial =
        fmt::format("{} of {} executions were recorded, and the addresses do not come from indices alone",
                    line.samples.size(), line.warps);
  out.elementBits = 8 * map->elementBytes;
  out.vector = map->perLane;
  out.map = std::move(map->map);
  return out;
}

code::RunFacts factsOf(const kernel::Report& report, const SourceLines& source) {
  code::RunFacts out;
  out.verdict = fmt::format("{}: {}", kernel::nameOf(report.verdict),
                            report.verdict == kernel::Verdict::Unknown ? report.reason : report.covers);
  bool race = false;
  for (const kernel::Finding& f : report.findings) {
    race = race || f.kind == kernel::Verdict::Race;
    code::RunFacts::Finding found{source.lineOf(f.at.line, f.at.location), 0, f.message};
    if (f.other) found.other = source.lineOf(f.other->line, f.other->location);
    if (out.findings.size() < kMostFindings) out.verdict += fmt::format("; {} (line {})", f.message, found.line);
    out.findings.push_back(std::move(found));
  }
  if (report.findings.size() > kMostFindings)
    out.verdict += fmt::format("; {} more findings", report.findings.size() - kMostFindings);
  if (race || report.verdict == kernel::Verdict::Clean || report.verdict == kernel::Verdict::Benign)
    out.raceFree = !race;
  return out;
}

// The proof of a reference. It is made once, when it is asked for.
std::function<code::RunFacts::Computes()> proofOf(KernelFile file, kernel::Prepared made, std::string reference,
                                                  const kernel::Report& report) {
  using Answer = kernel::reference::Proof::Answer;
  if (report.verdict < kernel::Verdict::Benign) {
    code::RunFacts::Computes known{std::nullopt, fmt::format("the run is {}", kernel::nameOf(report.verdict))};
    if (!report.findings.empty()) known.why += ": " + report.findings.front().message;
    if (report.verdict == kernel::Verdict::Wrong) known.holds = false;
    return [known] { return known; };
  }
  struct State {
    KernelFile file;
    kernel::Prepared made;
    std::string reference;
    std::mutex mutex;
    std::optional<code::RunFacts::Computes> known = {};
  };
  auto state = std::make_shared<State>();
  state->file = std::move(file);
  state->made = std::move(made);
  state->reference = std::move(reference);
  return [state] {
    const std::lock_guard lock(state->mutex);
    if (state->known) return *state->known;
    code::RunFacts::Computes out{true, ""};
    const auto proofs =
        kernel::reference::prove(state->file.module, state->made.launch, state->reference, state->made.given);
    if (!proofs) return code::RunFacts::Computes{std::nullopt, proofs.error().message};
    for (const kernel::reference::Proof& p : *proofs) {
      if (p.answer == Answer::Refuted) out.holds = false;
      if (p.answer == Answer::Unknown && out.holds.value_or(false)) out.holds = std::nullopt;
      out.why += (out.why.empty() ? "" : "; ") + kernel::reference::textOf(p);
    }
    state->known = out;
    return out;
  };
}

Result<code::IndexCode> runKernel(const std::string& file, const std::string& bytes, const kernel::LaunchText& text,
                                  const std::string& reference) {
  TESSERA_TRY(KernelFile opened, openInSheet(bytes, file));
  TESSERA_TRY(kernel::Prepared made, kernel::prepare(opened.module, text, readKernelFile));
  TESSERA_TRY(kernel::Report report, kernel::proveForAll(opened.module, made.launch));
  const bool raceFree = report.verdict == kernel::Verdict::Clean || report.verdict == kernel::Verdict::Benign;
  if (!reference.empty()) {
    TESSERA_CHECKED(kernel::reference::check(reference, made.given, 0, report));
  }
  SourceLines source(opened, file, report);
  auto facts = std::make_shared<code::RunFacts>(factsOf(report, source));
  if (raceFree) facts->raceFree = true;  // also if its values are not those of the reference
  facts->trace = tracesOf({file, bytes, text, source.file(), report.findings});
  TESSERA_TRY(code::IndexCode out, kernelCode(source, report, made.given, facts));
  if (!reference.empty()) facts->computes = proofOf(std::move(opened), std::move(made), reference, report);
  return out;
}

// Results by the file's bytes and the statement's text: reading a text must not run its kernel again.
class Runs {
 public:
  Result<code::IndexCode> of(const std::string& file, const std::string& spelled, const kernel::LaunchText& text,
                             const std::string& reference) {
    TESSERA_TRY(const std::string bytes, readKernelFile(foundPath(file)));
    {
      const std::lock_guard lock(mutex_);
      for (const Run& run : runs_)
        if (run.spelled == spelled && run.bytes == bytes) return run.result;
    }
    Result<code::IndexCode> result = runKernel(foundPath(file), bytes, text, reference);
    const std::lock_guard lock(mutex_);
    runs_.push_front({spelled, bytes, result});
    if (runs_.size() > kKept) runs_.pop_back();
    return result;
  }

 private:
  static constexpr std::size_t kKept = 16;
  struct Run {
    std::string spelled, bytes;
    Result<code::IndexCode> result;
  };
  std::mutex mutex_;
  std::list<Run> runs_;
};

// (a, b(c, d), e): the parts, as text.
Result<std::vector<std::string>> partsInBrackets(Cursor& in) {
  TESSERA_CHECKED(in.expect("(", "before the values"));
  std::vector<std::string> out;
  std::string part;
  int depth = 0;
  const auto end = [&] {
    const std::size_t first = part.find_first_not_of(" \n\t"), last = part.find_last_not_of(" \n\t");
    if (first != std::string::npos) out.push_back(part.substr(first, last - first + 1));
    part.clear();
  };
  for (;; in.advance()) {
    spend();
    const char c = in.raw();
    if (c == '"' && in.text().find('"', in.position() + 1) != std::string_view::npos) {
      const std::size_t from = in.position() + 1, close = in.text().find('"', from);
      part += in.text().substr(from, close - from);
      in.seek(close);
      continue;
    }
    if (c == '\0') return in.fail("the bracket of these values is not closed", ")");
    if (c == ')' && depth == 0) break;
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      end();
    else
      part += c;
  }
  end();
  in.advance();
  return out;
}

Result<std::string> quoted(Cursor& in, std::string_view example) {
  if (!in.accept('"')) return in.fail("a text in quotes is expected", fmt::format("\"{}\"", example));
  const std::size_t from = in.position(), close = in.text().find('"', from);
  if (close == std::string_view::npos) return in.fail("this text has no closing quote", "\"");
  in.seek(close + 1);
  return std::string(in.text().substr(from, close - from));
}

Result<void> readOption(Cursor& in, std::string_view word, kernel::LaunchText& text) {
  const auto joined = [&](std::string& into) -> Result<void> {
    TESSERA_TRY(const std::vector<std::string> parts, partsInBrackets(in));
    into = fmt::format("{}", fmt::join(parts, ","));
    return {};
  };
  if (word == "grid") return joined(text.grid);
  if (word == "block") return joined(text.block);
  if (word == "cluster") return joined(text.cluster);
  if (word == "args") {
    TESSERA_TRY(text.arguments, partsInBrackets(in));
    return {};
  }
  if (word == "entry") {
    TESSERA_TRY(text.entry, in.identifier("the name of an entry"));
    return {};
  }
  TESSERA_TRY(const i64 number, in.integer("a number"));
  if (number < 0) return in.fail(fmt::format("{} cannot be negative", word), "0 or more");
  if (word == "shared") text.shared = number;
  if (word == "seed") text.seed = static_cast<u64>(number);
  return {};
}

// Messages name the options of the command line; a statement writes them without dashes.
Diag withoutDashes(Diag diag) {
  for (std::string* text : {&diag.message, &diag.expected, &diag.hint}) {
    for (std::size_t at = text->find("--arg "); at != std::string::npos; at = text->find("--arg "))
      text->replace(at, 6, "args ");
    for (std::size_t at = text->find("--"); at != std::string::npos; at = text->find("--", at)) text->erase(at, 2);
  }
  return diag;
}

Result<std::optional<Value>> readKernel(Cursor& in, const NameLookup&) {
  const std::size_t begin = in.position();
  Cursor ahead = in;
  if (!ahead.acceptWord("kernel") || ahead.peek() != '"') return std::optional<Value>();
  ahead.advance();
  const std::size_t from = ahead.position(), close = ahead.text().find('"', from);
  if (close == std::string_view::npos)
    return ahead.fail("the name of the kernel's file has no closing quote", "kernel \"FILE.ptx\"");
  const std::string file(ahead.text().substr(from, close - from));
  ahead.seek(close + 1);
  kernel::LaunchText text;
  text.steps = kSteps;
  constexpr std::string_view kOptions[] = {"entry", "grid", "block", "cluster", "shared", "seed", "args", "reference"};
  std::string reference;
  std::size_t end = ahead.position();
  for (bool any = true; any;) {
    any = false;
    for (const std::string_view option : kOptions) {
      if (!ahead.acceptWord(option)) continue;
      if (option == "reference") {
        TESSERA_TRY(reference, quoted(ahead, "C = A @ B"));
      } else {
        TESSERA_CHECKED(readOption(ahead, option, text));
      }
      end = ahead.position();
      any = true;
    }
  }
  static Runs runs;
  auto value = runs.of(file, std::string(in.text().substr(begin, end - begin)), text, reference);
  if (!value) {
    Diag diag = withoutDashes(value.error());
    diag.span = {begin, end};
    return diag;
  }
  in.seek(end);
  return std::optional<Value>(Layout(*std::move(value)));
}

}  // namespace

Result<code::IndexCode> kernelCode(SourceLines& source, const kernel::Report& report,
                                   const std::vector<kernel::Given>& given, std::shared_ptr<code::RunFacts> facts) {
  if (!facts) facts = std::make_shared<code::RunFacts>(factsOf(report, source));
  auto values = std::make_shared<std::vector<code::IndexValue>>();
  for (const kernel::AccessLine& line : report.accesses) {
    if (line.space == ptx::Space::Local || line.space == ptx::Space::Param) continue;
    values->push_back(accessValue(line, source.lineOf(line.line, line.location), given));
    facts->costs.push_back(line);
  }
  if (values->empty()) return Diag{facts->verdict, "a kernel that accesses memory"};
  code::IndexCode out;
  out.word = "kernel";
  out.text = source.text();
  out.values = std::move(values);
  out.selected = out.values->size() - 1;
  out.run = std::move(facts);
  return out;
}

void addKernels() {
  static const bool kAdded = [] {
    Extension kernels;
    kernels.parts = {readKernel};
    extend(std::move(kernels));
    return true;
  }();
  (void)kAdded;
}

}  // namespace tessera
