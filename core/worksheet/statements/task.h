// Task: an exercise of a lesson, a claim that the sheet does not satisfy yet, with what the lesson keeps for it.
//
//     S = ?                                                                the blank, or a wrong line to fix
//     task "make it conflict free": conflict_free(S, ldmatrix.x4, fp16) {
//       hint "the row has to reach the bits of the bank"                   shown after the counterexample
//       answer S = Sw<3,3,3> o A                                           accepted
//       wrong S = A                                                        rejected
//     }
//
// After the colon: claims, programs and conditions, joined by `and`. The task is solved if all of them hold. The braces
// are optional. A string on its own line continues the hint above it. An answer (or a wrong one) is an edit of the
// sheet above the task: a line that replaces the one that binds its name, or `"before" -> "after"` for a piece of the
// text; `also EDIT` adds a second edit to it. `solved` marks a task that the lesson ships solved, as an example.
//
// Law: withoutKept(document) has the same statements, and its tasks the same titles and claims.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/worksheet/worksheet.h"

namespace tessera {

struct TaskEdit {
  std::string name;           // of the bound name; "": a piece of the text
  std::string before, after;  // the piece; of a line only `after`, the line
  bool operator==(const TaskEdit&) const = default;
};
// "S = Sw<3,3,3> o A"; several edits on several lines.
using TaskAnswer = std::vector<TaskEdit>;
[[nodiscard]] std::string print(const TaskAnswer& answer);

struct Task {
  std::string title;
  std::string claim;  // "conflict_free(S, ldmatrix.x4, fp16)"
  Span claimAt;       // in the statement's text
  std::vector<std::string> hints;
  std::vector<TaskAnswer> answers, wrong;
  bool shippedSolved = false;
};

// The text of a statement of kind Task. A Diag has its place in that text.
[[nodiscard]] Result<Task> readTask(std::string_view statement);

// One replacement in a document.
struct TextEdit {
  Span span;
  std::string text;
};
// Where an edit goes: the last line before statements[task] that binds the name, else a new line before the task. For a
// piece of the text: its last place above the task, outside other tasks; a Diag if there is none.
[[nodiscard]] Result<TextEdit> placeOf(const TaskEdit& edit, std::string_view document,
                                       std::span<const Statement> statements, std::size_t task);
// The document with all edits of an answer to the k-th of its tasks (from 0).
[[nodiscard]] Result<std::string> withAnswer(std::string document, std::size_t k, const TaskAnswer& answer);

// The document without what its tasks keep: the text that a learner gets.
[[nodiscard]] std::string withoutKept(std::string document);

}  // namespace tessera
