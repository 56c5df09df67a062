#include "core/analysis/access/access_over.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/analysis/access/access_map.h"
#include "core/base/arith.h"
#include "core/map/compose.h"
#include "core/notation/cute/algebra/coalesce.h"
#include "core/notation/cute/notation.h"

namespace tessera {
namespace {

Diag doesNotDivide(const AccessOver& over) {
  const i64 rows = over.fragment->high(), columns = over.fragment->wide();
  return Diag{fmt::format("{} is a block of {}x{}, which does not divide the {}x{} tile", over.what, rows, columns,
                          over.tile.rows(), over.tile.columns()),
              fmt::format("a multiple of {} rows and {} columns", rows, columns),
              rows <= over.tile.columns() && columns <= over.tile.rows() && over.tile.columns() % rows == 0 &&
                      over.tile.rows() % columns == 0
                  ? "swap the modes of the tile"
                  : ""};
}

// The phase that serves the lane.
int phaseOf(const LanePhases& phases, int lane) {
  for (int p = 0; p < phases.count; ++p)
    for (int i = 0; i < phases.lanes; ++i)
      if (phases.lane(p, i) == lane) return p;
  return 0;
}

void widen(AccessStep& step, TileCoord at) {
  step.end = {std::max(step.end.row, at.row + 1), std::max(step.end.column, at.column + 1)};
}

AccessStep stepOfFragment(const TileFragment& f, TileCoord position) {
  AccessStep step;
  step.position = step.corner = step.end = position;
  const i64 threads = f.threadValue.mode(0).size(), values = f.threadValue.mode(1).size();
  for (i64 t = 0; t < threads; ++t)
    for (i64 v = 0; v < values; ++v) {
      const i64 index = f.threadValue(t + threads * v), row = index % f.rows, column = index / f.rows;
      const TileCoord at = f.transposed ? TileCoord{position.row + column, position.column + row}
                                        : TileCoord{position.row + row, position.column + column};
      step.held.push_back({f.threadId(t), v, at});
      widen(step, at);
    }
  return step;
}

AccessStep stepOfAccess(const AccessOver& over, const TileAccess& access) {
  AccessStep step;
  step.warp = access.warp;
  step.position = step.corner = step.end = access.position;
  for (int lane = 0; lane < kWarpLanes; ++lane) {
    const i64 byte = access.warp.addresses[static_cast<std::size_t>(lane)];
    if (byte == kInactive) continue;
    const TileCoord at = access.lanes[static_cast<std::size_t>(lane)];
    step.addresses.push_back({lane, at, byte, phaseOf(access.warp.phases, lane)});
    step.corner = {std::min(step.corner.row, at.row), std::min(step.corner.column, at.column)};
  }
  const auto held = heldAfter(over.tile, *over.spec, access);
  if (!held) return step;  // unreachable: the instruction is in the atlas
  for (std::size_t lane = 0; lane < held->size(); ++lane)
    for (std::size_t v = 0; v < (*held)[lane].size(); ++v) {
      step.held.push_back({static_cast<i64>(lane), static_cast<i64>(v), (*held)[lane][v]});
      widen(step, (*held)[lane][v]);
    }
  return step;
}

// Digit k of the fragment's map and the positions after it -> (row, column) of the tile.
Result<Arrow> arrowOfFragment(const AccessOver& over) {
  const TileFragment& f = *over.fragment;
  TESSERA_TRY(const Arrow inner, NotationOf<cute::Layout>::arrow(f.threadValue));
  std::vector<Digit> digits = inner.map.digits();
  const i64 high = f.high(), wide = f.wide();
  const Expr down = Expr::digit(static_cast<int>(digits.size())) * high;
  const Expr across = Expr::digit(static_cast<int>(digits.size()) + 1) * wide;
  digits.push_back({"down", over.tile.rows() / high});
  digits.push_back({"across", over.tile.columns() / wide});
  const Expr index = inner.map.axes()[0].value, first = mod(index, f.rows), second = floorDiv(index, f.rows);
  const Expr row = down + (f.transposed ? second : first), column = across + (f.transposed ? first : second);
  TESSERA_TRY(const Map map,
              Map::create(std::move(digits), {{"offset", offsetAt(over.memory.map, over.rowDigits, row, column), {}}}));
  Arrow arrow = over.memory;
  arrow.map = withSimplerValues(map);
  arrow.from = inner.from;
  arrow.from.kind = SpaceKind::Hardware;
  if (arrow.from.modes.size() > 1) arrow.from.modes[0].name = "thread", arrow.from.modes[1].name = "value";
  arrow.from.modes.push_back({"down", {over.tile.rows() / high}, 0});
  arrow.from.modes.push_back({"across", {over.tile.columns() / wide}, 0});
  return arrow;
}

Result<Arrow> arrowOfAccess(const AccessOver& over) {
  TESSERA_TRY(const AccessMap access, accessMap(*over.spec, over.tile.rows(), over.tile.columns(),
                                                over.tile.contiguousDimension() == 1, over.tile.elementBits()));
  const Map& lanes = access.lanes.map;
  TESSERA_TRY(
      const Map map,
      Map::create(
          lanes.digits(),
          {{"offset", offsetAt(over.memory.map, over.rowDigits, lanes.axes()[0].value, lanes.axes()[1].value), {}}},
          lanes.guards()));
  Arrow arrow = over.memory;
  arrow.from = access.lanes.from;
  arrow.map = withSimplerValues(map);
  return arrow;
}

}  // namespace

bool AccessOver::operator==(const AccessOver& other) const {
  return what == other.what && tile.elementBits() == other.tile.elementBits() && memory == other.memory &&
         spec == other.spec && fragment == other.fragment;
}

Result<AccessSteps> AccessSteps::of(const AccessOver& over) {
  AccessSteps steps;
  steps.over_ = &over;
  if (over.fragment) {
    const i64 high = over.fragment->high(), wide = over.fragment->wide();
    if (over.tile.rows() % high != 0 || over.tile.columns() % wide != 0) return doesNotDivide(over);
    for (i64 row = 0; row < over.tile.rows(); row += high)
      for (i64 column = 0; column < over.tile.columns(); column += wide) steps.positions_.push_back({row, column});
    return steps;
  }
  TESSERA_TRY(steps.accesses_, accesses(over.tile, *over.spec));
  for (const TileAccess& access : steps.accesses_) steps.positions_.push_back(access.position);
  if (over.spec->space == MemorySpace::Global) return steps;
  steps.banks_ = bankReport(steps.accesses_);
  if (steps.banks_->worst) steps.worst_ = *steps.at(steps.banks_->worst->position);
  return steps;
}

std::optional<std::size_t> AccessSteps::at(TileCoord position) const {
  const auto found = std::ranges::find(positions_, position);
  return found == positions_.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - positions_.begin()));
}

