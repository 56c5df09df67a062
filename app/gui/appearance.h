// appearance: fonts and style for the current theme and scale, rebuilt whenever one of them changes.
//
// The scale is the display's times the user's choice (Ctrl+= and Ctrl+-). Both can change at any time: a window moves
// to another display, the interface is enlarged. Fonts are rasterized for the scale; the renderer must upload their
// texture again, or it draws nothing. Characters that the text uses beyond the usual ones are loaded when they occur.
//
//     Appearance appearance(fonts, maxTextureSize, remake);
//     appearance.update(session, displayScale);      // before each ImGui::NewFrame()
#pragma once

#include <imgui.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "app/session/session.h"
#include "app/widgets/font_source.h"

namespace tessera {

class Appearance {
 public:
  // The font atlas is at most `maxTexture` pixels wide and high. `remake` uploads it to the renderer; false if that
  // failed.
  Appearance(const ui::FontSource& fonts, int maxTexture, std::function<bool()> remake)
      : fonts_(fonts), maxTexture_(maxTexture), remake_(std::move(remake)) {}

  void update(Session& session, double displayScale);
  [[nodiscard]] const std::vector<ImWchar>& unusual() const { return more_; }
  [[nodiscard]] double scale() const { return scale_; }

 private:
  bool readCharacters(const Session& session);

  ui::FontSource fonts_;
  int maxTexture_;
  std::function<bool()> remake_;
  double scale_ = -1;
  Theme theme_ = Theme::Dark;
  // Characters of the text beyond the usual ones, and the revision of that text.
  std::vector<ImWchar> more_;
  std::uint64_t revision_ = ~std::uint64_t{0};
};

// Makes ImGui's context, as every window uses it.
void beginImGui();
// For ImGui's OpenGL renderer in the current context.
[[nodiscard]] Appearance appearanceOnGl(const ui::FontSource& fonts);

}  // namespace tessera
