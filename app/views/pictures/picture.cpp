#include "app/views/pictures/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/views/pictures/follow.h"
#include "app/widgets/keyboard.h"
#include "app/widgets/ui.h"

namespace tessera::panes {
namespace {

using ui::px;

// Draws a figure's scene (render/gl/scene.h) through ImGui's draw lists, a grid as one textured quad. Origin: the
// device position of the view's (0,0). `key` identifies the picture's textures, `content` changes with the contents of
// its cells.
class CanvasPainter final : public Painter {
 public:
  CanvasPainter(ImVec2 origin, GridTextures& textures, std::string key, std::uint64_t content)
      : origin_(origin), textures_(textures), key_(std::move(key)), content_(content) {}

  void rect(const Rect& r, Rgba fill, Rgba stroke, double strokeWidth, double radius) override {
    const ImVec2 a = at(r.x, r.y), b = at(r.x + r.w, r.y + r.h);
    const auto round = static_cast<float>(radius);
    if (fill.a > 0) list_->AddRectFilled(a, b, ui::color(fill), round);
    if (stroke.a > 0 && strokeWidth > 0)
      list_->AddRect(a, b, ui::color(stroke), round, 0, static_cast<float>(strokeWidth));
  }

  void line(double x0, double y0, double x1, double y1, Rgba color, double width, bool arrow) override {
    const ImVec2 a = at(x0, y0), b = at(x1, y1);
    // Vertical and horizontal lines are on whole pixels, like the gaps between cells.
    const float n = std::max(1.0F, std::round(static_cast<float>(width)));
    if (!arrow && (a.x == b.x || a.y == b.y)) {
      ImVec2 from = {std::min(a.x, b.x), std::min(a.y, b.y)}, to = {std::max(a.x, b.x), std::max(a.y, b.y)};
      float &low = a.x == b.x ? from.x : from.y, &high = a.x == b.x ? to.x : to.y;
      low = std::round(low - n / 2);
      high = low + n;
      return list_->AddRectFilled(from, to, ui::color(color));
    }
    list_->AddLine(a, b, ui::color(color), static_cast<float>(width));
    const float dx = b.x - a.x, dy = b.y - a.y, len = std::sqrt(dx * dx + dy * dy);
    if (!arrow || len < 1) return;
    const float h = std::min(px(7), len * 0.6F), ux = dx / len, uy = dy / len;
    list_->AddTriangleFilled(b, {b.x - ux * h - uy * h * 0.45F, b.y - uy * h + ux * h * 0.45F},
                             {b.x - ux * h + uy * h * 0.45F, b.y - uy * h - ux * h * 0.45F}, ui::color(color));
  }

  void text(double x, double y, const std::string& s, Rgba color, double size, Face face, Align align) override {
    // Scales down the next larger font; a type size is an em, ImGui's font size a line.
    const ui::Fonts& f = ui::look().fonts;
    const bool mono = face == Face::Mono || face == Face::MonoBold;
    const double line = size * (mono ? 1.32 : 1.21);
    ImFont* font = nullptr;
    const auto choose = [&](ImFont* const* fonts, int n) {
      font = fonts[n - 1];
      for (int k = n; k-- > 0;)
        if (fonts[k]->FontSize >= line * 0.92) font = fonts[k];
    };
    if (face == Face::Mono) choose(f.cells, 5);
    if (face == Face::MonoBold) choose(f.cellsBold, 2);
    if (face == Face::Sans) choose(f.figure, 3);
    if (face == Face::SansMedium) font = f.sansMedium;
    auto used = static_cast<float>(line);
    if (std::abs(font->FontSize - used) < 1.1F)
      used = font->FontSize;  // a sharp rendering is better than an exact size
    const float w = font->CalcTextSizeA(used, 1e9F, 0, s.data(), s.data() + s.size()).x;
    ImVec2 p = at(x, y);
    p.x -= align == Align::Left ? 0 : align == Align::Center ? w / 2 : w;
    p.y -= used / 2;
    list_->AddText(font, used, {std::round(p.x), std::round(p.y)}, ui::color(color), s.data(), s.data() + s.size());
  }

  void hatch(const Rect& r, Rgba color) override {
    const ImVec2 a = at(r.x, r.y), b = at(r.x + r.w, r.y + r.h);
    const float step = px(6.5), w = b.x - a.x, h = b.y - a.y;
    for (float d = step; d < w + h; d += step) {
      const ImVec2 p = {a.x + std::min(d, w), a.y + std::max(0.0F, d - w)},
                   q = {a.x + std::max(0.0F, d - h), a.y + std::min(d, h)};
      list_->AddLine(p, q, ui::color(color), 1);
    }
  }

