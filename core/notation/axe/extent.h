// Where a literal of this notation ends. Nothing is judged here: what begins like one is found up to where it ends, and the
// notation's parser says what is wrong with it.
#pragma once

#include "core/base/scan.h"

namespace tessera::axe {

// S[(8,2):(4@lane,1@warp)] + R[2:4@warp] + 5@warp for n in [1, 4], and the other forms of layout.h. `over (8,16)` behind
// one is the worksheet's, not the literal's.
[[nodiscard]] Found extent(std::string_view text, std::size_t from);
// {lane: 8, reg: 1}
[[nodiscard]] Found placeExtent(std::string_view text, std::size_t from);
// mesh (2,2):(1,2), mesh 4
[[nodiscard]] Found meshExtent(std::string_view text, std::size_t from);

}  // namespace tessera::axe
