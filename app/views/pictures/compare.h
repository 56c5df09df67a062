// compare: two pictures of the sheet side by side in place of the column, with a common pan and zoom, or alternating in
// the same place (blink); differences are lit and counted.
//
//     `compare` in the header of one picture, `compare with A` in that of another; Space blinks, Esc closes
#pragma once

#include "app/views/pictures/canvas.h"

namespace tessera::panes {

// The button in a picture's header.
void compareButton(CompareState& state, const std::string& key, std::size_t index);

// Returns true if a comparison is active and was drawn. Ends it if one of the pictures is gone.
[[nodiscard]] bool comparison(Session& session, CanvasState& state, GridTextures& textures,
                              const std::vector<std::string>& keys);

}  // namespace tessera::panes
