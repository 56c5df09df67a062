// Program: Graphene's IR as text, read into a tree of specifications and printed back.
//
//     %1 : [16,16].fp16.SH                       a tensor of the caller
//     #4 : [32].thread
//     %2 <- Move<<<#3, #4>>>(%1) {               a specification with its decomposition
//       #5 : [4].[8].thread = #4.tile(8)         a tensor by operations on another; a type that is written is checked
//       (@m, @n), @i = #6.indices()              the coordinates of a thread, a name for each dimension
//       for (k = 0; k < 1024; k += 16) { ... }   if (cond) { ... } else { ... }   sync   syncwarp
//       %s : [32,32:33,1].fp32.SH                a tensor that begins in a body is a temporary, uninitialised
//       %11 <- Move<<<#3, #4>>>(%10)             without a body: it must be an atomic specification
//       %s8 <- Move<async><<<#3, #t>>>(%g8)      cp.async: it is there after `commit`, `wait 0` and a barrier
//       %acc <- MatMul<<<#3, #wg>>>(%sA, %sB)    wgmma, by 128 threads: between `wgmma.fence` and `wgmma.commit`; the sums are
//                                                there, and %sA and %sB free, after `wgmma.wait 0`
//       fence.async                              what was written to shared memory is there for wgmma and TMA too
//       %full:[3].mbarrier.SH   %f = %full[st]   barriers that count arrivals and bytes (Hopper's mbarrier), each for itself
//       mbarrier.init %f, 1                      a phase ends with one arrival and the bytes that were expected, by one thread
//       mbarrier.expect %f, %sA, %sB             an arrival, and the bytes of %sA and %sB; mbarrier.arrive %f: an arrival
//       %sA <- Move<bulk %f><<<#3, #1>>>(%gA)    TMA: a box, copied by one thread; its bytes arrive at %f
//       mbarrier.wait %f, (kt/3)                 until phase kt/3 has ended, counted from 0; phase -1 has ended before the first
//       %s <- all<+><<<#3, #4>>>(%s)             a named specification: `def all<op>: ...` above, or of the library
//     }
//     %y <- Spec<scale><<<#3, #4>>>(%x) means {  what a generic specification computes (meaning.h)
//       %y[i] = 2 * %x[i]
//     } { ... }
//
// Every tensor of the tree is resolved: its offset and its coordinate are expressions over `variables`, so that what an
// instruction touches is known without looking the names up again.
//
// Law: print(read(print(p))) == print(p), and both have the same tensors. Named specifications are printed written out.
// Refused, with the place: names that nobody defined, or defined twice in one body; a type that is not what the operations
// give; indices() with other names than dimensions; brackets, operators and kinds that do not exist.
//
// Source: Graphene (ASPLOS 2023), figures 1d, 2, 7 and 8. The paper prints no `sync`, `if` and loops; theirs are CUDA's.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/notation/graphene/tensor.h"

namespace tessera::graphene {

// What a param of the expressions is.
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

// a < b, a <= b, a == b ... ; a condition is the conjunction of some.
struct Comparison {
  Expr left, right;
  std::string op;
};

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
  std::vector<std::vector<std::vector<int>>> variables;  // by level, dimension and mode
};
struct Spec {
  SpecKind kind = SpecKind::Generic;
  std::string
      attribute;  // "+" of BinaryPointwise<+>, "0" of Init<0>, "async" of Move<async>, "bfly16" of Shfl<bfly 16>
  std::vector<Tensor> outputs, inputs;
  std::vector<Tensor> blocks, threads;  // one each, or none: <<<#b, #t>>>
  std::vector<Tensor> barriers;         // of Move<bulk %f>: where its bytes arrive; else none
  bool decomposed = false;
  Body body;
  std::string called;                      // "all<+>": its body is that of a named specification (definitions.h)
  std::shared_ptr<const Meaning> meaning;  // of a generic one; null: nobody has said what it computes
};
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
struct Commit {          // cp.async.commit_group: the thread's asynchronous moves since the last one are a group
  bool product = false;  // wgmma.commit_group: the warpgroup's products
};
struct Wait {  // cp.async.wait_group n: all but the thread's newest n groups are there
  int pending = 0;
  bool product = false;  // wgmma.wait_group n
};
// wgmma.fence: what was done to registers before it comes before the products behind it. fence.async (fence.proxy.async):
// what was written to shared memory before it is seen by those who read it as products do.
struct Fence {
  bool async = false;
};
// A barrier of shared memory that counts, in phases 0, 1, ...: a phase ends when its arrivals are all there and the bytes that
// were expected have come, and the next one begins with the same count.
struct Mbarrier {
  enum class Op : unsigned char { Init, Arrive, Expect, Wait };
  Op op = Op::Arrive;
  Tensor barrier;
  Expr value;                // Init: arrivals of a phase; Wait: the phase
  std::vector<Tensor> data;  // Expect: whose bytes
};
[[nodiscard]] inline bool isBarrier(const Tensor& t) { return t.element == "mbarrier"; }
inline constexpr i64 kMostArrivals = (i64{1} << 20) - 1;

// A statement of one word, as it is written: "sync", "wait 1", "wgmma.wait 0"; empty for the others.
struct Statement;
[[nodiscard]] std::string wordsOf(const Statement& statement);

struct Statement {
  Span span;
  std::variant<Define, Temporary, Indices, Spec, Loop, Branch, Sync, Commit, Wait, Fence, Mbarrier> what;
};

struct Program {
  std::vector<Variable> variables;  // of every Expr, by the index of its param
  std::vector<Tensor> operands;     // declared outside of every body
  Body specs;                       // Spec statements, and what stands between them
};

[[nodiscard]] Result<Program> readProgram(std::string_view text, Order order = Order::Row);
[[nodiscard]] std::string print(const Program& program);

}  // namespace tessera::graphene
