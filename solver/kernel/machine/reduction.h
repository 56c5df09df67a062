// Reduction: what an atomic instruction, or a copy that reduces, makes of an element and a value.
//
//     *Reduction::of("add", Type::F16, "cp.reduce.async.bulk.tensor")    rounds to nearest
//     reduced("inc", nullptr, 5, 5)                                      0: wraps after 5
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"
#include "solver/kernel/lanes/operation.h"

namespace tessera::kernel {

// inc, dec, exch, or `operation` of two sources.
[[nodiscard]] u64 reduced(std::string_view name, const Operation* operation, u64 old, u64 value);

class Reduction {
 public:
  // A Diag if `opcode` has no such operation on elements of the type.
  static Result<Reduction> of(std::string_view name, ptx::Type type, std::string_view opcode);
  [[nodiscard]] int bytes() const { return bytes_; }
  [[nodiscard]] const std::string& name() const { return name_; }  // "add"
  [[nodiscard]] ptx::Type type() const { return type_; }           // of an element
  // The bytes at `to` become those of the result.
  void apply(std::uint8_t* to, const std::uint8_t* value) const;

 private:
  std::string name_;
  Operation operation_;
  ptx::Type type_ = ptx::Type::None;
  int bytes_ = 0;
};

}  // namespace tessera::kernel
