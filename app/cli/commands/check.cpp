// tessera check: prints a line per claim, errors with their positions, and a summary; the exit code is for CI.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tessera/tessera.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

#include "app/cli/commands.h"
#include "app/cli/commands/check_files.h"
#include "app/cli/commands/check_report.h"
#include "app/cli/commands/custom_table.h"
#include "app/cli/commands/module_reports.h"
#include "app/cli/io/smt2.h"
#include "app/engine/paste/pasted.h"
#include "app/engine/program/equal_program.h"
#include "app/engine/source/source_sheet.h"
#include "core/graphene/reader/input_ranges.h"
#include "core/graphene/reader/parameters.h"
#include "core/graphene/reader/sized.h"
#include "core/hlo/listing.h"
#include "core/paste/blocks.h"

namespace tessera {
namespace {

using CheckClock = std::chrono::steady_clock;

double secondsSince(CheckClock::time_point start) {
  return std::chrono::duration<double>(CheckClock::now() - start).count();
}

class Check {
 public:
  Check(const CheckOptions& options, const hlo::CustomCalls& customCalls, CheckReport& report, Output& out)
      : options_(options), customCalls_(customCalls), report_(report), out_(out), smt2_(options.common.smt2Directory) {
    engine_.prove.budgetSeconds = options.common.budgetSeconds;
    engine_.prove.cancel = &interrupted();
    engine_.prove.exportSmt2 = smt2_.wanted();
    engine_.corrections = report.annotates();
  }

  // Returns false if the file could not be read.
  bool run(const std::string& file) {
    auto document = readFile(file);
    if (!document) {
      report_.unreadable(file, document.error());
      return false;
    }
    const bool isProgram = file.ends_with(".graphene");
    if (!options_.settings.empty() && !isProgram) return refuse(file, Diag{"--set is for .graphene programs"});
    if (!options_.certificate.empty() && (!isProgram || options_.compared.any() || options_.files.size() != 1))
      return refuse(file, Diag{"--certificate is for one .graphene program, without --against or --reference"});
    if (options_.compared.any()) {
      if (isProgram) return compared(file, *document);
      return refuse(file, Diag{"--against and --reference are for .graphene programs"});
    }
    if (options_.compared.within) return refuse(file, Diag{"--within needs --against FILE or --reference TEXT"});
    if (isModuleFile(file, *document)) return module(file, *std::move(document));
    if (!options_.settings.empty()) {
      auto changed = graphene::withSettingWords(*document, options_.settings);
      if (!changed) return refuse(file, changed.error(), *document);
      document = std::move(changed);
    }
    if (const auto language = languageOf(file)) return source(file, *document, *language);
    if (!isProgram && !file.ends_with(".tess")) {
      auto sheet = asWorksheet(*document, engine_);
      if (!sheet) return refuse(file, sheet.error(), *document);
      document = std::move(sheet->text);
    }
    if (options_.answers) return lesson(file, *document);
    return isProgram ? program(file, *document) : worksheet(file, *document);
  }

  [[nodiscard]] bool allHold() const { return allHold_; }
  [[nodiscard]] bool allWritten() const { return !smt2_.failed(); }

 private:
  // Of a file whose comments have the statements; --comments decides for the other ones.
  [[nodiscard]] std::optional<code::Language> languageOf(const std::string& file) const {
    if (const auto language = sourceLanguageOf(file)) return language;
    if (options_.comments.empty() || hasOwnFormat(file)) return std::nullopt;
    return options_.comments == "python" ? code::Language::Python : code::Language::Cpp;
  }

  bool worksheet(const std::string& file, const std::string& document) {
    const LineIndex index(document);
    const auto start = CheckClock::now();
    Tally tally;
    Scope scope;
    report_.begin(file);
    for (const Statement& statement : splitStatements(document)) {
      if (interrupted().load() || out_.broken()) break;
      progress_.show(fmt::format("{}:{}  {}", file, statement.line, cleaned(statement.text.substr(0, 60))));
      const Outcome outcome = runStatement(statement, scope, engine_);
      progress_.clear();
      answered({outcome, {}}, {file, document, index}, tally);
    }
    return end(file, tally, start);
  }

