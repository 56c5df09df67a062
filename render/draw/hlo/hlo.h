// Views of an HLO module: a computation as a data-flow graph, and the reads of one instruction.
//
//     show soft as dataflow               the entry computation: operands at the top, the root at the bottom
//     show soft.%fusion.1 as dataflow     the computation that the fusion calls
//     show soft.%fusion.1 as reads        its output, and each operand with its elements coloured by number of reads
//     show soft.%fusion.1 as reads tile [0:8,16:32]      the reads of these output elements
//     show soft as waste                  its kernels, the one with the most excess memory traffic first
//     show soft as kernel                 the first of them: its reads, its waste with the causes, a tile of its output
//     show soft as kernel fusion.1 tile 32x64      that one, and what it reads if each block computes 32x64 elements
#pragma once

#include "core/hlo/listing.h"
#include "render/draw/draw.h"

namespace tessera::hlo {

[[nodiscard]] Result<Figure> drawDataflow(const Part& part, const DrawOptions& options);
// The entry computation, or the last one if none is marked.
[[nodiscard]] Result<Figure> drawDataflow(const Listing& listing, const DrawOptions& options);
// For an instruction whose output is an array, of any size.
[[nodiscard]] Result<Figure> drawReads(const Part& part, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawWaste(const Listing& listing, const DrawOptions& options);
// The page of one kernel. For a listing, the words begin with its name; without one, the first of the ranking.
[[nodiscard]] Result<Figure> drawKernel(const Part& part, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawKernel(const Listing& listing, const DrawOptions& options);

// Heat of requesting `asked` bytes where `needed` suffice: 0 up to a tenth more, the maximum 1 from 32 times on.
[[nodiscard]] float wasteLevel(i64 needed, i64 asked);
// "%main.%fusion.1", the format of FigureDoor::to and findPart.
[[nodiscard]] std::string doorTo(const Module& module, Where where);

}  // namespace tessera::hlo
