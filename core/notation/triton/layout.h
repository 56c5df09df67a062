// Layout: an attribute and, when it is known, the shape that it lays out.
//
//     #ttg.blocked<{...}> over (128,64)       Hardware -> Elements(128,64)
//     #ttg.padded_shared<[16:+4] {...}>       Elements -> Memory, padding included
//     tensor<128x64xf16, #ttg.blocked<{...}>>
//     !ttg.memdesc<3x64x32xf16, #ttg.swizzled_shared<{...}>, #ttg.shared_memory, mutable, 3x64x64>
//                                             Elements(3,64,32) -> Memory: buffer * 4096 + place in a buffer of 64x64
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/map/map.h"
#include "core/notation/linear/layout.h"
#include "core/notation/triton/attr.h"

namespace tessera::triton {

struct Layout {
  Encoding encoding;
  std::vector<i64> shape;
  std::optional<Type> type;  // when a whole tensor or memdesc was written
  bool operator==(const Layout&) const = default;
};
[[nodiscard]] std::string print(const Layout& layout);
// The bases; refused without a shape. Of a view they are those of the allocation, as the compiler has it.
[[nodiscard]] Result<linear::Layout> toLinear(const Layout& layout);
[[nodiscard]] Result<Map> toMap(const Layout& layout);
// (dim0, dim1 ..) -> place, of a memory: for the coordinates of the shape, views and any number of buffers included.
[[nodiscard]] Result<Map> memoryMap(const Layout& layout);
// True for a memdesc that shows less than its allocation holds.
[[nodiscard]] bool isView(const Layout& layout);

}  // namespace tessera::triton
