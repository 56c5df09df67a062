#include "app/views/pictures/column.h"

#include <algorithm>
#include <cmath>

#include "app/widgets/keyboard.h"
#include "app/widgets/ui.h"

namespace tessera::panes {
namespace {

using ui::px;

constexpr double kTurn = 0.3;    // seconds: wheel events closer together are one turn
constexpr double kGlide = 0.05;  // seconds until a third of the distance is left
constexpr double kClick = 96;    // points

// Scroll distance by keys, in pixels.
float paged() {
  const float page = ImGui::GetWindowHeight() - px(48), all = ImGui::GetScrollMaxY();
  const auto pressed = [](ImGuiKey key) { return ui::keyboard().pressed(ui::Owner::Pictures, key); };
  float by = 0;
  if (pressed(ImGuiKey_PageUp)) by -= page;
  if (pressed(ImGuiKey_PageDown)) by += page;
  if (pressed(ImGuiKey_Home)) by -= all;
  if (pressed(ImGuiKey_End)) by += all;
  return by;
}

}  // namespace

void takeWheel() { ImGui::GetIO().MouseWheel = ImGui::GetIO().MouseWheelH = 0; }

void beginColumn(ColumnScroll& scroll) {
  const ImGuiIO& io = ImGui::GetIO();
  scroll.turned = 0;
  if (!ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem)) scroll.mine = false;
  if (io.MouseWheel == 0 && io.MouseWheelH == 0) return;
  if (ImGui::GetTime() - scroll.wheelAt > kTurn || io.KeyCtrl || io.KeyShift) scroll.mine = false;
  scroll.wheelAt = ImGui::GetTime();
  if (!scroll.mine) return;
  scroll.turned = io.MouseWheel;
  takeWheel();
}

bool endColumn(ColumnScroll& scroll) {
  ImGuiIO& io = ImGui::GetIO();
  const bool hovered = ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  if (ImGui::IsMouseClicked(0) && !hovered) scroll.keys = false;
  float by = -scroll.turned * px(kClick);
  if (hovered && io.MouseWheel != 0 && !io.KeyCtrl) {
    scroll.mine = true;
    by -= io.MouseWheel * px(kClick);
    takeWheel();
  }
  by += paged();
  // In whole pixels, like ImGui.
  const double at = ImGui::GetScrollY(), most = std::floor(ImGui::GetScrollMaxY());
  if (ImGui::IsMouseDown(0)) scroll.moving = false;  // the scrollbar or a picture is being dragged
  if (!scroll.moving) scroll.target = at;
  if (by != 0) scroll.moving = true;
  scroll.target = std::clamp(scroll.target + static_cast<double>(by), 0.0, std::max(0.0, most));
  if (!scroll.moving) return false;
  const double left = scroll.target - at, share = 1 - std::exp(-static_cast<double>(io.DeltaTime) / kGlide);
  // Scrolling is in whole pixels: a smaller step would have no effect.
  const double step = std::abs(left * share) < 1 ? std::clamp(left, -1.0, 1.0) : left * share;
  ImGui::SetScrollY(static_cast<float>(at + step));
  scroll.moving = std::abs(left) >= 1;
  return scroll.moving;
}

}  // namespace tessera::panes
