// follow: what links the pictures to the text.
//
//     the caret moves to a line         its picture, or the first one of the name it binds, is scrolled into sight
//     an edit changes pictures          they flash; if none of them is in sight, the first one is brought there
//     the mouse rests on a name         the pictures of statements that mention it get a frame
//     a click on a picture's title      the caret goes to its line
//
// Laws (tests/gui/follow_test.cpp): a picture that an edit does not change does not flash, even if it moves. Nothing
// scrolls unless the caret or the text has changed, so that the wheel keeps what it shows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/views/pictures/canvas.h"

namespace tessera::panes {

// Call once per frame, before the pictures: chooses what to bring into sight and what flashes.
void followText(const Session& session, CanvasState& state, const Snapshot& now, const std::vector<std::string>& keys);
// Scrolls minimally to show the picture to bring: whole, or from its top. Call after drawing it at `top`; scrolls once
// its height is the same as in the last frame.
void showBrought(CanvasState& state, const std::string& key, float top, float takenBefore);
// The frame of a picture that flashes, or that belongs to the name under the mouse.
void drawLinkFrame(const CanvasState& state, const std::string& key, const Outcome& asked, std::size_t index,
                   ImVec2 origin, ImVec2 corner);
// The title as a button; a click asks for the caret (FollowState::toStatement).
void titleButton(CanvasState& state, const Outcome& asked, std::size_t index, ImVec2 at, ImVec2 size);

// Whether the statement uses the name, outside comments.
[[nodiscard]] bool mentions(std::string_view statement, std::string_view name);
// Whether two pictures look different: another title or shape, or other cells among the ones looked at.
[[nodiscard]] bool looksDifferent(const Figure& a, const Figure& b);

}  // namespace tessera::panes
