// Placed: the places of a tensor's elements on named axes, for views of Axe and Triton layouts.
//
//     S[(8,2,4,2):(4@lane,1@warp,1@lane,1@reg)] + R[2:4@warp] + 5@warp over (8,16)
//     shape (8,16), axes lane reg warp; element (2,9): {lane 8, reg 1, warp 6} and {lane 8, reg 1, warp 10}
//
// Nothing is tabulated: a cell is computed when a backend reads it, so a tensor of 2^40 elements costs nothing.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/layout/layout.h"
#include "core/notation/axe/layout.h"
#include "core/notation/linear/layout.h"
#include "render/draw/draw.h"
#include "render/figure/figure.h"

namespace tessera {

class Placed {
 public:
  static constexpr std::size_t kMaxReplicas = 64;

  // For Axe layouts, linear layouts and Triton attributes over a shape; otherwise returns a Diag.
  [[nodiscard]] static Result<std::shared_ptr<const Placed>> of(const Layout& layout);

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const std::vector<i64>& shape() const { return shape_; }
  [[nodiscard]] i64 size() const { return size_; }
  // Rows and columns of the picture: the last dimension across, the others (row-major) down; a single dimension is
  // wrapped.
  [[nodiscard]] i64 rows() const { return size_ / columns_; }
  [[nodiscard]] i64 columns() const { return columns_; }
  // The layout as Axe, if it has that form (a swizzle over threads does not).
  [[nodiscard]] const std::optional<axe::Layout>& axe() const { return axe_; }
  // Row-major index -> coordinate; the first kMaxReplicas places of an element; its point (colex, as in every view).
  [[nodiscard]] std::vector<i64> coordOf(i64 linear) const;
  [[nodiscard]] std::vector<axe::Place> places(i64 linear) const;
  [[nodiscard]] Point pointOf(i64 linear) const;
  [[nodiscard]] std::optional<i64> linearOf(Point point) const;
  [[nodiscard]] i64 replicas() const { return replicaCount_; }
  // The number of values of an axis over the whole tensor.
  [[nodiscard]] i64 extentOf(const std::string& axis) const;
  [[nodiscard]] const std::vector<std::string>& axes() const { return axes_; }

 private:
  std::string text_;
  std::vector<i64> shape_;
  std::vector<std::string> axes_;
  std::vector<i64> extents_;  // of the axes
  i64 size_ = 1, columns_ = 1, replicaCount_ = 1;
  std::optional<axe::Layout> axe_;
  std::vector<axe::Place> shifts_;  // added by each replica
  linear::Layout linear_, inverse_;
  std::vector<std::vector<i64>> kernel_;  // inputs with the same element, combined by xor
};

// 0 on an axis that the place does not name.
[[nodiscard]] i64 valueOn(const axe::Place& place, const std::string& axis);
// Adds the values of the same axis.
[[nodiscard]] axe::Place plus(axe::Place a, const axe::Place& b);
// The first axis that the layout has for threads, warps, registers, devices; "" if none.
[[nodiscard]] std::string laneAxis(const Placed& placed);
[[nodiscard]] std::string warpAxis(const Placed& placed);
[[nodiscard]] std::string deviceAxis(const Placed& placed);
// "T", "W", "r", "D", "": prefix of a number on this axis.
[[nodiscard]] std::string axisMark(const std::string& axis);

// A (thread, value) layout as the tile that it holds. The words give its shape ("16x8"); by default it is nearly
// square. Any other layout is unchanged.
[[nodiscard]] Result<Layout> heldTileOf(const Layout& layout, const DrawOptions& options);

}  // namespace tessera
