// Recognisers: whether a map has a simpler form. Each returns the form, or a Diag with the reason.
//
//     (4,8):(8,1)           asStrided: offset 0, strides (8, 1)         asF2: 5x5 bit matrix
//     Sw<3,3,3> o that      asStrided: refuses, "(x floordiv 8) ..."    asF2: yes
//     (3,5):(5,1)           asStrided: yes                              asF2: refuses, extent 3 is not a power of two
//
// Laws: a recognised form agrees with the map at every point of its box (tested by tables).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/map/forms/f2.h"
#include "core/map/map.h"

namespace tessera {

// axis = offset + sum over all digits of stride[k] * digit[k].
struct Strided {
  i64 offset = 0;
  std::vector<i64> strides;  // one per digit, Fan included
  bool operator==(const Strided&) const = default;
};
[[nodiscard]] Result<Strided> asStrided(const Map& map, int axis = 0);

// The axes' bits as a linear function of the digits' bits (plus a constant). Input bits: digit 0's bits low first, then
// digit 1's ...; output bits likewise over the axes.
struct F2Form {
  F2Matrix matrix;
  u64 constant = 0;
  std::vector<std::string> inputBits;   // "i0.0", "i0.1", "i1.0" ...
  std::vector<std::string> outputBits;  // "offset.0" ...
  std::vector<int> axisBits;            // output bits per axis
};
// Refuses: an extent that is not a power of two, a negative value, more than 64 bits, or arithmetic that carries.
[[nodiscard]] Result<F2Form> asF2(const Map& map);
// The same of an expression over Digit 0 in [0, 2^bits). Requires bits <= 62.
[[nodiscard]] Result<F2Form> asF2(const Expr& e, int bits);

// e with every occurrence of `core` replaced by Digit 0; nullopt if another variable remains.
[[nodiscard]] std::optional<Expr> abstracted(const Expr& e, const Expr& core);

// refined: splits digits where the axes split them, so that floordiv and mod become sums of strides.
//
//     i in [0,5):  offset = (i floordiv 2) * 16 + i mod 2
//     parts        i = i_0 + 2*i_1,  i_0 in [0,2), i_1 in [0,3), guard i_0 + 2*i_1 <= 4
//                  offset = i_1 * 16 + i_0
//
// Law: refined(f).map(parts) == f(digits(parts)) for every real point of the parts; both have the same number of real
// points. Cuts that do not divide one another (by 2 and by 3) are not a mixed radix: nullopt.

struct Refined {
  Map map;                                // parts of digit 0 (fastest first), parts of digit 1 ...
  std::vector<Expr> digits;               // digit k of the original over the parts
  std::vector<std::vector<int>> partsOf;  // the parts of digit k, fastest first
  bool even = true;                       // no guard was added
};
// nullopt: no axis splits a digit, or the cuts do not nest.
[[nodiscard]] std::optional<Refined> refined(const Map& map);

// For an axis that is a bit matrix of one value: axis == post(inner), with post over Digit 0, linear over bits and
// injective.
//
//     Sw<3,3,3> o (6,64):(72,1)      inner = i*72 + j,  post = x xor (x floordiv 64 mod 8)*8 on 9 bits
//
// inner is the largest sub-expression without xor, else the smallest one; nullopt if the axis has no xor.
struct Outer {
  Expr post, inner;
  i64 top = 0;  // inner is in [0, top]
};
[[nodiscard]] std::optional<Outer> outerOf(const Map& map, int axis);

}  // namespace tessera
