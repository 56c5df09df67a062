// Views of a Graphene program: its tree, one specification's tiles, the player, and the checklist of its obligations.
//
//     show move as tree              the code, and beside it a box for each specification
//     show move as spec 1            who touches which element: threads and data as linked grids
//     show move as player, step 0    one moment: what moves where, what was written before, what it costs
//     show move as checklist         O1 to O8 for each specification, with the finding's sentence
//
// What a checker says comes in as Marks: pictures do not prove (app/engine/program_pictures.h fills them).
#pragma once

#include <array>

#include "core/graphene/listing.h"
#include "core/graphene/obligation.h"
#include "core/graphene/program.h"
#include "render/draw/draw.h"

namespace tessera::graphene {

// A verdict on one obligation of one specification.
struct Checked {
  enum class State : unsigned char { Missing, Proved, Refuted, Unknown, NotStated } state = State::Missing;
  std::string method, reason;
  std::optional<Finding> finding;
};
struct SpecMarks {
  Span span;  // of the specification's statement
  std::array<Checked, kObligations> obligations;
};
// Of all specifications that were checked; none: nobody has asked.
struct Marks {
  std::vector<SpecMarks> specs;
  std::string summary;  // "3 specifications: 17 proved, 1 not stated"
  // Of a row of the tree. Those of a named specification share the place of its definition, so their order tells them apart.
  [[nodiscard]] const SpecMarks* of(std::size_t row, Span span) const;
};

[[nodiscard]] Result<Figure> drawTree(const Listing& listing, const Marks& marks, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawSpec(const Listing& listing, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawPlayer(const Listing& listing, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawChecklist(const Listing& listing, const Marks& marks, const DrawOptions& options);

}  // namespace tessera::graphene
