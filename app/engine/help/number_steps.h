// Number steps: the sizes next to an integer of a worksheet, for a control beside it. Pure text.
//
//     kHeadDim = 64   // assumed: edit        [-] 48   [+] 96
//
// Sizes are 0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, ...: the powers of two and three times these.
// Laws (tests/engine/number_steps_test.cpp): nextSize is strictly monotone in its direction, stays in [0,
// kLargestSize], and the two directions undo each other on sizes.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera {

inline constexpr i64 kLargestSize = i64{1} << 40;

// The nearest size above (direction 1) or below (-1) the value; the value itself where there is none.
[[nodiscard]] i64 nextSize(i64 value, int direction);

struct NumberPlace {
  Span span;  // of the digits, in the text given
  i64 value = 0;
  bool operator==(const NumberPlace&) const = default;
};

// The decimal integer that contains or touches this byte: 64 in (8,64):(64,1), also in _64. Not a part of a name
// (fp16), of a decimal fraction or of a hexadecimal number.
[[nodiscard]] std::optional<NumberPlace> integerAt(std::string_view text, std::size_t byte);

// The constant of a line whose comment says that it is assumed; nullopt for every other line.
[[nodiscard]] std::optional<NumberPlace> assumedConstant(std::string_view line);

// The named sizes that a line gives to its statement, in their order:
//
//     run gemm with M=8, stages=3 compare cublas        M, stages
//     show gemm as player, step 3, M 256                M; step, block, thread are in the picture's own bar
//     } over (tid = 128) with N = 64                    tid, N
struct GivenSize {
  std::string name;
  NumberPlace number;
};
[[nodiscard]] std::vector<GivenSize> givenSizes(std::string_view line);

}  // namespace tessera
