// TermNumbers: evaluates terms on random inputs, to tell apart two terms that no law makes equal.
//
//     TermNumbers({.seed = 1}).of(terms, t)      inputs between -1 and 1, fixed per input; integers in the input's type
//     {.seed = 1, .scale = 100, .single = true}  as in fp32: values beyond 3.4e38 are infinite
//     {.seed = 1, .middle = -1e5}                all inputs between -100001 and -99999
//     {.seed = 1, .special = t, .value = 3}      the input t is 3
//
// Law: the result depends only on the seed, the options and the term.
#pragma once

#include <unordered_map>

#include "solver/emulate/terms.h"

namespace tessera::graphene {

class TermNumbers {
 public:
  struct Options {
    u64 seed = 1;
    double scale = 1;
    bool single = false;  // round to fp32, with overflow to infinity
    double middle = 0;
    Terms::Value special = Terms::absent();  // an input
    double value = 0;                        // value of `special`
  };
  explicit TermNumbers(const Options& options) : options_(options) {}
  [[nodiscard]] double of(Terms& terms, Terms::Value v);
  // The largest magnitude among all intermediate values so far, infinite constants of the text excluded.
  [[nodiscard]] double most() const { return most_; }

 private:
  [[nodiscard]] double compute(Terms& terms, Terms::Value v, const Terms::Sum& sum);
  [[nodiscard]] double random(Terms& terms, Terms::Value v, const Terms::Node& input) const;

  Options options_;
  std::unordered_map<Terms::Value, double> known_;
  double most_ = 0;
};

// Visits v and all its subterms once, operands first, without recursion. `visit(value, sum)`: the sum of a Sum node.
template <typename Known, typename Visit>
void fromTheGround(Terms& terms, Terms::Value v, const Known& known, const Visit& visit) {
  struct Frame {
    Terms::Value value;
    Terms::Sum sum;
    std::vector<Terms::Value> open;
  };
  std::vector<Frame> frames;
  const auto push = [&](Terms::Value x) {
    if (known(x)) return;
    Frame f{x, {}, {}};
    const Terms::Node n = terms.node(x);
    if (n.kind == Terms::Kind::Sum) {
      f.sum = terms.sum(x);
      for (const auto& [t, times] : f.sum.terms) f.open.push_back(t);
      for (const auto& [p, times] : f.sum.products) f.open.insert(f.open.end(), {p.first, p.second});
    } else if (n.kind == Terms::Kind::Unary) {
      f.open = {n.a};
    } else if (n.kind == Terms::Kind::Binary || n.kind == Terms::Kind::Set) {
      f.open = {n.a, n.b};
    }
    frames.push_back(std::move(f));
  };
  push(v);
  while (!frames.empty()) {
    if (!frames.back().open.empty()) {
      const Terms::Value next = frames.back().open.back();
      frames.back().open.pop_back();
      push(next);
      continue;
    }
    const Frame f = std::move(frames.back());
    frames.pop_back();
    if (!known(f.value)) visit(f.value, f.sum);
  }
}

}  // namespace tessera::graphene
