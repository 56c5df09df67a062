// One function per view; app/show/views.cpp has the table of their names.
#pragma once

#include "core/analysis/access/chain.h"
#include "core/analysis/swizzle/find_swizzle.h"
#include "core/atlas/tiled.h"
#include "core/base/result.h"
#include "core/notation/cute/algebra/explain.h"
#include "render/draw/draw.h"
#include "render/draw/subject.h"

namespace tessera {

struct AccessOver;
struct EngineOver;
struct PredictionTable;

[[nodiscard]] Result<Figure> drawMemory(const SubjectPtr& subject, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawFlow(const SubjectPtr& subject, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawF2(const SubjectPtr& subject, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawTable(const SubjectPtr& subject, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawInstruction(const AtlasRow& row, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawTiledMma(const TiledMma& tiled, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawTiledCopy(const TiledCopy& tiled, const DrawOptions& options);
// Index code with an access, and that of a kernel's run; its text with the cost of each line.
[[nodiscard]] bool hasSource(const Layout& layout);
[[nodiscard]] bool isRun(const Layout& layout);
[[nodiscard]] Result<Figure> drawSource(const Layout& layout, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawBanks(const Layout& layout, const DrawOptions& options);
// Phases x banks only, of the worst access, for pictures that compare layouts. `domain`: of the layout's points.
[[nodiscard]] Result<Figure> drawBankHeat(const Tile& tile, u64 domain, const AccessSpec& spec,
                                          const std::string& title);
// The same for a given access.
[[nodiscard]] Figure drawWarpHeat(const BankAccess& access, const std::string& title, const std::string& rest);
[[nodiscard]] Result<Figure> drawChain(const Chain& chain, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawSearch(const SwizzleFinding& finding, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawBankAccess(const BankAccess& access, const DrawOptions& options);
// An access, or an engine's access, over a tile (core/analysis/access).
[[nodiscard]] Result<Figure> drawAccessOver(const AccessOver& over, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawEngineOver(const EngineOver& over, const DrawOptions& options);
// The table of core/analysis/memory/prediction.h.
[[nodiscard]] Result<Figure> drawPredictions(const PredictionTable& table, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawSteps(const cute::Explanation& explanation, const DrawOptions& options);

// Whether a CuTe layout has the form of (thread, value) -> tile: two modes, one of them nested, onto its image.
[[nodiscard]] bool isThreadValue(const Layout& layout);
// Whether it certainly is one: whole warps, whose lanes step across the tile before they step along it,
// ((4,8),...):((32,1),...).
[[nodiscard]] bool isFragment(const Layout& layout);
[[nodiscard]] Result<Figure> drawThreads(const Layout& layout, const DrawOptions& options);
// For a Graphene register tensor with `holds` (render/draw/placed/threads.cpp).
[[nodiscard]] bool holdsTile(const Layout& layout);
[[nodiscard]] Result<Figure> drawHolds(const Layout& layout, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawForward(const Layout& layout, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawBackward(const Layout& layout, const DrawOptions& options);
// An XLA array: its index space, its memory in order, its register tiles, the address of one element (xla.cpp).
[[nodiscard]] Result<Figure> drawXlaTensor(const Layout& layout, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawXlaPhysical(const Layout& layout, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawXlaAddress(const Layout& layout, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawXlaTiles(const Layout& layout, const DrawOptions& options);
[[nodiscard]] Result<Figure> drawMesh(const Layout& layout, const DrawOptions& options);

inline constexpr i64 kMaxFacets = 16;

[[nodiscard]] Result<Figure> drawGrid(const SubjectPtr& subject, const DrawOptions& options);

// For views with several grids: a common colouring, and claimed strides; cells where the strides are wrong are lit and
// show the claimed value below.
struct GridExtras {
  std::optional<AddressBlocks> blocks;
  std::vector<i64> claimedStrides;  // one per leaf
};
[[nodiscard]] Result<Figure> drawGridWith(const SubjectPtr& subject, const DrawOptions& options,
                                          const GridExtras& extras);

}  // namespace tessera