  void cells(const CellBlock& block) override {
    const unsigned int name = textures_.texture(key_ + "/" + block.grid->name, content_, block);
    const ImVec2 a = at(block.where.x, block.where.y),
                 b = at(block.where.x + block.where.w, block.where.y + block.where.h);
    list_->AddImage(reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(name)), a, b);
    if (block.gap <= 0) return;
    const ImU32 c = ui::color(tessera::canvas(block.theme));
    // Whole pixels: a thinner line would be drawn between some cells and not between others.
    const float gap = std::max(1.0F, std::round(static_cast<float>(block.gap)));
    const i64 cols = block.col1 - block.col0, rows = block.row1 - block.row0;
    for (i64 k = 0; k <= cols; ++k) {
      const float left = std::round(a.x + (b.x - a.x) * static_cast<float>(k) / static_cast<float>(cols) - gap / 2);
      list_->AddRectFilled({left, a.y - gap}, {left + gap, b.y + gap}, c);
    }
    for (i64 k = 0; k <= rows; ++k) {
      const float top = std::round(a.y + (b.y - a.y) * static_cast<float>(k) / static_cast<float>(rows) - gap / 2);
      list_->AddRectFilled({a.x - gap, top}, {b.x + gap, top + gap}, c);
    }
  }

 private:
  [[nodiscard]] ImVec2 at(double x, double y) const {
    return {origin_.x + static_cast<float>(x), origin_.y + static_cast<float>(y)};
  }
  ImDrawList* list_ = ImGui::GetWindowDrawList();
  ImVec2 origin_;
  GridTextures& textures_;
  std::string key_;
  std::uint64_t content_;
};

// Shift isolates the thread's quad, Ctrl its warp, Alt the thread alone; repeating it shows all again.
void isolate(PaneView& look, i64 thread, const ImGuiIO& io) {
  const std::string kind = io.KeyCtrl ? "warp" : io.KeyShift ? "quad" : "thread";
  const i64 number = kind == "warp" ? thread / 32 : kind == "quad" ? thread / 4 : thread;
  const bool again = look.isolate == kind && look.number == number;
  look.isolate = again ? "" : kind;
  look.number = number;
}

// Centres a cell and enlarges it until readable.
void revealCell(const Figure& figure, Pane& pane, const CanvasState::Reveal& to, ImVec2 size) {
  if (to.grid >= figure.grids.size()) return;
  const Grid& g = figure.grids[to.grid];
  const double least = static_cast<double>(px(26)) / std::min(g.cellWidth, g.cellHeight);
  const double x = g.x + (static_cast<double>(to.col) + 0.5) * g.cellWidth,
               y = g.y + (static_cast<double>(to.row) + 0.5) * g.cellHeight;
  const bool seen = x > pane.x && y > pane.y && x < pane.x + size.x / pane.scale && y < pane.y + size.y / pane.scale;
  if (!seen || pane.scale < least * 0.7) lookAt(figure, pane, x, y, least, size);
}

// fit and Home: the whole picture, in the visible part of the column.
void fitWhole(Pane& pane) {
  pane.moved = false;
  pane.sight.whole = true;
}

// A note of one or more lines, and a link after it or in a line of its own. Returns whether it was clicked.
bool noteWithLink(Pane& pane, std::size_t index, const char* note, const char* link, const char* words, float width) {
  ImFont* font = ui::look().fonts.small;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float row = font->FontSize + px(4);
  const std::vector<std::string> lines = ui::wrapped(note, font, width);
  int below = -1;
  float end = 0;
  for (const std::string& line : lines) {
    ++below;
    end = ui::width(font, line);
    const ImVec2 place = {at.x, at.y + row * static_cast<float>(below)};
    ui::text(font, place, Role::Unknown, line);
    if (below == 0) ui::place(fmt::format("figure.{}.note", index), place, {place.x + end, place.y + font->FontSize});
  }
  float x = end + px(10);
  if (x + ui::width(font, words) > width) {
    x = 0;
    ++below;
  }
  pane.sight.noted = std::max(pane.sight.noted, below + 1);
  ImGui::SetCursorScreenPos({at.x + x, at.y + row * static_cast<float>(below)});
  return ui::link(fmt::format("figure.{}.{}", index, link), words);
}

// Says that texts are too small to be drawn, with a link to where they are, or that a long text is shown from its top,
// with a link to the whole. The lines stay once they are there, so that zooming does not move the pictures below.
void noteOmitted(const Figure& figure, Pane& pane, const Omitted& omitted, bool cut, ImVec2 size, std::size_t index) {
  if (pane.sight.noted == 0 && !omitted.any() && !cut) return;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (omitted.any()) {
    const char* note = omitted.labels  ? "The labels of cells are too small to draw at this size."
                       : omitted.parts ? "Some labels are too small to draw at this size."
                                       : "Some words are too small to draw at this size.";
    if (noteWithLink(pane, index, note, "read", "Zoom to read", size.x)) {
      const double scale = readableScale(figure, ui::look().scale);
      const Grid* first = figure.grids.empty() ? nullptr : figure.grids.data();
      const Rect all = extentIn(figure, pane);
      const double x = first != nullptr ? first->x : all.x, y = first != nullptr ? first->y : all.y;
      lookAt(figure, pane, x + size.x / scale / 2 - 30, y + size.y / scale / 2 - 30, scale, size);
    }
  } else if (cut) {
    const char* note = "Only the beginning is shown, at a readable size; the scroll bar leads to the rest.";
    if (noteWithLink(pane, index, note, "all", "Show the whole", size.x)) fitWhole(pane);
  }
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({size.x, (ui::look().fonts.small->FontSize + px(4)) * static_cast<float>(pane.sight.noted)});
}

// The caption, and for a focused picture how to leave it, if there is room.
void captionUnder(const std::string& caption, bool focused) {
  ImFont* font = ui::look().fonts.small;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const char* hint = "wheel zooms   Esc leaves";
  const float wide = ui::width(font, hint);
  if (focused && ui::width(font, caption) + wide + px(24) < width)
    ui::text(font, {at.x + width - wide, at.y}, Role::Accent, hint);
  if (!caption.empty()) ui::paragraph(caption, Role::Muted, font);
}

// The picture's badges, at text size for any picture scale.
void badgeRow(const Figure& figure, Theme theme, GridTextures& textures, float width) {
  if (figure.badges.empty()) return;
  const double scale = ui::look().scale;
  Figure row;
  const double height = addBadges(row.marks, figure.badges, 0, 1, static_cast<double>(width) / scale);
  CanvasPainter painter(ImGui::GetCursorScreenPos(), textures, "badges", 0);
  View view;
  view.scale = scale;
  paintScene(row, view, theme, {}, painter);
  ImGui::Dummy({width, std::round(px(height))});
}

}  // namespace

