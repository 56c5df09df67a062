// The arithmetic of one thread of the second machine (one_by_one.h): an instruction that only computes.
//
//     computed(mad.lo.s32, value)      value(1, s32) * value(2, s32) + value(3, s32)
//
// Law: slow and obvious, after the text of the PTX ISA; nothing is shared with solver/kernel.
#pragma once

#include <functional>
#include <string>

#include "core/ptx/module.h"

namespace tessera::test {

// Thrown for an instruction or operand that the second machine does not know.
struct NoMeaning {
  std::string what;
};

[[nodiscard]] u64 masked(u64 x, int bits);
[[nodiscard]] i64 extended(u64 x, int bits);  // with its sign
[[nodiscard]] bool isSigned(ptx::Type type);
[[nodiscard]] u64 bitsOfFloat(float x);

// An operand, as bits of a type.
using ValueOf = std::function<u64(std::size_t operand, ptx::Type type)>;
[[nodiscard]] u64 computed(const ptx::Opcode& opcode, const ValueOf& value);

}  // namespace tessera::test
