// Engine: runs worksheets. It evaluates statements (core) and answers their requests: claims and searches (solver),
// shows (render). The command line runs statements in order, here; the window runs them in the background
// (live_document.h). Both only read the Outcomes. No I/O, no window.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/show/show.h"
#include "core/worksheet/worksheet.h"
#include "render/figure/figure.h"
#include "solver/prove/prove.h"

namespace tessera {

class Job;
class RunResults;
struct RanProgram;
struct PredictionTable;
namespace graphene {
struct CheckResult;
}  // namespace graphene

// What is known about the program of a show or a prove.
struct ProgramAnswer {
  std::optional<graphene::Listing> listing;
  // For a prove: the obligations of its specifications; the outcome's verdict is their summary.
  std::shared_ptr<const graphene::CheckResult> checked;
  std::shared_ptr<const PredictionTable> predictions;  // for one shown as predictions (predict_accesses.h)
};

// An edit of an earlier statement that makes a refuted claim hold.
struct Correction {
  std::string label;          // "Sw<3,3,3> on the offset"
  std::string before, after;  // a piece of the document, and what replaces it
};

// What is left to do for the person at the sheet.
struct ForLearner {
  Shared<Task> task;  // of a task; the outcome's verdict is that of its first claim that does not hold
  // The name of a blank, S = ?, that the statement binds or needs. A claim about it is unknown; others have no value.
  std::string blank;
  std::vector<Correction> corrections;  // of a refuted claim
  std::string noCorrection;             // why there are none; "": not searched
};

// Everything known about one statement.
struct Outcome {
  Statement statement;
  Shared<Value> value;  // bind, expression, assert
  Shared<Operation> operation;
  std::optional<ShowRequest> show;
  std::optional<Figure> figure;  // for a show, a refuted claim, a refused algebra operation
  std::optional<Claim> claim;
  std::optional<Verdict> verdict;  // for a prove (or an assert of a claim)
  ProgramAnswer program;
  ForLearner learner;
  std::shared_ptr<const RanProgram> ran;  // for a run (run_program.h)
  std::optional<Diag> diag;               // the error; span in the document
  std::vector<Diag> notes;
  bool pending = false;      // not answered yet (live_document.h only); only the statement is known
  std::shared_ptr<Job> job;  // the job that answers it, if any, for its progress
  // ok: no diag; an assert held; a prove was proved; a run is right.
  [[nodiscard]] bool holds() const;
  [[nodiscard]] bool solved() const { return learner.task && holds(); }
};

// Settings of run statements.
struct RunSettings {
  std::shared_ptr<RunResults> results;  // earlier results; null: every statement runs (run_program.h)
  std::vector<std::string> worker;      // command of the worker process; empty: this executable's
  std::string (*now)() = nullptr;       // date of a result; null: the clock
};

struct EngineOptions {
  ProveOptions prove;
  RunSettings run;
  // Asked: only pictures of shows, which fail without one. All: also pictures of errors. Bare: also pictures of values
  // alone on their line, for a window.
  enum class Figures : unsigned char { None, Asked, All, Bare } figures = Figures::All;
  bool corrections = false;  // search edits that make a refuted claim hold (help/make_true.h)
};

// Whether a window draws the value of an expression on its own line, as `show` would: a layout, a shape as it is typed,
// an instruction ..., but no number, no text and no tuple that is a result, which its line shows.
[[nodiscard]] bool drawnBare(const Outcome& outcome);
// The name in the title of its picture: that of the show or of the binding, or the expression.
[[nodiscard]] std::string titleOf(const Outcome& outcome);

// The picture of an outcome through a view ("" = its default): a value, a claim's verdict with its maps, an algebra
// operation beside its result ("algebra"). The Diag has no span if the view cannot show it.
[[nodiscard]] Result<Figure> drawOutcome(const Outcome& outcome, std::string_view view, DrawOptions options = {});

// Runs one statement in scope.
[[nodiscard]] Outcome runStatement(const Statement& statement, Scope& scope, const EngineOptions& options = {});

// The value of the last statement that has one, unless a statement has an error; `missing` if none has a value.
struct NamedValue {
  Shared<Value> value;
  std::string name;  // bound by its statement; "" if none
  Span span;         // of its statement
};
[[nodiscard]] Result<NamedValue> lastValue(const std::vector<Statement>& statements, const std::atomic<bool>* cancel,
                                           const Diag& missing);

// Outcomes as text for people: what `tessera eval` prints.

inline constexpr std::size_t kMaxPrintedBytes = 1 << 20;  // longer results are cut, and say so

// What eval prints for one outcome: the value, the picture of a show, the verdict. Empty for nothing.
[[nodiscard]] std::string textOf(const Outcome& outcome);
// "proved   injective(S)   F2 rank, 0.02 ms   (why)"; refuted ones have the counterexample on a second line.
[[nodiscard]] std::string textOf(const Verdict& verdict);
// "solved   make it conflict free", or "not yet  ..." with the counterexample on a second line.
[[nodiscard]] std::string taskText(const Outcome& outcome);
// Why a statement has no value: "waits for S, which is not filled in yet"; "" without a blank.
[[nodiscard]] std::string blankText(const Outcome& outcome);
// The canonical text of a value, cut at kMaxPrintedBytes.
[[nodiscard]] std::string printLimited(const Value& value);

}  // namespace tessera
