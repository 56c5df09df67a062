// commands: one table. The menus, the command search (Ctrl+K) and the keys read it;
// nothing else changes the session on a key.
#pragma once

#include <imgui.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/dialog.h"
#include "app/gui/export_choices.h"
#include "app/gui/sheet_compare.h"
#include "app/gui/window_layout.h"
#include "app/session/session.h"
#include "app/views/canvas.h"
#include "app/views/editor.h"

namespace tessera {

// Everything the window holds besides the session.
struct WindowState {
  panes::EditorState editor;
  panes::CanvasState canvas;
  enum class Left { Worksheet, Gallery } left = Left::Worksheet;
  enum class Bottom { Claims, Problems } bottom = Bottom::Claims;
  enum class Ask { None, Open, SaveAs, Export, Smt2, Compare } ask = Ask::None;
  std::string askPath, askProblem;
  std::function<void()> afterSave;  // once Save as is done
  std::vector<Dialog> dialogs;      // the last is seen
  bool searchOpen = false;
  panes::ExportChoices exported;
  SheetCompare sheets;
  std::string searchText;
  int searchRow = 0;
  bool manualOpen = false;
  std::string manualSection;        // to scroll to
  std::function<void()> nextFrame;  // done before the dialogs of the next frame are drawn
  bool quit = false;
  bool isPicture = false;  // nobody types: a screenshot
  PaneSizes sizes;
  float scale = 1;  // that the scroll positions were taken at
  double messageSince = -100;
  std::string messageShown;
};

// Where a command's keys work. With a menu or a dialog in front only the last kind does.
enum class Reach {
  Sheet,     // the worksheet: a field edits itself with the same keys
  Window,    // the worksheet and the fields beside it
  Anywhere,  // dialogs, too
};

struct Command {
  const char* id;        // "file.save"
  const char* menu;      // "File"; "" for search and keys only
  const char* title;     // "Save"
  const char* shortcut;  // "Ctrl+S", shown and parsed
  std::function<void(Session&, WindowState&)> run;
  std::function<bool(const Session&, const WindowState&)> enabled;  // empty: always
  Reach reach = Reach::Window;
};

[[nodiscard]] std::span<const Command> commands();
// Runs the command whose shortcut is pressed in this frame; true when one ran.
bool runShortcuts(Session& session, WindowState& state);
// "Ctrl+Shift+S" -> modifiers and a GLFW key code.
struct Chord {
  bool ctrl = false, shift = false, alt = false;
  int key = 0;
};
[[nodiscard]] Chord parseChord(std::string_view text);
// After the text was replaced: the worksheet is seen from its beginning, without a selection, and has the keyboard.
void showSheet(const Session& session, WindowState& state);
// Replaces the document, asking first when it has unsaved changes.
void guarded(Session& session, WindowState& state, std::function<void()> action);

}  // namespace tessera
