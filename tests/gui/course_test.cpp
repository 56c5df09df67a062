// The course: lessons with tasks in the window. A learner solves a task by typing, asks for help step by step, and the
// start page keeps the progress.
#include <set>

#include "app/engine/kernel/kernel_value.h"
#include "app/gui/sheets.h"
#include "app/session/gallery.h"
#include "app/session/task_help.h"
#include "core/worksheet/statements/task.h"
#include "tests/gui/app.h"
#include "tests/gui/state_folder.h"

using namespace tessera;

namespace {

const GalleryItem& lesson(const std::string& title) {
  static const std::vector<GalleryItem> kLessons = gallery();
  return *std::ranges::find(kLessons, title, &GalleryItem::title);
}

std::size_t lineOf(const std::string& text, const std::string& piece) {
  return static_cast<std::size_t>(std::ranges::count(text.substr(0, text.find(piece)), '\n')) + 1;
}

// Opens the lesson, and brings its line with `piece` into sight.
std::size_t openAt(App& app, const std::string& title, const std::string& piece) {
  REQUIRE(app.session.openGallery(lesson(title).path));
  app.settle();
  const std::string& text = app.session.document().text();
  REQUIRE(text.find(piece) != std::string::npos);
  panes::placeCaret(app.session, app.state.editor, text.size());
  app.frame(3);
  panes::placeCaret(app.session, app.state.editor, text.find(piece));
  app.frame(3);
  return lineOf(text, piece);
}

void replace(App& app, const std::string& from, const std::string& to) {
  const std::size_t at = app.session.document().text().find(from);
  REQUIRE(at != std::string::npos);
  REQUIRE(app.session.document().replace(at, at + from.size(), to));
  app.settle();
  app.frame(3);
}

}  // namespace

TEST_CASE("every lesson has two tasks or more, each with a hint, an answer and a wrong one, and no two share a title") {
  std::set<std::string> titles;
  std::size_t lessons = 0;
  for (const GalleryItem& item : gallery()) {
    INFO(item.path);
    const bool question = item.section == "Questions of others";
    CHECK(item.tasks.size() >= (question ? 0U : 2U));
    lessons += question ? 0 : 1;
    CHECK_FALSE(item.level.empty());
    for (const std::string& title : item.tasks) {
      CHECK(titles.insert(title).second);
      REQUIRE(keptTasks().count(title) == 1);
      CHECK_FALSE(keptTasks().at(title).hints.empty());
      CHECK_FALSE(keptTasks().at(title).answers.empty());
      CHECK_FALSE(keptTasks().at(title).wrong.empty());
    }
  }
  CHECK(lessons >= 38);
  CHECK(titles.size() == keptTasks().size());
}

TEST_CASE("a learner gets a lesson without its answers, and no statement of it has an error") {
  addKernels();
  for (const GalleryItem& item : gallery()) {
    if (item.tasks.empty()) continue;
    INFO(item.path);
    Session session;
    REQUIRE(session.openGallery(item.path));
    REQUIRE(session.waitUntilEvaluated(600));
    const std::string& text = session.document().text();
    for (const char* kept : {"\n  answer ", "\n  wrong ", "\n  hint "}) CHECK(text.find(kept) == std::string::npos);
    const Snapshot::Count count = session.evaluation().snapshot()->count();
    CHECK(count.problems == 0);
    CHECK(count.tasks == static_cast<int>(item.tasks.size()));
    CHECK(count.solved == 0);
  }
}

TEST_CASE("help comes step by step: the counterexample, the hint, the answer, and the answer put in") {
  const StateFolder folder;
  App app;
  const std::string title = "a pitch without conflicts";
  const std::size_t line = openAt(app, "transpose tile", "task \"" + title);
  const std::string card = "card." + std::to_string(line), button = card + ".button";
  const auto shown = [&] { return app.state.editor.notes.shown.at(static_cast<int>(line)); };
  const auto pictures = [&] {
    return std::ranges::count_if(ui::places(), [](const auto& p) { return p.first.ends_with(".picture"); });
  };
  REQUIRE(ui::places().count(button) == 1);
  CHECK(shown().card == "Not yet.");
  CHECK(shown().buttons == std::vector<std::string>{"hint"});
  const auto before = pictures();
  app.click(button);
  app.frame(8);
  CHECK(shown().card.starts_with("Not yet. at "));  // the counterexample, and its picture
  CHECK(shown().buttons == std::vector<std::string>{"another hint"});
  CHECK(pictures() > before);
  app.click(button);
  CHECK(shown().card.find("\nHint: The rows of a column") != std::string::npos);
  CHECK(shown().buttons == std::vector<std::string>{"show the answer"});
  app.click(button);
  CHECK(shown().card.ends_with("\nAnswer: Mine = (32,32):(33,1)"));
  CHECK(app.session.document().text().find("Mine = (32,32):(34,1)") != std::string::npos);
  app.click(button);
  app.settle();
  app.frame(3);
  CHECK(app.session.document().text().find("Mine = (32,32):(33,1)") != std::string::npos);
  CHECK(shown().card == "Solved.");
  CHECK(shown().buttons.empty());
  // One step back, and it is a task again.
  app.key('Z', /*ctrl=*/true);
  app.settle();
  app.frame(3);
  CHECK(shown().card.starts_with("Not yet."));
}

