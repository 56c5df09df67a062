// banks: an access to shared memory. Above: phases x 32 banks, with the number of words that each bank must deliver as
// heat. Below: the memory itself, 32 banks of 4 bytes per row, with the requesting lanes of each word.
//
//     show S as banks fp16                      the usual access of a kernel: ldmatrix.x4, else 16 bytes per lane
//     show S as banks fp16 st.shared.v4         another access;  at 16 0: the one at that position;  phase 2
//
// Without `at` it shows the access with the most excess. Law: the heat of a bank in a phase is its number of distinct
// words in core/analysis/memory/banks.h; the wavefronts of a phase are its maximum heat.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "core/analysis/access/access.h"
#include "core/analysis/access/tile.h"
#include "core/atlas/atlas.h"
#include "core/base/arith.h"
#include "core/base/words.h"
#include "core/claim/claim.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/hardware/bank_points.h"
#include "render/draw/links.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

struct Asked {
  int bits = 0;
  std::optional<AccessSpec> spec;
  std::optional<TileCoord> at;
  std::optional<int> phase;
};

Result<i64> numberAt(const std::vector<std::string>& words, std::size_t k, const char* expected) {
  if (const auto n = wholeNumber(k < words.size() ? words[k] : "")) return *n;
  return Diag{"a number is missing in the words after banks", expected};
}

Result<Asked> askedBy(const std::vector<std::string>& words, int bitsKnown, bool needsType) {
  Asked asked;
  asked.bits = bitsKnown;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] == "at") {
      TESSERA_TRY(const i64 row, numberAt(words, k + 1, "at ROW COLUMN"));
      TESSERA_TRY(const i64 column, numberAt(words, k + 2, "at ROW COLUMN"));
      asked.at = TileCoord{row, column};
      k += 2;
    } else if (words[k] == "phase") {
      TESSERA_TRY(const i64 phase, numberAt(words, k + 1, "phase N"));
      asked.phase = static_cast<int>(phase);
      k += 1;
    } else if (const auto bits = elementBits(words[k])) {
      asked.bits = *bits;
    } else {
      TESSERA_TRY(asked.spec, parseAccess(words[k]));
    }
  }
  if (needsType && asked.bits == 0)
    return Diag{"the banks view needs the element type", "as banks fp16, as banks f32 ld.shared.v4 ...",
                "as banks fp16"};
  return asked;
}

using WordPointsPtr = std::shared_ptr<const WordPoints>;

// Gives a cell the first of these points and the others as additional ones.
void takePoints(Cell& cell, std::vector<Point> points) {
  if (points.empty()) return;
  cell.point = points.front();
  cell.also.assign(points.begin() + 1, points.end());
}

// One cell per bank: the words it delivers in a phase.
class HeatCells : public CellSource {
 public:
  HeatCells(int phases, WordPointsPtr points)
      : words_(static_cast<std::size_t>(phases), std::vector<int>(kBanks, 0)), points_(std::move(points)) {
    for (const WordPoints::Ask& ask : points_->asks())
      words_[static_cast<std::size_t>(ask.phase)][static_cast<std::size_t>(ask.bank)] = ask.of;
  }
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    const int n = at(row, col);
    Cell cell{n == 0 ? "" : std::to_string(n), "", paint(row, col)};
    takePoints(cell, points_->in(static_cast<int>(row), static_cast<int>(col)));
    return cell;
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    const int n = at(row, col);
    if (n == 0) return {Role::Raised};
    // One word per bank and phase is not a conflict: neutral. Heat marks conflicts on one scale for all pictures: 32 is
    // hottest.
    if (n == 1) return {Role::Shade, 2, 0, 0};
    return {Role::Heat, 0, 0, std::min(1.0F, 0.25F + 0.15F * std::log2(static_cast<float>(n)))};
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    std::vector<std::pair<i64, i64>> out;
    for (const WordPoints::Ask& ask : points_->asksOf(point)) {
      const std::pair<i64, i64> place{ask.phase, ask.bank};
      if (static_cast<int>(out.size()) < limit && std::ranges::find(out, place) == out.end()) out.push_back(place);
    }
    return out;
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override { return fmt::format("phase {}", row); }
  [[nodiscard]] std::vector<std::string> fieldNames() const override { return {"phase", "bank", "words"}; }
  [[nodiscard]] std::vector<std::string> fields(i64 row, i64 col) const override {
    return {std::to_string(row), std::to_string(col), std::to_string(at(row, col))};
  }

