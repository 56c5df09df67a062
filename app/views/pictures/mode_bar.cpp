#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "app/views/pictures/picture.h"
#include "app/widgets/keyboard.h"
#include "app/widgets/ui.h"

namespace tessera::panes {
namespace {

using ui::px;
using Part = FigureMode::Part;

constexpr std::array<const char*, 4> kParts = {"rows", "columns", "facets", "fixed"};

std::string labelOf(const FigureMode& mode) {
  return fmt::format("{}: {}", mode.name, kParts[static_cast<std::size_t>(mode.part)]);
}

// The role selected in a mode's menu, if any.
std::optional<Part> partMenu(const FigureMode& mode, const std::string& name) {
  std::optional<Part> chosen;
  if (!ui::menu(name, labelOf(mode))) return chosen;
  for (std::size_t k = 0; k < kParts.size(); ++k)
    if (ui::menuItem(fmt::format("{}.{}", name, kParts[k]), kParts[k], Part(k) == mode.part)) chosen = Part(k);
  ui::endMenu();
  return chosen;
}

constexpr double kSliderWidth = 120;

bool hasSlider(const FigureMode& mode) { return mode.part == Part::Fixed && mode.extent > 1; }

float widthOf(const FigureMode& mode) {
  return ui::width(ui::look().fonts.small, labelOf(mode) + "    ") + px(20 + (hasSlider(mode) ? kSliderWidth + 50 : 0));
}

constexpr std::array<int, 4> kSpeeds = {1, 4, 16, 64};  // multiples of kRate steps per second
constexpr double kRate = 1.5;
constexpr double kStepSlider = 220, kSlider = 90;

int speedOf(const PaneView& pane) { return kSpeeds[pane.pace % kSpeeds.size()]; }

void go(PaneView& pane, const Figure& figure, std::size_t mode, i64 value) {
  pane.modes = figure.modes;
  pane.modes[mode].value = std::clamp<i64>(value, 0, figure.modes[mode].extent - 1);
}

// Advances by the steps that are due.
void tick(PaneView& pane, const Figure& figure, CanvasState& state) {
  if (!pane.playing) return;
  state.animating = true;
  const double now = ImGui::GetTime(), every = 1 / (kRate * speedOf(pane));
  if (now < pane.next) return;
  const auto steps = static_cast<i64>(std::clamp(std::floor((now - pane.next) / every) + 1, 1.0, 64.0));
  const FigureMode& clock = figure.modes[0];
  if (clock.value + steps >= clock.extent) pane.playing = false;
  go(pane, figure, 0, clock.value + steps);
  pane.next = now + every;
}

void play(PaneView& pane, const Figure& figure) {
  pane.playing = !pane.playing;
  pane.next = ImGui::GetTime() + 1 / (kRate * speedOf(pane));
  if (pane.playing && figure.modes[0].value + 1 >= figure.modes[0].extent) go(pane, figure, 0, 0);
}

void transport(PaneView& pane, const Figure& figure, std::size_t index, CanvasState& state) {
  const FigureMode& clock = figure.modes[0];
  const auto button = [&](const char* name, const char* label) {
    const bool hit = ui::button(fmt::format("figure.{}.{}", index, name), label);
    ImGui::SameLine(0, px(4));
    return hit;
  };
  if (button("first", "|<")) go(pane, figure, 0, 0);
  if (button("back", "<")) go(pane, figure, 0, clock.value - 1);
  if (button("play", pane.playing ? "pause" : "play")) play(pane, figure);
  if (button("forward", ">")) go(pane, figure, 0, clock.value + 1);
  if (button("last", ">|")) go(pane, figure, 0, clock.extent - 1);
  if (button("speed", fmt::format("{}x", speedOf(pane)).c_str()))
    pane.pace = static_cast<unsigned char>((pane.pace + 1U) % kSpeeds.size());
  tick(pane, figure, state);
}

}  // namespace

void modeBar(PaneView& pane, const Figure& figure, std::size_t index) {
  if (figure.modes.empty()) return;
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float right = start.x + ImGui::GetContentRegionAvail().x;
  float x = start.x, y = start.y;
  for (std::size_t k = 0; k < figure.modes.size(); ++k) {
    const FigureMode& mode = figure.modes[k];
    const float width = widthOf(mode);
    if (k > 0 && x + width > right) {
      x = start.x;
      y += px(28);
    }
    ImGui::SetCursorScreenPos({x, y});
    x += width + px(12);
    const std::string name = fmt::format("figure.{}.mode.{}", index, k);
    if (const auto part = partMenu(mode, name)) {
      pane.modes = figure.modes;
      givePart(pane.modes, k, *part);
    }
    if (!hasSlider(mode)) continue;
    ImGui::SameLine(0, px(6));
    i64 value = mode.value;
    const bool moved = ui::slider(name + ".slider", value, mode.extent - 1, px(kSliderWidth));
    ImGui::SameLine(0, px(6));
    ui::text(ui::look().fonts.small, {ImGui::GetCursorScreenPos().x, y + px(4)}, Role::Text, fmt::format("{}", value));
    if (moved) go(pane, figure, k, value);
  }
  ImGui::SetCursorScreenPos({start.x, y + px(30)});
}

bool hasClock(const Figure& figure) { return !figure.modes.empty() && figure.modes[0].name == "step"; }
bool hasSliders(const Figure& figure) {
  const bool spec = figure.modes.size() == 3 && figure.modes[0].name == "spec";
  if (!figure.modes.empty() && !figure.modes[0].values.empty()) return true;
  return hasClock(figure) || spec || (figure.modes.size() == 1 && figure.modes[0].name == "thread");
}

void playerBar(PaneView& pane, const Figure& figure, std::size_t index, CanvasState& state) {
  const ImVec2 start = ImGui::GetCursorScreenPos();
  const float right = start.x + ImGui::GetContentRegionAvail().x;
  float y = start.y;
  if (hasClock(figure)) transport(pane, figure, index, state);
  float left = start.x;
  if (!figure.modes.empty() && !figure.modes[0].values.empty()) {  // sizes of a tile
    ui::text(ui::look().fonts.small, {start.x, y + px(4)}, Role::Text, "tile");
    left += ui::width(ui::look().fonts.small, "tile") + px(12);
    ImGui::SetCursorScreenPos({left - px(8), y});
  }
  for (std::size_t k = 0; k < figure.modes.size(); ++k) {
    const FigureMode& mode = figure.modes[k];
    if (mode.extent < 2) continue;
    i64 value = mode.value;
    const bool named = !mode.values.empty(), first = k == 0 && !named;
    const std::string number = named   ? mode.values[static_cast<std::size_t>(value)]
                               : first ? fmt::format("{} of {}", value, mode.extent)
                                       : fmt::format("{}", value);
    const float slider = px(first ? kStepSlider : kSlider), label = ui::width(ui::look().fonts.small, mode.name);
    const float wide = label + slider + px(24) + std::max(px(40), ui::width(ui::look().fonts.small, number));
    float x = ImGui::GetCursorScreenPos().x + px(8);
    if (x + wide > right) {
      x = left;
      y += px(28);
    }
    ui::text(ui::look().fonts.small, {x, y + px(4)}, Role::Muted, mode.name);
    ImGui::SetCursorScreenPos({x + label + px(8), y});
    if (ui::slider(fmt::format("figure.{}.{}.slider", index, mode.name), value, mode.extent - 1, slider))
      go(pane, figure, k, value);
    ui::text(ui::look().fonts.small, {x + label + slider + px(16), y + px(4)}, Role::Text, number);
    ImGui::SetCursorScreenPos({x + wide, y});
  }
  ImGui::SetCursorScreenPos({start.x, y + px(30)});
}

void playerKeys(PaneView& pane, const Figure& figure) {
  if (!hasClock(figure)) return;
  const auto pressed = [](ImGuiKey key) { return ui::keyboard().pressed(ui::Owner::Pictures, key); };
  const i64 by = ImGui::GetIO().KeyCtrl ? 10 : 1, now = figure.modes[0].value;
  if (pressed(ImGuiKey_LeftArrow)) go(pane, figure, 0, now - by);
  if (pressed(ImGuiKey_RightArrow)) go(pane, figure, 0, now + by);
  for (const ImWchar c : ui::keyboard().typed(ui::Owner::Pictures))
    if (c == ' ') play(pane, figure);
}

}  // namespace tessera::panes
