#include "app/gui/export_choices.h"

#include "app/widgets/ui.h"

namespace tessera::panes {
namespace {

using ui::px;

void row(const char* name) {
  ImGui::AlignTextToFramePadding();
  ImGui::PushStyleColor(ImGuiCol_Text, ui::colorVec(Role::Muted));
  ImGui::TextUnformatted(name);
  ImGui::PopStyleColor();
  ImGui::SameLine(px(110));
}

// One of several; true when it was clicked.
bool option(const char* id, const char* label, bool chosen) {
  const bool clicked = ui::button(id, label, chosen);
  ImGui::SameLine(0, px(6));
  return clicked;
}

}  // namespace

void exportChoices(const Session& session, ExportChoices& choices) {
  const Theme theme = choices.theme.value_or(session.theme);
  row("Theme");
  if (option("export.theme.light", "light", theme == Theme::Light)) choices.theme = Theme::Light;
  if (option("export.theme.dark", "dark", theme == Theme::Dark)) choices.theme = Theme::Dark;
  ImGui::NewLine();
  row("Scale of PNG");
  for (const auto& [id, label, scale] :
       {std::tuple{"export.scale.1", "1x", 1.0}, {"export.scale.2", "2x", 2.0}, {"export.scale.4", "4x", 4.0}})
    if (option(id, label, choices.scale == scale)) choices.scale = scale;
  ImGui::NewLine();
  row("Background");
  if (option("export.background.filled", "filled", !choices.transparent)) choices.transparent = false;
  if (option("export.background.none", "transparent", choices.transparent)) choices.transparent = true;
  ImGui::NewLine();
  ImGui::Dummy({0, px(4)});
}

bool exportSeen(Session& session, CanvasState& canvas, const ExportChoices& choices, const std::string& path) {
  const std::shared_ptr<const Outcome> seen = seenInPane(session, canvas, canvas.exportOutcome);
  if (!seen || !seen->figure) {
    session.tell("there is no picture to export", true);
    return false;
  }
  Figure figure = *seen->figure;
  figure.lit.insert(figure.lit.end(), session.litPoints.begin(), session.litPoints.end());
  if (session.pinned) figure.lit.push_back(session.pinned->point);
  InkOptions options;
  options.theme = choices.theme.value_or(session.theme);
  options.scale = choices.scale;
  options.transparent = choices.transparent;
  return session.exportFigure(figure, path, options);
}

}  // namespace tessera::panes
