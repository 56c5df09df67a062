// Boxes: sets of the values of guarded sizes (plan.h), each a range for every size, by number.
//
//     if (128*j + @t < C) { A } else { B }      thread 3, j = 1; C has every value from 1 to 512 at once
//
//     boxes.narrowed(Boxes::kAll, 0, {132, 512})      box 1: the values of C for which thread 3 executes A
//     boxes.narrowed(Boxes::kAll, 0, {1, 131})        box 2: those for which it executes B
//     boxes.disjoint(1, 2)                            no run has both
//
// Law: equal sets have equal numbers.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "core/base/types.h"

namespace tessera::graphene {

class Boxes {
 public:
  using Id = std::int32_t;
  static constexpr Id kAll = 0, kEmpty = -1;
  struct Span {
    i64 least = 1, most = 0;
    auto operator<=>(const Span&) const = default;
  };

  // `most`: by size; each has the values 1 to most.
  explicit Boxes(const std::vector<i64>& most);

  // The part of a box in which a size is in the span.
  [[nodiscard]] Id narrowed(Id box, int size, Span span);
  [[nodiscard]] Id common(Id a, Id b);
  [[nodiscard]] bool disjoint(Id a, Id b) { return common(a, b) == kEmpty; }
  [[nodiscard]] bool contains(Id outer, Id inner) { return common(outer, inner) == inner; }
  // The smallest box around both.
  [[nodiscard]] Id around(Id a, Id b);
  // Both together, if that is a box.
  [[nodiscard]] std::optional<Id> together(Id a, Id b);
  // The rest of a box without a part of it, if that is a box.
  [[nodiscard]] std::optional<Id> without(Id whole, Id part);
  // Requires: not empty.
  [[nodiscard]] const Span& of(Id box, int size) const { return rows_[box][size]; }
  [[nodiscard]] std::size_t sizes() const { return rows_.front().size(); }

 private:
  using Row = std::vector<Span>;  // by size
  [[nodiscard]] Id numberOf(Row row);
  template <class Combine>
  [[nodiscard]] Id combined(Id a, Id b, Combine combine);  // span by span

  std::vector<Row> rows_;  // by number
  std::map<Row, Id> numbers_;
};

}  // namespace tessera::graphene
