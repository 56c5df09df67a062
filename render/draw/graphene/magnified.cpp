#include "render/draw/graphene/magnified.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "render/draw/grid/layouts.h"
#include "render/figure/text_metrics.h"

namespace tessera::graphene {
namespace {

constexpr i64 kSide = 8;         // rows and columns of a part, and of a door
constexpr double kRoomy = 1000;  // a pane in which a part has twice the columns
constexpr double kMapGap = 34, kPartGap = 56;
constexpr double kHeader = 24;  // between two numbers beside a map
constexpr double kNumber = 10;  // their size

// The part of `count` cells that has `at`, from a multiple of `count` if possible.
void partOne(i64 at, i64 size, i64 count, i64& from, i64& n) {
  n = std::min(size, count);
  from = std::clamp<i64>(at / count * count, 0, size - n);
}

// The cell of the focused thread, else the first one that a thread accesses.
std::pair<i64, i64> centreOf(const RootState& s) {
  const auto lit = std::ranges::find_if(s.marks, [](const auto& m) { return m.second.lit; });
  if (lit != s.marks.end()) return lit->first;
  return s.marks.empty() ? std::pair{s.row0, s.col0} : s.marks.begin()->first;
}

std::shared_ptr<RootState> partOf(const RootState& whole, i64 cols) {
  auto part = std::make_shared<RootState>(whole);
  const auto [row, col] = centreOf(whole);
  partOne(row - whole.row0, whole.rows, kSide, part->row0, part->rows);
  partOne(col - whole.col0, whole.cols, cols, part->col0, part->cols);
  part->row0 += whole.row0;
  part->col0 += whole.col0;
  return part;
}

// "rows 0-7, columns 8-15"; of registers "T32-T39, r0-r3".
std::string rangesOf(const RootState& part) {
  const Grid grid = rootGrid(std::make_shared<const RootState>(part), "");
  const std::string top = grid.cells->rowHeader(0), bottom = grid.cells->rowHeader(part.rows - 1),
                    left = grid.cells->colHeader(0), right = grid.cells->colHeader(part.cols - 1);
  return part.plan.registers ? fmt::format("{}-{}, {}-{}", top, bottom, left, right)
                             : fmt::format("rows {}-{}, columns {}-{}", top, bottom, left, right);
}

class MapWriter {
 public:
  MapWriter(Figure& figure, const MagnifyOptions& options)
      : figure_(figure), options_(options), roomy_(options.width >= kRoomy) {}

  Magnified run(Grid threads, const std::vector<Panel>& read, const std::vector<Panel>& written) {
    maps(std::move(threads), read, written);
    Magnified out;
    if (!options_.parts) return out;
    x_ = 0;
    top_ = bottom_ + 22;
    for (const Panel& p : read) out.read.push_back(part(p));
    const double from = x_, row = top_;
    for (const Panel& p : written) out.written.push_back(part(p));
    out.inOneRow = rows_ == 1;
    if (out.inOneRow && !read.empty() && !written.empty())
      addArrow(figure_, from - kPartGap + 14, row + 8, from - 14, row + 8, Role::Muted, 1.6);
    return out;
  }

 private:
  void maps(Grid threads, const std::vector<Panel>& read, const std::vector<Panel>& written) {
    top_ = bottom_ = options_.top;
    const double count = static_cast<double>(1 + read.size() + written.size());
    mapSide_ = options_.parts ? (roomy_ ? 160 : 96) : std::clamp(options_.width / count - 70, 96.0, 260.0);
    map(std::move(threads), "threads", nullptr, false);
    for (const Panel& p : read)
      if (!options_.parts || hasMap(*p.state)) map(rootGrid(p.state, nameOf(*p.state->plan.tensor)), p.title, &p, true);
    for (const Panel& p : written)
      if (hasMap(*p.state)) map(rootGrid(p.state, nameOf(*p.state->plan.tensor)), p.title, &p, true);
  }

  void map(Grid grid, const std::string& title, const Panel* of, bool numbers) {
    const double side = mapSide_;
    const double pitch = std::min(11.0, side / static_cast<double>(std::max(grid.rows, grid.cols)));
    grid.name = unique(grid.name);
    grid.cellWidth = grid.cellHeight = pitch;
    grid.headers = false;
    grid.x = x_ + (numbers ? 26 : 0);
    grid.y = top_ + 24 + (numbers ? 14 : 0);
    addHeading(figure_, x_, top_ + 8, title, "", Face::Mono);
    if (numbers) addNumbers(grid);
    const Rect b = grid.bounds();
    const double right = std::max(b.x + b.w, x_ + headingWidth(title, "", Face::Mono));
    bottom_ = std::max(bottom_, b.y + b.h);
    x_ = right + kMapGap;
    if (of != nullptr && options_.parts) {
      frame(grid, *of->state);
      doors(grid, *of->state);
    }
    figure_.grids.push_back(std::move(grid));
  }

