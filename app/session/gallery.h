// gallery: the sheets and programs that come with Tessera.
//
//     01_row_and_column_major.tess   title "row and column major", section "Layouts", level "first steps", its tasks
//
// The sheets with tasks are the course. What their tasks keep (hints, answers) is not in the copy that a learner gets,
// so the window asks here for it, by the task's title. Law (tests/gui/course_test.cpp): no two tasks share a title.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/session/thumbnail.h"
#include "core/worksheet/statements/task.h"

namespace tessera {

struct GalleryItem {
  std::string path, title, about;
  std::string section = {}, level = {};  // "Layouts", "first steps"
  std::string intro = {};                // of a lesson: the first sentence after its heading
  std::vector<std::string> tasks = {};   // their titles
  std::optional<Thumbnail> thumbnail = {};
};
[[nodiscard]] std::vector<GalleryItem> gallery();           // the lessons, then the questions of others
[[nodiscard]] std::vector<GalleryItem> programTemplates();  // the Graphene programs of the library
// The tasks of a sheet with what they keep, in order.
[[nodiscard]] std::vector<Task> tasksIn(std::string_view text);
// The tasks of all lessons, by title. Read once.
[[nodiscard]] const std::map<std::string, Task>& keptTasks();
}  // namespace tessera
