// export_dialog: the part of the path dialog that shows the picture to export and its options.
//
//     Export "S as grid"          a preview in the chosen theme, with the parts that are chosen
//     Theme [light] [dark]   Size [1x] [2x] [4x] 1520 x 980 px   Background [filled] [transparent]   Parts [title] ...
//
// Law: the preview and the file have the same marks and cells (render/ink/page.h).
#pragma once

#include <string>

#include "app/gui/commands.h"

namespace tessera::panes {

// "Export \"S as grid\"", or of both compared pictures.
[[nodiscard]] std::string exportTitle(const Session& session, CanvasState& canvas);
// Preview and options; a report has no preview.
void exportChoices(const Session& session, WindowState& state, GridTextures& textures);

}  // namespace tessera::panes
