// appearance: fonts and style for the theme and the scale of now, made anew whenever one of them changes.
//
// The scale is the display's times the one that the user chose (Ctrl+= and Ctrl+-). Both may change at any time: a window
// is moved to another display, an interface made larger. Fonts are rasterised for the scale; their texture is the
// renderer's, which must be told, or it shows nothing from then on.
//
//     Appearance appearance(maxTextureSize, remake);
//     appearance.update(session, displayScale);      // before each ImGui::NewFrame()
#pragma once

#include <functional>

#include "app/session/session.h"

namespace tessera {

class Appearance {
 public:
  // The font atlas is at most `maxTexture` pixels wide and high. `remake` puts it where the renderer draws from; false
  // when that failed.
  Appearance(int maxTexture, std::function<bool()> remake) : maxTexture_(maxTexture), remake_(std::move(remake)) {}

  void update(Session& session, double displayScale);
  [[nodiscard]] double scale() const { return scale_; }

 private:
  int maxTexture_;
  std::function<bool()> remake_;
  double scale_ = -1;
  Theme theme_ = Theme::Dark;
};

}  // namespace tessera
