// tessera eval: each EXPR is one expression (line breaks count as blanks), or a small worksheet if it binds names or
// has several statements. With `-` each line of standard input is one. A FILE.hlo defines a module for later arguments.
// In JSON every input has at least one answer, so that a script can pair them; a blank line is then an error, like any
// other text that is not an expression.
//
// The lines of a stream that have arrived are answered on all cores (stream.h), because a line that binds nothing does
// not affect the others. Answers are in line order, and none waits for a line that has not arrived.
#include <fmt/format.h>

#include "app/cli/commands.h"
#include "app/cli/io/module_input.h"
#include "app/cli/io/report.h"
#include "app/cli/io/smt2.h"
#include "app/cli/io/stream.h"
#include "app/engine/answers.h"
#include "app/engine/json.h"
#include "app/engine/measure/run_program.h"
#include "app/engine/paste/pasted.h"
#include "core/base/work_budget.h"
#include "core/hlo/notation.h"
#include "core/worksheet/value.h"

namespace tessera {
namespace {

class Evaluation {
 public:
  Evaluation(const EvalOptions& options, Output& out)
      : options_(options), out_(out), smt2_(options.common.smt2Directory) {
    engine_.prove.budgetSeconds = options.common.budgetSeconds;
    engine_.prove.cancel = &interrupted();
    engine_.prove.exportSmt2 = smt2_.wanted();
    engine_.figures = options.common.json ? EngineOptions::Figures::None : EngineOptions::Figures::Asked;
  }

  // Runs one argument. Returns true to continue.
  bool run(std::string_view argument) {
    const Result<AsWorksheet> sheet = asWorksheet(argument, engine_, scope_);
    LineAnswer none;
    if (!sheet) {
      report(sheet.error(), Texts(argument, 0, false), none);
      return emit(none);
    }
    const bool same = sheet->dialect.empty();
    const std::string_view text = same ? argument : std::string_view(sheet->text);
    const Texts where(text, 0, false);
    std::vector<Statement> statements = same ? joined(splitArgument(text), text) : splitStatements(text);
    if (!same) sayDialect(*sheet, none);
    if (statements.empty()) reportEmpty(where, none);
    if (!emit(none)) return false;
    for (const Statement& statement : statements) {
      if (interrupted().load()) return false;
      LineAnswer answer;
      say(runStatement(statement), where, answer);
      if (!emit(answer)) return false;
    }
    return true;
  }

  // Binds a dump to its name. Returns false if it cannot be read or has no instruction.
  bool runModule(const std::string& file) {
    auto document = readFile(file);
    if (!document) {
      Complaints(options_.common.json, out_).say(document.error());
      return false;
    }
    auto listing = readModuleInput(file, *std::move(document), failed_, Complaints(options_.common.json, out_));
    if (!listing) return false;
    Outcome outcome;
    outcome.statement.kind = StatementKind::Bind;
    outcome.statement.name = listing->name;
    outcome.value = Value(Layout(*std::move(listing)));
    scope_.bind(outcome.statement.name, *outcome.value);
    LineAnswer answer;
    say(outcome, Texts("", 0, false), answer);
    (void)emit(answer);
    return true;
  }

  void refuseFile(const std::string& file) {
    const Diag diag{fmt::format("'{}' is a file; eval takes expressions", file), "an expression, or a .hlo file",
                    fmt::format("tessera check {}", file)};
    LineAnswer answer;
    report(diag, Texts("", 0, false), answer);
    (void)emit(answer);
  }

  // Returns false if standard input cannot be read.
  bool runStream() {
    LineReader reader;
    const StreamOfLines lines{
        [](const std::string& text) { return text.find('=') != std::string::npos; },
        [this](const std::string& text, std::size_t number) { return atOnce(text, number); },
        [this](const std::string& text, std::size_t number) { return inTurn(text, number); },
        [this](const LineAnswer& answer) { return emit(answer, /*later=*/true); },
        [this] { (void)out_.flush(); },
    };
    lines.run(reader);
    return !reader.complainIfUnreadable();
  }

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool allWritten() const { return !smt2_.failed(); }

 private:
  // A text and its position in the stream.
  struct Texts {
    std::string_view text;
    LineIndex index;
    JsonPlace place;
    bool stream;
    Texts(std::string_view t, std::size_t lineOffset, bool ofStream)
        : text(t), index(t), place{"", lineOffset}, stream(ofStream) {}
  };

  void sayDialect(const AsWorksheet& sheet, LineAnswer& answer) const {
    if (options_.common.json) return;
    answer.said.push_back({true, "note: read as " + sheet.dialect});
    for (const std::string& note : sheet.notes) answer.said.push_back({true, "note: " + note});
  }

  // An expression pasted over several lines is one statement, unless its lines bind names, show, prove ...
  static std::vector<Statement> joined(std::vector<Statement> statements, std::string_view text) {
    if (statements.size() < 2 || text.find(';') != std::string_view::npos) return statements;
    for (const Statement& s : statements) {
      if (s.kind != StatementKind::Expression) return statements;
    }
    Statement whole = statements.front();
    whole.span.end = statements.back().span.end;
    whole.text = text.substr(whole.span.begin, whole.span.end - whole.span.begin);
    return {whole};
  }

