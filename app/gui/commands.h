// commands: one table for the menus, the command search (Ctrl+K) and the shortcuts. No other shortcut changes the
// session.
#pragma once

#include <imgui.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/gui/dialogs/dialog.h"
#include "app/gui/panes/pane.h"
#include "app/gui/panes/sheet_compare.h"
#include "app/views/editor/editor.h"
#include "app/views/pictures/canvas.h"
#include "app/views/present/linked_path.h"
#include "app/widgets/keyboard.h"

namespace tessera {

// The options of the Export dialog.
struct ExportChoices {
  std::optional<Theme> theme;  // the window's by default
  double scale = 2;            // PNG pixels per point
  bool transparent = false;
  bool title = true, caption = true, legend = true;  // legend: the pills with facts about the whole picture
};

// The request for a path (file_dialogs.h).
struct PathQuestion {
  enum class Ask { None, Open, SaveAs, Export, Smt2, Compare, Report } ask = Ask::None;
  std::string path, problem;
  std::function<void()> afterSave;  // called after Save as
  ExportChoices exported;
};

// Which panes are shown, and how large.
struct ShownPanes {
  enum class Left { Worksheet, Gallery } left = Left::Worksheet;
  enum class Bottom { Claims, Problems } bottom = Bottom::Claims;
  PaneSizes sizes;
  std::size_t level = 0;  // of the lessons that the start page lists
};

// The command search (palette.cpp).
struct PaletteState {
  bool open = false;
  std::string text = {};
  int row = 0;
};

struct ManualState {
  bool open = false;
  std::string section = {};  // scroll target
  double scroll = 0;         // in the last frame
  std::string find = {};     // searched text
  std::size_t hit = 0;       // which line with it is current
  bool toHit = false;        // scroll to that line
};

// The presentation (panes/present.h): everything is larger.
inline constexpr double kPresentScale = 1.4;
struct PresentState {
  bool open = false;
  std::size_t slide = 0;
  i64 time = 0;  // the place on the time line: a stop of a cell's path
  bool playing = false;
  double clock = 0;         // seconds of this stop
  std::string claim = {};   // the refuted claim whose counterexample plays; empty: the sheet is presented
  std::string frames = {};  // the folder that gets a frame in each frame of the window; empty: none
  i64 written = 0;          // frames in it, or in the last one
  // The pictures of the slide or of the claim, with what they were made from, and the moment of `time`.
  struct Shown {
    std::shared_ptr<const Snapshot> from;
    std::size_t slide = 0;
    std::string claim = {};
    panes::PathScene scene = {};
    i64 places = 1, time = -1;
    panes::PathMoment moment = {};
  } shown = {};
};

// The last message as displayed (frame.cpp).
struct ToastState {
  std::string shown;
  double since = -100;
};

// The window's state, except for the session.
struct WindowState {
  panes::EditorState editor;
  panes::CanvasState canvas;
  ShownPanes shown;
  PathQuestion question;
  std::vector<Dialog> dialogs;  // the last one is visible
  SheetCompare sheets;
  PaletteState palette;
  ManualState manual;
  PresentState present;
  ToastState toast;
  std::function<void()> nextFrame;  // called before the dialogs of the next frame are drawn
  bool quit = false;
  bool isPicture = false;  // no user: a screenshot
  float scale = 1;         // scale at which the scroll positions were stored
};

// Where a command's shortcut works. While a menu or a dialog is in front only Anywhere does.
enum class Reach {
  Sheet,     // the worksheet, while it has the keys: fields use the same keys for editing, pictures ignore them
  Window,    // the worksheet, its find field and the pictures
  Anywhere,  // also in dialogs
};

struct Command {
  const char* id;        // "file.save"
  const char* menu;      // "File"; "" for search and keys only
  const char* title;     // "Save"
  const char* shortcut;  // "Ctrl+S", displayed and parsed
  std::function<void(Session&, WindowState&)> run;
  std::function<bool(const Session&, const WindowState&)> enabled = {};  // empty: always
  Reach reach = Reach::Window;
};

[[nodiscard]] std::span<const Command> commands();
// Adds commands that only some windows have, such as the web page. Call it before the first frame.
void addCommands(std::vector<Command> more);
// Runs the command whose shortcut was pressed in this frame; returns true if one ran.
bool runShortcuts(Session& session, WindowState& state);
// "Ctrl+Shift+S" -> modifiers and a GLFW key code.
struct Chord {
  bool ctrl = false, shift = false, alt = false;
  int key = 0;
};
[[nodiscard]] Chord parseChord(std::string_view text);

// Determines from the open parts of the window which one has the keys. app/widgets/keyboard.h explains why.
//
// The order, front to back: a question, a path, the palette, the manual, two compared sheets, an open menu, the
// pictures if they were clicked last, the find field, the worksheet. The frontmost open one has the keys; when it
// closes, the next one does.

[[nodiscard]] ui::Owner keyboardOwner(const WindowState& state);
// The same among the parts that dim the window; Owner::None if none is open.
[[nodiscard]] ui::Owner overlay(const WindowState& state);
// Esc: closes the frontmost part and does nothing else. Returns false if nothing is open.
bool closeFront(WindowState& state);

}  // namespace tessera
