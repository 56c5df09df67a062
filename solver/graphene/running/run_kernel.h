// Runs one kernel on terms: the verdicts of running for it and the decompositions inside it.
#pragma once

#include <set>

#include "solver/emulate/machine.h"
#include "solver/graphene/check.h"

namespace tessera::graphene {

// Watches the run of the kernel as a whole: its accesses, and each pair of values that O8 compares.
class Witness : public Observer {
 public:
  virtual void begins(const Machine<Terms>& machine) = 0;
  virtual void compared(Terms::Value expected, Terms::Value actual) = 0;
  virtual void ended(Terms& terms) = 0;
};

// The activations of the decompositions inside a kernel. Two are the same if the values of the enclosing loops give the
// same places and conditions inside. Only the first one is run.
//
//     for (k ...) { %a <- Move(%s[k%3]) { ... } }       three activations for every number of steps
//
// A kernel may run at several sizes. An activation is also the same at another size if the places and conditions inside
// are the same expressions; the strides of global tensors may differ.
class Activations {
 public:
  // `oneSize`: all runs are at the same sizes.
  explicit Activations(bool oneSize) : oneSize_(oneSize) {}
  // By plan.specs: what determines an activation besides its loops and threads. Forgets those of other expressions.
  void begin(const Plan& plan, int spec);
  // The first time: true.
  // `loops`: by plan.loops.
  [[nodiscard]] bool isNew(int spec, i64 block, const std::vector<i64>& loops, const std::vector<char>& threads);

 private:
  struct OfSpec {
    std::vector<Expr> expressions;
    std::set<int> loops;      // that they read
    std::vector<Expr> parts;  // of the expressions: all that they read of the enclosing loops
    std::set<std::tuple<i64, std::vector<i64>, std::vector<char>>> done;
  };
  const bool oneSize_;
  std::map<int, OfSpec> of_;
};

struct KernelRun {
  bool values = true;                  // also decide O8 of the kernel
  bool inner = true;                   // and the decompositions inside it
  Witness* witness = nullptr;          // of block 0
  Activations* activations = nullptr;  // of earlier runs, at other sizes
};

// By plan.specs. Throws OutOfBudget.
[[nodiscard]] std::map<int, std::vector<ObligationVerdict>> runKernel(const Plan& plan, int kernel,
                                                                      const KernelRun& how,
                                                                      const CheckOptions& options);

// Runs each decomposition inside a kernel separately: for every activation (block, values of the enclosing loops) it
// starts from symbolic inputs and compares the final outputs with its function.
//
//     for (m ...) { %tile <- Move<<<#b,#w>>>(%src[m]) { ... } }      m = 0, 1, ...: one run each, all warps at once
//
// A specification for single threads is compared per thread, one for a warp per warp.

// Adds the verdicts of all inner specifications of the kernel, by plan.specs. `alike`: those for which block 0
// represents all blocks. Throws OutOfBudget.
void runInner(const Plan& plan, int kernel, const std::set<int>& alike, const KernelRun& how,
              const CheckOptions& options, std::map<int, std::vector<ObligationVerdict>>& out);

}  // namespace tessera::graphene
