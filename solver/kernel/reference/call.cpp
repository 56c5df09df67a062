#include "solver/kernel/reference/call.h"

#include <fmt/format.h>

namespace tessera::kernel::reference {

const Value* ReferenceCall::find(std::size_t at, std::string_view name) const {
  if (at < all_.given.size()) return &all_.given[at];
  const auto named = all_.named.find(name);
  return named == all_.named.end() ? nullptr : &named->second;
}

bool ReferenceCall::has(std::size_t at, std::string_view name) const {
  const Value* const v = find(at, name);
  return v != nullptr && !(v->kind == Value::Kind::Name && v->name == "None");
}

Result<Array> ReferenceCall::array(std::size_t at, std::string_view name) const {
  const Value* const v = find(at, name);
  if (v == nullptr) return Diag{fmt::format("{} needs the argument {}", name_, name)};
  return arrayOf(*v);
}

Result<i64> ReferenceCall::integer(std::size_t at, std::string_view name, std::optional<i64> missing) const {
  if (!has(at, name)) {
    if (missing) return *missing;
    return Diag{fmt::format("{} needs the argument {}", name_, name)};
  }
  return integerOf(*find(at, name), name);
}

Result<std::vector<i64>> ReferenceCall::integers(std::size_t at, std::string_view name) const {
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

Result<std::vector<i64>> ReferenceCall::shape(std::size_t at, std::string_view name) const {
  if (at + 1 >= all_.given.size()) return integers(at, name);
  std::vector<i64> out;
  for (std::size_t k = at; k < all_.given.size(); ++k) {
    TESSERA_TRY(const i64 one, integerOf(all_.given[k], name));
    out.push_back(one);
  }
  return out;
}

bool ReferenceCall::flag(std::string_view name, std::size_t at) const {
  const Value* const v = find(at, name);
  return v != nullptr && v->kind == Value::Kind::Array && v->array.count() == 1 && v->array.data[0] != 0;
}

}  // namespace tessera::kernel::reference
