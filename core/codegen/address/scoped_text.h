// ScopedText: expressions as C text in the scopes of a kernel. Uses the names that are visible, and names long
// sub-expressions.
//
//     r * 32 + ((c * 8) ^ (r / 2 % 4 * 8))      in the function's scope  const int sA_at = (c * 8) ^ (r / 2 % 4 * 8);
//                                               r * 32 + sA_at
//
// A loop-invariant quotient, remainder or xor of two or more operations is named once, in the scope of its innermost
// variable.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/codegen/address/expression.h"
#include "core/codegen/address/variables.h"
#include "core/codegen/kernel/writer.h"
#include "core/codegen/operand/place.h"

namespace tessera::codegen {

class ScopedText {
 public:
  using Shown = std::vector<std::optional<Writer::Name>>;  // by variable
  ScopedText(Variables& variables, Writer& out);

  // `whole`: names no sub-expression.
  std::string text(const Expr& e, bool whole = false);
  // Of type int. Requires: its range fits.
  std::string narrow(const Expr& e, bool whole = false);
  std::string nameOf(int param);
  // From here on, new names begin with this word.
  void hint(const std::string& word) { hint_ = word; }

  // From here on, the variable has this name, which belongs to the scope `depth`.
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
  [[nodiscard]] bool shows(int variable) const { return shown_[static_cast<std::size_t>(variable)].has_value(); }
  void restore(Shown shown) { shown_ = std::move(shown); }
  // The same, but names that belong to the scope `depth`, or to one around it, stay.
  void restore(const Shown& shown, int depth);
  // Forgets the names of scopes below `depth`.
  void keepScopes(int depth) { hoisted_.resize(static_cast<std::size_t>(depth) + 1); }

 private:
  std::string named(const Expr& e);
  Spelled spelled(const Expr& e, bool whole);

  Variables& variables_;
  Writer& out_;
  Shown shown_;
  std::vector<int> depthOf_;                                     // scope of each variable
  std::vector<std::unordered_map<Expr, Writer::Name>> hoisted_;  // by the scope of their definition
  std::string hint_;
};

// What all parts of the kernel writer share.
struct KernelText {
  Variables& variables_;
  ScopedText& text_;
  Writer& out_;
};

// Bases: addresses in a rotated loop (variables.h) as a base computed before it plus the constants that unrolled loops
// add.
//
//     A[bm * 131072 + r * 1024 + c * 8 + round * 96 + stage * 32]     A_round[stage * 32], A_round += 96 per round
//     sA[wm * 2048 + stage * 4096 + ((k * 16) ^ sA_at)]               sA_base[k][stage * 4096]: a pointer for each k
//     B[bn * 128 + r * N + (round * 3 + stage + 2) * N * 32]     B_round[0], B_round += N * 32 per stage (symbolic)
//
// Law: base + rest is the address (tests/codegen runs the text).

// The rotated loop that is being written.
struct Turn {
  Rotation* rotation = nullptr;
  int depth = 0;            // scope of the loop's statement
  bool convergent = false;  // all threads reach it
};

class Bases : KernelText {
 public:
  explicit Bases(const KernelText& kernel) : KernelText(kernel) {}

  void enter(Turn turn) { turns_.push_back(turn); }
  void leave() {
    past_.push_back(turns_.back());
    turns_.pop_back();
  }
  // Forgets the bases of scopes below `depth`.
  void keepScopes(int depth) {
    std::erase_if(past_, [&](const Turn& t) { return t.depth > depth; });
  }
  [[nodiscard]] const Turn* turn() const { return turns_.empty() ? nullptr : &turns_.back(); }  // the innermost
  // The root's element at an address, as a base and an offset. After a loop, its bases into shared memory remain.
  // Empty: no base applies.
  std::string onBase(const Root& root, const Expr& address);

 private:
  struct Split;
  std::string onPastBase(const Root& root, const Expr& address);
  std::string based(Writer::Name name, const Split& s);
  std::optional<Split> split(const Expr& address, const Rotation& r, int depth, bool far);
  Writer::Name base(const Root& root, const Split& s, const std::string& wish, const std::string& type,
                    const std::string& format, int depth);

  std::vector<Turn> turns_;
  std::vector<Turn> past_;  // loops before, whose bases are visible
};

}  // namespace tessera::codegen
