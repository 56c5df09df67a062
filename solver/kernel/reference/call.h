// ReferenceCall: the arguments of one call, by position or name, as the types that a function wants.
#pragma once

#include <fmt/format.h>

#include <optional>

#include "solver/kernel/reference/functions.h"

namespace tessera::kernel::reference {

class ReferenceCall {
 public:
  ReferenceCall(std::string_view name, const CallArguments& arguments) : name_(name), all_(arguments) {}

  [[nodiscard]] const Value* find(std::size_t at, std::string_view name) const {
    if (at < all_.given.size()) return &all_.given[at];
    const auto named = all_.named.find(name);
    return named == all_.named.end() ? nullptr : &named->second;
  }
  [[nodiscard]] bool has(std::size_t at, std::string_view name) const {
    const Value* const v = find(at, name);
    return v != nullptr && !(v->kind == Value::Kind::Name && v->name == "None");
  }
  [[nodiscard]] Result<Array> array(std::size_t at, std::string_view name) const {
    const Value* const v = find(at, name);
    if (v == nullptr) return Diag{fmt::format("{} needs the argument {}", name_, name)};
    return arrayOf(*v);
  }
  [[nodiscard]] Result<i64> integer(std::size_t at, std::string_view name, std::optional<i64> missing = {}) const {
    if (!has(at, name)) {
      if (missing) return *missing;
      return Diag{fmt::format("{} needs the argument {}", name_, name)};
    }
    return integerOf(*find(at, name), name);
  }
  // An integer or a tuple of them.
  [[nodiscard]] Result<std::vector<i64>> integers(std::size_t at, std::string_view name) const {
    std::vector<i64> out;
    if (!has(at, name)) return out;
    const Value& v = *find(at, name);
    if (v.kind != Value::Kind::Tuple) {
      TESSERA_TRY(const Array a, arrayOf(v));
      if (a.rank() == 0) {
        TESSERA_TRY(const i64 one, integerOf(v, name));
        out.push_back(one);
        return out;
      }
    }
    for (const Value& item : v.items) {
      TESSERA_TRY(const i64 one, integerOf(item, name));
      out.push_back(one);
    }
    return out;
  }
  // A shape given as a tuple, or as all arguments from `at` on: x.reshape(4, -1).
  [[nodiscard]] Result<std::vector<i64>> shape(std::size_t at, std::string_view name) const {
    if (at + 1 >= all_.given.size()) return integers(at, name);
    std::vector<i64> out;
    for (std::size_t k = at; k < all_.given.size(); ++k) {
      TESSERA_TRY(const i64 one, integerOf(all_.given[k], name));
      out.push_back(one);
    }
    return out;
  }
  [[nodiscard]] bool flag(std::string_view name, std::size_t at = SIZE_MAX) const {
    const Value* const v = find(at, name);
    return v != nullptr && v->kind == Value::Kind::Array && v->array.count() == 1 && v->array.data[0] != 0;
  }
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
