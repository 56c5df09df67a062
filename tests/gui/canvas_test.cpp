// The column of pictures with the wheel and the keys, and what remains of it after an edit of the sheet.
#include <atomic>
#include <cmath>
#include <thread>

#include "tests/gui/app.h"

using namespace tessera;

namespace {

const std::string kThree =
    "show (8,8):(8,1) as grid\nshow (8,64):(64,1) as grid\nshow (64,64):(64,1) as grid\nshow (8,8):(1,8) as memory\n";

// One frame with the wheel turned by so much, then some without, until nothing glides.
void turn(App& app, float clicks, float sideways = 0, bool ctrl = false, bool shift = false) {
  ImGuiIO& io = ImGui::GetIO();
  io.KeyCtrl = ctrl;
  io.KeyShift = shift;
  io.MouseWheel = clicks;
  io.MouseWheelH = sideways;
  app.frame();
  io.MouseWheel = io.MouseWheelH = 0;
  io.KeyCtrl = io.KeyShift = false;
  app.frame(60);
}

ui::Place picture(int k) { return ui::places().at("figure." + std::to_string(k) + ".picture"); }

void over(App& app, int k) {
  const ui::Place p = picture(k);
  app.moveTo(p.x + p.w / 2, p.y + std::min(p.h / 2, 900 - p.y));
}

}  // namespace

TEST_CASE("the wheel scrolls the column of pictures, over a picture, too") {
  App app;
  app.session.document().reset(kThree);
  app.settle();
  for (const bool onPicture : {true, false}) {
    INFO("over a picture " << onPicture);
    if (onPicture) {
      over(app, 0);
    } else {
      app.moveTo(picture(0).x + 20, picture(0).y - 8);
    }
    const float before = picture(0).y;
    const double scale = app.state.canvas.panes.at("show (8,8):(8,1) as grid").scale;
    turn(app, -1);
    CHECK(picture(0).y == before - 96);
    CHECK(app.state.canvas.panes.at("show (8,8):(8,1) as grid").scale == scale);
    CHECK_FALSE(app.state.canvas.panes.at("show (8,8):(8,1) as grid").moved);
    turn(app, 1);
    CHECK(picture(0).y == before);
    turn(app, 50);  // beyond the top: it does not move
    CHECK(picture(0).y == before);
  }
  turn(app, -1000);
  const float last = picture(3).y;
  CHECK(last < 1000);
  turn(app, -3);
  CHECK(picture(3).y == last);
}

TEST_CASE("a turn of the wheel belongs to whoever had its first click") {
  App app;
  app.session.document().reset("show f32[3,4,6,5]{3,2,1,0:T(2,2)} as tensor\n" + kThree);
  app.settle();
  app.click("figure.0.mode.0");
  app.frame(2);
  app.click("figure.0.mode.0.fixed");
  app.frame(2);
  const auto& pane = app.state.canvas.panes.at("show f32[3,4,6,5]{3,2,1,0:T(2,2)} as tensor");
  app.click("figure.0.mode.1");
  app.frame(2);
  app.click("figure.0.mode.1.fixed");
  app.frame(2);
  const auto value = [&] { return pane.look.modes.at(0).value; };
  const std::string slider = "figure.0.mode.0.slider";
  const i64 first = value();
  app.moveTo(picture(0).x + 200, picture(0).y + 20);
  turn(app, -0.5);
  ImGui::GetIO().MouseWheel = 0.1F;  // the column scrolls up, and the slider comes under the mouse
  app.frame();
  for (int n = 0; n < 20; ++n) {
    const ui::Place at = ui::places().at(slider);
    ImGui::GetIO().MousePos = {at.x + 60, at.y + at.h / 2};
    ImGui::GetIO().MouseWheel = n % 2 == 0 ? -0.05F : 0.05F;
    app.frame();
  }
  CHECK(value() == first);
  // A turn that begins over the slider moves it, and nothing else.
  ImGui::GetIO().MouseWheel = 0;
  app.frame(60);
  const ui::Place now = ui::places().at(slider);
  app.moveTo(now.x + 60, now.y + now.h / 2);
  turn(app, first > 0 ? -1 : 1);
  CHECK(value() == (first > 0 ? first - 1 : first + 1));
  CHECK(ui::places().at(slider).y == now.y);
}

TEST_CASE("Ctrl and the wheel zoom at the mouse, and zooming out ends with the whole picture") {
  App app;
  app.session.document().reset(kThree);
  app.settle();
  over(app, 1);
  const std::string line = "show (8,64):(64,1) as grid";
  auto& pane = app.state.canvas.panes.at(line);
  const ui::Place p = picture(1);
  const double whole = pane.scale, left = pane.x, top = pane.y;
  const double mx = ImGui::GetIO().MousePos.x - p.x, my = ImGui::GetIO().MousePos.y - p.y;
  const auto underMouse = [&] { return std::pair(pane.x + mx / pane.scale, pane.y + my / pane.scale); };
  turn(app, 6, 0, /*ctrl=*/true);
  CHECK(picture(1).y == p.y);  // the column does not move
  CHECK(pane.scale > 2 * whole);
  const auto fixed = underMouse();
  turn(app, 2, 0, true);
  CHECK(std::abs(underMouse().first - fixed.first) < 0.5);
  // Out again, a little at a time: never smaller than the whole, and no jump at the end.
  double x = pane.x, y = pane.y, scale = pane.scale;
  for (int n = 0; n < 200; ++n) {
    ImGui::GetIO().KeyCtrl = true;
    ImGui::GetIO().MouseWheel = -0.1F;
    app.frame();
    CHECK(pane.scale <= scale);
    CHECK(pane.scale >= whole - 1e-9);
    CHECK(std::abs(pane.x - x) * pane.scale < 30);
    CHECK(std::abs(pane.y - y) * pane.scale < 30);
    x = pane.x, y = pane.y, scale = pane.scale;
  }
  ImGui::GetIO().KeyCtrl = false;
  ImGui::GetIO().MouseWheel = 0;
  app.frame();
  CHECK_FALSE(pane.moved);
  CHECK(pane.scale == Approx(whole));
  CHECK(pane.x == Approx(left));
  CHECK(pane.y == Approx(top));
}

