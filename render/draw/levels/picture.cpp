// The tiles as grids, with the numbers of every level along their sides.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/grid/modes.h"
#include "render/draw/levels/levels.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr i64 kMostGrids = 64;       // further tiles are cells of one grid, separated by its lines
constexpr i64 kMostNumbers = 192;    // along a side; beyond it each grid has its own headers
constexpr i64 kMostNamed = 1 << 16;  // threads that can be found by number
constexpr double kGap = 12;          // between the innermost tiles; larger between outer ones
constexpr double kWiden = 16;
constexpr double kLine = 18;  // a line of numbers above, a column of them at the left
constexpr double kOutline = 4;

constexpr Words<LevelColour, 3> kColourWords = {
    {{"tile", LevelColour::Tile}, {"address", LevelColour::Address}, {"plain", LevelColour::Plain}}};
constexpr Words<LevelLabel, 3> kLabelWords = {
    {{"offset", LevelLabel::Number}, {"coord", LevelLabel::Coord}, {"index", LevelLabel::Index}}};
constexpr Words<LevelReading, 2> kReadingWords = {
    {{"zipped", LevelReading::Zipped}, {"logical", LevelReading::Logical}}};

// Positions of everything: sizes of each band's contents, and the gaps between.
struct Places {
  std::vector<double> high, wide;  // by band b: the contents of band b - 1, everything from band b on
  std::vector<double> gap;
  double left = 0, top = 0;
  bool ruled = true;  // numbers along the sides of the whole picture
  Margins margins;    // of a grid with its own headers
};

// Offset in points of a row (or column) of the whole, before band b's tile.
double offsetOf(const LevelPicture& p, const Places& places, i64 number, bool down) {
  double at = 0;
  for (std::size_t b = p.apart; b-- > 0;) {
    const i64 extent = p.bands[b].along(down).extent;
    at += static_cast<double>(number % extent) * ((down ? places.high : places.wide)[b + 1] + places.gap[b]);
    number /= extent;
  }
  return at;
}

Places placesOf(const LevelPicture& p, const Grid& grid) {
  Places out;
  out.ruled = rowsFrom(p, 0) <= kMostNumbers && columnsFrom(p, 0) <= kMostNumbers;
  if (!out.ruled) out.margins = headerMargins(grid);
  out.high.assign(p.apart + 1, grid.bounds().h + out.margins.top);
  out.wide.assign(p.apart + 1, grid.bounds().w + out.margins.left);
  out.gap.assign(p.apart, 0);
  for (std::size_t b = p.apart; b-- > 0;) {
    out.gap[b] = kGap + kWiden * static_cast<double>(p.apart - 1 - b);
    const auto span = [&](i64 n, double one) {
      return static_cast<double>(n) * one + static_cast<double>(n - 1) * out.gap[b];
    };
    out.high[b] = span(p.bands[b].down.extent, out.high[b + 1]);
    out.wide[b] = span(p.bands[b].across.extent, out.wide[b + 1]);
  }
  return out;
}

std::string nameOf(const LevelPicture& p, int level) {
  const int count = static_cast<int>(p.levels.levels.size());
  if (level == count - 1) return p.levels.unit;
  const std::string tile = p.levels.numbered ? "group" : "tile";
  if (count == 2 || level == 0) return tile;
  return count == 3 ? "sub" + tile : fmt::format("{} {}", tile, level);
}

// One line of numbers: of band b, along the columns or down the rows.
struct Ruler {
  std::size_t band = 0;
  bool down = false;
};

// Whether a band runs in one direction only; then its numbers carry its name.
bool isAlone(const LevelPicture& p, const Ruler& r) {
  return p.bands[r.band].along(!r.down).extent == 1 && r.band < p.apart;
}
double widthOf(const LevelPicture& p, const Ruler& r) {
  const std::string number = std::to_string(p.bands[r.band].along(r.down).extent - 1);
  const std::string text = isAlone(p, r) ? nameOf(p, p.bands[r.band].level) + " " + number : number;
  return std::max(24.0, textWidth(text, Face::SansMedium, 11) + 10);
}

