// The keyboard has one owner at a time: text typed into one part of the window reaches no other part, and when that
// part closes the worksheet accepts text again.
#include <fstream>
#include <functional>
#include <sstream>
#include <vector>

#include "app/gui/commands.h"
#include "app/gui/dialogs/file_dialogs.h"
#include "tests/gui/app.h"

using namespace tessera;
namespace fs = std::filesystem;

namespace {

constexpr int kEscape = 256, kEnter = 257, kTab = 258, kBackspace = 259, kDelete = 261, kRight = 262, kLeft = 263,
              kDown = 264, kUp = 265;

const char* const kSheet = "P = bf16[6,20]{1,0:T(8,128)(2,1)}\nshow P as tensor\nprove injective((4,8):(8,1))";

// A way to have something in front of the worksheet.
struct Overlay {
  const char* name;
  ui::Owner owner;
  std::function<void(App&)> open;
};

std::vector<Overlay> overlays() {
  using ui::Owner;
  return {
      {"palette", Owner::Palette, [](App& a) { a.key('K', true); }},
      {"palette, clicked", Owner::Palette, [](App& a) { a.click("search.open"); }},
      {"open", Owner::Path, [](App& a) { a.key('O', true); }},
      {"save as", Owner::Path, [](App& a) { a.key('S', true, true); }},
      {"export", Owner::Path, [](App& a) { a.key('E', true); }},
      {"export, clicked", Owner::Path, [](App& a) { a.click("figure.1.export"); }},
      {"SMT-LIB", Owner::Path, [](App& a) { a.click("claims.smt2"); }},
      {"discard", Owner::Dialog, [](App& a) { a.key('N', true); }},
      {"manual", Owner::Manual, [](App& a) { a.key(290); }},
      {"compared sheets", Owner::Sheets,
       [](App& a) {
         compareWith(a.session, a.state, "b.tess", "size((4,8))\nprove injective((4,8):(8,1))");
         a.frame(2);
       }},
      {"menu", Owner::Menu, [](App& a) { a.click("menu.File"); }},
      {"view menu", Owner::Menu, [](App& a) { a.click("figure.1.view"); }},
      {"layout editor", Owner::Menu, [](App& a) { a.click("figure.1.layout"); }},
      {"tiles of the layout editor", Owner::Menu,
       [](App& a) {
         a.click("figure.1.layout");
         a.frame(2);
         a.click("figure.1.layout.tiles");
       }},
      {"find", Owner::Find, [](App& a) { a.key('F', true); }},
  };
}

// In a folder of its own: what is confirmed by chance is written there.
struct Scratch {
  fs::path before = fs::current_path(), folder = scratch() / "keyboard";
  Scratch() {
    fs::create_directories(folder);
    fs::current_path(folder);
  }
  ~Scratch() { fs::current_path(before); }
};

void backToSheet(App& app) {
  for (int k = 0; k < 5; ++k) app.key(kEscape);
  app.state.shown.left = ShownPanes::Left::Worksheet;
  app.session.document().reset(kSheet, "", /*saved=*/false);
  app.settle();
  app.frame(2);
}

}  // namespace

TEST_CASE("with anything open, no key changes the worksheet, and afterwards typing reaches it") {
  const Scratch here;
  App app;
  struct Key {
    int code;
    bool ctrl;
  };
  const std::vector<Key> keys = {{kEnter, false},    {kBackspace, false}, {kDelete, false}, {kTab, false},
                                 {kLeft, false},     {kRight, false},     {kUp, false},     {kDown, false},
                                 {'V', true},        {'Z', true},         {'Y', true},      {'X', true},
                                 {kBackspace, true}, {'A', true}};
  clipboard() = "pasted";
  for (const Overlay& overlay : overlays()) {
    INFO(overlay.name);
    backToSheet(app);
    overlay.open(app);
    app.frame(2);
    REQUIRE(ui::keyboard().owner() == overlay.owner);
    app.type("ab 1(x");
    CHECK(app.session.document().text() == kSheet);
    for (const Key& key : keys) {
      INFO("key " << key.code << (key.ctrl ? " with Ctrl" : ""));
      if (ui::keyboard().owner() != overlay.owner) {
        backToSheet(app);
        overlay.open(app);
      }
      const bool confirms = key.code == kEnter && overlay.owner != ui::Owner::Find;
      app.key(key.code, key.ctrl);
      // What Enter confirms may well be a new worksheet; it types nothing.
      if (!confirms) CHECK(app.session.document().text() == kSheet);
    }
    backToSheet(app);
    overlay.open(app);
    app.key(kEscape);
    app.key(kEscape);
    CHECK(ui::keyboard().owner() == ui::Owner::Worksheet);
    app.type("q");
    CHECK(app.session.document().text() != kSheet);
    CHECK(app.session.document().text().find('q') != std::string::npos);
  }
}

TEST_CASE("a field has the keys from the moment that it is open: none before its first frame is lost") {
  App app;
  ImGuiIO& io = ImGui::GetIO();
  io.KeyCtrl = io.KeysDown[int{'K'}] = true;
  app.frame();
  io.KeyCtrl = io.KeysDown[int{'K'}] = false;
  app.type("light and");
  CHECK(app.state.palette.text == "light and");
  const Theme before = app.session.preferences.theme;
  app.key(kEnter);
  CHECK(app.session.preferences.theme != before);
  CHECK(ui::keyboard().owner() == ui::Owner::Worksheet);
}

