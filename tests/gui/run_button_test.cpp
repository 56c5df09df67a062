// One click: the triangle at a kernel, "run" over its picture, F5. The result is under the statement and stored with
// the sheet.
#include <stdlib.h>

#include <fstream>

#include "app/engine/measure/run_program.h"
#include "app/views/editor/line_notes.h"
#include "tests/gui/app.h"
#include "tests/gui/state_folder.h"

using namespace tessera;

namespace {

// No device and no compiler, on every machine.
struct Nothing {
  Nothing() {
    ::setenv("TESSERA_LIBCUDA", "/nowhere/libcuda.so", 1);
    ::setenv("TESSERA_LIBNVRTC", "/nowhere/libnvrtc.so", 1);
  }
  ~Nothing() {
    ::unsetenv("TESSERA_LIBCUDA");
    ::unsetenv("TESSERA_LIBNVRTC");
  }
  Nothing(const Nothing&) = delete;
  Nothing& operator=(const Nothing&) = delete;
};

const std::string kCopy =
    "graphene copy {\n  %x:[64:1].fp16.GL  %y:[64:1].fp16.GL\n  #b:[1:1].block  #t:[64:1].thread\n"
    "  %y <- Move<<<#b,#t>>>(%x) {\n    @i = #t.indices()\n    %x1 = %x.tile([1:1])  %from = %x1[@i]\n"
    "    %y1 = %y.tile([1:1])  %to = %y1[@i]\n    %to <- Move(%from)\n  }\n}\n";
const std::string kTwo =
    "graphene two {\n  %x:[32:1].fp32.GL  %y:[32:1].fp32.GL  %z:[32:1].fp32.GL\n  #b:[1].block  #t:[32].thread\n"
    "  %y <- Move<<<#b,#t>>>(%x) {\n    @i = #t.indices()\n    %f = %x[@i]  %o = %y[@i]\n    %o <- Move(%f)\n  }\n"
    "  %z <- Move<<<#b,#t>>>(%y) {\n    @j = #t.indices()\n    %g = %y[@j]  %p = %z[@j]\n    %p <- Move(%g)\n  }\n}\n";

void write(App& app, const std::string& text) {
  app.session.document().reset(text);
  app.settle();
}

}  // namespace

TEST_CASE("the triangle at a kernel writes the statement and runs it; the second press runs it again") {
  const Nothing nothing;
  App app;
  write(app, kCopy + "A = (4,8):(8,1)\n");
  app.click("run.4");
  app.settle();
  CHECK(app.session.document().text() == kCopy + "run copy\nA = (4,8):(8,1)\n");
  REQUIRE(app.outcome(1).ran);
  CHECK(app.outcome(1).ran->asked);
  CHECK(app.outcome(1).ran->right());
  REQUIRE(app.outcome(1).figure);
  const auto first = app.outcome(1).ran;
  app.click("run.11");
  app.settle();
  CHECK(app.session.document().text() == kCopy + "run copy\nA = (4,8):(8,1)\n");
  CHECK(app.outcome(1).ran != first);
  CHECK(app.outcome(1).ran->asked);
  // One step back takes the line away again.
  app.key('Z', true);
  CHECK(app.session.document().text() == kCopy + "A = (4,8):(8,1)\n");
}

TEST_CASE("over the picture of a program, too; a program of two kernels lets one choose") {
  const Nothing nothing;
  App app;
  write(app, kCopy + "show copy as tree\n");
  app.click("figure.1.run");
  app.settle();
  CHECK(app.session.document().text() == kCopy + "show copy as tree\nrun copy\n");
  CHECK(app.outcome(2).ran->asked);

  write(app, kTwo + "show two as tree\n");
  app.click("figure.1.run");
  app.click("figure.1.run.2");
  app.settle();
  CHECK(app.session.document().text() == kTwo + "show two as tree\nrun two spec %z\n");
  CHECK(app.outcome(2).ran->right());
  app.click("run.4");  // the first kernel's own triangle
  app.settle();
  CHECK(app.session.document().text() == kTwo + "run two spec %y\nshow two as tree\nrun two spec %z\n");
}

TEST_CASE("F5 where there is no program says so, and changes nothing") {
  const Nothing nothing;
  App app;
  write(app, "A = (4,8):(8,1)\n");
  app.key(294);
  CHECK(app.session.message == "this sheet has no program to run");
  const std::string text = kCopy + "A = (4,8):(8,1)\n";
  write(app, text);
  app.session.document().setCaret(text.size());
  app.key(294);
  app.settle();
  CHECK(app.session.message.find("the caret is not in a program") == 0);
  CHECK(app.session.document().text() == text);
}

