#include "app/gui/dialogs/export_dialog.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <tuple>

#include "app/engine/report/report.h"
#include "app/files/image_clipboard.h"
#include "app/files/report_file.h"
#include "app/files/write_file.h"
#include "app/gui/dialogs/file_dialogs.h"
#include "app/views/pictures/picture.h"
#include "app/widgets/ui.h"
#include "render/figure/compared.h"
#include "render/gl/first_fit.h"
#include "render/ink/page.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;
using ui::px;

// The exported figure also lights the cells that the user lit.
Figure withLights(Figure figure, const Session& session) {
  figure.lit.insert(figure.lit.end(), session.litPoints.begin(), session.litPoints.end());
  if (session.pinned) figure.lit.push_back(session.pinned->point);
  return figure;
}

Figure withParts(Figure figure, const ExportChoices& choices) {
  if (!choices.title) figure.title = figure.subtitle = "";
  if (!choices.caption) figure.caption.clear();
  if (!choices.legend) figure.badges.clear();
  return figure;
}

InkOptions inkOf(const Session& session, const ExportChoices& choices) {
  InkOptions options;
  options.theme = choices.theme.value_or(session.preferences.theme);
  options.scale = choices.scale;
  options.transparent = choices.transparent;
  return options;
}

std::string endingOf(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  return dot == std::string::npos ? "" : path.substr(dot + 1);
}

// The start of a row of small buttons.
void optionRow(const char* name) {
  ImGui::AlignTextToFramePadding();
  ui::label(name, Role::Muted, ui::look().fonts.sans);
  ImGui::SameLine(px(110));
}

void toggle(const char* name, const char* label, bool& value) {
  if (ui::rowButton(name, label, value)) value = !value;
}

void preview(const Figure& figure, const ExportChoices& choices, Theme theme, GridTextures& textures) {
  const ImVec2 size = {std::max(px(60), ImGui::GetContentRegionAvail().x), px(200)}, at = ImGui::GetCursorScreenPos();
  ui::area("export.preview", size);
  const ImU32 paper = choices.transparent ? ui::color(Role::Raised) : ui::color(canvas(theme));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, {at.x + size.x, at.y + size.y}, paper, px(4));
  panes::Pane pane;
  panes::fit(figure, pane, size.x, size.y);
  // Texts may have less than the 9 pixels of the window: a preview shows where they are.
  panes::paintPicture(figure, pane, at, size, {}, theme, textures, "export.preview",
                      figure.grids.empty() ? 0 : reinterpret_cast<std::uintptr_t>(figure.grids[0].cells.get()),
                      {.texts = true, .least = 0.2});
  list->AddRect(at, {at.x + size.x, at.y + size.y}, ui::color(Role::Hairline), px(4));
}

}  // namespace

Result<Figure> panes::exportedFigure(const Session& session, CanvasState& canvas, const ExportChoices& choices,
                                     const std::string& format) {
  if (canvas.exportOutcome != kCompared) {
    const std::shared_ptr<const Outcome> seen = seenInPane(session, canvas, canvas.exportOutcome);
    if (!seen || !seen->figure) return Diag{"there is no picture to export"};
    return withParts(withLights(*seen->figure, session), choices);
  }
  const CompareState& c = canvas.compare;
  if (!c.ofA || !c.ofB || !c.ofA->figure || !c.ofB->figure) return Diag{"no pictures are compared"};
  Figure both = comparisonFor(format, *c.ofA->figure, *c.ofB->figure, c.marks);
  // With marks, only the differing cells are lit.
  return withParts(c.marks ? std::move(both) : withLights(std::move(both), session), choices);
}

std::string panes::exportTitle(const Session& session, CanvasState& canvas) {
  if (canvas.exportOutcome == kCompared) return "Export both compared pictures";
  const auto seen = seenInPane(session, canvas, canvas.exportOutcome);
  if (!seen || !seen->figure) return "Export the picture";
  return fmt::format("Export \"{}\" of line {}", seen->figure->title, seen->statement.line);
}

void askExport(Session& session, WindowState& state, std::size_t outcome) {
  std::string name = outcome == panes::kCompared ? "comparison" : "";
  state.canvas.exportOutcome = outcome;
  if (const auto seen = panes::seenInPane(session, state.canvas, outcome); seen && seen->figure)
    name = fileNameOf(seen->figure->title);
  askForPath(state, PathQuestion::Ask::Export, (name.empty() ? "picture" : name) + ".svg");
  state.canvas.exportOutcome = outcome;
}

