#include "app/views/pictures/canvas.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/views/pictures/follow.h"
#include "app/views/pictures/picture.h"
#include "app/widgets/keyboard.h"
#include "app/widgets/ui.h"
#include "core/worksheet/value.h"

namespace tessera::panes {
namespace {

using ui::px;

// Equal statements are distinguished by a number; the first one has the bare text.
std::vector<std::string> paneKeys(const Snapshot& snapshot) {
  std::map<std::string_view, int> seen;
  std::vector<std::string> keys;
  keys.reserve(snapshot.outcomes.size());
  for (const auto& o : snapshot.outcomes) {
    const int n = ++seen[o->statement.text];
    keys.push_back(n == 1 ? o->statement.text : o->statement.text + " #" + std::to_string(n));
  }
  return keys;
}

void emptyState(const Session& session) {
  const ui::Fonts& f = ui::look().fonts;
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const char* head = session.document().text().empty() ? "Type or paste a layout" : "Nothing is shown yet";
  const std::vector<std::string> lines = linesToTry(*session.evaluation().snapshot());
  float y = at.y + room.y * 0.36F;
  const auto centred = [&](ImFont* font, std::string_view s, ImU32 c) {
    for (const std::string& line : ui::wrapped(s, font, room.x)) {
      ui::text(font, {at.x + (room.x - ui::width(font, line)) / 2, y}, c, line);
      y += font->FontSize + px(6);
    }
  };
  centred(f.sansMedium, head, ui::color(Role::Text));
  centred(f.small, "The pictures of show statements appear here:", ui::color(Role::Muted));
  y += px(6);
  for (const std::string& s : lines) centred(f.code, s, ui::color(Role::Faint));
}

// A statement being answered keeps the place of its old picture; a new one announces its picture.
void heldPlace(const Outcome& o, const Pane* pane) {
  const ui::Fonts& f = ui::look().fonts;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, height = pane != nullptr ? pane->taken : px(120);
  const std::string line = ui::fitted(o.statement.text.substr(0, o.statement.text.find('\n')), f.code, width - px(120));
  ui::text(f.code, {at.x, at.y + px(5)}, Role::Muted, line);
  const std::string doing = o.job ? o.job->progressText() : "waiting";
  ui::text(f.small, {at.x + width - ui::width(f.small, doing), at.y + px(6)}, Role::Unknown, doing);
  const ImVec2 a = {at.x, at.y + px(32)}, b = {at.x + width, at.y + height - px(22)};
  ImGui::GetWindowDrawList()->AddRect(a, b, ui::color(Role::Hairline), px(5));
  ImGui::Dummy({width, height - ImGui::GetStyle().ItemSpacing.y});
  ui::hairline({at.x - px(16), at.y + height - px(8)}, {at.x + width + px(16), at.y + height - px(8)});
}

// Whether the pane that starts at the cursor is completely visible.
bool inSight(const Pane* pane) {
  if (pane == nullptr) return false;
  const float top = ImGui::GetWindowPos().y, at = ImGui::GetCursorScreenPos().y;
  return at >= top && at + pane->taken <= top + ImGui::GetWindowHeight() + px(20);
}

// Of thousands of pictures only those near the window are drawn; the others only reserve their place.
constexpr int kMany = 64;

// Whether an item of that height at the cursor is more than a window above or below the visible part.
bool farAway(float height) {
  const float top = ImGui::GetWindowPos().y, room = ImGui::GetWindowHeight(), at = ImGui::GetCursorScreenPos().y;
  return at + height < top - room || at > top + 2 * room;
}

void pictures(Session& session, CanvasState& state, GridTextures& textures) {
  const auto now = session.evaluation().snapshot();
  const std::vector<std::string> keys = paneKeys(*now);
  followText(session, state, *now, keys);
  const auto paneOf = [&](std::size_t k) {
    const auto found = state.panes.find(keys[k]);
    return found == state.panes.end() || found->second.taken <= 0 ? nullptr : &found->second;
  };
  const auto place = [&](std::size_t k) {
    const Outcome& o = *now->outcomes[k];
    const bool shows = o.statement.kind == StatementKind::Show || o.statement.kind == StatementKind::Run;
    if (!session.tasks.shows(o)) return false;  // the counterexample of a task is its first help
    return o.figure || (o.pending && (shows || paneOf(k) != nullptr));
  };
  if (!state.compare.a.empty() && now->text == session.document().text() &&
      std::ranges::find(keys, state.compare.a) == keys.end())
    state.compare = {};  // A's line is gone
  if (comparison(session, state, textures, keys)) return;
  int figures = 0;
  bool only = false;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (!place(k)) continue;
    ++figures;
    only |= now->outcomes[k]->statement.line == state.onlyLine;
  }
  if (figures == 0) {
    emptyState(session);
    return;
  }
  const float room = ImGui::GetContentRegionAvail().y;
  float most = 0;  // visible height of the picture in view
  state.scroll.inView = SIZE_MAX;
  float grown = 0;  // growth above the visible part, by pictures of previously unknown height
  for (std::size_t k = 0; k < keys.size(); ++k) {
    const auto& o = now->outcomes[k];
    if (!place(k) || (only && o->statement.line != state.onlyLine)) continue;
    const bool asked = state.scrollToLine == o->statement.line;
    if (asked || (state.reveal && state.reveal->pane == keys[k] && !inSight(paneOf(k)))) {
      ImGui::SetScrollHereY(0);
      state.scroll.moving = false;
    }
    if (asked) state.scrollToLine = -1;
    const Pane* pane = paneOf(k);
    const float height = pane != nullptr ? pane->taken : o->figure ? room * 0.62F + px(90) : px(120);
    const bool busy =
        keys[k] == state.focused || keys[k] == state.follow.brought || (pane != nullptr && pane->look.playing);
    if (!only && figures > kMany && !busy && farAway(height)) {
      ImGui::Dummy({1, height - ImGui::GetStyle().ItemSpacing.y});
    } else if (o->figure) {
      const float top = ImGui::GetCursorScreenPos().y;
      const bool above = top < ImGui::GetWindowPos().y;
      figurePane(session, state, textures, o, k, keys[k], only || figures == 1 ? room - px(80) : room * 0.62F);
      const float upper = ImGui::GetWindowPos().y, lower = upper + ImGui::GetWindowHeight();
      const float seen = std::min(lower, top + state.panes[keys[k]].taken) - std::max(upper, top);
      if (keys[k] == state.focused || seen > most + px(1)) {
        state.scroll.inView = k;
        most = keys[k] == state.focused ? 1e9F : seen;
      }
      if (keys[k] == state.follow.brought) showBrought(state, keys[k], top, height);
      if (above) grown += state.panes[keys[k]].taken - height;
    } else if (state.follow.live && pane != nullptr && pane->drawn && pane->drawn->figure) {
      figurePane(session, state, textures, pane->drawn, k, keys[k],
                 only || figures == 1 ? room - px(80) : room * 0.62F);
    } else {
      heldPlace(*o, pane);
    }
  }
  // Keep the visible part in place.
  if (figures > kMany && grown != 0 && !state.scroll.moving) ImGui::SetScrollY(ImGui::GetScrollY() + grown);
}

// Whether the mouse is over the column. tables: also over a table that scrolls by itself.
bool overColumn(const ColumnScroll& scroll, bool tables) {
  using Table = ColumnScroll::Table;
  return ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) || scroll.table == Table::Still ||
         (tables && scroll.table == Table::Scrolls);
}

