// counted(1, "level") is "1 level", counted(0, "level") "0 levels": messages that count read as a person would say them.
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
