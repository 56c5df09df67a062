// Recognisers: whether a map has a simpler form. Each returns the form, or a Diag with the reason.
//
//     (4,8):(8,1)           asStrided: offset 0, strides (8, 1)         asF2: 5x5 bit matrix
//     Sw<3,3,3> o that      asStrided: refuses, "(x floordiv 8) ..."    asF2: yes
//     (3,5):(5,1)           asStrided: yes                              asF2: refuses, extent 3 is not a power of two
//
// Laws: a recognised form agrees with the map at every point of its box (tested by tables).
#pragma once

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

}  // namespace tessera
