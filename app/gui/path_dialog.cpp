#include <imgui.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>

#include "app/gui/panel.h"
#include "app/widgets/ui.h"

namespace tessera::panes {
namespace {

using ui::px;

namespace fs = std::filesystem;
using Ask = WindowState::Ask;

void accept(Session& session, WindowState& state) {
  bool done = false;
  switch (state.ask) {
    case Ask::Open:
      done = session.open(state.askPath);
      break;
    case Ask::SaveAs:
      done = session.saveAs(state.askPath);
      break;
    case Ask::Export:
      done = session.exportFigure(state.canvas.exportOutcome, state.askPath);
      break;
    case Ask::Smt2:
      done = session.exportSmt2(state.askPath);
      break;
    case Ask::None:
      break;
  }
  if (done) state.ask = Ask::None;
}

// Folder entries that continue what was typed.
void listing(WindowState& state) {
  std::error_code failed;
  const fs::path typed(state.askPath);
  fs::path folder = fs::is_directory(typed, failed) ? typed : typed.parent_path();
  if (folder.empty()) folder = ".";
  std::vector<std::pair<std::string, bool>> entries;
  for (const auto& e : fs::directory_iterator(folder, fs::directory_options::skip_permission_denied, failed)) {
    const std::string name = e.path().filename().string();
    if (name.empty() || name[0] == '.') continue;
    const bool isFolder = e.is_directory(failed);
    if (!isFolder && state.ask == Ask::Open && e.path().extension() != ".tess") continue;
    if (!isFolder && state.ask != Ask::Open) continue;
    entries.push_back({name, isFolder});
    if (entries.size() > 500) break;
  }
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.second != b.second ? a.second : a.first < b.first; });
  ImGui::BeginChild("listing", {0, px(220)});
  if (fs::absolute(folder, failed).has_parent_path() && ImGui::Selectable("..", false))
    state.askPath = (fs::weakly_canonical(folder, failed).parent_path() / "").string();
  for (const auto& [name, isFolder] : entries) {
    const std::string label = isFolder ? name + "/" : name;
    if (ImGui::Selectable(label.c_str(), false))
      state.askPath = isFolder ? (folder / name / "").string() : (folder / name).string();
    ui::placeLast("dialog.entry." + name);
  }
  ImGui::EndChild();
}

}  // namespace

void pathDialog(Session& session, WindowState& state) {
  const char* titles[] = {"", "Open a worksheet", "Save the worksheet as", "Export the picture as",
                          "Write SMT-LIB files into the folder"};
  if (beginPanel("##path", 620, 0.18F)) {
    ImGui::PushFont(ui::look().fonts.sansMedium);
    ImGui::TextUnformatted(titles[static_cast<int>(state.ask)]);
    ImGui::PopFont();
    if (state.ask == Ask::Export) muted("The ending picks the format: svg png pdf tex txt csv json.");
    ImGui::SetNextItemWidth(-1);
    if (state.askJustOpened) ImGui::SetKeyboardFocusHere();
    state.askJustOpened = false;
    const bool entered = ImGui::InputText("##field", &state.askPath, ImGuiInputTextFlags_EnterReturnsTrue);
    ui::placeLast("dialog.path");
    listing(state);
    if (session.messageIsError && !session.message.empty()) {
      ImGui::PushStyleColor(ImGuiCol_Text, ui::colorVec(Role::Refuted));
      ImGui::TextWrapped("%s", session.message.c_str());
      ImGui::PopStyleColor();
    }
    const char* verbs[] = {"", "Open", "Save", "Export", "Write"};
    const bool pressed = ui::button("dialog.accept", verbs[static_cast<int>(state.ask)], true);
    ImGui::SameLine();
    const bool cancelled = ui::button("dialog.cancel", "Cancel");
    if (entered || pressed) accept(session, state);
    if (cancelled) state.ask = Ask::None;
  }
  ImGui::End();
}

}  // namespace tessera::panes
