// Approved pictures: tests/golden/data/NAME.FORMAT. TESSERA_UPDATE_GOLDEN=1 writes them; look at the difference.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>

#include "render/ink/ink.h"

namespace tessera::testing {

inline void checkApproved(const Figure& figure, const std::string& name, std::initializer_list<const char*> formats) {
  for (const char* format : formats) {
    const auto bytes = ink(figure, format, {});
    REQUIRE(bytes.ok());
    const std::string path = std::string(TESSERA_SOURCE_DIR) + "/tests/golden/data/" + name + "." + format;
    if (std::getenv("TESSERA_UPDATE_GOLDEN") != nullptr) {
      std::ofstream(path, std::ios::binary) << *bytes;
      continue;
    }
    std::ifstream in(path, std::ios::binary);
    INFO(path);
    REQUIRE(in.good());
    const std::string approved((std::istreambuf_iterator<char>(in)), {});
    CHECK(*bytes == approved);
  }
}

}  // namespace tessera::testing
