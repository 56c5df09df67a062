// Scalars of generated code: Graphene's element types as C++ types, and operations on them as C++ expressions.
//
//     fp16    half     "+" of a, b: __hadd(a, b)      from fp32 x: __float2half_rn(x)
//     fp32    float                 a + b             from fp16 x: __half2float(x)
//
// Law: an expression here has the value of the atom's operation, rounded to the type as the emulator rounds it
// (solver/emulate/numbers.h), up to the approximations that CUDA's __expf and its like are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"

namespace tessera::codegen {

struct ScalarType {
  std::string_view element;  // PTX's name, "f16"
  std::string_view text;     // "half"
  std::string_view pair;     // "half2": two of them in one register; empty: none
  std::string_view header;   // "cuda_fp16.h"
  int bits = 32;
};
// By any name that Graphene knows, "fp16"; nothing for what C++ has no type for: values below 8 bits.
[[nodiscard]] std::optional<ScalarType> scalarType(std::string_view element);

// An operation's text: {} stands for its operands in order. Empty: none for the type. `pair`: of two values at once.
[[nodiscard]] std::string unaryText(std::string_view operation, const ScalarType& type, bool pair);
[[nodiscard]] std::string binaryText(std::string_view operation, const ScalarType& type, bool pair);
// c = a * b + c as a function of a, b, c.
[[nodiscard]] std::string multiplyAddText(const ScalarType& type, bool pair);
// A value of `from` as one of `to`; "{}" where both are the same.
[[nodiscard]] std::string conversionText(const ScalarType& from, const ScalarType& to);
// A number, "0.125" or "-inf".
[[nodiscard]] std::string constantText(std::string_view number, const ScalarType& type);

// `text` with its {} replaced in order.
[[nodiscard]] std::string filled(std::string_view text, const std::vector<std::string>& operands);

}  // namespace tessera::codegen
