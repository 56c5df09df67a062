#include "render/draw/views.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>

#include "app/show/show.h"
#include "core/analysis/access/access_over.h"
#include "core/analysis/access/engine_over.h"
#include "core/analysis/memory/prediction.h"
#include "core/base/mapped.h"
#include "core/base/nearest.h"
#include "core/base/words.h"
#include "core/hlo/cost/waste.h"
#include "core/hlo/notation.h"
#include "core/layout/layout.h"
#include "core/notation/axe/axes.h"
#include "core/notation/axe/notation.h"
#include "core/notation/xla/notation.h"
#include "core/worksheet/functions/thread_value.h"
#include "core/worksheet/value.h"
#include "render/draw/code/kernel_player.h"
#include "render/draw/graphene/graphene.h"
#include "render/draw/hardware/owned.h"
#include "render/draw/hlo/hlo.h"
#include "render/draw/levels/levels.h"
#include "render/draw/links.h"
#include "render/draw/placed/placed.h"

namespace tessera {
namespace {

// A view of a function. Views of other values (verdicts, explanations) are selected by kind.
struct View {
  ViewInfo info;
  Result<Figure> (*draw)(const SubjectPtr&, const DrawOptions&);
};

constexpr View kViews[] = {
    {{"grid", "Logical grid", "coordinates as rows and columns; each cell shows its address", true}, drawGrid},
    {{"memory", "Memory order", "addresses in order, each with its coordinate; holes and aliasing"}, drawMemory},
    {{"flow", "Digit flow", "index, coordinate, digits, products, sum, swizzle, address: one point, step by step"},
     drawFlow},
    {{"f2", "Bit matrix", "the address bits as xors of the coordinate bits"}, drawF2},
    {{"table", "Table", "the text that CuTe's print_layout prints"}, drawTable},
};

// A view of one kind of value. `show X` without a view uses the first matching row:
//
//     an XLA array                    tensor: elements with their slots, padding hatched
//     elements on devices; on lanes   mesh; threads
//     a Graphene tensor of tiles      levels: each tile in place; of threads: each group
//     (thread, value) -> tile         threads, if it is certain (isFragment: whole warps, lanes across, then along)
//     an access over a tile           access: the position with the most conflicts
//     a claim, a derivation, an instruction, a search, a chain, an access, a tiled atom: its own view
//     every other layout and map      grid: with a swizzle the hue shows what moved; banks needs an access and a type
//     a text, a tiler, a place ...    value: a card; a number and a truth value have no picture, only a message
struct ValueView {
  ViewInfo info;
  bool (*shows)(const Value&);
  Result<Figure> (*draw)(const Value&, const DrawOptions&);
};

// A view of one type: an alternative of Value, or a notation.
template <typename T, Result<Figure> (*Draw)(const T&, const DrawOptions&)>
Result<Figure> of(const Value& value, const DrawOptions& options) {
  return Draw(*as<T>(value), options);
}

// Of one type, else of another.
template <typename T, Result<Figure> (*Draw)(const T&, const DrawOptions&), typename U,
          Result<Figure> (*Other)(const U&, const DrawOptions&)>
Result<Figure> either(const Value& value, const DrawOptions& options) {
  return is<T>(value) ? of<T, Draw>(value, options) : of<U, Other>(value, options);
}

// Asks a layout; false for values that are not layouts.
template <bool (*Question)(const Layout&)>
bool layoutIs(const Value& value) {
  const auto* layout = std::get_if<Layout>(&value);
  return layout != nullptr && Question(*layout);
}

// Asks a layout's arrow; false for values that are not layouts.
bool arrowHolds(const Value& value, bool (*question)(const Arrow&)) {
  const auto* layout = std::get_if<Layout>(&value);
  return layout != nullptr && layout->arrow() && question(*layout->arrow());
}

// A tile of memory, or one access to it.
bool isMemoryValue(const Value& value) { return is<BankAccess>(value) || arrowHolds(value, isMemory); }

// Access by lanes, or by an engine.
bool isAccessOver(const Value& value) { return is<AccessOver>(value) || is<EngineOver>(value); }

// Elements on hardware, or a layout with named axes. Lanes of an access are starts of elements and place none, and
// banks hold no elements: those maps are grids.
bool isPlaced(const Value& value) {
  if (isAccessOver(value)) return false;
  const bool places =
      arrowHolds(value, [](const Arrow& arrow) { return isDistribution(arrow) && arrow.to.kind != SpaceKind::Banks; });
  return is<axe::Layout>(value) || (places && (!is<Arrow>(value) || Placed::of(std::get<Layout>(value)).ok()));
}
bool hasDevices(const Value& value) {
  return arrowHolds(value, [](const Arrow& arrow) {
    return std::ranges::any_of(arrow.map.axes(), [](const Axis& a) {
      return axe::axisKind(a.name) == axe::AxisKind::Device && a.name != "device";
    });
  });
}
bool hasThreads(const Value& value) {
  return isPlaced(value) && !arrowHolds(value, [](const Arrow& arrow) { return arrow.to.kind == SpaceKind::Memory; });
}

// What a thread holds: of tiled mmas and copies, and of layouts from hardware to elements.
bool hasOwners(const Value& value) {
  return is<TiledMma>(value) || is<TiledCopy>(value) || is<ThreadSlice>(value) || hasThreads(value) ||
         layoutIs<isThreadValue>(value);
}
Result<Figure> drawOwnedBy(const Value& value, const DrawOptions& options) {
  if (const auto* mma = as<TiledMma>(value)) return drawOwned(*mma, options);
  if (const auto* copy = as<TiledCopy>(value)) return drawOwned(*copy, options);
  if (const auto* slice = as<ThreadSlice>(value)) return drawOwned(*slice, options);
  return drawOwnedLayout(*as<Layout>(value), options);
}

bool isXla(const Layout& layout) { return xla::shapeIn(layout) != nullptr; }

// A module or a part of it has its own picture, even if it is a map.
bool isModulePart(const Value& value) { return is<hlo::Listing>(value) || is<hlo::Part>(value); }

// A module with instructions, or an instruction that runs as a kernel.
bool isKernelOfModule(const Value& value) {
  const auto* part = as<hlo::Part>(value);
  return is<hlo::Listing>(value) ||
         (part != nullptr && !part->isComputation() && hlo::isKernel(part->itsInstruction()));
}

// Neither a function of coordinates nor a value with its own picture.
bool isPlain(const Value& value) {
  return is<Text>(value) || is<cute::Tiler>(value) || is<axe::Place>(value) || is<axe::Places>(value) ||
         is<axe::Coords>(value) || is<graphene::Listing>(value) || (is<cute::IntTuple>(value) && !layoutOf(value).ok());
}

bool hasLevels(const Value& value) {
  const Result<Layout> layout = layoutOf(value);
  return layout && levelsOf(*layout).ok();
}
Result<Figure> drawLevelsOf(const Value& value, const DrawOptions& options) {
  TESSERA_TRY(const Layout layout, layoutOf(value));
  return drawLevels(layout, print(value), options);
}

constexpr ValueView kValueViews[] = {
    {{"source", "Source", "the text of a kernel or of a block of code, with the cost of each line; a click opens it"},
     layoutIs<hasSource>,
     of<Layout, drawSource>},
    {{"tensor", "Tensor", "an XLA array's elements, each with its slot, coloured by tile; padding hatched", true},
     layoutIs<isXla>,
     of<Layout, drawXlaTensor>},
    {{"physical", "Physical order", "the memory of an XLA array slot by slot: an element or padding"},
     layoutIs<isXla>,
     of<Layout, drawXlaPhysical>},
    {{"tiles", "Register tiles", "the tiles of an XLA array as sublanes and lanes, with packed elements in one word"},
     layoutIs<isXla>,
     of<Layout, drawXlaTiles>},
    {{"address", "Address", "one element of an XLA array: index, major to minor, tile by tile, slot, byte"},
     layoutIs<isXla>,
     of<Layout, drawXlaAddress>},
    {{"mesh", "Device mesh", "one panel per device with its part of the tensor; copies are marked"},
     hasDevices,
     of<Layout, drawMesh>},
    {{"holds", "What registers hold",
      "the tile that a register tensor holds; each element with its thread and register"},
     layoutIs<holdsTile>,
     of<Layout, drawHolds>},
    {{"threads", "Threads", "each element with its warp, thread and register"},
     [](const Value& v) { return hasThreads(v) || layoutIs<isThreadValue>(v); },
     of<Layout, drawThreads>},
    {{"forward", "Forward", "coordinate, linear index, digits, shard coordinate, offset, replicas: one element"},
     isPlaced,
     of<Layout, drawForward>},
    {{"backward", "Backward", "from a place to its element, step by step"}, isPlaced, of<Layout, drawBackward>},
    {{"verdict", "Verdict", "claim, truth, method, time and the counterexample"},
     is<Verdict>,
     [](const Value& v, const DrawOptions& o) { return drawVerdict(std::get<Verdict>(v), o); }},
    {{"steps", "Steps", "a derivation, step by step"}, is<cute::Explanation>, of<cute::Explanation, drawSteps>},
    {{"instruction", "Instruction",
      "A, B and C of an mma as a matrix product, or source and destination of a copy: which lane holds which element"},
     is<AtlasRow>,
     of<AtlasRow, drawInstruction>},
    {{"access", "Access over a tile",
      "an access over a tile: the lane that supplies each row's address, the lane and register that receive each "
      "element"},
     isAccessOver,
     either<EngineOver, drawEngineOver, AccessOver, drawAccessOver>},
    {{"banks", "Banks", "an access to shared memory: words per bank in each phase, and the lanes that request them"},
     isMemoryValue,
     either<BankAccess, drawBankAccess, Layout, drawBanks>},
    {{"search", "Found swizzles", "every result, and the banks before and after"},
     is<SwizzleFinding>,
     of<SwizzleFinding, drawSearch>},
    {{"chain", "Chain", "global -> shared -> registers -> mma; each edge with its checks and costs", true},
     is<Chain>,
     of<Chain, drawChain>},
    {{"tiled", "Tiled atom", "an instruction repeated over warps and over a larger tile"},
     [](const Value& v) { return is<TiledMma>(v) || is<TiledCopy>(v); },
     either<TiledMma, drawTiledMma, TiledCopy, drawTiledCopy>},
    {{"owned", "What a thread owns",
      "the elements that one thread holds, each with its value; a slider for the thread"},
     hasOwners,
     drawOwnedBy},
    {{"tree", "Specifications", "the specifications of a Graphene program as an outline that folds"},
     is<graphene::Listing>,
     [](const Value& v, const DrawOptions& o) { return graphene::drawTree(std::get<graphene::Listing>(v), {}, o); }},
    {{"spec", "Specification",
      "the threads and tensors of one specification as linked grids: which thread accesses which element"},
     is<graphene::Listing>,
     of<graphene::Listing, graphene::drawSpec>},
    {{"player", "Player", "a Graphene program or a kernel's run step by step: lanes, moves, earlier writes, costs",
      true},
     [](const Value& v) { return is<graphene::Listing>(v) || layoutIs<isRun>(v); },
     either<graphene::Listing, graphene::drawPlayer, Layout, drawKernelPlayer>},
    {{"checklist", "Obligations", "O1 to O8 for each specification of a Graphene program, with the findings", true},
     is<graphene::Listing>,
     [](const Value& v, const DrawOptions& o) {
       return graphene::drawChecklist(std::get<graphene::Listing>(v), {}, o);
     }},
    {{"predictions", "Shared memory",
      "the shared-memory accesses of a Graphene program: predicted and measured wavefronts"},
     is<graphene::Listing>,
     [](const Value& v, const DrawOptions& o) {
       PredictionTable nothing;  // the engine runs the emulator for a show (app/engine/program/program_pictures.h)
       nothing.title = std::get<graphene::Listing>(v).name;
       nothing.remark = "Nothing is predicted yet: show it as predictions in a line of the sheet";
       return drawPredictions(nothing, o);
     }},
    {{"dataflow", "Data flow",
      "an HLO computation as boxes, operands at the top, with the number of reads per element"},
     isModulePart,
     either<hlo::Listing, hlo::drawDataflow, hlo::Part, hlo::drawDataflow>},
    {{"reads", "Reads", "the operands of an HLO instruction, their elements coloured by number of reads", true},
     [](const Value& v) { return is<hlo::Part>(v) && as<hlo::Part>(v)->hasInstruction(); },
     of<hlo::Part, hlo::drawReads>},
    {{"waste", "Waste", "the kernels of an HLO module, the one with the most excess memory traffic first"},
     is<hlo::Listing>,
     of<hlo::Listing, hlo::drawWaste>},
    {{"kernel", "Kernel",
      "one kernel of an HLO module: its reads, its waste with the causes, and a tile of its output; sliders for the "
      "tile",
      true},
     isKernelOfModule,
     either<hlo::Listing, hlo::drawKernel, hlo::Part, hlo::drawKernel>},
    {{"levels", "Tiles by level",
      "a tiled tensor with each tile in its place and its elements inside; threads by group"},
     hasLevels,
     drawLevelsOf},
    {{"value", "Value", "a text, a tiler or a place, as text"}, isPlain, drawCard},
};

// Whether the value's default view is one of kValueViews: results, distributions over threads, XLA's arrays.
bool hasOwnView(const Value& value) {
  if (is<Layout>(value))
    return layoutIs<isRun>(value) || isModulePart(value) || hasThreads(value) || layoutIs<isXla>(value) ||
           isAccessOver(value) || layoutIs<isFragment>(value) || layoutIs<holdsTile>(value) || is<ThreadSlice>(value);
  return !is<cute::IntTuple>(value) || isPlain(value);
}

}  // namespace

std::span<const ViewInfo> views() {
  static const std::vector<ViewInfo> all = [] {
    std::vector<ViewInfo> list = mapped<ViewInfo>(kViews, &View::info);
    for (const ValueView& v : kValueViews) list.push_back(v.info);
    return list;
  }();
  return all;
}

namespace {

std::vector<std::string_view> viewsShowing(const Value& value) {
  std::vector<std::string_view> list;
  for (const ValueView& v : kValueViews) {
    if (v.shows(value)) list.push_back(v.info.name);
  }
  if (isPlain(value) || is<i64>(value) || is<bool>(value)) return list;
  const auto subject = subjectOf(value);
  if (!subject) return list;
  std::vector<std::string_view> grids = {"grid"};
  if ((*subject)->axes() == 1) {
    if (!(*subject)->hasFan()) grids.push_back("memory");
    if ((*subject)->inner && (*subject)->inner->isPlain()) grids.push_back("flow");
  }
  if (asF2((*subject)->map)) grids.push_back("f2");
  if ((*subject)->rank() <= 2) grids.push_back("table");
  // A layout's default view is its grid; other values have their own.
  list.insert(hasOwnView(value) ? list.end() : list.begin(), grids.begin(), grids.end());
  if (layoutIs<isLevelled>(value)) {
    const auto at = std::ranges::find(list, "levels");
    std::rotate(list.begin(), at, at + 1);
  }
  return list;
}

}  // namespace

// Cached, because every pane calls it in every frame: a thread keeps the results of its most recent layouts. A kept
// layout stays alive, so its id is unique.
std::vector<std::string_view> viewsFor(const Value& value) {
  constexpr std::size_t kMost = 64;  // more than a window shows
  struct Kept {
    Layout layout;
    std::vector<std::string_view> views;
  };
  thread_local std::deque<Kept> kept;
  const auto* layout = std::get_if<Layout>(&value);
  if (layout == nullptr) return viewsShowing(value);
  const auto known = std::ranges::find_if(kept, [&](const Kept& k) { return k.layout.id() == layout->id(); });
  if (known != kept.end()) return known->views;
  kept.push_front({*layout, viewsShowing(value)});
  if (kept.size() > kMost) kept.pop_back();
  return kept.front().views;
}

namespace {

Result<Figure> drawUnlinked(const Value& value, std::string_view view, const DrawOptions& options) {
  if (view.empty() && layoutIs<isLevelled>(value)) return drawLevelsOf(value, options);
  for (const ValueView& v : kValueViews) {
    if (v.shows(value) && (view.empty() ? hasOwnView(value) : v.info.name == view)) return v.draw(value, options);
  }
  if (is<i64>(value) || is<bool>(value)) {
    return Diag{fmt::format("{} is a {} and cannot be drawn", print(value), is<i64>(value) ? "number" : "truth value"),
                "a layout, a swizzle, a map or a verdict"};
  }
  const View* found = view.empty() ? &kViews[0] : nullptr;
  for (const View& v : kViews) {
    if (v.info.name == view) found = &v;
  }
  if (found != nullptr && !isPlain(value) && (is<Layout>(value) || !hasOwnView(value))) {
    TESSERA_TRY(const SubjectPtr subject, subjectOf(value));
    return found->draw(subject, options);
  }
  const std::vector<std::string_view> able = viewsFor(value);
  const auto near = nearest(std::string(view), {able.begin(), able.end()});
  const bool exists = std::ranges::any_of(views(), [&](const ViewInfo& v) { return v.name == view; });
  // A word that is no view is a typing error of one, or nothing is known about what is meant.
  std::string_view meant;
  if (exists && !able.empty()) meant = able[0];
  if (!exists && near) meant = *near;
  return Diag{
      exists ? fmt::format("the view {} does not show a {}", view, kindOf(value))
             : fmt::format("there is no view \"{}\"", view),
      able.empty() ? "a layout, a swizzle, a map or a verdict" : fmt::format("one of {}", fmt::join(able, ", ")),
      meant.empty() ? "" : fmt::format("write \"as {}\"", meant)};
}

}  // namespace

Result<Figure> draw(const Value& value, std::string_view view, const DrawOptions& options) {
  if (view == "banks" && options.arguments.empty()) {  // an access of code has lanes of its own
    TESSERA_TRY(auto shown, worstAccessOf(value));
    if (shown) return draw(Value(std::move(shown->access)), view, options);
  }
  TESSERA_TRY(Figure figure, drawUnlinked(value, view, options));
  if (const auto* layout = std::get_if<Layout>(&value))
    for (FigureLink& link : linksOf(*layout)) figure.links.push_back(std::move(link));
  return figure;
}

Result<SubjectPtr> subjectOf(const Value& value) {
  TESSERA_TRY(const Layout layout, layoutOf(value));
  return subjectOf(layout, print(value));
}

u64 pointDomainOf(const Value& value) {
  const auto* layout = std::get_if<Layout>(&value);
  return layout == nullptr ? 0 : pointDomainOf(*layout);
}

std::pair<std::string, std::vector<std::string>> viewWords(const std::string& view) {
  std::pair<std::string, std::vector<std::string>> said;
  for (std::string_view word : wordsIn(view, " \t\n\v\f\r")) {
    while (word.ends_with(',')) word.remove_suffix(1);
    if (word.empty()) continue;
    (said.first.empty() ? said.first : said.second.emplace_back()) = word;
  }
  return said;
}

}  // namespace tessera