// Adds the numbers of a ruler; `at` is the position of its line on the other axis.
void addNumbers(Figure& figure, const LevelPicture& p, const Places& places, const Grid& grid, const Ruler& ruler,
                double at) {
  const LevelDim& dim = p.bands[ruler.band].along(ruler.down);
  const bool cells = ruler.band >= p.apart, innermost = ruler.band + 1 == p.bands.size();
  const i64 inner = extentFrom(p, ruler.band + 1, ruler.down), total = extentFrom(p, 0, ruler.down);
  const i64 perGrid = ruler.down ? grid.rows : grid.cols;
  const double pitch = ruler.down ? grid.cellHeight : grid.cellWidth, from = ruler.down ? places.top : places.left;
  const bool named = !cells && isAlone(p, ruler);
  for (i64 first = 0; first < total; first += inner) {
    const i64 number = first / inner % dim.extent * dim.step;
    double begin = from + offsetOf(p, places, first / perGrid, ruler.down), length = 0;
    if (cells) {
      begin += static_cast<double>(first % perGrid) * pitch;
      length = static_cast<double>(inner) * pitch;
    } else {
      length = (ruler.down ? places.high : places.wide)[ruler.band + 1];
    }
    const std::string text =
        named ? fmt::format("{} {}", nameOf(p, p.bands[ruler.band].level), number) : fmt::format("{}", number);
    const double middle = begin + length / 2;
    addText(figure, ruler.down ? at : middle, ruler.down ? middle : at, text, innermost ? kType.small : 11,
            innermost ? Face::Mono : Face::SansMedium, innermost ? Role::Faint : Role::Muted,
            ruler.down ? Align::Right : Align::Center);
  }
}

// The rulers of both sides, outermost band first; reserves space for them.
struct Rulers {
  std::vector<Ruler> above, left;
};
Rulers rulersOf(const LevelPicture& p, Places& places) {
  Rulers out;
  if (!places.ruled) return out;
  for (std::size_t b = 0; b < p.bands.size(); ++b) {
    if (p.bands[b].across.extent > 1) out.above.push_back({b, false});
    if (p.bands[b].down.extent > 1) out.left.push_back({b, true});
  }
  places.top = static_cast<double>(out.above.size()) * kLine + 4;
  double names = 0;
  for (const auto* side : {&out.above, &out.left})
    for (const Ruler& r : *side)
      names = std::max(names, textWidth(nameOf(p, p.bands[r.band].level), Face::Sans, kType.small));
  double columns = 4;
  for (const Ruler& r : out.left) columns += widthOf(p, r);
  places.left = std::max(names + 14, columns);
  return out;
}

void addRulers(Figure& figure, const LevelPicture& p, const Places& places, const Grid& grid, const Rulers& rulers) {
  for (std::size_t k = 0; k < rulers.above.size(); ++k) {
    const double y = (static_cast<double>(k) + 0.5) * kLine;
    addNumbers(figure, p, places, grid, rulers.above[k], y);
    const Band& band = p.bands[rulers.above[k].band];
    if (isAlone(p, rulers.above[k])) continue;
    addText(figure, places.left - 10, y, nameOf(p, band.level), kType.small, Face::Sans, Role::Faint, Align::Right);
  }
  double x = places.left - 9;
  for (std::size_t k = rulers.left.size(); k-- > 0;) {
    addNumbers(figure, p, places, grid, rulers.left[k], x);
    x -= widthOf(p, rulers.left[k]);
  }
}

