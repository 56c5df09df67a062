#include "app/views/find/go_to.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/views/find/go_to_query.h"
#include "app/widgets/keyboard.h"
#include "core/base/chars.h"

namespace tessera::panes {
namespace {

using ui::px;

// Positions of the text, in order, without overlaps.
const std::vector<std::size_t>& hitsOf(const Document& d, const std::string& wanted, GoToState& state) {
  if (state.hitsRevision == d.revision() && state.hitsText == wanted) return state.hits;
  state.hitsRevision = d.revision();
  state.hitsText = wanted;
  state.hits.clear();
  const std::string& t = d.text();
  if (wanted.empty()) return state.hits;
  for (auto at = t.begin();;) {
    at = std::search(at, t.end(), wanted.begin(), wanted.end(),
                     [](char a, char b) { return lowerCase(a) == lowerCase(b); });
    if (at == t.end()) break;
    state.hits.push_back(static_cast<std::size_t>(at - t.begin()));
    at += static_cast<std::ptrdiff_t>(wanted.size());
  }
  return state.hits;
}

bool goToText(Session& session, EditorState& editor, GoToState& state, int step) {
  Document& d = session.document();
  const auto& hits = hitsOf(d, editor.find.text, state);
  if (hits.empty()) {
    state.problem = "'" + editor.find.text + "' does not occur in the worksheet";
    return false;
  }
  const auto [begin, end] = std::minmax({d.caret(), editor.anchor});
  const auto after = std::lower_bound(hits.begin(), hits.end(), step > 0 ? end : begin) - hits.begin();
  const std::size_t k = (static_cast<std::size_t>(after) + (step > 0 ? 0 : hits.size() - 1)) % hits.size();
  editor.anchor = hits[k];
  d.setCaret(hits[k] + editor.find.text.size());
  editor.caret.reveal = true;
  state.count = fmt::format("{} of {}", k + 1, hits.size());
  return true;
}

bool goToPlace(Session& session, const GoTo& wanted, CanvasState& canvas, int step) {
  GoToState& state = canvas.goTo;
  const auto now = session.evaluation().snapshot();
  // As displayed in the panes: only another view may have the place.
  std::vector<std::shared_ptr<const Outcome>> seen;
  for (std::size_t k = 0; k < now->outcomes.size(); ++k) {
    const auto pane = canvas.panes.find(paneKey(*now, k));
    const bool drawn = now->outcomes[k]->figure && pane != canvas.panes.end() && pane->second.drawn;
    seen.push_back(drawn ? pane->second.drawn : now->outcomes[k]);
  }
  const auto places = placesOf(wanted, seen);
  if (!places.ok()) {
    const Diag& d = places.error();
    state.problem = d.message;
    if (!d.expected.empty()) state.problem += ": " + d.expected;
    if (!d.hint.empty()) state.problem += ". Try " + d.hint;
    state.at = 0;
    return false;
  }
  const std::size_t n = places->size();
  state.at = state.asked != wanted.text ? 0 : step > 0 ? (state.at + 1) % n : (state.at + n - 1) % n;
  state.asked = wanted.text;
  state.count = fmt::format("{} of {}", state.at + 1, n);
  const Place& place = (*places)[state.at];
  const Grid& grid = seen[place.outcome]->figure->grids[place.grid];
  const Cell cell = grid.cells->cell(place.row, place.col);
  session.pinned = Hover{cell.point, place.outcome, grid.name,           place.row,
                         place.col,  cell.label,    seen[place.outcome], pointsOf(cell)};
  canvas.reveal = CanvasState::Reveal{paneKey(*now, place.outcome), place.grid, place.row, place.col};
  if (canvas.onlyLine >= 0) canvas.onlyLine = now->outcomes[place.outcome]->statement.line;
  return true;
}

}  // namespace

bool goTo(Session& session, EditorState& editor, CanvasState& canvas, int step) {
  canvas.goTo.problem.clear();
  canvas.goTo.count.clear();
  if (editor.find.text.empty()) return false;
  const GoTo wanted = goToOf(editor.find.text);
  if (wanted.kind == GoTo::Kind::Text) return goToText(session, editor, canvas.goTo, step);
  if (goToPlace(session, wanted, canvas, step)) return true;
  // Try the worksheet, too: `(4,8)` is a layout's text.
  const std::string problem = canvas.goTo.problem;
  if (goToText(session, editor, canvas.goTo, step)) {
    canvas.goTo.count += " in the text";
    canvas.goTo.problem.clear();
    return true;
  }
  canvas.goTo.problem = problem;
  return false;
}

void goToBar(Session& session, EditorState& editor, CanvasState& canvas, float width) {
  if (!editor.find.open) return;
  GoToState& state = canvas.goTo;
  const auto pressed = [](ImGuiKey key) { return ui::keyboard().pressed(ui::Owner::Find, key); };
  const std::string before = editor.find.text;
  const float left = px(14), buttons = px(172);
  ImGui::SetCursorPos({left, ImGui::GetCursorPosY() + px(6)});
  ImGui::SetNextItemWidth(std::max(px(80), width - left - buttons - px(22)));
  const bool entered = ui::field(ui::Owner::Find, "find.field", editor.find.text, "Find, or go to (3,5)  T12 V3");
  if (ImGui::IsItemClicked()) editor.focused = canvas.scroll.keys = false;
  if (ImGui::IsItemHovered())
    ui::tooltip(
        "Text in the worksheet, or a place in its pictures:\n(3,5)   offset 0x1a0   byte 416   thread 12   "
        "T12 V3   bank 7\nEnter or F3: next; Shift+F3: previous");
  if (editor.find.text != before) {
    state.problem.clear();
    const bool text = goToOf(editor.find.text).kind == GoTo::Kind::Text;
    const std::size_t hits = text ? hitsOf(session.document(), editor.find.text, state).size() : 0;
    state.count = text && hits > 0 ? fmt::format("{}", hits) : "";
    state.asked.clear();
  }
  ImGui::SameLine(0, px(6));
  if (ui::button("find.previous", "\u2039")) goTo(session, editor, canvas, -1);
  ImGui::SameLine(0, px(4));
  if (ui::button("find.next", "\u203a") || entered) {
    const bool back = pressed(ImGuiKey_Enter) && ImGui::GetIO().KeyShift;
    goTo(session, editor, canvas, back ? -1 : 1);
  }
  ImGui::SameLine(0, px(4));
  if (ui::button("find.close", "close")) editor.find.open = false;
  if (!state.count.empty()) {
    ImGui::SameLine(0, px(8));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ui::text(ui::look().fonts.small, {at.x, at.y + px(4)}, Role::Muted, state.count);
    ui::place("find.count", at, {at.x + px(40), at.y + px(20)});
    ImGui::NewLine();
  }
  if (state.problem.empty()) return;
  for (const std::string& line : ui::wrapped(state.problem, ui::look().fonts.small, width - 2 * left)) {
    ImGui::SetCursorPosX(left);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ui::text(ui::look().fonts.small, at, Role::Refuted, line);
    ImGui::Dummy({width - 2 * left, px(18)});
  }
}

}  // namespace tessera::panes
