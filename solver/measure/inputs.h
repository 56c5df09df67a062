// Inputs: random numbers in the buffers of a run, and what is read back out of them.
//
//     Inputs in = Inputs::of(launches, /*seed=*/7);      operands that nobody reads are poisoned
//     in.at(0, 5)                                        element 5 of the first operand, as the device gets it
//     outputs: in.result(2, 5), and whether it was written at all
//
// An element's number depends on seed, operand and element alone. Floating types: multiples of their own precision in [-1, 1];
// integers: -8 to 7 (0 to 7). Poison is a NaN of every floating type (all bits set), and -1 or all ones of integers; it is also what
// lies between the elements, and must lie there afterwards.
//
// Law: at(o, e) is what encoded and decoded make of the drawn number, so that a reference starts from the very same numbers.
#pragma once

#include <functional>

#include "solver/measure/operand.h"
#include "solver/measure/worker.h"

namespace tessera::measure {

inline constexpr unsigned char kPoison = 0xFF;

class Inputs {
 public:
  // Shared memory: for each operand what the device gets, and of outputs what it gives back, which is poison until then.
  [[nodiscard]] static Result<Inputs> of(std::vector<Operand> operands, u64 seed);
  // The same with other numbers, each rounded to its operand's type.
  using Draw = std::function<double(int operand, i64 element, const graphene::NumberFormat& type)>;
  [[nodiscard]] static Result<Inputs> of(std::vector<Operand> operands, const Draw& draw);
  [[nodiscard]] const std::vector<Operand>& operands() const { return operands_; }
  [[nodiscard]] int find(const std::string& name) const;  // -1: no such operand
  [[nodiscard]] double at(int operand, i64 element) const;
  [[nodiscard]] double result(int operand, i64 element) const;
  [[nodiscard]] bool poisoned(int operand, i64 element) const;  // the result's bits are still poison
  [[nodiscard]] std::vector<double> all(int operand) const;
  [[nodiscard]] SharedMemory& memory() { return memory_; }
  [[nodiscard]] i64 from(int operand) const { return from_[static_cast<std::size_t>(operand)]; }
  [[nodiscard]] i64 to(int operand) const { return to_[static_cast<std::size_t>(operand)]; }  // -1: no output

 private:
  explicit Inputs(SharedMemory memory) : memory_(std::move(memory)) {}
  [[nodiscard]] double read(const Operand& o, i64 begin, i64 element) const;
  std::vector<Operand> operands_;
  std::vector<i64> from_, to_;
  SharedMemory memory_;
};

// The number of an element: uniform, of the operand's type.
[[nodiscard]] double drawn(u64 seed, int operand, i64 element, const graphene::NumberFormat& type);

}  // namespace tessera::measure
