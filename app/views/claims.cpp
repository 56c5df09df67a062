#include "app/views/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "app/engine/help/method_info.h"
#include "app/engine/help/next_steps.h"
#include "core/worksheet/statements/task.h"

namespace tessera::panes {
namespace {

using ui::px;

std::vector<Point> counterexampleOf(const Outcome& o) {
  if (o.program.checked && o.figure) return o.figure->lit;  // for a program: the locations of its findings
  if (!o.claim || !o.verdict || !o.verdict->counterexample) return {};
  return pointsOf(*o.claim, *o.verdict->counterexample);
}

// Whether a picture other than the verdict's own card lights any of them.
bool isShown(const std::vector<Point>& points, const Outcome& own, const Snapshot& now) {
  const Linked linked({points, nullptr, ""}, figuresOf(now));
  return std::ranges::any_of(now.outcomes, [&](const auto& o) {
    if (!o->figure || &*o == &own) return false;
    const auto& grids = o->figure->grids;
    return std::ranges::any_of(
        grids, [&](const Grid& g) { return g.cells && g.rows > 0 && g.cols > 0 && !linked.in(*o->figure, g).empty(); });
  });
}

// The next steps, computed once per outcome.
const std::vector<NextStep>& stepsOf(const std::shared_ptr<const Outcome>& o) {
  constexpr std::size_t kKept = 64;
  static std::deque<std::pair<std::shared_ptr<const Outcome>, std::vector<NextStep>>> kept;
  for (const auto& [outcome, steps] : kept)
    if (outcome == o) return steps;
  if (kept.size() >= kKept) kept.pop_front();
  kept.emplace_back(o, nextSteps(*o));
  return kept.back().second;
}

// The next steps as links: those that make the claim hold on one line, the others on another, as many as fit; returns
// the height.
float stepLinks(Session& session, const std::shared_ptr<const Outcome>& o, const std::string& name, ImVec2 at,
                float width) {
  if (o->holds() || o->statement.kind == StatementKind::Task) return 0;
  const std::vector<NextStep>& steps = stepsOf(o);
  constexpr double kLongest = 320;
  ImFont* const font = ui::look().fonts.small;
  float y = at.y;
  for (const bool corrects : {true, false}) {
    const char* const head = corrects ? "make it true" : "try";
    float x = at.x;
    int links = 0;
    for (std::size_t n = 0; n < steps.size(); ++n) {
      if (steps[n].corrects.empty() == corrects) continue;
      const bool first = x == at.x;
      if (first) ui::text(font, {x, y}, Role::Faint, head);
      if (first) x += ui::width(font, head) + px(12);
      const std::string label = ui::fitted(steps[n].label, font, px(kLongest));
      const float wide = ui::width(font, label);
      if (x + wide > at.x + width && !first) break;
      ImGui::SetCursorScreenPos({x, y});
      if (ui::link(fmt::format("{}.{}.{}", name, corrects ? "true" : "step", links++), label.c_str()))
        takeStep(session, o->statement, steps[n]);
      if (ImGui::IsItemHovered())
        ui::tooltip(corrects ? fmt::format("{}\ninstead of\n{}", steps[n].statement.substr(0, 400),
                                           steps[n].corrects.substr(0, 400))
                             : steps[n].statement.substr(0, 400));
      x += wide + px(18);
    }
    if (x > at.x) y += px(22);
  }
  return y - at.y;
}

// Draws the outcomes for which `drawn` draws a row and returns true; `hint` if there are none.
void rows(Session& session, const Snapshot& now, const std::string& hint, const auto& drawn) {
  session.pointedClaim.clear();
  bool any = false;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  for (std::size_t k = 0; k < now.outcomes.size(); ++k) any = drawn(*now.outcomes[k], k) || any;
  ImGui::PopStyleVar();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (!any) ui::text(ui::look().fonts.small, {at.x, at.y + px(6)}, Role::Muted, hint);
}

// A row's background and click area; returns true if clicked.
bool rowButton(const std::string& name, float width, float height, float reserved) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool pressed = ui::area(name, {std::max(1.0F, width - reserved), height});
  if (ImGui::IsItemHovered()) ui::fill({at.x - px(12), at.y}, {at.x + width + px(12), at.y + height}, Role::Raised);
  return pressed;
}

// The position of a row and of its cells.
struct Row {
  ImVec2 at;
  float width = 0, height = 0;

