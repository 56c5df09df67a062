// TritonLayout: an attribute and, when it is known, the shape that it lays out.
//
//     #ttg.blocked<{...}> over (128,64)       Hardware -> Elements(128,64)
//     #ttg.padded_shared<[16:+4] {...}>       Elements -> Memory, padding included
//     tensor<128x64xf16, #ttg.blocked<{...}>>
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/layout/layout.h"
#include "core/map/map.h"
#include "core/notation/linear/layout.h"
#include "core/notation/triton/attr.h"

namespace tessera {

struct TritonLayout {
  TritonEncoding encoding;
  std::vector<i64> shape;
  std::optional<TritonType> type;  // when a whole tensor or memdesc was written
  bool operator==(const TritonLayout&) const = default;
};
[[nodiscard]] std::string print(const TritonLayout& layout);
// The bases; refused without a shape.
[[nodiscard]] Result<LinearLayout> toLinear(const TritonLayout& layout);
[[nodiscard]] Result<Map> toMap(const TritonLayout& layout);

template <>
struct NotationOf<TritonLayout> {
  static std::string_view kind(const TritonLayout&) { return "triton"; }
  static std::string_view noun(const TritonLayout&) { return "a Triton layout"; }
  static Result<Arrow> arrow(const TritonLayout& layout);
};

}  // namespace tessera