// Frames around the contents of a band; the innermost tiles need none, their gaps separate them.
void addFrames(Figure& figure, const LevelPicture& p, const Places& places) {
  for (std::size_t b = 0; b + 1 < p.apart; ++b) {
    const double out = kOutline + 4 * static_cast<double>(p.apart - 2 - b);
    const i64 high = rowsFrom(p, b + 1), wide = columnsFrom(p, b + 1);
    for (i64 r = 0; r < rowsFrom(p, 0); r += high) {
      for (i64 c = 0; c < columnsFrom(p, 0); c += wide) {
        const double x = places.left + offsetOf(p, places, c / columnsFrom(p, p.apart), false),
                     y = places.top + offsetOf(p, places, r / rowsFrom(p, p.apart), true);
        addBox(figure, {x - out, y - out, places.wide[b + 1] + 2 * out, places.high[b + 1] + 2 * out}, {Role::None},
               {Role::Hairline}, 6);
      }
    }
  }
}

int labelCharsOf(const LevelPicturePtr& p) {
  const i64 rows = rowsFrom(*p, 0), columns = columnsFrom(*p, 0);
  int longest = longestLabels(*levelCells(p, 0, 0), rows, columns).first;
  if ((rows > 64 || columns > 64) && p->label == LevelLabel::Number)
    longest = std::max(longest, static_cast<int>(fmt::format("{}", p->levels.subject->most).size()));
  return longest;
}

// Bands drawn as separate grids, from the outside, while they are few.
std::size_t apartOf(const std::vector<Band>& bands) {
  i64 grids = 1;
  std::size_t apart = 0;
  while (apart + 1 < bands.size()) {
    const Band& band = bands[apart];
    if (!mulInto(grids, band.down.extent) || !mulInto(grids, band.across.extent) || grids > kMostGrids) break;
    ++apart;
  }
  return apart;
}

Figure figureOf(const LevelPicturePtr& p) {
  const int chars = labelCharsOf(p);
  Grid grid =
      makeGrid("", rowsFrom(*p, p->apart), columnsFrom(*p, p->apart), levelCells(p, 0, 0), pitchFor(chars), 26, chars);
  if (p->apart + 1 < p->bands.size()) {
    const Band& last = p->bands.back();
    grid.rowGroup = last.down.extent > 1 && last.down.extent < grid.rows ? last.down.extent : 0;
    grid.colGroup = last.across.extent > 1 && last.across.extent < grid.cols ? last.across.extent : 0;
  }
  Places places = placesOf(*p, grid);
  grid.headers = !places.ruled;
  const Rulers rulers = rulersOf(*p, places);
  Figure figure;
  const i64 rows = rowsFrom(*p, 0), columns = columnsFrom(*p, 0);
  for (i64 r = 0; r < rows; r += grid.rows) {
    for (i64 c = 0; c < columns; c += grid.cols) {
      Grid one = grid;
      std::vector<i64> leaves;
      leavesAt(p->bands, p->extents, r, c, leaves);
      const auto levels = static_cast<std::size_t>(std::max(1, p->bands[p->apart].level));
      if (p->apart > 0) one.name = fmt::format("{} {}", nameOf(*p, 0), coordinateText(*p, leaves, levels));
      one.cells = levelCells(p, r, c);
      one.x = places.left + places.margins.left + offsetOf(*p, places, c / grid.cols, false);
      one.y = places.top + places.margins.top + offsetOf(*p, places, r / grid.rows, true);
      figure.grids.push_back(std::move(one));
    }
  }
  addFrames(figure, *p, places);
  addRulers(figure, *p, places, grid, rulers);
  fitSize(figure);
  return figure;
}

LevelPicturePtr pictureOf(Levels levels, LevelColour colour, LevelLabel label, AddressBlocks blocks) {
  auto p = std::make_shared<LevelPicture>();
  p->bands = bandsOf(levels);
  std::erase_if(p->bands, [](const Band& b) { return b.down.extent * b.across.extent == 1; });
  if (p->bands.empty()) p->bands.emplace_back();
  p->extents = leafExtents(*levels.subject);
  p->apart = apartOf(p->bands);
  p->colour = colour;
  p->label = label;
  p->blocks = blocks;
  const Subject& s = *levels.subject;
  if (levels.unit == "thread" && s.size <= kMostNamed)
    for (i64 i = 0; i < s.size; ++i) p->whoIs[s.valueOf(i)].push_back(i);
  p->levels = std::move(levels);
  return p;
}

