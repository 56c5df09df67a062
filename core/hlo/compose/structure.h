// Structure: which instructions and computations of a module do the same under other names.
//
//     %a.1 = f32[8,4] transpose(%x), dimensions={1,0}, metadata={op_name="layer_0/t"}
//     %a.7 = f32[8,4] transpose(%y), dimensions={1,0}, metadata={op_name="layer_9/t"}
//                                          the same number, if %x and %y have one shape and layout
//
// An instruction's number stands for its operation, shapes and layouts, attributes (without metadata and channels), for
// constants among its operands, and for what it calls, by structure. Names, source lines, and what
// computed the operands do not matter.
//
// Law: equal numbers of one table have equal reads, uses and cost (tests/hlo/plan_test.cpp). Time is linear, without
// recursion.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/hlo/text/module.h"

namespace tessera::hlo {

// The numbers given so far. Modules that share a table have equal numbers for equal structures.
using StructureTable = std::unordered_map<std::string, int>;

class Structures {
 public:
  explicit Structures(const Module& module, std::shared_ptr<StructureTable> table = nullptr);

  [[nodiscard]] int of(Where instruction);
  [[nodiscard]] int of(int computation);

 private:
  std::string textOf(const Computation& c, const Instruction& i, bool constants);
  void solve(int computation);

  const Module& module_;
  std::shared_ptr<StructureTable> known_;
  std::vector<std::string> shapes_;  // printed
  std::vector<int> computations_;    // -1: not yet; -2: being computed, so it calls itself
};

}  // namespace tessera::hlo
