// memory: the other way round. Cells are addresses in order, each shows the logical coordinate that lies there.
//
//     (4,2):(1,8)     addresses 0..11:   0,0 1,0 2,0 3,0 (holes, hatched) 0,1 1,1 2,1 3,1
//     (4,2):(1,2)     address 2 holds 2,0 and 0,1: aliasing, as heat, with the count
//
// The coordinates at an address are found by search over the strides, largest first: at each leaf only those digits are
// tried after which the smaller strides can still reach the rest. A compact layout of 2^40 elements answers in one
// descent. Swizzles are undone first (they are their own inverse); other maps go through their inverse, or a table when
// small. Law: occupants(a) are exactly the indices with value a, while fewer than the limit.
#pragma once

#include <memory>
#include <vector>

#include "render/draw/subject.h"

namespace tessera {

class AddressIndex {
 public:
  virtual ~AddressIndex() = default;
  struct Occupants {
    std::vector<i64> indices;  // colex linear indices, ascending, at most the limit
    bool more = false;         // there are more, or perhaps more: the search was cut
  };
  [[nodiscard]] virtual Occupants occupants(i64 address, int limit) const = 0;
};

// A Diag when the map can neither be inverted nor is small enough for a table.
[[nodiscard]] Result<std::shared_ptr<const AddressIndex>> addressIndex(const std::shared_ptr<const Subject>& subject);

}  // namespace tessera