AccessStep AccessSteps::step(std::size_t k) const {
  return over_->fragment ? stepOfFragment(*over_->fragment, positions_[k]) : stepOfAccess(*over_, accesses_[k]);
}

std::optional<cute::Layout> fragmentLayout(const AccessStep& step) {
  const i64 rows = step.end.row - step.corner.row;
  std::map<std::pair<i64, i64>, i64> index;
  i64 threads = 0, values = 0;
  for (const HeldElement& h : step.held) {
    threads = std::max(threads, h.thread + 1);
    values = std::max(values, h.value + 1);
    index[{h.thread, h.value}] = h.at.row - step.corner.row + rows * (h.at.column - step.corner.column);
  }
  if (!isPowerOfTwo(threads) || !isPowerOfTwo(values) || static_cast<i64>(index.size()) != threads * values) return {};
  if (index.at({0, 0}) != 0) return {};
  std::vector<cute::LayoutLeaf> threadBits = {{1, 0}}, valueBits = {{1, 0}};
  for (i64 t = 1; t < threads; t *= 2) threadBits.push_back({2, index.at({t, 0})});
  for (i64 v = 1; v < values; v *= 2) valueBits.push_back({2, index.at({0, v})});
  const auto t = cute::coalesced(threadBits, false), v = cute::coalesced(valueBits, false);
  if (!t || !v) return {};
  const auto layout = cute::Layout::make(cute::IntTuple::tuple({t->shape(), v->shape()}),
                                         cute::IntTuple::tuple({t->stride(), v->stride()}));
  if (!layout) return {};
  for (const auto& [at, value] : index)
    if ((*layout)(at.first + threads * at.second) != value) return {};
  return *layout;
}

std::string print(const AccessOver& over) {
  std::string out = fmt::format("{} over {}, {}", over.what, over.tile.text(), over.type);
  const auto steps = AccessSteps::of(over);
  if (!steps || steps->count() == 0) return out;
  const AccessStep first = steps->step(0);
  out += fmt::format("\n{} position{} of {}x{}", steps->count(), steps->count() == 1 ? "" : "s",
                     first.end.row - first.corner.row, first.end.column - first.corner.column);
  if (const auto layout = fragmentLayout(first))
    out += fmt::format("\n(lane, value) -> index in the block: {}", print(*layout));
  if (const auto& banks = steps->banks())
    out += banks->excess == 0
               ? fmt::format("\n{} wavefronts, the ideal", banks->wavefronts)
               : fmt::format("\n{} wavefronts, {} would do; {}", banks->wavefronts, banks->ideal, banks->text);
  return out;
}

Result<Arrow> NotationOf<AccessOver>::arrow(const AccessOver& over) {
  return over.fragment ? arrowOfFragment(over) : arrowOfAccess(over);
}

LayoutFacts NotationOf<AccessOver>::facts(const AccessOver& over) {
  LayoutFacts facts = {{"access", over.what}, {"type", over.type}, {"over", over.tile.text()}};
  const auto steps = AccessSteps::of(over);
  if (!steps || steps->count() == 0) return facts;
  facts.push_back({"positions", static_cast<i64>(steps->count())});
  if (const auto layout = fragmentLayout(steps->step(0))) facts.push_back({"fragment", print(*layout)});
  if (const auto& banks = steps->banks()) {
    facts.push_back({"wavefronts", banks->wavefronts});
    facts.push_back({"ideal", banks->ideal});
  }
  return facts;
}

}  // namespace tessera
