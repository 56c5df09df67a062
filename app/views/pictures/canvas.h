// canvas: all figures of the worksheet in a column, each with its own pan and zoom; hovering links them.
#pragma once

#include <imgui.h>

#include <map>
#include <string>

#include "app/views/editor/sheet_lights.h"
#include "app/views/pictures/layout_editor.h"
#include "render/figure/compared.h"
#include "render/figure/rows.h"
#include "render/gl/grid_textures.h"

namespace tessera::panes {

// The table beside a figure (render/figure/rows.h), as shown: its order, and the row that is marked in the picture.
struct RowsState {
  std::shared_ptr<const RowSource> of;  // of `order`
  std::size_t column = 0;               // sorted by
  bool ascending = true;
  std::vector<int> order;  // rows from the top
  i64 selected = -1, hovered = -1;
  int pointed = -1;     // the door under the mouse in the picture
  bool keys = false;    // clicked last: the arrows and Enter are the table's
  bool reveal = false;  // scroll to the selected row
  bool look = false;    // move an enlarged picture to its box
};

// What a pane shows of its figure.
struct PaneSight {
  bool whole = false;  // fitted to the visible part of the column (`fit`); false: its first fit, which may be higher
  RowsState rows;
  int noted = 0;  // lines below the picture that say that some text was too small; they stay
  enum class Grip : unsigned char { None, Across, Down, Map } grip = Grip::None;  // what the mouse drags
};

// How one figure is displayed. Keyed by the statement's text (and its number among equal ones), so that an edit
// elsewhere does not move the picture.
struct Pane {
  bool moved = false;  // false: fitted to the pane
  PaneSight sight;
  double scale = 0;
  double x = 0, y = 0;
  double firstScale = 0;  // of the first fit (render/gl/first_fit.h): larger than the whole if labels require it
  float buttons = 0;      // width of its buttons in the last frame
  float taken = 0;        // height with header and caption; reserves its place while it is redrawn
  PaneView look;
  Point tileFrom;  // start of a tile drag; not real: none
  LayoutEdit layout;
  std::shared_ptr<const Outcome> shown;  // cache of seenThrough
  std::shared_ptr<const Outcome> drawn;  // of the last frame; kept alive, because its address keys its textures
  std::string shownKey;
};

// The last result of Ctrl+F (go_to.h).
struct GoToState {
  std::string asked;       // the query being stepped through
  std::size_t at = 0;      // current hit
  std::string count;       // "3 of 12"
  std::string problem;     // why there is no hit
  std::vector<Span> hits;  // of the text
  std::string hitsText;
  std::string badPattern;  // why it is no regular expression
  bool hitsRegex = false;
  std::uint64_t hitsRevision = ~std::uint64_t{0};
};

// Two compared pictures (picture.h).
struct CompareState {
  std::string a, b;                         // their panes; b "": nothing is compared yet
  bool blink = false, second = false;       // show one at a time; which
  bool marks = true;                        // light the differences
  Pane camera;                              // shared by both
  std::shared_ptr<const Outcome> ofA, ofB;  // inputs of `result`
  FigureComparison result;
  std::uint64_t version = 0;  // version of the painted contents
};

// For exportOutcome: both compared pictures instead of one.
inline constexpr std::size_t kCompared = SIZE_MAX - 1;

// Brings the picture of the caret, or of a small change of the text, into view (follow.h).
struct FollowState {
  std::uint64_t revision = ~std::uint64_t{0};  // of the text when last checked
  std::size_t size = 0, caret = SIZE_MAX;
  bool typed = false;    // the last change was small
  bool waiting = false;  // the text was changed; the resulting picture is not known yet
  std::string brought;   // pane of that picture, until it is visible; "" none
  std::string followed;  // the caret's last picture: moving within its line scrolls nothing
  // The pictures of the last complete snapshot, by pane.
  std::map<std::string, std::shared_ptr<const Outcome>> known;
  std::uint64_t knownRevision = ~std::uint64_t{0};
  std::vector<std::string> keys;  // panes of the last snapshot
  struct Trace {
    float top = 0;         // of the pane on the screen, in the last frame
    double flashed = -10;  // when an edit changed it
  };
  std::map<std::string, Trace> traces;   // by pane
  bool live = false;                     // a number is being dragged: nothing flashes, old pictures stay until replaced
  std::string named;                     // the name under the mouse, in the text
  std::optional<Statement> toStatement;  // a title was clicked: the window moves the caret
};

// column: scrolling of the column of pictures, and distribution of the mouse wheel.
//
// By default the wheel scrolls the column, even over a picture. A picture takes it with Ctrl, or after being clicked
// (focused); Shift or a horizontal wheel pans it. The receiver of a turn's first click keeps the whole turn, so that a
// picture or a slider that moves under the mouse while the column scrolls does not take over.
//
//     wheel over a picture                 the column scrolls, 96 points a click, smoothly
//     Ctrl + wheel over a picture          the picture zooms around the mouse
//     wheel over the focused picture       the same
//     Shift + wheel over a wide picture    it pans horizontally; if the picture fits, the column scrolls
struct ColumnScroll {
  double target = 0;
  bool moving = false;
  double wheelAt = -10;  // time of the last wheel event, in ImGui's seconds
  bool mine = false;     // the current turn is the column's
  float turned = 0;      // clicks of this frame already used by the column
  bool keys = false;     // clicked last: has the keyboard
  // The outcome of the picture in view: clicked last, else with the largest visible part.
  std::size_t inView = SIZE_MAX;
  bool homeFits = false;  // a picture is focused: Home is its key
  double at = 0;          // pixels above the visible part, in the last frame
  // The mouse is over a table in the column, which scrolls by itself if it is longer than its place.
  enum class Table : unsigned char { Outside, Still, Scrolls } table = Table::Outside;
};

// Call in the column's child window, before its pictures: takes the wheel if the turn is the column's.
void beginColumn(ColumnScroll& scroll);
// Call after them: scrolls by the unused wheel, and by PageUp, PageDown, Home and End if the column has the keyboard.
// Returns true while the scroll is animated: request the next frame soon.
[[nodiscard]] bool endColumn(ColumnScroll& scroll);
// Marks the wheel of this frame as used.
void takeWheel();

struct CanvasState {
  std::map<std::string, Pane> panes;
  int scrollToLine = -1;                 // scroll to this line's figure
  std::size_t exportOutcome = SIZE_MAX;  // set when "export" is clicked: the window asks for a path
  int onlyLine = -1;                     // this figure fills the canvas
  FollowState follow;
  bool animating = false;  // request the next frame soon
  ColumnScroll scroll;
  GoToState goTo;
  CompareState compare;
  struct Reveal {
    std::string pane;
    std::size_t grid = 0;
    i64 row = 0, col = 0;
  };
  std::optional<Reveal> reveal;  // a cell to scroll to and enlarge until readable
  std::string focused;           // pane with the wheel: clicked last; "" none
  std::string clicked;           // in this frame
  Origin asked;                  // subject of step views: last under the mouse, else pinned
  SheetLights lights;            // lights of each picture
};

// The pane of outcome k: its statement's text, plus a number from the second equal statement on.
[[nodiscard]] std::string paneKey(const Snapshot& snapshot, std::size_t k);

// Suggested lines that produce a picture, using a layout or program of the sheet if there is one; the last is a claim.
[[nodiscard]] std::vector<std::string> linesToTry(const Snapshot& now);

// Releases the wheel and the keys; returns false if the pictures had neither.
bool leavePictures(CanvasState& state);
// Another sheet was opened: nothing that names one of the old sheet's pictures remains.
void forgetSheet(CanvasState& state);

void canvas(Session& session, CanvasState& state, GridTextures& textures);
// The outcome as displayed in its pane; nullptr if there is none.
[[nodiscard]] std::shared_ptr<const Outcome> seenInPane(const Session& session, CanvasState& state,
                                                        std::size_t outcome);

}  // namespace tessera::panes
