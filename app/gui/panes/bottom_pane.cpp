#include <fmt/format.h>

#include "app/gui/dialogs/path_dialog.h"
#include "app/gui/parts.h"
#include "app/views/claims.h"

namespace tessera {

using ui::px;

void bottomPane(Session& session, WindowState& state, ImVec2 at, ImVec2 size) {
  beginPane("##bottom", at, size, Role::Panel);
  Strip strip(size.x);
  using Bottom = ShownPanes::Bottom;
  const auto count = session.evaluation().snapshot()->count();
  if (ui::tab("tab.claims", "Claims", state.shown.bottom == Bottom::Claims)) state.shown.bottom = Bottom::Claims;
  Strip::gap();
  const std::string badge = count.problems > 0 ? std::to_string(count.problems) : "";
  if (ui::tab("tab.problems", "Problems", state.shown.bottom == Bottom::Problems,
              badge.empty() ? nullptr : badge.c_str()))
    state.shown.bottom = Bottom::Problems;
  const float tabsEnd = ImGui::GetItemRectMax().x + px(16);
  const ui::Fonts& f = ui::look().fonts;
  std::string tally;
  const auto add = [&](int n, const char* word) {
    if (n > 0) tally += fmt::format("{}{} {}", tally.empty() ? "" : "   ", n, word);
  };
  add(count.proved, "proved");
  add(count.refuted, "refuted");
  add(count.unknown, "unknown");
  if (session.evaluation().running()) tally += tally.empty() ? "evaluating" : "   evaluating";
  const float right = at.x + size.x - px(16);
  const float tallyAt = right - px(128) - ui::width(f.small, tally);
  if (tallyAt > tabsEnd)
    ui::text(ImGui::GetWindowDrawList(), f.small, {tallyAt, at.y + px(9)}, ui::color(Role::Muted), tally);
  ImGui::SetCursorScreenPos({right - px(116), at.y + px(5)});
  if (right - px(116) > tabsEnd && ui::button("claims.smt2", "export SMT-LIB"))
    askForPath(state, PathQuestion::Ask::Smt2, ".");
  strip.end();
  ImGui::SetCursorScreenPos({at.x + px(14), at.y + px(37)});
  ImGui::BeginChild("table", {size.x - px(26), size.y - px(40)});
  if (state.shown.bottom == Bottom::Claims) {
    panes::claims(session, state.canvas, state.editor);
  } else {
    panes::problems(session, state.editor);
  }
  ImGui::EndChild();
  endPane();
}

}  // namespace tessera
