// painter: draws a figure's scene (render/gl/scene.h) through ImGui's draw lists, a grid as one textured quad.
//
//     CanvasPainter painter(ImGui::GetWindowDrawList(), origin, textures, "line 5", contentOf(outcome));
//     paintScene(figure, view, theme, lights, painter);
#pragma once

#include <imgui.h>

#include <string>

#include "render/gl/grid_textures.h"
#include "render/gl/scene.h"

namespace tessera::panes {

// Origin: the device position of the view's (0,0). `key` identifies the picture's textures, `content` changes with the
// contents of its cells.
class CanvasPainter final : public Painter {
 public:
  CanvasPainter(ImDrawList* list, ImVec2 origin, GridTextures& textures, std::string key, std::uint64_t content)
      : list_(list), origin_(origin), textures_(textures), key_(std::move(key)), content_(content) {}

  void rect(const Rect& r, Rgba fill, Rgba stroke, double strokeWidth, double radius) override;
  void line(double x0, double y0, double x1, double y1, Rgba color, double width, bool arrow) override;
  void text(double x, double y, const std::string& s, Rgba color, double size, Face face, Align align) override;
  void hatch(const Rect& r, Rgba color) override;
  void cells(const CellBlock& block) override;

 private:
  [[nodiscard]] ImVec2 at(double x, double y) const {
    return {origin_.x + static_cast<float>(x), origin_.y + static_cast<float>(y)};
  }
  ImDrawList* list_;
  ImVec2 origin_;
  GridTextures& textures_;
  std::string key_;
  std::uint64_t content_;
};

}  // namespace tessera::panes
