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
#include "app/engine/help/number_steps.h"
#include "app/views/editor/line_edits.h"
#include "app/views/editor/line_notes.h"
#include "app/views/editor/number_drag.h"
#include "app/views/editor/sheet_layout.h"

namespace tessera {

struct NextStep;

namespace panes {

// The caret's position is stored in the document.
struct CaretState {
  bool reveal = false;    // scroll to it in the next frame
  double lastEdit = -10;  // closes the hover card
  float preferredX = -1;  // column kept by up and down
  // It has been used in this text, so its comment is shown as written. A newly opened sheet is shown as a page to read.
  bool used = false;
  bool pressed = false;  // mouse button down: the page layout is frozen until release
};

// Ctrl+F (app/views/find).
struct FindState {
  std::string text;
  bool open = false;
  bool replaces = false;  // with a second field, for what replaces it
  bool regex = false;     // text is a regular expression
  bool second = false;    // the second field has the caret
  std::string with = {};
};

// The list of completions (editor_page.h).
struct OfferState {
  bool wanted = false;  // by typing or Ctrl+Space
  int marked = 0;
  bool moved = false;  // the mark, by a key
  Completions list;
  std::uint64_t revision = ~std::uint64_t{0};
  std::size_t caret = 0;
  std::shared_ptr<const Snapshot> namesOf;
  std::vector<BoundName> names;
};

// What is drawn beside and below the lines (editor_page.h), and where.
struct NoteState {
  std::map<int, LineNote> known, shown;  // of the snapshot; of the displayed text
  NoteCache cache;
  std::shared_ptr<const Snapshot> of;
  std::uint64_t revision = ~std::uint64_t{0}, version = 0;
  float width = 0;
  std::map<int, std::vector<std::string>> cards, valueRows;  // wrapped
  std::map<int, Hanging> hanging;
  std::vector<RunMark> runMarks;  // of the snapshot; empty while newer text is evaluated

  struct Value {  // where a value was drawn, for the hover card
    ImVec2 min, max;
    int line;
  };
  std::vector<Value> values;
  struct RunPlace {  // where a triangle was drawn
    ImVec2 min, max;
    std::size_t mark;
  };
  std::vector<RunPlace> runPlaces;
  struct StepPlace {  // where a button of a control was drawn, or, with direction 0, a slider
    ImVec2 min, max;
    NumberPlace number;
    int direction;
  };
  std::vector<StepPlace> stepPlaces;
};

// The cards of tasks: the revision of the help that they show, and where their buttons were drawn, with the line.
struct HelpState {
  int revision = -1;
  std::vector<std::pair<ui::Place, int>> buttons;
};

// The hover card (editor_page.h).
struct CardState {
  std::string name;  // the bound name under the mouse; its pictures are framed
  bool open = false;
  int valueLine = 0;
  ImVec2 at{}, min{}, max{};
  double since = 0;  // when the mouse came to rest
  ImVec2 rest{};
};

struct EditorState {
  std::size_t anchor = 0;  // other end of the selection; the caret is in the document
  float scroll = 0;
  bool focused = true;  // false: the find field, if open, has the keyboard (app/gui/commands.h)
  CaretState caret;
  FindState find;
  NumberDrag drag;
  std::size_t shownSource = 0;  // the comment with this byte is shown as written
  std::uint64_t seenRevision = ~std::uint64_t{0};
  SheetLayout layout;
  NoteState notes;
  HelpState help;
  OfferState offers;
  std::string linkAsked;  // a clicked link, for the window to follow
  CardState card;

  [[nodiscard]] bool hasSelection(const Document& d) const { return anchor != d.caret(); }
};

void editor(Session& session, EditorState& state);

// An edit of lines or names (line_edits.h). One undo step; false if it does not fit.
bool applyEdit(Session& session, EditorState& state, const LineEdit& edit);
// The caret goes to where the name at `byte` is bound; false if there is none.
bool goToDefinition(Session& session, EditorState& state, std::size_t byte);

// Editing commands, shared by keys and menus.
void cut(Session& session, EditorState& state);
void copy(const Session& session, const EditorState& state);
void paste(Session& session, EditorState& state);
void selectAll(Session& session, EditorState& state);
// Puts the caret there and scrolls to it.
void placeCaret(Session& session, EditorState& state, std::size_t byte);
void insertText(Session& session, EditorState& state, std::string_view text, bool typing);

// Whether the statement is still in the text at its position.
[[nodiscard]] bool isThere(const Document& document, const Statement& statement);
// Inserts new lines after the statement's last line. One undo step, like the following.
//
//     insertAfter(session, line 3, "show A as banks fp16")     a new line 4; the old line 4 becomes line 5
void insertAfter(Session& session, const Statement& after, const std::string& statements);
// Applies a next step of a statement: inserts it after the statement, or replaces what it corrects. Does nothing if the
// text has changed since the step was offered.
void takeStep(Session& session, const Statement& of, const NextStep& step);

// Replaces an integer of the text by the next larger (1) or smaller (-1) size. One undo step.
void stepNumber(Session& session, EditorState& state, const NumberPlace& number, int direction);

// Caret motion over a word: -1 to the left, 1 to the right.
std::size_t wordStep(const std::string& t, std::size_t at, int direction);

}  // namespace panes
}  // namespace tessera
