// The text and its pictures are linked both ways: the caret brings its picture, a title leads to its line, pictures that
// an edit changes flash, and a name under the mouse frames its pictures.
#include "app/views/pictures/follow.h"

#include "app/widgets/keyboard.h"
#include "tests/gui/app.h"

using namespace tessera;

namespace {

// Eight large pictures; the last two are of A.
std::string tallSheet() {
  std::string text = "A = (32,32):(32,1)\n";
  for (int k = 1; k <= 6; ++k) text += "show (32,3" + std::to_string(k) + "):(40,1) as grid\n";
  return text + "show A as grid\nB = A\nshow B as grid // of A\n";
}

bool visible(const App& app, std::size_t figure) {
  (void)app;
  const auto found = ui::places().find("figure." + std::to_string(figure) + ".picture");
  if (found == ui::places().end()) return false;
  const ui::Place p = found->second;
  return p.y + p.h > 120 && p.y < 700;
}

bool has(const std::string& name) { return ui::places().count(name) == 1; }

void open(App& app) {
  app.session.document().reset(tallSheet());
  app.session.document().setCaret(0);
  app.state.editor.anchor = 0;
  app.settle();
  app.frame(10);
}

void moveCaret(App& app, const std::string& to) {
  panes::placeCaret(app.session, app.state.editor, app.session.document().text().find(to));
  app.frame(10);
}

}  // namespace

TEST_CASE("the caret brings the picture of its line into sight, and the wheel may leave it again") {
  App app;
  open(app);
  REQUIRE(visible(app, 1));
  REQUIRE_FALSE(visible(app, 7));
  moveCaret(app, "show A as");
  CHECK(visible(app, 7));
  CHECK_FALSE(visible(app, 1));
  moveCaret(app, "show (32,31)");
  CHECK(visible(app, 1));
  // A binding brings the first picture of its name.
  moveCaret(app, "B = A");
  CHECK(visible(app, 9));
  // Nothing else scrolls.
  const double before = app.state.canvas.scroll.at;
  app.frame(60);
  CHECK(app.state.canvas.scroll.at == before);
  const ui::Place p = ui::places().at("figure.9.picture");
  app.moveTo(p.x + 100, 300);
  ImGui::GetIO().MouseWheel = 20;
  app.frame();
  ImGui::GetIO().MouseWheel = 0;
  app.frame(120);
  CHECK(app.state.canvas.scroll.at < before - 500);
}

TEST_CASE("a click on a title leads to its line") {
  App app;
  open(app);
  app.click("figure.1.picture");
  REQUIRE(ui::keyboard().owner() == ui::Owner::Pictures);
  app.click("figure.2.title");
  app.frame(2);
  CHECK(app.session.document().caret() == app.session.document().text().find("show (32,32):"));
  CHECK(ui::keyboard().owner() == ui::Owner::Worksheet);
  // From the gallery, too.
  app.click("tab.gallery");
  app.frame(2);
  app.click("figure.2.title");
  app.frame(2);
  CHECK(app.state.shown.left == ShownPanes::Left::Worksheet);
}

TEST_CASE("what an edit changes flashes and comes into sight; what only moves does not flash") {
  App app;
  open(app);
  REQUIRE_FALSE(visible(app, 7));
  // Row-major becomes column-major: the pictures of A and B, six pictures below.
  moveCaret(app, "32,1)\n");
  app.frame(120);
  app.session.document().replace(13, 17, "1,32");
  app.session.touch();
  app.settle();
  app.frame(4);
  CHECK(app.session.document().text().starts_with("A = (32,32):(1,32)\n"));
  CHECK(visible(app, 7));
  CHECK(has("figure.7.flash"));
  for (int k = 1; k <= 6; ++k) CHECK_FALSE(has("figure." + std::to_string(k) + ".flash"));
  app.frame(90);
  CHECK_FALSE(has("figure.7.flash"));
  // A line above moves every picture and changes none.
  app.session.document().replace(0, 0, "// a comment\n\n");
  app.session.touch();
  app.settle();
  app.frame(4);
  for (int k = 0; k <= 10; ++k) CHECK_FALSE(has("figure." + std::to_string(k) + ".flash"));
}

TEST_CASE("a sheet that is opened does not flash") {
  App app;
  open(app);
  for (int k = 0; k <= 10; ++k) CHECK_FALSE(has("figure." + std::to_string(k) + ".flash"));
}

TEST_CASE("a name under the mouse frames the pictures of the statements that use it") {
  App app;
  app.session.document().reset("A = (4,8):(8,1)\nshow A as grid\nshow (4,4):(4,1) as grid\nAB = A\nshow AB // A\n");
  app.settle();
  const auto at = [&](std::size_t byte) {
    const Place p = app.state.editor.layout.place(byte);
    const ui::Place e = ui::places().at("editor");
    // The layout's left edge is the first line's.
    app.moveTo(e.x + 54 + p.x + 3, e.y + 6 + static_cast<float>(p.y) + 10);
    app.frame(2);
  };
  at(0);
  CHECK(app.state.editor.card.name == "A");
  CHECK(has("figure.1.named"));
  CHECK_FALSE(has("figure.2.named"));
  CHECK_FALSE(has("figure.4.named"));
  at(app.session.document().text().find("AB ="));
  CHECK(has("figure.4.named"));
  CHECK_FALSE(has("figure.1.named"));
  at(app.session.document().text().find("grid"));
  CHECK(app.state.editor.card.name.empty());
}

TEST_CASE("a statement mentions whole names outside comments") {
  CHECK(panes::mentions("show A as grid", "A"));
  CHECK_FALSE(panes::mentions("show AB as grid", "A"));
  CHECK_FALSE(panes::mentions("show B // of A", "A"));
  CHECK(panes::mentions("show f(B,\n  A) // of A", "A"));
  CHECK_FALSE(panes::mentions("", "A"));
  CHECK_FALSE(panes::mentions("A", ""));
}
