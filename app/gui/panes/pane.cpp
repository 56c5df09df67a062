#include "app/gui/panes/pane.h"

#include <algorithm>
#include <cmath>

namespace tessera {

void beginPane(const char* name, const Area& area, Role background) {
  ImGui::SetNextWindowPos(area.at);
  ImGui::SetNextWindowSize(area.size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  const bool canvasPane = background == Role::None;
  ImGui::PushStyleColor(ImGuiCol_WindowBg, canvasPane
                                               ? ImGui::ColorConvertU32ToFloat4(ui::color(canvas(ui::look().theme)))
                                               : ui::colorVec(background));
  ImGui::Begin(name, nullptr, kFixed | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
}

void endPane() {
  ImGui::End();
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(3);
}

namespace {

// Points.
constexpr float kTop = 40, kLeastLeft = 180, kLeastMiddle = 220, kLeastRight = 200, kLeastBottom = 70,
                kLeastAbove = 150, kEnoughAbove = 400, kWide = 1200;

}  // namespace

WindowLayout layoutOf(const PaneSizes& preferred, ImVec2 screen, float scale) {
  const float w = screen.x / scale, h = screen.y / scale;
  // The initial sizes suit a wide window. A user who has moved an edge gets what he asked for.
  PaneSizes wanted = preferred;
  const float narrow = std::min(1.0F, w / kWide);
  if (wanted.left == PaneSizes().left) wanted.left *= narrow;
  if (wanted.right == PaneSizes().right) wanted.right *= narrow;
  const float top = std::min(kTop, h), under = h - top;
  const bool hasRight = w >= kLeastLeft + kLeastMiddle + kLeastRight + 80,
             hasBottom = under >= kLeastAbove + kLeastBottom;
  // Priority: pictures, then the worksheet, then the inspector.
  float right = hasRight ? std::clamp(wanted.right, kLeastRight, std::max(kLeastRight, w * 0.4F)) : 0;
  float left = std::clamp(wanted.left, kLeastLeft, std::max(kLeastLeft, w * (hasRight ? 0.75F : 0.5F)));
  if (hasRight) right = std::clamp(w - left - kLeastMiddle, kLeastRight, right);
  left = std::max(std::min(left, w - right - kLeastMiddle), std::min(kLeastLeft, w * 0.45F));
  // In a low window the pictures have most of the height.
  const float mostBottom = std::clamp(std::max(0.35F * under, under - kEnoughAbove), kLeastBottom, under - kLeastAbove);
  const float bottom = hasBottom ? std::clamp(wanted.bottom, kLeastBottom, mostBottom) : 0;
  // Snap edges to whole pixels.
  const auto pixels = [&](float points) { return std::round(points * scale); };
  const float x1 = std::min(pixels(left), screen.x), x2 = std::max(x1, screen.x - pixels(right));
  const float y1 = std::min(pixels(top), screen.y), y2 = std::max(y1, screen.y - pixels(bottom));
  return {{{0, 0}, {screen.x, y1}},
          {{0, y1}, {x1, screen.y - y1}},
          {{x1, y1}, {x2 - x1, y2 - y1}},
          {{x2, y1}, {screen.x - x2, y2 - y1}},
          {{x1, y2}, {screen.x - x1, screen.y - y2}}};
}

}  // namespace tessera
