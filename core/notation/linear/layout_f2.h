// Linear algebra over GF(2) on up to 62 bits: a matrix is a list of columns, each the packed coordinates of a basis.
#pragma once

#include <optional>
#include <vector>

#include "core/notation/linear/layout.h"

namespace tessera::linear::f2 {

[[nodiscard]] int log2(i64 powerOfTwo);
// The first output in the low bits.
[[nodiscard]] u64 pack(const Basis& basis, const std::vector<Out>& outs);
// One column per input bit, in order.
[[nodiscard]] std::vector<u64> columns(const Layout& l);
[[nodiscard]] int rank(const std::vector<u64>& columns);

// An echelon form of columns that records which combination of columns each row is: solves A x = y with 0 for the
// dependent columns (scanning left to right).
class Solver {
 public:
  explicit Solver(const std::vector<u64>& columns);
  [[nodiscard]] std::optional<u64> solve(u64 y) const;        // x as a bit mask over columns
  [[nodiscard]] u64 dependent() const { return dependent_; }  // columns that are combinations of earlier ones

 private:
  struct Row {
    u64 value = 0, combination = 0, pivot = 0;  // pivot: the top bit of value
  };
  std::vector<Row> rows_;
  u64 dependent_ = 0;
};

}  // namespace tessera::linear::f2
