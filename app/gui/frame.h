// frame: one frame of the window, from the session to ImGui draw lists.
// No GLFW and no GL calls: the tests run it without a window.
#pragma once

#include "app/gui/commands.h"
#include "render/gl/grid_textures.h"

namespace tessera {

// "gemm.tess - Tessera"; a dot after the file if it has unsaved changes.
[[nodiscard]] std::string windowTitle(const Document& document);

// Call between ImGui::NewFrame() and ImGui::Render().
void drawFrame(Session& session, WindowState& state, GridTextures& textures);

}  // namespace tessera