  void cell(float x, float room, Face face, Role role, const std::string& s, bool right = false) const {
    ImFont* font = face == Face::Mono ? ui::look().fonts.code : ui::look().fonts.small;
    const std::string cut = ui::fitted(s, font, room);
    const float left = right ? at.x + x + room - ui::width(font, cut) : at.x + x;
    ui::textInRow(font, {left, at.y}, height, role, cut);
  }
  // With little room only the claim and its time are shown.
  [[nodiscard]] bool narrow() const { return width < px(700); }
  [[nodiscard]] float claimWidth() const { return narrow() ? std::max(px(60), width - px(220)) : width * 0.36F; }
  [[nodiscard]] float detailWidth() const { return width * 0.30F; }
};

// A statement without a job waits for a name.
void runningCells(Session& session, const Row& row, const Outcome& o, std::size_t k, float aside) {
  const std::string doing = o.job ? o.job->progressText() : "waiting";
  if (!row.narrow()) row.cell(row.claimWidth(), row.detailWidth(), Face::Sans, Role::Unknown, doing);
  if (!o.job) return;
  ImGui::SetCursorScreenPos({row.at.x + row.width - px(aside - 4), row.at.y + px(2)});
  if (ui::button(fmt::format("claim.{}.cancel", k), "cancel")) session.evaluation().cancel(k);
}

void verdictCells(const Row& row, const Verdict& v, bool why) {
  const int digits = v.milliseconds < 0.1 ? 3 : v.milliseconds < 10 ? 2 : 0;
  const std::string time = fmt::format("{:.{}f} ms", v.milliseconds, digits);
  row.cell(row.width - px(226), px(92), Face::Mono, Role::Text, time, true);
  if (row.narrow()) return;
  row.cell(row.claimWidth(), row.detailWidth() - px(16), Face::Sans, Role::Muted,
           !why                                            ? ""
           : v.truth == Truth::Refuted && v.counterexample ? v.counterexample->text
                                                           : v.detail);
  const float method = row.claimWidth() + row.detailWidth();
  const float timeAt = row.width - px(226 - 92) - ui::width(ui::look().fonts.code, time);
  row.cell(method, timeAt - px(10) - method, Face::Sans, Role::Muted, v.method);
}

// The two paths of a counterexample; returns true if clicked.
bool playButton(const Row& row, std::size_t k) {
  ImGui::SetCursorScreenPos({row.at.x + row.width - px(112), row.at.y + px(2)});
  const bool clicked = ui::button(fmt::format("claim.{}.play", k), "play");
  if (ImGui::IsItemHovered()) ui::tooltip("Plays the paths of the counterexample's points (F6)");
  return clicked;
}

// Lights the counterexample until something else is lit.
void showButton(Session& session, CanvasState& canvas, const Row& row, const std::vector<Point>& points,
                const Snapshot& now, std::size_t k) {
  ImGui::SetCursorScreenPos({row.at.x + row.width - px(60), row.at.y + px(2)});
  if (ui::button(fmt::format("claim.{}.show", k), "show")) {
    session.litPoints = points;
    canvas.onlyLine = -1;
    if (!isShown(points, *now.outcomes[k], now))
      session.tell("no other picture shows these points: add a line 'show ... as grid'");
  }
  if (ImGui::IsItemHovered()) session.pointedClaim = points;
}

// Why a verdict is what it is, below the row of the claim that has the caret; returns its height.
float whyLines(const Outcome& o, const std::string& name, ImVec2 at, float width) {
  const Verdict& v = *o.verdict;
  std::string why = v.truth == Truth::Refuted && v.counterexample ? v.counterexample->text : v.detail;
  if (!why.empty() && why.back() != '.') why += ".";
  const std::string info = methodInfo(v);
  if (!info.empty()) why += (why.empty() ? "" : " ") + info;
  if (v.truth == Truth::Refuted && !o.learner.noCorrection.empty())
    why += fmt::format("{}Make it true: find has no edit, because {}.", why.empty() ? "" : " ", o.learner.noCorrection);
  if (why.empty()) return 0;
  ImFont* const font = ui::look().fonts.small;
  float below = 0;
  for (const std::string& line : ui::wrapped(why, font, width)) {
    ui::text(font, {at.x, at.y + below}, Role::Muted, line);
    below += px(18);
  }
  ui::places()[name] = {at.x, at.y, width, below};
  return below + px(4);
}

// Returns true if its counterexample is to be played.
bool claimRow(Session& session, CanvasState& canvas, EditorState& editor, const Snapshot& now, std::size_t k) {
  const Outcome& o = *now.outcomes[k];
  const Row row{ImGui::GetCursorScreenPos(), ImGui::GetContentRegionAvail().x, px(28)};
  const bool refuted = !o.pending && o.verdict->truth == Truth::Refuted;
  const bool why = session.tasks.shows(o);
  const std::vector<Point> points = refuted && why ? counterexampleOf(o) : std::vector<Point>{};
  const bool plays = !points.empty() && o.claim.has_value();
  const float aside = o.pending ? 76 : plays ? 116 : 64;  // points reserved for the row's buttons
  const bool picked = rowButton(fmt::format("claim.{}", k), row.width, row.height, px(aside));
  if (ImGui::IsItemHovered()) session.pointedClaim = points;
  if (picked) {
    placeCaret(session, editor, o.statement.span.begin);
    if (!points.empty()) session.litPoints = points;
  }
  ui::sign({row.at.x + px(6), row.at.y + row.height / 2}, px(11),
           o.pending                       ? ui::Sign::Pending
           : o.learner.task && !o.solved() ? ui::Sign::Unknown
                                           : signOf(o.verdict->truth));
  row.cell(px(24), row.claimWidth() - px(36), Face::Mono, Role::Text,
           o.learner.task ? "task: " + o.learner.task->title
           : o.pending    ? o.statement.text
                          : o.verdict->claim);
  if (o.pending) {
    runningCells(session, row, o, k, aside);
  } else {
    verdictCells(row, *o.verdict, why);
    if (!points.empty()) showButton(session, canvas, row, points, now, k);
  }
  const bool played = plays && playButton(row, k);
  const std::size_t caret = session.document().caret();
  const bool chosen = !o.pending && why && caret >= o.statement.span.begin && caret <= o.statement.span.end;
  const float inset = px(24), room = row.width - inset;
  const float explained =
      chosen ? whyLines(o, fmt::format("claim.{}.why", k), {row.at.x + inset, row.at.y + row.height}, room) : 0;
  const ImVec2 under = {row.at.x + inset, row.at.y + row.height + explained};
  const float below = under.y + stepLinks(session, now.outcomes[k], fmt::format("claim.{}", k), under, room);
  ImGui::SetCursorScreenPos({row.at.x, below});
  ImGui::Dummy({0, 0});
  ui::hairline({row.at.x - px(12), below}, {row.at.x + row.width + px(12), below}, 0.6);
  return played;
}

}  // namespace

