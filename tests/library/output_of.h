// What the program prints on standard output for words of a command line.
#pragma once

#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <string>

inline std::string outputOf(const std::string& words) {
  std::FILE* pipe = ::popen((std::string(TESSERA_BINARY) + " " + words + " 2>/dev/null").c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string out;
  std::array<char, 4096> chunk{};
  for (std::size_t n = 0; (n = std::fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) out.append(chunk.data(), n);
  ::pclose(pipe);
  return out;
}
