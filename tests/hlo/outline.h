// A module without its names and without the order of its lines: the common part of two spellings of one module.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/hlo/text/module.h"

namespace tessera::testing {

inline std::string told(const hlo::Module& m, const hlo::Computation& c, int at) {
  if (at < 0) return "?";
  const hlo::Instruction& i = c.instructions.at(static_cast<std::size_t>(at));
  std::string out = std::string(i.opcode) + " " + xla::print(m.shapeOf(i)) + "(";
  for (const int o : i.operands) out += told(m, c, o) + " ";
  return out + ")";
}
// Every computation's instructions in any order, without names; then its root with all that it depends on.
inline std::string outline(const hlo::Module& m) {
  std::vector<std::string> all;
  for (const hlo::Computation& c : m.computations) {
    std::vector<std::string> lines;
    for (const hlo::Instruction& i : c.instructions)
      lines.push_back(std::string(i.opcode) + " " + xla::print(m.shapeOf(i)) + "\n");
    std::sort(lines.begin(), lines.end());
    std::string one;
    for (const std::string& line : lines) one += line;
    all.push_back(one + told(m, c, c.root) + "\n");
  }
  std::sort(all.begin(), all.end());
  std::string out;
  for (const std::string& one : all) out += one;
  return out;
}

}  // namespace tessera::testing
