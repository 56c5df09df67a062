// tessera check: prints a line per claim, errors with their positions, and a summary; the exit code is for CI.
#include <fmt/format.h>
#include <tessera/tessera.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "app/cli/commands.h"
#include "app/cli/commands/module_reports.h"
#include "app/cli/io/report.h"
#include "app/cli/io/smt2.h"
#include "app/engine/json.h"
#include "app/engine/json_writer.h"
#include "app/engine/lesson.h"
#include "app/engine/measure/run_program.h"
#include "app/engine/paste/pasted.h"
#include "app/engine/program/check_graphene.h"
#include "app/engine/source/source_sheet.h"
#include "core/graphene/reader/parameters.h"
#include "core/hlo/listing.h"
#include "core/paste/blocks.h"

namespace tessera {
namespace {

class Check {
 public:
  Check(const CheckOptions& options, Output& out)
      : options_(options), out_(out), wrong_(options.common.json, out), smt2_(options.common.smt2Directory) {
    engine_.prove.budgetSeconds = options.common.budgetSeconds;
    engine_.prove.cancel = &interrupted();
    engine_.prove.exportSmt2 = smt2_.wanted();
    colours_ = ::isatty(STDOUT_FILENO) != 0;
  }

  // Returns false if the file could not be read.
  bool run(const std::string& file) {
    auto document = readFile(file);
    if (!document) {
      wrong_.say(document.error(), file);
      return false;
    }
    const bool isProgram = file.ends_with(".graphene");
    if (!options_.settings.empty() && !isProgram) return refuse(file, Diag{"--set is for .graphene programs"});
    if (isModuleFile(file, *document)) return module(file, *std::move(document));
    if (!options_.settings.empty()) {
      auto changed = graphene::withSettingWords(*document, options_.settings);
      if (!changed) return refuse(file, changed.error(), *document);
      document = std::move(changed);
    }
    if (const auto language = sourceLanguageOf(file)) return source(file, *document, *language);
    if (!isProgram && !file.ends_with(".tess")) {
      auto sheet = asWorksheet(*document, engine_);
      if (!sheet) return refuse(file, sheet.error(), *document);
      document = std::move(sheet->text);
    }
    if (options_.answers) return lesson(file, *document);
    return worksheet(file, *document, isProgram);
  }

  [[nodiscard]] bool allHold() const { return allHold_; }
  [[nodiscard]] bool allWritten() const { return !smt2_.failed(); }

