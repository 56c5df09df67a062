// The picture of an access over a tile (core/analysis/access/access_over.h).
//
//     show ldmatrix.x4 over S                     the position with the most bank conflicts, else the first
//     show ldmatrix.x4 over S as access 16,32     another position;  thread 5, quad 2: isolates their elements
//
// Left: the whole tile with the position in place. Right: its block, matrix by matrix: T is the lane that receives the
// element, V the register value, and before each row is the lane that supplies its address. Below: the banks that the
// position accesses, phase by phase. Every cell is a point of the tile and lights in S's other pictures.
// Law: a cell at (r, c) shows (T, V) exactly if AccessStep::held has (T, V) at (r, c).
#include "core/analysis/access/access_over.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>

#include "core/base/mapped.h"
#include "core/base/words.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/hardware/thread_tile.h"
#include "render/draw/links.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr double kOverview = 230;         // longer side of the whole tile
constexpr double kCell = 32, kHigh = 31;  // width and height of a cell of the block

// The holders of an element of a step.
struct Owner {
  i64 thread = 0, value = 0;
  int more = 0;  // number of further holders
};

struct Shown {
  AccessStep step;
  i64 rows = 1, columns = 1;  // of the tile
  u64 domain = 0;
  i64 threads = 32;
  bool registers = true;  // false: cp.async bypasses the registers
  Isolated isolated;
  std::unordered_map<i64, Owner> owners;   // by row + rows * column
  std::unordered_map<i64, int> addressed;  // elements at the start of a lane's run -> the lane
  std::set<i64> clash;                     // those of them in the busiest bank

  [[nodiscard]] const Owner* at(i64 row, i64 column) const {
    const auto found = owners.find(row + rows * column);
    return found == owners.end() ? nullptr : &found->second;
  }
  [[nodiscard]] Paint paint(const Owner& owner) const {
    return isolated.holds(owner.thread) ? threadPaint(owner.thread, threads) : Paint{Role::Faded};
  }
};
using ShownPtr = std::shared_ptr<const Shown>;

ShownPtr shownOf(const AccessOver& over, AccessStep step, const Isolated& isolated) {
  auto shown = std::make_shared<Shown>();
  shown->rows = over.tile.rows();
  shown->columns = over.tile.columns();
  shown->domain = pointDomain(over.extents);
  shown->isolated = isolated;
  shown->registers = !over.spec || !over.spec->instruction.starts_with("cp.async");
  for (const HeldElement& h : step.held) {
    shown->threads = std::max(shown->threads, h.thread + 1);
    const auto [it, fresh] =
        shown->owners.try_emplace(h.at.row + shown->rows * h.at.column, Owner{h.thread, h.value, 0});
    if (!fresh) ++it->second.more;
  }
  std::set<int> lanes;
  if (step.warp && over.spec->space == MemorySpace::Shared) {
    if (const auto conflict = worstConflict(*step.warp); conflict && conflict->load.words.size() > 1)
      for (const BankLoad::Word& word : conflict->load.words) lanes.insert(word.lanes.begin(), word.lanes.end());
  }
  for (const LaneAddress& a : step.addresses) {
    const i64 index = a.at.row + shown->rows * a.at.column;
    shown->addressed.try_emplace(index, a.lane);
    if (lanes.count(a.lane) == 1) shown->clash.insert(index);
  }
  shown->step = std::move(step);
  return shown;
}

// The whole tile: the step in its colours, the rest pale.
std::shared_ptr<const CellSource> wholeTile(const ShownPtr& s) {
  const auto paint = [s](i64 row, i64 column) {
    const Owner* owner = s->at(row, column);
    return owner != nullptr ? s->paint(*owner) : paintOutside(s->step.corner, s->step.end, row, column);
  };
  const auto label = [s](i64 row, i64 column) {
    const Owner* owner = s->at(row, column);
    return owner != nullptr ? fmt::format("T{}", owner->thread) : "";
  };
  return cellsOf({s->rows, s->columns, s->domain, paint, label});
}

// A part of the block; a cell is the `high` x `wide` elements that one lane accesses at once.
struct Panel {
  std::string name;
  TileCoord corner, end;
  i64 high = 1, wide = 1;
  bool tagRows = false, tagColumns = false;  // headers name the lane that supplies the address
};

