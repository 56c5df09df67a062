// Pattern: the conditions under which an instruction implements a leaf, one row per instruction; atom.cpp compares
// them.
//
//     ldmatrix.x4     32 threads    out [2,2].[1,2] RF, runs of 2     in [1,8] SH, runs of 8
//
// Law: a leaf that matches a pattern meets every condition. One that matches none is reported with the pattern that
// meets the most, and the first condition that fails.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/graphene/atoms/atom.h"
#include "core/graphene/slots/slots.h"

namespace tessera::graphene {

inline constexpr unsigned kGlobal = 1, kShared = 2, kRegister = 4, kAnywhere = 7;
[[nodiscard]] unsigned memoryBit(Memory memory);

struct OperandPattern {
  unsigned memories = kAnywhere;
  std::string element;      // PTX's name: "f16"
  std::vector<i64> levels;  // elements per level, unit levels dropped: [2,2].[1,2] is 4, 2
  bool flat = false;        // only their product matters
  std::string shape;        // as in the paper's table
  i64 run = 1;              // contiguous elements, at a multiple of their number
};

// A condition that a leaf fails: the first that was given.
struct Mismatch {
  std::string differs;  // "wants rows of 8 contiguous fp16; %row has stride 16"; empty: none
  std::string legal;    // "%row of 8 elements side by side"
  bool refuse(std::string what, std::string instead) {  // false
    if (differs.empty()) {
      differs = std::move(what);
      legal = std::move(instead);
    }
    return false;
  }
};

// `differs`: another condition that this leaf fails.
struct Pattern : Mismatch {
  Atom atom;                               // terms, slots, alignment and accesses are derived
  std::vector<std::pair<i64, i64>> group;  // size and stride of the threads' modes, fastest first; empty: one thread
  std::vector<OperandPattern> operands;    // outputs, then inputs
  std::function<std::vector<std::vector<AtomTerm>>()> terms;  // empty: slot s has slot s of each input
  std::vector<AtomAccess> accesses;                           // empty: each thread accesses its own operands
};
[[nodiscard]] Pattern instruction(std::string name, std::string ptx, std::string architecture, std::string source);
[[nodiscard]] inline Pattern instruction(const AtlasRow& row, std::string_view operands = {}) {
  return instruction(row.name, row.ptx + std::string(operands), row.architecture, row.source);
}

// Where an atlas row keeps the elements of an operand: element row + rows * column <-> slot lane * values + value.
struct RowFragment {
  i64 rows = 1, columns = 1, lanes = 1, values = 1;
  std::vector<int> elementOf;  // [lane * values + value]
  std::vector<int> slotOf;     // [element]; -1: nowhere
};
[[nodiscard]] std::optional<RowFragment> rowFragment(const AtlasRow& row, std::string_view operand);

// The terms of out += A * B: element (m, n) of C has A's (m, k) and B's (n, k) for every k.
[[nodiscard]] std::vector<std::vector<AtomTerm>> productTerms(const RowFragment& a, const RowFragment& b,
                                                              const RowFragment& c);

using Patterns = std::vector<Pattern>;

// The patterns of each kind. They depend on the leaf where its types decide, as for the width of a load.
[[nodiscard]] Patterns movePatterns(const Spec& leaf);        // ld, st, cp.async, mov, cvt
[[nodiscard]] Patterns bulkPatterns(const Spec& leaf);        // TMA
[[nodiscard]] Patterns matrixMovePatterns(const Spec& leaf);  // ldmatrix, stmatrix
[[nodiscard]] Patterns matmulPatterns(const Spec& leaf);      // mma, fma, dp4a
[[nodiscard]] Patterns warpgroupPatterns(const Spec& leaf);   // wgmma
[[nodiscard]] Patterns pointwisePatterns(const Spec& leaf);   // unary and binary
[[nodiscard]] Patterns initPatterns(const Spec& leaf);
[[nodiscard]] Patterns shufflePatterns(const Spec& leaf);

// "f16" for "fp16"; the text itself if the atlas has no such type. bitsOf: the width, 0 if unknown.
[[nodiscard]] std::string canonicalElement(const Tensor& tensor);
[[nodiscard]] int bitsOf(const Tensor& tensor);
// The values that Init can store in such elements, in words.
[[nodiscard]] std::string initialNumbers(const Tensor& to);
// The access of an ld or st of that many bytes, from the atlas.
[[nodiscard]] std::optional<AtlasAccess> vectorAccessOf(Memory memory, AccessDirection direction, i64 bytes);
[[nodiscard]] OperandPattern flatOperand(unsigned memories, std::string element, i64 count, i64 run);

}  // namespace tessera::graphene
