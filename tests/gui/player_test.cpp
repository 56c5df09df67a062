// The player of a Graphene program in the window: its bar, its keys, its clock.
#include "app/engine/kernel/kernel_value.h"
#include "app/views/pictures/picture.h"
#include "app/widgets/keyboard.h"
#include "tests/gui/app.h"

using namespace tessera;

namespace {

constexpr int kLeftKey = 263, kRightKey = 262;

const std::string kSheet = R"(graphene copy {
  %a : [32].fp32.GL
  %b : [32].fp32.GL
  #g : [1].block
  #t : [32].thread
  %b <- Move<<<#g, #t>>>(%a) {
    @x = #t.indices()
    for (k = 0; k < 4; k += 1) {
      %from = %a[@x]
      %to = %b[@x]
      %to <- Move(%from)
      sync
    }
  }
}
show copy as player
show copy as spec 1
)";

void open(App& app, const std::string& sheet = kSheet) {
  app.session.document().reset(sheet, "", /*saved=*/false);
  app.session.touch();
  app.settle();
}

// The pane of the statement that shows the player, as it is drawn now.
const Figure& shown(App& app) {
  for (const auto& [key, pane] : app.state.canvas.panes)
    if (key.find("player") != std::string::npos && pane.drawn && pane.drawn->figure) return *pane.drawn->figure;
  FAIL("no player");
  return *app.state.canvas.panes.begin()->second.drawn->figure;
}
i64 step(App& app) { return shown(app).modes.at(0).value; }

}  // namespace

TEST_CASE("the player's buttons go forward and back, to both ends, and no further") {
  App app;
  open(app);
  REQUIRE(shown(app).modes.at(0).extent == 8);
  CHECK(step(app) == 0);
  app.click("figure.1.forward");
  app.click("figure.1.forward");
  app.frame(2);
  CHECK(step(app) == 2);
  app.click("figure.1.back");
  app.frame(2);
  CHECK(step(app) == 1);
  app.click("figure.1.last");
  app.click("figure.1.forward");
  app.frame(2);
  CHECK(step(app) == 7);
  app.click("figure.1.first");
  app.click("figure.1.back");
  app.frame(2);
  CHECK(step(app) == 0);
  CHECK(app.session.document().text() == kSheet);
}

TEST_CASE("the player's keys belong to the pictures: they step and play there, and type in the sheet") {
  App app;
  open(app);
  app.key(kRightKey);
  CHECK(step(app) == 0);  // the sheet has the keys
  app.click("figure.1.picture");
  REQUIRE(ui::keyboard().owner() == ui::Owner::Pictures);
  app.key(kRightKey);
  app.key(kRightKey);
  app.key(kLeftKey);
  app.frame(2);
  CHECK(step(app) == 1);
  app.key(kRightKey, /*ctrl=*/true);
  app.frame(2);
  CHECK(step(app) == 7);
  CHECK(app.session.document().text() == kSheet);
}

TEST_CASE("play runs to the end and stops there; again from there it begins anew") {
  App app;
  open(app);
  app.click("figure.1.speed");  // 4 times faster
  app.click("figure.1.play");
  app.frame(40);
  const i64 middle = step(app);
  CHECK(middle > 0);
  CHECK(middle < 7);
  app.frame(120);
  CHECK(step(app) == 7);
  app.click("figure.1.picture");
  app.type(" ");
  app.frame(2);
  CHECK(step(app) == 0);
  app.type(" ");  // pause
  app.frame(60);
  CHECK(step(app) == 0);
}

TEST_CASE("the sliders choose the step and the thread; a program's picture offers no rows and columns") {
  App app;
  open(app);
  const ui::Place slider = ui::places().at("figure.1.step.slider");
  app.clickAt(slider.x + slider.w - 2, slider.y + slider.h / 2);
  app.frame(2);
  CHECK(step(app) == 7);
  const ui::Place thread = ui::places().at("figure.1.thread.slider");
  app.clickAt(thread.x + thread.w - 2, thread.y + thread.h / 2);
  app.frame(2);
  CHECK(shown(app).modes.at(2).value == 31);
  CHECK(ui::places().count("figure.1.mode.0") == 0);
  CHECK(ui::places().count("figure.2.spec.slider") == 1);
}

