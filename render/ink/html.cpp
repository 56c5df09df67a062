#include "render/ink/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "render/ink/page.h"

namespace tessera {
namespace {

constexpr std::size_t kSingleLabels = 1024;
constexpr std::size_t kMostLabelBytes = 700'000;
constexpr std::size_t kMostPoints = 1 << 15;  // cells of a picture

std::string base36(i64 v) {
  std::string out;
  u64 rest = v < 0 ? static_cast<u64>(-v) : static_cast<u64>(v);
  do out += "0123456789abcdefghijklmnopqrstuvwxyz"[rest % 36];
  while ((rest /= 36) != 0);
  if (v < 0) out += '-';
  std::reverse(out.begin(), out.end());
  return out;
}

class PointWriter {
 public:
  // The points of the cells of a grid, by rows: "0+1" is a row that counts on from 0, else one word for a cell.
  std::string of(const Grid& grid) {
    std::string out;
    for (i64 r = 0; r < grid.rows; ++r) {
      std::vector<std::vector<Point>> row;
      for (i64 c = 0; c < grid.cols; ++c) row.push_back(pointsOf(grid.cells->cell(r, c)));
      if (r > 0) out += '|';
      out += counts(row) ? counted(row) : listed(row);
    }
    return out;
  }
  [[nodiscard]] std::string domains() const {
    std::string out;
    for (const u64 d : domains_) out += fmt::format("{}\"{:x}\"", out.empty() ? "" : ",", d);
    return out;
  }

 private:
  static bool counts(const std::vector<std::vector<Point>>& row) {
    if (row.size() < 2) return false;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (row[c].size() != 1 || row[c][0].domain != row[0][0].domain) return false;
      if (c > 1 && row[c][0].index - row[c - 1][0].index != row[1][0].index - row[0][0].index) return false;
    }
    return true;
  }
  std::string counted(const std::vector<std::vector<Point>>& row) {
    const i64 step = row[1][0].index - row[0][0].index;
    return fmt::format("{}{}~{}", domain(row[0][0]), base36(row[0][0].index), base36(step));
  }
  std::string listed(const std::vector<std::vector<Point>>& row) {
    std::string out;
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c > 0) out += ' ';
      for (std::size_t k = 0; k < row[c].size(); ++k)
        out += fmt::format("{}{}{}", k > 0 ? "." : "", domain(row[c][k]), base36(row[c][k].index));
    }
    return out;
  }
  // "12:" if the domain is not that of the last point.
  std::string domain(const Point& p) {
    if (!domains_.empty() && domains_[now_] == p.domain) return {};
    const auto at = std::find(domains_.begin(), domains_.end(), p.domain);
    now_ = static_cast<std::size_t>(at - domains_.begin());
    if (at == domains_.end()) domains_.push_back(p.domain);
    return fmt::format("{}:", now_);
  }

  std::vector<u64> domains_;
  std::size_t now_ = 0;
};

}  // namespace

HtmlPicture htmlPicture(const Figure& figure, Tones& tones, const std::string& id) {
  InkOptions options;
  options.frame = false;
  options.transparent = true;
  options.theme = tones.light();
  const Page page = makePage(figure, options);
  options.theme = tones.dark();
  const Page dark = makePage(figure, options);
  HtmlPicture out;
  out.width = page.width;
  out.height = page.height;
  out.svg = svgOf(figure, page, dark, tones, {id, fmt::format(" id=\"{}\"", id), kSingleLabels, kMostLabelBytes});
  std::size_t cells = 0;
  for (const PageGrid& g : page.grids) cells += g.thinned() ? 0 : g.fill.size();
  PointWriter points;
  std::string grids;
  for (std::size_t k = 0; k < page.grids.size() && cells <= kMostPoints; ++k) {
    const PageGrid& g = page.grids[k];
    if (g.thinned() || g.fill.empty()) continue;
    grids +=
        fmt::format("{}{{\"x\":{:.6g},\"y\":{:.6g},\"w\":{:.6g},\"h\":{:.6g},\"r\":{},\"c\":{},\"p\":\"{}\"}}",
                    grids.empty() ? "" : ",", g.x, g.y, g.pitchX, g.pitchY, g.rows, g.cols, points.of(figure.grids[k]));
  }
  out.points = fmt::format("{{\"g\":[{}],\"d\":[{}]}}", grids, points.domains());
  for (const PageGrid& g : page.grids)
    if (g.thinned())
      out.note = fmt::format("Each square represents {} x {} cells, in the colour of one of them.", g.cellsPerRow,
                             g.cellsPerCol);
  return out;
}

}  // namespace tessera