void panes::exportChoices(const Session& session, WindowState& state, GridTextures& textures) {
  ExportChoices& choices = state.question.exported;
  const Theme theme = choices.theme.value_or(session.preferences.theme);
  std::string pixels;
  if (state.question.ask == PathQuestion::Ask::Export) {
    if (const auto figure = exportedFigure(session, state.canvas, choices, endingOf(state.question.path))) {
      const Figure page = framed(*figure);
      preview(page, choices, theme, textures);
      ImGui::Dummy({0, px(2)});
      pixels = fmt::format("{:.0f} x {:.0f} px as PNG", std::ceil(page.width * choices.scale),
                           std::ceil(page.height * choices.scale));
    }
  }
  optionRow("Theme");
  if (ui::rowButton("export.theme.light", "light", theme == Theme::Light)) choices.theme = Theme::Light;
  if (ui::rowButton("export.theme.dark", "dark", theme == Theme::Dark)) choices.theme = Theme::Dark;
  ImGui::NewLine();
  optionRow("Size");
  for (const auto& [id, label, scale] :
       {std::tuple{"export.scale.1", "1x", 1.0}, {"export.scale.2", "2x", 2.0}, {"export.scale.4", "4x", 4.0}})
    if (ui::rowButton(id, label, choices.scale == scale)) choices.scale = scale;
  ui::label(pixels, Role::Muted, ui::look().fonts.small);
  optionRow("Background");
  if (ui::rowButton("export.background.filled", "filled", !choices.transparent)) choices.transparent = false;
  if (ui::rowButton("export.background.none", "transparent", choices.transparent)) choices.transparent = true;
  ImGui::NewLine();
  optionRow("Parts");
  toggle("export.part.title", "title", choices.title);
  toggle("export.part.legend", "legend", choices.legend);
  toggle("export.part.caption", "caption", choices.caption);
  ImGui::NewLine();
  ImGui::Dummy({0, px(4)});
}

bool panes::exportSeen(Session& session, CanvasState& canvas, const ExportChoices& choices, const std::string& path) {
  const auto figure = exportedFigure(session, canvas, choices, endingOf(path));
  if (!figure.ok()) return session.fail(figure.error());
  return exportFigure(session, *figure, path, inkOf(session, choices));
}

bool panes::copySeen(Session& session, CanvasState& canvas, const ExportChoices& choices) {
  const auto figure = exportedFigure(session, canvas, choices, "png");
  if (!figure.ok()) return session.fail(figure.error());
  const auto bytes = ink(*figure, "png", inkOf(session, choices));
  if (!bytes.ok()) return session.fail(bytes.error());
  if (const auto copied = copyImage(*bytes); !copied.ok()) return session.fail(copied.error());
  session.tell(fmt::format("copied \"{}\" as an image", figure->title));
  return true;
}

bool panes::exportReport(Session& session, CanvasState& canvas, const ExportChoices& choices, const std::string& path) {
  const auto now = session.evaluation().snapshot();
  ReportInput input;
  input.text = now->text;
  input.folder = pictureFolderOf(path);
  for (std::size_t k = 0; k < now->outcomes.size(); ++k) {
    const auto seen = seenInPane(session, canvas, k);
    input.outcomes.push_back(seen ? seen : now->outcomes[k]);
  }
  if (isPage(path)) {
    const std::vector<ReportPart> parts = partsOf(input);
    const auto written = writeFileAtomically(path, htmlOf(titleOf(parts, path), parts));
    if (!written.ok()) return session.fail(written.error());
    session.tell(fmt::format("wrote {}", path));
    return true;
  }
  const Report report = reportOf(input);
  std::vector<ReportFile> pictures;
  for (const auto& [file, figure] : report.pictures) {
    auto bytes = ink(withParts(withLights(figure, session), choices), "svg", inkOf(session, choices));
    if (!bytes.ok()) return session.fail(bytes.error());
    pictures.push_back({file, *std::move(bytes)});
  }
  if (const auto written = writeReport(path, report.markdown, pictures); !written.ok())
    return session.fail(written.error());
  session.tell(
      fmt::format("wrote {} with {} picture{}", path, report.pictures.size(), report.pictures.size() == 1 ? "" : "s"));
  return true;
}

}  // namespace tessera
