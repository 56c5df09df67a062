// editor: the worksheet as a page. Statements as written, with verdicts in the gutter, errors underlined, values after
// or below them; comments as prose (prose.h), except the one with the caret.
//
// SheetLayout (sheet_layout.h) maps between positions on the page and bytes of the text; this file handles keys and the
// mouse. Tab accepts a completion, Enter only after moving in the list, Esc closes it.
#pragma once

#include <imgui.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/engine/help/completions.h"
#include "app/session/session.h"
#include "app/views/editor/line_notes.h"
#include "app/views/editor/run_marks.h"
#include "app/views/editor/sheet_layout.h"

namespace tessera::panes {

struct EditorState {
  std::size_t anchor = 0;  // other end of the selection; the caret is in the document
  float scroll = 0;
  bool focused = true;       // false: the find field, if open, has the keyboard (app/gui/keyboard.h)
  bool revealCaret = false;  // scroll to the caret in the next frame
  double lastEdit = -10;     // for the blinking of the caret
  std::string findText;
  bool findOpen = false;
  float preferredX = -1;  // column kept by up and down

  // The caret has been used in this text, so its comment is shown as written. A newly opened sheet is shown as a page
  // to read.
  bool caretUsed = false;
  bool pressed = false;  // mouse button down: the page layout is frozen until release
  bool tookPress = false;
  std::size_t shownSource = 0;
  std::uint64_t seenRevision = ~std::uint64_t{0};

  SheetLayout layout;
  std::map<int, LineNote> known, notes;  // of the snapshot; of the displayed text
  NoteCache noteCache;
  std::shared_ptr<const Snapshot> notesOf;
  std::uint64_t notesRevision = ~std::uint64_t{0}, notesVersion = 0;
  std::map<int, std::vector<std::string>> cards, valueRows;  // wrapped
  std::map<int, Hanging> hanging;
  float cardsWidth = 0;

  bool offering = false;  // started by typing or Ctrl+Space
  int completion = 0;
  bool completionMoved = false;
  Completions offers;
  std::uint64_t offersRevision = ~std::uint64_t{0};
  std::size_t offersCaret = 0;
  std::shared_ptr<const Snapshot> namesOf;
  std::vector<BoundName> names;

  struct Value {  // where a value was drawn, for the hover card
    ImVec2 min, max;
    int line;
  };
  std::vector<Value> values;
  std::string linkAsked;          // a clicked link, for the window to follow
  std::vector<RunMark> runMarks;  // of the snapshot; empty while newer text is evaluated
  struct RunPlace {               // where a triangle was drawn
    ImVec2 min, max;
    std::size_t mark;
  };
  std::vector<RunPlace> runPlaces;

  struct Card {  // the hover card
    bool open = false;
    std::size_t byte = 0;
    int valueLine = 0;
    ImVec2 at{}, min{}, max{};
    double since = 0;  // when the mouse came to rest
    ImVec2 rest{};
  } card;

  [[nodiscard]] bool hasSelection(const Document& d) const { return anchor != d.caret(); }
};

void editor(Session& session, EditorState& state);

// Editing commands, shared by keys and menus.
void cut(Session& session, EditorState& state);
void copy(const Session& session, const EditorState& state);
void paste(Session& session, EditorState& state);
void selectAll(Session& session, EditorState& state);
void insertText(Session& session, EditorState& state, std::string_view text, bool typing);

// Caret motion.
std::size_t previousChar(const std::string& t, std::size_t at);
std::size_t nextChar(const std::string& t, std::size_t at);
std::size_t wordStep(const std::string& t, std::size_t at, int direction);

}  // namespace tessera::panes
