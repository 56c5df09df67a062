// Where a literal of this notation ends. Nothing is judged here: what begins like one is found up to where it ends, and the
// notation's parser says what is wrong with it.
#pragma once

#include "core/base/scan.h"

namespace tessera::triton {

// #ttg.blocked<{...}>, #blocked = #ttg...., tensor<128x64xf16, #ttg....>, !ttg.memdesc<...>, !tt.tensordesc<...>
[[nodiscard]] Found extent(std::string_view text, std::size_t from);

}  // namespace tessera::triton
