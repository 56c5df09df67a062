// Whether texts can run here: tests that need a compiler report its absence and stop.
#pragma once

#include <catch2/catch.hpp>

#include "beside.h"
#include "host_program.h"

namespace tessera::host_check {

inline bool hasCompiler() {
  if (!hostCompiler().empty()) return true;
  WARN("skipped: there is no C++ compiler (c++, g++, clang++ or $CXX)");
  return false;
}

inline bool ready(const HostProgram& program) {
  INFO(program.messages());
  REQUIRE(program.built());
  return true;
}

inline bool ready(const Beside& beside) {
  REQUIRE(beside.wrong() == "");
  return true;
}

}  // namespace tessera::host_check
