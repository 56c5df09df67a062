#include "render/figure/thinned.h"

namespace tessera {
namespace {

bool isEmpty(const Paint& p) {
  return p.role == Role::None || p.role == Role::Padding || p.role == Role::Faded || p.role == Role::Raised;
}

}  // namespace

i64 blockSide(double cells) {
  i64 side = 1;
  while (static_cast<double>(side) < cells && side < (i64{1} << 60)) side *= 2;
  return side;
}

Paint thinned(const CellSource& cells, i64 row0, i64 col0, i64 rows, i64 cols, i64 gridRows, i64 gridCols) {
  const i64 down = std::min(rows, gridRows - row0), across = std::min(cols, gridCols - col0);
  const auto at = [&](i64 row, i64 col) {
    return cells.paint(row0 + std::min(row, down - 1), col0 + std::min(col, across - 1));
  };
  const Paint own = at(row0 / rows % rows, col0 / cols % cols);
  if (down == 1 && across == 1) return own;
  const Paint others[] = {at(down / 4, across * 3 / 4), at(down * 3 / 4, across / 4)};
  int empty = isEmpty(own) ? 1 : 0;
  const Paint* hottest = own.role == Role::Heat ? &own : nullptr;
  for (const Paint& p : others) {
    empty += isEmpty(p) ? 1 : 0;
    if (p.role == Role::Heat && (hottest == nullptr || p.level > hottest->level)) hottest = &p;
  }
  if (hottest != nullptr) return *hottest;
  const bool shown = empty >= 2;
  if (isEmpty(own) == shown) return own;
  return isEmpty(others[0]) == shown ? others[0] : others[1];
}

}  // namespace tessera
