// The programs of the library and of the cases, and their texts.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/codegen/kernel/kernel.h"

namespace tessera::codegen {

inline std::string readAll(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

// Name and text, in the order of the names.
inline std::vector<std::pair<std::string, std::string>> programsBelow(const std::string& folder) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(TESSERA_SOURCE_DIR) / folder))
    if (entry.path().extension() == ".graphene") out.emplace_back(entry.path().stem().string(), readAll(entry.path()));
  std::sort(out.begin(), out.end());
  return out;
}

inline std::vector<std::pair<std::string, std::string>> allPrograms() {
  auto out = programsBelow("assets/graphene");
  for (const char* folder : {"tests/cases/graphene", "tests/codegen/data"})
    for (auto& program : programsBelow(folder)) out.push_back(std::move(program));
  return out;
}

inline Result<CudaSource> emitText(const std::string& text, const std::string& architecture = "sm_80") {
  TESSERA_TRY(const graphene::Program program, graphene::readProgram(text));
  return emitCuda(program, {architecture});
}

}  // namespace tessera::codegen