// A person who types into the pictures by mistake learns where the keys are.
void strayKeys(Session& session, const CanvasState& state) {
  const bool plays = !state.focused.empty() || !state.compare.b.empty();
  for (const ImWchar c : ui::keyboard().typed(ui::Owner::Pictures))
    if (!plays || std::isalpha(static_cast<int>(std::min<ImWchar>(c, 127))) != 0)
      session.tell("the pictures have the keys; Esc or a click into the worksheet returns them");
}

}  // namespace

bool leavePictures(CanvasState& state) {
  const bool there = state.scroll.keys || !state.focused.empty() || !state.compare.b.empty();
  state.compare.b.clear();
  state.scroll.keys = false;
  state.focused.clear();
  return there;
}

void forgetSheet(CanvasState& state) {
  state.compare = {};
  state.reveal.reset();
  state.focused.clear();
  state.follow = {};
  state.scrollToLine = state.onlyLine = -1;
  state.scroll.keys = false;
}

std::vector<std::string> linesToTry(const Snapshot& now) {
  for (auto o = now.outcomes.rbegin(); o != now.outcomes.rend(); ++o) {
    if (!(*o)->value) continue;
    const Value& value = *(*o)->value;
    const std::string& name = (*o)->statement.name;
    if (const auto* program = as<graphene::Listing>(value))
      return {"show " + program->name, "show " + program->name + " as player", "prove " + program->name};
    if ((*o)->statement.kind != StatementKind::Bind || !std::holds_alternative<Layout>(value)) continue;
    std::vector<std::string> lines = {"show " + name};
    const auto able = viewsFor(value);
    if (std::ranges::find(able, "banks") != able.end()) lines.push_back("show " + name + " as banks");
    lines.push_back("prove injective(" + name + ")");
    return lines;
  }
  return {"A = (4,8):(8,1)", "show A as grid", "prove injective(A)"};
}

