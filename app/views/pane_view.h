// PaneView: how one pane looks at a value when that is not what its line says: another view of the value, one phase of
// the banks (or all of them in turn), one thread, quad or warp alone, other rows, columns and slices of an N-d array.
// It never changes the worksheet's text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/engine.h"
#include "core/hlo/notation.h"
#include "core/notation/xla/notation.h"
#include "core/worksheet/functions/functions.h"

namespace tessera::panes {

struct PaneView {
  std::string view;        // "" as the line says
  int phase = -1;          // banks: -1 all
  bool playing = false;    // banks: the phases in turn; player: the steps
  unsigned char pace = 0;  // player: how fast, the first is the slowest
  double next = 0;         // when the next phase comes, in ImGui's seconds
  std::string isolate;     // "thread" "quad" "warp", or ""
  i64 number = 0;
  std::vector<std::string> words;   // colour, label, columns other than the line's: behind the view's own words
  std::vector<FigureMode> modes;    // N-d: what each mode does, once the reader has changed it
  std::optional<xla::Shape> array;  // an XLA array with another layout, drawn instead
  std::optional<hlo::Part> opened;  // a part of a module that is drawn instead (figure_doors.h)
  std::string tile;                 // the tile of its output that was dragged, "whole" for none; "": as the line says
  std::optional<Point> asked;  // step-by-step views: the point under the mouse, in any picture; else the pinned one
};

// The value that a figure shows; nullptr for verdicts and refusals.
[[nodiscard]] const Value* valueOf(const Outcome& outcome);
// The view a pane shows: its own, the line's, or the value's first.
[[nodiscard]] std::string viewOf(const PaneView& pane, const Outcome& outcome);
[[nodiscard]] bool isOfThreads(std::string_view view);   // its points are threads: instruction, tiled, chain
[[nodiscard]] bool isStepByStep(std::string_view view);  // one point's numbers: flow, forward, backward, address
[[nodiscard]] int phasesOf(const Figure& figure);        // of a bank view, else 0

// Mode k plays that part from now on; the mode that had rows or columns takes over what k had.
void givePart(std::vector<FigureMode>& modes, std::size_t k, FigureMode::Part part);

// The picture shows `word` from now on, instead of the other words of its choice.
// Words that the picture does not offer (any more) go.
void choose(PaneView& pane, const std::vector<FigureChoice>& choices, const std::string& word);

// The outcome with the figure that the pane wants: itself when it wants what the line says. `shown` and `key` are the
// pane's cache. A view that cannot be drawn leaves the line's figure.
[[nodiscard]] std::shared_ptr<const Outcome> seenThrough(const PaneView& pane,
                                                         const std::shared_ptr<const Outcome>& outcome,
                                                         std::shared_ptr<const Outcome>& shown, std::string& key);

}  // namespace tessera::panes
