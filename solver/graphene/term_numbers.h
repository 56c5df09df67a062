// TermNumbers: terms on random numbers: what two terms that no law makes equal are, where that is looked at.
//
//     TermNumbers({.seed = 1}).of(terms, t)       inputs between -1 and 1, the same input always the same number; integers of the input's type
//     {.seed = 1, .scale = 100, .single = true}   as fp32 would: what is beyond 3.4e38 is infinite
//     {.seed = 1, .middle = -1e5}                 all inputs between -100001 and -99999
//     {.seed = 1, .special = t, .value = 3}       the input t is 3
//
// Law: it depends on the seed, the options and the term alone.
#pragma once

#include <unordered_map>

#include "solver/emulate/terms.h"

namespace tessera::graphene {

class TermNumbers {
 public:
  struct Options {
    u64 seed = 1;
    double scale = 1;
    bool single = false;  // everything rounded to, and infinite beyond, fp32
    double middle = 0;
    Terms::Value special = Terms::absent();  // an input
    double value = 0;                        // of that one
  };
  explicit TermNumbers(const Options& options) : options_(options) {}
  [[nodiscard]] double of(Terms& terms, Terms::Value v);
  // The largest of all that went into what was asked so far, infinities of the text left away.
  [[nodiscard]] double most() const { return most_; }

 private:
  [[nodiscard]] double compute(Terms& terms, Terms::Value v, const Terms::Sum& sum);
  [[nodiscard]] double random(Terms& terms, Terms::Value v, const Terms::Node& input) const;

  Options options_;
  std::unordered_map<Terms::Value, double> known_;
  double most_ = 0;
};

// What a term is made of before it, each once, without recursion. `visit(value, sum)`: the sum of a Sum node.
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
