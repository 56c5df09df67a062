// The rows of tests/cases/*.jsonl.
#pragma once

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tessera {

inline std::vector<std::string> linesOf(const std::string& file) {
  std::ifstream in(std::string(TESSERA_SOURCE_DIR) + "/tests/cases/" + file);
  INFO(file);
  REQUIRE(in.good());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  REQUIRE(!lines.empty());
  return lines;
}

inline std::vector<nlohmann::json> rowsOf(const std::string& file) {
  std::vector<nlohmann::json> rows;
  for (const std::string& line : linesOf(file)) rows.push_back(nlohmann::json::parse(line));
  return rows;
}

// [8, [4, 2]] as "(8,(4,2))"
inline std::string tupleText(const nlohmann::json& list) {
  std::string out;
  for (const nlohmann::json& n : list) out += (out.empty() ? "(" : ",") + (n.is_array() ? tupleText(n) : n.dump());
  return out.empty() ? "()" : out + ")";
}

}  // namespace tessera