Hit hitTest(const Figure& f, double x, double y) {
  for (const Grid& g : f.grids) {
    const Rect b = g.bounds();
    if (x < b.x || y < b.y || x >= b.x + b.w || y >= b.y + b.h) continue;
    return {&g, std::min(g.rows - 1, static_cast<i64>((y - b.y) / g.cellHeight)),
            std::min(g.cols - 1, static_cast<i64>((x - b.x) / g.cellWidth))};
  }
  return {};
}

void pointAt(Session& session, const std::shared_ptr<const Outcome>& seen, std::size_t outcome, Pane& pane,
             ImVec2 origin, bool threads) {
  const ImGuiIO& io = ImGui::GetIO();
  const double dx = io.MousePos.x - origin.x, dy = io.MousePos.y - origin.y;
  if (!ImGui::IsItemHovered()) return;
  const Hit hit = hitTest(*seen->figure, pane.x + dx / pane.scale, pane.y + dy / pane.scale);
  if (hit.grid == nullptr) return;
  const Cell cell = hit.grid->cells->cell(hit.row, hit.col);
  if (!cell.point.real()) return;
  const Hover here{cell.point, outcome, hit.grid->name, hit.row, hit.col, cell.label, seen, pointsOf(cell)};
  session.hover = here;
  if (!ImGui::IsMouseReleased(0) || io.MouseDragMaxDistanceSqr[0] >= px(4) * px(4)) return;
  if (threads && isThread(cell.point) && (io.KeyShift || io.KeyCtrl || io.KeyAlt)) {
    isolate(pane.look, cell.point.index, io);
  } else if (session.pinned && session.pinned->points == here.points) {
    session.pinned.reset();
  } else {
    session.pinned = here;
  }
}

