// A file changed by another program is noticed before it is overwritten, and when the window gets the focus.
#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>

#include "app/gui/dialogs/file_dialogs.h"
#include "tests/gui/app.h"
#include "tests/gui/state_folder.h"

using namespace tessera;
namespace fs = std::filesystem;

namespace {

struct Opened {
  StateFolder state;
  std::string path = state / "a.tess";
  Session session;
  Opened() {
    putFile(path, "one\ntwo\n");
    REQUIRE(session.open(path));
    session.document().replace(0, 3, "mine");
  }
};

}  // namespace

TEST_CASE("saving over what somebody else wrote asks, and keeps mine or takes theirs") {
  Opened o;
  putFile(o.path, "one\ntheirs, which is longer\n");
  CHECK_FALSE(o.session.save());
  REQUIRE(o.session.diskQuestion);
  CHECK(o.session.diskQuestion->saving);
  CHECK(o.session.diskQuestion->now.bytes == "one\ntheirs, which is longer\n");
  CHECK(fileText(o.path) == "one\ntheirs, which is longer\n");

  SECTION("mine") {
    CHECK(o.session.keepMine());
    CHECK(fileText(o.path) == "mine\ntwo\n");
    CHECK_FALSE(o.session.document().modified());
  }
  SECTION("theirs, and undo brings mine back") {
    o.session.takeTheirs();
    CHECK(o.session.document().text() == "one\ntheirs, which is longer\n");
    CHECK_FALSE(o.session.document().modified());
    CHECK(o.session.document().undo());
    CHECK(o.session.document().text() == "mine\ntwo\n");
    CHECK(o.session.document().modified());
    CHECK(o.session.save());
    CHECK(fileText(o.path) == "mine\ntwo\n");
  }
  SECTION("later: nothing is written, and the next save asks again") {
    o.session.diskQuestion.reset();
    CHECK(fileText(o.path) == "one\ntheirs, which is longer\n");
    CHECK_FALSE(o.session.save());
    CHECK(o.session.diskQuestion);
  }
  SECTION("by Save as under another name of the same file, too") {
    o.session.diskQuestion.reset();
    CHECK_FALSE(o.session.saveAs(o.state / "./a.tess"));
    CHECK(o.session.diskQuestion);
  }
  SECTION("Save as another file does not ask") {
    o.session.diskQuestion.reset();
    CHECK(o.session.saveAs(o.state / "b.tess"));
    CHECK(fileText(o.state / "b.tess") == "mine\ntwo\n");
  }
  CHECK(fs::exists(o.path));
}

TEST_CASE("with the focus a change is noticed; kept mine, it is not asked again until the next one") {
  Opened o;
  CHECK(o.session.lookAtDisk());
  putFile(o.path, "theirs now");
  CHECK_FALSE(o.session.lookAtDisk());
  CHECK_FALSE(o.session.diskQuestion->saving);
  CHECK(o.session.keepMine());
  CHECK(fileText(o.path) == "theirs now");
  CHECK(o.session.document().text() == "mine\ntwo\n");
  CHECK(o.session.document().modified());
  CHECK(o.session.lookAtDisk());
  CHECK(o.session.save());
  CHECK(fileText(o.path) == "mine\ntwo\n");
  putFile(o.path, "theirs again");
  CHECK_FALSE(o.session.lookAtDisk());
}

TEST_CASE("the same bytes written again are no change") {
  Opened o;
  REQUIRE(o.session.save());
  fs::remove(o.path);
  putFile(o.path, "mine\ntwo\n");
  CHECK(o.session.lookAtDisk());
  o.session.document().replace(0, 0, "more ");
  CHECK(o.session.save());
}

TEST_CASE("a file that was deleted is noticed, and written again when the user says so") {
  Opened o;
  fs::remove(o.path);
  CHECK_FALSE(o.session.save());
  CHECK(o.session.diskQuestion->what == DiskLook::What::Deleted);
  o.session.takeTheirs();  // there are none
  CHECK(o.session.diskQuestion);
  CHECK(o.session.keepMine());
  CHECK(fileText(o.path) == "mine\ntwo\n");
}