 private:
  [[nodiscard]] int at(i64 row, i64 col) const {
    return words_[static_cast<std::size_t>(row)][static_cast<std::size_t>(col)];
  }
  std::vector<std::vector<int>> words_;
  WordPointsPtr points_;
};

// The lanes that request a word: "T5", "T4-7", "T0,2,4,6".
std::string lanesText(const std::vector<int>& lanes) {
  std::string text = "T";
  for (std::size_t k = 0; k < lanes.size();) {
    std::size_t end = k + 1;
    while (end < lanes.size() && lanes[end] == lanes[end - 1] + 1) ++end;
    text += fmt::format("{}{}", k == 0 ? "" : ",", lanes[k]);
    if (end > k + 1) text += fmt::format("{}{}", end > k + 2 ? "-" : ",", lanes[end - 1]);
    k = end;
  }
  return text;
}

// The accessed rows of 128 bytes; a cell is a word and its requesting lanes.
class WordCells : public CellSource {
 public:
  WordCells(std::optional<int> only, WordPointsPtr points) : points_(std::move(points)) {
    for (const WordPoints::Ask& ask : points_->asks()) {
      rows_[ask.word / kBanks] = 0;
      if (only.value_or(ask.phase) == ask.phase) asks_.try_emplace(ask.word, &ask);
    }
    for (const auto& [word, ask] : asks_)
      if (ask->of > 1) first_ = std::min(first_, std::pair(ask->phase, word % kBanks));
    for (auto& [row, place] : rows_) {
      place = static_cast<i64>(order_.size());
      order_.push_back(row);
    }
  }
  [[nodiscard]] i64 rows() const { return static_cast<i64>(order_.size()); }
  // Characters of the longest label.
  [[nodiscard]] int longest() const {
    std::size_t most = 3;
    for (const auto& [word, ask] : asks_) most = std::max(most, lanesText(ask->lanes).size());
    return static_cast<int>(most);
  }
  [[nodiscard]] std::vector<std::string> fieldNames() const override { return {"byte", "bank", "phase", "lanes"}; }
  [[nodiscard]] std::vector<std::string> fields(i64 row, i64 col) const override {
    const WordPoints::Ask* ask = at(row, col);
    return {std::to_string((order_[static_cast<std::size_t>(row)] * kBanks + col) * kBankBytes), std::to_string(col),
            ask == nullptr ? "" : std::to_string(ask->phase), ask == nullptr ? "" : lanesText(ask->lanes).substr(1)};
  }
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    const WordPoints::Ask* ask = at(row, col);
    Cell cell{ask == nullptr ? "" : lanesText(ask->lanes), "", paint(row, col)};
    takePoints(cell, points_->in(order_[static_cast<std::size_t>(row)] * kBanks + col));
    cell.lit = ask != nullptr && ask->of > 1 && std::pair(ask->phase, col) == first_;
    return cell;
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    const WordPoints::Ask* ask = at(row, col);
    return ask == nullptr ? Paint{Role::Raised} : groupPaint(ask->phase, ask->lanes.front());
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    std::vector<std::pair<i64, i64>> out;
    for (const i64 word : points_->wordsOf(point)) {
      const auto row = rows_.find(floorDiv(word, kBanks));
      if (row == rows_.end() || static_cast<int>(out.size()) >= limit) continue;
      out.emplace_back(row->second, floorMod(word, kBanks));
    }
    return out;
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override {
    return fmt::format("{}", order_[static_cast<std::size_t>(row)] * kBanks * kBankBytes);
  }

 private:
  [[nodiscard]] const WordPoints::Ask* at(i64 row, i64 col) const {
    const auto found = asks_.find(order_[static_cast<std::size_t>(row)] * kBanks + col);
    return found == asks_.end() ? nullptr : found->second;
  }
  std::map<i64, const WordPoints::Ask*> asks_;                          // the first of each word
  std::pair<int, i64> first_{std::numeric_limits<int>::max(), kBanks};  // phase and bank lit by the picture itself
  std::map<i64, i64> rows_;
  std::vector<i64> order_;
  WordPointsPtr points_;
};

Grid bankGrid(std::shared_ptr<const CellSource> cells, const char* name, i64 rows, double y) {
  Grid grid = makeGrid(name, rows, kBanks, std::move(cells), 28, 28, 2);
  grid.colGroup = 4;
  grid.x = 64;
  grid.y = y;
  return grid;
}

