// Numbers: the emulator's values as on a device: doubles, rounded to the element type at every store.
//
// Products of fp16, bf16 and tf32 are exact in a double, and so are nearly all sums. A matrix instruction rounds once,
// at the end, whereas the hardware keeps fewer bits in between. Only values are modelled, not time.
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "core/graphene/atoms/atom.h"
#include "solver/emulate/format.h"

namespace tessera::graphene {

class Numbers {
 public:
  using Value = double;
  static constexpr bool kRounds = true;
  static constexpr bool kLazy = false;      // operands are materialized at once
  static constexpr bool kEncloses = false;  // with the types of its operands (error/enclosures.h)

  [[nodiscard]] static Value undefined() { return std::numeric_limits<double>::quiet_NaN(); }
  [[nodiscard]] static Value absent() { return 0; }
  [[nodiscard]] static Value constant(double value) { return value; }
  [[nodiscard]] static Value input(int, i64, i64) { return 0; }
  // The number of an operation by name; -1: unknown.
  [[nodiscard]] static int operation(std::string_view name);
  [[nodiscard]] static Value unary(int operation, Value a);
  [[nodiscard]] static Value binary(int operation, Value a, Value b);
  [[nodiscard]] static Value multiplyAdd(Value base, std::span<const AtomTerm> terms, const Value* a, const Value* b) {
    for (const AtomTerm& t : terms) base = std::fma(a[t.a], b[t.b], base);
    return base;
  }
  // For integer operands: exact modulo 2^bits of the result's stored type, with truncated quotients.
  [[nodiscard]] static Value integerBinary(int operation, Value a, Value b, const NumberFormat& type);
  [[nodiscard]] static Value integerMultiplyAdd(Value base, std::span<const AtomTerm> terms, const Value* a,
                                                const Value* b, const NumberFormat& type);
  void describe(int, const NumberFormat&) {}
  [[nodiscard]] static int conversion(const NumberFormat&, const NumberFormat&, std::string_view) { return 0; }
  [[nodiscard]] static Value convert(Value value, int, const NumberFormat& from, const NumberFormat& to) {
    return converted(value, from, to);
  }
};

}  // namespace tessera::graphene
