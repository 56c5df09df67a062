#include "app/views/pictures/follow.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/widgets/redraw.h"
#include "app/widgets/ui.h"
#include "core/base/chars.h"

namespace tessera::panes {
namespace {

using ui::px;

constexpr std::size_t kTyped = 400;  // in bytes: a larger change is a paste, and the sheet is read from its top
constexpr double kFlash = 0.9;       // seconds
constexpr i64 kLookedAt = 32;        // rows and columns of a grid, at least

// The statement with the caret: the last one that starts at or before it, if nothing but blanks is between.
std::size_t statementAt(const std::string& text, std::size_t caret, const Snapshot& now) {
  const auto after = std::ranges::find_if(now.outcomes, [&](const auto& o) { return o->statement.span.begin > caret; });
  if (after == now.outcomes.begin()) return SIZE_MAX;
  const auto k = static_cast<std::size_t>(after - now.outcomes.begin()) - 1;
  const std::size_t end = std::min(now.outcomes[k]->statement.span.end, text.size());
  const bool near = caret <= end || text.substr(end, caret - end).find('\n') == std::string::npos;
  return near ? k : SIZE_MAX;
}

// The picture of a statement: its own, else the first one of its name.
std::size_t pictureOf(const Snapshot& now, std::size_t k) {
  if (k >= now.outcomes.size() || now.outcomes[k]->figure) return k;
  const std::string& name = now.outcomes[k]->statement.name;
  if (name.empty()) return SIZE_MAX;
  for (std::size_t j = k + 1; j < now.outcomes.size(); ++j)
    if (now.outcomes[j]->figure && mentions(now.outcomes[j]->statement.text, name)) return j;
  return SIZE_MAX;
}

void followCaret(const Document& d, CanvasState& state, const Snapshot& now, const std::vector<std::string>& keys) {
  FollowState& f = state.follow;
  const std::size_t before = std::exchange(f.caret, d.caret());
  if (before == d.caret() || before == SIZE_MAX) return;
  const std::size_t k = pictureOf(now, statementAt(d.text(), d.caret(), now));
  if (k >= keys.size() || f.followed == keys[k]) return;
  f.brought = f.followed = keys[k];
}

// The pane of the picture produced by typing, once it exists: of the statement at or just before the caret.
void followTyping(const Document& d, CanvasState& state, const Snapshot& now, const std::vector<std::string>& keys) {
  FollowState& f = state.follow;
  if (!f.waiting) return;
  const auto after =
      std::ranges::find_if(now.outcomes, [&](const auto& o) { return o->statement.span.begin > d.caret(); });
  if (after == now.outcomes.begin()) return;
  const auto k = static_cast<std::size_t>(after - now.outcomes.begin()) - 1;
  const Outcome& o = *now.outcomes[k];
  if (o.pending) return;
  f.waiting = false;
  const bool here = d.text().find_first_not_of(" \t\n", std::min(o.statement.span.end, d.caret())) >= d.caret();
  const auto pane = state.panes.find(keys[k]);
  const bool fresh = o.figure && (pane == state.panes.end() || pane->second.taken <= 0);
  if (here && fresh) f.brought = keys[k];
}

bool paneInSight(const CanvasState& state, const std::string& key) {
  const auto pane = state.panes.find(key);
  const auto trace = state.follow.traces.find(key);
  if (pane == state.panes.end() || trace == state.follow.traces.end()) return false;
  const float at = trace->second.top, taken = pane->second.taken;
  const float top = ImGui::GetWindowPos().y, end = top + ImGui::GetWindowHeight();
  return taken > 0 && at + taken > top + px(60) && at < end - px(60);
}

// Whether two statements differ only in numbers.
bool sameButNumbers(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool number = i < a.size() && j < b.size() && isDigit(a[i]) && isDigit(b[j]);
    if (number) {
      while (i < a.size() && isDigit(a[i])) ++i;
      while (j < b.size() && isDigit(b[j])) ++j;
    } else if (i >= a.size() || j >= b.size() || a[i++] != b[j++]) {
      return false;
    }
  }
  return true;
}

// A picture whose statement has other numbers keeps its camera and its view.
void keepPanes(CanvasState& state, const std::vector<std::string>& keys) {
  FollowState& f = state.follow;
  const std::vector<std::string> before = std::exchange(f.keys, keys);
  if (before.size() != keys.size() || before == keys) return;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (before[k] == keys[k] || !sameButNumbers(before[k], keys[k])) continue;
    const auto old = state.panes.find(before[k]);
    if (old == state.panes.end() || std::ranges::find(keys, before[k]) != keys.end()) continue;
    Pane& pane = state.panes[keys[k]] = old->second;
    pane.shownKey.clear();
    pane.shown.reset();
    for (std::string* name : {&state.focused, &state.compare.a, &state.compare.b, &f.brought, &f.followed})
      if (*name == before[k]) *name = keys[k];
  }
}

// Flashes the pictures that differ from those of the last complete snapshot.
void flashChanged(const Document& d, CanvasState& state, const Snapshot& now, const std::vector<std::string>& keys) {
  FollowState& f = state.follow;
  if (!now.complete || f.knownRevision == now.revision) return;
  const bool edited = f.knownRevision != ~std::uint64_t{0} && d.canUndo() && f.typed;
  std::map<std::string, std::shared_ptr<const Outcome>> pictures;
  std::vector<std::size_t> changed;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    if (!now.outcomes[k]->figure) continue;
    pictures[keys[k]] = now.outcomes[k];
    const auto known = f.known.find(keys[k]);
    const bool same = known != f.known.end() && (known->second == now.outcomes[k] ||
                                                 !looksDifferent(*known->second->figure, *now.outcomes[k]->figure));
    if (edited && !same) changed.push_back(k);
  }
  f.known = std::move(pictures);
  f.knownRevision = now.revision;
  if (!f.live)
    for (const std::size_t k : changed) f.traces[keys[k]].flashed = ImGui::GetTime();
  if (changed.empty() || !f.brought.empty()) return;
  if (std::ranges::any_of(changed, [&](std::size_t k) { return paneInSight(state, keys[k]); })) return;
  // The caret's own picture, else the next one below it.
  const std::size_t at = pictureOf(now, statementAt(d.text(), d.caret(), now));
  const auto own = std::ranges::find(changed, at);
  f.brought = keys[own != changed.end() ? at : changed.front()];
}

}  // namespace