constexpr double kHeat = 44;  // x of the first heat cells

// Phases x banks, with the wavefronts beside; returns the position of the next grid.
double drawHeat(Figure& figure, const BankAccess& access, const WordPointsPtr& points, const std::string& title,
                const std::string& rest) {
  const auto& [warp, report] = access;
  const int phases = warp.phases.count;
  addHeading(figure, 64, kHeat - 32, title, rest);
  Grid heat = bankGrid(std::make_shared<HeatCells>(phases, points), "phases", phases, kHeat);
  const double right = heat.x + heat.bounds().w + 14;
  addText(figure, right, kHeat - 14, "wavefronts", kType.small, Face::Sans, Role::Faint);
  for (int p = 0; p < phases; ++p) {
    const int n = report.phaseWavefronts[static_cast<std::size_t>(p)];
    addText(figure, right, kHeat + (p + 0.5) * heat.cellHeight, std::to_string(n), 12, Face::MonoBold,
            n > 1 ? Role::Refuted : Role::Text);
  }
  figure.table.push_back({"phase", "wavefronts"});
  for (std::size_t p = 0; p < report.phaseWavefronts.size(); ++p)
    figure.table.push_back({std::to_string(p), std::to_string(report.phaseWavefronts[p])});
  const double below = kHeat + heat.bounds().h + 74;
  figure.grids.push_back(std::move(heat));
  return below;
}

// Both grids of one access, with the numbers beside the phases.
void drawAccess(Figure& figure, const BankAccess& access, const WordPointsPtr& points, std::optional<int> only) {
  const double y =
      drawHeat(figure, access, points, "Words per bank", "the highest number of a phase is its wavefronts");
  addHeading(figure, 64, y - 32, "Shared memory",
             only ? fmt::format("rows of 128 bytes; T is the lane; phase {} only", *only)
                  : "rows of 128 bytes; T is the requesting lane, the hue its phase");
  const auto words = std::make_shared<WordCells>(only, points);
  Grid memory = bankGrid(words, "memory", words->rows(), y);
  memory.labelChars = words->longest();
  memory.lettered = true;
  figure.grids.push_back(std::move(memory));
  if (LinkPtr lanes = points->lanes()) figure.links.push_back({std::move(lanes)});
  fitSize(figure);
}

const TileAccess* accessAt(const std::vector<TileAccess>& list, TileCoord position) {
  const auto found = std::ranges::find(list, position, &TileAccess::position);
  return found == list.end() ? nullptr : &*found;
}

// The tile and the access that a refuted claim is about.
std::optional<std::pair<Tile, WarpAccess>> conflictOf(const Verdict& verdict, const Claim& claim) {
  const auto* asked = std::get_if<claims::ConflictFree>(&claim.says);
  const auto& why = verdict.counterexample;
  if (verdict.truth != Truth::Refuted || asked == nullptr || !why || why->witnesses.empty()) return std::nullopt;
  const std::vector<i64>& position = why->witnesses.front().values;
  const auto tile = Tile::of(asked->map, asked->elementBits, asked->rowDigits);
  if (!tile || position.size() != 2) return std::nullopt;
  const auto list = accesses(*tile, asked->access);
  const TileAccess* shown = list ? accessAt(*list, {position[0], position[1]}) : nullptr;
  return shown == nullptr ? std::nullopt : std::optional(std::pair(*tile, shown->warp));
}

Result<void> checkPhase(const std::optional<int>& phase, const WarpAccess& access) {
  const int phases = access.phases.count;
  if (!phase || (*phase >= 0 && *phase < phases)) return {};
  return Diag{fmt::format("there is no phase {}: this access has {}", *phase, phases),
              fmt::format("phase 0 to {}", phases - 1)};
}

}  // namespace

Result<Figure> drawBankAccess(const BankAccess& access, const DrawOptions& options) {
  TESSERA_TRY(const Asked asked, askedBy(options.arguments, 0, false));
  TESSERA_CHECKED(checkPhase(asked.phase, access.access));
  Figure figure = titledFigure(options.name.empty() || options.name.size() > 60 ? "One access" : options.name,
                               fmt::format("{} bytes a lane", access.access.width));
  drawAccess(figure, access, std::make_shared<WordPoints>(access.access), asked.phase);
  const BankReport& report = access.report;
  figure.caption = report.excess == 0
                       ? fmt::format("{} wavefronts, the ideal: no bank conflict.", report.wavefronts)
                       : fmt::format("{} wavefronts, {} would do: excess {} ({}-way at worst).", report.wavefronts,
                                     report.ideal, report.excess, report.conflictDegree);
  return figure;
}

