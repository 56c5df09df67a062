// reads: an instruction's output and its operands as grids, each operand's elements coloured by number of reads.
// Hovering an output element lights what it reads; hovering an operand element lights its readers. A tile of the
// output, `tile [0:8,16:32]` or dragged in the window, restricts the picture to its reads.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/hlo/cost/usage.h"
#include "core/hlo/listing.h"
#include "core/notation/indexing/map.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/hlo/array_cells.h"
#include "render/draw/hlo/hlo.h"
#include "render/figure/text_metrics.h"

namespace tessera::hlo {
namespace {

constexpr int kMostOperands = 6;
constexpr std::size_t kMostMaps = 3;
constexpr double kText = 250, kGap = 36, kBand = 780;  // widths: column lines, gap, most of a row of columns

using Ints = std::vector<i64>;

// A line above a grid.
struct Line {
  std::string text;
  Role role = Role::Muted;
  Face face = Face::Mono;
};
struct Column {
  std::string head, aside;  // "%x", "operand 0"
  std::vector<Line> lines;
  std::optional<Grid> grid;
  // Of an operand.
  Ints sizes;
  std::shared_ptr<const ElementCounts> counts;
  bool drawn = false;  // drawn as a grid
};

// "each 125 times", "1.5 times each on average"
std::string timesText(i64 reads, i64 distinct) {
  if (distinct == 0 || reads == distinct) return "";
  if (reads % distinct == 0) return fmt::format(", each {} times", reads / distinct);
  return fmt::format(", {:.3g} times each on average", static_cast<double>(reads) / static_cast<double>(distinct));
}

std::string grouped(i64 n) {
  std::string s = fmt::format("{}", n);
  for (std::size_t at = s.size(); at > 3 && std::isdigit(static_cast<unsigned char>(s[at - 4])) != 0; at -= 3)
    s.insert(at - 3, ",");
  return s;
}

// Adds the counts of an operand.
void addNumbers(std::vector<Line>& lines, const Usage& usage, Soundness soundness) {
  const Role role = soundness == Soundness::Exact ? Role::Text : Role::Unknown;
  if (!usage.distinct) {
    lines.push_back({"the amount read is unknown: " + usage.why, Role::Unknown, Face::Sans});
    return;
  }
  const std::string most = soundness == Soundness::Over ? "at most " : "";
  if (usage.reads)
    lines.push_back({fmt::format("{}{} read{}{}", most, grouped(*usage.reads), *usage.reads == 1 ? "" : "s",
                                 timesText(*usage.reads, *usage.distinct)),
                     role, Face::SansMedium});
  const auto share = usage.share();
  lines.push_back({fmt::format("{}{} of {} elements{}", most, grouped(*usage.distinct), grouped(usage.elements),
                               share ? fmt::format(" ({:.3g} %)", *share * 100) : ""),
                   role, Face::Sans});
}

// Adds the map and, below it, its domain.
void addMap(std::vector<Line>& lines, const Map& map) {
  const std::string text = indexing::print(indexing::toIndexingMap(map));
  constexpr std::string_view kDomain = ", domain: ";
  const std::size_t at = text.find(kDomain);
  lines.push_back({text.substr(0, at), Role::Text});
  if (at == std::string::npos) return;
  // Break between constraints, never inside one.
  std::string line, rest = text.substr(at + kDomain.size());
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find("], "), rest.size() - 1) + 1;
    const std::string one = rest.substr(0, end);
    rest.erase(0, std::min(end + 2, rest.size()));
    const std::string joined = line.empty() ? one : line + ", " + one;
    if (!line.empty() && textWidth(joined, Face::Mono, 10.5) > kText) {
      lines.push_back({line + ",", Role::Faint});
      line = one;
    } else {
      line = joined;
    }
  }
  lines.push_back({line, Role::Faint});
}

void addArrangement(std::vector<Line>& lines, const Ints& sizes) {
  if (std::string said = arrangement(sizes); !said.empty()) lines.push_back({std::move(said), Role::Faint, Face::Sans});
}

class ReadsPicture {
 public:
  ReadsPicture(const Part& part, const xla::Shape& shape, std::optional<ElementBox> tile, double width)
      : part_(part), output_(shape.sizes()), tile_(std::move(tile)), band_(width) {
    figure_ = titledFigure(fmt::format("%{} as reads", part.name()), print(part), {"operand", "name", "shape", "read"});
    figure_.tile = FigureTile{"output", output_, "tile", tile_ ? print(*tile_) : ""};
    Column column;
    column.head = fmt::format("%{}", part.name());
    column.aside = "output";
    column.lines.push_back({xla::print(shape)});
    const std::string all = grouped(elementsOf(output_));
    column.lines.push_back(
        tile_ ? Line{fmt::format("tile {}: {} of {} elements", print(*tile_), grouped(tile_->elements()), all),
                     Role::Text, Face::SansMedium}
              : Line{fmt::format("{} element{}", all, elementsOf(output_) == 1 ? "" : "s"), Role::Text, Face::Sans});
    addArrangement(column.lines, output_);
    if (elementsOf(output_) > 0) column.grid = outputGrid(output_, tile_);
    columns_.push_back(std::move(column));
  }

