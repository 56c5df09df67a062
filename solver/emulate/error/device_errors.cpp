#include "solver/emulate/error/device_errors.h"

#include <algorithm>
#include <cmath>

namespace tessera::graphene {
namespace {

constexpr double kFlushed = 0x1p-126;  // results of approximations below this are 0

struct FunctionRow {
  std::string_view name;
  DeviceError half, single, twice;
};
// The units are those of the table plus one half where the table counts from the correctly rounded result and the
// result is not rounded again (it is a number of the type): that rounding is added to every result anyway.
constexpr FunctionRow kFunctions[] = {
    {"exp", {1, 0, kFlushed}, {2, 1.173, kFlushed}, {1}},
    {"exp2", {1, 0, kFlushed}, {2, 0, kFlushed}, {1}},
    // In [0.5, 2] the error of __logf is absolute.
    {"log", {1, 0, 0x1p-21}, {3, 0, 0x1p-21}, {1}},
    {"rcp", {1, 0, kFlushed}, {}, {}},
    {"/", {1, 0, kFlushed}, {}, {}},
    {"sqrt", {1, 0, kFlushed}, {}, {}},
    {"rsqrt", {1, 0, kFlushed}, {2, 0, kFlushed}, {1}},
    {"tanh", {1, 0, kFlushed}, {2, 0, kFlushed}, {2}},
    // 1 / (1 + exp(-x)): the error of exp, and two roundings. It is 0 where exp(-x) overflows.
    {"sigmoid", {1, 0, kFlushed}, {5, 1.173, 2 * kFlushed}, {4}},
    {"relu", {}, {}, {}},
    {"neg", {}, {}, {}},
    {"id", {}, {}, {}},
    {"+", {}, {}, {}},
    {"-", {}, {}, {}},
    {"*", {}, {}, {}},
    {"max", {}, {}, {}},
    {"min", {}, {}, {}},
};

}  // namespace

std::optional<DeviceError> deviceError(std::string_view operation, const NumberFormat& type) {
  const auto row = std::ranges::find(kFunctions, operation, &FunctionRow::name);
  if (row == std::end(kFunctions)) return std::nullopt;
  const bool half = type.bits <= 16;
  DeviceError out = half ? row->half : type.bits == 64 ? row->twice : row->single;
  // tf32 is computed as fp32. A function of halves is one of fp32 first: __expf of a half has its own error, too.
  const int precision = half ? type.precision : type.bits == 64 ? 53 : 24;
  out.unit = std::ldexp(1.0, 1 - precision);
  if (half && row->single.perArgument != 0) out.perArgument = row->single.perArgument * 0x1p-23 / out.unit;
  return out;
}

Accumulation accumulation(const NumberFormat& factors, const NumberFormat& sum, bool matrix, int products) {
  const auto gamma = [](double steps, double unit) { return steps * unit / (1 - steps * unit); };
  if (factors.precision == 0) return {};
  if (!matrix || sum.bits == 64)  // a chain of fma
    return {products <= 1 ? 0 : gamma(products, std::ldexp(1.0, -sum.precision))};
  const double unit = factors.bits == 8 ? 0x1p-13 : 0x1p-23;
  double out = gamma(products + 2, unit);
  if (sum.bits == 16) out += gamma((products + 3) / 4, std::ldexp(1.0, 1 - sum.precision));
  return {out};
}

}  // namespace tessera::graphene
