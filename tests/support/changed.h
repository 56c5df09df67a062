// Changes one thing in a text, for tests. The changed piece must exist.
#pragma once

#include <catch2/catch.hpp>

#include "tests/support/replaced.h"

namespace tessera::testing {

// Replaces every `from` after a position; at least one must exist.
inline std::string changed(const std::string& text, const std::string& from, const std::string& to,
                           std::size_t begin = 0) {
  INFO(from);
  REQUIRE(text.find(from, begin) != std::string::npos);
  return replaced(text, from, to, begin);
}

}  // namespace tessera::testing
