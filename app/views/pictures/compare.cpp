#include <fmt/format.h>

#include <algorithm>

#include "app/views/pictures/picture.h"
#include "app/widgets/keyboard.h"
#include "app/widgets/ui.h"

namespace tessera::panes {
namespace {

using ui::px;

struct Side {
  const char* name;
  std::shared_ptr<const Outcome> seen;
  std::size_t index;
};

void follow(CompareState& c, const Side& a, const Side& b) {
  if (c.ofA == a.seen && c.ofB == b.seen) return;
  c.ofA = a.seen;
  c.ofB = b.seen;
  c.result = compared(*a.seen->figure, *b.seen->figure);
  c.camera.moved = false;
  ++c.version;
}

const Figure& figureOf(const CompareState& c, bool second) {
  if (c.marks) return second ? c.result.second : c.result.first;
  return second ? *c.ofB->figure : *c.ofA->figure;
}

void buttons(CanvasState& state) {
  CompareState& c = state.compare;
  if (ui::rowButton("compare.blink", c.blink ? "side by side" : "blink")) {
    c.blink = !c.blink;
    c.camera.moved = false;
  }
  if (c.blink && ui::rowButton("compare.other", c.second ? "show A" : "show B")) c.second = !c.second;
  if (ui::rowButton("compare.marks", c.marks ? "plain" : "mark differences")) {
    c.marks = !c.marks;
    ++c.version;
  }
  if (ui::rowButton("compare.fit", "fit")) c.camera.moved = false;
  if (ui::rowButton("compare.export", "export")) state.exportOutcome = kCompared;
  if (ui::button("compare.close", "close")) leavePictures(state);
}

// Draws one of the two in its rectangle with the common camera.
void oneSide(Session& session, CanvasState& state, GridTextures& textures, const Side& side, bool second, ImVec2 at,
             ImVec2 size) {
  CompareState& c = state.compare;
  const ui::Fonts& f = ui::look().fonts;
  const std::string title = fmt::format("{}   {}", side.name, side.seen->figure->title);
  ui::text(f.sansMedium, at, Role::Text, ui::fitted(title, f.sansMedium, size.x));
  ui::text(f.small, {at.x, at.y + px(20)}, Role::Muted, ui::fitted(side.seen->figure->subtitle, f.small, size.x));
  const ImVec2 origin = {at.x, at.y + px(42)}, room = {size.x, std::max(px(60), size.y - px(42))};
  ImGui::SetCursorScreenPos(origin);
  const std::string name = second ? "compare.b" : "compare.a";
  ui::area(name, room);
  const Figure& figure = figureOf(c, second);
  if (ImGui::IsItemActivated()) state.clicked = "compare";
  if (!c.camera.moved && !second) fit(figure, c.camera, room.x, room.y);
  moveAbout(figure, c.camera, origin, room, state.focused == "compare");
  if (!c.camera.moved && (!second || c.blink)) fit(figure, c.camera, room.x, room.y);
  pointAt(session, side.seen, side.index, c.camera, origin, /*threads=*/false);
  paintPicture(figure, c.camera, origin, room, state.lights.in(figure), session.preferences.theme, textures, name,
               c.version);
}

}  // namespace

void compareButton(CanvasState& canvas, const std::string& key, std::size_t index) {
  CompareState& state = canvas.compare;
  const bool mine = state.a == key;
  const char* label = mine ? "is A" : state.a.empty() ? "compare" : "compare with A";
  if (!ui::button(fmt::format("figure.{}.compare", index), label, mine)) return;
  if (mine) {
    state.a.clear();
  } else if (state.a.empty()) {
    state.a = key;
  } else {
    state.b = key;
    state.blink = state.second = false;
    canvas.scroll.keys = true;  // Space blinks
  }
}

bool comparison(Session& session, CanvasState& state, GridTextures& textures, const std::vector<std::string>& keys) {
  CompareState& c = state.compare;
  if (c.b.empty()) return false;
  const auto now = session.evaluation().snapshot();
  const auto sideOf = [&](const char* name, const std::string& key) -> Side {
    const auto found = std::ranges::find(keys, key);
    if (found == keys.end()) return {name, nullptr, 0};
    const auto k = static_cast<std::size_t>(found - keys.begin());
    const auto& o = now->outcomes[k];
    Pane& pane = state.panes[key];
    if (!o->figure) return {name, o->pending ? pane.drawn : nullptr, k};
    pane.drawn = seenThrough(pane.look, o, pane.shown, pane.shownKey);
    return {name, pane.drawn, k};
  };
  const Side a = sideOf("A", c.a), b = sideOf("B", c.b);
  if (!a.seen || !b.seen) {
    c = {};
    return false;
  }
  follow(c, a, b);
  const float width = ImGui::GetContentRegionAvail().x - px(8), height = ImGui::GetContentRegionAvail().y;
  const ImVec2 top = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos({top.x, top.y + px(6)});
  buttons(state);
  ui::text(ui::look().fonts.sans, {top.x, top.y + px(40)}, c.result.differing > 0 ? Role::Text : Role::Muted,
           ui::fitted(c.result.text, ui::look().fonts.sans, width));
  const float below = top.y + px(66), rest = height - px(74), gap = px(20);
  for (const ImWchar ch : ui::keyboard().typed(ui::Owner::Pictures)) {
    if (ch != ' ') continue;
    c.second = c.blink && !c.second;
    c.blink = true;
  }
  if (c.blink) {
    oneSide(session, state, textures, c.second ? b : a, c.second, {top.x, below}, {width, rest});
  } else {
    // Side by side, or stacked if wide: whichever is larger.
    const Rect e = wantedExtent(*a.seen->figure);
    const double upright = std::min((width - gap) / 2 / e.w, static_cast<double>(rest - px(42)) / e.h),
                 level = std::min(width / e.w, static_cast<double>((rest - gap) / 2 - px(42)) / e.h);
    const bool stacked = level > upright;
    const ImVec2 size = stacked ? ImVec2(width, (rest - gap) / 2) : ImVec2((width - gap) / 2, rest);
    const ImVec2 next = stacked ? ImVec2(top.x, below + size.y + gap) : ImVec2(top.x + size.x + gap, below);
    oneSide(session, state, textures, a, false, {top.x, below}, size);
    oneSide(session, state, textures, b, true, next, size);
    const ImVec2 from = stacked ? ImVec2(top.x, next.y - gap / 2) : ImVec2(next.x - gap / 2, below);
    const ImVec2 to = stacked ? ImVec2(top.x + width, from.y) : ImVec2(from.x, below + rest);
    ui::hairline(from, to);
  }
  return true;
}

}  // namespace tessera::panes
