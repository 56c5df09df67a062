#include "app/gui/appearance.h"

#include <backends/imgui_impl_opengl3.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/widgets/ui.h"
#include "render/gl/gl.h"

namespace tessera {
namespace {

// Clamps a scale from a display or a state file, which can be any number.
double within(double scale, double least, double most) {
  return std::isfinite(scale) ? std::clamp(scale, least, most) : 1;
}

}  // namespace

void Appearance::update(Session& session, double displayScale) {
  session.preferences.scale = within(session.preferences.scale, 0.75, 3);
  const double scale = within(within(displayScale, 0.5, 4) * session.preferences.scale, 0.5, 6);
  const bool grown = readCharacters(session);
  if (scale != scale_ || grown) {
    const std::string note = ui::loadFonts(ui::look().fonts, fonts_, scale, maxTexture_, more_);
    if (!note.empty() && scale_ < 0) session.tell(note, true);
    if (!remake_()) session.tell("cannot upload the fonts to the graphics card; the window may stay empty", true);
  }
  if (scale != scale_ || session.preferences.theme != theme_) ui::applyStyle(session.preferences.theme, scale);
  scale_ = scale;
  theme_ = session.preferences.theme;
}

// Returns whether the text has characters that were not loaded before.
bool Appearance::readCharacters(const Session& session) {
  constexpr std::size_t kMost = 6000;  // the atlas has all of them in every face
  const Document& d = session.document();
  if (revision_ == d.revision()) return false;
  revision_ = d.revision();
  std::vector<ImWchar> all;
  std::ranges::set_union(more_, ui::unusualIn(d.text()), std::back_inserter(all));
  if (all.size() == more_.size() || all.size() > kMost) return false;
  more_ = std::move(all);
  return true;
}

void beginImGui() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.ConfigWindowsMoveFromTitleBarOnly = true;
}

// ImGui's renderer uploads the fonts only in its first frame; later changes need an explicit upload.
Appearance appearanceOnGl(const ui::FontSource& fonts) {
  GLint most = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &most);
  return Appearance(fonts, most, [] {
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    return ImGui_ImplOpenGL3_CreateFontsTexture();
  });
}

}  // namespace tessera
