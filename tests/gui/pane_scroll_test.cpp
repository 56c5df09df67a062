// fit and Home show the whole picture; a larger one has scroll bars and a map; hidden texts have a note.
#include "app/views/pictures/picture.h"
#include "tests/gui/app.h"
#include "tests/gui/move_program.h"

using namespace tessera;

namespace {

void show(App& app, const std::string& sheet, ImVec2 window = {1280, 800}) {
  ImGui::GetIO().DisplaySize = window;
  app.session.document().reset(sheet);
  app.session.touch();
  app.settle();
  app.frame(4);
}

panes::Pane& paneOf(App& app, std::size_t k) {
  return app.state.canvas.panes.at(panes::paneKey(*app.session.evaluation().snapshot(), k));
}

// Whether the pane shows all of the figure.
bool isWhole(App& app, std::size_t k) {
  const panes::Pane& pane = paneOf(app, k);
  const ui::Place p = ui::places().at("figure." + std::to_string(k) + ".picture");
  const Rect e = panes::extentIn(*pane.drawn->figure, pane);
  const double right = pane.x + p.w / pane.scale, bottom = pane.y + p.h / pane.scale;
  return e.x >= pane.x - 0.5 && e.y >= pane.y - 0.5 && e.x + e.w <= right + 0.5 && e.y + e.h <= bottom + 0.5;
}

bool placed(const std::string& name) { return ui::places().count(name) > 0; }

void dragTo(App& app, float x0, float y0, float x1, float y1) {
  app.moveTo(x0, y0);
  ImGui::GetIO().MouseDown[0] = true;
  app.frame();
  app.moveTo((x0 + x1) / 2, (y0 + y1) / 2);
  app.moveTo(x1, y1);
  ImGui::GetIO().MouseDown[0] = false;
  app.frame(2);
}

}  // namespace

TEST_CASE("wgmma and a tiled mma are whole at first, after fit and after Home") {
  for (const char* text : {"show wgmma.m64n64k16.f16", "show make_tiled_mma(mma.m16n8k16.f16, (2,2,1))"})
    for (const ImVec2 window : {ImVec2(1280, 800), ImVec2(1920, 1080), ImVec2(2560, 1440)}) {
      INFO(text << " " << window.x);
      App app;
      show(app, text, window);
      CHECK(isWhole(app, 0));
      CHECK_FALSE(placed("figure.0.across"));
      CHECK_FALSE(placed("figure.0.map"));
      const ui::Place p = ui::places().at("figure.0.picture");
      app.moveTo(p.x + p.w / 2, p.y + 100);
      ImGui::GetIO().KeyCtrl = true;
      for (int k = 0; k < 12; ++k) {
        ImGui::GetIO().MouseWheel = 1;
        app.frame();
      }
      ImGui::GetIO().KeyCtrl = false;
      app.frame(2);
      CHECK_FALSE(isWhole(app, 0));
      CHECK(placed("figure.0.across"));
      CHECK(placed("figure.0.down"));
      CHECK(placed("figure.0.map"));
      app.click("figure.0.fit");
      app.frame(2);
      CHECK(isWhole(app, 0));
      CHECK_FALSE(placed("figure.0.map"));
      // The whole is in the visible part of the column.
      const ui::Place now = ui::places().at("figure.0.picture");
      CHECK(now.y + now.h <= ui::places().at("tab.claims").y + 1);
    }
}

TEST_CASE("Home fits the picture that was clicked") {
  App app;
  show(app, "show (64,64):(64,1)");
  const ui::Place p = ui::places().at("figure.0.picture");
  app.clickAt(p.x + p.w / 2, p.y + p.h / 2);
  panes::Pane& pane = paneOf(app, 0);
  panes::lookAt(*pane.drawn->figure, pane, 300, 300, 3, {p.w, p.h});
  app.frame(2);
  REQUIRE_FALSE(isWhole(app, 0));
  app.key(268);
  app.frame(2);
  CHECK(isWhole(app, 0));
}

