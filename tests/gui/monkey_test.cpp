// A monkey in the window: 10,000 events from a fixed seed, on sheets with every kind of picture. Nothing aborts or
// hangs, and the window still shows its sheet. Its files go to a separate folder.
#include <cmath>
#include <fstream>
#include <random>
#include <vector>

#include "app/gui/commands.h"
#include "tests/gui/app.h"

using namespace tessera;
namespace fs = std::filesystem;

namespace {

const std::vector<std::string>& sheets() {
  static const std::vector<std::string> kSheets = {
      "A = (4,8):(8,1)\nS = Sw<2,3,3> o (16,32):(32,1)\nshow A as grid\nshow S as memory\nshow S as banks fp16 "
      "ldmatrix.x4\nshow S as flow\nprove injective(A)\nprove injective((4,8):(4,1))",
      "P = bf16[2,3,6,20]{3,2,1,0:T(8,128)(2,1)}\nshow P as tensor\nshow P as tiles\nshow P as address",
      "show Sw<3,3,3> as f2\nshow ((4,8),(2,2)):((32,1),(16,8)) as threads\nshow atlas(mma.m16n8k16.f16) as "
      "instruction\nfind swizzle for (16,32):(32,1) where conflict_free(ldmatrix.x4, fp16)\n1 + oops(",
  };
  return kSheets;
}

constexpr int kKeys[] = {256, 257, 258, 259, 261, 262, 263, 264, 265, 266, 267, 268, 269, 290, 292, 333, 334, '=', '-',
                         '.', 'A', 'C', 'E', 'F', 'G', 'K', 'N', 'O', 'S', 'T', 'V', 'X', 'Y', 'Z', '0', '1', '2', '3'};

class Monkey {
 public:
  Monkey(App& app, unsigned seed) : app_(app), random_(seed) {}

  void act() {
    keepInFolder();
    const int kind = below(100);
    if (kind < 22) {
      move();
    } else if (kind < 44) {
      press();
    } else if (kind < 54) {
      widget();
    } else if (kind < 62) {
      ImGui::GetIO().MouseWheel = static_cast<float>(below(7) - 3);
      ImGui::GetIO().MouseWheelH = static_cast<float>(below(3) - 1);
    } else if (kind < 80) {
      key();
    } else if (kind < 97) {
      character();
    } else if (kind < 99) {
      ImGui::GetIO().DisplaySize = {static_cast<float>(1 + below(2000)), static_cast<float>(1 + below(1200))};
    } else {
      app_.displayScale = 0.75 + below(10) * 0.25;
    }
    app_.frame();
    ImGui::GetIO().MouseWheel = ImGui::GetIO().MouseWheelH = 0;
    app_.state.quit = false;
  }

  // Nothing is held down, nothing is open.
  void rest() {
    ImGuiIO& io = ImGui::GetIO();
    for (bool& down : io.MouseDown) down = false;
    for (bool& down : io.KeysDown) down = false;
    io.KeyCtrl = io.KeyShift = io.KeyAlt = false;
    io.DisplaySize = {1600, 1000};
    app_.displayScale = 1;
    app_.session.preferences.scale = 1;
    app_.frame(2);
    for (int k = 0; k < 12; ++k) app_.key(256);
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  // A path leads nowhere but here.
  void keepInFolder() {
    std::error_code failed;
    const fs::path full = fs::weakly_canonical(fs::absolute(app_.state.question.path, failed), failed);
    const std::string here = fs::current_path().string() + "/";
    if (failed || (full.string() + "/").rfind(here, 0) != 0) app_.state.question.path = "monkey.svg";
  }

  void move() {
    const ImVec2 room = ImGui::GetIO().DisplaySize;
    ImGui::GetIO().MousePos = {static_cast<float>(below(static_cast<int>(room.x) + 40) - 20),
                               static_cast<float>(below(static_cast<int>(room.y) + 40) - 20)};
  }
  // A button goes down or up: between the two lie moves, which are drags.
  void press() {
    bool& down = ImGui::GetIO().MouseDown[below(8) == 0 ? 1 : 0];
    down = !down;
  }
  void widget() {
    if (ui::places().empty()) return;
    auto at = ui::places().begin();
    std::advance(at, below(static_cast<int>(ui::places().size())));
    ImGui::GetIO().MousePos = {at->second.x + at->second.w / 2, at->second.y + at->second.h / 2};
    app_.frame();
    ImGui::GetIO().MouseDown[0] = true;
    app_.frame();
    ImGui::GetIO().MouseDown[0] = false;
  }
  void key() {
    ImGuiIO& io = ImGui::GetIO();
    io.KeyCtrl = below(3) == 0;
    io.KeyShift = below(5) == 0;
    io.KeyAlt = below(12) == 0;
    const int code = kKeys[below(static_cast<int>(std::size(kKeys)))];
    io.KeysDown[code] = true;
    app_.frame();
    io.KeysDown[code] = false;
    if (below(4) != 0) io.KeyCtrl = io.KeyShift = io.KeyAlt = false;
  }
  void character() {
    static const std::string kText = "A(=4,8):1+<>o \"show{}[]prove*";
    const int c = below(40);
    if (c == 0) {
      ImGui::GetIO().AddInputCharacter(0x3b1u + static_cast<unsigned>(below(20)));
    } else {
      ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(kText[static_cast<std::size_t>(c) % kText.size()]));
    }
  }

  App& app_;
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("a monkey does 10,000 things, and the window still shows its sheet") {
  constexpr unsigned kSeed = 20261122;
  constexpr int kEvents = 10000, kTurn = 250;
  INFO("seed " << kSeed);
  const fs::path before = fs::current_path(), here = scratch() / "monkey";
  fs::create_directories(here);
  fs::current_path(here);
  clipboard() = "size((4,8))";
  {
    App app;
    Monkey monkey(app, kSeed);
    for (int event = 0; event < kEvents; ++event) {
      INFO("event " << event);
      if (event % kTurn == 0) {
        // Now and then the sheet is whole again, so that there is something to play with.
        monkey.rest();
        app.session.document().reset(sheets()[static_cast<std::size_t>(event / kTurn) % sheets().size()]);
        app.settle();
      }
      monkey.act();
      REQUIRE(std::isfinite(ui::look().scale));
      REQUIRE(app.session.document().caret() <= app.session.document().text().size());
      REQUIRE(app.session.document().text().size() < 1000000);
    }
    monkey.rest();
    CHECK(ui::keyboard().owner() == ui::Owner::Worksheet);
    CHECK(app.state.dialogs.empty());
    app.state.canvas.onlyLine = -1;
    app.session.document().reset("show (4,8):(8,1) as grid");
    app.settle();
    CHECK(app.outcome(0).figure.has_value());
    CHECK(ui::places().count("figure.0.picture") == 1);
    app.key(268, /*ctrl=*/true);
    app.type("//");
    CHECK(app.session.document().text() == "//show (4,8):(8,1) as grid");
  }
  fs::current_path(before);
}