TEST_CASE("a task is judged while the learner types, and the progress is kept") {
  const StateFolder folder;
  App app;
  const std::string title = "the address of (3,5) by rows";
  (void)openAt(app, "row and column major", "place = ?");
  const std::size_t solved = solvedTasks().count(title);
  replace(app, "place = ?", "place = 28");
  CHECK(app.session.evaluation().snapshot()->count().solved == 0);
  replace(app, "place = 28", "place = 29");
  CHECK(app.session.evaluation().snapshot()->count().solved == 1);
  CHECK(app.session.evaluation().snapshot()->count().problems == 0);
  CHECK(solvedTasks().count(title) == 1);
  if (solved == 0) CHECK(app.session.message.starts_with("Solved: " + title));
  // Another claim under the same title is not the lesson's task.
  replace(app, "task \"the address of (3,5) by rows\": place == Row(3,5)",
          "task \"the address of (1,2) by rows\": place == 29");
  CHECK(solvedTasks().count("the address of (1,2) by rows") == 0);
}

TEST_CASE("the claims list a task by its title, without its counterexample and without next steps") {
  App app;
  app.type("A = (64,64):(64,1)\ntask \"quiet\": conflict_free(A, ldmatrix.x4, fp16)\n");
  app.settle();
  app.frame(3);
  CHECK(ui::places().count("claim.1") == 1);
  for (const char* name : {"claim.1.step.0", "claim.1.true.0", "claim.1.play"}) CHECK(ui::places().count(name) == 0);
  CHECK(ui::places().count("claim.1.show") == 0);
  CHECK(ui::places().count("figure.1.picture") == 0);
}

TEST_CASE("the start page opens the first lesson, a kernel, and what was copied") {
  App app;
  app.click("tab.gallery");
  app.frame(2);
  app.click("start.lesson");
  app.settle();
  CHECK(app.session.document().text().starts_with("// # 1 "));
  CHECK(app.state.shown.left == ShownPanes::Left::Worksheet);
  app.click("tab.gallery");
  app.frame(2);
  app.click("start.kernel");
  app.settle();
  CHECK(app.session.document().text().starts_with("// # 29 "));
  clipboard() = "Layout<Shape<_4,_8>,Stride<_8,_1>>";
  app.click("tab.gallery");
  app.frame(2);
  app.click("start.paste");
  app.settle();
  CHECK(app.session.document().text().find("_4") != std::string::npos);
}

TEST_CASE("the pictures of the start page are what the lessons show") {
  addKernels();
  const std::string file = TESSERA_SOURCE_DIR "/assets/gallery/thumbnails.txt";
  std::string text;
  for (const GalleryItem& item : gallery()) {
    Session session;
    REQUIRE(session.openGallery(item.path));
    REQUIRE(session.waitUntilEvaluated(600));
    for (const auto& o : session.evaluation().snapshot()->outcomes) {
      const auto thumbnail = o->figure ? thumbnailOf(*o->figure) : std::nullopt;
      if (!thumbnail) continue;
      CHECK(parseThumbnail(print(*thumbnail)) == thumbnail);
      text += std::filesystem::path(item.path).stem().string() + " " + print(*thumbnail) + "\n";
      break;
    }
  }
  if (std::getenv("TESSERA_WRITE") != nullptr) REQUIRE(writeFileAtomically(file, text));
  CHECK(readFile(file).ok());
  CHECK(*readFile(file) == text);
  for (const char* wrong : {"", "2x2", "2x2 ABC", "0x2 ", "2x2 AB D", "99x1 A", "x2 AB"})
    CHECK_FALSE(parseThumbnail(wrong));
}

TEST_CASE("the start page lists the lessons of a level") {
  App app;
  app.click("tab.gallery");
  app.frame(2);
  const auto listed = [] {
    std::size_t n = 0;
    for (const auto& [name, place] : ui::places()) n += name.starts_with("gallery.") ? 1U : 0U;
    return n;
  };
  const std::size_t all = listed();
  CHECK(all >= 60);
  app.click("level.compilers");
  app.frame(2);
  CHECK(listed() < 10);
  CHECK(ui::places().count("gallery.hlo fusions") == 1);
  CHECK(ui::places().count("gallery.swizzle") == 0);
  app.click("level.open");
  app.frame(2);
  CHECK(ui::places().count("gallery.hlo fusions") == 1);
  CHECK(listed() < all);  // the questions and the programs have no tasks
  app.click("level.all");
  app.frame(2);
  CHECK(listed() == all);
}