TEST_CASE("deleted while nothing was unsaved: now there is something unsaved") {
  Opened o;
  REQUIRE(o.session.save());
  fs::remove(o.path);
  CHECK_FALSE(o.session.lookAtDisk());
  CHECK(o.session.keepMine());
  CHECK(o.session.document().modified());
  CHECK(o.session.lookAtDisk());
  CHECK(o.session.save());
  CHECK(fileText(o.path) == "mine\ntwo\n");
}

TEST_CASE("a link is saved through") {
  Opened o;
  fs::create_symlink("a.tess", o.state / "link.tess");
  REQUIRE(o.session.open(o.state / "link.tess"));
  o.session.document().replace(0, 0, "x");
  CHECK(o.session.save());
  CHECK(fs::is_symlink(o.state / "link.tess"));
  CHECK(fileText(o.path) == "xone\ntwo\n");
}

TEST_CASE("a sheet that comes back follows its file when nothing is unsaved, and asks when something is") {
  for (const bool unsaved : {false, true}) {
    INFO("unsaved " << unsaved);
    const StateFolder state;
    putFile(state / "a.tess", "before");
    {
      KeptSession s;
      REQUIRE(s.open(state / "a.tess"));
      if (unsaved) s.type("mine ");
      s.storeState();
    }
    // As many bytes as before: only the time of the change tells, and the system's clock for it may not have gone on.
    putFile(state / "a.tess", "behind");
    fs::last_write_time(state / "a.tess", fs::last_write_time(state / "a.tess") + std::chrono::seconds(1));
    KeptSession s;
    REQUIRE(s.restoreState());
    CHECK(s.document().text() == (unsaved ? "mine before" : "behind"));
    CHECK(s.diskQuestion.has_value() == unsaved);
  }
}

TEST_CASE("in the window: compare, put off, take theirs") {
  const StateFolder state;
  putFile(state / "a.tess", "one\ntwo\n");
  App app;
  REQUIRE(app.session.open(state / "a.tess"));
  app.type("mine ");
  putFile(state / "a.tess", "one\n2\n");
  app.key('S', /*ctrl=*/true);
  app.frame(2);
  app.click("disk.compare");
  app.frame(2);
  CHECK(ui::places().count("disk.comparison") == 1);
  app.type("x");  // the keys are the dialog's
  app.key(256);
  app.frame(2);
  CHECK_FALSE(app.session.diskQuestion);
  CHECK(app.session.document().text() == "mine one\ntwo\n");
  CHECK(fileText(state / "a.tess") == "one\n2\n");
  app.key('S', true);
  app.frame(2);
  app.click("disk.theirs");
  app.frame(2);
  CHECK(app.session.document().text() == "one\n2\n");
  CHECK(ui::places().count("disk.theirs") == 0);
  app.key('Z', true);
  CHECK(app.session.document().text() == "mine one\ntwo\n");
}

TEST_CASE("in the window: a recovered sheet is opened, another is forgotten") {
  const StateFolder state;
  for (const char* text : {"size(1:0)", "size(2:1)"}) {
    KeptSession s;
    s.type(text);
    s.storeState();
  }
  App app;
  app.session.keepSheets(Journal::Pace::ByHand);
  askRecovered(app.session, app.state);
  app.frame(3);
  CHECK(ui::places().count("recovered.1.open") == 1);
  app.click("recovered.1.forget");
  app.frame(3);
  CHECK(ui::places().count("recovered.1.open") == 0);
  app.click("recovered.0.open");
  app.frame(3);
  CHECK(app.session.document().text().substr(0, 5) == "size(");
  CHECK(app.session.document().canUndo());
  CHECK(ui::places().count("recovered.0.open") == 0);
}
