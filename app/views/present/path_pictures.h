// pathPictures: the pictures of a path side by side, each whole, with the point in one picture after the other and an
// arrow where the path crosses from one to the next.
#pragma once

#include <imgui.h>

#include <optional>

#include "app/views/present/linked_path.h"
#include "render/figure/palette.h"
#include "render/gl/grid_textures.h"

namespace tessera::panes {

struct PathLook {
  double arrived = 1;  // 0 to 1: how far the path is on its way to the last reached stop
  Theme theme = Theme::Dark;
};

// Draws them into a rectangle of the screen. Places: "present.picture.0", and of the sheet's pictures
// "figure.K.picture". Returns the route of the cell that was clicked.
std::optional<i64> pathPictures(const PathScene& scene, const PathMoment& moment, const PathLook& look,
                                GridTextures& textures, ImVec2 at, ImVec2 size);

}  // namespace tessera::panes
