// Lesson: a worksheet with tasks (core/worksheet/statements/task.h), tried out as its author does.
//
//     S = ?                                       trial                     expected
//     task "bijective": bijective(S) {            as it is shipped          not solved, unless marked `solved`
//       answer S = (4,8):(8,1)                    with each answer          solved
//       wrong S = (4,8):(8,2)                     with each wrong answer    not solved
//     }
//
// Law: a trial of a task has the first answers of the tasks above it, as for a learner who did those first. Only the
// statements that bind names run before it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/engine/engine.h"

namespace tessera {

struct TaskTrial {
  enum class Of : unsigned char { Shipped, Answer, Wrong } of = Of::Shipped;
  std::string edit;       // the answer's lines; empty as shipped
  bool expected = false;  // to solve the task
  bool solved = false;
  std::string why;  // the verdict or the error
  [[nodiscard]] bool asExpected() const { return solved == expected; }
};
struct TriedTask {
  int line = 1;
  std::string title;
  std::vector<TaskTrial> trials;
  [[nodiscard]] bool asExpected() const;  // it has an answer and a wrong one, and all trials are as expected
};

// The tasks that can be read; one that cannot is an error of the sheet.
[[nodiscard]] std::vector<TriedTask> triedTasks(const std::string& document, const EngineOptions& options);
// The document with the first answer of every task. A Diag names the task whose answer has no place.
[[nodiscard]] Result<std::string> withAllAnswers(std::string document);

}  // namespace tessera
