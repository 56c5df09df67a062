#include "app/views/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/views/figure_header.h"
#include "app/views/mode_bar.h"
#include "app/views/painter.h"
#include "app/views/pane_camera.h"
#include "app/widgets/ui.h"

namespace tessera::panes {
namespace {

using ui::px;

struct Hit {
  const Grid* grid = nullptr;
  i64 row = 0, col = 0;
};

Hit hitTest(const Figure& f, double x, double y) {
  for (const Grid& g : f.grids) {
    const Rect b = g.bounds();
    if (x < b.x || y < b.y || x >= b.x + b.w || y >= b.y + b.h) continue;
    return {&g, std::min(g.rows - 1, static_cast<i64>((y - b.y) / g.cellHeight)),
            std::min(g.cols - 1, static_cast<i64>((x - b.x) / g.cellWidth))};
  }
  return {};
}

Lights lightsOf(const Session& s) {
  Lights l;
  l.points = s.litPoints;
  if (s.pinned) l.points.push_back(s.pinned->point);
  if (s.hover) l.points.push_back(s.hover->point);
  return l;
}

// Shift keeps the quad of the thread, Ctrl its warp, Alt the thread alone; the same once more shows all again.
void isolate(PaneView& look, i64 thread, const ImGuiIO& io) {
  const std::string kind = io.KeyCtrl ? "warp" : io.KeyShift ? "quad" : "thread";
  const i64 number = kind == "warp" ? thread / 32 : kind == "quad" ? thread / 4 : thread;
  const bool again = look.isolate == kind && look.number == number;
  look.isolate = again ? "" : kind;
  look.number = number;
}

// Zoom at the cursor, drag, double click to fit, hover and click.
void interact(Session& session, const std::shared_ptr<const Outcome>& seen, std::size_t outcome, Pane& pane,
              ImVec2 origin, ImVec2 size, bool threads) {
  const Figure& figure = *seen->figure;
  ImGuiIO& io = ImGui::GetIO();
  const double dx = io.MousePos.x - origin.x, dy = io.MousePos.y - origin.y;
  if (ImGui::IsItemHovered() && io.MouseWheel != 0 && !io.KeyShift) {
    const double factor = std::pow(1.18, static_cast<double>(io.MouseWheel)), before = pane.scale;
    const Rect e = wanted(figure);
    const double least = std::min({size.x / e.w, size.y / e.h, 1.0}) * 0.5;
    pane.moved = true;
    pane.scale = std::clamp(pane.scale * factor, least, 40.0);
    pane.x += dx / before - dx / pane.scale;
    pane.y += dy / before - dy / pane.scale;
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0, px(4))) {
    pane.moved = true;
    pane.x -= io.MouseDelta.x / pane.scale;
    pane.y -= io.MouseDelta.y / pane.scale;
  }
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) pane.moved = false;
  if (!ImGui::IsItemHovered()) return;
  const Hit hit = hitTest(figure, pane.x + dx / pane.scale, pane.y + dy / pane.scale);
  if (hit.grid == nullptr) return;
  const Cell cell = hit.grid->cells->cell(hit.row, hit.col);
  if (!cell.point.real()) return;
  const Hover here{cell.point, outcome, hit.grid->name, hit.row, hit.col, cell.label, seen};
  session.hover = here;
  if (ImGui::IsMouseReleased(0) && io.MouseDragMaxDistanceSqr[0] < px(4) * px(4)) {
    if (threads && (io.KeyShift || io.KeyCtrl || io.KeyAlt)) {
      isolate(pane.look, cell.point.index, io);
      return;
    }
    if (session.pinned && session.pinned->point == here.point) {
      session.pinned.reset();
    } else {
      session.pinned = here;
    }
  }
}

