// An HLO module in the window: a click on a kernel opens its page, a drag selects a tile, names are completed and
// found.
#include "app/engine/help/completions.h"
#include "app/gui/palette.h"
#include "app/views/pictures/picture.h"
#include "tests/gui/app.h"
#include "tests/support/run_document.h"

using namespace tessera;

namespace {

const std::string kSheet =
    "hlo m {\n%f (p: f32[8,16]) -> f32[8,16] {\n  %p = f32[8,16]{1,0} parameter(0)\n"
    "  ROOT %n = f32[8,16]{1,0} negate(%p)\n}\n"
    "%g (q: f32[8,16]) -> f32[8,16] {\n  %q = f32[8,16]{1,0} parameter(0)\n"
    "  ROOT %n = f32[8,16]{1,0} negate(%q)\n}\n"
    "ENTRY %main (x: f32[8,16]) -> f32[8,16] {\n  %x = f32[8,16]{1,0} parameter(0)\n"
    "  %one-two = f32[8,16]{1,0} fusion(%x), kind=kLoop, calls=%f\n"
    "  ROOT %y.2 = f32[8,16]{1,0} fusion(%one-two), kind=kLoop, calls=%g\n}\n}\nshow m as dataflow\n";

void open(App& app, const std::string& text) {
  app.session.document().reset(text, "", /*saved=*/false);
  app.session.touch();
  app.settle();
}

panes::Pane& shown(App& app) {
  for (auto& [key, pane] : app.state.canvas.panes)
    if (pane.drawn && pane.drawn->figure) return pane;
  FAIL("no picture");
  return app.state.canvas.panes.begin()->second;
}
// Where a place of the figure lies on the screen.
std::pair<float, float> onScreen(const panes::Pane& pane, double x, double y) {
  const ui::Place p = ui::places().at("figure.1.picture");
  return {p.x + static_cast<float>((x - pane.x) * pane.scale), p.y + static_cast<float>((y - pane.y) * pane.scale)};
}

void drag(App& app, std::pair<float, float> from, std::pair<float, float> to) {
  app.moveTo(from.first, from.second);
  ImGui::GetIO().MouseDown[0] = true;
  app.frame();
  for (int k = 1; k <= 4; ++k) {
    const float part = static_cast<float>(k) / 4;
    app.moveTo(from.first + (to.first - from.first) * part, from.second + (to.second - from.second) * part);
  }
  ImGui::GetIO().MouseDown[0] = false;
  app.frame(2);
}

const Grid& outputOf(const Figure& figure) {
  for (const Grid& g : figure.grids)
    if (g.name == "output") return g;
  FAIL("no output");
  return figure.grids.front();
}

}  // namespace

TEST_CASE("a click on a box opens the kernel, and back is back; the text stays") {
  App app;
  open(app, kSheet);
  const panes::Pane& pane = shown(app);
  REQUIRE(pane.drawn->figure->title == "%main as dataflow");
  REQUIRE(pane.drawn->figure->doors.size() == 2);
  const FigureDoor door = pane.drawn->figure->doors.front();
  CHECK(door.to == "%main.%one-two");
  const auto [x, y] = onScreen(pane, door.at.x + 20, door.at.y + 10);
  app.clickAt(x, y);
  app.frame(2);
  CHECK(pane.drawn->figure->title == "%one-two as kernel");
  app.click("figure.1.back");
  app.frame(2);
  CHECK(pane.drawn->figure->title == "%main as dataflow");
  CHECK(app.session.document().text() == kSheet);
  CHECK(ui::places().count("figure.1.back") == 0);
}

TEST_CASE("a drag over the output shows what that tile reads; whole is all of it; elsewhere a drag moves the picture") {
  App app;
  open(app, kSheet.substr(0, kSheet.find("show")) + "show m.%y.2 as reads\n");
  panes::Pane& pane = shown(app);
  const Grid grid = outputOf(*pane.drawn->figure);
  const auto middle = [&](i64 r, i64 c) {
    return onScreen(pane, grid.x + (static_cast<double>(c) + 0.5) * grid.cellWidth,
                    grid.y + (static_cast<double>(r) + 0.5) * grid.cellHeight);
  };
  drag(app, middle(5, 9), middle(2, 4));
  REQUIRE(pane.drawn->figure->tile.has_value());
  CHECK(pane.drawn->figure->tile->now == "[2:6,4:10]");
  CHECK_FALSE(pane.moved);
  app.click("figure.1.whole");
  app.frame(2);
  CHECK(pane.drawn->figure->tile->now.empty());
  CHECK_FALSE(app.session.pinned.has_value());
  // A click alone keeps the cell.
  const auto [x, y] = middle(1, 1);
  app.clickAt(x, y);
  CHECK(app.session.pinned.has_value());
  CHECK(pane.drawn->figure->tile->now.empty());
}

