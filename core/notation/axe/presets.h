// Named layouts of accelerators with two-dimensional memories.
//
// trainium("FPF", (32,512,512)): one letter per dimension, P for the partition axis (128 partitions), F for the free
// one; F dimensions are contiguous row-major. One P dimension may exceed 128 as a multiple of it: its high part gets
// the largest F stride. Several P dimensions are row-major, with a product of at most 128.
//     = S[(32,4,128,512):(512@F,16384@F,1@P,1@F)]
// toPsum(L): free elements split at 512 into Bank and F.   S[(1024,8):(1@F,1@P)] -> S[(2,512,8):(1@Bank,1@F,1@P)]
#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/notation/axe/layout.h"

namespace tessera::axe {

[[nodiscard]] Result<Layout> trainium(std::string_view annotation, const std::vector<i64>& shape);
[[nodiscard]] Result<Layout> toPsum(const Layout& layout);

}  // namespace tessera::axe
