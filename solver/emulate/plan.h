// Plan: a Graphene program made ready to be run: sizes are numbers, names are storage, the tree is a list of steps.
//
//     %s : [32,32:33,1].fp32.SH           a root: 1055 places of a block, addresses 0 to 1054
//     %q = %s[@x, @y]                     nothing happens: whoever uses %q reads root %s at 33*(t%32) + t/32
//     for (k ...) { %a <- Move(%b) }      Loop k; Leaf "ld.global"; EndLoop
//
// A leaf has the atom that it is, and of each operand: the root, the offset and origin as expressions over blockIdx.x,
// threadIdx.x and the loops (compiled, one value a lane), and the addresses and coordinates of its slots relative to them.
// Equal expressions are one column, so that a warp computes each once and again only when a loop that it reads has stepped.
//
// Law: a plan of a program that readProgram accepted has no names left to look up; whatever cannot be run is a Diag here.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/expr/compile.h"
#include "core/graphene/atom.h"
#include "core/graphene/program.h"
#include "solver/emulate/format.h"

namespace tessera::graphene {

using AtomMatcher = std::function<Result<Atom>(const Spec& leaf, std::string_view architecture)>;

// Where values live: an operand of the program or a temporary. Views are addresses in it.
struct Root {
  Tensor tensor;
  Span span;             // of the temporary
  bool operand = false;  // declared outside of every body: the caller's
  bool written = false;  // some leaf writes it
  bool sums = false;     // registers that products of a warpgroup are added to
  bool matrix = false;   // shared memory that they read, or TMA writes
  int barriers = -1;     // of mbarriers: the number of the first one among all
  Memory memory = Memory::None;
  NumberFormat type;
  i64 places = 0;  // addresses 0 .. places - 1
  // How many of it there are: operands keep those of every block (SH) or thread (RF), temporaries those of the running block.
  i64 copies = 1;
};

// One value a lane, over digits 0 blockIdx.x, 1 threadIdx.x, 2 .. the loops.
struct Column {
  Expr expression;
  tessera::Program program;
  std::vector<int> loops;  // the loops that it reads
};

struct PlanOperand {
  int root = 0;
  std::string name;                           // "%10"
  int offset = 0;                             // a column
  std::vector<int> origin;                    // a column a declared dimension
  std::vector<i64> extents;                   // of them
  std::vector<i64> addresses;                 // by slot, relative to the offset, before the swizzle
  std::vector<std::vector<i64>> coordinates;  // [slot][dimension], relative to the origin
  std::vector<i64> least, most;               // of them, by dimension
  cute::Swizzle swizzle;
  bool dense = false;                 // addresses are 0, 1, 2 ... and there is no swizzle
  std::vector<char> used;             // of an input, by slot of the group: some term reads it
  bool matrix = false;                // found by a descriptor: one for the group
  i64 alignment = 0;                  // so many slots lie side by side, at a multiple of it; 0: anywhere
  bool outside = false;               // O3: an enclosing specification does not name its root
  std::vector<AtlasAccess> accesses;  // of operands in memory: what a warp asks for at slot 0
};

struct PlanLeaf {
  const Spec* spec = nullptr;
  Span span;
  Atom atom;
  int outputs = 1;
  std::vector<PlanOperand> operands;  // outputs, then inputs
  int group = -1;                     // a column, the offset of the executing threads; -1: every thread for itself
  std::vector<i64> members;           // their numbers relative to it
  std::vector<int> firstTerm;         // by slot of the group, one more at the end
  std::vector<AtomTerm> terms;
  double constant = 0;
  int barrier = -1;                                    // of TMA: a PlanBarrier
  int parent = -1;                                     // the decomposition that it stands in
  std::vector<std::pair<std::string, int>> variables;  // loops and indices that are visible, with their columns
};

// A specification with its decomposition.
struct PlanSpec {
  const Spec* spec = nullptr;
  Span span;
  std::vector<PlanOperand> operands;  // outputs, then inputs
  int outputs = 1;
  int parent = -1;
  int kernel = 0;                  // the outermost one
  std::size_t begin = 0, end = 0;  // its Enter and its Exit
  std::vector<int> loops;          // that it stands in, outermost first
  i64 blocks = 1, threads = 1;     // of a kernel: the launch
  int group = -1;                  // as of leaves
  std::vector<i64> members;
  std::vector<std::pair<std::string, int>> variables;
};

struct PlanLoop {
  std::string name;
  int lo = 0, hi = 0;  // columns
  i64 step = 1;
};
struct PlanComparison {
  int left = 0, right = 0;
  std::string op;
};

// A statement about an mbarrier, or the one that a copy of TMA arrives at.
struct PlanBarrier {
  Mbarrier::Op op = Mbarrier::Op::Arrive;
  int root = 0;
  int offset = 0;  // a column: which one of the root's
  int value = -1;  // Init, Wait: a column
  i64 bytes = 0;   // Expect
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
    Loop,     // index: loop; target: behind its EndLoop
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
  std::vector<Root> roots;
  std::vector<Column> columns;
  std::vector<PlanLeaf> leaves;
  std::vector<PlanSpec> specs;  // in the order of the text, outer before inner
  std::vector<int> kernels;     // those of `specs` that are one, in order
  std::vector<PlanLoop> loops;
  std::vector<std::vector<PlanComparison>> conditions;
  std::vector<PlanBarrier> barriers;
  i64 barrierCount = 0;         // mbarriers of a block
  i64 blocks = 1, threads = 1;  // of the largest kernel
  std::vector<PlanStep> steps;  // of all kernels, each from its Enter to its Exit, Stop behind it

  [[nodiscard]] const Root* root(std::string_view name) const;  // the operand of that name, "%A" or "A"
};

struct PlanOptions {
  std::map<std::string, i64> sizes;  // of the symbols
  std::string architecture = "sm_80";
  AtomMatcher match;  // none: matchAtom
};

// Requires: `program` outlives the plan. Refused, with the place: sizes that are not known, leaves that are no instruction,
// kernels without a configuration, more threads than 1024, storage beyond kMaxPlaces.
[[nodiscard]] Result<Plan> makePlan(const Program& program, const PlanOptions& options = {});

inline constexpr i64 kMaxPlaces = i64{1} << 25;
inline constexpr i64 kMaxThreads = 1024;

}  // namespace tessera::graphene