  // The statements in the comments of a source file.
  bool source(const std::string& file, const std::string& text, code::Language language) {
    const LineIndex index(text);
    const auto start = CheckClock::now();
    Tally tally;
    EngineOptions options = engine_;
    options.corrections = true;
    options.figures = EngineOptions::Figures::None;
    SourceSheet sheet(text, language, options);
    const std::vector<SourceStatement> statements = sheet.statements();
    if (statements.empty()) {
      report_.nothing(file);
      return true;
    }
    report_.begin(file);
    for (const SourceStatement& statement : statements) {
      if (interrupted().load() || out_.broken()) break;
      progress_.show(fmt::format("{}:{}", file, statement.statement.line));
      const SourceSheet::Answer answer = sheet.run(statement);
      progress_.clear();
      answered(answer, {file, text, index}, tally);
    }
    return end(file, tally, start);
  }

  void answered(const SourceSheet::Answer& answer, const CheckedFile& file, Tally& tally) {
    const Outcome& outcome = answer.outcome;
    const bool claims =
        outcome.statement.kind == StatementKind::Assert || outcome.statement.kind == StatementKind::Prove;
    if (claims && !outcome.diag && !outcome.learner.task && outcome.verdict) smt2_.write(*outcome.verdict);
    for (const Diag& note : outcome.notes) report_.note(note, file);
    report_.outcome(outcome, file, answer.reads, tally);
  }

  bool end(const std::string& file, Tally tally, CheckClock::time_point start) {
    allHold_ = allHold_ && tally.allHold();
    tally.interrupted = interrupted().load();
    report_.summary(tally, file, secondsSince(start));
    return true;
  }

  bool refuse(const std::string& file, const Diag& diag, std::string_view document = "") {
    report_.refused(file, diag, document);
    return false;
  }

  // A line per trial of each task, then the sheet with all answers.
  bool lesson(const std::string& file, const std::string& document) {
    EngineOptions options = engine_;
    options.figures = EngineOptions::Figures::None;
    const std::vector<TriedTask> tried = triedTasks(document, options);
    for (const TriedTask& task : tried) {
      for (const TaskTrial& trial : task.trials) report_.trial(file, task, trial);
      allHold_ = allHold_ && task.asExpected();
      const bool kept = std::ranges::count(task.trials, TaskTrial::Of::Answer, &TaskTrial::of) > 0 &&
                        std::ranges::count(task.trials, TaskTrial::Of::Wrong, &TaskTrial::of) > 0;
      if (!kept) complain(fmt::format("line {}: '{}' needs an answer and a wrong one", task.line, task.title));
    }
    const auto solved = withAllAnswers(document);
    return solved ? worksheet(file, *solved) : refuse(file, solved.error(), document);
  }

  // A module dumped by XLA: counts the instructions whose reads are known.
  bool module(const std::string& file, std::string document) {
    const double seconds = options_.common.budgetSeconds;
    const auto listing = withinBudget(seconds, [&] { return hlo::readListing(file, document); });
    if (!listing) return refuse(file, listing.error(), document);
    report_.begin(file);
    const std::shared_ptr<const hlo::Module> module =
        customCalls_.rows().empty()
            ? listing->module
            : std::make_shared<const hlo::Module>(hlo::withCustomCalls(*listing->module, customCalls_));
    if (!report_.annotates()) {
      const bool json = report_.format() == CheckFormat::Json;
      allHold_ = printCoverage(*module, file, seconds, json, out_) && allHold_;
      return true;
    }
    const auto found = moduleFindings(*module, seconds);
    allHold_ = allHold_ && found && found->empty();
    for (const ModuleFinding& f : found.value_or(std::vector<ModuleFinding>{}))
      report_.finding(findingAt(f.isParseError ? FindingRule::ParseError : FindingRule::Refuted, f.line, f.message,
                                file, document));
    return true;
  }

