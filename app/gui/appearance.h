// appearance: fonts and style for the current theme and scale, rebuilt whenever one of them changes.
//
// The scale is the display's times the user's choice (Ctrl+= and Ctrl+-). Both can change at any time: a window moves
// to another display, the interface is enlarged. Fonts are rasterized for the scale; the renderer must upload their
// texture again, or it draws nothing.
//
//     Appearance appearance(maxTextureSize, remake);
//     appearance.update(session, displayScale);      // before each ImGui::NewFrame()
#pragma once

#include <functional>

#include "app/session/session.h"

namespace tessera {

class Appearance {
 public:
  // The font atlas is at most `maxTexture` pixels wide and high. `remake` uploads it to the renderer; false if that
  // failed.
  Appearance(int maxTexture, std::function<bool()> remake) : maxTexture_(maxTexture), remake_(std::move(remake)) {}

  void update(Session& session, double displayScale);
  [[nodiscard]] double scale() const { return scale_; }

 private:
  int maxTexture_;
  std::function<bool()> remake_;
  double scale_ = -1;
  Theme theme_ = Theme::Dark;
};

// For ImGui's OpenGL renderer in the current context.
[[nodiscard]] Appearance appearanceOnGl();

}  // namespace tessera
