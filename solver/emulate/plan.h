// Plan: a Graphene program prepared for execution: sizes are numbers, names are storage, the tree is a list of steps.
//
//     %s : [32,32:33,1].fp32.SH           a root: 1055 places per block, addresses 0 to 1054
//     %q = %s[@x, @y]                     no step: uses of %q read root %s at 33*(t%32) + t/32
//     for (k ...) { %a <- Move(%b) }      Loop k; Leaf "ld.global"; EndLoop
//
// A leaf has its atom, and for each operand: the root, the offset and origin as expressions over blockIdx.x,
// threadIdx.x and the loops (compiled, one value per lane), and the addresses and coordinates of its slots relative to
// them. Equal expressions share a column, so a warp computes each once, and again only after a step of a loop that it
// reads.
//
// Law: a plan contains no unresolved names; a program that readProgram accepted but that cannot be run is a Diag here.
#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/expr/compile.h"
#include "core/graphene/atoms/atom.h"
#include "core/graphene/program.h"
#include "core/graphene/slots/slots.h"
#include "solver/emulate/format.h"

namespace tessera::graphene {

// A size that has every value from 1 to `most` in one run (guards/guarded_values.h). The rest of the plan has `most`.
// `more`: there are larger values, at which every condition is as at `most`.
struct PlanGuard {
  int variable = -1;  // of the program
  i64 most = 1;
  bool more = false;
};
// unit * size + more; guard -1: a number.
struct GuardedExtent {
  int guard = -1;  // of plan.guards
  i64 unit = 0, more = 0;
};

// Where values are stored: an operand of the program or a temporary. Views are addresses in it.
struct Root {
  Tensor tensor = {};
  Span span = {};        // of the temporary
  bool operand = false;  // declared outside every body: the caller's
  bool written = false;  // written by some leaf
  bool sums = false;     // registers used as accumulators of warpgroup products
  bool matrix = false;   // shared memory read by those products or written by TMA
  int barriers = -1;     // for mbarriers: number of its first barrier
  Memory memory = Memory::None;
  NumberFormat type = {};
  i64 places = 0;                           // addresses 0 .. places - 1
  std::vector<GuardedExtent> guarded = {};  // by declared dimension; empty: all extents are numbers
  // Number of copies: operands have one per block (SH) or thread (RF); temporaries have those of the running block.
  i64 copies = 1;
};

// One value per lane, over digits 0 blockIdx.x, 1 threadIdx.x, 2 .. the loops.
struct Column {
  Expr expression;
  tessera::Program program;
  std::vector<int> loops;  // loops that it reads
};

struct PlanOperand {
  int root = 0;
  std::string name;                        // "%10"
  int offset = 0;                          // column
  std::vector<int> origin;                 // columns, one per declared dimension
  std::vector<i64> extents;                // of the declared dimensions
  FlatSlots slots;                         // addresses relative to the offset, coordinates to the origin
  std::vector<std::pair<i64, i64>> reach;  // least and greatest coordinate of the slots, by dimension
  cute::Swizzle swizzle;
  bool dense = false;                 // addresses are 0, 1, 2 ..., no swizzle
  std::vector<char> used;             // for an input, by slot of the group: read by some term
  bool matrix = false;                // given by a descriptor, one for the group
  i64 alignment = 0;                  // number of slots that must be adjacent, at a multiple of it; 0: no constraint
  bool outside = false;               // violates O3: an enclosing specification does not name its root
  std::vector<AtlasAccess> accesses;  // for operands in memory: the warp's request at slot 0
};

struct PlanLeaf {
  const Spec* spec = nullptr;
  Span span = {};
  Atom atom = {};
  int outputs = 1;
  std::vector<PlanOperand> operands = {};  // outputs, then inputs
  int group = -1;                          // column: offset of the executing threads; -1: each thread alone
  std::vector<i64> members = {};           // thread numbers relative to the group's offset
  std::vector<int> firstTerm = {};         // by slot of the group, plus an end
  std::vector<AtomTerm> terms = {};
  double constant = 0;
  int barrier = -1;                                         // for TMA: a PlanBarrier
  int parent = -1;                                          // enclosing decomposition
  std::vector<std::pair<std::string, int>> variables = {};  // visible loops and indices, with their columns
};

// A specification with its decomposition.
struct PlanSpec {
  const Spec* spec = nullptr;
  Span span = {};
  std::vector<PlanOperand> operands = {};  // outputs, then inputs
  int outputs = 1;
  int parent = -1;
  int kernel = 0;                  // outermost specification
  std::size_t begin = 0, end = 0;  // of its Enter and Exit steps
  std::vector<int> loops = {};     // enclosing loops, outermost first
  i64 blocks = 1, threads = 1;     // for a kernel: launch size
  int group = -1;                  // as for leaves
  std::vector<i64> members = {};
  std::vector<std::pair<std::string, int>> variables = {};
};

struct PlanLoop {
  std::string name;
  int lo = 0, hi = 0;  // columns
  i64 step = 1;
  int guard = -1;         // its end depends on this guarded size only,
  std::vector<i64> ends;  // and is this for the values 1, 2 ..., ascending
};
struct PlanComparison {
  int left = 0, right = 0;
  std::string op;
  // Guarded: column `left` op unit * size.
  int guard = -1;
  i64 unit = 0;
};

// An mbarrier statement, or the arrival of a TMA copy.
struct PlanBarrier {
  Mbarrier::Op op = Mbarrier::Op::Arrive;
  int root = 0;
  int offset = 0;  // column: index within the root
  int value = -1;  // for Init, Wait: a column
  i64 bytes = 0;   // for Expect
};

struct PlanStep {
  enum class Code : unsigned char {
    Leaf,   // index: leaf
    Enter,  // index: specification
    Exit,
    Fresh,  // index: root
    If,     // index: condition; target: its Else
    Else,   // target: its EndIf
    EndIf,
    Loop,     // index: loop; target: after its EndLoop
    EndLoop,  // target: the first step of the body
    Sync,
    SyncWarp,
    Commit,
    Wait,          // index: pending
    ProductFence,  // of wgmma
    ProductCommit,
    ProductWait,  // index: pending
    AsyncFence,
    Barrier,  // index: of plan.barriers
    Stop,
  };
  Code code = Code::Stop;
  int index = 0;
  std::size_t target = 0;
  Span span;
};

struct Plan {
  std::vector<PlanGuard> guards;
  std::vector<Root> roots;
  std::vector<Column> columns;
  std::vector<PlanLeaf> leaves;
  std::vector<PlanSpec> specs;    // in text order, outer before inner
  std::vector<const Spec*> open;  // with guards, by `specs`: the same with the guarded sizes as variables
  std::vector<int> kernels;       // those of `specs` that are kernels, in order
  std::vector<PlanLoop> loops;
  std::vector<std::vector<PlanComparison>> conditions;
  std::vector<PlanBarrier> barriers;
  i64 barrierCount = 0;         // mbarriers per block
  i64 blocks = 1, threads = 1;  // of the largest kernel
  std::vector<PlanStep> steps;  // of all kernels, each from its Enter to its Exit, followed by Stop
};

inline constexpr i64 kMostSlots = i64{1} << 27;
// The slots of a tensor (core/graphene/slots/slots.h). Returns a Diag if a size or stride is not a constant, or for
// more than `most` slots.
[[nodiscard]] Result<FlatSlots> slotsOf(const Tensor& tensor, i64 most = kMostSlots, bool coordinates = true);

// A column for one thread. `loops`: by plan.loops; those missing are 0.
[[nodiscard]] i64 valueOf(const Plan& plan, int column, i64 block, i64 thread, std::span<const i64> loops);
// Which of a root's copies a thread of a block has.
[[nodiscard]] inline i64 copyOf(const Plan& plan, const Root& root, i64 block, i64 thread) {
  if (root.memory == Memory::Global) return 0;
  const i64 base = root.operand ? block : 0;
  return root.memory == Memory::Shared ? base : base * plan.threads + thread;
}

// The place of an address in a root's storage; -1: outside.
[[nodiscard]] inline i64 placeIn(const Plan& plan, const Root& root, i64 block, i64 thread, i64 address) {
  return address < 0 || address >= root.places ? -1 : copyOf(plan, root, block, thread) * root.places + address;
}

struct PlanOptions {
  std::map<std::string, i64> sizes;  // by symbol
  std::string architecture = "sm_80";
  std::vector<PlanGuard> guards = {};
  const Program* open = nullptr;  // the program with the guarded sizes as variables, for `guards`; outlives the plan
};

// Requires: `program` outlives the plan. Returns a Diag with the place for an unknown size, a leaf that is not an
// instruction, a kernel without a configuration, more than 1024 threads, or storage beyond kMaxPlaces.
[[nodiscard]] Result<Plan> makePlan(const Program& program, const PlanOptions& options = {});

inline constexpr i64 kMaxPlaces = i64{1} << 25;
inline constexpr i64 kMaxThreads = 1024;

// Parts of makePlan that do not involve names: sizes of storage and launches, and an atom's tables for its operands.

// The loops that `e`, over digits 0 blockIdx.x, 1 threadIdx.x, 2 .. the loops, reads. Returns a Diag for a non-constant
// divisor, which might be zero.
[[nodiscard]] Result<std::vector<int>> loopsOf(const Expr& e);
// Number of addresses of a declared tensor: 1056 for [32,32:33,1]. Returns a Diag unless its sizes are constants.
[[nodiscard]] Result<i64> placesOf(const Tensor& t);
// Number of blocks or threads. Requires the values 0 to n - 1, each once, and n <= most; otherwise returns a Diag.
[[nodiscard]] Result<i64> launchOf(const Tensor& t, i64 most, Span span);
// Fills in terms, used slots, alignment and accesses from leaf.atom. Returns a Diag if they do not match the operands,
// so that an inconsistent atom cannot cause an out-of-range access.
[[nodiscard]] Result<void> fitAtom(PlanLeaf& leaf);

}  // namespace tessera::graphene
