#include "solver/kernel/machine/reduction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tessera::kernel {

using ptx::Type;

u64 reduced(std::string_view name, const Operation* operation, u64 old, u64 value) {
  if (name == "inc") return old >= value ? 0 : old + 1;
  if (name == "dec") return old == 0 || old > value ? value : old - 1;
  if (operation == nullptr) return value;
  Lanes result{}, x{}, y{};
  x[0] = old;
  y[0] = value;
  Lanes* out[] = {&result, nullptr};
  const Lanes* from[] = {&x, &y};
  operation->run({out, from, Mask{1}});
  return result[0];
}

Result<Reduction> Reduction::of(std::string_view name, Type type, std::string_view opcode) {
  // PTX ISA, cp.reduce.async.bulk: the types of each operation.
  const auto among = [&](std::initializer_list<Type> types) {
    return std::find(types.begin(), types.end(), type) != types.end();
  };
  const bool wide = ptx::bitsOf(type) == 64;
  const bool integer = among({Type::U32, Type::S32, Type::U64, Type::S64, Type::B32, Type::B64});
  const bool logical = name == "and" || name == "or" || name == "xor";
  const bool known = name == "inc" || name == "dec"   ? type == Type::U32
                     : logical                        ? integer
                     : name == "min" || name == "max" ? integer || among({Type::F16, Type::BF16})
                     : name == "add"                  ? integer || among({Type::F16, Type::BF16, Type::F32, Type::F64})
                                                      : false;
  if (!known) return Diag{fmt::format("{} does not {} elements of type {}", opcode, name, ptx::nameOf(type))};
  Reduction out;
  out.name_ = name;
  out.type_ = type;
  out.bytes_ = ptx::bitsOf(type) / 8;
  if (name == "inc" || name == "dec") return out;
  if (logical) type = wide ? Type::B64 : Type::B32;
  const bool rounds = name == "add" && !integer;
  TESSERA_TRY(out.operation_,
              operationOf(ptx::Opcode(fmt::format("{}.{}{}", name, rounds ? "rn." : "", ptx::nameOf(type)))));
  return out;
}

void Reduction::apply(std::uint8_t* to, const std::uint8_t* value) const {
  u64 old = 0, given = 0;
  const auto width = static_cast<std::size_t>(bytes_);
  std::memcpy(&old, to, width);
  std::memcpy(&given, value, width);
  const bool counts = name_ == "inc" || name_ == "dec";
  const u64 next = reduced(name_, counts ? nullptr : &operation_, old, given);
  std::memcpy(to, &next, width);
}

}  // namespace tessera::kernel
