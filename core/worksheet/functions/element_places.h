// forward and backward of a layout of elements in any notation, through its arrow.
//
//     Sw<1,0,1> o (2,2):(2,1) at (1,0)        {m: 3}
//     Sw<1,0,1> o (2,2):(2,1) back from 3     (1,0)
//     (4,4):(1,1) back from 3                 (0,3) (1,2) (2,1) (3,0)
//     to_map(S[8:1@lane]) at (5)              {lane: 5}
//
// Law: c in backward(p) <=> p in forward(c); equal layouts of one shape give equal answers.
#pragma once

#include <optional>
#include <vector>

#include "core/layout/arrow.h"
#include "core/notation/axe/eval.h"

namespace tessera {

// nullopt: the arrow does not map elements to one address or to hardware, has symbolic sizes, or (backward) has no
// inverse and more than 2^20 points. Coordinates have one number per mode; an axis that a place does not name is 0.
[[nodiscard]] std::optional<Result<axe::Places>> forwardOf(const Arrow& arrow, const std::vector<i64>& coordinate);
[[nodiscard]] std::optional<Result<axe::Coords>> backwardOf(const Arrow& arrow, const axe::Place& place);

// The values of the map at these digits, one per replica; nullopt if there are more than `most`.
[[nodiscard]] std::optional<std::vector<std::vector<i64>>> imagesAt(const Arrow& arrow, const std::vector<i64>& digits,
                                                                    i64 most);

}  // namespace tessera
