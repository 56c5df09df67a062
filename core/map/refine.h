// refined: digits cut into parts where the axes cut them, so that what was a floordiv and a mod is a sum of strides.
//
//     i in [0,5):  offset = (i floordiv 2) * 16 + i mod 2
//     parts        i = i_0 + 2*i_1,  i_0 in [0,2), i_1 in [0,3), guard i_0 + 2*i_1 <= 4
//                  offset = i_1 * 16 + i_0
//
// Law: refined(f).map(parts) == f(digits(parts)) for every real point of the parts; the parts' real points and f's are
// the same in number. Cuts that do not divide one another (by 2 and by 3) are not a mixed radix: nullopt.
#pragma once

#include <optional>
#include <vector>

#include "core/map/map.h"

namespace tessera {

struct Refined {
  Map map;                                // parts of digit 0 (fastest first), parts of digit 1 ...
  std::vector<Expr> digits;               // digit k of the original over the parts
  std::vector<std::vector<int>> partsOf;  // the parts of digit k, fastest first
  bool even = true;                       // no guard had to be added
};
// nullopt: no axis cuts a digit, or the cuts do not nest.
[[nodiscard]] std::optional<Refined> refined(const Map& map);

// Where an axis is a bit matrix of one value: axis == post(inner), post over Digit 0, linear over bits and injective.
//
//     Sw<3,3,3> o (6,64):(72,1)      inner = i*72 + j,  post = x xor (x floordiv 64 mod 8)*8 on 9 bits
//
// The largest inner value that holds no xor, else the smallest there is; nullopt when the axis holds no xor.
struct Outer {
  Expr post, inner;
  i64 top = 0;  // inner lies in [0, top]
};
[[nodiscard]] std::optional<Outer> outerOf(const Map& map, int axis);

}  // namespace tessera