  Figure finish() {
    const int count = operandsOf(part_);
    for (int k = 0; k < std::min(count, kMostOperands); ++k) columns_.push_back(operandAt(k));
    for (const Column& c : columns_)
      if (c.counts) most_ = std::max(most_, c.counts->most());
    for (Column& c : columns_)
      if (c.drawn) c.grid = operandGrid(c.sizes, c.counts, most_, c.aside);
    double y = 0;
    for (std::size_t from = 0; from < columns_.size();) from = addBand(from, y);
    addLegend(y);
    fitSize(figure_);
    figure_.caption = "Each cell gives the number of reads of its element" + std::string(tile_ ? " by the tile" : "") +
                      mostRead_ +
                      ". Point at an output element to light what it reads. Drag over the output to select a tile.";
    if (count > kMostOperands)
      figure_.caption += fmt::format(" {} more operands are not shown.", count - kMostOperands);
    return std::move(figure_);
  }

 private:
  Column operandAt(int k) {
    Column o;
    o.head = fmt::format("%{}", operandName(part_, k));
    o.aside = fmt::format("operand {}", k);
    std::vector<Line>& lines = o.lines;
    const auto reach = reads(part_, k);
    const auto shape = operandShape(part_, k);
    if (!reach || !shape) {
      lines.push_back({(!reach ? reach.error() : shape.error()).message, Role::Refuted, Face::Sans});
      return o;
    }
    lines.push_back({xla::print(*shape)});
    for (std::size_t m = 0; m < std::min(reach->maps.size(), kMostMaps); ++m) addMap(lines, reach->maps[m]);
    if (reach->maps.size() > kMostMaps)
      lines.push_back({fmt::format("and {} more maps", reach->maps.size() - kMostMaps), Role::Faint, Face::Sans});
    if (reach->soundness != Soundness::Exact)
      lines.push_back({(reach->soundness == Soundness::Over ? "at most: " : "unknown: ") + reach->why,
                       reach->soundness == Soundness::Over ? Role::Unknown : Role::Refuted, Face::Sans});
    if (reach->soundness == Soundness::Unknown || !shape->isArray()) {
      figure_.table.push_back({fmt::format("{}", k), o.head, xla::print(*shape), "unknown: " + reach->why});
      return o;
    }
    o.sizes = shape->sizes();
    count(o, k, *reach, xla::print(*shape));
    return o;
  }

  void count(Column& o, int k, const Reach& reach, const std::string& shape) {
    std::vector<Map> maps;
    for (const Map& map : reach.maps) {
      if (!tile_ || map.indexDigits().size() != output_.size()) {
        maps.push_back(map);  // of another rank: rejected below
      } else if (auto part = within(map, *tile_)) {
        maps.push_back(*std::move(part));
      }
    }
    const Usage usage = usageOf(maps, o.sizes);
    addNumbers(o.lines, usage, reach.soundness);
    addArrangement(o.lines, o.sizes);
    figure_.table.push_back({fmt::format("{}", k), o.head, shape, textOf(usage)});
    if (elementsOf(o.sizes) == 0) return;
    o.drawn = true;
    const auto whole = ReadCounts::of(reach.maps, output_, o.sizes);
    if (whole && !reach.maps.empty()) figure_.links.push_back({readsLink(*whole, output_, o.sizes), "output", o.aside});
    auto counts = tile_ ? ReadCounts::of(maps, output_, o.sizes) : whole;
    if (!counts) {
      o.lines.push_back({"not counted: " + counts.error().message, Role::Faint, Face::Sans});
      return;
    }
    const ElementBox all{Ints(output_.size(), 0), output_};
    o.counts = std::make_shared<const ElementCounts>(*std::move(counts), o.sizes, tile_ ? *tile_ : all, usage.reads);
    if (o.counts->most() > most_ && o.counts->most() > 1) {
      most_ = o.counts->most();
      mostRead_ = fmt::format(", up to {1} for {0}", o.head, grouped(most_));
    }
  }

