// present: the presentation (F11): large type, the prose step by step, one picture at a time, and below it the path of
// one cell from its coordinate to address, byte, bank and lane, with a time line over all cells.
//
//     Right, Space, PageDown     the next step          Left, PageUp     the one before
//     Down, Up                   the next cell, the one before          Enter            plays the cells
//     "frames"                   writes a PNG of the picture for each of the first 64 cells, with the cell lit
//     F11, Esc                   back to the window
#pragma once

#include "app/gui/commands.h"

namespace tessera::panes {

// "coordinate (2, 3)", "offset 19", "byte 38", "bank 9", "lane 9": what is known of that cell's way.
[[nodiscard]] std::vector<std::string> pathOf(const Snapshot& now, const Hover& cell);
// The cell at a time: by rows, from the upper left corner.
[[nodiscard]] std::optional<Hover> cellAt(const std::shared_ptr<const Outcome>& outcome, std::size_t index, i64 time);
// The number of times; at most 4096.
[[nodiscard]] i64 timesOf(const Outcome& outcome);
// Writes FOLDER/frame-0001.png for time 0, and so on. Returns false with a message if it cannot be written.
bool exportFrame(Session& session, const std::shared_ptr<const Outcome>& outcome, std::size_t index,
                 const std::string& folder, i64 time);

void present(Session& session, WindowState& state, GridTextures& textures);

}  // namespace tessera::panes
