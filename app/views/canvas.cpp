#include "app/views/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/views/insert.h"
#include "app/views/mode_bar.h"
#include "app/widgets/ui.h"
#include "render/figure/badges.h"
#include "render/figure/text_metrics.h"
#include "render/gl/scene.h"

namespace tessera::panes {
namespace {

using ui::px;

// Draws scene calls through ImGui. Origin: the device position of the view's (0,0).
class CanvasPainter final : public Painter {
 public:
  CanvasPainter(ImDrawList* list, ImVec2 origin, GridTextures& textures, std::string key, std::uint64_t content)
      : list_(list), origin_(origin), textures_(textures), key_(std::move(key)), content_(content) {}

  void rect(const Rect& r, Rgba fill, Rgba stroke, double strokeWidth, double radius) override {
    const ImVec2 a = at(r.x, r.y), b = at(r.x + r.w, r.y + r.h);
    const auto round = static_cast<float>(radius);
    if (fill.a > 0) list_->AddRectFilled(a, b, ui::color(fill), round);
    if (stroke.a > 0 && strokeWidth > 0)
      list_->AddRect(a, b, ui::color(stroke), round, 0, static_cast<float>(strokeWidth));
  }
  void line(double x0, double y0, double x1, double y1, Rgba color, double width, bool arrow) override {
    const ImVec2 a = at(x0, y0), b = at(x1, y1);
    // Upright and level lines lie on whole pixels, as the gaps between cells do.
    const float n = std::max(1.0F, std::round(static_cast<float>(width)));
    if (!arrow && a.x == b.x) {
      const float left = std::round(a.x - n / 2);
      list_->AddRectFilled({left, std::min(a.y, b.y)}, {left + n, std::max(a.y, b.y)}, ui::color(color));
      return;
    }
    if (!arrow && a.y == b.y) {
      const float top = std::round(a.y - n / 2);
      list_->AddRectFilled({std::min(a.x, b.x), top}, {std::max(a.x, b.x), top + n}, ui::color(color));
      return;
    }
    list_->AddLine(a, b, ui::color(color), static_cast<float>(width));
    const float dx = b.x - a.x, dy = b.y - a.y, len = std::sqrt(dx * dx + dy * dy);
    if (!arrow || len < 1) return;
    const float h = std::min(px(7), len * 0.6F), ux = dx / len, uy = dy / len;
    list_->AddTriangleFilled(b, {b.x - ux * h - uy * h * 0.45F, b.y - uy * h + ux * h * 0.45F},
                             {b.x - ux * h + uy * h * 0.45F, b.y - uy * h - ux * h * 0.45F}, ui::color(color));
  }
  void text(double x, double y, const std::string& s, Rgba color, double size, Face face, Align align) override {
    // The font nearest above the wanted size is scaled down; a type size is an em, ImGui's font size a line.
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
    if (std::abs(font->FontSize - used) < 1.1F) used = font->FontSize;  // sharp glyphs beat an exact size
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
    // On whole pixels: a thinner line would be drawn between some cells and not between others.
    const float gap = std::max(1.0F, std::round(static_cast<float>(block.gap)));
    const i64 cols = block.col1 - block.col0, rows = block.row1 - block.row0;
    for (i64 k = 0; k <= cols; ++k) {
      const float x = a.x + (b.x - a.x) * static_cast<float>(k) / static_cast<float>(cols);
      const float left = std::round(x - gap / 2);
      list_->AddRectFilled({left, a.y - gap}, {left + gap, b.y + gap}, c);
    }
    for (i64 k = 0; k <= rows; ++k) {
      const float y = a.y + (b.y - a.y) * static_cast<float>(k) / static_cast<float>(rows);
      const float top = std::round(y - gap / 2);
      list_->AddRectFilled({a.x - gap, top}, {b.x + gap, top + gap}, c);
    }
  }

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

// What the figure wants to be: extent with a margin.
Rect wanted(const Figure& f) {
  const Rect e = extentOf(f);
  return {e.x - 10, e.y - 8, e.w + 20, e.h + 16};
}

void fit(const Figure& f, Pane& pane, float w, float h) {
  const Rect e = wanted(f);
  pane.scale = std::min(
      {static_cast<double>(w) / e.w, static_cast<double>(h) / e.h, 1.5 * static_cast<double>(ui::look().scale)});
  // Seen from afar the margins shrink and the headers do not: they get their room from the pane.
  const bool far = pane.scale < 0.3;
  const float left = far ? std::min(px(48), w / 8) : 0, top = far ? std::min(px(20), h / 8) : 0;
  if (far) pane.scale = std::min(static_cast<double>(w - left) / e.w, static_cast<double>(h - top) / e.h);
  // Centred when there is room, from the left edge of the pane when it is a strip.
  pane.x = e.x - std::max(0.0, (static_cast<double>(w) / pane.scale - e.w) / 2);
  pane.y = e.y - std::max(0.0, (static_cast<double>(h) / pane.scale - e.h) / 2);
}

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
  const Hover here{cell.point, outcome, hit.grid->name, hit.row, hit.col, cell.label, seen, pointsOf(cell)};
  session.hover = here;
  if (ImGui::IsMouseReleased(0) && io.MouseDragMaxDistanceSqr[0] < px(4) * px(4)) {
    if (threads && isThread(cell.point) && (io.KeyShift || io.KeyCtrl || io.KeyAlt)) {
      isolate(pane.look, cell.point.index, io);
      return;
    }
    if (session.pinned && session.pinned->points == here.points) {
      session.pinned.reset();
    } else {
      session.pinned = here;
    }
  }
}

// The rest of the view menu: what the picture can show otherwise.
void choiceItems(const std::vector<FigureChoice>& choices, std::size_t index, PaneView& look) {
  for (const FigureChoice& choice : choices) {
    ImGui::Separator();
    ImGui::TextDisabled("%s", choice.name.c_str());
    ImGui::PushID(choice.name.c_str());
    for (const std::string& word : choice.words) {
      if (ImGui::MenuItem(word.c_str(), nullptr, word == choice.now)) choose(look, choices, word);
      ui::placeLast(fmt::format("figure.{}.{}.{}", index, choice.name, word));
    }
    ImGui::PopID();
  }
}

// The menu of views that the value has, and of what the one that is shown lets one choose.
void viewMenu(const Outcome& o, std::size_t index, Pane& pane) {
  const Value* value = valueOf(o);
  if (value == nullptr) return;
  const std::vector<std::string_view> views = viewsFor(*value);
  if (views.size() < 2 && o.figure->choices.empty()) return;
  const std::string now = viewOf(pane.look, o), id = fmt::format("views.{}", index);
  if (ui::menuButton(fmt::format("figure.{}.view", index), now)) ImGui::OpenPopup(id.c_str());
  if (ui::beginMenu(id)) {
    for (const std::string_view v : views) {
      if (ImGui::MenuItem(std::string(v).c_str(), nullptr, v == now)) {
        pane.look.view = v;
        pane.look.modes.clear();
        pane.look.words.clear();
        pane.moved = false;
      }
      ui::placeLast(fmt::format("figure.{}.view.{}", index, v));
    }
    choiceItems(o.figure->choices, index, pane.look);
    ui::endMenu();
  }
  ImGui::SameLine();
}

// Banks: all phases, the next one, or each in turn.
void phaseButtons(const Outcome& o, std::size_t index, CanvasState& state, Pane& pane) {
  const int phases = viewOf(pane.look, o) == "banks" ? phasesOf(*o.figure) : 0;
  if (phases < 2) return;
  PaneView& look = pane.look;
  const std::string label = look.phase < 0 ? "all phases" : fmt::format("phase {} of {}", look.phase, phases);
  if (ui::button(fmt::format("figure.{}.phase", index), label.c_str()))
    look.phase = look.phase + 1 >= phases ? -1 : look.phase + 1;
  ImGui::SameLine();
  if (ui::button(fmt::format("figure.{}.play", index), look.playing ? "stop" : "play")) {
    look.playing = !look.playing;
    look.next = ImGui::GetTime() + 0.7;
    if (!look.playing) look.phase = -1;
  }
  ImGui::SameLine();
  if (!look.playing) return;
  state.animating = true;
  if (ImGui::GetTime() < look.next) return;
  look.phase = (look.phase + 1) % phases;
  look.next = ImGui::GetTime() + 0.7;
}

// A found swizzle goes to the clipboard as the notation that is asked for.
void copyMenu(const Outcome& o, std::size_t index) {
  const Value* value = valueOf(o);
  const auto* found = value != nullptr ? std::get_if<SwizzleFinding>(value) : nullptr;
  if (found == nullptr) return;
  std::vector<std::pair<const char*, std::string>> forms;
  if (found->linear && found->linear->exists()) {
    forms = {{"bits", print(*found->linear)}, {"CUDA", cudaIndexCode(*found->linear, found->layout)}};
  } else if (!found->search.swizzles.empty() || !found->search.paddings.empty()) {
    const SwizzleAnswer& a =
        found->search.swizzles.empty() ? found->search.paddings.front() : found->search.swizzles.front();
    forms = {{"CuTe", a.cute}, {"TMA", a.tma}, {"Triton", a.triton}, {"CUDA", a.cuda}};
  }
  std::erase_if(forms, [](const auto& f) { return f.second.empty(); });
  if (forms.empty()) return;
  const std::string id = fmt::format("copies.{}", index);
  if (ui::menuButton(fmt::format("figure.{}.copy", index), "copy")) ImGui::OpenPopup(id.c_str());
  if (ui::beginMenu(id)) {
    for (const auto& [name, text] : forms) {
      if (ImGui::MenuItem(name)) ImGui::SetClipboardText(text.c_str());
      ui::placeLast(fmt::format("figure.{}.copy.{}", index, name));
    }
    ui::endMenu();
  }
  ImGui::SameLine();
}

void header(Session& session, const Outcome& o, const Outcome& asked, std::size_t index, CanvasState& state, Pane& pane,
            float width) {
  const ui::Fonts& f = ui::look().fonts;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float buttons = pane.buttons > 0 ? pane.buttons : px(220);
  const std::string title = fitted(o.figure->title, Face::SansMedium, 13,
                                   static_cast<double>(std::max(px(40), width - buttons - px(12))) / ui::look().scale);
  ui::text(list, f.sansMedium, {at.x, at.y + px(5)}, ui::color(Role::Text), title);
  const float x = at.x + ui::width(f.sansMedium, title) + px(12);
  const double room = std::max(10.0F, at.x + width - buttons - px(12) - x) / ui::look().scale;
  ui::text(list, f.sans, {x, at.y + px(5)}, ui::color(Role::Muted), fitted(o.figure->subtitle, Face::Sans, 13, room));
  ImGui::SetCursorScreenPos({at.x + width - buttons, at.y + px(2)});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(px(6), 0));
  if (const std::string wanted = layoutEditor(pane.look, pane.layout, asked, index); !wanted.empty())
    insertBehind(session, asked.statement, wanted);
  viewMenu(o, index, pane);
  phaseButtons(o, index, state, pane);
  copyMenu(o, index);
  if (ui::button(fmt::format("figure.{}.fit", index), "fit")) pane.moved = false;
  ImGui::SameLine();
  if (ui::button(fmt::format("figure.{}.only", index), state.onlyLine == o.statement.line ? "all" : "only"))
    state.onlyLine = state.onlyLine == o.statement.line ? -1 : o.statement.line;
  ImGui::SameLine();
  if (ui::button(fmt::format("figure.{}.export", index), "export")) state.exportOutcome = index;
  pane.buttons = ImGui::GetItemRectMax().x - (at.x + width - buttons);  // so wide the next frame
  ImGui::PopStyleVar();
  ImGui::SetCursorScreenPos({at.x, at.y + px(32)});
}

// The picture's badges, at the size of text whatever the picture's scale is.
void badgeRow(const Figure& figure, Theme theme, GridTextures& textures, float width) {
  if (figure.badges.empty()) return;
  const double scale = ui::look().scale;
  Figure row;
  const double height = addBadges(row.marks, figure.badges, 0, 1, static_cast<double>(width) / scale);
  CanvasPainter painter(ImGui::GetWindowDrawList(), ImGui::GetCursorScreenPos(), textures, "badges", 0);
  View view;
  view.scale = scale;
  paintScene(row, view, theme, {}, painter);
  ImGui::Dummy({width, px(height)});
}

void figurePane(Session& session, CanvasState& state, GridTextures& textures,
                const std::shared_ptr<const Outcome>& asked, std::size_t index, float paneHeight) {
  Pane& pane = state.panes[asked->statement.text];
  pane.look.asked = state.lights.askedOf(state.asked, *asked);
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
  paintScene(figure, view, session.theme, state.lights.in(figure), painter);
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
    state.asked = originOf(*session.hover);  // the steps stay where the mouse was last
  } else if (session.pinned) {
    state.asked = originOf(*session.pinned);
  }
  const auto now = session.snapshot();
  std::vector<const Figure*> seen;
  for (const auto& o : now->outcomes) {
    const auto pane = state.panes.find(o->statement.text);
    if (pane != state.panes.end() && pane->second.shown && pane->second.shown->figure)
      seen.push_back(&*pane->second.shown->figure);
  }
  state.lights.look(session, *now, state.asked, std::move(seen));
  session.hover.reset();
  state.animating = false;
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