class PanelCells : public CellSource {
 public:
  PanelCells(ShownPtr shown, Panel panel) : s_(std::move(shown)), p_(std::move(panel)) {}

  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    const i64 r = p_.corner.row + row * p_.high, c = p_.corner.column + col * p_.wide, run = p_.high * p_.wide;
    const i64 index = r + s_->rows * c;
    Cell cell{"", "", paint(row, col), {s_->domain, index}, s_->clash.count(index) == 1};
    const Owner* owner = s_->at(r, c);
    if (owner == nullptr) return cell;
    cell.label = fmt::format("T{}", owner->thread);
    if (s_->registers)
      cell.second =
          run == 1 ? fmt::format("V{}", owner->value) : fmt::format("V{}-{}", owner->value, owner->value + run - 1);
    if (owner->more > 0) cell.second += fmt::format(" +{}", owner->more);
    return cell;
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    const Owner* owner = s_->at(p_.corner.row + row * p_.high, p_.corner.column + col * p_.wide);
    return owner == nullptr ? Paint{Role::Faded} : s_->paint(*owner);
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int) const override {
    if (!point.isIn(s_->domain, s_->rows * s_->columns)) return {};
    const i64 row = point.index % s_->rows, column = point.index / s_->rows;
    if (row < p_.corner.row || row >= p_.end.row || column < p_.corner.column || column >= p_.end.column) return {};
    return {{(row - p_.corner.row) / p_.high, (column - p_.corner.column) / p_.wide}};
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override {
    const i64 r = p_.corner.row + row * p_.high;
    const std::string lane = p_.tagRows ? addressLane(r, p_.corner.column) : "";
    return lane.empty() ? std::to_string(r) : fmt::format("{}\u2192{}", lane, r);  // lane 19 supplies row 19's address
  }
  [[nodiscard]] std::string colHeader(i64 col) const override {
    const i64 c = p_.corner.column + col * p_.wide;
    const std::string lane = p_.tagColumns ? addressLane(p_.corner.row, c) : "";
    return lane.empty() ? std::to_string(c) : lane;
  }

 private:
  [[nodiscard]] std::string addressLane(i64 row, i64 column) const {
    const auto found = s_->addressed.find(row + s_->rows * column);
    return found == s_->addressed.end() ? "" : fmt::format("T{}", found->second);
  }
  ShownPtr s_;
  Panel p_;
};

// One panel per matrix; else the bounding box of the step.
std::vector<Panel> panelsOf(const AccessOver& over, const AccessStep& step) {
  Panel whole{over.fragment ? "block" : "access", step.corner, step.end};
  if (!over.spec) return {whole};
  const bool alongRow = step.end.row - step.corner.row == 1 ||
                        (over.tile.contiguousDimension() == 1 && step.end.column - step.corner.column > 1);
  const i64 run = i64{8} * step.warp->width / over.tile.elementBits();
  if (over.spec->matrices == 0) {
    (alongRow ? whole.wide : whole.high) = run;
    return {whole};
  }
  std::vector<Panel> panels;
  const auto rows = static_cast<std::size_t>(over.spec->matrixRows);
  for (std::size_t first = 0; first < step.addresses.size(); first += rows) {
    const TileCoord from = step.addresses[first].at;
    const TileCoord to = step.addresses[std::min(first + rows, step.addresses.size()) - 1].at;
    const bool down = to.row > from.row;  // rows of the matrix are rows of the tile
    const TileCoord end = down ? TileCoord{to.row + 1, from.column + run} : TileCoord{from.row + run, to.column + 1};
    panels.push_back({fmt::format("matrix {}", panels.size()), from, end, 1, 1, down, !down});
  }
  return panels;
}

std::string panelText(const Panel& panel, const AccessStep& step) {
  std::vector<LaneAddress> lanes;
  std::set<int> phases;
  for (const LaneAddress& a : step.addresses) {
    if (a.at.row < panel.corner.row || a.at.row >= panel.end.row || a.at.column < panel.corner.column ||
        a.at.column >= panel.end.column)
      continue;
    lanes.push_back(a);
    phases.insert(a.phase);
  }
  if (lanes.empty()) return "";
  const std::string when = phases.size() == 1 ? fmt::format("phase {}", *phases.begin())
                                              : fmt::format("phases {} to {}", *phases.begin(), *phases.rbegin());
  const std::string last = lanes.size() == 1 ? "" : fmt::format(" to T{}", lanes.back().lane);
  return fmt::format("{}: addresses from T{}{}", when, lanes.front().lane, last);
}

Grid panelGrid(const ShownPtr& shown, const Panel& panel) {
  const bool runs = panel.high * panel.wide > 1;
  Grid grid =
      makeGrid(panel.name, (panel.end.row - panel.corner.row) / panel.high,
               (panel.end.column - panel.corner.column) / panel.wide, std::make_shared<PanelCells>(shown, panel),
               runs && shown->registers ? 44 : kCell, kHigh, runs || shown->threads > 100 ? 4 : 3);
  grid.rowGroup = grid.rows > 8 ? 8 : 0;
  grid.colGroup = grid.cols > 8 ? 8 : 0;
  if (panel.tagColumns)
    grid.colTitle = fmt::format("columns {} to {}, each by its lane", panel.corner.column, panel.end.column - 1);
  return grid;
}

