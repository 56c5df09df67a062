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
  void show(int variable, Writer::Name name, int depth);
  void rename(int variable, Writer::Name name) { shown_[static_cast<std::size_t>(variable)] = name; }
  [[nodiscard]] bool isKnownAt(int param, int depth) const {
    return depthOf_[static_cast<std::size_t>(param)] <= depth;
  }
  [[nodiscard]] bool isKnownAt(const Expr& e, int depth) const;
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

}  // namespace tessera::codegen
