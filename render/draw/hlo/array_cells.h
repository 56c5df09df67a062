// Array cells: an HLO array as a page of cells. The last dimension forms the columns, the one before it the rows; each
// further one is added to the shorter side, on ties to the columns. A one-dimensional array is wrapped.
//
//     f32[2,65,125]     rows (d0,d1): 130, "0,0" .. "1,64"; columns d2: 125
//     f32[2,4,16,8]     rows (d0,d2): 32; columns (d1,d3): 32, a wider gap after every 8
//     f32[1000000]      977 rows of 1,024
//
// An operand's cells show the number of reads of their element (read_counts.h), computed per cell: a page of 2^40
// elements costs nothing.
// Law: cell and find are inverse; every element has one cell.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/hlo/cost/read_counts.h"
#include "render/figure/figure.h"
#include "render/figure/linked.h"

namespace tessera::hlo {

[[nodiscard]] i64 elementsOf(const std::vector<i64>& sizes);

struct Page {
  std::vector<i64> sizes;
  i64 rows = 1, cols = 1;
  std::vector<std::size_t> rowDims, colDims;  // outer first; empty for one dimension

  explicit Page(std::vector<i64> arraySizes);
  // Row-major number of a cell's element, -1 after the last.
  [[nodiscard]] i64 elementAt(i64 row, i64 col) const;
  // The same element in the numbering of points in pictures, first dimension fastest.
  [[nodiscard]] i64 pointOf(i64 element) const;
  [[nodiscard]] i64 elementOf(i64 point) const;
  // The cell of an element.
  [[nodiscard]] std::pair<i64, i64> cellOf(i64 element) const;
  // The coordinates of a row or a column, "1,64"; for a wrapped row those of its first element.
  [[nodiscard]] std::string header(const std::vector<std::size_t>& dims, i64 n) const;
};

// Reads per element: precomputed if that is less work, otherwise on demand.
class ElementCounts {
 public:
  // `reads`: the total, if known; only outputs inside `tile` count.
  ElementCounts(ReadCounts counts, std::vector<i64> operand, const ElementBox& tile, std::optional<i64> reads);
  [[nodiscard]] ReadCounts::Times at(i64 element) const;
  [[nodiscard]] i64 most() const { return most_; }

 private:
  ReadCounts counts_;
  std::vector<i64> operand_;
  std::unordered_map<i64, i64> few_;
  std::vector<i64> all_;
  bool isFew_ = false;
  i64 most_ = 0;
};

// "rows: dimensions 0, 2; columns: 1, 3"; "" for the default arrangement.
[[nodiscard]] std::string arrangement(const std::vector<i64>& sizes);
// The output, with the elements of the tile highlighted.
[[nodiscard]] Grid outputGrid(const std::vector<i64>& sizes, const std::optional<ElementBox>& tile);
// An operand; null: counts are unknown. `most`: the count of the warmest colour.
[[nodiscard]] Grid operandGrid(const std::vector<i64>& sizes, const std::shared_ptr<const ElementCounts>& counts,
                               i64 most, std::string name);
// The colour of an element by its number of reads.
[[nodiscard]] Paint heatOf(i64 times, i64 most);

// Relates an output element to the operand elements that it reads.
[[nodiscard]] LinkPtr readsLink(ReadCounts counts, std::vector<i64> output, std::vector<i64> operand);

}  // namespace tessera::hlo
