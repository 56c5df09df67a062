// Shared-memory accesses for micro-kernels: layouts with instructions, and the accesses of the library's programs.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/worksheet/functions/tile_value.h"
#include "solver/measure/predict/micro.h"
#include "support/value_of.h"

namespace tessera::measure {

inline SharedAccess accessOver(const std::string& layout, const std::string& instruction, int bits) {
  const Value value = valueOf(layout);
  const auto map = tileMapOf(value);
  const auto tile = tileOf(value, bits);
  const auto spec = parseAccess(instruction);
  REQUIRE(map.ok());
  REQUIRE(tile.ok());
  REQUIRE(spec.ok());
  auto access = accessOver(*tile, map->map, map->rowDigits, *spec);
  INFO(layout << " " << instruction << (access ? "" : ": " + access.error().message));
  REQUIRE(access.ok());
  return *std::move(access);
}

struct MicroCase {
  std::string layout, instruction;
  int bits;
  int wavefronts;  // of the first pattern, counted manually
};
inline const std::vector<MicroCase>& microCases() {
  static const std::vector<MicroCase> kCases = {
      // Rows of 128 bytes: eight rows of a matrix are in four banks, 8 wavefronts each.
      {"(64,64):(64,1)", "ldmatrix.x4", 16, 32},
      {"(64,64):(64,1)", "ldmatrix.x2", 16, 16},
      {"(64,64):(64,1)", "ldmatrix.x1", 16, 8},
      {"Sw<3,3,3> o (64,64):(64,1)", "ldmatrix.x4", 16, 4},
      {"Sw<3,3,3> o (64,64):(64,1)", "ldmatrix.x4.trans", 16, 4},
      {"Sw<3,3,3> o (64,64):(64,1)", "stmatrix.x4", 16, 4},
      {"(64,64):(72,1)", "ldmatrix.x4", 16, 4},  // a pad of 16 bytes
      {"(64,64):(1,64)", "ldmatrix.x4.trans", 16, 32},
      {"(64,64):(64,1)", "stmatrix.x2.trans", 16, 16},
      {"(64,64):(64,1)", "cp.async16", 16, 4},
      {"Sw<3,3,3> o (64,64):(64,1)", "cp.async16", 16, 4},
      {"(32,32):(32,1)", "ld.shared.column", 32, 32},
      {"(32,32):(33,1)", "ld.shared.column", 32, 1},
      {"(32,32):(32,1)", "ld.shared", 32, 1},
      {"(32,64):(64,1)", "ld.shared.v2", 32, 2},
      {"(32,32):(32,1)", "ld.shared.v4.column", 32, 32},
      {"(32,32):(36,1)", "st.shared.v4.column", 32, 4},
      {"(32,32):(32,1)", "st.shared.v2.column", 32, 32},
      {"(64,64):(64,1)", "ld.shared.column", 16, 32},
      {"(64,64):(66,1)", "st.shared.column", 16, 1},
      {"(64,64):(64,1)", "ld.shared.column", 8, 16},  // rows of 64 bytes: every second one begins in bank 0
      {"(64,64):(68,1)", "st.shared.column", 8, 1},
      {"(8,12):(12,1)", "st.shared.v1", 32, 1},
      {"((8,2),(8,4)):((8,256),(1,64))", "ldmatrix.x4", 16, 4},
  };
  return kCases;
}
inline std::vector<SharedAccess> microAccesses() {
  std::vector<SharedAccess> out;
  for (const MicroCase& c : microCases()) out.push_back(accessOver(c.layout, c.instruction, c.bits));
  return out;
}

// The accesses of every program of the library that a short run reaches, by file name.
inline std::vector<std::pair<std::string, std::vector<SharedAccess>>> libraryAccesses(i64 steps = 4000) {
  std::vector<std::pair<std::string, std::vector<SharedAccess>>> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(TESSERA_SOURCE_DIR) / "assets/graphene")) {
    if (entry.path().extension() != ".graphene") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto program = graphene::readProgram(text.str());
    REQUIRE(program.ok());
    AccessOptions options;
    options.maxSteps = steps;
    for (const graphene::Variable& v : program->variables)
      if (v.kind == graphene::Variable::Kind::Size) options.sizes[v.name] = 2;
    auto found = accessesOf(*program, options);
    INFO(entry.path().stem().string() << (found ? "" : ": " + found.error().message));
    REQUIRE(found.ok());
    if (!found->accesses.empty()) out.emplace_back(entry.path().stem().string(), std::move(found->accesses));
  }
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return out;
}

}  // namespace tessera::measure
