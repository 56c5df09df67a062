#include "app/views/claims.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/engine/jobs.h"
#include "app/widgets/ui.h"
#include "core/map/map.h"
#include "render/figure/text_metrics.h"

namespace tessera::panes {
namespace {

using ui::px;

void goTo(Session& session, EditorState& editor, const Statement& statement) {
  session.document().setCaret(statement.span.begin);
  editor.anchor = session.document().caret();
  editor.revealCaret = true;
  editor.focused = true;
}

// The counterexample's points, in the domain of every picture that shows them.
std::vector<Point> pointsOf(const Outcome& o, const Snapshot& now) {
  std::vector<Point> points;
  if (!o.verdict || !o.verdict->counterexample || !o.claim || o.claim->maps.empty()) return points;
  const Map& map = o.claim->maps[0];
  std::vector<i64> extents;
  for (const int d : map.indexDigits()) extents.push_back(map.digits()[static_cast<std::size_t>(d)].extent);
  for (const auto& p : o.verdict->counterexample->points) {
    if (p.size() != extents.size()) continue;
    const i64 index = linearize(p, extents, LinearOrder::Colex);
    for (const auto& other : now.outcomes) {
      if (!other->figure) continue;
      for (const Grid& g : other->figure->grids) {
        if (g.rows == 0 || g.cols == 0) continue;
        const Point at{g.cells->cell(0, 0).point.domain, index};
        if (!g.cells->find(at, 1).empty()) points.push_back(at);
      }
    }
  }
  return points;
}

void emptyHint(const char* words) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ui::text(ImGui::GetWindowDrawList(), ui::look().fonts.small, {at.x, at.y + px(6)}, ui::color(Role::Muted), words);
}

// A row's background and button; true when clicked.
bool rowButton(const std::string& name, float width, float height, float reserved) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(name.c_str());
  const bool pressed = ImGui::InvisibleButton("row", {std::max(1.0F, width - reserved), height});
  ImGui::PopID();
  ui::placeLast(name);
  if (ImGui::IsItemHovered())
    list->AddRectFilled({at.x - px(12), at.y}, {at.x + width + px(12), at.y + height}, ui::color(Role::Raised));
  return pressed;
}

void claimRow(Session& session, CanvasState& canvas, EditorState& editor, const Snapshot& now, std::size_t k) {
  const Outcome& o = *now.outcomes[k];
  const bool running = o.pending;
  const ui::Fonts& f = ui::look().fonts;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, h = px(28);
  const float aside = running ? 76 : 64;  // points that the row leaves to its own button
  if (rowButton(fmt::format("claim.{}", k), width, h, px(aside))) goTo(session, editor, o.statement);
  const auto cell = [&](float x, float room, Face face, Role role, const std::string& s, bool right = false) {
    ImFont* font = face == Face::Mono ? f.code : f.small;
    const std::string cut = fitted(s, face, face == Face::Mono ? 13 : 12, static_cast<double>(room / ui::look().scale));
    ui::text(list, font, {right ? at.x + x + room - ui::width(font, cut) : at.x + x, at.y + (h - font->FontSize) / 2},
             ui::color(role), cut);
  };
  const Truth truth = running ? Truth::Unknown : o.verdict->truth;
  ui::sign(list, {at.x + px(6), at.y + h / 2}, px(11),
           running                   ? ui::Sign::Pending
           : truth == Truth::Proved  ? ui::Sign::Proved
           : truth == Truth::Refuted ? ui::Sign::Refuted
                                     : ui::Sign::Unknown);
  // With little room the claim and its time remain.
  const bool narrow = width < px(700);
  const float claimWidth = narrow ? std::max(px(60), width - px(170)) : width * 0.36F, detailWidth = width * 0.30F;
  cell(px(24), claimWidth - px(36), Face::Mono, Role::Text, running ? o.statement.text : o.verdict->claim);
  if (running) {
    // Without a job it waits for a name that another one binds.
    if (!narrow) cell(claimWidth, detailWidth, Face::Sans, Role::Unknown, o.job ? o.job->progressText() : "waiting");
    if (o.job) {
      ImGui::SetCursorScreenPos({at.x + width - px(aside - 4), at.y + px(2)});
      if (ui::button(fmt::format("claim.{}.cancel", k), "cancel")) session.cancel(k);
    }
  } else {
    const Verdict& v = *o.verdict;
    if (!narrow) {
      cell(claimWidth, detailWidth - px(16), Face::Sans, Role::Muted,
           truth == Truth::Refuted && v.counterexample ? v.counterexample->text : v.detail);
      cell(claimWidth + detailWidth, width * 0.14F, Face::Sans, Role::Muted, v.method);
    }
    cell(width - px(176), px(92), Face::Mono, Role::Text,
         fmt::format("{:.{}f} ms", v.milliseconds,
                     v.milliseconds < 0.1  ? 3
                     : v.milliseconds < 10 ? 2
                                           : 0),
         true);
    if (truth == Truth::Refuted && v.counterexample && !v.counterexample->points.empty()) {
      ImGui::SetCursorScreenPos({at.x + width - px(60), at.y + px(2)});
      if (ui::button(fmt::format("claim.{}.show", k), "show")) {
        session.litPoints = pointsOf(o, now);
        canvas.onlyLine = -1;
        if (session.litPoints.empty())
          session.tell("no picture shows these points: add a line 'show ... as grid'", true);
      }
    }
  }
  ImGui::SetCursorScreenPos({at.x, at.y + h});
  list->AddLine({at.x - px(12), at.y + h}, {at.x + width + px(12), at.y + h}, ui::color(Role::Hairline, 0.6));
}

}  // namespace

void claims(Session& session, CanvasState& canvas, EditorState& editor) {
  const auto now = session.snapshot();
  bool any = false;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  for (std::size_t k = 0; k < now->outcomes.size(); ++k) {
    const Outcome& o = *now->outcomes[k];
    // Whatever runs in the background stands here, too, a picture that takes its time as well: it can be cancelled.
    if (!o.verdict && !(o.pending && (o.job || o.statement.kind == StatementKind::Prove))) continue;
    any = true;
    claimRow(session, canvas, editor, *now, k);
  }
  ImGui::PopStyleVar();
  if (!any) emptyHint("No claims yet. Try: prove injective(A)");
}

void problems(Session& session, EditorState& editor) {
  const auto now = session.snapshot();
  const ui::Fonts& f = ui::look().fonts;
  ImDrawList* list = ImGui::GetWindowDrawList();
  bool any = false;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  for (std::size_t k = 0; k < now->outcomes.size(); ++k) {
    const Outcome& o = *now->outcomes[k];
    if (!o.diag) continue;
    any = true;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, h = px(28);
    if (rowButton(fmt::format("problem.{}", k), width, h, 0)) goTo(session, editor, o.statement);
    ui::sign(list, {at.x + px(6), at.y + h / 2}, px(11), ui::Sign::Problem);
    ui::text(list, f.small, {at.x + px(24), at.y + px(6)}, ui::color(Role::Faint),
             fmt::format("line {}", o.statement.line));
    ui::text(list, f.sans, {at.x + px(84), at.y + px(5)}, ui::color(Role::Text),
             fitted(o.diag->message, Face::Sans, 13, static_cast<double>((width - px(90)) / ui::look().scale)));
  }
  ImGui::PopStyleVar();
  if (!any) emptyHint("No problems.");
}

}  // namespace tessera::panes
