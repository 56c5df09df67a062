// Prints expressions in C, CUDA C++ and Python. At every point of the box, the text has the expression's value.
//
//                                          C               Python          in a kernel
//     (x floordiv 8) mod 8 * 8             x & 0x38        x & 0x38        (x / 8 % 8) * 8
//     x floordiv 4, any sign               x >> 2          x // 4          tessera::floor_div(x, 4)
//     x mod 3, x < 0 possible              floor_mod(x, 3) x % 3           tessera::floor_mod(x, 3)
//     i * 3000000000                       i * 3000000000LL
//     row * 65536 + col, 2^20 rows         (long long)row * 65536 + col
//
// A sub-expression with more than one operation that is used twice becomes a local variable (in definition order), so
// the text is longer than the DAG by at most a constant factor. A kernel chooses its own names (scoped_text.h).
//
// Law: in C, an operation uses 64 bits if its interval or that of an operand needs them.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/expr/facts.h"

namespace tessera::codegen {

[[nodiscard]] inline bool fitsInt(const Range& r) { return r.lo >= INT32_MIN && r.hi <= INT32_MAX; }

enum class Dialect : unsigned char { C, Python, Kernel };

struct Local {
  std::string name, text;
  bool wide = false;  // C: long long
};

struct Spelled {
  std::string text;
  bool wide = false;   // C: of type long long
  bool loose = false;  // binds less than a sum
};

struct SpelledBody {
  std::vector<Local> locals;
  std::vector<Spelled> values;  // one per root, or per guard
  std::set<std::string> calls;  // C: functions that the text calls: "floor_div", "floor_mod64"
  std::vector<bool> uses;       // by name: whether the text uses it
};

// `names`: of the digits, then of the params. `named`: the name that replaces a sub-expression; empty: none.
// Requires, except in a kernel: facts.of(e).fits for every root.
[[nodiscard]] SpelledBody spell(const std::vector<Expr>& roots, FactBase& facts, Dialect dialect,
                                const std::function<std::string(int)>& names,
                                const std::function<std::string(const Expr&)>& named = {});

}  // namespace tessera::codegen
