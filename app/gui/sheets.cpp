#include "app/gui/sheets.h"

#include <fmt/format.h>
#include <imgui.h>

#include <filesystem>

#include "app/files/assets.h"
#include "app/gui/dialogs/file_dialogs.h"
#include "app/gui/panes/manual.h"
#include "app/session/gallery.h"

namespace tessera {
namespace fs = std::filesystem;
namespace {

// Asks before unsaved text is replaced: save and continue (through Save as if there is no file yet), continue without
// saving, or cancel. Enter saves.
Dialog discardDialog(Session& session, WindowState& state, std::function<void()> action) {
  const std::string path = session.document().path();
  const auto save = [&session, &state, action]() -> std::string {
    if (session.document().path().empty()) {
      askSaveAs(state, "worksheet.tess", action);
      return "";
    }
    if (!session.save()) return session.message;
    action();
    return "";
  };
  const auto discard = [action]() -> std::string {
    action();
    return "";
  };
  return {.name = "discard",
          .title = path.empty() ? "Save this worksheet first?"
                                : fmt::format("Save the changes to {} first?", fileNameOf(path, "")),
          .text = "It has unsaved changes, which would be lost.",
          .choices = {{"save", path.empty() ? "Save as ..." : "Save", save},
                      {"discard", "Discard the changes", discard},
                      {"cancel", "Cancel", {}}}};
}

}  // namespace

void showSheet(const Session& session, WindowState& state) {
  state.shown.left = ShownPanes::Left::Worksheet;
  state.editor.focused = true;
  panes::forgetSheet(state.canvas);
  state.editor.anchor = session.document().caret();
  state.editor.scroll = 0;
}

void guarded(Session& session, WindowState& state, std::function<void()> action) {
  // Saved or unchanged text may be discarded.
  if (!session.document().modified() || session.document().text().empty()) {
    action();
    return;
  }
  askUser(state, discardDialog(session, state, std::move(action)));
}

void openSheet(Session& session, WindowState& state, const std::string& path, bool lesson) {
  guarded(session, state, [&session, &state, path, lesson] {
    if (lesson ? session.openGallery(path) : session.open(path)) showSheet(session, state);
  });
}

void followLink(Session& session, WindowState& state, const std::string& target) {
  constexpr std::string_view kManual = "manual";
  if (target == kManual || target.rfind("manual#", 0) == 0)
    return openManual(state, target.size() > kManual.size() ? target.substr(kManual.size() + 1) : "");
  if (target.rfind("https://", 0) == 0 || target.rfind("http://", 0) == 0) {
    ImGui::SetClipboardText(target.c_str());
    return session.tell("The address is in the clipboard: " + target, false);
  }
  std::error_code failed;
  if (fs::path(target).extension() == ".tess") {
    const fs::path own = session.document().path();
    const fs::path beside = own.empty() ? fs::path() : own.parent_path() / target;
    if (!own.empty() && fs::is_regular_file(beside, failed)) return openSheet(session, state, beside.string(), false);
    const fs::path lesson = fs::path(assetsFolder()) / "gallery" / fs::path(target).filename();
    if (fs::is_regular_file(lesson, failed)) return openSheet(session, state, lesson.string(), true);
  }
  session.tell("The link leads to " + target + ", which is neither beside this sheet nor in the gallery", true);
}

}  // namespace tessera