TEST_CASE("bars and the map move the picture, and end at its edges") {
  App app;
  show(app, "show (256,256):(256,1)");
  panes::Pane& pane = paneOf(app, 0);
  const ui::Place p = ui::places().at("figure.0.picture");
  panes::lookAt(*pane.drawn->figure, pane, 0, 0, 1, {p.w, p.h});
  app.frame(2);
  REQUIRE(placed("figure.0.across"));
  const Rect e = panes::extentIn(*pane.drawn->figure, pane);
  CHECK(pane.x == Approx(e.x));
  ui::Place bar = ui::places().at("figure.0.across");
  dragTo(app, bar.x + 5, bar.y + 5, bar.x + bar.w + 50, bar.y + 5);
  CHECK(pane.x + p.w / pane.scale == Approx(e.x + e.w));
  CHECK(pane.y == Approx(e.y));
  bar = ui::places().at("figure.0.down");
  dragTo(app, bar.x + 5, bar.y + 5, bar.x + 5, bar.y + bar.h + 50);
  CHECK(pane.y + p.h / pane.scale == Approx(e.y + e.h));
  const ui::Place map = ui::places().at("figure.0.map");
  app.clickAt(map.x + map.w / 2, map.y + map.h / 2);
  CHECK(pane.x + p.w / pane.scale / 2 == Approx(e.x + e.w / 2).margin(e.w * 0.03));
  CHECK(pane.y + p.h / pane.scale / 2 == Approx(e.y + e.h / 2).margin(e.h * 0.03));
  CHECK_FALSE(app.session.pinned);  // the map took the click
}

TEST_CASE("hidden labels have a note, and its link leads to them") {
  {
    App app;
    show(app, "show Sw<3,3,3> o (64,64):(64,1)");
    REQUIRE(placed("figure.0.note"));
    app.click("figure.0.read");
    app.frame(2);
    CHECK_FALSE(placed("figure.0.note"));
    CHECK(placed("figure.0.map"));
    app.click("figure.0.fit");
    app.frame(2);
    CHECK(placed("figure.0.note"));
  }
  App app;
  show(app, "show (4,8):(8,1)");
  CHECK_FALSE(placed("figure.0.note"));
}

TEST_CASE("a long text is shown from its top, says so, and its link, fit and Home show the whole") {
  std::string program =
      "graphene copies {\n%a : [1024].fp32.GL %b : [1024].fp32.GL\n#g : [1].block  #t : [32].thread\n";
  for (int k = 0; k < 300; ++k)
    program += "%b <- Move<<<#g, #t>>>(%a) {\n@i = #t.indices()\n%x = %a[@i]  %y = %b[@i]\n%y <- Move(%x)\n}\n";
  for (const ImVec2 window : {ImVec2(1280, 800), ImVec2(1920, 1080), ImVec2(2560, 1440)}) {
    INFO(window.x);
    App app;
    show(app, program + "}\nshow copies as tree", window);
    REQUIRE(paneOf(app, 1).drawn->figure->legible);
    CHECK_FALSE(isWhole(app, 1));
    CHECK(placed("figure.1.down"));
    CHECK(placed("figure.1.map"));
    REQUIRE(placed("figure.1.note"));
    app.click("figure.1.all");
    app.frame(2);
    CHECK(isWhole(app, 1));
    CHECK_FALSE(placed("figure.1.all"));
    CHECK(placed("figure.1.note"));  // now its words are too small
    app.click("figure.1.read");
    app.frame(2);
    CHECK_FALSE(isWhole(app, 1));
    app.click("figure.1.fit");
    app.frame(2);
    CHECK(isWhole(app, 1));
  }
}

TEST_CASE("a click folds an entry of the tree") {
  App app;
  show(app, moveProgram() + "show move as tree");
  const auto marks = [&] { return paneOf(app, 1).drawn->figure->marks.size(); };
  const std::size_t open = marks();
  const Figure& figure = *paneOf(app, 1).drawn->figure;
  REQUIRE(figure.doors.size() == 1);
  const panes::Pane& pane = paneOf(app, 1);
  const ui::Place p = ui::places().at("figure.1.picture");
  const auto click = [&] {
    app.clickAt(p.x + static_cast<float>((figure.doors[0].at.x + 30 - pane.x) * pane.scale),
                p.y + static_cast<float>((figure.doors[0].at.y + 10 - pane.y) * pane.scale));
    app.frame(2);
  };
  click();
  CHECK(marks() < open);
  click();
  CHECK(marks() == open);
}
