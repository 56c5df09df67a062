// The inks for programs and terminals: text, CSV, JSON. They print the contents of cells, not their appearance, so an
// oversized grid is not thinned: text shows its first corner and says so; CSV and JSON return a Diag with the limit.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/base/csv.h"
#include "core/base/mapped.h"
#include "render/figure/text_metrics.h"
#include "render/ink/ink.h"
#include "render/ink/page.h"

namespace tessera {
namespace {

constexpr i64 kTextRows = 256, kTextCols = 128;
constexpr i64 kDataCells = i64{1} << 22;

double cellCount(const Figure& figure) {
  double n = 0;
  for (const Grid& g : figure.grids) n += static_cast<double>(g.rows) * static_cast<double>(g.cols);
  return n;
}

Result<void> checkSize(const Figure& figure, std::string_view format) {
  if (cellCount(figure) <= static_cast<double>(kDataCells)) return {};
  return Diag{fmt::format("{:.0f} cells are too many for {}", cellCount(figure), format),
              fmt::format("at most {} cells", kDataCells), "svg, png and pdf thin large grids"};
}

std::string padLeft(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, countCodePoints(text)), ' ') + std::string(text);
}
std::string centred(std::string_view text, std::size_t width) {
  const std::size_t pad = width - std::min(width, countCodePoints(text));
  return std::string(pad - pad / 2, ' ') + std::string(text) + std::string(pad / 2, ' ');
}
std::string repeated(std::string_view text, std::size_t n) {
  std::string s;
  for (std::size_t k = 0; k < n; ++k) s += text;
  return s;
}

// The cells that the figure's points light; a cell may also be lit by itself.
std::set<std::pair<i64, i64>> litCells(const Figure& figure, const Grid& grid) {
  std::set<std::pair<i64, i64>> lit;
  for (const Point& p : figure.lit)
    for (const auto& at : grid.cells->find(p, 64)) lit.insert(at);
  return lit;
}

// Box drawing: one box per cell, `[10]` if lit, `///` if empty.
std::string boxed(const Figure& figure, const Grid& grid) {
  const i64 rows = std::min(grid.rows, kTextRows), cols = std::min(grid.cols, kTextCols);
  const auto lit = litCells(figure, grid);
  std::vector<std::vector<std::string>> text(static_cast<std::size_t>(rows));
  std::size_t width = 1, header = 0;
  for (i64 r = 0; r < rows; ++r) {
    for (i64 c = 0; c < cols; ++c) {
      const Cell cell = grid.cells->cell(r, c);
      std::string s = validUtf8(fullLabel(cell));
      if (s.empty() && cell.paint.role == Role::Padding) s = "//";
      if (cell.lit || lit.count({r, c}) > 0) s = "[" + s + "]";
      width = std::max(width, countCodePoints(s));
      text[static_cast<std::size_t>(r)].push_back(std::move(s));
    }
    header = std::max(header, countCodePoints(grid.cells->rowHeader(r)));
  }
  for (i64 c = 0; c < cols && grid.headers; ++c) width = std::max(width, countCodePoints(grid.cells->colHeader(c)));
  const std::string bar = repeated("\u2500", width + 2);
  auto rule = [&](const char* left, const char* middle, const char* right) {
    std::string s(header + 1, ' ');
    for (i64 c = 0; c < cols; ++c) s += (c == 0 ? left : middle) + bar;
    return s + right + "\n";
  };
  std::string out;
  if (grid.headers) {
    out += std::string(header + 1, ' ');
    for (i64 c = 0; c < cols; ++c) out += "  " + centred(grid.cells->colHeader(c), width) + " ";
    while (!out.empty() && out.back() == ' ') out.pop_back();
    out += "\n";
  }
  out += rule("\u250c", "\u252c", "\u2510");
  for (i64 r = 0; r < rows; ++r) {
    if (r > 0 && grid.rowGroup > 0 && r % grid.rowGroup == 0) out += rule("\u251c", "\u253c", "\u2524");
    out += padLeft(grid.headers ? grid.cells->rowHeader(r) : "", header) + " ";
    for (i64 c = 0; c < cols; ++c)
      out += "\u2502 " + centred(text[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)], width) + " ";
    out += "\u2502\n";
  }
  out += rule("\u2514", "\u2534", "\u2518");
  if (rows < grid.rows || cols < grid.cols) {
    out += fmt::format("the first {} x {} cells of {} x {}\n", rows, cols, grid.rows, grid.cols);
  }
  return out;
}

std::string tableText(const std::vector<std::vector<std::string>>& table) {
  std::vector<std::size_t> widths;
  for (const auto& row : table) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], countCodePoints(row[k]));
  }
  std::string out;
  for (const auto& row : table) {
    std::string line;
    for (std::size_t k = 0; k < row.size(); ++k) {
      line += row[k] + std::string(widths[k] - countCodePoints(row[k]) + 2, ' ');
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + "\n";
  }
  return out;
}

nlohmann::json gridJson(const Figure& figure, const Grid& grid) {
  nlohmann::json labels = nlohmann::json::array(), points = labels, lit = labels;
  const auto found = litCells(figure, grid);
  for (i64 r = 0; r < grid.rows; ++r) {
    nlohmann::json labelRow = nlohmann::json::array(), pointRow = nlohmann::json::array();
    for (i64 c = 0; c < grid.cols; ++c) {
      const Cell cell = grid.cells->cell(r, c);
      labelRow.push_back(validUtf8(cell.label));
      pointRow.push_back(cell.point.index);
      if (cell.lit || found.count({r, c}) > 0) lit.push_back({r, c});
    }
    labels.push_back(std::move(labelRow));
    points.push_back(std::move(pointRow));
  }
  return {{"name", validUtf8(grid.name)},
          {"rows", grid.rows},
          {"cols", grid.cols},
          {"labels", labels},
          {"points", points},
          {"lit", lit}};
}

