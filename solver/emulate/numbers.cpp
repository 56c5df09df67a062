#include "solver/emulate/numbers.h"

#include "core/atlas/scalar_operation.h"

namespace tessera::graphene {
int Numbers::operation(std::string_view name) {
  const ScalarOperation* row = scalarOperation(name);
  return row == nullptr ? -1 : static_cast<int>(row - scalarOperations().data());
}

double Numbers::unary(int operation, double a) { return binary(operation, a, 0); }
double Numbers::binary(int operation, double a, double b) {
  return operation < 0 ? undefined() : scalarOperations()[operation].value(a, b);
}

namespace {

// The bits of an integer below 2^63 held in a double.
u64 bitsOf(double value) { return static_cast<u64>(static_cast<i64>(value)); }
double lowOf(u64 bits, const NumberFormat& type) {
  const u64 mask = (u64{1} << type.bits) - 1;
  return wrapped(static_cast<double>(bits & mask), type);
}
bool is(int operation, std::string_view name) { return operation >= 0 && scalarOperations()[operation].name == name; }
bool isWhole(double value) { return std::fabs(value) < 0x1p63; }

}  // namespace

double Numbers::integerBinary(int operation, double a, double b, const NumberFormat& type) {
  if (is(operation, "*") && type.precision == 0 && type.bits < 64 && isWhole(a) && isWhole(b))
    return lowOf(bitsOf(a) * bitsOf(b), type);
  const double out = binary(operation, a, b);
  return is(operation, "/") ? std::trunc(out) : out;
}

double Numbers::integerMultiplyAdd(double base, std::span<const AtomTerm> terms, const double* a, const double* b,
                                   const NumberFormat& type) {
  if (type.precision > 0 || type.bits >= 64 || !isWhole(base)) return multiplyAdd(base, terms, a, b);
  u64 sum = bitsOf(base);
  for (const AtomTerm& t : terms) {
    if (!isWhole(a[t.a]) || !isWhole(b[t.b])) return undefined();
    sum += bitsOf(a[t.a]) * bitsOf(b[t.b]);
  }
  return lowOf(sum, type);
}

}  // namespace tessera::graphene
