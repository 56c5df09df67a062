// The rows of tests/cases/hlo.jsonl, by kind.
#pragma once

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tessera::testing {

inline std::vector<nlohmann::json> casesOf(const std::string& kind, const std::string& file = "hlo.jsonl") {
  std::ifstream in(TESSERA_SOURCE_DIR "/tests/cases/" + file);
  REQUIRE(in.good());
  std::vector<nlohmann::json> found;
  for (std::string line; std::getline(in, line);)
    if (nlohmann::json c = nlohmann::json::parse(line); c["kind"] == kind) found.push_back(std::move(c));
  return found;
}

}  // namespace tessera::testing
