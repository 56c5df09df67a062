// TaskHelp: what the window shows of the tasks of a sheet (core/worksheet/statements/task.h): how much help the learner
// asked for, and what is solved.
//
//     task "make it conflict free": ...     Not yet.                                        [hint]
//                                           Not yet. (row, col) = (0,0) and (1,0) ...       [another hint]
//                                           ... The row has to reach the bits of the bank.  [show the answer]
//                                           ... Answer: S = Sw<3,3,3> o A                   [put it in]
//
// The first help is the counterexample, and follows the typing. The hints and the answer are those of the statement
// itself, else those that the gallery's lesson keeps for a task of this title (app/session/gallery.h).
//
// Laws: asking never changes the sheet, except for `put it in`. Nothing that was not asked for is shown.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "app/engine/engine.h"
#include "app/session/document.h"
#include "core/worksheet/statements/task.h"

namespace tessera {

struct Snapshot;

// The card below a task.
struct TaskCard {
  bool solved = false, pending = false;
  std::string text;                  // lines
  std::vector<std::string> buttons;  // "hint"; after the answer "put it in"
};

class TaskHelp {
 public:
  // Call for each new snapshot. Returns the titles of lessons' tasks that are now solved for the first time.
  std::vector<std::string> look(const std::shared_ptr<const Snapshot>& now);

  [[nodiscard]] TaskCard card(const Outcome& outcome) const;
  // Whether the counterexample was asked for, or the statement is no task.
  [[nodiscard]] bool shows(const Outcome& outcome) const;
  // The card's button.
  [[nodiscard]] Result<void> press(const Outcome& outcome, Document& document);
  // Incremented by every press.
  [[nodiscard]] int revision() const { return revision_; }
  // Another sheet: nothing has been asked.
  void forget();
  // The sheet is a copy of this lesson, or an answer to it.
  void keep(std::string lesson);
  [[nodiscard]] const std::string& lesson() const { return lessonText_; }

 private:
  [[nodiscard]] Task withKept(Task task) const;

  std::string lessonText_;
  std::map<std::string, Task> lesson_;        // its tasks, by title
  std::map<std::string, std::size_t> asked_;  // by title: number of helps
  std::map<std::string, std::string> why_;    // by title: the last counterexample, while a newer one is computed
  std::shared_ptr<const Snapshot> seen_;
  int revision_ = 0;
};

// progress: the titles of the lessons' tasks that were solved, in a file beside the session's state.
[[nodiscard]] const std::set<std::string>& solvedTasks();
// Of a list of titles, how many are solved.
[[nodiscard]] std::size_t solvedOf(const std::vector<std::string>& titles);
// Returns false if it was known.
bool noteSolved(const std::string& title);

}  // namespace tessera