  // A .graphene file: prints the checklist of every specification.
  bool program(const std::string& file, const std::string& document) {
    const auto start = CheckClock::now();
    report_.begin(file);
    progress_.show(fmt::format("{}: obligations", file));
    const api::Result<api::KernelReport> report =
        api::checkKernel(document, {.work = {options_.common.budgetSeconds, &interruptFlag()},
                                    .architecture = options_.architecture,
                                    .settings = {},
                                    .sizes = options_.sizes,
                                    .file = file,
                                    .certificate = !options_.certificate.empty()});
    progress_.clear();
    if (!report) {
      const api::Error& e = report.error();
      return refuse(file, Diag{e.message, e.expected, e.hint, {e.begin, e.end}}, document);
    }
    const LineIndex index(document);
    for (const api::Error& note : report->notes)
      report_.note(Diag{note.message, note.expected, note.hint, {note.begin, note.end}}, {file, document, index});
    Tally tally;
    tally.interrupted = interrupted().load();
    for (const api::Specification& spec : report->specifications) {
      const Truth truth = static_cast<Truth>(spec.truth);
      ++(truth == Truth::Proved ? tally.proved : truth == Truth::Refuted ? tally.refuted : tally.unknown);
      report_.specification(truth, spec.line, spec.json, spec.checklist, {file, document, index});
    }
    allHold_ = allHold_ && tally.allHold();
    report_.summary(tally, file, secondsSince(start), report->summary);
    return options_.certificate.empty() || certify(file, report->certificate);
  }

  bool certify(const std::string& file, const std::string& certificate) {
    if (certificate.empty()) {
      complain(fmt::format("{}: no certificate, because an obligation is refuted", file));
      return true;
    }
    const auto written = writeFile(options_.certificate, certificate);
    if (!written) complain(written.error().message);
    return written.ok();
  }

  // A parameter or size of only one of the two programs is no error.
  static Result<graphene::Listing> withSettingsOf(const std::string& name, const std::string& text,
                                                  const std::vector<std::string>& words, std::set<std::string>& known) {
    TESSERA_TRY(const graphene::Parameters parameters, graphene::parametersOf(text));
    TESSERA_TRY(graphene::Settings settings, graphene::settingsOf(words));
    for (auto at = settings.begin(); at != settings.end();) {
      const bool has = parameters.find(at->first) != nullptr;
      if (has) known.insert(at->first);
      at = has ? std::next(at) : settings.erase(at);
    }
    return graphene::readListing(name, text, settings);
  }
  // The number of a size, NAME=N; "small" is none.
  static Result<std::map<std::string, i64>> sizesIn(const std::vector<std::string>& words, bool* small) {
    std::map<std::string, i64> out;
    for (const std::string& word : words) {
      if (word == "small" && small != nullptr) {
        *small = true;
        continue;
      }
      TESSERA_TRY(const auto one, graphene::sizeOption(word));
      out[one.first] = one.second;
    }
    return out;
  }

