// PaneView: how one pane displays a value differently from its line: through another view, with one phase of the banks
// (or all in turn), for a single thread, quad or warp, with other rows, columns and slices of an N-d array. It never
// changes the worksheet's text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/engine.h"
#include "core/hlo/notation.h"
#include "core/notation/xla/notation.h"

namespace tessera::panes {

struct PaneView {
  std::string view;        // "": the line's
  int phase = -1;          // banks: -1 all
  bool playing = false;    // banks: cycle through the phases; player: through the steps
  unsigned char pace = 0;  // player: speed, 0 is slowest
  double next = 0;         // time of the next phase, in ImGui's seconds
  std::string isolate;     // "thread" "quad" "warp", or ""
  i64 number = 0;
  std::vector<std::string> words;   // colour, label and columns if not the line's; appended to its words
  std::vector<FigureMode> modes;    // N-d: roles of the modes, if changed by the user
  std::optional<xla::Shape> array;  // an XLA array with an edited layout, drawn instead
  struct Opened {
    std::string key, name;  // of the door; of the value, for its title
    Shared<Value> value;
    std::shared_ptr<const PaneView> before = {};  // what "back" returns to; nullptr: the line's own picture
    int depth = 0;                                // of the parts opened before it
  };
  std::optional<Opened> opened;  // a part of a module, or an access of a kernel, drawn instead (picture.h)
  std::string tile;              // the dragged output tile, "whole" for none; "": the line's
  double width = 0;              // of a narrow pane in points, for views that arrange their parts by it; 0: wide
  std::optional<Point> asked;    // step-by-step views: the point under the mouse in any picture, else the pinned one
};

// The value that a figure shows; nullptr for verdicts and rejections.
[[nodiscard]] const Value* valueOf(const Outcome& outcome);
// The view shown by a pane: its own, the line's, or the value's default.
[[nodiscard]] std::string viewOf(const PaneView& pane, const Outcome& outcome);
[[nodiscard]] bool isOfThreads(std::string_view view);   // its points are threads: instruction, tiled, chain
[[nodiscard]] bool isStepByStep(std::string_view view);  // one point's numbers: flow, forward, backward, address
[[nodiscard]] bool reflows(std::string_view view);       // arranges its parts by the pane's width
[[nodiscard]] int phasesOf(const Figure& figure);        // of a bank view, else 0

// Gives mode k a role; the mode that had rows or columns takes k's old role.
void givePart(std::vector<FigureMode>& modes, std::size_t k, FigureMode::Part part);

// Selects `word` in place of the other words of its choice. Drops words that the picture does not offer (any more).
void choose(PaneView& pane, const std::vector<FigureChoice>& choices, const std::string& word);

// The statement that draws the opened part as the pane shows it, "show m.%main.%dot.9 as kernel tile 32x64"; "": none
// is opened.
[[nodiscard]] std::string statementOf(const PaneView& pane, const Figure& figure);

// The outcome with the pane's figure; the outcome itself if that is the line's. `shown` and `key` are the pane's cache.
// If the view cannot be drawn, keeps the line's figure.
[[nodiscard]] std::shared_ptr<const Outcome> seenThrough(const PaneView& pane,
                                                         const std::shared_ptr<const Outcome>& outcome,
                                                         std::shared_ptr<const Outcome>& shown, std::string& key);

}  // namespace tessera::panes
