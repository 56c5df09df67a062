// Pace: decides when the window draws its next frame. Pure: the loop (app.cpp) tells it what happened.
//
//     pace.happened();              a key, the mouse, a result: kSettle frames follow at once
//     pace.wait()                   0: draw now; else the seconds until the last frame wants to be drawn again
//     pace.drawn(ui::redrawIn());   after each frame
//
// Law (tests/gui/idle_test.cpp): without events, as many frames are drawn as frames ask for, and no more.
#pragma once

#include <algorithm>

#include "app/widgets/redraw.h"

namespace tessera {

class Pace {
 public:
  // ImGui measures a window in its first frames and shows it in the next ones.
  static constexpr int kSettle = 4;

  void happened() { settle_ = kSettle; }
  [[nodiscard]] double wait() const { return settle_ > 0 ? 0 : asked_; }
  void drawn(double asked) {
    settle_ = std::max(0, settle_ - 1);
    asked_ = asked;
    ++frames_;
  }
  [[nodiscard]] long frames() const { return frames_; }

 private:
  int settle_ = kSettle;
  double asked_ = ui::kNever;
  long frames_ = 0;
};

}  // namespace tessera
