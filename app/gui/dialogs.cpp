#include "app/gui/dialogs.h"

#include <fmt/format.h>
#include <imgui_stdlib.h>

#include <algorithm>
#include <filesystem>

#include "app/widgets/ui.h"

namespace tessera::panes {
namespace {

namespace fs = std::filesystem;
using ui::px;
using Ask = WindowState::Ask;

// A centred panel over everything; the rest is dimmed.
bool beginPanel(const char* name, float width, float top) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::GetForegroundDrawList();
  ImGui::SetNextWindowPos({(screen.x - px(width)) / 2, screen.y * top});
  ImGui::SetNextWindowSize({px(width), 0});
  return ImGui::Begin(name, nullptr,
                      ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                          ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize);
}

void muted(const char* words) {
  ImGui::PushFont(ui::look().fonts.small);
  ImGui::PushStyleColor(ImGuiCol_Text, ui::colorVec(Role::Muted));
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(words);
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
  ImGui::PopFont();
}

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
      done = exportSeen(session, state.canvas, state.exported, state.askPath);
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
    if (state.ask == Ask::Export) exportChoices(session, state.exported);
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

void discardDialog(WindowState& state) {
  if (beginPanel("##discard", 440, 0.3F)) {
    ImGui::PushFont(ui::look().fonts.sansMedium);
    ImGui::TextUnformatted("This worksheet has changes that are not saved");
    ImGui::PopFont();
    muted("Going on replaces it. Save it first with Ctrl+S if you want to keep it.");
    ImGui::Dummy({0, px(6)});
    if (ui::button("discard.yes", "Replace it", true)) {
      state.confirmDiscard = false;
      const auto action = std::move(state.afterDiscard);
      if (action) action();
    }
    ImGui::SameLine();
    if (ui::button("discard.no", "Keep it")) state.confirmDiscard = false;
  }
  ImGui::End();
}

bool containsFolded(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
         }) != text.end();
}

void commandSearch(Session& session, WindowState& state) {
  if (beginPanel("##search", 520, 0.08F)) {
    ImGui::SetNextItemWidth(-1);
    if (state.searchJustOpened) ImGui::SetKeyboardFocusHere();
    state.searchJustOpened = false;
    const std::string before = state.searchText;
    const bool entered = ImGui::InputTextWithHint("##field", "Search, or run a command", &state.searchText,
                                                  ImGuiInputTextFlags_EnterReturnsTrue);
    ui::placeLast("search.field");
    if (before != state.searchText) state.searchRow = 0;
    std::vector<const Command*> found;
    for (const Command& c : commands())
      if (*c.menu != '\0' && containsFolded(c.title, state.searchText) && (!c.enabled || c.enabled(session, state)))
        found.push_back(&c);
    const int rows = static_cast<int>(found.size());
    if (rows > 0 && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_DownArrow)))
      state.searchRow = (state.searchRow + 1) % rows;
    if (rows > 0 && ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_UpArrow)))
      state.searchRow = (state.searchRow + rows - 1) % rows;
    const Command* chosen = nullptr;
    for (int k = 0; k < rows; ++k) {
      const Command& c = *found[static_cast<std::size_t>(k)];
      const ImVec2 at = ImGui::GetCursorScreenPos();
      ImGui::PushID(c.id);
      if (ImGui::Selectable("##row", k == state.searchRow, 0, {0, px(22)})) chosen = &c;
      ImGui::PopID();
      ui::placeLast(std::string("search.") + c.id);
      ImDrawList* list = ImGui::GetWindowDrawList();
      ui::text(list, ui::look().fonts.sans, {at.x + px(6), at.y + px(2)}, ui::color(Role::Text), c.title);
      const float w = ui::width(ui::look().fonts.small, c.shortcut);
      ui::text(list, ui::look().fonts.small, {at.x + ImGui::GetContentRegionAvail().x - w - px(6), at.y + px(3)},
               ui::color(Role::Faint), c.shortcut);
    }
    if (rows == 0) muted("No command has these words.");
    if (entered && state.searchRow < rows) chosen = found[static_cast<std::size_t>(state.searchRow)];
    if (chosen != nullptr) {
      state.searchOpen = false;
      chosen->run(session, state);
    }
  }
  ImGui::End();
}

void manual(WindowState& state) {
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({screen.x * 0.2F, screen.y * 0.08F});
  ImGui::SetNextWindowSize({screen.x * 0.6F, screen.y * 0.82F});
  if (ImGui::Begin("##manual", nullptr,
                   ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                       ImGuiWindowFlags_NoSavedSettings)) {
    if (ui::button("manual.close", "Close")) state.manualOpen = false;
    static const std::string kText = [] {
      auto text = readFile(Session::assetsFolder() + "/manual.md");
      return text.ok() ? *text : "The manual is missing: " + text.error().message;
    }();
    ImGui::BeginChild("text");
    std::size_t at = 0;
    bool code = false;
    while (at < kText.size()) {
      const std::size_t end = std::min(kText.find('\n', at), kText.size());
      const std::string line = kText.substr(at, end - at);
      at = end + 1;
      if (line.rfind("```", 0) == 0) {
        code = !code;
      } else if (code) {
        ImGui::PushFont(ui::look().fonts.code);
        ImGui::TextUnformatted(("    " + line).c_str());
        ImGui::PopFont();
      } else if (line.rfind('#', 0) == 0) {
        ui::sectionHead(line.substr(line.find_first_not_of("# ")).c_str());
      } else {
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(line.c_str());
        ImGui::PopTextWrapPos();
      }
    }
    ui::sectionHead("Functions");
    for (const FunctionInfo& f : functions()) {
      ImGui::PushFont(ui::look().fonts.code);
      ImGui::TextUnformatted(std::string(f.signature).c_str());
      ImGui::PopFont();
      ImGui::SameLine(px(330));
      ImGui::PushStyleColor(ImGuiCol_Text, ui::colorVec(Role::Muted));
      ImGui::TextUnformatted(std::string(f.what).c_str());
      ImGui::PopStyleColor();
    }
    ImGui::EndChild();
  }
  ImGui::End();
}

}  // namespace

void dialogs(Session& session, WindowState& state) {
  if (state.canvas.exportOutcome != SIZE_MAX && state.ask == Ask::None) {
    state.ask = Ask::Export;
    state.askPath = "picture.svg";
    state.askJustOpened = true;
  }
  if (state.manualOpen) manual(state);
  if (state.confirmDiscard) discardDialog(state);
  if (state.ask != Ask::None) pathDialog(session, state);
  if (state.ask == Ask::None) state.canvas.exportOutcome = SIZE_MAX;
  if (state.searchOpen) commandSearch(session, state);
}

}  // namespace tessera::panes
