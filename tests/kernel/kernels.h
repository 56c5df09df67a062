// The kernels of data/NAME.ptx, compiled from data/NAME.cu.
#pragma once

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "core/ptx/read.h"

namespace tessera::test {

inline const ptx::Module& kernelsOf(const std::string& name) {
  static std::map<std::string, ptx::Module> read;
  if (const auto known = read.find(name); known != read.end()) return known->second;
  std::ifstream in(TESSERA_SOURCE_DIR "/tests/kernel/data/" + name + ".ptx");
  std::stringstream text;
  text << in.rdbuf();
  auto module = ptx::read(text.str());
  REQUIRE(module.ok());
  return read.emplace(name, *std::move(module)).first->second;
}

}  // namespace tessera::test
