// Figure: a picture as data. Draw functions return one; inks (PNG, PDF, SVG, TikZ, text, CSV, JSON) and the window
// render it.
//
// A figure is a scene in points (1 pt = 1/72 in; on screen 1 pt = 1 px at scale 1; y grows downwards) of
//   - grids: lazy rectangles of cells. A grid of 2^40 cells costs nothing until a backend reads the visible cells;
//   - marks: single rectangles, lines, arrows and texts (headers, captions, flow boxes, bit boxes).
// Every cell and mark has the Point it represents, so that hovering one lights the same logical point everywhere.
// No colours appear here: a Paint names what the colour *means*, and render/figure/palette.h maps it to RGBA for a
// theme.
//
//     (4,8):(8,1) as a grid: Grid{rows 4, cols 8, cellSize 28x28}, cell(1,2) = {label "10", paint Group 1, point (1,2)}
#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"

namespace tessera {

// What a colour means.
enum class Role : unsigned char {
  None,     // no fill
  Group,    // group/member: thread, warp, bank, tile, device ... (eight hues, four steps)
  Shade,    // eight greys in turn
  Heat,     // 0..1 in `level`: conflicts, repeated reads
  Lit,      // the cell in question: counterexample, hovered
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
// A hue and a lightness by number, in turn.
[[nodiscard]] constexpr Paint groupPaint(i64 hue, i64 step) {
  return {Role::Group, static_cast<int>(((hue % 8) + 8) % 8), static_cast<int>(((step % 4) + 4) % 4), 0};
}

// The logical point that a cell represents. Two cells are the same point if both fields agree.
// `domain` identifies the logical tensor (pointDomain() of its top-level mode extents, so that A and Sw o A share it);
// `index` is the colexicographic linear index over those extents; -1: no point.
struct Point {
  u64 domain = 0;
  i64 index = -1;
  auto operator<=>(const Point&) const = default;
  [[nodiscard]] bool real() const { return index >= 0; }
  // Whether it is one of the first `size` points of a domain.
  [[nodiscard]] bool isIn(u64 of, i64 size) const { return domain == of && index >= 0 && index < size; }
};
[[nodiscard]] u64 pointDomain(const std::vector<i64>& extents);

struct Cell {
  std::string label = {};   // "10", "T9.0"
  std::string second = {};  // optional small second line
  Paint paint = {};
  Point point = {};
  bool lit = false;  // lit by the figure itself (a counterexample)
  std::vector<Point> also =
      {};  // a cell may represent several points: the elements of a word, the coordinates at an address
};

// Label and second line: "T31 V7".
[[nodiscard]] std::string fullLabel(const Cell& cell);
// Every point that the cell represents, `point` first; empty if it represents none.
[[nodiscard]] std::vector<Point> pointsOf(const Cell& cell);

// The lazy content of a grid. Implementations are immutable and thread-safe.
class CellSource {
 public:
  virtual ~CellSource() = default;
  [[nodiscard]] virtual Cell cell(i64 row, i64 col) const = 0;
  // The fill without labels: read by zoomed-out views, millions of times per second.
  [[nodiscard]] virtual Paint paint(i64 row, i64 col) const { return cell(row, col).paint; }
  // The cells that show a point (0, 1 or many; at most `limit`). Must not enumerate a huge grid.
  // Law: exactly the cells that contain the point. A source may know points that are first in no cell (lanes).
  [[nodiscard]] virtual std::vector<std::pair<i64, i64>> find(Point point, int limit) const = 0;
  // Header texts; default: the number.
  [[nodiscard]] virtual std::string rowHeader(i64 row) const;
  [[nodiscard]] virtual std::string colHeader(i64 col) const;
  // Columns for CSV, field by field ("thread", "value"); empty: the label only.
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
  // Distance in cells between slightly wider gaps (tile boundaries); 0: none.
  i64 rowGroup = 0, colGroup = 0;
  int labelChars = 0;     // longest label (0: unknown); gives one type size for the whole grid
  int secondChars = 0;    // longest second line; 0: none, or only in some cells
  bool lettered = false;  // labels are a letter and a number (T31, V7); the letter is dropped when cells are narrow
  std::shared_ptr<const CellSource> cells;
  [[nodiscard]] Rect bounds() const {
    return {x, y, static_cast<double>(cols) * cellWidth, static_cast<double>(rows) * cellHeight};
  }
};

// A grid at the origin.
[[nodiscard]] Grid makeGrid(std::string name, i64 rows, i64 cols, std::shared_ptr<const CellSource> cells,
                            double cellWidth = 26, double cellHeight = 26, int labelChars = 0);

// Visits the cells of a grid, row by row.
template <class Visit>
void eachCell(i64 rows, i64 cols, const Visit& visit) {
  for (i64 row = 0; row < rows; ++row)
    for (i64 col = 0; col < cols; ++col) visit(row, col);
}

enum class Align : unsigned char { Left, Center, Right };
enum class Face : unsigned char { Sans, SansMedium, Mono, MonoBold };

struct Mark {
  enum class Kind : unsigned char { Rectangle, Line, Arrow, Text } kind = Kind::Text;
  Rect rect;  // Rectangle; Text: anchor x (per align) and vertical centre y = rect.y + rect.h/2; Line: (x,y)->(x+w,y+h)
  Paint fill = {};    // Rectangle fill; Text and Line colour
  Paint stroke = {};  // Rectangle outline
  double width = 1;   // line width, points
  double radius = 3;  // rectangle corners
  std::string text = {};
  double size = 11;  // text size, points
  Face face = Face::Sans;
  Align align = Align::Left;
  Point point = {};  // lights together with the cells of that point
};

// The role of one mode of an N-d array in a picture, and its value if it is fixed.
struct FigureMode {
  enum class Part : unsigned char { Rows, Columns, Facets, Fixed };
  std::string name;
  i64 extent = 1;
  Part part = Part::Fixed;
  i64 value = 0;
  std::vector<std::string> values = {};  // what the slider of a fixed mode says for each value; empty: the number
};

struct FigureBadge {
  std::string text;
  Role role = Role::Muted;
};

// A word after the view's name and its alternatives: "colour" is row, column or tile; "label" offset or hex.
struct FigureChoice {
  std::string name;
  std::vector<std::string> words;
  std::string now;
};

// A grid in which dragging from one cell to another selects a box. The view's words are then `word` and the box spanned
// by both corners, "tile" "[0:8,16:32]".
struct FigureTile {
  std::string grid;
  std::vector<i64> sizes;  // of the array whose elements are its points
  std::string word;
  std::string now;  // the selected box; "": everything
};

// A link to another part of the displayed value, and a picture of that part.
struct FigureDoor {
  Rect at;
  std::string to;                       // part of the module: "%main.%fusion.1"; "": the same value, with these words
  std::string view;                     // "reads"
  std::string tip;                      // tooltip of one or more lines; "": the picture shows it
  std::vector<std::string> words = {};  // after the view
  std::string copies = {};              // a click copies this text and opens nothing
};

struct Link;      // render/figure/linked.h
class RowSource;  // render/figure/rows.h

// A relation between two kinds of points in a picture. `from` and `to` name grids of this figure for which the link
// takes precedence (two tensors of one shape, say A and the result of composition(A, B)); empty: none.
struct FigureLink {
  std::shared_ptr<const Link> link;
  std::string from = {}, to = {};
};

struct Figure {
  std::string title;             // "S as grid"
  std::string subtitle;          // "Sw<3,3,3> o 0 o (64,64):(64,1)"
  std::string caption;           // one sentence: what the picture shows, with numbers
  double width = 0, height = 0;  // content size in points (title and caption excluded)
  std::vector<Grid> grids;
  std::vector<Mark> marks;
  std::vector<FigureBadge> badges;    // about the whole picture (addBadges)
  std::vector<FigureMode> modes;      // three or more: the role of each; the window lets the user change it
  std::vector<FigureChoice> choices;  // alternative displays of the same value; offered in the window's menu
  std::vector<Point> lit;             // lit initially (counterexample)
  bool legible = false;               // mostly text: it is first seen at a readable size, even if it does not fit
  std::vector<FigureLink> links;      // relations to points of other pictures
  std::optional<FigureTile> tile;     // what dragging selects; none: it pans
  std::vector<FigureDoor> doors;      // targets of clicks
  // A table that the window shows beside the picture; null: none.
  std::shared_ptr<const RowSource> rows;
  // Replaces the drawn grid in a terminal, if the view has its own text form (CuTe's print_layout); may be empty.
  std::string text;
  // Table for CSV/JSON/text, if the figure is not (only) a grid: header row first.
  std::vector<std::vector<std::string>> table;
};

// Constructors for marks.
//
//     addText(figure, 40, 10, "lane", 10, Face::Sans, Role::Muted)     left edge at x 40, vertical centre at y 10
//     addBox(figure, {0, 0, 60, 19}, {Role::Panel}, {Role::Hairline}, 9)    a pill

// Adds a text to a figure, by default beginning at x; returns its width. addFitted shortens it to a width.
double addText(Figure& figure, double x, double y, std::string text, double size, Face face, Role role,
               Align align = Align::Left);
double addFitted(Figure& figure, double x, double y, double width, std::string_view text, double size, Face face,
                 Role role);
void addBox(Figure& figure, const Rect& rect, Paint fill, Paint stroke, double radius = 4);
void addArrow(Figure& figure, double x0, double y0, double x1, double y1, Role role, double width = 1.1);
void addLine(Figure& figure, double x0, double y0, double x1, double y1, Role role, double width = 1);

// Adds the grids and marks of `part`, moved by (dx, dy), with `prefix` on grid names.
void addMoved(Figure& into, const Figure& part, double dx, double dy, const std::string& prefix);

// Bounding box of a mark, in points.
[[nodiscard]] Rect extentOf(const Mark& mark);

// Badges: short facts about a whole picture, one pill each: "S(1) VMEM (TPU)", "34.9 % padding".
//
//     figure.badges = {{"S(0) HBM"}, {"34.9 % padding", Role::Refuted}}
//
// They are between the subtitle and the picture and do not scale with it. Inks put them on the page, the window above
// the canvas; text and JSON output lists them as words.

// Appends the marks of the badges, from (x, y), in lines of at most `width` (a wider badge gets its own line). Returns
// their height in points, including a small margin below; 0 without badges.
double addBadges(std::vector<Mark>& marks, const std::vector<FigureBadge>& badges, double x, double y, double width);

}  // namespace tessera
