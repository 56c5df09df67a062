// Program: Graphene IR, read from text into a tree of specifications and printed back.
//
//     %1 : [16,16].fp16.SH                       a tensor of the caller
//     #4 : [32].thread
//     %2 <- Move<<<#3, #4>>>(%1) {               a specification with its decomposition
//       #5 : [4].[8].thread = #4.tile(8)         a tensor derived from another; an explicit type is checked
//       (@m, @n), @i = #6.indices()              the coordinates of a thread, one name per dimension
//       for (k = 0; k < 1024; k += 16) { ... }   if (cond) { ... } else { ... }   sync   syncwarp
//       %s : [32,32:33,1].fp32.SH                a tensor declared in a body is a temporary, uninitialised
//       %11 <- Move<<<#3, #4>>>(%10)             without a body: it must be an atomic specification
//       %s8 <- Move<async><<<#3, #t>>>(%g8)      cp.async: complete after `commit`, `wait 0` and a barrier
//       %acc <- MatMul<<<#3, #wg>>>(%sA, %sB)    wgmma, by 128 threads: between `wgmma.fence` and `wgmma.commit`; %acc
//                                                is valid, and %sA and %sB reusable, after `wgmma.wait 0`
//       fence.async                              makes earlier writes to shared memory visible to wgmma and TMA
//       %full:[3].mbarrier.SH   %f = %full[st]   independent barriers that count arrivals and bytes (Hopper's mbarrier)
//       mbarrier.init %f, 1                      by one thread: a phase ends after one arrival and all expected bytes
//       mbarrier.expect %f, %sA, %sB             an arrival that also expects the bytes of %sA and %sB
//       mbarrier.arrive %f                       an arrival
//       %sA <- Move<bulk %f><<<#3, #1>>>(%gA)    TMA: a box, copied by one thread; its bytes arrive at %f
//       mbarrier.wait %f, (kt/3)                 until phase kt/3 has ended, counted from 0; phase -1 counts as ended
//       %s <- all<+><<<#3, #4>>>(%s)             a named specification: `def all<op>: ...` above, or of the library
//     }
//     %y <- Spec<scale><<<#3, #4>>>(%x) means {  what a generic specification computes (meaning.h)
//       %y[i] = 2 * %x[i]
//     } { ... }
//
// Every tensor of the tree is resolved: its offset and coordinate are expressions over `variables`, so the elements
// that an instruction touches are known without looking up names again.
//
// Law: print(read(print(p))) == print(p), and both have the same tensors. Named specifications are printed expanded.
// Rejected, with the place: names that are undefined, or defined twice in one body; an explicit type that differs from
// what the operations give; indices() with a wrong number of names; unknown brackets, operators and kinds.
//
// Source: Graphene (ASPLOS 2023), figures 1d, 2, 7, 8. `sync`, `if` and loops are not printed there; they follow CUDA.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/notation/graphene/tensor.h"