TEST_CASE("a line's tile gives way to the one that is dragged") {
  App app;
  open(app, kSheet.substr(0, kSheet.find("show")) + "show m.%y.2 as reads tile [0:2,0:2]\n");
  panes::Pane& pane = shown(app);
  CHECK(pane.drawn->figure->tile->now == "[0:2,0:2]");
  app.click("figure.1.whole");
  app.frame(2);
  CHECK(pane.drawn->figure->tile->now.empty());
}

TEST_CASE("the parts of a module are offered behind its name, and each is read there") {
  EngineOptions options;
  options.figures = EngineOptions::Figures::None;
  std::vector<std::shared_ptr<const Outcome>> outcomes;
  for (Outcome& o : runDocument(kSheet, options)) outcomes.push_back(std::make_shared<Outcome>(std::move(o)));
  const auto names = boundNames(outcomes);
  const auto at = [&](const std::string& line) {
    return completionsAt(kSheet + line, kSheet.size() + line.size(), names);
  };
  const auto has = [](const Completions& c, const std::string& text) {
    return std::any_of(c.items.begin(), c.items.end(), [&](const Completion& i) { return i.text == text; });
  };
  CHECK(has(at("show m.%"), "%one-two"));
  CHECK(has(at("show m."), "%y.2"));
  CHECK(at("show m.%f").items.empty());  // complete
  CHECK(has(at("show m.%one-"), "%one-two"));
  CHECK(has(at("usage(m.%y"), "%y.2"));
  CHECK(has(at("show m.%f.%"), "%f.%n"));
  CHECK_FALSE(has(at("show m.%"), "%n"));  // of two computations
  CHECK_FALSE(has(at("show k.%"), "%y.2"));
  CHECK(has(at("show m.%y.2 as "), "reads"));
  CHECK_FALSE(has(at("show m.%y.2 as "), "banks"));
  CHECK(has(at("show m as "), "waste"));
  for (const std::string line : {"m.%", "m.", "m.%f.%", "m.%main.%"}) {
    const Completions offers = at(line);
    CHECK(offers.items.size() >= 2);
    for (const Completion& item : offers.items) {
      std::string text = kSheet + line;
      text.replace(offers.begin, offers.end - offers.begin, item.insert);
      INFO(line << " " << item.insert);
      CHECK_FALSE(runDocument(text, options).back().diag.has_value());
    }
  }
}

TEST_CASE("a title that the buttons would cut has a line of its own") {
  App app;
  open(app, kSheet.substr(0, kSheet.find("show")) + "show m.%y.2 as reads\n");
  const float wide = ui::places().at("figure.1.fit").y;
  ImGui::GetIO().DisplaySize = {760, 700};
  app.frame(4);
  const ui::Place fit = ui::places().at("figure.1.fit");
  CHECK(fit.y > wide + 10);
  CHECK(ui::places().at("figure.1.picture").y > fit.y + fit.h);
}

TEST_CASE("the palette finds an instruction by its name and goes to its line") {
  App app;
  open(app, kSheet);
  const auto found = paletteFind(app.session, app.state, "one-two");
  REQUIRE_FALSE(found.empty());
  CHECK(found.front().title == "m.%one-two");
  paletteRun(app.session, app.state, found.front());
  app.frame(2);
  CHECK(kSheet.substr(app.session.document().caret()).starts_with("%one-two = "));
}

TEST_CASE("a click on a folded box shows its parts, one on the path goes back") {
  std::string text = "hlo m {\nENTRY %e (x: f32[8,8]) -> f32[8,8] {\n  %x = f32[8,8] parameter(0)\n";
  std::string last = "x";
  for (int k = 0; k < 30; ++k) {
    const std::string n = std::to_string(k);
    text += "  %d" + n + " = f32[8,8] dot(%" + last + ", %" + last +
            "), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  %t" + n + " = f32[8,8] transpose(%d" + n +
            "), dimensions={1,0}\n";
    last = "t" + n;
  }
  text += "  ROOT %r = f32[8,8] negate(%" + last + ")\n}\n}\nshow m as dataflow\n";
  App app;
  open(app, text);
  const panes::Pane& pane = shown(app);
  REQUIRE(pane.drawn->figure->title == "%e as dataflow");
  const auto find = [&](bool words) {
    for (const FigureDoor& door : pane.drawn->figure->doors)
      if (door.to.empty() && door.words.empty() != words) return door;
    FAIL("no such door");
    return FigureDoor();
  };
  const auto click = [&](const FigureDoor& door) {
    const auto [x, y] = onScreen(pane, door.at.x + 12, door.at.y + 9);
    app.clickAt(x, y);
    app.frame(2);
  };
  click(find(true));
  CHECK(pane.drawn->figure->title == "\u00d730  dot, transpose of %e as dataflow");
  click(find(false));
  CHECK(pane.drawn->figure->title == "%e as dataflow");
}
