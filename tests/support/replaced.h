// Replaces pieces of a text.
#pragma once

#include <string>

namespace tessera::testing {

// Replaces every `from` after a position.
inline std::string replaced(std::string text, const std::string& from, const std::string& to, std::size_t begin = 0) {
  for (std::size_t at = begin; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace tessera::testing