// The whole tile on the left; returns the position of the block.
double addOverview(Figure& figure, const ShownPtr& shown, const AccessOver& over, std::size_t steps) {
  if (steps < 2) return 0;
  const double pitch = std::min(kOverview / static_cast<double>(std::max(shown->rows, shown->columns)), 16.0);
  Grid grid = makeGrid("tile", shown->rows, shown->columns, wholeTile(shown), pitch,
                       std::max(pitch, 4.0 / static_cast<double>(shown->rows)), 3);
  grid.headers = false;
  grid.y = 44;
  addHeading(figure, 0, 12, fmt::format("{} x {}", over.tile.rows(), over.tile.columns()), "the position in the tile");
  const double width = std::max(grid.bounds().w, 200.0);
  figure.grids.push_back(std::move(grid));
  return width + 40;
}

// The panels at their places in the tile; returns the position of the banks.
double addPanels(Figure& figure, const ShownPtr& shown, const std::vector<Panel>& panels, double left) {
  std::set<i64> rows, columns;
  for (const Panel& p : panels) {
    rows.insert(p.corner.row);
    columns.insert(p.corner.column);
  }
  double y = 12;
  for (const i64 row : rows) {
    double x = left, bottom = y;
    for (const i64 column : columns) {
      double width = 0, margin = 0;
      for (const Panel& p : panels) {  // the widest of its column
        if (p.corner.column != column) continue;
        const Grid g = panelGrid(shown, p);
        margin = std::max(margin, headerMargins(g).left);
        const double text = headingWidth(p.name, panelText(p, shown->step));
        width = std::max({width, headerMargins(g).left + g.bounds().w, text});
      }
      for (const Panel& p : panels) {
        if (p.corner.column != column || p.corner.row != row) continue;
        Grid grid = panelGrid(shown, p);
        const Margins m = headerMargins(grid);
        addHeading(figure, x, y, p.name, panelText(p, shown->step));
        grid.x = x + margin;
        grid.y = y + 14 + m.top;
        bottom = std::max(bottom, grid.y + grid.bounds().h);
        figure.grids.push_back(std::move(grid));
      }
      x += width + 44;
    }
    y = bottom + 28;
  }
  return y;
}

void addTable(Figure& figure, const AccessOver& over, const Shown& shown) {
  figure.table.push_back({"lane", "value", "row", "column", "offset", "byte", "bank", "phase", "address by"});
  const int bits = over.tile.elementBits();
  for (const HeldElement& h : shown.step.held) {
    const i64 byte = over.tile.bit(h.at.row, h.at.column) / 8;
    std::string phase, by;
    for (const LaneAddress& a : shown.step.addresses) {
      const i64 run = i64{8} * shown.step.warp->width / bits;
      const bool row = a.at.row == h.at.row && h.at.column >= a.at.column && h.at.column < a.at.column + run;
      const bool column = a.at.column == h.at.column && h.at.row >= a.at.row && h.at.row < a.at.row + run;
      if (!(over.tile.contiguousDimension() == 1 ? row : column)) continue;
      phase = std::to_string(a.phase);
      by = std::to_string(a.lane);
      break;
    }
    const i64 numbers[] = {h.thread,
                           h.value,
                           h.at.row,
                           h.at.column,
                           over.tile.offset(h.at.row, h.at.column),
                           byte,
                           byte / kBankBytes % kBanks};
    auto line = mapped<std::string>(numbers, [](i64 n) { return std::to_string(n); });
    line.insert(line.end(), {phase, by});
    figure.table.push_back(std::move(line));
  }
}

// The words after the view: a position, 16,32; other words isolate a thread.
struct Asked {
  std::optional<TileCoord> at;
  Isolated isolated;
};
Result<Asked> askedBy(const std::vector<std::string>& words) {
  Asked asked;
  std::vector<std::string> rest;
  for (const std::string& word : words) {
    const std::size_t comma = word.find(',');
    const auto row = comma == std::string::npos ? std::nullopt : wholeNumber(word.substr(0, comma));
    if (!row) {
      rest.push_back(word);
      continue;
    }
    const auto column = wholeNumber(word.substr(comma + 1));
    if (!column) return Diag{fmt::format("'{}' is not a position", word), "a position such as 16,32"};
    asked.at = TileCoord{*row, *column};
  }
  Result<Isolated> isolated = isolatedOf(rest, "access");
  if (!isolated) {
    Diag diag = isolated.error();
    if (diag.expected.starts_with("thread N")) diag.expected = "a position such as 16,32; " + diag.expected;
    return diag;
  }
  asked.isolated = *isolated;
  return asked;
}