std::string sizeText(const TileLevel& level) {
  std::string text;
  for (const LevelDim& d : level.dims) text += fmt::format("{}{}", text.empty() ? "" : " x ", d.extent);
  return text;
}

// The minimum and maximum value; searched if some coordinates have none and the search is cheap.
std::optional<std::pair<i64, i64>> realRange(const Subject& s) {
  if (s.map.guards().empty()) return std::pair(s.least, s.most);
  if (s.size > kMostNamed) return std::nullopt;
  std::optional<std::pair<i64, i64>> range;
  std::vector<i64> digits;
  for (i64 i = 0; i < s.size; ++i) {
    s.digitsOf(s.coordOf(i).data(), digits);
    if (!s.map.isReal(digits)) continue;
    const i64 value = s.valueAt(digits);
    range = range ? std::pair(std::min(range->first, value), std::max(range->second, value)) : std::pair(value, value);
  }
  return range;
}

// "2 x 2 tiles of 2 x 4 elements; addresses 0 to 31; one hue is one tile."
std::string captionOf(const LevelPicture& p) {
  const std::vector<TileLevel>& levels = p.levels.levels;
  const Subject& s = *p.levels.subject;
  std::string text;
  for (std::size_t k = 0; k < levels.size(); ++k)
    text += fmt::format("{}{} {}s", k == 0 ? "" : " of ", sizeText(levels[k]), nameOf(p, static_cast<int>(k)));
  if (const auto range = realRange(s))
    text += fmt::format("; {} {} to {}", p.levels.numbered ? "numbers" : "addresses", range->first, range->second);
  if (p.colour == LevelColour::Tile && levels.size() > 1)
    text += fmt::format("; one hue is one {}", p.levels.numbered ? "group" : "tile");
  if (p.colour == LevelColour::Address) text += "; " + describe(p.blocks, s);
  if (!s.map.guards().empty()) text += "; hatched: beyond the extent";
  return text + ".";
}

}  // namespace

Figure drawLevelsPart(const Levels& levels, const AddressBlocks& blocks) {
  return figureOf(pictureOf(levels, LevelColour::Address, LevelLabel::Number, blocks));
}

Result<Figure> drawLevels(const Layout& layout, const std::string& text, const DrawOptions& options) {
  LevelColour colour = LevelColour::Tile;
  LevelLabel label = LevelLabel::Number;
  LevelReading reading = LevelReading::Zipped;
  for (const std::string& given : options.arguments) {
    if (takeWord(kColourWords, given, colour) || takeWord(kLabelWords, given, label) ||
        takeWord(kReadingWords, given, reading))
      continue;
    return Diag{fmt::format("the levels view knows no \"{}\"", given),
                "tile, address, plain (colour); offset, coord, index (label); zipped, logical (which is the tile)"};
  }
  TESSERA_TRY(Levels levels, levelsOf(layout, reading, text));
  const bool both = levels.both;
  const AddressBlocks blocks = addressBlocks(*levels.subject);
  const LevelPicturePtr p = pictureOf(std::move(levels), colour, label, blocks);
  Figure figure = figureOf(p);
  const std::string things = p->levels.numbered ? p->levels.unit + "s" : "Tiles";
  figure.title = (options.name.empty() ? things : options.name) + " by level";
  figure.title[0] = figure.title[0] == 't' ? 'T' : figure.title[0] == 'b' ? 'B' : figure.title[0];
  figure.subtitle = text;
  figure.caption = captionOf(*p);
  figure.choices = {choiceOf("colour", kColourWords, colour), choiceOf("label", kLabelWords, label)};
  if (both) figure.choices.push_back(choiceOf("tile", kReadingWords, reading));
  return figure;
}

}  // namespace tessera
