// Every key in every part of the window: either the part that has the keyboard acts, or nothing changes. The only other
// effect is that of a command whose row in the table of commands reaches that part.
#include <fmt/format.h>

#include "app/gui/commands.h"
#include "app/gui/parts.h"
#include "app/gui/sheets.h"
#include "tests/gui/app.h"

using namespace tessera;

namespace {

const char* const kTwoPictures = "P = bf16[6,20]{1,0:T(8,128)(2,1)}\nshow P as tensor\nshow (8,4):(4,1) as grid\n";
constexpr int kEsc = 256;

struct Pane {
  const char* name;
  ui::Owner owner;
  std::function<void(App&)> open;
};

std::vector<Pane> everyPane() {
  using ui::Owner;
  return {
      {"worksheet", Owner::Worksheet, [](App&) {}},
      {"gallery", Owner::None, [](App& a) { a.click("tab.gallery"); }},
      {"a picture", Owner::Pictures, [](App& a) { a.click("figure.1.picture"); }},
      {"beside the pictures", Owner::Pictures, [](App& a) { a.state.canvas.scroll.keys = true; }},
      {"compared pictures", Owner::Pictures,
       [](App& a) {
         a.click("figure.1.compare");
         a.click("figure.2.compare");
       }},
      {"find", Owner::Find, [](App& a) { a.key('F', true); }},
      {"menu", Owner::Menu, [](App& a) { a.click("menu.Edit"); }},
      {"view menu", Owner::Menu, [](App& a) { a.click("figure.1.view"); }},
      {"manual", Owner::Manual, [](App& a) { a.key(290); }},
      {"presentation", Owner::Present, [](App& a) { a.key(300); }},
      {"compared sheets", Owner::Sheets, [](App& a) { compareWith(a.session, a.state, "b.tess", "size((4,8))"); }},
      {"palette", Owner::Palette, [](App& a) { a.key('K', true); }},
      {"path", Owner::Path, [](App& a) { a.key('O', true); }},
      {"dialog", Owner::Dialog, [](App& a) { a.key('N', true); }},
  };
}

struct Key {
  int code;
  bool ctrl, shift, alt;
};

// The codes of GLFW.
std::vector<Key> everyKey() {
  std::vector<int> codes;
  for (const auto& [from, to] :
       {std::pair{' ', ' '}, {'\'', '\''}, {',', '9'}, {';', ';'}, {'=', '='}, {'A', ']'}, {'`', '`'}})
    for (int c = from; c <= to; ++c) codes.push_back(c);
  for (const auto& [from, to] : {std::pair{256, 269}, {290, 301}, {320, 336}})
    for (int c = from; c <= to; ++c) codes.push_back(c);
  std::vector<Key> keys;
  for (const int c : codes)
    for (const auto& [ctrl, shift, alt] : {std::tuple{false, false, false},
                                           {true, false, false},
                                           {false, true, false},
                                           {false, false, true},
                                           {true, true, false}})
      keys.push_back({c, ctrl, shift, alt});
  return keys;
}

std::string nameOfKey(const Key& k) {
  return fmt::format("{}{}{}{}", k.ctrl ? "Ctrl+" : "", k.shift ? "Shift+" : "", k.alt ? "Alt+" : "",
                     k.code < 128 ? std::string(1, static_cast<char>(k.code)) : fmt::format("{}", k.code));
}

// A second reading of the table of commands: whether a shortcut works there.
bool isCommand(const Key& k, ui::Owner owner) {
  for (const Command& c : commands()) {
    const Chord chord = parseChord(c.shortcut);
    if (chord.key != k.code || chord.ctrl != k.ctrl || chord.shift != k.shift || chord.alt != k.alt) continue;
    const bool open = owner == ui::Owner::Worksheet || owner == ui::Owner::Find || owner == ui::Owner::Pictures ||
                      owner == ui::Owner::None;
    if (c.reach == Reach::Anywhere) return true;
    if (c.reach == Reach::Window && open) return true;
    if (c.reach == Reach::Sheet && owner == ui::Owner::Worksheet) return true;
  }
  return false;
}

void press(App& app, const Key& k) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyCtrl = k.ctrl;
  io.KeyShift = k.shift;
  io.KeyAlt = k.alt;
  io.KeysDown[k.code] = true;
  if (!k.ctrl && !k.alt && k.code < 128) {
    const bool lower = !k.shift && k.code >= 'A' && k.code <= 'Z';
    io.AddInputCharacter(static_cast<unsigned>(lower ? k.code + 32 : k.code));
  }
  app.frame();
  io.KeysDown[k.code] = io.KeyCtrl = io.KeyShift = io.KeyAlt = false;
  app.frame();
}

