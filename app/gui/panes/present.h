// present: the presentation (F11): large type, the prose step by step, the pictures of one layout at a time, and the
// path of a cell from its coordinate to address, byte, bank and lane across them, with a time line over all cells. The
// same plays the two paths of a refuted claim's counterexample ("play" in the claims panel).
//
//     Right, Space, PageDown     the next step                Left, PageUp      the one before
//     Down, Up                   the next cell, the one before
//     . and ,                    the next stop of the path, the one before      Enter     plays
//     "frames"                   writes a PNG for each place of the time line: words, pictures, path; at most 320
//     F11, Esc                   back to the window
//
// For a counterexample there is one step: Right and Left go along the path, Space plays too.
#pragma once

#include "app/gui/commands.h"

namespace tessera::panes {

// Opens it for a refuted claim of the snapshot. Returns false, with a message, if its counterexample has no path.
bool presentCounterexample(Session& session, WindowState& state, std::size_t claim);

// The number of frames of a scene.
[[nodiscard]] i64 framesOf(const PathScene& scene, i64 places);
// Writes FOLDER/frame-0001.png for time 0, and so on. Returns false with a message if it cannot be written.
bool exportFrame(Session& session, const PathScene& scene, const FrameWords& words, i64 places,
                 const std::string& folder, i64 time);

void present(Session& session, WindowState& state, GridTextures& textures);

}  // namespace tessera::panes