  // Lays out columns side by side, starting at `from`; returns the first column of the next row.
  std::size_t addBand(std::size_t from, double& y) {
    std::vector<Grid> placed;
    double x = 0, below = y, top = 0;
    std::size_t at = from;
    for (; at < columns_.size(); ++at) {
      Column& c = columns_[at];
      const Margins margins = c.grid && c.grid->headers ? headerMargins(*c.grid) : Margins{};
      const double grid = c.grid ? c.grid->bounds().w + margins.left : 0;
      const double width = std::max(grid, std::min(kText, linesWidth(c)));
      if (at > from && x + width > band_) break;
      below = std::max(below, addLines(c, x, y, std::max(kText, grid)));
      if (c.grid) {
        c.grid->x = x + margins.left;
        top = std::max(top, margins.top);
        placed.push_back(*std::move(c.grid));
      }
      x += width + kGap;
    }
    double bottom = below;
    for (Grid& grid : placed) {
      grid.y = below + 4 + top;
      addBox(figure_, grid.bounds(), {}, {Role::Hairline}, 0);
      bottom = std::max(bottom, grid.y + grid.bounds().h);
      figure_.grids.push_back(std::move(grid));
    }
    y = bottom + 34;
    return at;
  }

  static double linesWidth(const Column& c) {
    double width = textWidth(c.head, Face::SansMedium, 13) + 10 + textWidth(c.aside, Face::Sans, 11);
    for (const Line& line : c.lines) width = std::max(width, textWidth(line.text, line.face, 10.5));
    return width;
  }

  double addLines(const Column& c, double x, double y, double width) {
    const double head = addFitted(figure_, x, y + 8, width - 70, c.head, 13, Face::SansMedium, Role::Text);
    addText(figure_, x + head + 10, y + 8, c.aside, 11, Face::Sans, Role::Faint);
    y += 28;
    for (const Line& line : c.lines)
      y = addParagraph(figure_, x, y, line.text, {width, 16, 10.5, line.face, line.role});
    return y;
  }

  // The meaning of the colours: never, once, and steps up to the maximum.
  void addLegend(double y) {
    if (most_ == 0) return;
    std::vector<i64> steps{0, 1};
    for (const double share : {0.33, 0.66, 1.0}) {
      const i64 n = static_cast<i64>(std::llround(std::pow(static_cast<double>(most_), share)));
      if (n > steps.back()) steps.push_back(n);
    }
    double x = 38;
    addText(figure_, 0, y, "read", 10.5, Face::Sans, Role::Muted);
    for (const i64 n : steps) {
      addBox(figure_, {x, y - 7, 22, 14}, heatOf(n, most_), {Role::Hairline}, 3);
      const std::string text = n == 0 ? "never" : n == 1 ? "once" : grouped(n) + " times";
      x += 28 + addText(figure_, x + 28, y, text, 10.5, Face::Sans, Role::Muted) + 18;
    }
  }

  const Part& part_;
  Ints output_;
  std::optional<ElementBox> tile_;
  const double band_;  // width of a row of columns
  Figure figure_;
  std::vector<Column> columns_;
  i64 most_ = 0;
  std::string mostRead_;
};

// Parses "tile [0:8,16:32]", possibly spread over several words; the last one counts, "whole" clears it.
Result<std::optional<ElementBox>> tileOf(const std::vector<std::string>& words, const Ints& sizes) {
  std::optional<ElementBox> tile;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (words[k] == "whole") {
      tile.reset();
      continue;
    }
    if (words[k] != "tile")
      return Diag{fmt::format("the reads view knows no \"{}\"", words[k]), "tile [0:8,16:32], or no further word",
                  "show NAME.%fusion.1 as reads tile [0:8,16:32]"};
    std::string text;
    while (k + 1 < words.size() && (text.empty() || text.back() != ']')) {
      const std::string& word = words[++k];
      const bool comma = !text.empty() && std::string_view(",[:").find(text.back()) == std::string_view::npos &&
                         std::string_view(",]:").find(word.front()) == std::string_view::npos;
      text += (comma ? "," : "") + word;
    }
    TESSERA_TRY(ElementBox box, readBox(text, sizes));
    tile = std::move(box);
  }
  return tile;
}

}  // namespace

Result<Figure> drawReads(const Part& part, const DrawOptions& options) {
  TESSERA_TRY(const xla::Shape shape, shapeOf(part));
  if (!shape.isArray())
    return Diag{fmt::format("%{} has no array", part.name()), "an instruction whose output is an array"};
  TESSERA_TRY(std::optional<ElementBox> tile, tileOf(options.arguments, shape.sizes()));
  return ReadsPicture(part, shape, std::move(tile), widthFor(options, kBand)).finish();
}

}  // namespace tessera::hlo
