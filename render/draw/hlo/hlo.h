// Views of an HLO module: a computation as a data-flow graph, and what one instruction reads.
//
//     show soft as dataflow               the entry computation: operands at the top, the root at the bottom
//     show soft.%fusion.1 as dataflow     the computation that the fusion calls
//     show soft.%fusion.1 as reads        its output, and each operand with its elements coloured by how often they are read
#pragma once

#include "core/hlo/listing.h"
#include "render/draw/draw.h"

namespace tessera::hlo {

[[nodiscard]] Result<Figure> drawDataflow(const Part& part, const DrawOptions& options);
// The entry computation, or the last where none is the entry.
[[nodiscard]] Result<Figure> drawDataflow(const Listing& listing, const DrawOptions& options);
// Of an instruction whose output and operands are arrays of at most 2^18 elements.
[[nodiscard]] Result<Figure> drawReads(const Part& part, const DrawOptions& options);

}  // namespace tessera::hlo
