// redraw: requests for another frame although nothing happens. A frame is drawn after an event or a result, and
// otherwise only when the last one asked for it, so an idle window draws nothing.
//
//     if (playing) ui::redrawAt(next);        the picture changes at that time of ImGui's clock
//     if (moving) ui::redrawSoon();           an animation: the next frame of the display
//     if (ui::caretLit()) ...                 a blinking caret; it asks for its own frames
//
// Law (tests/gui/idle_test.cpp): after kBlinkSeconds without a key or a click, and with nothing playing or being
// evaluated, no frame asks for another. Requests are of one frame: those of the frame before are forgotten.
#pragma once

namespace tessera::ui {

// A caret blinks for so long after the last key or click, and is then shown without blinking.
inline constexpr double kBlinkSeconds = 10;
// Waits longer than any timer.
inline constexpr double kNever = 1e30;

void redrawAt(double time);
void redrawSoon();
// Seconds from this frame to the earliest request; kNever if there is none.
[[nodiscard]] double redrawIn();

// Called once per frame, before anything is drawn: forgets the requests and looks for keys and clicks.
void beginRedraws();
// Whether the caret is visible now. Asks for the frame in which that changes.
[[nodiscard]] bool caretLit();

}  // namespace tessera::ui
