// memory: the inverse view. Cells are addresses in order; each shows the logical coordinates stored there.
//
//     (4,2):(1,8)     addresses 0..11:   0,0 1,0 2,0 3,0 (holes, hatched) 0,1 1,1 2,1 3,1
//     (4,2):(1,2)     address 2 holds 2,0 and 0,1: aliasing, shown as heat with the count
//
// The coordinates at an address are found by a search over the strides, largest first; at each leaf only those digits
// are tried for which the smaller strides can reach the rest. For a compact layout of 2^40 elements this is a single
// descent. Swizzles are undone first (they are their own inverse); other maps use their inverse, or a table if small.
// Law: occupants(a) are exactly the indices with value a, up to the limit.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "render/draw/subject.h"

namespace tessera {

struct AddressIndex {
  struct Occupants {
    std::vector<i64> indices;  // colex linear indices, ascending, at most the limit
    bool more = false;         // there are, or may be, more: the search was cut off
  };
  std::function<Occupants(i64 address, int limit)> occupants;
};

// Returns a Diag if the map cannot be inverted and is too large for a table.
[[nodiscard]] Result<std::shared_ptr<const AddressIndex>> addressIndex(const SubjectPtr& subject);

}  // namespace tessera