Omitted paintPicture(const Figure& figure, const Pane& pane, ImVec2 origin, ImVec2 size, const Lights& lights,
                     Theme theme, GridTextures& textures, const std::string& key, std::uint64_t content,
                     const PaintHow& how) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect(origin, {origin.x + size.x, origin.y + size.y}, true);
  View view;
  view.scale = pane.scale;
  view.x = pane.x;
  view.y = pane.y;
  view.clip = {0, 0, static_cast<double>(size.x), static_cast<double>(size.y)};
  view.minLabel = 22 * how.least * static_cast<double>(ui::look().scale);
  view.minBorder = 5 * static_cast<double>(ui::look().scale);
  view.texts = how.texts;
  CanvasPainter painter(origin, textures, key, content);
  const Omitted omitted = paintScene(figure, view, theme, lights, painter);
  list->PopClipRect();
  return omitted;
}

void moveAbout(const Figure& figure, Pane& pane, ImVec2 origin, ImVec2 size, bool focused, bool dragTaken) {
  const ImGuiIO& io = ImGui::GetIO();
  const double dx = io.MousePos.x - origin.x, dy = io.MousePos.y - origin.y;
  if (!dragTaken && ImGui::IsItemActive() && ImGui::IsMouseDragging(0, px(4)))
    panBy(figure, pane, -static_cast<double>(io.MouseDelta.x), -static_cast<double>(io.MouseDelta.y), size);
  if (!ImGui::IsItemHovered()) return;
  const double step = static_cast<double>(px(60));
  if ((io.KeyCtrl || (focused && !io.KeyShift)) && io.MouseWheel != 0) {
    zoomAt(figure, pane, std::pow(1.18, static_cast<double>(io.MouseWheel)), dx, dy, size);
    takeWheel();
  }
  const double sideways = io.MouseWheelH != 0 ? io.MouseWheelH : io.KeyShift ? io.MouseWheel : 0;
  if (sideways != 0 && panBy(figure, pane, -sideways * step, 0, size)) takeWheel();
  // Clicks with a key isolate threads.
  if (ImGui::IsMouseDoubleClicked(0) && !io.KeyShift && !io.KeyCtrl && !io.KeyAlt) fitWhole(pane);
}

// Keys of the focused picture: arrows pan, + and - zoom, 0 and Home fit.
static void moveByKeys(const Figure& figure, Pane& pane, ImVec2 size) {
  if (pane.sight.rows.keys) return;  // they are the table's keys
  const auto pressed = [](ImGuiKey key) { return ui::keyboard().pressed(ui::Owner::Pictures, key); };
  const double step = static_cast<double>(px(60));
  const bool clock = hasClock(figure);  // they are the player's keys
  if (!clock && pressed(ImGuiKey_LeftArrow)) panBy(figure, pane, -step, 0, size);
  if (!clock && pressed(ImGuiKey_RightArrow)) panBy(figure, pane, step, 0, size);
  if (pressed(ImGuiKey_UpArrow)) panBy(figure, pane, 0, -step, size);
  if (pressed(ImGuiKey_DownArrow)) panBy(figure, pane, 0, step, size);
  for (const ImWchar c : ui::keyboard().typed(ui::Owner::Pictures)) {
    if (c == '+' || c == '=') zoomAt(figure, pane, 1.25, size.x / 2, size.y / 2, size);
    if (c == '-') zoomAt(figure, pane, 0.8, size.x / 2, size.y / 2, size);
    if (c == '0') fitWhole(pane);
  }
  if (pressed(ImGuiKey_Home)) fitWhole(pane);
}

