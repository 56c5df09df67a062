// Views of an HLO module: a computation as a data-flow graph, and what one instruction reads.
//
//     show soft as dataflow               the entry computation: operands at the top, the root at the bottom
//     show soft.%fusion.1 as dataflow     the computation that the fusion calls
//     show soft.%fusion.1 as reads        its output, and each operand with its elements coloured by how often they are read
//     show soft.%fusion.1 as reads tile [0:8,16:32]      what these elements of the output read
//     show soft as waste                  its kernels, the one that asks memory for most beyond what it needs first
#pragma once

#include "core/hlo/listing.h"
#include "render/draw/draw.h"

namespace tessera::hlo {

[[nodiscard]] Result<Figure> drawDataflow(const Part& part, const DrawOptions& options);
// The entry computation, or the last where none is the entry.
[[nodiscard]] Result<Figure> drawDataflow(const Listing& listing, const DrawOptions& options);
// Of an instruction whose output is an array, of any size.
[[nodiscard]] Result<Figure> drawReads(const Part& part, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawWaste(const Listing& listing, const DrawOptions& options);

// How warm it is to ask for so many bytes where fewer are needed: 0 up to a tenth more, the warmest (1) from 32 times on.
[[nodiscard]] float wasteLevel(i64 needed, i64 asked);
// "%main.%fusion.1", as FigureDoor::to and findPart have it.
[[nodiscard]] std::string doorTo(const Module& module, Where where);

}  // namespace tessera::hlo
