// mapped: the values of a function over a list.
//
//     mapped<std::string>(map.digits(), &Digit::name)        {"i", "j"} for (i, j) -> (offset: i * 8 + j)
//
// Law: element k of the result is T(of(element k of the list)). `of` is a function or a pointer to a member.
#pragma once

#include <functional>
#include <vector>

namespace tessera {

template <typename T, typename List, typename Of>
[[nodiscard]] std::vector<T> mapped(const List& list, Of of) {
  std::vector<T> out;
  if constexpr (requires { list.size(); }) out.reserve(list.size());
  for (const auto& one : list) out.emplace_back(std::invoke(of, one));
  return out;
}

}  // namespace tessera
