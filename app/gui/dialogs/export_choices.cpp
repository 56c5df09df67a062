#include "app/gui/dialogs/export_choices.h"

#include "app/widgets/ui.h"
#include "render/figure/compared.h"

namespace tessera::panes {
namespace {

using ui::px;

void row(const char* name) {
  ImGui::AlignTextToFramePadding();
  ui::label(name, Role::Muted, ui::look().fonts.sans);
  ImGui::SameLine(px(110));
}

}  // namespace

void exportChoices(const Session& session, ExportChoices& choices) {
  const Theme theme = choices.theme.value_or(session.preferences.theme);
  row("Theme");
  if (ui::rowButton("export.theme.light", "light", theme == Theme::Light)) choices.theme = Theme::Light;
  if (ui::rowButton("export.theme.dark", "dark", theme == Theme::Dark)) choices.theme = Theme::Dark;
  ImGui::NewLine();
  row("Scale of PNG");
  for (const auto& [id, label, scale] :
       {std::tuple{"export.scale.1", "1x", 1.0}, {"export.scale.2", "2x", 2.0}, {"export.scale.4", "4x", 4.0}})
    if (ui::rowButton(id, label, choices.scale == scale)) choices.scale = scale;
  ImGui::NewLine();
  row("Background");
  if (ui::rowButton("export.background.filled", "filled", !choices.transparent)) choices.transparent = false;
  if (ui::rowButton("export.background.none", "transparent", choices.transparent)) choices.transparent = true;
  ImGui::NewLine();
  ImGui::Dummy({0, px(4)});
}

namespace {

InkOptions inkOf(const Session& session, const ExportChoices& choices) {
  InkOptions options;
  options.theme = choices.theme.value_or(session.preferences.theme);
  options.scale = choices.scale;
  options.transparent = choices.transparent;
  return options;
}

// Manually lit cells are lit in the file, too.
Figure withLights(Figure figure, const Session& session) {
  figure.lit.insert(figure.lit.end(), session.litPoints.begin(), session.litPoints.end());
  if (session.pinned) figure.lit.push_back(session.pinned->point);
  return figure;
}

// Both compared pictures in one.
bool exportCompared(Session& session, const CompareState& c, const ExportChoices& choices, const std::string& path) {
  if (!c.ofA || !c.ofB || !c.ofA->figure || !c.ofB->figure) {
    session.tell("no pictures are compared", true);
    return false;
  }
  const std::size_t dot = path.rfind('.');
  const std::string format = dot == std::string::npos ? "" : path.substr(dot + 1);
  Figure both = comparisonFor(format, *c.ofA->figure, *c.ofB->figure, c.marks);
  // With marks, only the differing cells are lit.
  if (!c.marks) both = withLights(std::move(both), session);
  return exportFigure(session, both, path, inkOf(session, choices));
}

}  // namespace

bool exportSeen(Session& session, CanvasState& canvas, const ExportChoices& choices, const std::string& path) {
  if (canvas.exportOutcome == kCompared) return exportCompared(session, canvas.compare, choices, path);
  const std::shared_ptr<const Outcome> seen = seenInPane(session, canvas, canvas.exportOutcome);
  if (!seen || !seen->figure) {
    session.tell("there is no picture to export", true);
    return false;
  }
  return exportFigure(session, withLights(*seen->figure, session), path, inkOf(session, choices));
}

}  // namespace tessera::panes
