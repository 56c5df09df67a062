// compare: two pictures of the sheet beside each other instead of the column, with one pan and zoom, or one at a time in
// the same place (blinked); what differs is lit and counted.
//
//     `compare` in the header of one picture, `compare with A` in that of another; Space blinks, Esc leaves
#pragma once

#include "app/views/canvas.h"

namespace tessera::panes {

// The button of a picture's header.
void compareButton(CompareState& state, const std::string& key, std::size_t index);

// True when two pictures are being compared, and were drawn. Ends the comparison when one of them is gone.
[[nodiscard]] bool comparison(Session& session, CanvasState& state, GridTextures& textures,
                              const std::vector<std::string>& keys);

}  // namespace tessera::panes
