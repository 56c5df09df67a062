// Layout: an attribute and, when it is known, the shape that it lays out.
//
//     #ttg.blocked<{...}> over (128,64)       Hardware -> Elements(128,64)
//     #ttg.padded_shared<[16:+4] {...}>       Elements -> Memory, padding included
//     tensor<128x64xf16, #ttg.blocked<{...}>>
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
// The bases; refused without a shape.
[[nodiscard]] Result<linear::Layout> toLinear(const Layout& layout);
[[nodiscard]] Result<Map> toMap(const Layout& layout);

}  // namespace tessera::triton
