// commands: one table. The menus, the command search (Ctrl+K) and the keys read it;
// nothing else changes the session on a key.
#pragma once

#include <imgui.h>

#include <functional>
#include <span>
#include <string>

#include "app/gui/export_choices.h"
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
  enum class Ask { None, Open, SaveAs, Export, Smt2 } ask = Ask::None;
  std::string askPath;
  bool askJustOpened = false;
  panes::ExportChoices exported;
  bool searchOpen = false, searchJustOpened = false;
  std::string searchText;
  int searchRow = 0;
  bool manualOpen = false;
  bool quit = false;
  bool confirmDiscard = false;  // unsaved text is about to be replaced
  std::function<void()> afterDiscard;
  float leftWidth = 430, rightWidth = 300, bottomHeight = 190;  // points
  double messageSince = -100;
  std::string messageShown;
};

struct Command {
  const char* id;        // "file.save"
  const char* menu;      // "File"; "" for search and keys only
  const char* title;     // "Save"
  const char* shortcut;  // "Ctrl+S", shown and parsed
  std::function<void(Session&, WindowState&)> run;
  std::function<bool(const Session&, const WindowState&)> enabled;  // empty: always
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
// Replaces the document, asking first when it has unsaved changes.
void guarded(Session& session, WindowState& state, std::function<void()> action);

}  // namespace tessera
