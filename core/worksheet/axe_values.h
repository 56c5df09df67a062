// Values of Axe and Triton that are no layout by themselves: places, coordinates, an attribute with its shape.
//
//     forward(X, (8,16), (2,9))      [{lane: 8, reg: 1, warp: 6}, {lane: 8, reg: 1, warp: 10}]
//     backward(X, (8,16), {...})     [(2,9)]
//     #ttg.blocked<{...}> over (128,64),  tensor<128x64xf16, #ttg.blocked<{...}>>
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/map/map.h"
#include "core/notation/axe/layout.h"
#include "core/notation/axe/mesh.h"
#include "core/notation/axe/swizzle.h"
#include "core/notation/linear/layout.h"
#include "core/notation/triton/attr.h"

namespace tessera {

struct AxePlaces {
  std::vector<AxePlace> places;  // distinct, sorted
  bool operator==(const AxePlaces&) const = default;
};
struct AxeCoords {
  std::vector<std::vector<i64>> coords;  // distinct, sorted
  bool operator==(const AxeCoords&) const = default;
};
[[nodiscard]] std::string print(const AxePlaces& places);
[[nodiscard]] std::string print(const AxeCoords& coords);

// An attribute and, when it is known, the shape that it lays out; `type` when a whole tensor or memdesc was written.
struct TritonLayout {
  TritonEncoding encoding;
  std::vector<i64> shape;
  std::optional<TritonType> type;
  bool operator==(const TritonLayout&) const = default;
};
[[nodiscard]] std::string print(const TritonLayout& layout);
// The bases; refused without a shape.
[[nodiscard]] Result<LinearLayout> toLinear(const TritonLayout& layout);
[[nodiscard]] Result<Map> toMap(const TritonLayout& layout);
[[nodiscard]] Result<Map> toMap(const AxeComposed& layout);  // over its tile's domain

// mesh (2,2):(1,2): (d0, d1) -> device number.
[[nodiscard]] Result<Map> toMap(const Mesh& mesh);

// {lane: 8, reg: 1} as text -> the place; `=` and `:` are both read. Spans count from text[0].
[[nodiscard]] Result<AxePlace> parsePlace(std::string_view text);

}  // namespace tessera
