#include "solver/measure/reference/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/arith.h"
#include "solver/measure/reference/element_bits.h"

namespace tessera::measure {
namespace {

constexpr i64 kAlign = 4096;

}  // namespace

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
    for (i64 e = 0; e < o.elements; ++e) out.write(o, out.from_[k], e, draw(static_cast<int>(k), e, o.type));
  }
  return out;
}

int Inputs::find(const std::string& name) const {
  for (std::size_t k = 0; k < operands_.size(); ++k)
    if (operands_[k].name == name) return static_cast<int>(k);
  return -1;
}

double Inputs::read(const Operand& o, i64 begin, i64 element) const {
  const int width = o.type.bits;
  return decoded(get(memory_.bytes().data() + begin + o.address(element) * (width / 8), width), o.type);
}

double Inputs::at(int operand, i64 element) const {
  return read(operands_[static_cast<std::size_t>(operand)], from(operand), element);
}
double Inputs::result(int operand, i64 element) const {
  return read(operands_[static_cast<std::size_t>(operand)], to(operand), element);
}

void Inputs::write(const Operand& o, i64 begin, i64 element, double value) {
  const int width = o.type.bits;
  put(memory_.bytes().data() + begin + o.address(element) * (width / 8), encoded(value, o.type), width);
}

void Inputs::setResult(int operand, i64 element, double value) {
  write(operands_[static_cast<std::size_t>(operand)], to(operand), element, value);
}

bool Inputs::poisoned(int operand, i64 element) const {
  const Operand& o = operands_[static_cast<std::size_t>(operand)];
  const int bytes = o.type.bits / 8;
  const unsigned char* const at = memory_.bytes().data() + to(operand) + o.address(element) * bytes;
  return std::all_of(at, at + bytes, [](unsigned char c) { return c == kPoison; });
}

std::vector<double> Inputs::all(int operand) const {
  std::vector<double> out;
  const i64 n = operands_[static_cast<std::size_t>(operand)].elements;
  out.reserve(static_cast<std::size_t>(n));
  for (i64 e = 0; e < n; ++e) out.push_back(at(operand, e));
  return out;
}

}  // namespace tessera::measure
