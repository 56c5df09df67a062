// Program: an entry and the functions it calls, decoded into steps for a warp.
//
//     @%p1 add.s32 %r1, %r2, 7;     Step{Kind::Compute, guard p1, operation, outs {r1}, ins {r2, constant 7}}
//     ld.shared.v2.f32 {%f1,%f2}, [%r3+8];   Step{Kind::Load, memory {Shared, 4 bytes, 2 elements}, base r3, offset 8}
//     $L1: / bra $L1                Step{Kind::Branch, target: the step after the label}
//
// Every operand of a step is a Place: a register of the warp's file, or a constant. Registers of all functions share
// one file; a recursive function saves its registers on the lane's stack. Variables of functions (.param, .local) have
// offsets in the memory of a thread.
//
// An instruction that is not supported becomes a step of Kind::Unsupported with a message: it is reported when a lane
// reaches it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/ptx/module.h"
#include "solver/kernel/lanes/operation.h"

namespace tessera::kernel {

// >= 0: a register of the file; < 0: ~constant. kNoPlace: none.
using Place = std::int32_t;
inline constexpr Place kNoPlace = INT32_MAX;

// Registers that the machine fills in when a warp starts.
enum Special : Place {
  kTidX,
  kTidY,
  kTidZ,
  kNTidX,
  kNTidY,
  kNTidZ,
  kCtaX,
  kCtaY,
  kCtaZ,
  kNCtaX,
  kNCtaY,
  kNCtaZ,
  kLane,
  kWarp,
  kNWarp,
  kMaskEq,
  kMaskLt,
  kMaskLe,
  kMaskGt,
  kMaskGe,
  kSmId,
  kNSmId,
  kGridId,
  kClusterX,
  kClusterY,
  kClusterZ,
  kNClusterX,
  kNClusterY,
  kNClusterZ,
  kClusterCtaX,
  kClusterCtaY,
  kClusterCtaZ,
  kClusterNCtaX,
  kClusterNCtaY,
  kClusterNCtaZ,
  kClusterCtaRank,
  kClusterNCtaRank,
  kExplicitCluster,
  kDynamicShared,
  kTotalShared,
  kAggrShared,
  kClock,
  kCarry,
  kSpecials
};

// Windows of the generic address space: variables of the module from kGlobals, buffers of arguments from kBuffers, each
// a stride apart.
inline constexpr u64 kSharedWindow = u64{0x110} << 32, kLocalWindow = u64{0x120} << 32, kParamWindow = u64{0x130} << 32,
                     kGlobals = u64{1} << 45, kBuffers = u64{1} << 46, kBufferStride = u64{1} << 36;

// Bytes of a thread's local memory before and after its variables. A kernel that writes there has a fault that no GPU
// detects: it is noted, and is no finding.
inline constexpr i64 kLocalMargin = 1024;

struct Step {
  enum class Kind : unsigned char {
    Compute,
    Pack,
    Convert,  // Pack: mov with vectors; Convert: isspacep, cvta
    Load,
    Store,
    Atomic,
    Prefetch,
    Branch,
    BranchTable,
    Call,
    Return,
    Exit,
    Trap,
    Barrier,
    WarpBarrier,
    Fence,
    Nothing,
    Yield,
    MatrixLoad,
    MatrixStore,
    TileLoad,
    TileStore,  // ldmatrix, stmatrix, wmma.load, wmma.store
    Copy,
    CopyCommit,
    CopyWait,
    CopyArrive,  // cp.async
    Mbarrier,
    Bulk,
    BulkCommit,
    BulkWait,
    Products,
    ProductsControl,
    Cluster,
    Tensor,  // tcgen05
    Unsupported,
  };
  Kind kind = Kind::Nothing;
  Place guard = kNoPlace;
  bool guardNegated = false;
  int operation = -1;  // Compute: of Program::operations
  std::vector<Place> outs, ins;
  std::uint32_t inverted = 0;  // bit k: ins[k] is a negated predicate
  int target = -1;             // Branch, Call: a step
  std::vector<int> targets;    // BranchTable
  // Memory: the address is ins[address] + offset in `space`.
  ptx::Space space = ptx::Space::Generic;
  int address = 0;
  i64 offset = 0;
  int width = 0;  // bytes of an element
  int count = 1;  // elements of a lane
  bool isSigned = false;
  int outBits = 64;                  // width of the register of outs[0]
  ptx::Type type = ptx::Type::None;  // of an element; Pack: of the whole
  bool strong = false, acquires = false, releases = false;
  std::vector<std::pair<Place, i64>> addresses;  // Bulk, Tensor: base and offset of each address operand
  std::vector<std::size_t> coordinates;          // Bulk: of ins, of the box of a tensor copy
  std::string message;                           // Unsupported; Atomic: the operation
  const ptx::Instruction* source = nullptr;
  const ptx::Function* function = nullptr;
  int callee = -1;  // Call: of Program::functions
};

struct Frame {  // a function
  const ptx::Function* function = nullptr;
  int begin = 0, end = 0;  // steps
  Place firstRegister = 0;
  bool recursive = false;
  std::vector<i64> parameters, results;  // offsets in the thread's memory (Param), or registers (Register)
};

struct Program {
  std::vector<Step> steps;
  std::vector<Operation> operations;
  std::vector<Frame> functions;  // [0] is the entry
  Place registers = 0;           // size of a warp's file
  std::vector<Lanes> constants;
  i64 localBytes = 0;    // of a thread: locals and parameters of calls
  i64 staticShared = 0;  // then dynamic shared memory, aligned to sharedAlign
  i64 sharedAlign = 16;
  struct Parameter {  // of the entry
    std::string name;
    i64 offset = 0, bytes = 0;
    ptx::Type type = ptx::Type::None;
  };
  std::vector<Parameter> parameters;
  i64 parameterBytes = 0;
  std::vector<const ptx::Variable*> globals;   // number k is at kGlobals + k * kBufferStride
  std::map<std::string, i64> sharedVariables;  // of static shared memory: name to offset
  i64 dynamicShared = 0;
  std::string dynamicVariable;  // the array without a size, if there is one alone
  // The variable that begins last at or before the offset, and where; of dynamic shared memory dynamicVariable.
  [[nodiscard]] std::pair<std::string, i64> sharedVariableAt(i64 offset) const;
};

// Errors: the entry is only declared, a label or a symbol is unknown.
[[nodiscard]] Result<Program> decode(const ptx::Module& module, const ptx::Function& entry);

}  // namespace tessera::kernel