 private:
  bool worksheet(const std::string& file, const std::string& text, bool isProgram) {
    const std::string* const document = &text;
    const LineIndex index(*document);
    const auto start = std::chrono::steady_clock::now();
    Tally tally;
    Scope scope;
    if (!options_.common.json && options_.files.size() > 1) (void)out_.line(file);
    if (isProgram) return program(file, *document);
    for (const Statement& statement : splitStatements(*document)) {
      if (interrupted().load() || out_.broken()) break;
      progress_.show(fmt::format("{}:{}  {}", file, statement.line, cleaned(statement.text.substr(0, 60))));
      const Outcome outcome = runStatement(statement, scope, engine_);
      progress_.clear();
      report(outcome, file, *document, index, tally);
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    allHold_ = allHold_ && tally.allHold();
    tally.interrupted = interrupted().load();
    (void)out_.line(options_.common.json ? jsonOf(tally, file, seconds) : summary(tally, seconds));
    return true;
  }

  // The statements in the comments of a source file.
  bool source(const std::string& file, const std::string& text, code::Language language) {
    const LineIndex index(text);
    const auto start = std::chrono::steady_clock::now();
    Tally tally;
    if (!options_.common.json && options_.files.size() > 1) (void)out_.line(file);
    SourceSheet sheet(text, language, engine_);
    for (const SourceStatement& statement : sheet.statements()) {
      if (interrupted().load() || out_.broken()) break;
      progress_.show(fmt::format("{}:{}", file, statement.statement.line));
      const SourceSheet::Answer answer = sheet.run(statement);
      progress_.clear();
      report(answer.outcome, file, text, index, tally);
      for (auto& r : answer.reads) (void)out_.line(fmt::format("      {} of line {} = {}", r.name, r.line, r.text));
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    allHold_ = allHold_ && tally.allHold();
    tally.interrupted = interrupted().load();
    (void)out_.line(options_.common.json ? jsonOf(tally, file, seconds) : summary(tally, seconds));
    return true;
  }

  bool refuse(const std::string& file, const Diag& diag, std::string_view document = "") {
    wrong_.in(file, diag, document);
    return false;
  }

  // A line per trial of each task, then the sheet with all answers.
  bool lesson(const std::string& file, const std::string& document) {
    EngineOptions options = engine_;
    options.figures = EngineOptions::Figures::None;
    const std::vector<TriedTask> tried = triedTasks(document, options);
    for (const TriedTask& task : tried) {
      for (const TaskTrial& trial : task.trials) say(file, task, trial);
      allHold_ = allHold_ && task.asExpected();
      const bool kept = std::ranges::count(task.trials, TaskTrial::Of::Answer, &TaskTrial::of) > 0 &&
                        std::ranges::count(task.trials, TaskTrial::Of::Wrong, &TaskTrial::of) > 0;
      if (!kept) complain(fmt::format("line {}: '{}' needs an answer and a wrong one", task.line, task.title));
    }
    const auto solved = withAllAnswers(document);
    return solved ? worksheet(file, *solved, false) : refuse(file, solved.error(), document);
  }
  void say(const std::string& file, const TriedTask& task, const TaskTrial& trial) {
    static constexpr std::array kNames = {"shipped", "answer", "wrong"};
    const char* const of = kNames[static_cast<std::size_t>(trial.of)];
    if (options_.common.json) {
      JsonWriter json;
      json.beginObject().member("ok", trial.asExpected()).member("kind", "trial").member("text", trial.why);
      json.member("title", task.title).member("of", of).member("edit", trial.edit).member("solved", trial.solved);
      (void)out_.line(json.member("file", file).member("line", task.line).endObject().take());
      return;
    }
    const std::string why = trial.asExpected() ? "" : "\n    " + indented(trial.why);
    const std::string edit = trial.edit.empty() ? "" : ": " + indented(trial.edit);
    const char* const was = trial.solved ? "solved " : "not yet";
    (void)out_.line(fmt::format("line {}: {}  {}, {}{}{}", task.line, was, task.title, of, edit, why),
                    sign(trial.asExpected() ? Truth::Proved : Truth::Refuted));
  }

  // A module dumped by XLA: counts the instructions whose reads are known.
  bool module(const std::string& file, std::string document) {
    const auto listing = withinBudget(options_.common.budgetSeconds, [&] { return hlo::readListing(file, document); });
    if (!listing) return refuse(file, listing.error(), document);
    if (!options_.common.json && options_.files.size() > 1) (void)out_.line(file);
    allHold_ =
        printCoverage(*listing->module, file, options_.common.budgetSeconds, options_.common.json, out_) && allHold_;
    return true;
  }

  // A .graphene file: prints the checklist of every specification.
  bool program(const std::string& file, const std::string& document) {
    const auto start = std::chrono::steady_clock::now();
    const bool json = options_.common.json;
    progress_.show(fmt::format("{}: obligations", file));
    const api::Result<api::KernelReport> report =
        api::checkKernel(document, {.work = {options_.common.budgetSeconds, &interruptFlag()},
                                    .architecture = options_.architecture,
                                    .settings = {},
                                    .sizes = options_.sizes,
                                    .file = file});
    progress_.clear();
    if (!report) {
      const api::Error& e = report.error();
      return refuse(file, Diag{e.message, e.expected, e.hint, {e.begin, e.end}}, document);
    }
    for (const api::Error& note : report->notes)
      if (!json) complain("note: " + indented(note.marked()));
    Tally tally;
    tally.interrupted = interrupted().load();
    for (const api::Specification& spec : report->specifications) {
      const Truth truth = static_cast<Truth>(spec.truth);
      count(truth, tally);
      (void)(json ? out_.line(spec.json) : out_.line(spec.checklist, sign(truth)));
    }
    allHold_ = allHold_ && tally.allHold();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    (void)out_.line(json ? jsonOf(tally, file, seconds)
                         : fmt::format("  {}  ({:.1f} ms)", report->summary, seconds * 1e3));
    return true;
  }

  // The sign before a line, coloured on a terminal.
  [[nodiscard]] std::string sign(Truth truth) const {
    const char* sign = truth == Truth::Proved ? "\u2713" : truth == Truth::Unknown ? "?" : "\u2717";
    const int colour = truth == Truth::Proved ? 32 : truth == Truth::Unknown ? 33 : 31;
    return colours_ ? fmt::format("  \x1b[{}m{}\x1b[0m ", colour, sign) : fmt::format("  {} ", sign);
  }

  static void count(Truth truth, Tally& tally) {
    ++(truth == Truth::Proved ? tally.proved : truth == Truth::Refuted ? tally.refuted : tally.unknown);
  }

  void report(const Outcome& outcome, const std::string& file, std::string_view document, const LineIndex& index,
              Tally& tally) {
    const bool assertion = outcome.statement.kind == StatementKind::Assert;
    const bool claims = assertion || outcome.learner.task || outcome.statement.kind == StatementKind::Prove;
    if (outcome.diag) {
      ++tally.failed;
    } else if (outcome.learner.task) {
      ++tally.tasks;
      tally.solved += outcome.solved() ? 1 : 0;
    } else if (outcome.verdict && claims) {
      count(outcome.verdict->truth, tally);
      smt2_.write(*outcome.verdict);
    } else if (assertion) {
      ++tally.asserted;
    } else if (outcome.ran) {
      ++(outcome.ran->right() ? tally.asserted : outcome.ran->wrong() ? tally.refuted : tally.unknown);
    }
    if (!options_.common.json) {
      for (const Diag& note : outcome.notes) complain("note: " + indented(printDiag(note, document, index)));
    }
    // A search has an answer, not a claim that can fail.
    if (!outcome.diag && !claims && !outcome.ran && outcome.statement.kind != StatementKind::Find) return;
    if (options_.common.json) {
      (void)out_.line(jsonOf(outcome, index, JsonPlace{file, 0}));
    } else {
      (void)out_.line(human(outcome, document, index), mark(outcome));
    }
  }

  [[nodiscard]] std::string mark(const Outcome& outcome) const {
    if (!outcome.diag && outcome.statement.kind == StatementKind::Find) return "  \u00b7 ";
    if (outcome.learner.task && !outcome.diag && !outcome.solved()) return sign(Truth::Unknown);
    const bool unknown = !outcome.diag && (outcome.ran ? !outcome.ran->wrong()
                                                       : outcome.verdict && outcome.verdict->truth == Truth::Unknown);
    return sign(outcome.holds() ? Truth::Proved : unknown ? Truth::Unknown : Truth::Refuted);
  }

  // The text after the sign.
  [[nodiscard]] static std::string human(const Outcome& outcome, std::string_view document, const LineIndex& index) {
    if (outcome.diag) return indented(printDiag(*outcome.diag, document, index));
    const int line = index.at(outcome.statement.span.begin).line;
    if (outcome.learner.task) return fmt::format("line {}: {}", line, indented(taskText(outcome)));
    if (outcome.program.checked) return fmt::format("line {}: {}", line, programText(outcome, document, index));
    if (outcome.verdict) return fmt::format("line {}: {}", line, indented(textOf(*outcome.verdict)));
    if (outcome.ran) return fmt::format("line {}: {}", line, summaryOf(*outcome.ran));
    if (outcome.value && outcome.statement.kind == StatementKind::Find)
      return fmt::format("line {}: found\n    {}", line, indented(printLimited(*outcome.value)));
    return fmt::format("line {}: holds    {}", line, cleaned(outcome.statement.text.substr(0, 200)).substr(7));
  }
  // The verdict of a program, and the checklist of each specification that is not proved.
  static std::string programText(const Outcome& outcome, std::string_view document, const LineIndex& index) {
    std::string out = indented(textOf(*outcome.verdict));
    const std::size_t begin = document.find(outcome.program.listing->text);  // its block, earlier in the document
    if (begin == std::string_view::npos) return out;
    const ProgramText where{document, begin, ""};
    for (const graphene::SpecVerdict& spec : outcome.program.checked->specs)
      if (truthOf(spec) != Truth::Proved) out += "\n    " + indented(checklistOf(spec, where, index));
    return out;
  }
  static std::string indented(std::string_view text) {
    std::string out;
    for (const char c : text) {
      out += c;
      if (c == '\n') out += "    ";
    }
    return out;
  }

  static std::string summary(const Tally& t, double seconds) {
    std::string out = fmt::format("  {} proved", t.proved);
    if (t.asserted > 0) out += fmt::format(", {} assertion{} held", t.asserted, t.asserted == 1 ? "" : "s");
    if (t.tasks > 0) out += fmt::format(", {} of {} task{} solved", t.solved, t.tasks, t.tasks == 1 ? "" : "s");
    if (t.refuted > 0) out += fmt::format(", {} refuted", t.refuted);
    if (t.unknown > 0) out += fmt::format(", {} unknown", t.unknown);
    if (t.failed > 0) out += fmt::format(", {} failed", t.failed);
    if (t.interrupted) out += ", interrupted";
    return out + fmt::format("  ({:.1f} ms)", seconds * 1e3);
  }

  const CheckOptions& options_;
  Output& out_;
  const Complaints wrong_;
  Smt2Writer smt2_;
  EngineOptions engine_;
  Progress progress_;
  bool colours_ = false;
  bool allHold_ = true;
};

}  // namespace

int runCheck(const CheckOptions& options, Output& out) {
  Check check(options, out);
  bool readable = true;
  for (const std::string& file : options.files) {
    readable = check.run(file) && readable;
    if (out.broken() || interrupted().load()) break;
  }
  if (!readable || !check.allWritten()) return kExitUnreadable;
  return check.allHold() ? kExitOk : kExitFailed;
}

}  // namespace tessera
