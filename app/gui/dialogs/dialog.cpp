#include "app/gui/dialogs/dialog.h"

#include <algorithm>
#include <utility>

#include "app/gui/commands.h"
#include "app/gui/panes/panel.h"
#include "app/widgets/keyboard.h"
#include "app/widgets/ui.h"

namespace tessera {

using ui::px;

void askUser(WindowState& state, Dialog dialog) {
  std::erase_if(state.dialogs, [&](const Dialog& d) { return d.name == dialog.name; });
  state.dialogs.push_back(std::move(dialog));
}

void takeChoice(WindowState& state, std::size_t choice) {
  Dialog d = std::move(state.dialogs.back());
  state.dialogs.pop_back();
  // The action may open the next dialog or report an error.
  const Dialog::Run run = d.choices.at(choice).run;
  d.problem = run ? run(d.field.value_or("")) : "";
  if (!d.problem.empty()) askUser(state, std::move(d));
}

void dismiss(WindowState& state) {
  if (!state.dialogs.empty()) state.dialogs.pop_back();
}

namespace panes {
namespace {

// Draws the choices in a row; returns the one taken by click or key.
std::optional<std::size_t> choices(Dialog& d) {
  const auto pressed = [](ImGuiKey key) { return ui::keyboard().pressed(ui::Owner::Dialog, key); };
  const std::size_t n = d.choices.size();
  const bool back = ImGui::GetIO().KeyShift;
  if ((pressed(ImGuiKey_Tab) && !back) || (pressed(ImGuiKey_RightArrow) && !d.field)) d.marked = (d.marked + 1) % n;
  if ((pressed(ImGuiKey_Tab) && back) || (pressed(ImGuiKey_LeftArrow) && !d.field)) d.marked = (d.marked + n - 1) % n;
  std::optional<std::size_t> taken;
  for (std::size_t k = 0; k < n; ++k) {
    if (k > 0) ImGui::SameLine();
    if (ui::button(d.name + "." + d.choices[k].name, d.choices[k].label.c_str(), k == d.marked)) taken = k;
  }
  if (!d.field && (pressed(ImGuiKey_Enter) || pressed(ImGuiKey_KeyPadEnter))) taken = d.marked;
  return taken;
}

}  // namespace

void dialog(WindowState& state) {
  if (state.dialogs.empty()) return;
  Dialog& d = state.dialogs.back();
  std::optional<std::size_t> taken;
  if (beginPanel("##dialog", d.width, d.body ? 0.12F : 0.28F)) {
    panelTitle(d.title);
    if (!d.text.empty()) muted(d.text);
    if (d.field) {
      ImGui::SetNextItemWidth(-1);
      if (ui::field(ui::Owner::Dialog, d.name + ".field", *d.field)) taken = d.marked;
    }
    if (d.body) d.body();
    panelProblem(d.problem);
    ImGui::Dummy({0, px(4)});
    if (const auto clicked = choices(d)) taken = clicked;
  }
  ImGui::End();
  if (taken) takeChoice(state, *taken);
}

}  // namespace panes
}  // namespace tessera
