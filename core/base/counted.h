// counted(1, "level") is "1 level", counted(0, "level") is "0 levels": for counts in messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

[[nodiscard]] inline std::string counted(std::size_t n, std::string_view noun) {
  std::string out = std::to_string(n) + " ";
  out += noun;
  return n == 1 ? out : out + "s";
}

}  // namespace tessera