TEST_CASE("a clicked picture has the wheel until Esc or a click elsewhere") {
  App app;
  app.session.document().reset(kThree);
  app.settle();
  auto& pane = app.state.canvas.panes.at("show (8,64):(64,1) as grid");
  const double whole = pane.scale;
  over(app, 1);
  const ImVec2 at = ImGui::GetIO().MousePos;
  app.clickAt(at.x, at.y);
  const float y = picture(1).y;
  turn(app, 2);
  CHECK(pane.scale > whole);
  CHECK(picture(1).y == y);
  // Sideways and with Shift it pans.
  const double x = pane.x;
  turn(app, 0, -1);
  CHECK(pane.x > x);
  turn(app, 1, 0, false, /*shift=*/true);
  CHECK(pane.x == Approx(x));
  // Its keys, too.
  app.key(262);  // right
  CHECK(pane.x > x);
  const double scale = pane.scale;
  app.type("+");
  CHECK(pane.scale > scale);
  app.type("0");
  CHECK_FALSE(pane.moved);
  CHECK(app.session.document().text() == kThree);
  app.key(256);  // Esc
  CHECK(app.state.canvas.focused.empty());
  turn(app, -1);
  CHECK(picture(1).y == y - 96);
  over(app, 1);
  app.clickAt(ImGui::GetIO().MousePos.x, ImGui::GetIO().MousePos.y);
  CHECK_FALSE(app.state.canvas.focused.empty());
  app.clickAt(5, 995);
  CHECK(app.state.canvas.focused.empty());
}

TEST_CASE("the wheel over another pane leaves the pictures alone") {
  App app;
  app.session.document().reset(kThree);
  app.settle();
  const float y = picture(0).y;
  for (const auto& [px, py] : {std::pair{200.0F, 500.0F}, {1500.0F, 300.0F}, {900.0F, 950.0F}}) {
    app.moveTo(px, py);
    turn(app, -3);
    CHECK(picture(0).y == y);
  }
  app.click("figure.0.view");  // an open menu lies over the pictures
  app.frame(2);
  turn(app, -3);
  CHECK(picture(0).y == y);
}

TEST_CASE("PageDown, End and Home scroll the column that was clicked, and only that") {
  App app;
  app.session.document().reset(kThree);
  app.settle();
  const float y = picture(0).y;
  app.key(267);  // the worksheet has the keyboard
  app.frame(60);
  CHECK(picture(0).y == y);
  app.clickAt(picture(0).x + 20, picture(0).y - 4);  // between the title, which leads to its line, and the picture
  app.key(267);
  app.frame(60);
  CHECK(picture(0).y < y - 300);
  app.key(266);
  app.frame(60);
  CHECK(picture(0).y == y);
  app.key(269);
  app.frame(60);
  CHECK(picture(3).y < 1000);
  app.key(268);
  app.frame(60);
  CHECK(picture(0).y == y);
}

TEST_CASE("equal lines have panes of their own, and an edit elsewhere moves none") {
  App app;
  app.type("A = (8,8):(8,1)\nshow A as grid\nshow A as grid\n");
  app.settle();
  over(app, 2);
  turn(app, 3, 0, /*ctrl=*/true);
  const auto& panes = app.state.canvas.panes;
  CHECK_FALSE(panes.at("show A as grid").moved);
  REQUIRE(panes.count("show A as grid #2") == 1);
  CHECK(panes.at("show A as grid #2").moved);
  const double scale = panes.at("show A as grid #2").scale;
  app.session.document().replace(0, 0, "// a comment\nshow (2,2) as grid\n");
  app.session.touch();
  app.settle();
  CHECK(panes.at("show A as grid #2").moved);
  CHECK(panes.at("show A as grid #2").scale == scale);
  CHECK(picture(3).h > 0);
}

TEST_CASE("a picture that is drawn anew keeps its place, and the ones below theirs") {
  App app;
  std::atomic<bool> hold = false;
  Session slow({}, [&](Started started, const EngineOptions& options, const JobContext& context) {
    while (hold) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return answered(std::move(started), options, context);
  });
  const auto frames = [&](int n) {
    for (; n > 0; --n) {
      ImGui::GetIO().DeltaTime = 1.0F / 60;
      ImGui::NewFrame();
      drawFrame(slow, app.state, app.textures);
      ImGui::Render();
    }
  };
  slow.document().replace(0, 0, "A = (4,8):(8,1)\nshow A as grid\nshow (8,8):(8,1) as grid\n");
  slow.touch();
  REQUIRE(slow.waitUntilEvaluated(600));
  frames(3);
  const float y = picture(2).y;
  hold = true;
  slow.document().replace(4, 15, "(4,8):(1,4)");
  slow.touch();
  while (!slow.evaluation().snapshot()->outcomes.at(1)->pending ||
         slow.evaluation().snapshot()->revision != slow.document().revision())
    frames(1);
  frames(2);
  CHECK(ui::places().count("figure.1.picture") == 0);
  CHECK(picture(2).y == y);
  hold = false;
  REQUIRE(slow.waitUntilEvaluated(600));
  frames(2);
  CHECK(ui::places().count("figure.1.picture") == 1);
  CHECK(picture(2).y == y);
}
