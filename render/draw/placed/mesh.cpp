// mesh: one panel per device; it shows the whole tensor in sharding pieces, and which of them the device holds.
//
//     S[(2,32,128):(1@gpuid,128,1)] + R[2:2@gpuid] over (64,128)
//     device 0: rows 0 to 31      device 2: rows 0 to 31, the same as device 0
//     device 1: rows 32 to 63     device 3: rows 32 to 63, the same as device 1
//
// Devices with the same elements have the same hue. A cell is a piece, not an element, so any tensor can be drawn.
#include "core/notation/axe/mesh.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/chars.h"
#include "core/base/mapped.h"
#include "core/notation/axe/algebra/algebra.h"
#include "render/draw/grid/layouts.h"
#include "render/draw/placed/placed.h"
#include "render/draw/views.h"
#include "render/figure/text_metrics.h"

namespace tessera {
namespace {

constexpr i64 kMaxDevices = 64, kMaxPieces = 64;
constexpr i64 kNamed = 1024;  // a cell represents all elements of its piece, or only the first one of a larger piece

// The tensor cut into pieces that no device splits: pieces[k] along dimension k, step[k] elements each.
struct Pieces {
  std::vector<i64> pieces, step;
  i64 rows = 1, columns = 1;  // the last dimension across
};

struct Panel {
  i64 device = 0;
  std::set<i64> held;  // row-major piece numbers
  int hue = 0;
  std::optional<i64> copyOf;
};

class PieceCells : public CellSource {
 public:
  PieceCells(std::shared_ptr<const Placed> placed, Pieces pieces, Panel panel)
      : p_(std::move(placed)), pieces_(std::move(pieces)), panel_(std::move(panel)) {}
  [[nodiscard]] Cell cell(i64 row, i64 col) const override {
    const i64 piece = row * pieces_.columns + col;
    if (panel_.held.count(piece) == 0) return {"", "", paint(row, col)};
    Cell cell{fmt::format("D{}", panel_.device), "", paint(row, col), p_->pointOf(elementOf(piece, 0))};
    i64 size = 1;
    for (const i64 step : pieces_.step) size *= step;
    for (i64 k = 1; k < size && size <= kNamed; ++k) cell.also.push_back(p_->pointOf(elementOf(piece, k)));
    return cell;
  }
  [[nodiscard]] Paint paint(i64 row, i64 col) const override {
    if (panel_.held.count(row * pieces_.columns + col) == 0) return {Role::BitPlain};
    return {Role::Group, panel_.hue % 8, panel_.copyOf ? 2 : 1, 0};
  }
  [[nodiscard]] std::vector<std::pair<i64, i64>> find(Point point, int limit) const override {
    const auto linear = p_->linearOf(point);
    if (!linear || limit < 1) return {};
    const std::vector<i64> coord = p_->coordOf(*linear);
    i64 piece = 0;
    for (std::size_t k = 0; k < coord.size(); ++k) piece = piece * pieces_.pieces[k] + coord[k] / pieces_.step[k];
    if (panel_.held.count(piece) == 0) return {};
    return {{piece / pieces_.columns, piece % pieces_.columns}};
  }
  [[nodiscard]] std::string rowHeader(i64 row) const override {
    if (pieces_.rows == 1 || pieces_.pieces.size() > 2) return "";
    return fmt::format("{}", row * pieces_.step[pieces_.step.size() == 1 ? 0 : pieces_.step.size() - 2]);
  }
  [[nodiscard]] std::string colHeader(i64 col) const override {
    return pieces_.columns == 1 ? "" : fmt::format("{}", col * pieces_.step.back());
  }

 private:
  // The k-th element of a piece, row-major.
  [[nodiscard]] i64 elementOf(i64 piece, i64 k) const {
    std::vector<i64> coord = delinearize(piece, pieces_.pieces, LinearOrder::Lex);
    const std::vector<i64> inside = delinearize(k, pieces_.step, LinearOrder::Lex);
    for (std::size_t d = 0; d < coord.size(); ++d) coord[d] = coord[d] * pieces_.step[d] + inside[d];
    return linearize(coord, p_->shape(), LinearOrder::Lex);
  }
  std::shared_ptr<const Placed> p_;
  Pieces pieces_;
  Panel panel_;
};

Result<Pieces> piecesOf(const axe::Layout& layout, const std::vector<i64>& shape, const std::string& axis) {
  TESSERA_TRY(const axe::Grouping grouped, group(layout, shape));
  Pieces out;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    i64 pieces = 1, seen = 1;
    for (const axe::Iter& it : grouped.block(k)) {
      seen *= it.extent;
      if (it.axis == axis) pieces = seen;
    }
    out.pieces.push_back(pieces);
    out.step.push_back(shape[k] / pieces);
    (k + 1 == shape.size() ? out.columns : out.rows) *= pieces;
  }
  if (out.rows > kMaxPieces || out.columns > kMaxPieces) {
    return Diag{fmt::format("sharding cuts this tensor into {} x {} pieces", out.rows, out.columns),
                "at most 64 pieces per side", "as threads"};
  }
  return out;
}

// What a device holds, in words: "rows 0 to 31", "the whole tensor".
std::string heldText(const Pieces& pieces, const Panel& panel, const std::vector<i64>& shape) {
  if (static_cast<i64>(panel.held.size()) == pieces.rows * pieces.columns) return "the whole tensor";
  std::string out;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (pieces.pieces[k] == 1) continue;
    std::set<i64> own;
    for (const i64 piece : panel.held) own.insert(delinearize(piece, pieces.pieces, LinearOrder::Lex)[k]);
    const i64 least = *own.begin() * pieces.step[k], most = (*own.rbegin() + 1) * pieces.step[k] - 1;
    const std::string name = shape.size() > 2              ? fmt::format("dim {}", k)
                             : k == 0 && shape.size() == 2 ? "rows"
                                                           : "columns";
    const bool run = static_cast<i64>(own.size()) * pieces.step[k] == most - least + 1;
    out += fmt::format("{}{} {}\u2013{}{}", out.empty() ? "" : ", ", name, least, most, run ? "" : " (parts)");
  }
  return out;
}

