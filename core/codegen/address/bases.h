// Bases: addresses in a rotated loop (variables.h): a base that is made before it, and what unrolled loops add as a
// number.
//
//     A[bm * 131072 + r * 1024 + c * 8 + round * 96 + stage * 32]     A_round[stage * 32], A_round += 96 a round
//     sA[wm * 2048 + stage * 4096 + ((k * 16) ^ sA_at)]               sA_base[k][stage * 4096]: a pointer for each k
//     B[bn * 128 + r * N + (round * 3 + stage + 2) * N * 32]     B_round[0], B_round += N * 32 a stage: a symbolic step
//
// Law: base + rest is the address (tests/codegen runs the text).
#pragma once

#include <string>
#include <vector>

#include "core/codegen/address/scoped_text.h"
#include "core/codegen/operand/place.h"

namespace tessera::codegen {

// A rotated loop that is being written.
struct Turn {
  Rotation* rotation = nullptr;
  int depth = 0;            // scope of the loop's statement
  bool convergent = false;  // all threads reach it
};

class Bases {
 public:
  Bases(Variables& variables, ScopedText& text, Writer& out) : variables_(variables), text_(text), out_(out) {}

  void enter(Turn turn) { turns_.push_back(turn); }
  void leave() { turns_.pop_back(); }
  [[nodiscard]] const Turn* turn() const { return turns_.empty() ? nullptr : &turns_.back(); }  // the innermost
  // The place of the root at an address. Empty: it is written as it is.
  std::string onBase(const Root& root, const Expr& address);

 private:
  struct Split;
  std::optional<Split> split(const Expr& address, const Rotation& r, int depth, bool far);
  Writer::Name base(const Root& root, const Split& s, const std::string& wish, const std::string& type,
                    const std::string& format, int depth);

  Variables& variables_;
  ScopedText& text_;
  Writer& out_;
  std::vector<Turn> turns_;
};

}  // namespace tessera::codegen
