// Views of a Graphene program: its tree, the tiles of one specification, the player, and the checklist of its
// obligations.
//
//     show move as tree              the specifications as an outline that folds: fold 1, open 1
//     show move as spec 1            which thread accesses which element: threads and data as linked grids
//     show move as player, step 0    one moment: moves, earlier writes, costs
//     show move as checklist         O1 to O8 for each specification, with the findings
//
// Verdicts are passed in as Marks: pictures do not prove anything (app/engine/program/program_pictures.h fills them).
#pragma once

#include <array>

#include "core/graphene/listing.h"
#include "core/graphene/obligation.h"
#include "render/draw/draw.h"

namespace tessera::graphene {

// The verdict on one obligation of one specification.
struct Checked {
  enum class State : unsigned char { Missing, Proved, Refuted, Unknown, NotStated } state = State::Missing;
  std::string method, reason;
  std::optional<Finding> finding;
};
struct SpecMarks {
  Span span;  // of the specification's statement
  std::array<Checked, kObligations> obligations;
};
// For all checked specifications; empty: not checked.
struct Marks {
  std::vector<SpecMarks> specs;
  std::string summary;  // "3 specifications: 17 proved, 1 not stated"
  // For a row of the tree. Uses of a named specification share the span of its definition, so they are distinguished by
  // order.
  [[nodiscard]] const SpecMarks* of(std::size_t row, Span span) const;
};

[[nodiscard]] Result<Figure> drawTree(const Listing& listing, const Marks& marks, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawSpec(const Listing& listing, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawPlayer(const Listing& listing, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawChecklist(const Listing& listing, const Marks& marks, const DrawOptions& options);

// Sign: the mark of a verdict as shape and colour: a tick, a cross, a question mark, a dash.

[[nodiscard]] Role roleOf(Checked::State state);
[[nodiscard]] std::string_view wordOf(Checked::State state);  // "proved", "refuted", "unknown", "not stated", ""
// Centred at (x, y), about 2 * r high.
void addSign(Figure& figure, Checked::State state, double x, double y, double r);

}  // namespace tessera::graphene
