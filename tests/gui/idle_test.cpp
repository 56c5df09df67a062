// An idle window draws nothing. Frames are counted on a simulated clock, driven as the event loop of app.cpp does.
#include "app/gui/pace.h"
#include "app/widgets/redraw.h"
#include "tests/gui/app.h"

using namespace tessera;

namespace {

constexpr int kEnterKey = 257, kEscapeKey = 256;

// The event loop on a simulated clock.
struct Clock {
  App& app;
  Pace pace = {};
  double since = 0;  // the last frame

  void happened() {
    pace.happened();
    since = 0;
  }
  // The frames drawn within that time without an event.
  int framesIn(double seconds) {
    int frames = 0;
    for (double left = seconds;;) {
      const double wait = std::max({pace.wait(), 1.0 / 60, since});
      if (wait - since > left) {
        since += left;
        return frames;
      }
      left -= wait - since;
      since = 0;
      app.frame(1, wait);
      pace.drawn(ui::redrawIn());
      REQUIRE(++frames < 100'000);
    }
  }
};

}  // namespace

TEST_CASE("without input the caret blinks for ten seconds, and then nothing is drawn for an hour") {
  App app;
  app.type("A = (4,8):(8,1)\nshow A as grid\nprove injective(A)");
  app.settle();
  app.frame(90);  // the new picture has flashed
  Clock clock{app};
  // Two frames a turn of 1.06 s, four to settle and the last one, which leaves the caret visible.
  const int blinks = clock.framesIn(ui::kBlinkSeconds + 1);
  CHECK(blinks >= 12);
  CHECK(blinks <= 4 + 2 * 10 + 2);
  CHECK(clock.framesIn(3600) == 0);
  CHECK(ui::caretLit());
  // An event draws as many frames as ImGui needs to settle, and a mouse that moves does not start the caret again.
  clock.happened();
  CHECK(clock.framesIn(60) == Pace::kSettle);
  ImGui::GetIO().MousePos = {900, 300};
  clock.happened();
  CHECK(clock.framesIn(60) == Pace::kSettle);
  // A key does.
  app.key(kEnterKey);
  app.settle();
  clock.happened();
  CHECK(clock.framesIn(ui::kBlinkSeconds + 1) >= 15);
  CHECK(clock.framesIn(3600) == 0);
}

TEST_CASE("the caret of a field stops blinking, too") {
  App app;
  app.key('K', true);
  app.frame(4);
  Clock clock{app};
  CHECK(clock.framesIn(ui::kBlinkSeconds + 1) <= 4 + 5 * 10 + 3);
  CHECK(clock.framesIn(3600) == 0);
  app.key(kEscapeKey);
}

TEST_CASE("a message disappears by itself, in one frame") {
  App app;
  Clock clock{app};
  clock.framesIn(20);
  app.session.tell("saved");
  clock.happened();
  clock.framesIn(4.9);
  CHECK(ui::places().count("toast") == 1);
  CHECK(clock.framesIn(1) == 1);
  CHECK(ui::places().count("toast") == 0);
  CHECK(clock.framesIn(3600) == 0);
}

TEST_CASE("a card opens under a resting mouse without another event") {
  App app;
  app.type("A = (4,8):(8,1)\nsize(A)\nshow A as grid");
  app.settle();
  Clock clock{app};
  clock.framesIn(20);
  const ui::Place value = ui::places().at("value.2");
  ImGui::GetIO().MousePos = {value.x + value.w / 2, value.y + value.h / 2};
  clock.happened();
  clock.framesIn(2);
  CHECK(ui::places().count("hover.card") == 1);
  CHECK(clock.framesIn(3600) == 0);
}

TEST_CASE("a picture that plays is drawn at the display's rate at most, and stops when it is stopped") {
  App app;
  app.type("show (64,64):(64,1) as banks fp16");
  app.settle();
  app.click("figure.0.play");
  Clock clock{app};
  const int playing = clock.framesIn(10);
  CHECK(playing > 20);
  CHECK(playing <= 601);
  app.click("figure.0.play");
  clock.happened();
  clock.framesIn(20);
  CHECK(clock.framesIn(3600) == 0);
}
