// Structure: which instructions and computations of a module do the same under other names.
//
//     %a.1 = f32[8,4] transpose(%x), dimensions={1,0}, metadata={op_name="layer_0/t"}
//     %a.7 = f32[8,4] transpose(%y), dimensions={1,0}, metadata={op_name="layer_9/t"}
//                                          the same number, if %x and %y have one shape and layout
//
// An instruction's number stands for its operation, shapes and layouts, attributes (without metadata and channels), the
// constants among its operands, and the computations that it calls, by structure. It does not stand for names, source
// lines, or what computed the operands.
//
// Law: equal numbers of one Structures have equal reads, uses and cost (tests/hlo/structure_test.cpp). Linear in the
// text, without recursion.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "core/hlo/text/module.h"

namespace tessera::hlo {

class Structures {
 public:
  explicit Structures(const Module& module);

  [[nodiscard]] int of(Where instruction);
  [[nodiscard]] int of(int computation);

 private:
  std::string textOf(const Computation& c, const Instruction& i, bool constants);
  void solve(int computation);

  const Module& module_;
  std::unordered_map<std::string, int> known_;
  std::vector<int> computations_;  // -1: not yet; -2: being computed, so it calls itself
};

}  // namespace tessera::hlo
