// Spells expressions in C, CUDA C++ and Python.
//
//     (x floordiv 8) mod 8 * 8        x & 0x38
//     x floordiv 4, any sign          x >> 2              x // 4 in Python
//     x mod 3, x < 0 possible         floor_mod(x, 3)     x % 3 in Python
//     i * 3000000000                  i * 3000000000LL
//     row * 65536 + col, 2^20 rows    (long long)row * 65536 + col
//     n - 1 - i >= 0                  i < n
//
// A sub-expression that is used twice and has more than one operation gets a name (locals, in definition order), so the
// text is at most a constant factor longer than the DAG. In C, an operation is done in 64 bits if its interval, or that
// of an operand, needs them.
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
  std::vector<Spelled> values;  // one per root, or per guard
  // C: helpers that the text needs before the function.
  bool floorDiv = false, floorMod = false, floorDivWide = false, floorModWide = false;
  std::vector<bool> uses;  // per name: whether the text uses it
};

// `names`: of the digits, then of the params. Requires facts(e).fits over the box for every root.
[[nodiscard]] SpelledBody spell(const std::vector<Expr>& roots, const Environment& box,
                                const std::vector<std::string>& names, Dialect dialect);
// One condition per bound of a guard that does not always hold; no value: all always hold. "0": one never holds.
[[nodiscard]] SpelledBody spell(const std::vector<Guard>& guards, const Environment& box,
                                const std::vector<std::string>& names, Dialect dialect);

}  // namespace tessera::codegen
