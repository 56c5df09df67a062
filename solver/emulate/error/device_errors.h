// DeviceErrors: how inaccurate the instructions of the generated code are (core/atlas/scalar_operation.h), and the sums
// of matrix instructions. Rounding to the element type comes on top.
//
//     deviceError("exp", fp32)     {2, 1.173, 2^-126}: 2 + 1.173 |x| units of 2^-23, and results below 2^-126 are 0
//     deviceError("+", fp32)       exact before rounding
//     accumulation({fp16, fp32, 32 lanes}, 16)     18 additions, each with an error of 2^-23
//
// Sources: CUDA C++ Programming Guide, Mathematical Functions: maximal errors in ulp against the correctly rounded
// result, of __expf, __logf, tanhf, rsqrtf, and in double precision of exp, log, tanh, rsqrt; division, reciprocal and
// square root are correctly rounded (-prec-div, -prec-sqrt, the defaults). PTX ISA, ex2.approx.ftz: 2 ulp. The
// functions of halves have no table: they are computed in fp32 and rounded, and we allow 1 ulp more.
//
// Matrix instructions are not documented. Fasi et al., Numerical behavior of NVIDIA tensor cores (2021): products are
// exact, sums are truncated to at least 24 bits in an unspecified order. FP8 on Hopper keeps 14 bits. An accumulator of
// halves may be rounded after every 4 products.
#pragma once

#include <optional>
#include <string_view>

#include "solver/emulate/format.h"

namespace tessera::graphene {

struct DeviceError {
  double units = 0;        // of 2^(1 - precision) of the value
  double perArgument = 0;  // the same, times |x|
  double absolute = 0;
  double unit = 0;  // 2^(1 - precision) of the type it is computed in
  // Relative to the value of the function, for arguments of at most this magnitude.
  [[nodiscard]] double relative(double argument) const {
    return unit * (units + (perArgument == 0 ? 0 : perArgument * argument));
  }
};
// nullopt: no bound is known.
[[nodiscard]] std::optional<DeviceError> deviceError(std::string_view operation, const NumberFormat& type);

// The sum c + a1*b1 + ... + an*bn of one instruction: its error is at most
// `relative` * (|c| + |a1*b1| + ... + |an*bn|), before the final rounding.
struct Accumulation {
  double relative = 0;
};
[[nodiscard]] Accumulation accumulation(const NumberFormat& factors, const NumberFormat& sum, bool matrix,
                                        int products);

}  // namespace tessera::graphene