void start(App& app, const Pane& pane) {
  for (int k = 0; k < 4; ++k) app.key(kEsc);
  app.state.shown.left = ShownPanes::Left::Worksheet;
  app.state.dialogs.clear();
  app.session.document().reset(kTwoPictures, "", /*saved=*/false);
  app.session.document().setCaret(5);
  app.session.preferences = {};
  app.settle();
  app.state.canvas.scrollToLine = 2;  // the first picture
  app.frame(3);
  pane.open(app);
  app.frame(3);
}

}  // namespace

TEST_CASE("every key in every pane: its owner acts, or nothing changes") {
  const TestFolder folder;  // what is confirmed by chance is written there
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  int pressed = 0;
  {
    App app;
    clipboard() = "pasted";
    for (const Pane& pane : everyPane()) {
      INFO(pane.name);
      start(app, pane);
      REQUIRE(ui::keyboard().owner() == pane.owner);
      for (const Key& key : everyKey()) {
        const auto was = partsOf(app.session, app.state);
        press(app, key);
        ++pressed;
        const auto is = partsOf(app.session, app.state);
        INFO(nameOfKey(key));
        // Enter takes a choice: a file, a command, a new sheet.
        const bool takes = key.code == 257 || key.code == 335;
        const bool overlay = pane.owner >= ui::Owner::Menu;
        const bool hasPictures = pane.owner == ui::Owner::Worksheet || pane.owner == ui::Owner::Present;
        if (!isCommand(key, pane.owner) && !(takes && overlay))
          for (const auto& [owner, seen] : was)
            // Another text has other pictures, and a slide has its own.
            if (owner != pane.owner && !(hasPictures && owner == ui::Owner::Pictures)) {
              INFO("a key of " << name(pane.owner) << " reached " << name(owner));
              CHECK(is.at(owner) == seen);
            }
        if (ui::keyboard().owner() != pane.owner || is != was) start(app, pane);
        REQUIRE(ui::keyboard().owner() == pane.owner);
      }
    }
  }
  std::filesystem::current_path(before);
  CHECK(pressed > 4000);
}

TEST_CASE("Space belongs to two compared pictures from the click that compares them") {
  App app;
  app.session.document().reset(kTwoPictures, "", /*saved=*/false);
  app.settle();
  app.click("figure.1.compare");
  app.click("figure.2.compare");
  app.frame(2);
  REQUIRE(ui::keyboard().owner() == ui::Owner::Pictures);
  app.type(" ");
  CHECK(app.state.canvas.compare.blink);
  app.type(" ");
  CHECK(app.state.canvas.compare.second);
  CHECK(app.session.document().text() == kTwoPictures);
  // Closing it returns the keys.
  app.click("compare.close");
  app.frame(2);
  CHECK(ui::keyboard().owner() == ui::Owner::Worksheet);
}

TEST_CASE("a letter that no picture wants says where the keys are") {
  App app;
  app.session.document().reset(kTwoPictures, "", /*saved=*/false);
  app.settle();
  app.click("figure.1.picture");
  app.type("x");
  CHECK(app.session.message.find("Esc") != std::string::npos);
}

TEST_CASE("A of a comparison ends with its line, and with its sheet") {
  App app;
  app.session.document().reset(kTwoPictures, "", /*saved=*/false);
  app.settle();
  app.click("figure.2.compare");
  app.frame();
  CHECK(app.state.canvas.compare.a == "show (8,4):(4,1) as grid");
  const std::string text = kTwoPictures;
  app.session.document().replace(text.find("show (8"), text.size(), "");
  app.settle();
  CHECK(app.state.canvas.compare.a.empty());
  // Another sheet that happens to have the same line.
  app.session.document().reset(kTwoPictures);
  app.settle();
  app.click("figure.2.compare");
  app.state.canvas.onlyLine = 3;
  const std::filesystem::path other = scratch() / "other.tess";
  REQUIRE(writeFileAtomically(other.string(), kTwoPictures).ok());
  openSheet(app.session, app.state, other.string(), /*lesson=*/false);
  app.settle();
  CHECK(app.state.canvas.compare.a.empty());
  CHECK(app.state.canvas.onlyLine == -1);
}
