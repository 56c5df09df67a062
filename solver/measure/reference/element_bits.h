// ElementBits: the device representation of a number, for every element type of Graphene.
//
//     fp16   1.5 -> 0x3E00     bf16   1.5 -> 0x3FC0     e4m3   448 -> 0x7E     i8   -3 -> 0xFD
//
// Law: decoded(encoded(x)) == rounded(x) (solver/emulate/format.h), NaN to NaN; encoded(decoded(bits)) == bits unless
// bits is a NaN. e4m3 has no infinity: values beyond its range become its largest number.
#pragma once

#include "core/base/types.h"
#include "solver/emulate/format.h"

namespace tessera::measure {

// In the lowest type.bits bits. tf32 uses all 32, like fp32.
[[nodiscard]] u64 encoded(double value, const graphene::NumberFormat& type);
[[nodiscard]] double decoded(u64 bits, const graphene::NumberFormat& type);

// Little endian, type.bits / 8 bytes. Any alignment.
void put(unsigned char* to, u64 bits, int width);
[[nodiscard]] u64 get(const unsigned char* from, int width);

}  // namespace tessera::measure
