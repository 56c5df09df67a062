// The session while statements are still running: what is published and cancelled, and the window's row.
#include <imgui.h>

#include <catch2/catch.hpp>

#include "app/desktop/system_fonts.h"
#include "app/gui/frame.h"
#include "app/widgets/ui.h"
#include "tests/engine/gate.h"

using namespace tessera;

namespace {

const std::string kHeld = "injective((4,8):(8,1))";

// A session whose slow proofs are held, and a condition to wait for: it is looked at after every snapshot.
struct Held {
  Gate gate;
  Session session{{}, gate.function()};

  Held() {
    session.evaluation().onPublish([this] { gate.notify(); });
    gate.hold(kHeld);
  }
  ~Held() { session.evaluation().onPublish({}); }
  void type(const std::string& text) {
    session.document().replace(0, session.document().text().size(), text);
    session.touch();
  }
  const Outcome& at(std::size_t k) {
    now = session.evaluation().snapshot();
    REQUIRE(k < now->outcomes.size());
    return *now->outcomes[k];
  }
  // A snapshot of the last text in which statement k is answered, or has a job.
  bool until(std::size_t k, bool pending) {
    return gate.wait([&] {
      const auto s = session.evaluation().snapshot();
      return s->revision == session.document().revision() && k < s->outcomes.size() &&
             (pending ? s->outcomes[k]->job != nullptr : !s->outcomes[k]->pending);
    });
  }
  std::shared_ptr<const Snapshot> now;
};

}  // namespace

TEST_CASE("values and pictures are published while an earlier proof runs") {
  Held h;
  h.type("A = (4,8):(8,1)\nprove " + kHeld + "\nshow A as grid\nprove bijective(A)\nsize(A)");
  for (const std::size_t k : {2, 3, 4}) REQUIRE(h.until(k, /*pending=*/false));
  REQUIRE(h.until(1, /*pending=*/true));
  CHECK(h.at(2).figure.has_value());
  CHECK(h.at(3).verdict->truth == Truth::Proved);
  CHECK(print(*h.at(4).value) == "32");
  CHECK_FALSE(h.now->complete);
  CHECK(h.session.evaluation().running());
  CHECK(dump(h.session).find("running: held") != std::string::npos);
  h.gate.open(kHeld);
  REQUIRE(h.session.waitUntilEvaluated(600));
  CHECK(h.at(1).verdict->truth == Truth::Proved);
  CHECK(h.now->complete);
}

TEST_CASE("one statement is cancelled, the others go on, and evaluating again brings it back") {
  Held h;
  h.gate.hold("injective(7:1)");
  h.type("prove " + kHeld + "\nprove injective(7:1)\nsize(8:1)");
  REQUIRE(h.until(0, true));
  REQUIRE(h.until(1, true));
  CHECK_FALSE(h.session.evaluation().cancel(2));  // it has no job
  CHECK_FALSE(h.session.evaluation().cancel(99));
  CHECK(h.session.evaluation().cancel(0));
  REQUIRE(h.until(0, false));
  CHECK(h.at(0).verdict->truth == Truth::Unknown);
  CHECK(h.at(0).verdict->detail == "cancelled");
  CHECK(h.at(1).pending);
  h.gate.open(kHeld);
  h.gate.open("injective(7:1)");
  REQUIRE(h.session.waitUntilEvaluated(600));
  CHECK(h.at(0).verdict->detail == "cancelled");
  CHECK(h.at(1).verdict->truth == Truth::Proved);
  h.session.evaluation().reevaluate();
  REQUIRE(h.session.waitUntilEvaluated(600));
  CHECK(h.at(0).verdict->truth == Truth::Proved);
}