TEST_CASE("a run statement that is only typed asks no device, and F5 and Ctrl+Enter ask") {
  const Nothing nothing;
  App app;
  write(app, kCopy + "run copy with\n");
  write(app, kCopy + "run copy seed 3\n");
  REQUIRE(app.outcome(1).ran);
  CHECK_FALSE(app.outcome(1).ran->asked);
  app.session.document().setCaret(kCopy.size() + 4);
  app.frame(2);
  app.key(294);  // F5
  app.settle();
  CHECK(app.outcome(1).ran->asked);
  const auto before = app.outcome(1).ran;
  app.key(257, true);
  app.settle();
  CHECK(app.outcome(1).ran->asked);
  CHECK(app.outcome(1).ran != before);
}

TEST_CASE("bars and table over a result, and copies of it as text, CSV and JSON") {
  const Nothing nothing;
  App app;
  write(app, kCopy + "run copy\n");
  app.click("figure.1.view.table");
  app.frame(2);
  app.click("figure.1.view.bars");
  for (const auto& [what, begins] :
       {std::pair{"text", "copy on the emulator"}, {"CSV", "kind,name,"}, {"JSON", "{\"program\":\"copy\""}}) {
    app.click("figure.1.copy");
    app.click(std::string("figure.1.copy.") + what);
    CHECK(clipboard().find(begins) == 0);
  }
}

TEST_CASE("what was found is kept beside the sheet, and is stale when the program is another") {
  const Nothing nothing;
  const StateFolder state;
  const std::filesystem::path sheet = scratch() / "kept.tess", beside = scratch() / "kept.tess.runs.json";
  std::filesystem::remove(beside);
  std::ofstream(sheet) << kCopy << "run copy\n";
  {
    App app;
    REQUIRE(app.session.open(sheet.string()));
    app.settle();
    CHECK_FALSE(std::filesystem::exists(beside));  // opening writes nothing
    app.click("run.11");
    app.settle();
    CHECK(std::filesystem::exists(beside));
  }
  {
    App app;
    REQUIRE(app.session.open(sheet.string()));
    app.settle();
    REQUIRE(app.outcome(1).ran);
    CHECK(app.outcome(1).ran->kept);
    CHECK_FALSE(app.outcome(1).ran->stale);
    Document& d = app.session.document();
    const std::size_t at = d.text().find("64:1].thread");
    d.replace(at, at, " ");
    app.session.touch();
    app.settle();
    CHECK(app.outcome(1).ran->stale);
    panes::NoteCache cache;
    CHECK(panes::notesOf(*app.session.evaluation().snapshot(), cache).at(11).card.find("has changed since") !=
          std::string::npos);
    // Another sheet has none of it.
    app.session.newWorksheet();
    d.reset(kCopy + "run copy\n");
    app.settle();
    CHECK_FALSE(app.outcome(1).ran->kept);
  }
}

TEST_CASE("a sheet without a file keeps its results with its journal") {
  const Nothing nothing;
  const StateFolder state;
  {
    App app;
    app.session.keepSheets(Journal::Pace::ByHand);
    app.session.document().reset(kCopy + "run copy\n");
    app.settle();
    app.click("run.11");
    app.settle();
    app.session.storeState();
  }
  App app;
  REQUIRE(app.session.restoreState());
  app.settle();
  REQUIRE(app.outcome(1).ran);
  CHECK(app.outcome(1).ran->kept);
}

TEST_CASE("a folder that cannot be written, and a file of nonsense, cost a message") {
  const Nothing nothing;
  const std::filesystem::path sheet = scratch() / "odd.tess", beside = scratch() / "odd.tess.runs.json";
  std::ofstream(sheet) << kCopy << "run copy\n";
  std::ofstream(beside) << "not json";
  App app;
  REQUIRE(app.session.open(sheet.string()));
  CHECK(app.session.message.find("cannot read earlier run results") == 0);
  app.settle();
  CHECK(app.outcome(1).ran->right());
  std::filesystem::remove(beside);
  std::filesystem::create_directory(beside);  // nothing can be written there
  app.click("run.11");
  app.settle();
  CHECK(app.session.message.find("cannot save run results") == 0);
  CHECK(app.outcome(1).ran->asked);
  std::filesystem::remove(beside);
}
