// Inputs: random numbers in the buffers of a run, and access to the results.
//
//     Inputs in = Inputs::of(launches, /*seed=*/7);      operands that are never read are poisoned
//     in.at(0, 5)                                        element 5 of the first operand, as the device gets it
//     outputs: in.result(2, 5), and whether it was written at all
//
// An element's number depends only on seed, operand and element. Floating types: multiples of their own precision in
// [-1, 1]; integers: -8 to 7 (unsigned: 0 to 7). Poison is all bits set: a NaN in every floating type, -1 or all ones
// in integers. It also fills the gaps between elements and must still be there after the run.
//
// Law: at(o, e) is the drawn number after encode and decode, so a reference starts from exactly the device's numbers.
#pragma once

#include <functional>

#include "solver/measure/device/worker.h"
#include "solver/measure/reference/operand.h"

namespace tessera::measure {

// ElementBits: the device representation of a number, for every element type of Graphene.
//
//     fp16   1.5 -> 0x3E00     bf16   1.5 -> 0x3FC0     e4m3   448 -> 0x7E     i8   -3 -> 0xFD
//
// Law: decoded(encoded(x)) == rounded(x) (solver/emulate/format.h), NaN to NaN; encoded(decoded(bits)) == bits unless
// bits is a NaN. e4m3 has no infinity: values beyond its range become its largest number.

// In the lowest type.bits bits. tf32 uses all 32, like fp32.
[[nodiscard]] u64 encoded(double value, const graphene::NumberFormat& type);
[[nodiscard]] double decoded(u64 bits, const graphene::NumberFormat& type);

// Little endian, type.bits / 8 bytes. Any alignment.
void put(unsigned char* to, u64 bits, int width);
[[nodiscard]] u64 get(const unsigned char* from, int width);

inline constexpr unsigned char kPoison = 0xFF;

class Inputs {
 public:
  // In shared memory: each operand's input to the device, and each output's result, initially poison.
  [[nodiscard]] static Result<Inputs> of(std::vector<Operand> operands, u64 seed);
  // The same with given numbers, each rounded to its operand's type.
  using Draw = std::function<double(int operand, i64 element, const graphene::NumberFormat& type)>;
  [[nodiscard]] static Result<Inputs> of(std::vector<Operand> operands, const Draw& draw);
  [[nodiscard]] const std::vector<Operand>& operands() const { return operands_; }
  [[nodiscard]] int find(const std::string& name) const;  // -1: no such operand
  [[nodiscard]] double at(int operand, i64 element) const;
  [[nodiscard]] double atAddress(int operand, i64 address) const;
  [[nodiscard]] double result(int operand, i64 element) const;
  void setResult(int operand, i64 element, double value);       // as if the device had written it
  [[nodiscard]] bool poisoned(int operand, i64 element) const;  // the result is still poison
  [[nodiscard]] SharedMemory& memory() { return memory_; }
  [[nodiscard]] std::span<const unsigned char> bytes() const { return memory_.bytes(); }
  [[nodiscard]] i64 from(int operand) const { return from_[operand]; }
  [[nodiscard]] i64 to(int operand) const { return to_[operand]; }  // -1: not an output

 private:
  explicit Inputs(SharedMemory memory) : memory_(std::move(memory)) {}
  [[nodiscard]] double read(const Operand& o, i64 begin, i64 element) const;
  void write(const Operand& o, i64 begin, i64 element, double value);
  std::vector<Operand> operands_;
  std::vector<i64> from_, to_;
  SharedMemory memory_;
};

// The number of an element: uniform, rounded to the operand's type.
[[nodiscard]] double drawn(u64 seed, int operand, i64 element, const graphene::NumberFormat& type);

}  // namespace tessera::measure
