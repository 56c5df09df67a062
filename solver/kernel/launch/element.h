// Element: a type of numbers in a buffer or a scalar argument, with the names that NumPy, PTX and CUDA have for it.
//
//     elementNamed("float16")   elementNamed("f16")   elementNamed("half")     the same element: 2 bytes, "<f2"
//     encoded(f16, 1.5)         0x3E00
//     decoded(f16, 0x3E00)      1.5
//
// Law: decoded(encoded(x)) is the nearest number of the type, ties to even; encoded(decoded(bits)) == bits except for
// NaNs. Why not solver/measure's: this folder needs neither Graphene's formats nor a device.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/ptx/module.h"

namespace tessera::kernel {

struct Element {
  enum class Kind : unsigned char { Bool, Unsigned, Signed, Float, Bits };
  std::string_view name;   // "float16"
  std::string_view also;   // other names, between blanks: " f16 fp16 half "
  std::string_view descr;  // of an .npy file: "<f2"
  int bytes = 0;
  Kind kind = Kind::Bits;
  int exponentBits = 0, mantissaBits = 0;  // Float
};

[[nodiscard]] const Element* elementNamed(std::string_view name);     // nullptr: no such type
[[nodiscard]] const Element* elementOfDescr(std::string_view descr);  // the first of those with this descr
// "float32, float16, ...": for messages.
[[nodiscard]] std::string elementNames();

// Float only. bfloat16, e4m3 and e5m2 have no NumPy type of their own; their files hold bits.
[[nodiscard]] u64 encoded(const Element& element, double value);
// Any kind but Bits.
[[nodiscard]] double decoded(const Element& element, u64 bits);
// "5", "-1", "0x10", "0.5", "inf", "true" as bits; nullopt: not a number of this type.
[[nodiscard]] std::optional<u64> valueOf(const Element& element, std::string_view text);

}  // namespace tessera::kernel