// Panels in mesh order: its first dimension down, its last across.
struct Arrangement {
  i64 across = 1;
  std::vector<i64> order;  // device numbers, row by row
};
Arrangement arranged(const axe::Layout& layout, const std::vector<i64>& devices) {
  Arrangement a;
  a.order = devices;
  a.across = std::min<i64>(static_cast<i64>(devices.size()), 4);
  const Result<axe::Mesh> mesh = meshOf(layout);
  if (!mesh || mesh->shape.size() != 2) return a;
  std::vector<i64> order;
  eachCell(mesh->shape[0], mesh->shape[1],
           [&](i64 i, i64 j) { order.push_back(i * mesh->strides[0] + j * mesh->strides[1]); });
  std::vector<i64> sorted = order;
  std::ranges::sort(sorted);
  if (sorted != devices || mesh->shape[1] > 8) return a;
  a.order = std::move(order);
  a.across = mesh->shape[1];
  return a;
}

Result<std::vector<Panel>> panelsOf(const Placed& placed, const Pieces& pieces, const std::string& axis) {
  std::map<i64, Panel> byDevice;
  for (i64 piece = 0; piece < pieces.rows * pieces.columns; ++piece) {
    std::vector<i64> coord = delinearize(piece, pieces.pieces, LinearOrder::Lex);
    for (std::size_t k = 0; k < coord.size(); ++k) coord[k] *= pieces.step[k];
    for (const axe::Place& place : placed.places(linearize(coord, placed.shape(), LinearOrder::Lex))) {
      const i64 device = valueOn(place, axis);
      byDevice[device].device = device;
      byDevice[device].held.insert(piece);
      if (static_cast<i64>(byDevice.size()) > kMaxDevices)
        return Diag{"more than 64 devices are too many panels", "a smaller mesh", "as threads"};
    }
  }
  std::vector<Panel> panels;
  int hue = 0;
  for (auto& [device, panel] : byDevice) {
    const auto same = std::ranges::find(panels, panel.held, &Panel::held);
    if (same == panels.end()) {
      panel.hue = hue++;
    } else {
      panel.hue = same->hue;
      panel.copyOf = same->device;
    }
    panels.push_back(std::move(panel));
  }
  return panels;
}

}  // namespace

Result<Figure> drawMesh(const Layout& layout, const DrawOptions& options) {
  TESSERA_TRY(const auto placed, Placed::of(layout));
  const std::string axis = deviceAxis(*placed);
  if (axis.empty() || !placed->axe()) {
    return Diag{"this layout has no device axis", "a layout on gpuid: shard((64,128), mesh (2,2), S0, R) over (64,128)",
                "as threads"};
  }
  TESSERA_TRY(const Pieces pieces, piecesOf(*placed->axe(), placed->shape(), axis));
  TESSERA_TRY(const std::vector<Panel> panels, panelsOf(*placed, pieces, axis));
  const Arrangement arrangement = arranged(*placed->axe(), mapped<i64>(panels, &Panel::device));
  const double width = std::clamp(168.0 / static_cast<double>(pieces.columns), 26.0, 168.0);
  const double height = std::clamp(112.0 / static_cast<double>(pieces.rows), 22.0, 112.0);

  Figure figure;
  std::size_t copies = 0;
  double x = 0, y = 0;
  for (std::size_t n = 0; n < arrangement.order.size(); ++n) {
    const Panel& panel =
        *std::ranges::find_if(panels, [&](const Panel& p) { return p.device == arrangement.order[n]; });
    Grid grid = makeGrid(fmt::format("device {}", panel.device), pieces.rows, pieces.columns,
                         std::make_shared<PieceCells>(placed, pieces, panel), width, height, 3);
    Margins m = headerMargins(grid);
    if (pieces.columns == 1) m.top = 0;  // its header is empty
    grid.x = x + m.left;
    grid.y = y + 22 + m.top;
    const Rect r = grid.bounds();
    addText(figure, r.x, y + 9, grid.name, kType.section, Face::SansMedium, Role::Text);
    if (panel.copyOf) {
      ++copies;
      addText(figure, r.x + r.w, y + 9, fmt::format("copy of device {}", *panel.copyOf), kType.small, Face::Sans,
              Role::Muted, Align::Right);
    }
    const double held = addText(figure, r.x, r.y + r.h + 12, heldText(pieces, panel, placed->shape()), kType.small,
                                Face::Sans, Role::Muted);
    figure.grids.push_back(std::move(grid));
    x += m.left + std::max(r.w, held) + 30;
    if (static_cast<i64>(n + 1) % arrangement.across == 0) {
      x = 0;
      y += 22 + m.top + r.h + 40;
    }
  }
  fitSize(figure);
  const double part =
      static_cast<double>(panels.front().held.size()) / static_cast<double>(pieces.rows * pieces.columns);
  setTitle(figure, options, "mesh", "Device mesh", placed->text());
  figure.caption =
      fmt::format("{} elements {} on {} devices, {:.0f} on each", placed->size(), axe::printShape(placed->shape()),
                  panels.size(), part * static_cast<double>(placed->size()));
  figure.caption += copies == 0 ? "; no element is stored twice."
                                : fmt::format("; {} repeat{} the part of another.", counted(copies, "device"),
                                              copies == 1 ? "s" : "");
  return figure;
}

}  // namespace tessera