TEST_CASE("the player steps through a kernel: buttons, keys, sliders; a finding of the source opens its step") {
  const std::string kernel = "R = kernel \"" TESSERA_SOURCE_DIR
                             "/assets/kernels/reduce.ptx\" entry reduce_race block (64) args (s32[256], s32[1])\n";
  addKernels();
  App app;
  open(app, kernel + "show R as player\n");
  const i64 count = shown(app).modes.at(0).extent;
  REQUIRE(count > 50);
  CHECK(step(app) == 0);
  app.click("figure.1.forward");
  app.frame(2);
  CHECK(step(app) == 1);
  app.click("figure.1.picture");
  app.key(kRightKey);
  app.key(kRightKey, /*ctrl=*/true);
  app.frame(2);
  CHECK(step(app) == 12);
  app.key(kLeftKey);
  app.frame(2);
  CHECK(step(app) == 11);
  app.click("figure.1.last");
  app.frame(2);
  CHECK(step(app) == count - 1);
  const ui::Place thread = ui::places().at("figure.1.thread.slider");
  app.clickAt(thread.x + thread.w - 2, thread.y + thread.h / 2);
  app.frame(2);
  CHECK(shown(app).modes.at(2).value == 63);
  CHECK(step(app) == count - 1);
  CHECK(ui::places().count("figure.1.mode.0") == 0);

  // Of the source: the door of a finding.
  open(app, kernel + "show R as source\n");
  const auto paneOfSource = [&]() -> panes::Pane& {
    for (auto& [key, pane] : app.state.canvas.panes)
      if (key.find("source") != std::string::npos) return pane;
    FAIL("no source");
    return app.state.canvas.panes.begin()->second;
  };
  panes::Pane& pane = paneOfSource();
  REQUIRE(pane.drawn);
  const FigureDoor* door = nullptr;
  for (const FigureDoor& d : pane.drawn->figure->doors)
    if (d.view == "player") door = &d;
  REQUIRE(door != nullptr);
  panes::openDoor(pane.look, *pane.drawn, *door);
  app.frame(3);
  REQUIRE(paneOfSource().drawn->figure->modes.size() == 3);
  CHECK(paneOfSource().drawn->figure->modes[0].value > 0);
  const i64 there = paneOfSource().drawn->figure->modes[0].value;
  app.click("figure.1.forward");
  app.frame(2);
  CHECK(paneOfSource().drawn->figure->modes[0].value == there + 1);
}

TEST_CASE("the player shows the part of the thread with labels, and a click on the map shows another part") {
  App app;
  open(app, std::string("graphene tiles {\n%a:[32,32].fp32.GL %b:[32,32].fp32.GL #g:[1].block #t:[32,32].thread\n") +
                "%b <- Move<<<#g,#t>>>(%a) {\n(@i, @j) = #t.indices()\n%x = %a[@i, @j] %y = %b[@i, @j]\n%y <- "
                "Move(%x)\n}\n}\n" +
                "show tiles as player\n");
  app.frame(4);
  const auto part = [&] {
    const Figure& f = shown(app);
    const auto at = std::ranges::find(f.grids, "%a part", &Grid::name);
    REQUIRE(at != f.grids.end());
    return *at;
  };
  CHECK(part().rows == 8);
  CHECK(part().cells->cell(0, 0).label == "T0");
  // The block of rows 16 to 23 and columns 24 to 31.
  const Figure& before = shown(app);
  const auto door = std::ranges::find_if(
      before.doors, [](const FigureDoor& d) { return std::ranges::find(d.words, "536") != d.words.end(); });
  REQUIRE(door != before.doors.end());
  const ui::Place place = ui::places().at("figure.1.picture");
  const panes::Pane& pane = app.state.canvas.panes.begin()->second;
  app.clickAt(place.x + static_cast<float>((door->at.x + 4 - pane.x) * pane.scale),
              place.y + static_cast<float>((door->at.y + 4 - pane.y) * pane.scale));
  app.settle();
  app.frame(4);
  CHECK(part().cells->cell(0, 0).label == "T536");
  CHECK(part().cells->rowHeader(0) == "16");
  CHECK(part().cells->colHeader(0) == "24");
}