std::optional<std::size_t> claims(Session& session, CanvasState& canvas, EditorState& editor) {
  std::optional<std::size_t> played;
  const auto now = session.evaluation().snapshot();
  const std::string hint = fmt::format("No claims yet. Try: {}", linesToTry(*now).back());
  rows(session, *now, hint, [&](const Outcome& o, std::size_t k) {
    // Includes everything running in the background, also slow pictures, because it can be cancelled.
    const bool shown = o.verdict || (o.pending && (o.job || o.statement.kind == StatementKind::Prove));
    if (shown && claimRow(session, canvas, editor, *now, k)) played = k;
    return shown;
  });
  return played;
}

void problems(Session& session, EditorState& editor) {
  const auto now = session.evaluation().snapshot();
  const ui::Fonts& f = ui::look().fonts;
  rows(session, *now, "No problems.", [&](const Outcome& o, std::size_t k) {
    if (!o.diag) return false;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x, h = px(28);
    if (rowButton(fmt::format("problem.{}", k), width, h, 0)) placeCaret(session, editor, o.statement.span.begin);
    ui::sign({at.x + px(6), at.y + h / 2}, px(11), ui::Sign::Problem);
    ui::text(f.small, {at.x + px(24), at.y + px(6)}, Role::Faint, fmt::format("line {}", o.statement.line));
    ui::text(f.sans, {at.x + px(84), at.y + px(5)}, Role::Text, ui::fitted(o.diag->message, f.sans, width - px(90)));
    const float below = h + stepLinks(session, now->outcomes[k], fmt::format("problem.{}", k),
                                      {at.x + px(84), at.y + h}, width - px(84));
    ImGui::SetCursorScreenPos({at.x, at.y + below});
    ImGui::Dummy({0, 0});
    return true;
  });
}

}  // namespace tessera::panes
