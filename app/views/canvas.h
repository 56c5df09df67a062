// canvas: every figure of the worksheet, one under the other, each with its own pan and zoom; hovering links them all.
#pragma once

#include <imgui.h>

#include <map>
#include <string>

#include "app/session/session.h"
#include "app/views/column.h"
#include "app/views/layout_editor.h"
#include "app/views/pane_view.h"
#include "app/views/sheet_lights.h"
#include "render/figure/compared.h"
#include "render/gl/grid_textures.h"

namespace tessera::panes {

// How one figure is looked at. Kept by the statement's text (and its number among equal ones), so that an edit elsewhere
// does not move the picture.
struct Pane {
  bool moved = false;  // false: fitted to the pane, whatever its size
  double scale = 0;
  double x = 0, y = 0;
  double firstScale = 0;  // of the first fit (render/gl/first_fit.h): larger than the whole's where labels want it
  float height = 0;       // 0: as tall as it wants
  float buttons = 0;      // how wide its buttons were in the last frame
  float taken = 0;        // how tall it was with header and caption: its place while it is drawn anew
  PaneView look;
  Point tileFrom;  // where the drag of a tile began; not real: none is dragged
  LayoutEdit layout;
  std::shared_ptr<const Outcome> shown;  // the cache of seenThrough
  std::shared_ptr<const Outcome> drawn;  // of the last frame; kept, so that its address names its textures
  std::string shownKey;
};

// What Ctrl+F found last (go_to.h).
struct GoToState {
  std::string asked;              // the text whose places are stepped through
  std::size_t at = 0;             // which of them
  std::string count;              // "3 of 12"
  std::string problem;            // why there is none
  std::vector<std::size_t> hits;  // of text: where it begins
  std::string hitsText;
  std::uint64_t hitsRevision = ~std::uint64_t{0};
};

// Two pictures that are compared (compare.h).
struct CompareState {
  std::string a, b;                         // their panes; b "": nothing is compared yet
  bool blink = false, second = false;       // one at a time; which
  bool marks = true;                        // what differs is lit
  Pane camera;                              // both are seen from here
  std::shared_ptr<const Outcome> ofA, ofB;  // what `result` is of
  FigureComparison result;
  std::uint64_t version = 0;  // counts what is painted
};

// exportOutcome: not one picture, but the two that are compared.
inline constexpr std::size_t kCompared = SIZE_MAX - 1;

struct CanvasState {
  std::map<std::string, Pane> panes;
  int scrollToLine = -1;                              // bring this line's figure into view
  std::size_t exportOutcome = SIZE_MAX;               // set when "export" is clicked: the window asks for a path
  int onlyLine = -1;                                  // one figure fills the canvas
  std::uint64_t writtenRevision = ~std::uint64_t{0};  // of the text when it was looked at last
  std::size_t writtenSize = 0;
  bool following = false;  // it was changed: what picture this brings is not known yet
  std::string brought;     // the pane of that picture, until it is in sight; "" none
  bool animating = false;  // the next frame must come soon
  ColumnScroll scroll;
  GoToState goTo;
  CompareState compare;
  struct Reveal {
    std::string pane;
    std::size_t grid = 0;
    i64 row = 0, col = 0;
  };
  std::optional<Reveal> reveal;  // a cell to bring into view, large enough to be read
  std::string focused;           // the pane whose picture has the wheel: clicked last; "" none
  std::string clicked;           // in this frame
  Origin asked;                  // what steps are shown of: under the mouse last, else pinned
  SheetLights lights;            // what lights in each picture
};

// The pane of outcome k: its statement's text, and which of the equal ones it is from the second on.
[[nodiscard]] std::string paneKey(const Snapshot& snapshot, std::size_t k);

// Gives up the wheel and the keys; false when the pictures had neither.
bool leavePictures(CanvasState& state);

void canvas(Session& session, CanvasState& state, GridTextures& textures);
// The outcome as its pane shows it; nullptr when there is none.
[[nodiscard]] std::shared_ptr<const Outcome> seenInPane(const Session& session, CanvasState& state,
                                                        std::size_t outcome);

}  // namespace tessera::panes
