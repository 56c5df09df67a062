// ReferenceCall: the arguments of one call, by position or name, as the types that a function wants.
#pragma once

#include <optional>

#include "solver/kernel/reference/functions.h"

namespace tessera::kernel::reference {

class ReferenceCall {
 public:
  ReferenceCall(std::string_view name, const CallArguments& arguments) : name_(name), all_(arguments) {}

  [[nodiscard]] const Value* find(std::size_t at, std::string_view name) const;
  [[nodiscard]] bool has(std::size_t at, std::string_view name) const;  // given, and not None
  [[nodiscard]] Result<Array> array(std::size_t at, std::string_view name) const;
  [[nodiscard]] Result<i64> integer(std::size_t at, std::string_view name, std::optional<i64> missing = {}) const;
  // An integer or a tuple of them.
  [[nodiscard]] Result<std::vector<i64>> integers(std::size_t at, std::string_view name) const;
  // A shape given as a tuple, or as all arguments from `at` on: x.reshape(4, -1).
  [[nodiscard]] Result<std::vector<i64>> shape(std::size_t at, std::string_view name) const;
  [[nodiscard]] bool flag(std::string_view name, std::size_t at = SIZE_MAX) const;
  [[nodiscard]] std::string_view name() const { return name_; }

 private:
  std::string_view name_;
  const CallArguments& all_;
};

[[nodiscard]] inline Result<Value> wrapped(Result<Array> array) {
  if (!array) return array.error();
  return valueOf(*std::move(array));
}

}  // namespace tessera::kernel::reference
