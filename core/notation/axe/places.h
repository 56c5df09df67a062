// What forward and backward answer: places and coordinates.
//
//     forward(X, (8,16), (2,9))      [{lane: 8, reg: 1, warp: 6}, {lane: 8, reg: 1, warp: 10}]
//     backward(X, (8,16), {...})     [(2,9)]
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/notation/axe/layout.h"

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

// {lane: 8, reg: 1} as text -> the place; `=` and `:` are both read. Spans count from text[0].
[[nodiscard]] Result<AxePlace> parsePlace(std::string_view text);

}  // namespace tessera