namespace tessera::graphene {

// What a param of the expressions stands for.
struct Variable {
  enum class Kind : unsigned char {
    Size,    // M of [M,N]: a parameter of the kernel
    Thread,  // threadIdx.x
    Block,   // blockIdx.x
    Loop,    // 0 <= k < 1024, in steps of 16
    Index,   // @m of indices(): `value` over Thread or Block
  };
  std::string name;
  Kind kind = Kind::Size;
  Expr lo, hi;   // Loop
  i64 step = 1;  // Loop
  Expr value;    // Index
};

enum class SpecKind : unsigned char {
  Move,
  MatMul,
  UnaryPointwise,
  BinaryPointwise,
  Reduction,
  Shfl,
  Init,
  Allocate,
  Generic,
};
[[nodiscard]] std::string_view name(SpecKind kind);  // "Move", ..., "Spec"

// a < b, a <= b, a == b ... A condition is a conjunction of these.
struct Comparison {
  Expr left, right;
  std::string op;
};
[[nodiscard]] inline bool comparisonHolds(i64 a, std::string_view op, i64 b) {
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  if (op == ">=") return a >= b;
  return (a == b) == (op == "==");
}

struct Statement;
struct Meaning;
using Body = std::vector<Statement>;

struct Define {  // %7 = %1.tile([8:1],[8:1])
  Tensor tensor;
  std::string source, operations;  // "%1", ".tile([8:1],[8:1])"
};
struct Temporary {  // %s : [32,32:33,1].fp32.SH
  Tensor tensor;
};
struct Indices {  // (@m, @n), @i = #6.indices()
  std::string source;
  std::vector<std::vector<std::vector<int>>> variables;  // per level, dimension and mode
};
struct Spec {
  SpecKind kind = SpecKind::Generic;
  std::string
      attribute;  // "+" of BinaryPointwise<+>, "0" of Init<0>, "async" of Move<async>, "bfly16" of Shfl<bfly 16>
  std::vector<Tensor> outputs, inputs;
  std::vector<Tensor> blocks, threads;  // one each, or none: <<<#b, #t>>>
  std::vector<Tensor> barriers;         // of Move<bulk %f>: where its bytes arrive; else empty
  bool decomposed = false;
  Body body;
  std::string called;                      // "all<+>": its body is from a named specification (definitions.h)
  std::shared_ptr<const Meaning> meaning;  // of a generic one; null: not given
};
[[nodiscard]] inline const Tensor& operandOf(const Spec& spec, std::size_t k) {  // outputs, then inputs
  return k < spec.outputs.size() ? spec.outputs[k] : spec.inputs[k - spec.outputs.size()];
}
struct Loop {
  int variable = 0;
  Body body;
};
struct Branch {
  std::vector<Comparison> condition;
  Body then, otherwise;
};
struct Sync {
  bool warp = false;
};
struct Commit {          // cp.async.commit_group: the thread's asynchronous moves since the last commit form a group
  bool product = false;  // wgmma.commit_group: the warpgroup's products
};
struct Wait {  // cp.async.wait_group n: waits for all but the thread's newest n groups
  int pending = 0;
  bool product = false;  // wgmma.wait_group n
};
// wgmma.fence orders earlier register accesses before the following products. fence.async (fence.proxy.async) makes
// earlier writes to shared memory visible to the asynchronous proxy, through which wgmma and TMA access it.
struct Fence {
  bool async = false;
};
// An mbarrier in shared memory, with phases 0, 1, ...: a phase ends when all its arrivals and all expected bytes are
// there; the next one begins with the same arrival count.
struct Mbarrier {
  enum class Op : unsigned char { Init, Arrive, Expect, Wait };
  Op op = Op::Arrive;
  Tensor barrier;
  Expr value;                // Init: arrivals per phase; Wait: the phase
  std::vector<Tensor> data;  // Expect: tensors whose bytes are expected
};
[[nodiscard]] inline bool isBarrier(const Tensor& t) { return t.element == "mbarrier"; }
inline constexpr i64 kMostArrivals = (i64{1} << 20) - 1;

// The text of a keyword statement: "sync", "wait 1", "wgmma.wait 0"; empty for the others.
[[nodiscard]] std::string wordsOf(const Statement& statement);

struct Statement {
  Span span;
  std::variant<Define, Temporary, Indices, Spec, Loop, Branch, Sync, Commit, Wait, Fence, Mbarrier> what;
};

struct Program {
  std::vector<Variable> variables;  // for every Expr, indexed by its param
  std::vector<Tensor> operands;     // declared outside every body
  Body specs;                       // Spec statements and what is between them
};

[[nodiscard]] Result<Program> readProgram(std::string_view text);
[[nodiscard]] std::string print(const Program& program);
// "%7", "#warp"
[[nodiscard]] std::string nameOf(const Tensor& tensor);
[[nodiscard]] std::vector<std::string> namesOf(const std::vector<Variable>& variables);
// "%2 <- Move<<<#3, #4>>>(%1)", without its body; `expanded`: a call by what it stands for.
[[nodiscard]] std::string headOf(const Spec& spec, bool expanded = false);
// "k + 16 < N && @m == 0"
[[nodiscard]] std::string print(const std::vector<Comparison>& condition, const std::vector<std::string>& names);

}  // namespace tessera::graphene
