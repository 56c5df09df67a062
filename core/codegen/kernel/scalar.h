// Scalars of generated code: Graphene's element types as C++ types, and operations on them as C++ expressions.
//
//     fp16    half     "+" of a, b: __hadd(a, b)      from fp32 x: __float2half_rn(x)
//     fp32    float                 a + b             from fp16 x: __half2float(x)
//
// Law: an expression has the value of the atom's operation, rounded to the type as in the emulator
// (solver/emulate/numbers.h), except for approximate functions such as CUDA's __expf.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::codegen {

struct ScalarType {
  std::string_view element;  // PTX's name, "f16"
  std::string_view text;     // "half"
  std::string_view pair;     // "half2": two in one register; empty: none
  std::string_view header;   // "cuda_fp16.h"
  int bits = 32;
};
// By any name that Graphene knows, "fp16"; nullopt: no C++ type (below 8 bits).
[[nodiscard]] std::optional<ScalarType> scalarType(std::string_view element);

// An operation's text, with {} for each operand in order; empty: not available for the type. `pair`: for two values at
// once.
[[nodiscard]] std::string operationText(std::string_view operation, const ScalarType& type, bool pair);
// c = a * b + c as a function of a, b, c.
[[nodiscard]] std::string multiplyAddText(const ScalarType& type, bool pair);
// Converts a value of `from` to `to`; "{}" if both are the same.
[[nodiscard]] std::string conversionText(const ScalarType& from, const ScalarType& to);
// A number, "0.125" or "-inf".
[[nodiscard]] std::string constantText(std::string_view number, const ScalarType& type);

// `text` with every `what` replaced by `with`.
[[nodiscard]] std::string replaced(std::string text, std::string_view what, std::string_view with);
// `text` with its {} replaced in order.
[[nodiscard]] std::string filled(std::string_view text, const std::vector<std::string>& operands);

}  // namespace tessera::codegen
