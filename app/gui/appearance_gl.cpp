#include <backends/imgui_impl_opengl3.h>
#include <epoxy/gl.h>

#include "app/gui/appearance.h"

namespace tessera {

// ImGui's renderer uploads the fonts only in its first frame; later changes need an explicit upload.
Appearance appearanceOnGl() {
  GLint most = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
  return Appearance(most, [] {
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    return ImGui_ImplOpenGL3_CreateFontsTexture();
  });
}

}  // namespace tessera
