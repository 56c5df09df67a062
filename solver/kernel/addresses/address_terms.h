// AddressTerms: the addresses of a run as terms of the indices of thread and block, beside its numbers.
//
//     s[tid.x ^ 8 * k] in a loop of 4 turns     visits[k] = shared + 4 (tid.x ^ 8 k), in every warp of every block
//
// The machine runs on numbers as always. For the registers that addresses and guards are computed from, each warp also
// has a term and the lanes that it holds for. Loops run, so their counters are constants. What comes from memory or
// from another lane has no term; a broadcast of one lane of the warp has.
//
// Law: the term of a visit, evaluated at a thread and its block, is the address that the thread accesses there
// (tests/kernel/addresses_test.cpp).
#pragma once

#include <array>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "solver/kernel/addresses/integer_steps.h"
#include "solver/kernel/machine/memories.h"

namespace tessera::kernel {

class AddressTerms {
 public:
  AddressTerms(const Program& program, const Memories& memories);

  // Before the group of `w` executes its step; the guard holds for `mask`.
  void follow(const Warp& w, Mask mask);

  // The addresses of a step. A visit is an execution by a warp, counted from 0 for each warp.
  struct OfStep {
    std::vector<Term> bases;                            // of the register, by visit
    std::vector<Term> visits;                           // of 64 bits; empty: see `why`
    std::vector<std::array<std::uint32_t, 32>> blocks;  // by visit and warp: the blocks in which it takes place
    std::string why;                                    // it has no terms
  };
  // null: it is no such access.
  [[nodiscard]] const OfStep* of(int step) const {
    const auto at = addresses_.find(step);
    return at != addresses_.end() ? &at->second : nullptr;
  }
  [[nodiscard]] Terms& terms() { return terms_; }

 private:
  struct Held {
    Term term = -1;
    Mask lanes = 0;  // it holds for these
  };
  struct State {  // of a warp
    std::vector<Held> registers;
    std::unordered_map<int, std::uint32_t> visits;  // by step
  };
  enum class Use : unsigned char { None, Computes, Accesses, Ends };

  void findUses();
  [[nodiscard]] State& stateOf(const Warp& w);
  void compute(State& state, const Warp& w, const Step& s, Mask mask);
  // Of the step's results; empty: they have none. `lanes`: those that its sources hold for.
  [[nodiscard]] const std::vector<Term>& results(const State& state, const Step& s, Mask& lanes);
  [[nodiscard]] std::vector<Term> made(const State& state, const Step& s);
  [[nodiscard]] std::vector<Term> parameter(const Step& s, Term address);
  [[nodiscard]] std::vector<Term> broadcast(const Step& s, Term value, Term from);
  void write(State& state, Place p, Held value, Mask changed);
  void note(State& state, const Warp& w, const Step& s, Mask mask);
  [[nodiscard]] Held held(const State& state, Place p) const {
    if (p == kNoPlace) return {constants_.back(), ~Mask{0}};
    if (p < 0) return {constants_[static_cast<std::size_t>(~p)], ~Mask{0}};
    return state.registers[static_cast<std::size_t>(p)];
  }

  const Program& program_;
  const Memories& memories_;
  Terms terms_;
  IntegerSteps integers_;
  std::vector<Use> uses_;  // by step
  std::vector<Term> specials_, constants_;
  std::unordered_map<std::uint32_t, State> states_;  // by first thread
  std::pair<std::uint32_t, State*> last_{0, nullptr};
  // By step: its results, by a hash of its sources.
  struct Known {
    std::vector<Term> sources, results;
  };
  std::vector<std::unordered_map<u64, Known>> known_;
  std::vector<Term> sources_;  // of the step that is computed
  std::unordered_map<int, OfStep> addresses_;
};

}  // namespace tessera::kernel
