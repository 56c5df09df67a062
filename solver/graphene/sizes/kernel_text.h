// KernelText: what a kernel's text says of its execution, by its place relative to one loop, or to several of which
// each thread executes one.
//
//     for (kt = 0; kt < K; kt += 1) { sync  if (kt + 2 < K) { %s <- Move(%g) } }
//
//     decided   kt + 2 < K, inside the loop
//     stored    %s, inside, in the first part of that branch
//     placed    the coordinates of %g in global memory, likewise
//     meets     a barrier of the block in each iteration
//
// Law: two runs in which all of `fixed` and `stored` have the same values, `placed` is shifted, and `decided` is the
// same, execute the same instances at places shifted alike.
#pragma once

#include <set>
#include <vector>

#include "solver/graphene/sizes/regions.h"
#include "solver/graphene/z3/sites.h"

namespace tessera::graphene {

// What the law needs of one expression or condition of the text.
struct TextValue {
  Expr value;
  TextPlace at;
  bool isEnd = false;  // of a loop
};
struct TextAccess {
  int storage;
  std::vector<Expr> origin;
  TextPlace at;
};
struct TextStored {  // in shared memory or registers
  int storage;
  const Tensor* view;
  TextPlace at;
};
struct TextCondition {
  Comparison condition;
  TextPlace at;
};
struct TextWaited {  // mbarrier.wait
  int storage;
  const Mbarrier* wait;
  TextPlace at;
};
// Instructions that a thread waits for in groups: cp.async, or wgmma.
struct TextGroups {
  bool issued = false;                  // in the loop, or by the same threads outside of it
  bool commits = false, waits = false;  // in each step
  i64 pending = 0;                      // the most that a wait leaves in flight
};
struct TextLoop {
  int variable;
  std::vector<TextWay> ways = {};
  TextGroups copies = {}, products = {};
  std::set<int> plain = {};  // shared storages that it writes, but not through the asynchronous proxy
  bool fences = false;       // fence.async in each step
};

struct KernelText {
  std::vector<TextValue> fixed;
  std::vector<TextAccess> placed;
  std::vector<TextStored> stored;
  std::vector<TextCondition> decided;
  std::vector<TextWaited> waited;
  std::vector<Expr> stated;       // in the equations of inner specifications, except those around the loop
  std::vector<Expr> statedOfAll;  // in the equations of those, which are about all its steps
  std::set<int> written;          // global storages
  std::vector<TextLoop> loops;
  bool meets = false;     // a barrier of the block in each step
  bool shares = false;    // shared memory
  std::set<int> proxied;  // shared storages that products or TMA access through the asynchronous proxy
};

// Of the kernel sites.specs[kernel]; `loops`: variables of the loops that grow, of which any two exclude each other.
// `repeats`: a variable or -1, of a loop whose iterations must not see each other: they share no memory, write only
// what is theirs or an output that is not read, and wait for nothing. Places in it count as before the loops. A Diag:
// they may see each other; a loop inside another one, a swizzled global tensor, or an output that each iteration of one
// of `loops` writes.
[[nodiscard]] Result<KernelText> kernelText(const Sites& sites, int kernel, const std::vector<int>& loops, int repeats);

}  // namespace tessera::graphene
