// Meaning: what a generic specification computes, as an independent, simpler program: one equation per output.
//
//     %y <- Spec<softmax><<<#b, #t>>>(%x) means {
//       m[i] = max(k < 512) %x[i,k]                       a named value, defined for every i in use
//       s[i] = sum(k < 512) exp(%x[i,k] - m[i])
//       %y[i,j] = exp(%x[i,j] - m[i]) / s[i]              each output has one equation
//     } { ...the decomposition... }
//
// An equation holds for every coordinate. A tensor on the right, also an output, has its value from before the
// specification. A name without % refers to an equation above, or to the same one:
//
//     h[l,i] = where(l == 0, %x[i], tanh(h[l - 1,i]))
//
//     sum max min (k = lo < hi, l < 4) TERM      the TERM ends at the next + or -
//     exp(x), max(x,y), x + y - z * w / v ...     the scalar operations (core/atlas/scalar_operation.cpp)
//     where(i <= j && k < 4, x, y)
//     512, 0.125, inf, [2*i + 1]                 an index as a number; inside [], / and % are integer operations
//
// Coordinates are logical: row and column for a tile of tiles. For a register tensor of several threads without
// `holds`, the first coordinate is the thread, numbered in the order of its group: %x[t] = sum(u < 32) %x[u]. A `def`
// has its equations between head and body, once for all calls.
//
// Equations are over the reals: they do not specify rounding, and never run on a device.
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

// Its indices are digits: the `rank` indices of the left side, then those of the reductions inside.
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
  // The number of an output's equation; -1: none.
  [[nodiscard]] int of(int output) const;
};

// What `rank` coordinates of an operand refer to: the tile that it holds, or its shape, preceded by the thread if
// several threads have it. nullopt: the rank differs; `most` is then the right one.
struct MeaningShape {
  std::vector<Expr> extents;
  bool byThread = false;  // the first coordinate is a thread
  bool held = false;      // the coordinates are those of `holds`
};
[[nodiscard]] std::optional<MeaningShape> meaningShape(const Spec& spec, const Tensor& operand, std::size_t rank,
                                                       std::size_t* most = nullptr);

// The lines between the braces. `names`: of the program's variables.
[[nodiscard]] std::vector<std::string> print(const Meaning& meaning, const Spec& spec,
                                             const std::vector<std::string>& names);

}  // namespace tessera::graphene
