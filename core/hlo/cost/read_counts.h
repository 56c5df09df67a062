// Read counts: for each element of an operand, how many elements of the output read it, and which.
//
//     x + transpose(x), f32[1000,1000]       times(3, 3) = 1, times(3, 4) = 2; readersOf(3, 4) = (3, 4) and (4, 3)
//     reduce of f32[2,65,125] along the last times(0, 1, 7) = 1, readersOf = (0, 1)
//     softmax, which also reads x directly       times(0, 1, 7) = 125: two maps give 126 reads by 125 elements
//
// The cost depends on the parts of a map (map_parts.h), not on the array: each part has a table or, above 2^20 points,
// an inverse (core/map/inverse/inverse.h), and a query combines the answers of the parts.
//
// Laws: times(e) is the number of distinct output elements that read e, or an upper bound if not `exact`. readersOf and
// readBy are converses, up to their limits.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/map/map.h"

namespace tessera::hlo {

// Elements from .. to - 1 in each dimension.
struct ElementBox {
  std::vector<i64> from, to;
  bool operator==(const ElementBox&) const = default;

  [[nodiscard]] i64 elements() const;
};
// "[0:8,16:32]"
[[nodiscard]] std::string print(const ElementBox& box);
// Parses that text; a single number is one element; blanks are ignored. A Diag: the box is not inside an array of these
// sizes.
[[nodiscard]] Result<ElementBox> readBox(std::string_view text, const std::vector<i64>& sizes);

// The map restricted to these coordinates; nullopt: none of them is in its domain.
[[nodiscard]] std::optional<Map> within(const Map& map, const ElementBox& box);

class ReadCounts {
 public:
  struct Times {
    i64 times = 0;
    bool exact = true;  // false: an upper bound
  };
  // For the union of all maps. A Diag: why the reads cannot be counted.
  [[nodiscard]] static Result<ReadCounts> of(const std::vector<Map>& maps, std::vector<i64> output,
                                             std::vector<i64> operand);

  [[nodiscard]] Times times(std::span<const i64> element) const;
  // An upper bound on times().
  [[nodiscard]] i64 most() const { return most_; }
  // Sorted row-major numbers, at most `limit`: of the outputs that read an element; of the elements that an output
  // reads.
  [[nodiscard]] std::vector<i64> readersOf(std::span<const i64> element, std::size_t limit) const;
  [[nodiscard]] std::vector<i64> readBy(std::span<const i64> output, std::size_t limit) const;

 private:
  class Relation;
  std::vector<i64> output_, operand_;
  std::vector<std::shared_ptr<const Relation>> relations_;
  i64 most_ = 0;
};

}  // namespace tessera::hlo