TEST_CASE("a field keeps the keys when something beside it is clicked") {
  const Scratch here;
  fs::create_directories("inner");
  App app;
  app.type("size((4,8))");
  app.key('S', true, true);
  app.frame(3);
  app.click("dialog.entry.inner");
  app.frame(2);
  app.type("x.tess");
  CHECK(fs::path(app.state.question.path).filename() == "x.tess");
  CHECK(fs::path(app.state.question.path).parent_path().filename() == "inner");
  app.key(kEnter);
  CHECK(fs::exists("inner/x.tess"));
  app.type("2");
  CHECK(app.session.document().text() == "size((4,8))2");
}

TEST_CASE("a typed path replaces the one that was offered") {
  App app;
  app.key('S', true, true);
  app.frame(4);
  app.type("mine.tess");
  CHECK(app.state.question.path == "mine.tess");
  app.key(kBackspace);
  CHECK(app.state.question.path == "mine.tes");
}

TEST_CASE("the find field and the worksheet hand the keys to each other") {
  App app;
  app.type("alpha beta\nbeta");
  app.key('F', true);
  app.frame(2);
  app.type("beta");
  CHECK(app.state.editor.find.text == "beta");
  app.click("editor");
  CHECK(ui::keyboard().owner() == ui::Owner::Worksheet);
  CHECK(app.state.editor.find.open);
  app.click("find.field");
  CHECK(ui::keyboard().owner() == ui::Owner::Find);
  app.key('K', true);
  CHECK(ui::keyboard().owner() == ui::Owner::Palette);
  app.key(kEscape);
  CHECK(ui::keyboard().owner() == ui::Owner::Find);  // back to whoever had it
  app.key(kEscape);
  CHECK_FALSE(app.state.editor.find.open);
  CHECK(ui::keyboard().owner() == ui::Owner::Worksheet);
}

TEST_CASE("a click on a button or a slider leaves the keyboard where it was; a picture takes it until Esc") {
  App app;
  app.type("P = bf16[2,3,20,30]{3,2,1,0:T(8,128)(2,1)}\nshow P as tensor");
  app.settle();
  app.frame(3);
  for (const char* name : {"figure.1.fit", "tab.problems", "figure.1.mode.0.slider"}) {
    INFO(name);
    if (ui::places().count(name) == 0) continue;
    const std::string before = app.session.document().text();
    app.click(name);
    app.type("z");
    CHECK(app.session.document().text() == before + "z");
    app.key(kBackspace);
    app.settle();  // "tensorz" was no view: its picture comes back in the background
  }
  const std::string before = app.session.document().text();
  app.click("figure.1.picture");
  app.type("z");
  CHECK(app.session.document().text() == before);
  CHECK(ui::keyboard().owner() == ui::Owner::Pictures);
  app.click("figure.1.fit");
  CHECK(ui::keyboard().owner() == ui::Owner::Pictures);
  app.key(kEscape);
  app.type("z");
  CHECK(app.session.document().text() == before + "z");
}

TEST_CASE("only the keyboard reads keys, characters and text fields") {
  // Files that may name one of these all the same, and why.
  const std::vector<std::pair<std::string, std::string>> may = {
      {"app/widgets/keyboard.cpp", ""},          // it is the keyboard
      {"app/gui/commands.cpp", "IsKeyPressed"},  // the dispatcher of shortcuts, which asks for the owner
      {"app/web/page.cpp", "KeysDown"},          // sets them from the browser's events
  };
  int read = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(TESSERA_SOURCE_DIR) / "app")) {
    const std::string file = fs::relative(entry.path(), TESSERA_SOURCE_DIR).generic_string();
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".h") continue;
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    ++read;
    for (const char* word : {"IsKeyPressed", "IsKeyDown", "IsKeyReleased", "KeysDown", "InputQueueCharacters",
                             "InputText", "InputScalar", "InputInt", "InputFloat", "SetKeyboardFocusHere"}) {
      bool allowed = false;
      for (const auto& [name, what] : may) allowed = allowed || (file == name && (what.empty() || what == word));
      if (allowed) continue;
      INFO(file << " reads " << word << ": ask ui::keyboard() or use ui::field instead");
      CHECK(text.str().find(std::string("ImGui::") + word) == std::string::npos);
      if (std::string(word) == "InputQueueCharacters" || std::string(word) == "KeysDown")
        CHECK(text.str().find(word) == std::string::npos);
    }
  }
  CHECK(read > 40);
}

TEST_CASE("undo in a field that was opened again takes nothing away that is not there") {
  for (const char* reopened : {"search.field", "find.field"}) {
    INFO(reopened);
    App a;
    backToSheet(a);
    const bool palette = std::string(reopened) == "search.field";
    const auto open = [&] {
      a.key(palette ? 'K' : 'F', true);
      a.frame(3);
    };
    open();
    a.type("abcdefgh");
    a.frame(2);
    a.key(kEscape);
    a.frame(3);
    a.state.palette.text.clear();
    a.state.editor.find.text.clear();
    open();
    for (int k = 0; k < 12; ++k) {
      a.key('Z', true);
      a.frame(1);
    }
    a.type("xy");
    a.frame(2);
    CHECK((palette ? a.state.palette.text : a.state.editor.find.text) == "xy");
    a.key(kEscape);
    a.frame(2);
    CHECK(a.session.document().text() == kSheet);
  }
}
