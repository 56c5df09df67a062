#include "app/engine/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "app/engine/help/make_true.h"
#include "app/engine/measure/measure_program.h"
#include "app/engine/measure/predict_accesses.h"
#include "app/engine/measure/run_program.h"
#include "app/engine/paste/paste_text.h"
#include "app/engine/program/check_program.h"
#include "app/engine/program/equal_program.h"
#include "core/analysis/access/thread_fix.h"
#include "core/analysis/swizzle/find_swizzle.h"
#include "core/base/work_budget.h"
#include "core/worksheet/language/words.h"
#include "core/worksheet/statements/task.h"
#include "core/worksheet/value.h"
#include "solver/prove/synthesize_swizzle.h"

namespace tessera {
namespace {

bool isClaim(StatementKind kind) {
  return kind == StatementKind::Prove || kind == StatementKind::Assert || kind == StatementKind::Task;
}

// A verdict is also the statement's value if a value is needed.
void setVerdict(Outcome& outcome, Verdict verdict) {
  if (!isClaim(outcome.statement.kind)) {
    outcome.value = Value(verdict);
  }
  outcome.verdict = std::move(verdict);
}

Diag placed(Diag diag, const Statement& statement) {
  diag.span = statement.span;
  return diag;
}

// Points the diag at the word after `as` if the view is the error.
Diag placedAtView(Diag diag, const Statement& statement, const std::string& view) {
  diag = placed(std::move(diag), statement);
  const bool ofView = diag.message.starts_with("there is no view") || diag.message.starts_with("the view ");
  const std::size_t at = ofView && !view.empty() ? statement.text.rfind(" " + view) : std::string::npos;
  if (at != std::string::npos) diag.span = Span{at + 1, at + 1 + view.size()}.shifted(statement.span.begin);
  return diag;
}

Diag cancelledDiag(const Statement& statement) {
  return Diag{"unknown: cancelled", "", "re-evaluate everything to get the answer", statement.span};
}

Diag tooLong(const OutOfBudget& end, const Statement& statement) {
  if (end.cancelled()) return cancelledDiag(statement);
  return Diag{end.what(), "", "smaller sizes, or more time: --budget SECONDS", statement.span};
}

// Why there is no answer.
void failed(Outcome& outcome, const Diag& diag, const JobContext& context) {
  outcome.diag = context.cancelled() ? cancelledDiag(outcome.statement) : placed(diag, outcome.statement);
}

ProveOptions proveOptions(const EngineOptions& options, const JobContext& context) {
  ProveOptions prove = options.prove;
  prove.cancel = context.cancel;
  if (context.progress) prove.onRung = [&context](Method m) { context.progress(-1, name(m)); };
  return prove;
}

// --- answers, one per request ---------------------------------------------------------------------------------------

void answer(std::monostate, Outcome&, const EngineOptions&, const JobContext&) {}

// Whether a line that is an error may be a line of another tool: index code, a declaration, a call.
bool mayBeForeign(const Statement& statement) {
  constexpr std::size_t kLongest = 4096;
  const bool expression = statement.kind == StatementKind::Expression || statement.kind == StatementKind::Invalid;
  if (statement.text.size() > kLongest || (!expression && statement.kind != StatementKind::Bind)) return false;
  return statement.text.find_first_of(expression ? "[(*+^<&%" : "[") != std::string::npos;
}

// The picture of such a line, as if it were pasted. The line stays an error, because the file's other readers refuse
// it; a correction has the statements.
void drawForeign(Outcome& outcome, const EngineOptions& options) {
  const PasteText read = pasteText(outcome.statement.text);
  if (read.text.empty() || read.wrong) return;
  // A misspelt call is a formula too.
  const bool formula = outcome.statement.text.find_first_of("[*+^<&%") != std::string::npos;
  if (!formula && read.remark.find("index code") != std::string::npos) return;
  EngineOptions asked = options;
  asked.figures = EngineOptions::Figures::Asked;
  Scope scope;
  std::optional<Figure> figure;
  for (const Statement& s : splitStatements(read.text)) {
    Outcome one = runStatement(s, scope, asked);
    if (one.diag) return;
    if (!one.figure && drawnBare(one)) {
      DrawOptions how;
      how.name = titleOf(one);
      if (auto bare = drawOutcome(one, "", how)) one.figure = *std::move(bare);
    }
    if (one.figure) figure = std::move(one.figure);
  }
  if (!figure) return;
  std::string remark = read.remark;
  remark.front() = 'R';
  figure->caption = remark + ". " + figure->caption;
  outcome.figure = std::move(figure);
  outcome.learner.corrections.push_back({"statements of the worksheet", outcome.statement.text, read.text});
}

// Drawn later with the other pictures.
void answer(ShowRequest request, Outcome& outcome, const EngineOptions& options, const JobContext& context) {
  if (outcome.statement.kind != StatementKind::Show) {  // nothing asks for the picture
    if (outcome.diag) drawForeign(outcome, options);
    return;
  }
  const auto* const listing = std::get_if<graphene::Listing>(request.value.get());
  if (listing != nullptr && request.view == "checklist")
    outcome.program.checked =
        checkedProgram({*listing, request.name, "", ""}, options.prove.budgetSeconds, context.cancel);
  if (listing != nullptr && request.view == "predictions") {
    auto table = predictionsOf(*listing, context.cancel);
    if (!table) outcome.diag = placed(table.error(), outcome.statement);
    if (table) outcome.program.predictions = std::make_shared<const PredictionTable>(*std::move(table));
  }
  if (context.progress) context.progress(-1, "drawing");
  outcome.show = std::move(request);
}

// The lines that would have no conflicts.
void addFixes(Outcome& outcome) {
  const auto* threads = std::get_if<claims::Threads>(&outcome.claim->says);
  if (threads == nullptr || threads->question->what != claims::ThreadQuestion::What::ConflictFree) return;
  const claims::ThreadQuestion& asked = *threads->question;
  const auto* code = asked.code ? asked.code->as<code::IndexCode>() : nullptr;
  for (ThreadFix& fix :
       code ? fixesOf(asked.accesses[0], *code, asked.others) : fixesOf(asked.accesses[0], asked.source)) {
    if (fix.before != fix.after)
      outcome.learner.corrections.push_back(
          {fix.what.substr(0, std::min(fix.what.find(", "), fix.what.find(": "))), fix.before, fix.after});
    outcome.notes.push_back(
        Diag{"without conflicts: " + std::move(fix.what), "", std::move(fix.line), outcome.statement.span});
  }
}

// What `find` knows, unless a correction of the code is known already.
void addCorrections(const ProveRequest& request, Outcome& outcome, const EngineOptions& options,
                    const JobContext& context) {
  if (!outcome.learner.corrections.empty()) return;
  if (context.progress) context.progress(-1, "searching a layout for which it holds");
  MadeTrue made = makeTrue(outcome.statement, request, proveOptions(options, context));
  outcome.learner.corrections = std::move(made.edits);
  outcome.learner.noCorrection = std::move(made.none);
}

// A task does not show the corrected line: it would be the answer.
void answer(ProveRequest request, Outcome& outcome, const EngineOptions& options, const JobContext& context) {
  const std::string text = request.claim.text;
  outcome.claim = request.claim;
  Verdict verdict = prove(*outcome.claim, proveOptions(options, context));
  if (verdict.truth == Truth::Refuted && !outcome.learner.task) addFixes(outcome);
  verdict.claim = text;
  if (request.negated) negate(verdict, "the claim itself holds");
  if (options.corrections && verdict.truth == Truth::Refuted && !outcome.learner.task)
    addCorrections(request, outcome, options, context);
  if (verdict.truth == Truth::Unknown && context.cancelled()) verdict.detail = "cancelled";
  setVerdict(outcome, std::move(verdict));
}

void answer(FindRequest request, Outcome& outcome, const EngineOptions& options, const JobContext& context) {
  SwizzleFinding finding{request.layout, request.elementBits, request.specs, {}, std::nullopt};
  if (request.method == Method::Z3) {
    if (context.progress) context.progress(-1, name(Method::Z3));
    Result<LinearSwizzle> found = synthesizeSwizzle(request, proveOptions(options, context));
    if (!found) return failed(outcome, found.error(), context);
    finding.linear = *std::move(found);
  } else {
    SwizzleSearchOptions search;
    search.cancel = context.cancel;
    if (context.progress) {
      search.onCandidate = [&context](int tried, int of) {
        context.progress(static_cast<double>(tried) / of, fmt::format("{} of {} candidates", tried, of));
      };
    }
    Result<SwizzleSearch> found = findSwizzle(request.layout, request.elementBits, request.specs, search);
    if (!found) return failed(outcome, found.error(), context);
    finding.search = *std::move(found);
  }
  outcome.value = Value(std::move(finding));
}

// Without an answer a search says so; a name is not bound to it.
void answer(InverseRequest request, Outcome& outcome, const EngineOptions&, const JobContext& context) {
  if (context.progress) context.progress(-1, "searching");
  InverseAnswer found = answerOf(request.question);
  for (std::string& note : found.notes) outcome.notes.push_back(Diag{std::move(note), "", "", outcome.statement.span});
  if (found.layout) {
    outcome.value = Value(*std::move(found.layout));
  } else if (found.found()) {
    outcome.value = Value(Text{std::move(found.text)});
  } else if (outcome.statement.kind == StatementKind::Bind) {
    failed(outcome, Diag{std::move(found.none)}, context);
  } else {
    outcome.value = Value(Text{"none: " + found.none});
  }
}

void answer(CheckRequest request, Outcome& outcome, const EngineOptions& options, const JobContext& context) {
  if (context.progress) context.progress(-1, "obligations");
  outcome.program.checked = checkedProgram(request, options.prove.budgetSeconds, context.cancel);
  Verdict verdict = summaryOf(*outcome.program.checked, request);
  if (verdict.truth == Truth::Unknown && context.cancelled()) verdict.detail = "cancelled";
  outcome.program.listing = std::move(request.listing);
  if (options.corrections && verdict.truth == Truth::Refuted && !outcome.learner.task)
    outcome.learner.noCorrection = "find changes layouts; what a program leaves open is in its own statements";
  setVerdict(outcome, std::move(verdict));
}

void answer(EqualRequest request, Outcome& outcome, const EngineOptions& options, const JobContext& context) {
  if (context.progress) context.progress(-1, "comparing programs");
  Result<Verdict> verdict = equalVerdict(request, options.prove.budgetSeconds, context.cancel);
  if (!verdict) return failed(outcome, verdict.error(), context);
  if (verdict->truth == Truth::Unknown && context.cancelled()) verdict->detail = "cancelled";
  if (options.corrections && verdict->truth == Truth::Refuted && !outcome.learner.task)
    outcome.learner.noCorrection = "find changes layouts; what a program leaves open is in its own statements";
  setVerdict(outcome, *std::move(verdict));
}

// The verdict of the first claim that does not hold, else of the last one.
void answer(TaskRequest request, Outcome& outcome, const EngineOptions& options, const JobContext& context) {
  Verdict verdict;
  verdict.claim = outcome.learner.task->claim;
  if (!request.failed.empty()) {
    verdict.truth = request.refuted ? Truth::Refuted : Truth::Unknown;
    verdict.detail = std::move(request.failed);
    return setVerdict(outcome, std::move(verdict));
  }
  verdict.truth = Truth::Proved;  // conditions only
  setVerdict(outcome, std::move(verdict));
  for (auto& claim : request.claims) {
    outcome.claim.reset();
    outcome.program = {};
    std::visit([&](auto& asked) { answer(std::move(asked), outcome, options, context); }, claim);
    if (outcome.diag) {  // programs that cannot be compared
      outcome.verdict->truth = Truth::Unknown;
      outcome.verdict->detail = std::exchange(outcome.diag, std::nullopt)->message;
    }
    if (outcome.verdict->truth != Truth::Proved) return;
  }
}

void answer(RunRequest request, Outcome& outcome, const EngineOptions& options, const JobContext& context) {
  Result<RanProgram> ran = ranProgram(request, options.run, context);
  if (!ran) return failed(outcome, ran.error(), context);
  for (const std::string& size : ran->chosen)
    outcome.notes.push_back(Diag{fmt::format("{} is not given; the default is {}", size, kDefaultSize), "",
                                 fmt::format("with {}=128", size), outcome.statement.span});
  outcome.ran = std::make_shared<const RanProgram>(*std::move(ran));
}

// A show fails if it cannot be drawn. Pictures of rejections, refutations and bare values are optional: the result is
// valid without them, and a note says if one was cut short.
void drawFigure(Outcome& outcome, EngineOptions::Figures which) {
  using Figures = EngineOptions::Figures;
  if (which == Figures::None || (which == Figures::Asked && outcome.statement.kind != StatementKind::Show)) return;
  if (outcome.figure) return;
  DrawOptions options;
  std::string view;
  if (outcome.show) {
    options.name = outcome.show->name;
    options.arguments = outcome.show->arguments;
    view = outcome.show->view;
  } else if (outcome.statement.kind == StatementKind::Find && !outcome.diag) {
    if (!outcome.value || (!is<SwizzleFinding>(*outcome.value) && !is<Layout>(*outcome.value))) return;
    if (is<SwizzleFinding>(*outcome.value)) view = "search";
  } else if (outcome.program.listing && !outcome.diag) {
    view = "checklist";
  } else if (outcome.ran) {
    view = outcome.ran->view;
  } else if (outcome.learner.task && !outcome.claim) {
    return;  // a condition has no picture
  } else if (which == Figures::Bare && drawnBare(outcome)) {
    options.name = titleOf(outcome);
  } else if (outcome.diag
                 ? !outcome.operation.has_value()
                 : !outcome.verdict || (outcome.statement.kind != StatementKind::Show &&
                                        outcome.verdict->truth != Truth::Refuted && !outcome.program.checked)) {
    return;
  }
  Result<Figure> figure = [&]() -> Result<Figure> {
    try {
      return drawOutcome(outcome, view, options);
    } catch (const OutOfBudget& end) {
      Diag cut = tooLong(end, outcome.statement);
      if (!outcome.show)
        outcome.notes.push_back(Diag{std::string("no picture: ") + end.what(), "", cut.hint, cut.span});
      return cut;
    }
  }();
  if (figure) {
    outcome.figure = *std::move(figure);
  } else if (outcome.show) {
    outcome.diag = placedAtView(figure.error(), outcome.statement, view);
  }
}

// "injective(A)" of "prove injective(A)".
std::string claimTextOf(const Statement& statement) {
  const std::size_t from = skipBlanks(statement.text, skipWord(statement.text, 0));
  return from < statement.text.size() ? statement.text.substr(from) : statement.text;
}

// The outcome when a statement runs out of budget: `unknown` for a claim, otherwise a Diag.
void ranOut(Outcome& outcome, const OutOfBudget& end) {
  if (outcome.verdict) return;  // only the picture is missing
  const bool asked = outcome.statement.kind == StatementKind::Prove || outcome.statement.kind == StatementKind::Task;
  if (!asked || end.cancelled()) {
    outcome.diag = tooLong(end, outcome.statement);
    return;
  }
  Verdict verdict;
  verdict.claim = claimTextOf(outcome.statement);
  verdict.detail = fmt::format("{}, before there was anything to prove", end.what());
  setVerdict(outcome, std::move(verdict));
}

// The layers below throw nothing on purpose; an exception from a library must not end the worksheet.
template <typename Body>
void guardedBy(Outcome& outcome, Body body) {
  try {
    body();
  } catch (const OutOfBudget& end) {
    ranOut(outcome, end);
  } catch (const std::bad_alloc&) {
    outcome.diag =
        Diag{"there is not enough memory for this statement", "", "use smaller extents", outcome.statement.span};
  } catch (const std::exception& error) {
    outcome.diag = Diag{std::string("internal error: ") + error.what(), "", "please report this statement",
                        outcome.statement.span};
  }
}

}  // namespace

double budgetFor(const Statement& statement, const EngineOptions& options) {
  return statement.kind == StatementKind::Run ? WorkLimits{}.seconds : options.prove.budgetSeconds;
}

Started startStatement(const Statement& statement, Scope& scope, const EngineOptions& options) {
  Started started;
  Outcome& outcome = started.outcome;
  outcome.statement = statement;
  guardedBy(outcome, [&] {
    const WorkBudget limit({.seconds = options.prove.budgetSeconds, .cancel = options.prove.cancel});
    Evaluated evaluated = evaluate(statement, scope);
    outcome.value = std::move(evaluated.value);
    outcome.operation = std::move(evaluated.operation);
    outcome.learner.task = std::move(evaluated.task);
    outcome.learner.blank = std::move(evaluated.blank);
    outcome.diag = std::move(evaluated.diag);
    outcome.notes = std::move(evaluated.notes);
    if (!outcome.diag) started.request = std::move(evaluated.request);
    if (!outcome.learner.blank.empty() && isClaim(statement.kind)) {
      Verdict verdict;
      verdict.claim = outcome.learner.task ? outcome.learner.task->claim : claimTextOf(statement);
      verdict.detail = outcome.learner.blank + " is not filled in yet";
      setVerdict(outcome, std::move(verdict));
    }
    const bool foreign = outcome.diag && !outcome.operation && mayBeForeign(statement);
    if (started.complete() && options.figures == EngineOptions::Figures::Bare && (foreign || drawnBare(outcome)))
      started.request = ShowRequest{outcome.value, outcome.statement.text, "", {}};
    if (started.complete()) drawFigure(outcome, options.figures);
  });
  return started;
}

Outcome answered(Started started, const EngineOptions& options, const JobContext& context) {
  if (context.cancelled()) return cancelledOutcome(std::move(started));
  if (started.complete()) return std::move(started.outcome);
  Outcome& outcome = started.outcome;
  guardedBy(outcome, [&] {
    const WorkBudget limit({.seconds = budgetFor(outcome.statement, options), .cancel = context.cancel});
    std::visit([&](auto& request) { answer(std::move(request), outcome, options, context); }, started.request);
    drawFigure(outcome, options.figures);
  });
  return std::move(outcome);
}

Outcome cancelledOutcome(Started started) {
  Outcome outcome = std::move(started.outcome);
  Verdict verdict;
  verdict.detail = "cancelled";
  if (auto* asked = std::get_if<ProveRequest>(&started.request)) {
    verdict.claim = asked->claim.text;
    outcome.claim = std::move(asked->claim);
    setVerdict(outcome, std::move(verdict));
  } else if (auto* check = std::get_if<CheckRequest>(&started.request)) {
    verdict.claim = check->text;
    setVerdict(outcome, std::move(verdict));
  } else if (auto* equal = std::get_if<EqualRequest>(&started.request)) {
    verdict.claim = equal->text;
    setVerdict(outcome, std::move(verdict));
  } else if (std::holds_alternative<TaskRequest>(started.request)) {
    verdict.claim = outcome.learner.task->claim;
    setVerdict(outcome, std::move(verdict));
  } else if (!started.complete() &&
             (outcome.statement.kind == StatementKind::Show || !std::holds_alternative<ShowRequest>(started.request))) {
    if (auto* show = std::get_if<ShowRequest>(&started.request)) outcome.show = std::move(*show);
    outcome.diag = cancelledDiag(outcome.statement);
  }
  return outcome;
}

std::string awaitedName(const Started& started) {
  return started.outcome.statement.kind == StatementKind::Bind && !started.complete() ? started.outcome.statement.name
                                                                                      : "";
}

void bindAnswer(const Outcome& outcome, Scope& scope) {
  if (outcome.statement.kind != StatementKind::Bind || !outcome.value) return;
  scope.bind(outcome.statement.name, *outcome.value);
}

}  // namespace tessera
