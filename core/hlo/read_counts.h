// Read counts: how often each element of an operand is read by an array of outputs, and by which, asked element by element.
//
//     x + transpose(x), f32[1000,1000]       times(3, 3) = 1, times(3, 4) = 2; readersOf(3, 4) = (3, 4) and (4, 3)
//     reduce of f32[2,65,125] along the last times(0, 1, 7) = 1, readersOf = (0, 1)
//     softmax, which reads x itself as well      times(0, 1, 7) = 125: by two maps 126 times, by 125 elements
//
// Nothing here costs what the arrays are large: a map is taken apart into its parts (map_parts.h), each with a table or, where it is
// larger than 2^20 points, with the way back (core/map/inverse.h); an element asks every part for its share.
//
// Laws: times(e) is the number of different elements of the output that read e, or (not exact) at least it; readersOf and readBy are each
// other's converse, up to their limits.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/map/map.h"

namespace tessera::hlo {

// Elements from .. to - 1 of each dimension.
struct ElementBox {
  std::vector<i64> from, to;
  bool operator==(const ElementBox&) const = default;

  [[nodiscard]] i64 elements() const;
};
// "[0:8,16:32]"
[[nodiscard]] std::string print(const ElementBox& box);
// The same text, a number alone for one element, blanks anywhere; inside of an array of these sizes. A Diag says which part is wrong.
[[nodiscard]] Result<ElementBox> readBox(std::string_view text, const std::vector<i64>& sizes);

// The map at these coordinates only; nullopt: it is asked for at none of them.
[[nodiscard]] std::optional<Map> within(const Map& map, const ElementBox& box);

class ReadCounts {
 public:
  struct Times {
    i64 times = 0;
    bool exact = true;  // false: at most
  };
  // Of all maps together. A Diag: not countable, and why.
  [[nodiscard]] static Result<ReadCounts> of(const std::vector<Map>& maps, std::vector<i64> output,
                                             std::vector<i64> operand);

  [[nodiscard]] Times times(std::span<const i64> element) const;
  // No element is read more often.
  [[nodiscard]] i64 most() const { return most_; }
  // Row-major numbers of the outputs that read it, at most `limit`, sorted; and of the elements that an output reads.
  [[nodiscard]] std::vector<i64> readersOf(std::span<const i64> element, std::size_t limit) const;
  [[nodiscard]] std::vector<i64> readBy(std::span<const i64> output, std::size_t limit) const;

 private:
  class Relation;
  std::vector<i64> output_, operand_;
  std::vector<std::shared_ptr<const Relation>> relations_;
  i64 most_ = 0;
};

}  // namespace tessera::hlo
