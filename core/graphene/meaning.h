// Meaning: what a generic specification computes, written as an independent, simpler program: one equation per output.
//
//     %y <- Spec<softmax><<<#b, #t>>>(%x) means {
//       m[i] = max(k < 512) %x[i,k]                       a named value, defined for every i that is used
//       s[i] = sum(k < 512) exp(%x[i,k] - m[i])
//       %y[i,j] = exp(%x[i,j] - m[i]) / s[i]              each output has one equation
//     } { ...the decomposition... }
//
// An equation holds for every coordinate. A tensor on the right is its value before the specification, outputs
// included; names without % are equations above, or the same one (h[l,i] = where(l == 0, %x[i], tanh(h[l - 1,i]))).
//
//     sum max min (k = lo < hi, l < 4) TERM      a TERM extends to the next + or -
//     exp relu neg rcp sqrt rsqrt tanh sigmoid log (x), max(x,y) min(x,y), x + y - z * w / v
//     where(i <= j && k < 4, x, y)
//     512, 0.125, inf, [2*i + 1]                 an index as a number; inside [], / and % are integer operations
//
// Coordinates are logical: row and column for a tile of tiles. A register tensor of several threads without `holds` has
// the thread as its first coordinate, counted in the order of its group: %x[t] = sum(u < 32) %x[u]. In a `def` it is
// written between the head and the body, once for all calls.
//
// Equations are over the reals: rounding is not specified. Nothing in them is executed on a device.
// Law: print and read round-trip. Evaluated by solver/emulate/meaning_value.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/graphene/program.h"

namespace tessera::graphene {

struct MeaningNode {
  enum class Kind : unsigned char {
    Number,   // number
    Index,    // lo
    Operand,  // what: outputs, then inputs; at
    Named,    // what: an equation; at
    Unary,    // operation, one part
    Binary,   // operation + - * / max min, two parts
    Reduce,   // operation + max min over digit `variable` of lo <= . < hi, one part
    Where,    // condition, two parts
  };
  Kind kind = Kind::Number;
  double number = 0;
  int what = 0;
  std::string operation = {};
  std::vector<Expr> at = {};
  int variable = 0;
  Expr lo = {}, hi = {};
  std::vector<Comparison> condition = {};
  std::vector<int> parts = {};  // nodes
};

// Indices are digits: the left side's `rank`, then those of the reductions inside.
struct Equation {
  std::string name;  // "m"; empty for an output
  int output = -1;
  int rank = 0;
  std::vector<std::string> variables;
  int node = 0;
};

struct Meaning {
  std::vector<MeaningNode> nodes;
  std::vector<Equation> equations;
  // The index of an output's equation; -1: none.
  [[nodiscard]] int of(int output) const;
};

// What `rank` coordinates of an operand denote: those of the tile that it holds, or those of its shape, preceded by a
// thread if several have it. nullopt: the rank differs; `most` is then the rank that it has.
struct MeaningShape {
  std::vector<Expr> extents;
  bool byThread = false;  // the first coordinate is a thread
  bool held = false;      // coordinates of `holds`
};
[[nodiscard]] std::optional<MeaningShape> meaningShape(const Spec& spec, const Tensor& operand, std::size_t rank,
                                                       std::size_t* most = nullptr);

// The lines between the braces. `names`: of the program's variables.
[[nodiscard]] std::vector<std::string> print(const Meaning& meaning, const Spec& spec,
                                             const std::vector<std::string>& names);

}  // namespace tessera::graphene
