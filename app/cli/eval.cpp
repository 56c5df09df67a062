// tessera eval: each EXPR is one expression (its line breaks are blanks), or a small worksheet when it binds names or
// has several statements; with `-` each line of standard input is one. In JSON every input has at least one answer, so
// that a script can pair them; a blank line then is an error like any other text that is no expression.
#include <fmt/format.h>

#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/json.h"
#include "app/cli/report.h"
#include "app/cli/smt2.h"
#include "core/base/patience.h"

namespace tessera {
namespace {

class Evaluation {
 public:
  Evaluation(const EvalOptions& options, Output& out)
      : options_(options), out_(out), smt2_(options.common.smt2Directory) {
    engine_.prove.budgetSeconds = options.common.budgetSeconds;
    engine_.prove.cancel = &interrupted();
    engine_.prove.exportSmt2 = smt2_.wanted();
    engine_.drawFigures = !options.common.json;
  }

  // True while there is a reason to go on.
  bool run(std::string_view text, std::size_t lineOffset, bool oneLine) {
    const LineIndex index(text);
    const JsonPlace place{"", lineOffset};
    std::vector<Statement> statements = splitStatements(text);
    if (!oneLine) statements = joined(std::move(statements), text);
    if (statements.empty() && (options_.common.json || !oneLine)) {
      Diag empty{"there is nothing to evaluate", "an expression or a statement", "", {}};
      report(empty, text, index, place);
    }
    for (const Statement& statement : statements) {
      if (interrupted().load()) return false;
      // Its text is part of what a statement may take: the JSON of a map asks what the map is.
      const Patience patience({.seconds = options_.common.budgetSeconds, .cancel = &interrupted()});
      const Outcome outcome = runStatement(statement, scope_, engine_);
      if (outcome.verdict) smt2_.write(*outcome.verdict);
      failed_ = failed_ || (outcome.verdict && outcome.verdict->truth != Truth::Proved);
      if (outcome.diag && !options_.common.json) {
        report(*outcome.diag, text, index, place);
      } else {
        failed_ = failed_ || outcome.diag.has_value();
        const auto line = printed(outcome, index, place);
        if (!line) report(line.error(), text, index, place);
        if (line && !line->empty() && !out_.line(*line)) return false;
      }
      for (const Diag& note : outcome.notes) {
        if (!options_.common.json) complain("note: " + placed(note, text, index, place));
      }
      if (out_.broken()) return false;
    }
    return true;
  }

  // False when standard input cannot be read.
  bool runStream() {
    stream_ = true;
    LineReader reader;
    std::string line;
    for (std::size_t n = 0; reader.next(line); ++n) {
      if (!run(line, n, true)) break;
    }
    stream_ = false;
    return !reader.complainIfUnreadable();
  }

  [[nodiscard]] bool failed() const { return failed_ || smt2_.failed(); }

 private:
  // An expression that was pasted over several lines is one statement, unless its lines bind names, show, prove ...
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

  Result<std::string> printed(const Outcome& outcome, const LineIndex& index, const JsonPlace& place) const {
    try {
      return options_.common.json ? jsonOf(outcome, index, place) : textOf(outcome);
    } catch (const OutOfPatience& end) {
      return Diag{fmt::format("{}, while it was printed", end.what()), "",
                  "smaller sizes, or more time: --budget SECONDS", outcome.statement.span};
    }
  }

  void report(const Diag& diag, std::string_view text, const LineIndex& index, const JsonPlace& place) {
    failed_ = true;
    if (options_.common.json) {
      (void)out_.line(jsonOf(diag, index, place));
    } else {
      complain("error: " + placed(diag, text, index, place));
    }
  }

  // With the line of the stream, also where the line itself has no place to point at.
  [[nodiscard]] std::string placed(const Diag& diag, std::string_view text, const LineIndex& index,
                                   const JsonPlace& place) const {
    std::string out = printDiag(diag, text, index, place.lineOffset);
    const bool named = !stream_ || out.rfind("line ", 0) == 0;
    return named ? out : fmt::format("line {}: {}", place.lineOffset + 1, out);
  }

  const EvalOptions& options_;
  Output& out_;
  Smt2Writer smt2_;
  EngineOptions engine_;
  Scope scope_;
  bool stream_ = false;  // the text is one line of standard input
  bool failed_ = false;
};

}  // namespace

int runEval(const EvalOptions& options, Output& out) {
  Evaluation evaluation(options, out);
  bool readable = true;
  for (const std::string& expression : options.expressions) {
    if (expression != "-") {
      if (!evaluation.run(expression, 0, false)) break;
      continue;
    }
    readable = evaluation.runStream() && readable;
  }
  if (!readable) return kExitUnreadable;
  return evaluation.failed() ? kExitFailed : kExitOk;
}

}  // namespace tessera
