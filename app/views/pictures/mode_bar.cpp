#include "app/views/pictures/mode_bar.h"

#include <fmt/format.h>

#include <array>

#include "app/widgets/ui.h"

namespace tessera::panes {
namespace {

using Part = FigureMode::Part;

struct PartName {
  Part part;
  const char* name;
};
constexpr std::array<PartName, 4> kParts = {
    {{Part::Rows, "rows"}, {Part::Columns, "columns"}, {Part::Facets, "facets"}, {Part::Fixed, "fixed"}}};

const char* nameOf(Part part) {
  for (const PartName& p : kParts)
    if (p.part == part) return p.name;
  return "";
}

// The role selected in a mode's menu, if any.
std::optional<Part> partMenu(const FigureMode& mode, const std::string& name) {
  std::optional<Part> chosen;
  if (!ui::menu(name, fmt::format("{}: {}", mode.name, nameOf(mode.part)))) return chosen;
  for (const PartName& p : kParts)
    if (ui::menuItem(fmt::format("{}.{}", name, p.name), p.name, p.part == mode.part)) chosen = p.part;
  ui::endMenu();
  return chosen;
}

constexpr double kSliderWidth = 120;

bool hasSlider(const FigureMode& mode) { return mode.part == Part::Fixed && mode.extent > 1; }

float widthOf(const FigureMode& mode) {
  const std::string label = fmt::format("{}: {}    ", mode.name, nameOf(mode.part));
  return ui::width(ui::look().fonts.small, label) + ui::px(20 + (hasSlider(mode) ? kSliderWidth + 50 : 0));
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
      y += ui::px(28);
    }
    ImGui::SetCursorScreenPos({x, y});
    x += width + ui::px(12);
    const std::string name = fmt::format("figure.{}.mode.{}", index, k);
    if (const auto part = partMenu(mode, name)) {
      pane.modes = figure.modes;
      givePart(pane.modes, k, *part);
    }
    if (!hasSlider(mode)) continue;
    ImGui::SameLine(0, ui::px(6));
    i64 value = mode.value;
    const bool moved = ui::slider(name + ".slider", value, mode.extent - 1, ui::px(kSliderWidth));
    ImGui::SameLine(0, ui::px(6));
    ui::text(ImGui::GetWindowDrawList(), ui::look().fonts.small, {ImGui::GetCursorScreenPos().x, y + ui::px(4)},
             ui::color(Role::Text), fmt::format("{}", value));
    if (!moved) continue;
    pane.modes = figure.modes;
    pane.modes[k].value = value;
  }
  ImGui::SetCursorScreenPos({start.x, y + ui::px(30)});
}

}  // namespace tessera::panes