Result<std::size_t> chosenStep(const AccessOver& over, const AccessSteps& steps, const std::optional<TileCoord>& at) {
  if (!at) return steps.worst();
  if (const auto found = steps.at(*at)) return *found;
  return Diag{
      fmt::format("no {} of this tile is at ({},{})", over.what, at->row, at->column),
      fmt::format("one of {} positions, {},{} first", steps.count(), steps.position(0).row, steps.position(0).column),
      steps.count() > 1 ? fmt::format("as access {},{}", steps.position(1).row, steps.position(1).column) : ""};
}

// "T19 supplies the address of (19,40); T12 receives (19,40) in V4."
std::string exampleOf(const AccessOver& over, const Shown& shown) {
  const std::vector<HeldElement>& held = shown.step.held;
  if (held.empty()) return "";
  const bool one = shown.isolated.kind == Isolated::Kind::Thread;
  const auto mine =
      std::ranges::find_if(held, [&](const HeldElement& h) { return one && h.thread == shown.isolated.number; });
  const HeldElement& h = mine == held.end() ? held[held.size() / 2] : *mine;
  const bool store = over.spec && over.spec->direction == AccessDirection::Write;
  const char* verb = over.fragment ? "holds" : store ? "stores" : "receives";
  std::string out =
      shown.registers
          ? fmt::format("T{} {} ({},{}) {} V{}", h.thread, verb, h.at.row, h.at.column, store ? "from" : "in", h.value)
          : fmt::format("T{} copies ({},{}) and the elements after it", h.thread, h.at.row, h.at.column);
  if (!over.spec || over.spec->matrices == 0) return out;
  const auto own = std::ranges::find(shown.step.addresses, h.thread, &LaneAddress::lane);
  if (own != shown.step.addresses.end())
    out += fmt::format(" and supplies the address of ({},{}), byte {}, in phase {}", own->at.row, own->at.column,
                       own->byte, own->phase);
  return out;
}

// The text of headers, beside the numbers.
std::string headerText(const AccessOver& over, const Shown& shown) {
  const std::vector<LaneAddress>& addresses = shown.step.addresses;
  if (!over.spec || over.spec->matrices == 0 || addresses.size() < 2) return "";
  return addresses[1].at.row > addresses[0].at.row ? " In front of a row: the lane that supplies its address."
                                                   : " Above a column: the lane that supplies its address.";
}

std::string bankText(const AccessSteps& steps) {
  const auto& banks = steps.banks();
  if (!banks) return "";
  if (banks->excess == 0) return " No bank conflict at any position.";
  return fmt::format(
      " {} wavefronts over all positions, {} would do ({}-way at worst); lit: the rows that one bank must "
      "deliver in sequence.",
      banks->wavefronts, banks->ideal, banks->conflictDegree);
}

void addBadges(Figure& figure, const AccessOver& over, const AccessSteps& steps, std::size_t k) {
  const AccessStep step = steps.step(k);
  if (!steps.banks() || !step.warp) {
    if (over.fragment) figure.badges.push_back({"registers only: no memory access", Role::Muted});
    return;
  }
  const auto report = bankReport(*step.warp);
  if (!report) return;
  figure.badges.push_back(report->excess == 0
                              ? FigureBadge{fmt::format("{} wavefronts, the ideal", report->wavefronts), Role::Proved}
                              : FigureBadge{fmt::format("{} wavefronts, {} would do: {}-way conflict",
                                                        report->wavefronts, report->ideal, report->conflictDegree),
                                            Role::Refuted});
}

}  // namespace

Result<Figure> drawAccessOver(const AccessOver& over, const DrawOptions& options) {
  TESSERA_TRY(const Asked asked, askedBy(options.arguments));
  TESSERA_TRY(const AccessSteps steps, AccessSteps::of(over));
  TESSERA_TRY(const std::size_t k, chosenStep(over, steps, asked.at));
  const ShownPtr shown = shownOf(over, steps.step(k), asked.isolated);
  Figure figure = figureOverTile(over.what, over.type, over.tile, steps.positions(), k, options);
  const double left = addOverview(figure, shown, over, steps.count());
  const double below = addPanels(figure, shown, panelsOf(over, shown->step), left);
  if (shown->step.warp && over.spec->space == MemorySpace::Shared) {
    TESSERA_TRY(const BankAccess access, bankAccess(*shown->step.warp));
    const Figure heat =
        drawWarpHeat(access, "Words per bank", "of this position; the highest number of a phase is its wavefronts");
    place(figure, heat, 0, std::max(below, 44 + kOverview + 20), "banks");
  }
  addTable(figure, over, *shown);
  addBadges(figure, over, steps, k);
  fitSize(figure);
  figure.caption = fmt::format("{}.{}{}", exampleOf(over, *shown), headerText(over, *shown), bankText(steps));
  return figure;
}

}  // namespace tessera
