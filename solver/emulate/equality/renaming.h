// Renaming: whether a pair of terms is another pair, with its inputs renamed. What is proved of one then holds for the
// other: an identity stays one if other names are put for its inputs.
//
//     Renaming renaming(terms);
//     renaming.maps({expected(0,0), actual(0,0)}, {expected(0,1), actual(0,1)})
//         exp(%s[0]) * %V[0,0] + ...    exp(%s[0]) * %V[0,1] + ...    %V[0,0] -> %V[0,1], %s[0] -> %s[0]: yes
//
// The 8192 elements of an attention's output are one proof and 8191 renamings.
//
// The terms are compared as they were built, node by node: a sum in another order is not recognised. A subterm that
// both pairs share is not entered: its inputs keep their names.
//
// Law: maps(a, b) implies that one injective map of inputs, each to an input of the same tensor, takes a.first to
// b.first and a.second to b.second. The converse does not hold. Consumes budget.
#pragma once

#include "core/base/types.h"
#include "solver/emulate/terms.h"

namespace tessera::graphene {

// A partial map of values that is emptied in one step.
class ValueTable {
 public:
  void clear() { ++now_; }
  // The value at `key`; absent: none.
  [[nodiscard]] Terms::Value at(Terms::Value key) const {
    return key < rows_.size() && rows_[key].first == now_ ? rows_[key].second : Terms::absent();
  }
  [[nodiscard]] bool has(Terms::Value key) const { return at(key) != Terms::absent(); }
  void set(Terms::Value key, Terms::Value value) {
    if (key >= rows_.size()) rows_.resize(std::size_t{key} + std::size_t{key} / 2 + 64);
    rows_[key] = {now_, value};
  }

 private:
  std::uint32_t now_ = 1;
  std::vector<std::pair<std::uint32_t, Terms::Value>> rows_;
};

class Renaming {
 public:
  using Pair = std::pair<Terms::Value, Terms::Value>;

  explicit Renaming(const Terms& terms) : terms_(terms) {}
  [[nodiscard]] bool maps(const Pair& from, const Pair& to);
  // After maps(..) was true: what a subterm of `from` became; absent: not entered.
  [[nodiscard]] Terms::Value imageOf(Terms::Value v) const {
    const Terms::Value to = image_.at(v);
    return to == Terms::absent() ? kept_.at(v) : to;
  }
  // The inputs with another name.
  [[nodiscard]] const std::vector<std::pair<Terms::Value, Terms::Value>>& renamed() const { return renamed_; }

 private:
  using Value = Terms::Value;
  [[nodiscard]] bool walk(const Pair& from, const Pair& to);
  // Notes that `from` becomes `to`, and what follows for their parts in open_; false: impossible.
  [[nodiscard]] bool match(Value from, Value to);
  [[nodiscard]] bool matchProducts(const Terms::Node& a, const Terms::Node& b);
  [[nodiscard]] bool matchLists(Dots::List from, Dots::List to);
  [[nodiscard]] bool likely(Value from, Value to) const;
  void keep(Value shared);
  [[nodiscard]] bool consistent() const;

  const Terms& terms_;
  ValueTable image_, source_;                            // of every node; of the inputs
  std::vector<std::pair<Value, Value>> open_, renamed_;  // to be matched; inputs with another name
  ValueTable kept_;  // shared subterms and all below them: their inputs keep their names
  ValueTable keptLists_;
  std::vector<Value> below_;
};

}  // namespace tessera::graphene
