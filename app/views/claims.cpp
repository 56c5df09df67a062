#include "app/views/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "app/engine/jobs.h"
#include "app/engine/next_steps.h"
#include "app/views/insert.h"
#include "app/views/sheet_lights.h"
#include "app/widgets/ui.h"
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

std::vector<Point> counterexampleOf(const Outcome& o) {
  if (!o.claim || !o.verdict || !o.verdict->counterexample) return {};
  return pointsOf(*o.claim, *o.verdict->counterexample);
}

// Whether a picture beside the verdict's own card lights any of them.
bool isShown(const std::vector<Point>& points, const Outcome& own, const Snapshot& now) {
  const Linked linked({points, nullptr, ""}, figuresOf(now));
  return std::any_of(now.outcomes.begin(), now.outcomes.end(), [&](const auto& o) {
    if (!o->figure || &*o == &own) return false;
    const auto& grids = o->figure->grids;
    return std::any_of(grids.begin(), grids.end(), [&](const Grid& g) {
      return g.cells && g.rows > 0 && g.cols > 0 && !linked.in(*o->figure, g).empty();
    });
  });
}

// What it offers, worked out once an outcome.
const std::vector<NextStep>& stepsOf(const std::shared_ptr<const Outcome>& o) {
  constexpr std::size_t kKept = 64;
  static std::deque<std::pair<std::shared_ptr<const Outcome>, std::vector<NextStep>>> kept;
  for (const auto& [outcome, steps] : kept)
    if (outcome == o) return steps;
  if (kept.size() >= kKept) kept.pop_front();
  kept.emplace_back(o, nextSteps(*o));
  return kept.back().second;
}

// The next steps as links on a line of their own, as many as fit; the line's height.
float stepLinks(Session& session, const std::shared_ptr<const Outcome>& o, const std::string& name, ImVec2 at,
                float width) {
  const std::vector<NextStep>& steps = stepsOf(o);
  if (steps.empty()) return 0;
  constexpr double kLongest = 260;
  const float h = px(22), gap = px(18), end = at.x + width;
  ui::text(ImGui::GetWindowDrawList(), ui::look().fonts.small, at, ui::color(Role::Faint), "try");
  float x = at.x + px(28);
  for (std::size_t n = 0; n < steps.size(); ++n) {
    const std::string label = fitted(steps[n].label, Face::Sans, 12, kLongest);
    const float wide = ui::width(ui::look().fonts.small, label);
    if (x + wide > end && n > 0) break;
    ImGui::SetCursorScreenPos({x, at.y});
    if (ui::link(fmt::format("{}.step.{}", name, n), label.c_str())) takeStep(session, o->statement, steps[n]);
    if (ImGui::IsItemHovered()) {
      const std::string& what = steps[n].statement;
      ImGui::SetTooltip("%s", what.substr(0, 400).c_str());
    }
    x += wide + gap;
  }
  return h;
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
  const bool picked = rowButton(fmt::format("claim.{}", k), width, h, px(aside));
  const bool refuted = !running && o.verdict->truth == Truth::Refuted;
  const std::vector<Point> points = refuted ? counterexampleOf(o) : std::vector<Point>{};
  if (ImGui::IsItemHovered()) session.pointedClaim = points;
  if (picked) {
    goTo(session, editor, o.statement);
    if (!points.empty()) session.litPoints = points;
  }
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
  const float claimWidth = width * 0.36F, detailWidth = width * 0.30F;
  cell(px(24), claimWidth - px(36), Face::Mono, Role::Text, running ? o.statement.text : o.verdict->claim);
  if (running) {
    // Without a job it waits for a name that another one binds.
    cell(claimWidth, detailWidth, Face::Sans, Role::Unknown, o.job ? o.job->progressText() : "waiting");
    if (o.job) {
      ImGui::SetCursorScreenPos({at.x + width - px(aside - 4), at.y + px(2)});
      if (ui::button(fmt::format("claim.{}.cancel", k), "cancel")) session.cancel(k);
    }
  } else {
    const Verdict& v = *o.verdict;
    cell(claimWidth, detailWidth - px(16), Face::Sans, Role::Muted,
         truth == Truth::Refuted && v.counterexample ? v.counterexample->text : v.detail);
    cell(claimWidth + detailWidth, width * 0.14F, Face::Sans, Role::Muted, v.method);
    cell(width - px(176), px(92), Face::Mono, Role::Text,
         fmt::format("{:.{}f} ms", v.milliseconds,
                     v.milliseconds < 0.1  ? 3
                     : v.milliseconds < 10 ? 2
                                           : 0),
         true);
    if (!points.empty()) {
      ImGui::SetCursorScreenPos({at.x + width - px(60), at.y + px(2)});
      if (ui::button(fmt::format("claim.{}.show", k), "show")) {
        session.litPoints = points;
        canvas.onlyLine = -1;
        if (!isShown(points, o, now))
          session.tell("no other picture shows these points: add a line 'show ... as grid'");
      }
      if (ImGui::IsItemHovered()) session.pointedClaim = points;
    }
  }
  const float below =
      h + stepLinks(session, now.outcomes[k], fmt::format("claim.{}", k), {at.x + px(24), at.y + h}, width - px(24));
  ImGui::SetCursorScreenPos({at.x, at.y + below});
  ImGui::Dummy({0, 0});
  list->AddLine({at.x - px(12), at.y + below}, {at.x + width + px(12), at.y + below}, ui::color(Role::Hairline, 0.6));
}

}  // namespace

void claims(Session& session, CanvasState& canvas, EditorState& editor) {
  const auto now = session.snapshot();
  bool any = false;
  session.pointedClaim.clear();
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
  session.pointedClaim.clear();
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
    const float below = h + stepLinks(session, now->outcomes[k], fmt::format("problem.{}", k),
                                      {at.x + px(84), at.y + h}, width - px(84));
    ImGui::SetCursorScreenPos({at.x, at.y + below});
    ImGui::Dummy({0, 0});
  }
  ImGui::PopStyleVar();
  if (!any) emptyHint("No problems.");
}

}  // namespace tessera::panes