  // Answers a line on any thread, reading the scope only. nullopt if the line needs more than a value: a proof has a
  // separate budget and must not share cores.
  std::optional<LineAnswer> atOnce(const std::string& text, std::size_t number) {
    const std::vector<Statement> statements = splitStatements(text);
    if (statements.size() != 1 || statements.front().kind != StatementKind::Expression) return std::nullopt;
    const WorkBudget limit({.seconds = options_.common.budgetSeconds, .cancel = &interrupted()});
    const Started started = startStatement(statements.front(), scope_, engine_);
    if (!started.complete()) return std::nullopt;
    LineAnswer answer;
    say(started.outcome, Texts(text, number, true), answer);
    return answer;
  }

  // Answers a line after all earlier ones.
  LineAnswer inTurn(const std::string& text, std::size_t number) {
    const Texts where(text, number, true);
    const std::vector<Statement> statements = splitStatements(text);
    LineAnswer answer;
    if (statements.empty() && options_.common.json) reportEmpty(where, answer);
    for (const Statement& statement : statements) {
      if (interrupted().load()) {
        answer.last = true;
        return answer;
      }
      say(runStatement(statement), where, answer);
    }
    return answer;
  }

  Outcome runStatement(const Statement& statement) {
    // Printing is part of the statement's budget: the JSON of a map analyses the map.
    const WorkBudget limit({.seconds = budgetFor(statement, engine_), .cancel = &interrupted()});
    Outcome outcome = tessera::runStatement(statement, scope_, engine_);
    if (outcome.verdict) smt2_.write(*outcome.verdict);
    return outcome;
  }

  void say(const Outcome& outcome, const Texts& where, LineAnswer& answer) const {
    answer.failed = answer.failed || (outcome.verdict && outcome.verdict->truth != Truth::Proved) || outcome.diag ||
                    (outcome.ran && !outcome.ran->right());
    if (outcome.diag && !options_.common.json) {
      report(*outcome.diag, where, answer);
    } else if (auto line = printed(outcome, where); !line) {
      report(line.error(), where, answer);
    } else if (!line->empty()) {
      answer.said.push_back({false, readyLine(*std::move(line))});
    }
    for (const Diag& note : outcome.notes) {
      if (!options_.common.json) answer.said.push_back({true, "note: " + placed(note, where)});
    }
  }

  Result<std::string> printed(const Outcome& outcome, const Texts& where) const {
    const WorkBudget limit({.seconds = options_.common.budgetSeconds, .cancel = &interrupted()});
    try {
      return options_.common.json ? jsonOf(outcome, where.index, where.place) : textOf(outcome);
    } catch (const OutOfBudget& end) {
      return Diag{fmt::format("{}, while printing the result", end.what()), "",
                  "smaller sizes, or more time: --budget SECONDS", outcome.statement.span};
    }
  }

  void report(const Diag& diag, const Texts& where, LineAnswer& answer) const {
    answer.failed = true;
    if (options_.common.json) {
      answer.said.push_back({false, readyLine(jsonOf(diag, where.index, where.place))});
    } else {
      answer.said.push_back({true, "error: " + placed(diag, where)});
    }
  }
  void reportEmpty(const Texts& where, LineAnswer& answer) const {
    report({"there is nothing to evaluate", "an expression or a statement", "", {}}, where, answer);
  }

  // Adds the line of the stream, even if the diag has no span.
  [[nodiscard]] static std::string placed(const Diag& diag, const Texts& where) {
    std::string out = printDiag(diag, where.text, where.index, where.place.lineOffset);
    const bool named = !where.stream || out.rfind("line ", 0) == 0;
    return named ? out : fmt::format("line {}: {}", where.place.lineOffset + 1, out);
  }

  // Returns false to stop. `later`: standard output may wait for flush().
  bool emit(const LineAnswer& answer, bool later = false) {
    failed_ = failed_ || answer.failed;
    for (const LineAnswer::Said& said : answer.said) {
      if (said.error) {
        (void)out_.flush();
        complain(said.text);
      } else if (!out_.later(said.text) || (!later && !out_.flush())) {
        return false;
      }
    }
    return !answer.last && !out_.broken();
  }

  const EvalOptions& options_;
  Output& out_;
  Smt2Writer smt2_;
  EngineOptions engine_;
  Scope scope_;
  bool failed_ = false;
};

}  // namespace

int runEval(const EvalOptions& options, Output& out) {
  Evaluation evaluation(options, out);
  bool readable = true;
  for (const std::string& expression : options.expressions) {
    if (isModuleInput(expression)) {
      readable = evaluation.runModule(expression) && readable;
      continue;
    }
    const bool sheet = expression.ends_with(".tess") || expression.ends_with(".graphene");
    if (sheet && namesFile(expression)) {
      evaluation.refuseFile(expression);
      readable = false;
      continue;
    }
    if (expression != "-") {
      if (!evaluation.run(expression)) break;
      continue;
    }
    readable = evaluation.runStream() && readable;
  }
  if (!readable || !evaluation.allWritten()) return kExitUnreadable;
  return evaluation.failed() ? kExitFailed : kExitOk;
}

}  // namespace tessera