std::string paneKey(const Snapshot& snapshot, std::size_t k) { return paneKeys(snapshot).at(k); }

std::shared_ptr<const Outcome> seenInPane(const Session& session, CanvasState& state, std::size_t outcome) {
  const auto now = session.evaluation().snapshot();
  if (outcome >= now->outcomes.size() || !now->outcomes[outcome]->figure) return nullptr;
  Pane& pane = state.panes[paneKey(*now, outcome)];
  return seenThrough(pane.look, now->outcomes[outcome], pane.shown, pane.shownKey);
}

void canvas(Session& session, CanvasState& state, GridTextures& textures) {
  // Keeps the last subject under the mouse.
  if (const auto& subject = session.hover ? session.hover : session.pinned) state.asked = originOf(*subject);
  const auto now = session.evaluation().snapshot();
  std::vector<const Figure*> seen;
  for (const std::string& key : paneKeys(*now)) {
    const auto pane = state.panes.find(key);
    if (pane != state.panes.end() && pane->second.shown && pane->second.shown->figure)
      seen.push_back(&*pane->second.shown->figure);
  }
  state.lights.look(session, *now, state.asked, std::move(seen));
  session.hover.reset();
  state.animating = false;
  state.clicked.clear();
  beginColumn(state.scroll);
  pictures(session, state, textures);
  strayKeys(session, state);
  if (ImGui::IsMouseClicked(0)) {
    state.focused = state.clicked;
    // A picture or the empty space beside them; a click on a button leaves the keys where they were.
    if (overColumn(state.scroll, /*tables=*/true) && (!state.clicked.empty() || !ImGui::IsAnyItemHovered()))
      state.scroll.keys = true;
  }
  state.scroll.homeFits = !state.focused.empty();
  state.animating |= endColumn(state.scroll);
}

namespace {

constexpr double kTurn = 0.3;    // seconds: wheel events closer together are one turn
constexpr double kGlide = 0.05;  // seconds until a third of the distance is left
constexpr double kClick = 96;    // points

// Scroll distance by keys, in pixels.
float paged(bool homeFits) {
  const float page = ImGui::GetWindowHeight() - px(48), all = ImGui::GetScrollMaxY();
  const auto pressed = [](ImGuiKey key) { return ui::keyboard().pressed(ui::Owner::Pictures, key); };
  float by = 0;
  if (pressed(ImGuiKey_PageUp)) by -= page;
  if (pressed(ImGuiKey_PageDown)) by += page;
  if (!homeFits && pressed(ImGuiKey_Home)) by -= all;
  if (pressed(ImGuiKey_End)) by += all;
  return by;
}

}  // namespace

void takeWheel() { ImGui::GetIO().MouseWheel = ImGui::GetIO().MouseWheelH = 0; }

void beginColumn(ColumnScroll& scroll) {
  const ImGuiIO& io = ImGui::GetIO();
  scroll.turned = 0;
  const bool over = overColumn(scroll, /*tables=*/false);
  scroll.table = ColumnScroll::Table::Outside;  // until a table says otherwise
  if (!over) scroll.mine = false;
  if (io.MouseWheel == 0 && io.MouseWheelH == 0) return;
  if (ImGui::GetTime() - scroll.wheelAt > kTurn || io.KeyCtrl || io.KeyShift) scroll.mine = false;
  scroll.wheelAt = ImGui::GetTime();
  if (!scroll.mine) return;
  scroll.turned = io.MouseWheel;
  takeWheel();
}

bool endColumn(ColumnScroll& scroll) {
  ImGuiIO& io = ImGui::GetIO();
  const bool hovered = overColumn(scroll, /*tables=*/false);
  if (ImGui::IsMouseClicked(0) && !overColumn(scroll, /*tables=*/true)) scroll.keys = false;
  float by = -scroll.turned * px(kClick);
  if (hovered && io.MouseWheel != 0 && !io.KeyCtrl) {
    scroll.mine = true;
    by -= io.MouseWheel * px(kClick);
    takeWheel();
  }
  by += paged(scroll.homeFits);
  // In whole pixels, like ImGui.
  const double at = scroll.at = ImGui::GetScrollY(), most = std::floor(ImGui::GetScrollMaxY());
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
