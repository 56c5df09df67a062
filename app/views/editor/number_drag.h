// number_drag: a number of the text that follows the mouse. Pictures and verdicts follow the text, as for any edit.
//
//     Alt and a drag over the 64 of (8,64):(64,1)      one more for each kPixels to the right; with Shift a size
//     a drag in the slider after `N = 64`               the size under the mouse
//     a drag in a slider below `run gemm with M=8`      the same, of each size that the statement gives
//
// Laws (tests/gui/number_drag_test.cpp): a drag is one undo step, however many numbers it passes; one that returns to
// the first number leaves no step; the rest of the text is never touched.
#pragma once

#include <imgui.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/help/number_steps.h"
#include "app/session/session.h"

namespace tessera::panes {

struct NumberDrag {
  static constexpr double kPixels = 6, kSizePixels = 22;  // points for one step

  bool active = false;
  bool slider = false;
  bool changed = false;  // the text differs from the one before the drag
  NumberPlace from;      // where and what the number was
  i64 now = 0;
  float startX = 0;
  ImVec2 track{};  // slider: its left and right end
};

// The size at a share of a slider, and the share of a value. Sizes are those of nextSize, up to kSliderMost, or up to
// kLargestSize for a value beyond it.
inline constexpr i64 kSliderMost = 4096;
[[nodiscard]] i64 sizeAtShare(double share, i64 value);
[[nodiscard]] double shareOf(i64 value);

// The integer bound by a line `N = 64`, alone or before a comment.
[[nodiscard]] std::optional<NumberPlace> boundConstant(std::string_view line);

void beginDrag(NumberDrag& drag, const NumberPlace& number, float x);
void beginSlider(NumberDrag& drag, const NumberPlace& number, ImVec2 track);
// Moves the number to where the mouse is; returns whether the text has changed.
bool dragTo(NumberDrag& drag, Session& session, float x, bool sizes);

}  // namespace tessera::panes
