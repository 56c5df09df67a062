// Expressions as C, CUDA C++ and Python spell them.
//
//     (x floordiv 8) mod 8 * 8        x & 0x38
//     x floordiv 4, x >= 0 or not     x >> 2              x // 4 in Python
//     x mod 3, x < 0 possible         floor_mod(x, 3)     x % 3 in Python
//     i * 3000000000                  i * 3000000000LL
//     row * 65536 + col, 2^20 rows    (long long)row * 65536 + col
//     n - 1 - i >= 0                  i < n
//
// What is used twice and is more than one operation gets a name (locals, in the order of their definition), so the text
// is never longer than the DAG by more than a factor. C's types follow the intervals: an operation is done in 64 bits
// when its value, or an operand of it, needs them.
#pragma once

#include <string>
#include <vector>

#include "core/expr/facts.h"
#include "core/map/map.h"

namespace tessera::codegen {

enum class Dialect : unsigned char { C, Python };

struct Local {
  std::string name, text;
  bool wide = false;  // C: long long
};

struct Spelled {
  std::string text;
  bool wide = false;  // C: of type long long
};

struct SpelledBody {
  std::vector<Local> locals;
  std::vector<Spelled> values;  // one a root, or one a guard
  // C: what must stand before the function.
  bool floorDiv = false, floorMod = false, floorDivWide = false, floorModWide = false;
  std::vector<bool> uses;  // by name: whether the text mentions it
};

// `names`: of the digits, then of the params. Requires facts(e).fits over the box for every root.
[[nodiscard]] SpelledBody spell(const std::vector<Expr>& roots, const Environment& box,
                                const std::vector<std::string>& names, Dialect dialect);
// A condition for each half of a guard that does not hold anyway; no value at all: they always hold. "0": never.
[[nodiscard]] SpelledBody spell(const std::vector<Guard>& guards, const Environment& box,
                                const std::vector<std::string>& names, Dialect dialect);

}  // namespace tessera::codegen