// A verdict's card, and below it the banks of the conflicting access.
Result<Figure> drawConflict(const Verdict& verdict, const Claim& claim, const DrawOptions& options) {
  const auto conflict = conflictOf(verdict, claim);
  if (!conflict) return drawVerdict(verdict, options, &claim);
  const auto& [tile, warp] = *conflict;
  TESSERA_TRY(const BankAccess access, bankAccess(warp));
  TESSERA_TRY(Figure figure, drawVerdict(verdict, options));
  Figure banks;
  drawAccess(banks, access, std::make_shared<WordPoints>(warp, tile, pointDomain(modesOf(claim, 0))), std::nullopt);
  place(figure, banks, 0, figure.height + 30);
  return figure;
}

Result<Figure> drawBanks(const Layout& layout, const DrawOptions& options) {
  TESSERA_TRY(const Asked asked, askedBy(options.arguments, elementBitsOf(layout).value_or(0), true));
  TESSERA_TRY(const Tile tile, tileOf(layout, asked.bits));
  TESSERA_TRY(const AccessSpec spec, asked.spec ? Result<AccessSpec>(*asked.spec) : usualAccess(tile));
  if (spec.space == MemorySpace::Global)
    return Diag{fmt::format("{} does not touch shared memory", spec.text), "an access to shared memory",
                "sectors(L, ACCESS, TYPE) is about global memory"};
  TESSERA_TRY(const std::vector<TileAccess> list, accesses(tile, spec));
  const TileBankReport total = bankReport(list);
  const TileAccess* shown = total.worst ? &*total.worst : &list.front();
  if (asked.at) {
    shown = accessAt(list, *asked.at);
    if (shown == nullptr)
      return Diag{fmt::format("no {} of this tile is at ({},{})", spec.text, asked.at->row, asked.at->column),
                  fmt::format("one of {} positions, ({},{}) first", list.size(), list.front().position.row,
                              list.front().position.column)};
  }
  TESSERA_CHECKED(checkPhase(asked.phase, shown->warp));
  TESSERA_TRY(const BankAccess access, bankAccess(shown->warp));
  const auto [row, column] = shown->position;
  Figure figure = titledFigure(
      fmt::format("{} as banks, {} at ({},{})", options.name.empty() ? "L" : options.name, spec.text, row, column),
      fmt::format("{}, {}-bit elements", tile.text(), asked.bits));
  drawAccess(figure, access, std::make_shared<WordPoints>(shown->warp, tile, pointDomainOf(layout)), asked.phase);
  const std::string cover =
      total.instructions == 1 ? "1 access covers" : fmt::format("{} accesses cover", total.instructions);
  figure.caption =
      total.excess == 0
          ? fmt::format("{} the tile with {} wavefronts, the ideal: no bank conflict anywhere.", cover,
                        total.wavefronts)
          : fmt::format("{} the tile with {} wavefronts, {} would do: excess {}, {}-way at worst; {}.", cover,
                        total.wavefronts, total.ideal, total.excess, total.conflictDegree, total.text);
  return figure;
}

Figure drawWarpHeat(const BankAccess& access, const std::string& title, const std::string& rest) {
  Figure figure;
  drawHeat(figure, access, std::make_shared<WordPoints>(access.access), title, rest);
  figure.table.clear();
  fitSize(figure);
  return figure;
}

// The heat alone, for pictures that compare layouts.
Result<Figure> drawBankHeat(const Tile& tile, u64 domain, const AccessSpec& spec, const std::string& title) {
  TESSERA_TRY(const std::vector<TileAccess> list, accesses(tile, spec));
  const TileBankReport total = bankReport(list);
  const TileAccess& shown = total.worst ? *total.worst : list.front();
  TESSERA_TRY(const BankAccess access, bankAccess(shown.warp));
  Figure figure;
  drawHeat(figure, access, std::make_shared<WordPoints>(shown.warp, tile, domain), title,
           fmt::format("{} at ({},{}): {} wavefronts in all, {} would do", spec.text, shown.position.row,
                       shown.position.column, total.wavefronts, total.ideal));
  fitSize(figure);
  return figure;
}

}  // namespace tessera
