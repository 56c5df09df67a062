// Rows: a table beside a picture, one row for each thing that the picture shows, possibly inside of a box. The window
// sorts it and links it with the boxes; it is lazy, like the cells of a grid.
//
//     a data flow of 60 boxes, 100,000 kernels     100,000 rows; a row's box is the group that holds its kernel
//         rank  kernel   runs  requested  needed   times   source
//         1     %dot.9   80    120 GB     738 MB   163     model.py:12 (mlp)
//
// Implementations are immutable and thread-safe.
// Laws: text and number are functions of the row and the column; box is an index into Figure::doors, or -1.
#pragma once

#include <span>
#include <string>

#include "render/figure/figure.h"

namespace tessera {

struct RowColumn {
  std::string name;        // "requested"
  std::string what;        // tooltip of its head
  double width = 60;       // in points; of a text, its share of what the numbers leave
  bool isNumber = true;    // right-aligned and sorted by number; false: a text
  bool ascending = false;  // the order of the first click
  double from = 0;         // least width of a table that shows the column; the tooltip of a row has all columns
};

class RowSource {
 public:
  virtual ~RowSource() = default;
  [[nodiscard]] virtual std::span<const RowColumn> columns() const = 0;
  [[nodiscard]] virtual i64 rows() const = 0;
  [[nodiscard]] virtual std::string text(i64 row, std::size_t column) const = 0;
  // To sort by, of a column of numbers.
  [[nodiscard]] virtual double number(i64 row, std::size_t column) const = 0;
  // The door of the box that holds the row; -1: the picture does not show it.
  [[nodiscard]] virtual int box(i64 row) const = 0;
  // Opens the row's own picture.
  [[nodiscard]] virtual FigureDoor door(i64 row) const = 0;
  // What the table does not contain; instead of rows, why there are none. "": nothing.
  [[nodiscard]] virtual std::string note() const = 0;
};

}  // namespace tessera