  // The question of --against and --reference.
  Result<EqualRequest> equalRequest(const std::string& file, const std::string& document) const {
    const CheckOptions::Compared& with = options_.compared;
    EqualRequest out;
    if (!with.against.empty() && !with.reference.empty()) return Diag{"--against and --reference exclude each other"};
    if (with.against.empty() && !(with.settings.empty() && with.sizes.empty() && with.where.empty()))
      return Diag{"--where, --against-set and --against-size need --against FILE"};
    const auto nameOf = [](const std::string& path) { return std::filesystem::path(path).stem().string(); };
    std::set<std::string> known;
    TESSERA_TRY(out.first, withSettingsOf(nameOf(file), document, options_.settings, known));
    if (!with.against.empty()) {
      TESSERA_TRY(const std::string other, readFile(with.against));
      std::vector<std::string> words = options_.settings;
      words.insert(words.end(), with.settings.begin(), with.settings.end());
      auto second = withSettingsOf(nameOf(with.against), other, words, known);
      if (!second) {
        Diag diag = second.error();
        diag.message = fmt::format("{}: {}", with.against, diag.message);
        diag.span = {};
        return diag;
      }
      out.second = *std::move(second);
    }
    for (const auto* words : {&options_.settings, &with.settings}) {
      TESSERA_TRY(const graphene::Settings settings, graphene::settingsOf(*words));
      for (const auto& [name, value] : settings)
        if (known.count(name) == 0) return Diag{fmt::format("{} is no parameter of the programs", name)};
    }
    if (!with.inputs.empty() && !with.within) return Diag{"--inputs needs --within ERROR"};
    if (!with.inputs.empty()) {
      auto ranges = graphene::inputRanges(with.inputs);
      if (!ranges) return Diag{"--inputs: " + ranges.error().message, ranges.error().expected, ranges.error().hint};
      out.ranges = with.inputs;
    }
    out.within = with.within;
    out.reference = with.reference;
    out.where = with.where;
    out.architecture = options_.architecture;
    TESSERA_TRY(out.sizes, sizesIn(options_.sizes, &out.small));
    TESSERA_TRY(out.secondSizes, sizesIn(with.sizes, nullptr));
    out.text = with.against.empty() ? fmt::format("equal({}, \"{}\")", out.first.name, cleaned(with.reference))
                                    : fmt::format("equal({}, {})", out.first.name, out.second->name);
    return out;
  }

  // A .graphene file and another one, or a reference: prints one verdict.
  bool compared(const std::string& file, const std::string& document) {
    const auto start = CheckClock::now();
    const auto request = withinBudget(
        options_.common.budgetSeconds, [&] { return equalRequest(file, document); }, "a smaller text");
    if (!request) return refuse(file, request.error(), document);
    report_.begin(file);
    progress_.show(fmt::format("{}: {}", file, request->text));
    const auto verdict = equalVerdict(*request, options_.common.budgetSeconds, &interrupted());
    progress_.clear();
    if (!verdict) return refuse(file, verdict.error());
    Tally tally;
    tally.interrupted = interrupted().load();
    ++(verdict->truth == Truth::Proved    ? tally.proved
       : verdict->truth == Truth::Refuted ? tally.refuted
                                          : tally.unknown);
    const LineIndex index(document);
    report_.specification(verdict->truth, 1, jsonOf(*verdict, file), textOf(*verdict), {file, document, index});
    allHold_ = allHold_ && tally.allHold();
    report_.summary(tally, file, secondsSince(start));
    return true;
  }

  const CheckOptions& options_;
  const hlo::CustomCalls& customCalls_;
  CheckReport& report_;
  Output& out_;
  Smt2Writer smt2_;
  EngineOptions engine_;
  Progress progress_;
  bool allHold_ = true;
};

}  // namespace

int runCheck(const CheckOptions& options, Output& out) {
  const Complaints wrong(options.common.json, out);
  const auto format = checkFormat(options.common.json ? "json" : options.format);
  const bool comments = options.comments.empty() || options.comments == "c" || options.comments == "python";
  if (!format || !comments || (options.common.json && options.format != "text" && options.format != "json")) {
    wrong.say(!format    ? format.error()
              : comments ? Diag{"--json and --format " + options.format + " exclude each other"}
                         : Diag{"'" + options.comments.substr(0, 60) + "' is no kind of comments", "c or python"});
    return kExitUnreadable;
  }
  const auto table = customCallsIn(options.customCalls, wrong);
  if (!table) return kExitUnreadable;
  const std::vector<std::string> files = checkInputs(options.files);
  if (files.empty())
    complain(fmt::format("tessera: there is no file to check below {}: worksheets, programs, modules, C++ and Python",
                         fmt::join(options.files, ", ")));
  CheckReport report(*format, files.size() > 1, out);
  Check check(options, *table, report, out);
  bool readable = true;
  for (const std::string& file : files) {
    readable = check.run(file) && readable;
    if (out.broken() || interrupted().load()) break;
  }
  const int code = !readable || !check.allWritten() ? kExitUnreadable : check.allHold() ? kExitOk : kExitFailed;
  report.end(readable, code);
  return code;
}

}  // namespace tessera