void followText(const Session& session, CanvasState& state, const Snapshot& now, const std::vector<std::string>& keys) {
  const Document& d = session.document();
  FollowState& f = state.follow;
  if (f.revision != d.revision()) {
    const std::size_t size = d.text().size(), before = f.size;
    const bool opened = f.revision == ~std::uint64_t{0} || !d.canUndo();
    f.typed = !opened && std::max(size, before) - std::min(size, before) <= kTyped;
    f.waiting = f.typed;
    f.revision = d.revision();
    f.size = size;
    f.caret = d.caret();  // moved by the edit
  }
  keepPanes(state, keys);
  if (now.text != d.text()) return;
  if (state.onlyLine < 0) followCaret(d, state, now, keys);
  if (state.onlyLine < 0) followTyping(d, state, now, keys);
  flashChanged(d, state, now, keys);
}

void showBrought(CanvasState& state, const std::string& key, float top, float takenBefore) {
  const float taken = state.panes[key].taken, window = ImGui::GetWindowPos().y;
  if (taken <= 0 || taken != takenBefore) return ui::redrawSoon();
  state.follow.brought.clear();
  const float below = top + taken - window - ImGui::GetWindowHeight(), above = top - window;
  const float by = above < 0 ? above : std::clamp(below, 0.0F, std::max(0.0F, above));
  if (by == 0) return;
  ImGui::SetScrollY(ImGui::GetScrollY() + by);
  state.scroll.moving = false;
  ui::redrawSoon();
}

void drawLinkFrame(const CanvasState& state, const std::string& key, const Outcome& asked, std::size_t index,
                   ImVec2 origin, ImVec2 corner) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const auto trace = state.follow.traces.find(key);
  const double since = trace == state.follow.traces.end() ? kFlash : ImGui::GetTime() - trace->second.flashed;
  if (since < kFlash) {
    const double left = 1 - since / kFlash;
    list->AddRectFilled(origin, corner, ui::color(Role::Accent, 0.16 * left), px(3));
    list->AddRect(origin, corner, ui::color(Role::Accent, 0.9 * left), px(3), 0, px(2));
    ui::place(fmt::format("figure.{}.flash", index), origin, corner);
    ui::redrawSoon();
  }
  if (state.follow.named.empty() || !mentions(asked.statement.text, state.follow.named)) return;
  list->AddRect(origin, corner, ui::color(Role::Accent), px(3), 0, px(2));
  ui::place(fmt::format("figure.{}.named", index), origin, corner);
}

void titleButton(CanvasState& state, const Outcome& asked, std::size_t index, ImVec2 at, ImVec2 size) {
  const ImVec2 back = ImGui::GetCursorScreenPos();
  ImGui::SetCursorScreenPos(at);
  ImGui::PushID(static_cast<int>(index));
  if (ui::hitArea("title", size)) state.follow.toStatement = asked.statement;
  ImGui::PopID();
  ui::placeLast(fmt::format("figure.{}.title", index));
  if (ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const float y = at.y + size.y;
    ImGui::GetWindowDrawList()->AddLine({at.x, y}, {at.x + size.x, y}, ui::color(Role::Accent, 0.7), px(1));
    ui::tooltip(fmt::format("Line {}", asked.statement.line));
  }
  ImGui::SetCursorScreenPos(back);
}

bool mentions(std::string_view statement, std::string_view name) {
  if (name.empty()) return false;
  for (std::size_t at = statement.find(name); at != std::string_view::npos; at = statement.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at > 0 && isNamePart(statement[at - 1])) || (end < statement.size() && isNamePart(statement[end]))) continue;
    const std::size_t line = statement.substr(0, at).rfind('\n') + 1;  // npos + 1 is the start
    if (statement.substr(line, at - line).find("//") == std::string_view::npos) return true;
  }
  return false;
}

bool looksDifferent(const Figure& a, const Figure& b) {
  if (a.title != b.title || a.subtitle != b.subtitle || a.grids.size() != b.grids.size() ||
      a.marks.size() != b.marks.size() || a.caption != b.caption || a.width != b.width || a.height != b.height)
    return true;
  for (std::size_t k = 0; k < a.grids.size(); ++k) {
    const Grid &x = a.grids[k], &y = b.grids[k];
    if (x.rows != y.rows || x.cols != y.cols || !x.cells != !y.cells) return true;
    if (!x.cells || x.rows == 0 || x.cols == 0) continue;
    // Odd steps also visit the cells between the tiles of a power of two.
    const auto step = [](i64 n) { return n <= kLookedAt ? 1 : (n / kLookedAt) | 1; };
    for (i64 row = 0; row < x.rows; row += step(x.rows))
      for (i64 col = 0; col < x.cols; col += step(x.cols)) {
        const Cell one = x.cells->cell(row, col), other = y.cells->cell(row, col);
        if (one.label != other.label || !(one.point == other.point) || !(one.paint == other.paint)) return true;
      }
  }
  return false;
}

}  // namespace tessera::panes