void figurePane(Session& session, CanvasState& state, GridTextures& textures,
                const std::shared_ptr<const Outcome>& asked, std::size_t index, const std::string& key,
                float paneHeight) {
  const CrashLog::Mark mark(session.evaluation().crashes(), asked->statement.text);
  Pane& pane = state.panes[key];
  pane.look.asked = state.lights.askedOf(state.asked, *asked);
  // In steps of 40 points: a splitter that is dragged does not draw in every frame.
  constexpr double kNarrow = 880, kStep = 40;
  const double points = ImGui::GetContentRegionAvail().x / ui::look().scale;
  const bool always = viewOf(pane.look, *asked) == "player";  // it magnifies what a pane of any width cannot label
  pane.look.width = points < kNarrow || always ? std::max(1.0, std::floor(points / kStep)) * kStep : 0;
  const std::shared_ptr<const Outcome> o = seenThrough(pane.look, asked, pane.shown, pane.shownKey);
  const Figure& figure = *o->figure;
  const bool threads = isOfThreads(viewOf(pane.look, *o));
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 top = ImGui::GetCursorScreenPos();
  state.follow.traces[key].top = top.y;
  header(session, *o, *asked, index, key, state, pane, width);
  if (hasSliders(figure)) {
    playerBar(pane.look, figure, index, state);
  } else {
    modeBar(pane.look, figure, index);
  }
  badgeRow(figure, session.preferences.theme, textures, width);
  const double unit = ui::look().scale;
  // Whole pixels: the difference of two places on the screen depends on the scroll position in its last digits.
  const float head = ImGui::GetCursorScreenPos().y - top.y;
  const float all = std::max(px(120), std::round(ImGui::GetWindowHeight() - head - px(62)));
  const RowsRoom rows = rowsRoom(figure, width, all);
  const float notes = (ui::look().fonts.small->FontSize + px(4)) * static_cast<float>(pane.sight.noted);
  const float below = rows.beside || rows.height == 0 ? 0 : rows.height + px(8) + notes;
  const float visible = std::max(px(80), all - below), left = rows.beside ? width - rows.width - px(16) : width;
  // With a table below it, both are in sight.
  FirstFit first = pane.sight.whole || below > 0
                       ? wholeFit(figure, left, visible, unit)
                       : firstFit(figure, left, std::max(px(120), std::min(std::round(paneHeight), visible)), unit,
                                  state.onlyLine == asked->statement.line);
  // Its scroll bars, its map and the line below it are in sight.
  if (first.cut) first.height = std::min(first.height, static_cast<double>(visible));
  // In whole pixels, not less than the fit needs: otherwise the column's length would depend on the scroll position.
  const ImVec2 size = {left, std::ceil(static_cast<float>(first.height) - 0.001F)};
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  ImGui::PushID(static_cast<int>(index));
  ui::hitArea("picture", size);
  ImGui::PopID();
  ui::placeLast(fmt::format("figure.{}.picture", index));
  if (ImGui::IsItemActivated()) {
    state.clicked = key;
    pane.sight.rows.keys = false;
  }
  if (!pane.moved || !std::isfinite(pane.scale)) fit(first, pane);
  if (state.reveal && state.reveal->pane == key) revealCell(figure, pane, *std::exchange(state.reveal, {}), size);
  const bool focused = state.focused == key;
  const bool scrolled = scrollPane(figure, pane, origin, size);
  if (figure.rows) markRows(figure, pane, origin, size, index);
  const bool dragged = scrolled || pointAtDoors(figure, *o, pane, origin);
  moveAbout(figure, pane, origin, size, focused, dragged);
  if (focused) moveByKeys(figure, pane, size);
  if (focused) playerKeys(pane.look, figure);
  if (!scrolled) pointAt(session, o, index, pane, origin, threads);
  if (!pane.moved) fit(first, pane);
  pane.drawn = o;
  const ImVec2 corner = {origin.x + size.x, origin.y + size.y};
  Omitted omitted;
  if (ImGui::IsRectVisible(origin, corner)) {
    const Theme theme = session.preferences.theme;
    const auto content = reinterpret_cast<std::uintptr_t>(o.get());
    omitted = paintPicture(figure, pane, origin, size, state.lights.in(figure), theme, textures, key, content);
    paintScroll(figure, pane, origin, size, theme, textures, key, content, index);
  }
  if (focused && !pane.sight.rows.keys)
    ImGui::GetWindowDrawList()->AddRect(origin, corner, ui::color(Role::Accent, 0.8), px(3), 0, px(1));
  noteOmitted(figure, pane, omitted, first.cut && !pane.moved, size, index);
  drawLinkFrame(state, key, *asked, index, origin, corner);
  if (rows.height > 0) {
    const ImVec2 under = ImGui::GetCursorScreenPos();
    if (rows.beside) ImGui::SetCursorScreenPos({origin.x + left + px(16), origin.y});
    rowsTable(*o, state, pane, key, index, rows);
    if (rows.beside) ImGui::SetCursorScreenPos({under.x, std::max(under.y, origin.y + rows.height + px(6))});
  }
  captionUnder(threads ? figure.caption + " Alt-click isolates a thread, Shift-click its quad, Ctrl-click its warp."
                       : figure.caption,
               focused);
  ImGui::Dummy({0, px(6)});
  const ImVec2 under = ImGui::GetCursorScreenPos();
  ui::hairline({under.x - px(16), under.y}, {under.x + width + px(16), under.y});
  ImGui::Dummy({0, px(8)});
  pane.taken = ImGui::GetCursorScreenPos().y - top.y;
}

}  // namespace tessera::panes
