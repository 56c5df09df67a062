// Figure: a picture as data.
// Draw functions return one, inks (PNG, PDF, SVG, TikZ, text, CSV, JSON) and the window print it.
//
// A figure is a scene in points (1 pt = 1/72 in; on screen 1 pt = 1 px at scale 1; y grows downwards) of
//   - grids: lazy rectangles of cells. A grid of 2^40 cells costs nothing until a backend asks for the cells it shows;
//   - marks: single rectangles, lines, arrows and texts (headers, captions, flow boxes, bit boxes).
// Every cell and mark knows the Point it stands for, so that hovering one lights the same logical point everywhere.
// No colour is written here: a Paint names what the colour *means*;
// render/figure/palette.h turns it into RGBA for a theme.
//
//     (4,8):(8,1) as a grid: Grid{rows 4, cols 8, cellSize 28x28}, cell(1,2) = {label "10", paint Group 1, point (1,2)}
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/types.h"

namespace tessera {

// What a colour means.
enum class Role : unsigned char {
  None,     // no fill
  Group,    // group/member: thread, warp, bank, tile, device ... (eight hues, four steps)
  Shade,    // a neutral sequence: idx % 8 greys
  Heat,     // 0..1 in `level`: conflicts, repeated reads
  Lit,      // "the thing you asked about": counterexample, hovered
  Padding,  // diagonal hatching, no fill
  Faded,    // guarded-out, unreachable
  Proved,
  Refuted,
  Unknown,
  Panel,
  Raised,
  Hairline,
  Text,
  Muted,
  Faint,
  Accent,
  BitRead,
  BitWrite,
  BitPlain,  // swizzle bits: read field, written field, others
  OnLit,     // text on a Lit fill
};

struct Paint {
  Role role = Role::None;
  int group = 0;    // hue index (mod 8)
  int member = 0;   // lightness step (mod 4)
  float level = 0;  // Heat
  bool operator==(const Paint&) const = default;
};

// The logical point a cell stands for. Two cells are the same point when both fields agree.
// `domain` identifies the logical tensor (pointDomain() of its top-level mode extents, so that A and Sw o A share it);
// `index` is the colexicographic linear index over those extents; -1: stands for no point.
struct Point {
  u64 domain = 0;
  i64 index = -1;
  bool operator==(const Point&) const = default;
  [[nodiscard]] bool real() const { return index >= 0; }
};
[[nodiscard]] u64 pointDomain(const std::vector<i64>& extents);

struct Cell {
  std::string label;   // "10", "T9.0"
  std::string second;  // optional small second line
  Paint paint;
  Point point;
  bool lit = false;  // lit by the figure itself (a counterexample)
  std::vector<Point> also =
      {};  // a cell may hold several points: the elements of a word, the coordinates at an address
};

// Every point that the cell stands for, `point` first; none when it is no point.
[[nodiscard]] std::vector<Point> pointsOf(const Cell& cell);

// The lazy content of a grid. Implementations are immutable and thread safe.
class CellSource {
 public:
  virtual ~CellSource() = default;
  [[nodiscard]] virtual Cell cell(i64 row, i64 col) const = 0;
  // Without the labels: what a zoomed-out view asks for, millions a second.
  [[nodiscard]] virtual Paint paint(i64 row, i64 col) const { return cell(row, col).paint; }
  // Where a point is shown (0, 1 or many places; at most `limit`). Must not enumerate a huge grid.
  // Law: exactly the cells that hold the point. A source may know points that no cell of it names first (lanes).
  [[nodiscard]] virtual std::vector<std::pair<i64, i64>> find(Point point, int limit) const = 0;
  // Header texts; default: the number.
  [[nodiscard]] virtual std::string rowHeader(i64 row) const;
  [[nodiscard]] virtual std::string colHeader(i64 col) const;
  // What a cell says, field by field ("thread", "value"), for CSV; none: its label is all there is.
  [[nodiscard]] virtual std::vector<std::string> fieldNames() const { return {}; }
  [[nodiscard]] virtual std::vector<std::string> fields(i64 row, i64 col) const {
    (void)row, (void)col;
    return {};
  }
};

struct Rect {
  double x = 0, y = 0, w = 0, h = 0;
  bool operator==(const Rect&) const = default;
};

struct Grid {
  std::string name;  // "A", "result": unique within the figure
  i64 rows = 0, cols = 0;
  double x = 0, y = 0;                     // top left corner of cell (0,0) in points
  double cellWidth = 26, cellHeight = 26;  // pitch; a 1.5 pt gap inside when cells are large enough
  bool headers = true;                     // row numbers left, column numbers above
  std::string rowTitle, colTitle;          // axis names, faint
  // Distance in cells after which a slightly wider gap is drawn (tile boundaries); 0: none.
  i64 rowGroup = 0, colGroup = 0;
  int labelChars = 0;     // the longest label (0: unknown): one type size for the whole grid
  int secondChars = 0;    // the longest second line; 0: none, or only here and there
  bool lettered = false;  // labels are a letter and a number (T31, V7): where it is narrow the letter goes
  std::shared_ptr<const CellSource> cells;
  [[nodiscard]] Rect bounds() const {
    return {x, y, static_cast<double>(cols) * cellWidth, static_cast<double>(rows) * cellHeight};
  }
};

enum class Align : unsigned char { Left, Center, Right };
enum class Face : unsigned char { Sans, SansMedium, Mono, MonoBold };

struct Mark {
  enum class Kind : unsigned char { Rectangle, Line, Arrow, Text } kind = Kind::Text;
  Rect rect;  // Rectangle; Text: anchor x (per align) and vertical centre y = rect.y + rect.h/2; Line: (x,y)->(x+w,y+h)
  Paint fill;         // Rectangle fill; Text and Line colour
  Paint stroke;       // Rectangle outline
  double width = 1;   // line width, points
  double radius = 3;  // rectangle corners
  std::string text;
  double size = 11;  // text size, points
  Face face = Face::Sans;
  Align align = Align::Left;
  Point point;  // lights together with the cells of that point
};

// The part that a mode of an N-d array plays in a picture, and where it stands when it is fixed.
struct FigureMode {
  enum class Part : unsigned char { Rows, Columns, Facets, Fixed };
  std::string name;
  i64 extent = 1;
  Part part = Part::Fixed;
  i64 value = 0;
};

struct FigureBadge {
  std::string text;
  Role role = Role::Muted;
};

// A word behind the view's name that another word can replace: "colour" is row, column or tile; "label" offset or hex.
struct FigureChoice {
  std::string name;
  std::vector<std::string> words;
  std::string now;
};

// A grid in which a rectangle is asked for by dragging from one cell to another: the words of the view are then `word` and the box that
// both corners span, "tile" "[0:8,16:32]".
struct FigureTile {
  std::string grid;
  std::vector<i64> sizes;  // of the array whose elements its points are
  std::string word;
  std::string now;  // the box that is shown; "": all of it
};

// A place that leads to another part of what is shown, and that part's picture.
struct FigureDoor {
  Rect at;
  std::string to;    // "%main.%fusion.1": a part of the module
  std::string view;  // "reads"
  std::string tip;   // what is known of it, a line or a few; "": the picture says it
};

class Link;  // render/figure/linked.h

// What a picture knows of how points of two kinds belong together. `from` and `to` name grids of this figure between
// which the link is asked before anything else (two tensors of one shape, say A and the result of composition(A, B));
// empty: no such grids.
struct FigureLink {
  std::shared_ptr<const Link> link;
  std::string from, to;
};

struct Figure {
  std::string title;             // "S as grid"
  std::string subtitle;          // "Sw<3,3,3> o 0 o (64,64):(64,1)"
  std::string caption;           // one sentence: what is to be seen, with its numbers
  double width = 0, height = 0;  // content size in points (title and caption excluded)
  std::vector<Grid> grids;
  std::vector<Mark> marks;
  std::vector<FigureBadge> badges;    // short facts about the whole (render/figure/badges.h)
  std::vector<FigureMode> modes;      // three and more: what each does here; the window lets the reader change it
  std::vector<FigureChoice> choices;  // what else this view can show of the same value; the window's menu offers it
  std::vector<Point> lit;             // points lit from the start (counterexample)
  bool legible = false;               // first seen so near that its labels are read, even if not all of it fits
  std::vector<FigureLink> links;      // how its points go on in pictures of another kind
  std::optional<FigureTile> tile;     // what a drag asks for; else it moves the picture
  std::vector<FigureDoor> doors;      // what a click opens
  // What a terminal shows instead of a drawn grid,
  // when the view has a text of its own (CuTe's print_layout); may be empty.
  std::string text;
  // Tabular content for CSV/JSON/text, when the figure is not (only) a grid: header row first.
  std::vector<std::vector<std::string>> table;
};

}  // namespace tessera
