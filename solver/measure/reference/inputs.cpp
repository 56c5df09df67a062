#include "solver/measure/reference/inputs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/base/arith.h"

namespace tessera::measure {

namespace {

using graphene::NumberFormat;

// Stored fraction bits of a floating type; tf32 is stored with fp32's.
int fractionBits(const NumberFormat& t) { return t.bits == 32 ? 23 : t.precision - 1; }
int exponentBits(const NumberFormat& t) { return t.bits - 1 - fractionBits(t); }
u64 mask(int bits) { return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1; }
// e4m3's highest exponent encodes numbers, except for one pattern.
bool noInfinity(const NumberFormat& t) { return t.mostExponent - t.leastExponent + 1 == (1 << exponentBits(t)) - 1; }

i64 clampedInteger(double value, const NumberFormat& t) {
  if (std::isnan(value)) return 0;
  const double top = std::ldexp(1.0, t.bits - 1);
  if (t.bits == 64 && value >= top) return INT64_MAX;
  return static_cast<i64>(rounded(value, t));
}

u64 encodedFloat(double value, const NumberFormat& t) {
  const int fraction = fractionBits(t);
  const u64 sign = std::signbit(value) ? u64{1} << (t.bits - 1) : 0;
  const u64 special = mask(exponentBits(t)) << fraction;
  if (std::isnan(value)) return special | (noInfinity(t) ? mask(fraction) : u64{1} << (fraction - 1));
  const double r = std::fabs(graphene::rounded(value, t));
  if (std::isinf(r)) return sign | special;
  if (r == 0) return sign;
  const int exponent = std::max(graphene::binaryExponent(r), t.leastExponent);
  // Includes the hidden bit, which carries into the exponent: 1.5 * 2^e is (e - least + 1) and the fraction.
  const u64 units = static_cast<u64>(r * graphene::powerOfTwo(fraction - exponent));
  const u64 hidden = u64{1} << fraction;
  if (units < hidden) return sign | units;
  return sign | ((static_cast<u64>(exponent - t.leastExponent) << fraction) + units);
}

double decodedFloat(u64 bits, const NumberFormat& t) {
  const int fraction = fractionBits(t);
  const u64 exponent = (bits >> fraction) & mask(exponentBits(t)), low = bits & mask(fraction);
  const double sign = (bits >> (t.bits - 1) & 1) != 0 ? -1.0 : 1.0;
  if (exponent == mask(exponentBits(t)) && (!noInfinity(t) || low == mask(fraction)))
    return low == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  const double units = static_cast<double>(exponent == 0 ? low : low | u64{1} << fraction);
  const int scale = static_cast<int>(exponent == 0 ? 1 : exponent) - 1 + t.leastExponent - fraction;
  return sign * units * graphene::powerOfTwo(scale);
}

constexpr i64 kAlign = 4096;

}  // namespace

u64 encoded(double value, const NumberFormat& type) {
  if (type.precision == 0) return static_cast<u64>(clampedInteger(value, type)) & mask(type.bits);
  return type.bits == 64 ? std::bit_cast<u64>(value) : encodedFloat(value, type);
}

double decoded(u64 bits, const NumberFormat& type) {
  bits &= mask(type.bits);
  if (type.precision != 0) return type.bits == 64 ? std::bit_cast<double>(bits) : decodedFloat(bits, type);
  if (!type.isSigned || (bits >> (type.bits - 1) & 1) == 0) return static_cast<double>(bits);
  return static_cast<double>(static_cast<i64>(bits | ~mask(type.bits)));
}

void put(unsigned char* to, u64 bits, int width) {
  for (int b = 0; b < width; b += 8) *to++ = static_cast<unsigned char>(bits >> b);
}

u64 get(const unsigned char* from, int width) {
  u64 out = 0;
  for (int b = 0; b < width; b += 8) out |= u64{*from++} << b;
  return out;
}

double drawn(u64 seed, int operand, i64 element, const graphene::NumberFormat& type) {
  const u64 bits = splitMix(splitMix(seed * 64 + static_cast<u64>(operand)) + static_cast<u64>(element));
  if (type.precision == 0) return static_cast<double>(bits % (type.isSigned ? 16 : 8)) - (type.isSigned ? 8 : 0);
  const double unit = static_cast<double>(bits >> 11) * 0x1p-53;  // [0, 1)
  return graphene::rounded(2 * unit - 1, type);
}

Result<Inputs> Inputs::of(std::vector<Operand> operands, u64 seed) {
  return of(std::move(operands), [seed](int operand, i64 element, const graphene::NumberFormat& type) {
    return drawn(seed, operand, element, type);
  });
}

Result<Inputs> Inputs::of(std::vector<Operand> operands, const Draw& draw) {
  i64 size = 0;
  std::vector<i64> from, to;
  const auto place = [&](i64 bytes) {
    const i64 at = size;
    size += (bytes + kAlign - 1) / kAlign * kAlign;
    return at;
  };
  for (const Operand& o : operands) {
    from.push_back(place(o.bytes()));
    to.push_back(o.output ? place(o.bytes()) : -1);
  }
  TESSERA_TRY(SharedMemory memory, SharedMemory::of(size));
  Inputs out(std::move(memory));
  out.operands_ = std::move(operands);
  out.from_ = std::move(from);
  out.to_ = std::move(to);
  unsigned char* const data = out.memory_.bytes().data();
  for (std::size_t k = 0; k < out.operands_.size(); ++k) {
    const Operand& o = out.operands_[k];
    std::memset(data + out.from_[k], kPoison, static_cast<std::size_t>(o.bytes()));
    if (o.output) std::memset(data + out.to_[k], kPoison, static_cast<std::size_t>(o.bytes()));
    if (!o.input) continue;
    const int width = o.type.bits;
    o.each([&](i64 e, i64, i64 address) {
      put(data + out.from_[k] + address * (width / 8), encoded(draw(static_cast<int>(k), e, o.type), o.type), width);
    });
  }
  return out;
}

int Inputs::find(const std::string& name) const {
  const auto at = std::ranges::find(operands_, name, &Operand::name);
  return at == operands_.end() ? -1 : static_cast<int>(at - operands_.begin());
}

double Inputs::read(const Operand& o, i64 begin, i64 element) const {
  const int width = o.type.bits;
  return decoded(get(memory_.bytes().data() + begin + o.address(element) * (width / 8), width), o.type);
}

double Inputs::atAddress(int operand, i64 address) const {
  const graphene::NumberFormat& type = operands_[operand].type;
  return decoded(get(memory_.bytes().data() + from(operand) + address * (type.bits / 8), type.bits), type);
}

double Inputs::at(int operand, i64 element) const { return read(operands_[operand], from(operand), element); }
double Inputs::result(int operand, i64 element) const { return read(operands_[operand], to(operand), element); }

void Inputs::write(const Operand& o, i64 begin, i64 element, double value) {
  const int width = o.type.bits;
  put(memory_.bytes().data() + begin + o.address(element) * (width / 8), encoded(value, o.type), width);
}

void Inputs::setResult(int operand, i64 element, double value) {
  write(operands_[operand], to(operand), element, value);
}

bool Inputs::poisoned(int operand, i64 element) const {
  const Operand& o = operands_[operand];
  const int bytes = o.type.bits / 8;
  const unsigned char* const at = memory_.bytes().data() + to(operand) + o.address(element) * bytes;
  return std::all_of(at, at + bytes, [](unsigned char c) { return c == kPoison; });
}

}  // namespace tessera::measure
