// Where a literal of this notation ends. Nothing is judged here: what begins like one is found up to where it ends, and the
// notation's parser says what is wrong with it.
#pragma once

#include "core/base/scan.h"

namespace tessera::xla {

// f32[3,5]{1,0:T(2,2)}, a tuple of them, add.1 = f32[3]{0} add(a, b), dimensions={0}
[[nodiscard]] Found extent(std::string_view text, std::size_t from);

}  // namespace tessera::xla