// A matrix with its headers; several are each preceded by a line with the name.
void csvMatrix(std::string& out, const Grid& grid, bool named) {
  if (named) out += (out.empty() ? "" : "\n") + csvField(grid.name) + "\n";
  for (i64 c = 0; c < grid.cols; ++c) out += "," + csvField(grid.cells->colHeader(c));
  out += "\n";
  for (i64 r = 0; r < grid.rows; ++r) {
    out += csvField(grid.cells->rowHeader(r));
    for (i64 c = 0; c < grid.cols; ++c) out += "," + csvField(fullLabel(grid.cells->cell(r, c)));
    out += "\n";
  }
}

// Cells with fields are printed as lines: the position of the cell, then its fields.
void csvCells(std::string& out, const Grid& grid, bool named) {
  std::vector<std::string> line;
  if (named) line.emplace_back("grid");
  line.insert(line.end(), {"row", "column"});
  const std::vector<std::string> names = grid.cells->fieldNames();
  line.insert(line.end(), names.begin(), names.end());
  if (!out.empty()) out += "\n";
  out += csvLine(line);
  eachCell(grid.rows, grid.cols, [&](i64 r, i64 c) {
    line.clear();
    if (named) line.push_back(grid.name);
    line.insert(line.end(), {grid.cells->rowHeader(r), grid.cells->colHeader(c)});
    for (std::string& field : grid.cells->fields(r, c)) line.push_back(std::move(field));
    out += csvLine(line);
  });
}

struct Ink {
  std::string_view format;
  Result<std::string> (*print)(const Figure&, const InkOptions&);
};

constexpr Ink kInks[] = {{"svg", inkSvg}, {"png", inkPng}, {"pdf", inkPdf},  {"tex", inkTex},
                         {"txt", inkTxt}, {"csv", inkCsv}, {"json", inkJson}};

}  // namespace

Result<std::string> inkTxt(const Figure& figure, const InkOptions& options) {
  if (!figure.text.empty()) return validUtf8(figure.text);
  std::string out;
  auto paragraph = [&out](const std::string& s) {
    if (!s.empty()) out += validUtf8(s) + "\n";
  };
  if (options.frame) {
    paragraph(figure.title);
    paragraph(figure.subtitle);
    std::string badges;
    for (const FigureBadge& badge : figure.badges) badges += (badges.empty() ? "" : " | ") + badge.text;
    paragraph(badges);
  }
  for (const Grid& grid : figure.grids) {
    if (!out.empty()) out += "\n";
    if (!grid.name.empty()) out += validUtf8(grid.name) + "\n";
    out += boxed(figure, grid);
  }
  if (!figure.table.empty()) {
    if (!out.empty()) out += "\n";
    out += validUtf8(tableText(figure.table));
  }
  if (options.frame && !figure.caption.empty()) out += "\n" + validUtf8(figure.caption) + "\n";
  return out;
}

// Every grid in its own form, then the figure's table; separated by blank lines.
Result<std::string> inkCsv(const Figure& figure, const InkOptions&) {
  TESSERA_CHECKED(checkSize(figure, "CSV"));
  std::string out;
  for (const Grid& grid : figure.grids)
    (grid.cells->fieldNames().empty() ? csvMatrix : csvCells)(out, grid, figure.grids.size() > 1);
  if (!out.empty() && !figure.table.empty()) out += "\n";
  for (const auto& row : figure.table) out += csvLine(row);
  return validUtf8(out);
}

Result<std::string> inkJson(const Figure& figure, const InkOptions&) {
  TESSERA_CHECKED(checkSize(figure, "JSON"));
  nlohmann::json j = {{"title", validUtf8(figure.title)},
                      {"subtitle", validUtf8(figure.subtitle)},
                      {"caption", validUtf8(figure.caption)}};
  for (const FigureBadge& badge : figure.badges) j["badges"].push_back(validUtf8(badge.text));
  j["grids"] = nlohmann::json::array();
  for (const Grid& grid : figure.grids) j["grids"].push_back(gridJson(figure, grid));
  for (const auto& row : figure.table) j["table"].push_back(mapped<std::string>(row, validUtf8));
  return j.dump(1) + "\n";
}

Result<std::string> encodePpm(int width, int height, const unsigned char* rgba) {
  std::string bytes = "P6 " + std::to_string(width) + " " + std::to_string(height) + " 255\n";
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  bytes.reserve(bytes.size() + 3 * pixels);
  for (std::size_t k = 0; k < pixels; ++k) bytes.append(reinterpret_cast<const char*>(rgba + 4 * k), 3);
  return bytes;
}

Result<std::string> ink(const Figure& figure, std::string_view format, const InkOptions& options) {
  std::string known;
  for (const Ink& i : kInks) {
    if (i.format == format) return i.print(figure, options);
    known += (known.empty() ? "" : ", ") + std::string(i.format);
  }
  return Diag{fmt::format("no ink writes \"{}\"", format), "one of " + known};
}

}  // namespace tessera