TEST_CASE("typing elsewhere leaves a running proof alone") {
  Held h;
  h.type("prove " + kHeld + "\nsize(8:1)");
  REQUIRE(h.until(0, true));
  const auto job = h.at(0).job;
  h.type("// a word\nB = 4:1\nprove " + kHeld + "\nsize(B)");
  REQUIRE(h.until(2, false));
  CHECK(h.at(1).job == job);
  CHECK_FALSE(job->cancelled());
  h.type("B = 4:1");
  REQUIRE(h.session.waitUntilEvaluated(600));
  CHECK(job->cancelled());
}

TEST_CASE("leaving cancels what is held") {
  std::shared_ptr<Job> job;
  Gate gate;
  {
    gate.hold(kHeld);
    Session session({}, gate.function());
    session.document().replace(0, 0, "prove " + kHeld + "\nprove " + kHeld + "\nV = " + kHeld + "\nshow V");
    session.touch();
    REQUIRE(gate.wait([&] {
      const auto now = session.evaluation().snapshot();
      return now->outcomes.size() == 4 && (job = now->outcomes[0]->job) != nullptr;
    }));
  }
  CHECK(job->cancelled());
}

namespace {

// As much of a window as it takes to click a button.
struct Window {
  explicit Window(Session& s) : session(s) {
    ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.DisplaySize = {1600, 1000};
    ui::loadFonts(ui::look().fonts, ui::systemFonts(), 1);
    unsigned char* pixels = nullptr;
    int w = 0, h = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &w, &h);
    frame();
  }
  ~Window() { ImGui::DestroyContext(); }
  void frame(int n = 1) {
    for (; n > 0; --n) {
      ImGui::GetIO().DeltaTime = 1.0F / 60;
      ui::applyStyle(session.preferences.theme, 1);
      ImGui::NewFrame();
      drawFrame(session, state, textures);
      ImGui::Render();
    }
  }
  void click(const std::string& name) {
    REQUIRE(ui::places().count(name) == 1);
    const ui::Place p = ui::places().at(name);
    ImGui::GetIO().MousePos = {p.x + p.w / 2, p.y + p.h / 2};
    frame(2);
    ImGui::GetIO().MouseDown[0] = true;
    frame();
    ImGui::GetIO().MouseDown[0] = false;
    frame(2);
  }
  void key(int code) {
    ImGui::GetIO().KeyCtrl = ImGui::GetIO().KeysDown[code] = true;
    frame();
    ImGui::GetIO().KeyCtrl = ImGui::GetIO().KeysDown[code] = false;
    frame(2);
  }
  Session& session;
  WindowState state;
  GridTextures textures{/*gl=*/false};
};

}  // namespace

TEST_CASE("the window lists what runs, with a button that cancels it") {
  Held h;
  Window w(h.session);
  h.gate.hold("injective(7:1)");
  h.type("prove " + kHeld + "\nsize(8:1)\nprove injective(7:1)");
  REQUIRE(h.until(0, true));
  REQUIRE(h.until(2, true));
  w.frame(2);
  CHECK(ui::places().count("claim.1") == 0);
  const ui::Place row = ui::places().at("claim.2"), button = ui::places().at("claim.2.cancel");
  CHECK(button.x >= row.x + row.w);  // beside the row's own button, and inside the pane
  CHECK(button.x + button.w <= row.x + row.w + 76);
  w.click("claim.2.cancel");
  REQUIRE(h.until(2, false));
  CHECK(h.at(2).verdict->detail == "cancelled");
  CHECK(h.at(0).pending);
  w.frame(2);
  CHECK(ui::places().count("claim.2") == 1);
  CHECK(ui::places().count("claim.2.cancel") == 0);
  CHECK(ui::places().count("claim.0.cancel") == 1);

  // The same from the keyboard, for the statement at the caret; on another line it cancels nothing.
  h.session.document().setCaret(h.at(1).statement.span.begin);
  w.key('.');
  CHECK_FALSE(h.at(0).job->cancelled());
  h.session.document().setCaret(3);
  const auto job = h.at(0).job;
  w.key('.');
  CHECK(job->cancelled());
  REQUIRE(h.until(0, false));
  CHECK(h.at(0).verdict->detail == "cancelled");
}
