// Program: Graphene IR as a tree of specifications, read from text and printed back.
//
//     %1 : [16,16].fp16.SH                       a tensor of the caller
//     #4 : [32].thread
//     assume M % 128 == 0 && N <= 512            of the symbolic sizes in it, outside every body (assumptions.h)
//     %2 <- Move<<<#3, #4>>>(%1) {               a specification with its decomposition
//       #5 : [4].[8].thread = #4.tile(8)         a view of another tensor; an explicit type is checked
//       (@m, @n), @i = #6.indices()              the coordinates of a thread, one name per dimension
//       for (k = 0; k < 1024; k += 16) { ... }   if (cond) { ... } else { ... }   sync   syncwarp
//       %s : [32,32:33,1].fp32.SH                a tensor declared in a body is a temporary, uninitialised
//       %11 <- Move<<<#3, #4>>>(%10)             no body: it must be an atomic specification
//       %s8 <- Move<async><<<#3, #t>>>(%g8)      cp.async: completes with `commit`, `wait 0` and a barrier
//       %acc <- MatMul<<<#3, #wg>>>(%sA, %sB)    wgmma by 128 threads, between `wgmma.fence` and `wgmma.commit`. After
//                                                `wgmma.wait 0`, %acc is valid, and %sA and %sB are reusable
//       fence.async                              makes earlier writes to shared memory visible to wgmma and TMA
//       %full:[3].mbarrier.SH   %f = %full[st]   separate barriers that count arrivals and bytes (Hopper's mbarrier)
//       mbarrier.init %f, 1                      a phase ends after one arrival and all expected bytes; by one thread
//       mbarrier.expect %f, %sA, %sB             an arrival; the phase also waits for the bytes of %sA and %sB
//       mbarrier.arrive %f                       an arrival
//       %sA <- Move<bulk %f><<<#3, #1>>>(%gA)    TMA: one thread copies a box; its bytes arrive at %f
//       mbarrier.wait %f, (kt/3)                 waits until phase kt/3 (from 0) has ended; phase -1 counts as ended
//       %s <- all<+><<<#3, #4>>>(%s)             a named specification, from `def all<op>: ...` above or the library
//     }
//     %y <- Spec<scale><<<#3, #4>>>(%x) means {  what a generic specification computes (meaning.h)
//       %y[i] = 2 * %x[i]
//     } { ... }
//
// Every tensor of the tree is resolved: its offset and origin are expressions over `variables`, so no names need to be
// looked up to find the elements that an instruction accesses.
//
// Law: print(read(print(p))) == print(p), with the same tensors. Named specifications are printed expanded.
// Rejected, with the place: names that are undefined or defined twice in one body; an explicit type that differs from
// the result of the operations; indices() with a wrong number of names; unknown brackets, operators and kinds.
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

// What a param of the expressions represents.
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
  i64 unit = 1;  // Size: expressions have the quotient of the size by this, which is named "M/128" (assumptions.h)
  // Of a size: "M".
  [[nodiscard]] std::string sizeName() const { return unit == 1 ? name : name.substr(0, name.rfind('/')); }
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
  std::vector<Tensor> blocks, threads;  // <<<#b, #t>>>: one each, or none
  std::vector<Tensor> barriers;         // of Move<bulk %f>: where the bytes arrive
  bool decomposed = false;
  Body body;
  std::string called;                      // "all<+>": the named specification that its body comes from (definitions.h)
  std::shared_ptr<const Meaning> meaning;  // of a generic specification; null: not given
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
struct Commit {          // cp.async.commit_group: groups the thread's asynchronous moves since the last commit
  bool product = false;  // wgmma.commit_group: the warpgroup's products
};
struct Wait {  // cp.async.wait_group n: waits for all but the newest n groups of the thread
  int pending = 0;
  bool product = false;  // wgmma.wait_group n
};
// wgmma.fence orders earlier register accesses before the following products. fence.async (fence.proxy.async) makes
// earlier writes to shared memory visible to the asynchronous proxy, through which wgmma and TMA access it.
struct Fence {
  bool async = false;
};
// An operation on an mbarrier in shared memory. Its phases are numbered from 0: a phase ends when all arrivals and all
// expected bytes have come; the next phase expects the same number of arrivals.
struct Mbarrier {
  enum class Op : unsigned char { Init, Arrive, Expect, Wait };
  Op op = Op::Arrive;
  Tensor barrier;
  Expr value;                // Init: arrivals per phase; Wait: the phase
  std::vector<Tensor> data;  // Expect: tensors whose bytes are expected
};
[[nodiscard]] inline bool isBarrier(const Tensor& t) { return t.element == "mbarrier"; }
inline constexpr i64 kMostArrivals = (i64{1} << 20) - 1;

// The text of a keyword statement: "sync", "wait 1", "wgmma.wait 0"; empty for other statements.
[[nodiscard]] std::string wordsOf(const Statement& statement);

struct Statement {
  Span span;
  std::variant<Define, Temporary, Indices, Spec, Loop, Branch, Sync, Commit, Wait, Fence, Mbarrier> what;
};

struct Assumption {  // assume M % 128 == 0 && N <= 512: sizes that the program accepts
  std::vector<Comparison> condition;
  Span span;
};

struct Program {
  std::vector<Variable> variables;      // for every Expr, indexed by its param
  std::vector<Tensor> operands;         // declared outside every body
  std::vector<Assumption> assumptions;  // over sizes (assumptions.h)
  Body specs;                           // specifications and the statements between them
};

[[nodiscard]] Result<Program> readProgram(std::string_view text);
[[nodiscard]] std::string print(const Program& program);
// "%7", "#warp"
[[nodiscard]] std::string nameOf(const Tensor& tensor);
[[nodiscard]] std::vector<std::string> namesOf(const std::vector<Variable>& variables);
// "%2 <- Move<<<#3, #4>>>(%1)", without the body. `expanded`: a call is printed as the specification that it calls.
[[nodiscard]] std::string headOf(const Spec& spec, bool expanded = false);
// "k + 16 < N && @m == 0"
[[nodiscard]] std::string print(const std::vector<Comparison>& condition, const std::vector<std::string>& names);

}  // namespace tessera::graphene