void figurePane(Session& session, CanvasState& state, GridTextures& textures,
                const std::shared_ptr<const Outcome>& asked, std::size_t index, float paneHeight) {
  Pane& pane = state.panes[asked->statement.text];
  pane.look.asked = state.asked;
  const std::shared_ptr<const Outcome> o = seenThrough(pane.look, asked, pane.shown, pane.shownKey);
  const Figure& figure = *o->figure;
  const bool threads = isOfThreads(viewOf(pane.look, *o));
  const float width = ImGui::GetContentRegionAvail().x;
  header(session, *o, *asked, index, state, pane, width);
  modeBar(pane.look, figure, index);
  badgeRow(figure, session.theme, textures, width);
  const Rect e = wanted(figure);
  const double natural = std::min(1.5 * static_cast<double>(ui::look().scale), static_cast<double>(width) / e.w) * e.h;
  // A picture that is seen from afar, or alone, is there to be zoomed into:
  // it gets the room even if it does not fill it.
  const bool roomy = state.onlyLine == asked->statement.line || natural / e.h < 0.3;
  const float least =
      roomy ? std::max(px(90), paneHeight * (state.onlyLine == asked->statement.line ? 1.0F : 0.6F)) : px(90);
  const float height = std::clamp(static_cast<float>(natural), least, std::max({px(120), paneHeight, least}));
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImGui::PushID(static_cast<int>(index));
  ImGui::InvisibleButton("picture", {width, height});
  ImGui::PopID();
  ui::placeLast(fmt::format("figure.{}.picture", index));
  if (!pane.moved || !std::isfinite(pane.scale)) fit(figure, pane, width, height);
  interact(session, o, index, pane, origin, {width, height}, threads);
  if (!pane.moved) fit(figure, pane, width, height);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect(origin, {origin.x + width, origin.y + height}, true);
  View view;
  view.scale = pane.scale;
  view.x = pane.x;
  view.y = pane.y;
  view.clip = {0, 0, static_cast<double>(width), static_cast<double>(height)};
  view.minLabel = 22 * static_cast<double>(ui::look().scale);
  view.minBorder = 5 * static_cast<double>(ui::look().scale);
  CanvasPainter painter(list, origin, textures, o->statement.text, reinterpret_cast<std::uintptr_t>(o.get()));
  paintScene(figure, view, session.theme, lightsOf(session), painter);
  list->PopClipRect();
  const std::string caption =
      threads ? figure.caption + " Alt-click isolates a thread, Shift-click its quad, Ctrl-click its warp."
              : figure.caption;
  if (!caption.empty()) {
    ImGui::PushFont(ui::look().fonts.small);
    ImGui::PushStyleColor(ImGuiCol_Text, ui::colorVec(Role::Muted));
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(caption.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
    ImGui::PopFont();
  }
  ImGui::Dummy({0, px(6)});
  const ImVec2 under = ImGui::GetCursorScreenPos();
  list->AddLine({under.x - px(16), under.y}, {under.x + width + px(16), under.y}, ui::color(Role::Hairline));
  ImGui::Dummy({0, px(8)});
}

void emptyState(const Session& session) {
  const ui::Fonts& f = ui::look().fonts;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const char* head = session.document().text().empty() ? "Type or paste a layout" : "Nothing is shown yet";
  const char* lines[] = {"A = (4,8):(8,1)", "show A as grid", "prove injective(A)"};
  float y = at.y + room.y * 0.36F;
  const auto centred = [&](ImFont* font, const char* s, ImU32 c) {
    ui::text(list, font, {at.x + (room.x - ui::width(font, s)) / 2, y}, c, s);
    y += font->FontSize + px(6);
  };
  centred(f.sansMedium, head, ui::color(Role::Text));
  centred(f.small, "A line that says what to show brings its picture here:", ui::color(Role::Muted));
  y += px(6);
  for (const char* s : lines) centred(f.code, s, ui::color(Role::Faint));
}

}  // namespace

void canvas(Session& session, CanvasState& state, GridTextures& textures) {
  if (session.hover) {
    state.asked = session.hover->point;  // the steps stay where the mouse was last
  } else if (session.pinned) {
    state.asked = session.pinned->point;
  }
  session.hover.reset();
  state.animating = false;
  const auto now = session.snapshot();
  int figures = 0;
  for (const auto& o : now->outcomes) figures += o->figure.has_value();
  if (figures == 0) {
    emptyState(session);
    return;
  }
  const float room = ImGui::GetContentRegionAvail().y;
  const bool only = std::any_of(now->outcomes.begin(), now->outcomes.end(),
                                [&](const auto& o) { return o->figure && o->statement.line == state.onlyLine; });
  for (std::size_t k = 0; k < now->outcomes.size(); ++k) {
    const auto& o = now->outcomes[k];
    if (!o->figure || (only && o->statement.line != state.onlyLine)) continue;
    if (state.scrollToLine == o->statement.line) {
      ImGui::SetScrollHereY(0);
      state.scrollToLine = -1;
    }
    figurePane(session, state, textures, o, k, only || figures == 1 ? room - px(80) : room * 0.62F);
  }
}

}  // namespace tessera::panes
