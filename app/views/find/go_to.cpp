#include "app/views/find/go_to.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/views/find/go_to_query.h"
#include "app/views/find/replace.h"
#include "app/widgets/keyboard.h"
#include "core/base/chars.h"

namespace tessera::panes {
namespace {

using ui::px;

// Places of the text, in order, without overlaps. Sets state.problem if a regular expression is none.
const std::vector<Span>& hitsOf(const Document& d, const FindState& find, GoToState& state) {
  if (state.hitsRevision == d.revision() && state.hitsText == find.text && state.hitsRegex == find.regex)
    return state.hits;
  state.hitsRevision = d.revision();
  state.hitsText = find.text;
  state.hitsRegex = find.regex;
  auto found = occurrencesIn(d.text(), find.text, find.regex);
  state.hits = found.ok() ? *std::move(found) : std::vector<Span>{};
  state.badPattern = found.ok() ? "" : found.error().message;
  return state.hits;
}

bool goToText(Session& session, EditorState& editor, GoToState& state, int step) {
  Document& d = session.document();
  const auto& hits = hitsOf(d, editor.find, state);
  if (hits.empty()) {
    state.problem =
        !state.badPattern.empty() ? state.badPattern : "'" + editor.find.text + "' does not occur in the worksheet";
    return false;
  }
  const auto [begin, end] = std::minmax({d.caret(), editor.anchor});
  const auto after = std::ranges::lower_bound(hits, step > 0 ? end : begin, {}, &Span::begin) - hits.begin();
  const std::size_t k = (static_cast<std::size_t>(after) + (step > 0 ? 0 : hits.size() - 1)) % hits.size();
  editor.anchor = hits[k].begin;
  d.setCaret(hits[k].end);
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
  if (wanted.kind == GoTo::Kind::Text || editor.find.replaces || editor.find.regex)
    return goToText(session, editor, canvas.goTo, step);
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

namespace {

// Replaces the selected hit and goes to the next one; selects the first one if none is selected.
void replaceOne(Session& session, EditorState& editor, CanvasState& canvas) {
  const Document& d = session.document();
  const auto& hits = hitsOf(d, editor.find, canvas.goTo);
  const Span at = {std::min(d.caret(), editor.anchor), std::max(d.caret(), editor.anchor)};
  const bool selected = std::ranges::any_of(hits, [&](Span s) { return s.begin == at.begin && s.end == at.end; });
  if (selected) {
    const auto one = replacedIn(d.text(), editor.find.text, editor.find.with, editor.find.regex, at);
    if (one.ok() && one->count == 1) insertText(session, editor, one->with, /*typing=*/false);
  }
  goTo(session, editor, canvas, 1);
}

// One undo step.
void replaceAll(Session& session, EditorState& editor, CanvasState& canvas) {
  const std::string& text = session.document().text();
  const auto all = replacedIn(text, editor.find.text, editor.find.with, editor.find.regex, {0, text.size()});
  canvas.goTo.problem = all.ok() ? "" : all.error().message;
  if (!all.ok()) return;
  if (all->count == 0) return session.tell("'" + editor.find.text + "' does not occur in the worksheet");
  const std::size_t caret = all->place.begin + all->with.size();
  if (!applyEdit(session, editor, {all->place.begin, all->place.end, all->with, caret, caret})) return;
  session.tell(fmt::format("replaced {}; undo restores the text", counted(all->count, "occurrence")));
}

void replaceRow(Session& session, EditorState& editor, CanvasState& canvas, float width) {
  FindState& find = editor.find;
  const bool second = find.second;
  ImGui::SetCursorPos({px(14), ImGui::GetCursorPosY() + px(4)});
  ImGui::SetNextItemWidth(std::max(px(80), width - px(14) - px(172) - px(22)));
  const auto field = second ? ui::field : ui::clickedField;
  const bool entered =
      field(ui::Owner::Find, "replace.field", find.with, find.regex ? "Replace with, $1 is a group" : "Replace with");
  if (ImGui::IsItemClicked()) {
    editor.focused = canvas.scroll.keys = false;
    find.second = true;
  }
  if (ui::keyboard().pressed(ui::Owner::Find, ImGuiKey_Tab)) find.second = !second;
  ImGui::SameLine(0, px(6));
  if (ui::button("replace.regex", ".*", find.regex)) find.regex = !find.regex;
  if (ImGui::IsItemHovered()) ui::tooltip("A regular expression, matched within each line");
  ImGui::SameLine(0, px(4));
  if (ui::button("replace.one", "replace") || (entered && second)) replaceOne(session, editor, canvas);
  ImGui::SameLine(0, px(4));
  if (ui::button("replace.all", "all")) replaceAll(session, editor, canvas);
}

}  // namespace

void goToBar(Session& session, EditorState& editor, CanvasState& canvas, float width) {
  if (!editor.find.open) return;
  GoToState& state = canvas.goTo;
  const auto pressed = [](ImGuiKey key) { return ui::keyboard().pressed(ui::Owner::Find, key); };
  const std::string before = editor.find.text;
  const float left = px(14), buttons = px(172);
  ImGui::SetCursorPos({left, ImGui::GetCursorPosY() + px(6)});
  ImGui::SetNextItemWidth(std::max(px(80), width - left - buttons - px(22)));
  FindState& find = editor.find;
  const auto field = find.second && find.replaces ? ui::clickedField : ui::field;
  const bool entered = field(ui::Owner::Find, "find.field", editor.find.text, "Find, or go to (3,5)  T12 V3");
  if (ImGui::IsItemClicked()) editor.focused = canvas.scroll.keys = find.second = false;
  if (ImGui::IsItemHovered())
    ui::tooltip(
        "Text in the worksheet, or a place in its pictures:\n(3,5)   offset 0x1a0   byte 416   thread 12   "
        "T12 V3   bank 7\nEnter or F3: next; Shift+F3: previous");
  if (editor.find.text != before) {
    state.problem.clear();
    const bool text = goToOf(editor.find.text).kind == GoTo::Kind::Text || find.replaces || find.regex;
    const std::size_t hits = text ? hitsOf(session.document(), find, state).size() : 0;
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
  if (find.replaces) replaceRow(session, editor, canvas, width);
  if (state.problem.empty()) return;
  for (const std::string& line : ui::wrapped(state.problem, ui::look().fonts.small, width - 2 * left)) {
    ImGui::SetCursorPosX(left);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ui::text(ui::look().fonts.small, at, Role::Refuted, line);
    ImGui::Dummy({width - 2 * left, px(18)});
  }
}

}  // namespace tessera::panes
