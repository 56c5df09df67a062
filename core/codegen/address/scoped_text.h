// ScopedText: expressions as C in the scopes of a kernel: by the names that are visible, and with names for what is
// long.
//
//     r * 32 + ((c * 8) ^ (r / 2 % 4 * 8))      in the function's scope  const int sA_at = (c * 8) ^ (r / 2 % 4 * 8);
//                                               r * 32 + sA_at
//
// A quotient, remainder or exclusive or of what no loop changes, of two operations or more, is named once, in the scope
// of the innermost variable in it.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/codegen/address/variables.h"
#include "core/codegen/kernel/writer.h"
#include "core/codegen/operand/place.h"

namespace tessera::codegen {

class ScopedText {
 public:
  using Shown = std::vector<std::optional<Writer::Name>>;  // by variable
  ScopedText(Variables& variables, Writer& out);

  // whole: nothing in it is given a name.
  std::string text(const Expr& e, bool whole = false);
  std::string nameOf(int param);
  // What is named from here on is named after this word.
  void hint(const std::string& word) { hint_ = word; }

  // From here on the variable has this name, of the scope `depth`.
  void show(int variable, Writer::Name name, int depth) {
    rename(variable, name);
    depthOf_[static_cast<std::size_t>(variable)] = depth;
  }
  void rename(int variable, Writer::Name name) { shown_[static_cast<std::size_t>(variable)] = name; }
  [[nodiscard]] bool isKnownAt(int param, int depth) const {
    return depthOf_[static_cast<std::size_t>(param)] <= depth;
  }
  [[nodiscard]] bool isKnownAt(const Expr& e, int depth) const {
    return !anyParam(e, [&](int p) { return !isKnownAt(p, depth); });
  }
  [[nodiscard]] const Shown& shown() const { return shown_; }
  void restore(Shown shown) { shown_ = std::move(shown); }
  // Forgets the names of scopes below `depth`.
  void keepScopes(int depth) { hoisted_.resize(static_cast<std::size_t>(depth) + 1); }

 private:
  std::string named(const Expr& e);

  Variables& variables_;
  Writer& out_;
  Shown shown_;
  std::vector<int> depthOf_;                                     // scope of each variable
  std::vector<std::unordered_map<Expr, Writer::Name>> hoisted_;  // by the scope of their definition
  std::string hint_;
};

// Bases: addresses in a rotated loop (variables.h): a base that is made before it, and what unrolled loops add as a
// number.
//
//     A[bm * 131072 + r * 1024 + c * 8 + round * 96 + stage * 32]     A_round[stage * 32], A_round += 96 a round
//     sA[wm * 2048 + stage * 4096 + ((k * 16) ^ sA_at)]               sA_base[k][stage * 4096]: a pointer for each k
//     B[bn * 128 + r * N + (round * 3 + stage + 2) * N * 32]     B_round[0], B_round += N * 32 a stage: a symbolic step
//
// Law: base + rest is the address (tests/codegen runs the text).

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