  // Every 2^k-th row and column has its number.
  void addNumbers(const Grid& grid) {
    i64 step = 1;
    while (static_cast<double>(step) * grid.cellWidth < kHeader) step *= 2;
    for (i64 c = 0; c < grid.cols; c += step)
      addText(figure_, grid.x + static_cast<double>(c) * grid.cellWidth, grid.y - 8, grid.cells->colHeader(c), kNumber,
              Face::Mono, Role::Muted);
    for (i64 r = 0; r < grid.rows; r += step)
      addText(figure_, grid.x - 5, grid.y + static_cast<double>(r) * grid.cellHeight + 5, grid.cells->rowHeader(r),
              kNumber, Face::Mono, Role::Muted, Align::Right);
  }

  void frame(const Grid& grid, const RootState& state) {
    const auto part = partOf(state, columnsOf(state));
    const Rect at{grid.x + static_cast<double>(part->col0 - state.col0) * grid.cellWidth,
                  grid.y + static_cast<double>(part->row0 - state.row0) * grid.cellHeight,
                  static_cast<double>(part->cols) * grid.cellWidth, static_cast<double>(part->rows) * grid.cellHeight};
    Mark mark;
    mark.kind = Mark::Kind::Rectangle;
    mark.rect = {at.x - 1, at.y - 1, at.w + 2, at.h + 2};
    mark.stroke = {Role::Text};
    mark.width = 1.6;
    mark.radius = 1;
    figure_.marks.push_back(mark);
  }

  void doors(const Grid& grid, const RootState& state) {
    std::map<std::pair<i64, i64>, i64> first;  // thread, by block
    for (const auto& [cell, mark] : state.marks)
      if (const auto at = state.shown(cell)) first.try_emplace({at->first / kSide, at->second / kSide}, mark.thread);
    const double side = static_cast<double>(kSide);
    for (const auto& [block, thread] : first) {
      FigureDoor door;
      door.at = {grid.x + static_cast<double>(block.second) * side * grid.cellWidth,
                 grid.y + static_cast<double>(block.first) * side * grid.cellHeight, side * grid.cellWidth,
                 side * grid.cellHeight};
      door.view = "player";
      door.tip = fmt::format("click: the part of T{}", thread);
      door.words = options_.words;
      door.words.insert(door.words.end(), {"thread", std::to_string(thread)});
      figure_.doors.push_back(std::move(door));
    }
  }

  PlacedPanel part(const Panel& p) {
    const auto state = partOf(*p.state, columnsOf(*p.state));
    Grid grid = rootGrid(state, unique(nameOf(*state->plan.tensor) + " part"));
    grid.labelChars = std::clamp(longestLabels(*grid.cells, grid.rows, grid.cols).first, 3, 10);
    grid.cellWidth = std::max(30.0, 0.6 * kType.cell * grid.labelChars + 5);
    grid.cellHeight = 22;
    grid.headers = true;
    const Margins m = headerMargins(grid);
    const double wide = m.left + grid.bounds().w;
    if (x_ > 0 && x_ + wide > std::max(options_.width, 620.0)) {
      x_ = 0;
      top_ = bottom_ + 26;
      ++rows_;
    }
    const std::string ranges = hasMap(*p.state) ? rangesOf(*state) : "";
    addHeading(figure_, x_, top_ + 8, p.title, ranges, Face::Mono);
    double right = x_ + std::max(wide, headingWidth(p.title, ranges, Face::Mono));
    const double type =
        addFitted(figure_, x_, top_ + 26, std::max(wide, 220.0), p.rest, kType.caption, Face::Mono, Role::Muted);
    right = std::max(right, x_ + type);
    grid.x = x_ + m.left;
    grid.y = top_ + 38 + m.top;
    double end = grid.y + grid.bounds().h;
    for (const std::string& line : p.margin) {
      end += 16;
      right = std::max(right, x_ + addText(figure_, x_, end, line, kType.caption, Face::Sans, Role::Muted));
    }
    bottom_ = std::max(bottom_, end);
    x_ = right + kPartGap;
    figure_.grids.push_back(grid);
    return {std::move(grid), state};
  }

  [[nodiscard]] bool hasMap(const RootState& s) const { return s.rows > kSide || s.cols > columnsOf(s); }
  // Registers and addresses have longer labels.
  static bool isWide(const RootState& s) { return s.plan.registers || s.addresses; }
  [[nodiscard]] i64 columnsOf(const RootState& s) const { return (roomy_ ? 2 * kSide : kSide) / (isWide(s) ? 2 : 1); }

  std::string unique(std::string name) const {
    while (std::ranges::any_of(figure_.grids, [&](const Grid& g) { return g.name == name; })) name += "'";
    return name;
  }

  Figure& figure_;
  const MagnifyOptions& options_;
  bool roomy_ = false;
  double x_ = 0, top_ = 0, bottom_ = 0, mapSide_ = 96;
  int rows_ = 1;
};

}  // namespace

bool isLarge(const RootState& state) { return state.rows > 2 * kSide || state.cols > 2 * kSide; }

Magnified addMagnified(Figure& figure, Grid threads, const std::vector<Panel>& read, const std::vector<Panel>& written,
                       const MagnifyOptions& options) {
  return MapWriter(figure, options).run(std::move(threads), read, written);
}

}  // namespace tessera::graphene
