#include "storage.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "solver/emulate/plan.h"

namespace tessera::host_check {
namespace {

using graphene::NumberFormat;
using graphene::Root;

template <class T>
std::vector<unsigned char> bytesOf(T value) {
  std::vector<unsigned char> out(sizeof(T));
  std::memcpy(out.data(), &value, sizeof(T));
  return out;
}
template <class T>
T valueOf(const unsigned char* bytes) {
  T out;
  std::memcpy(&out, bytes, sizeof(T));
  return out;
}

// Mantissa bits, the hidden one not counted, and what the exponent field of 1.0 holds.
int mantissaOf(const NumberFormat& type) { return type.precision - 1; }
int biasOf(const NumberFormat& type) { return 1 - type.leastExponent; }

u64 smallBits(double value, const NumberFormat& type) {
  const u64 sign = std::signbit(value) ? u64{1} << (type.bits - 1) : 0;
  const u64 ones = (u64{1} << (type.bits - 1)) - 1;
  const int mantissa = mantissaOf(type);
  if (std::isnan(value)) return ones;
  if (std::isinf(value)) return sign | (ones >> mantissa << mantissa);
  if (value == 0) return sign;
  const int exponent = std::ilogb(value);
  if (exponent < type.leastExponent)
    return sign | static_cast<u64>(std::ldexp(std::fabs(value), mantissa - type.leastExponent));
  const double fraction = std::ldexp(std::fabs(value), -exponent) - 1;
  return sign | static_cast<u64>(exponent + biasOf(type)) << mantissa |
         static_cast<u64>(std::ldexp(fraction, mantissa));
}

double smallValue(u64 bits, const NumberFormat& type) {
  const int mantissa = mantissaOf(type);
  const double sign = (bits >> (type.bits - 1) & 1) != 0 ? -1 : 1;
  const u64 ones = (u64{1} << (type.bits - 1)) - 1, magnitude = bits & ones;
  const auto field = static_cast<int>(magnitude >> mantissa);
  const double fraction = static_cast<double>(magnitude & ((u64{1} << mantissa) - 1));
  if (field == 0) return sign * std::ldexp(fraction, type.leastExponent - mantissa);
  const double value = std::ldexp(1 + std::ldexp(fraction, -mantissa), field - biasOf(type));
  const double largest =
      type.largest != 0 ? type.largest : std::ldexp(2 - std::ldexp(1.0, -mantissa), type.mostExponent);
  if (value <= largest) return sign * value;
  return fraction == 0 && !type.saturates ? sign * std::numeric_limits<double>::infinity()
                                          : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::vector<unsigned char> encoded(double value, const NumberFormat& type) {
  value = graphene::rounded(value, type);
  if (type.precision == 53) return bytesOf(value);
  if (type.precision != 0 && type.bits == 32) return bytesOf(static_cast<float>(value));
  const u64 bits = type.precision == 0 ? static_cast<u64>(static_cast<i64>(value)) : smallBits(value, type);
  std::vector<unsigned char> out = bytesOf(bits);
  out.resize(static_cast<std::size_t>(type.bits / 8));
  return out;
}

double decoded(const unsigned char* bytes, const NumberFormat& type) {
  if (type.precision == 53) return valueOf<double>(bytes);
  if (type.precision != 0 && type.bits == 32) return static_cast<double>(valueOf<float>(bytes));
  u64 bits = 0;
  std::memcpy(&bits, bytes, static_cast<std::size_t>(type.bits / 8));
  if (type.precision != 0) return smallValue(bits, type);
  const bool negative = type.isSigned && (bits >> (type.bits - 1) & 1) != 0;
  if (negative && type.bits < 64) bits |= ~u64{0} << type.bits;
  return type.isSigned ? static_cast<double>(static_cast<i64>(bits)) : static_cast<double>(bits);
}

i64 copiesOf(const Root& root, const Launch& launch) {
  if (root.memory == graphene::Memory::Register) return launch.blocks * launch.threads;
  return root.memory == graphene::Memory::Shared ? launch.blocks : 1;
}

namespace {

std::vector<i64> addressesOf(const Root& root) {
  auto slots = graphene::slotsOf(root.tensor);
  if (!slots.ok()) return {};
  const i64 offset = root.tensor.offset.isConstant() ? root.tensor.offset.value() : 0;
  for (i64& a : slots->addresses) a = root.tensor.swizzle(offset + a);
  return slots->addresses;
}

}  // namespace

std::size_t valuesOf(const Root& root, const Launch& launch) {
  return addressesOf(root).size() * static_cast<std::size_t>(copiesOf(root, launch));
}

Bytes stored(const Root& root, const Launch& launch, const std::vector<double>& values) {
  const std::vector<i64> addresses = addressesOf(root);
  const auto width = static_cast<std::size_t>(root.type.bits / 8);
  const i64 copies = copiesOf(root, launch), apart = launch.apart == 0 ? root.places : launch.apart;
  Bytes out(static_cast<std::size_t>(copies * apart) * width, 0xff);
  std::size_t from = 0;
  for (i64 copy = 0; copy < copies; ++copy)
    for (const i64 address : addresses) {
      const auto bytes = encoded(values.empty() ? 0 : values[from++ % values.size()], root.type);
      std::memcpy(out.data() + static_cast<std::size_t>(copy * apart + address) * width, bytes.data(), width);
    }
  return out;
}

std::vector<double> fetched(const Root& root, const Launch& launch, const Bytes& bytes) {
  const std::vector<i64> addresses = addressesOf(root);
  const auto width = static_cast<std::size_t>(root.type.bits / 8);
  const i64 apart = launch.apart == 0 ? root.places : launch.apart;
  std::vector<double> out;
  for (i64 copy = 0; copy < copiesOf(root, launch); ++copy)
    for (const i64 address : addresses)
      out.push_back(decoded(bytes.data() + static_cast<std::size_t>(copy * apart + address) * width, root.type));
  return out;
}

}  // namespace tessera::host_check
