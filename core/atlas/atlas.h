// The atlas: a table of all instructions that move or multiply a tile.
//
// A row gives the architecture, the PTX spelling and, per operand, a thread-value layout: a CuTe layout (T,V) -> index
// into the operand's tile, counted column by column:
//
//     index = row + rows * column           A is M x K, B is N x K, C and D are M x N
//
//     mma.m16n8k16.f32.f16.f16.f32, operand A (16 x 16):   ((4,8),(2,2,2)):((32,1),(16,8,128))
//     lane 5 = (1,1), value 3 = (1,1,0):  32*1 + 1*1 + 16*1 + 8*1 = 57 = row 9, column 3
//     PTX's formula agrees: row = groupID + 8 = 5/4 + 8, column = 2*(5%4) + 1
//
// T is the lane, or the lane's number under `threadId` (Volta's quad pairs: (4,2):(1,16)). Copies count bits (element
// "b1"): for ldmatrix and stmatrix the tile is 128 bits x (8 rows per matrix), for tensor memory bits x datapath rows.
//
// An operand in shared or global memory with lane addresses carries its access (core/atlas/access.h): bytes per lane,
// and which lanes are served together. The bank model, access claims and chains use it.
//
// Law, proved for each row by tests/atlas: every element of the tile has an owner: exactly one (Coverage::Once), or the
// same number for each element (Coverage::Broadcast: wgmma's shared-memory operands, RDNA3's duplicated A). Each row
// also equals a second formula, written from the vendor's text in (groupID, threadID_in_group, i).
//
// A row may define a family: "wgmma.m64n{N}k16..." with N in a list; `bind` substitutes the number. Names, layouts and
// PTX are text with placeholders {N}, {64N}, {N/8}, so adding an instruction means adding a row.
//
// Not here: encodings, SASS, latencies and register banks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/atlas/access.h"
#include "core/base/result.h"
#include "core/base/types.h"
#include "core/notation/cute/layout.h"

namespace tessera {

enum class AtlasFamily : unsigned char {
  Scalar,      // fma, dp4a
  MmaSync,     // mma.sync, Volta to Blackwell consumer
  MmaSparse,   // mma.sp
  Wgmma,       // Hopper warpgroup
  Tcgen05Mma,  // Blackwell, accumulators in tensor memory
  Tcgen05Copy,
  Ldmatrix,
  Stmatrix,
  Movmatrix,
  LoadStore,  // ld, st, cp.async
  Tma,
  Mfma,  // AMD CDNA
  Wmma,  // AMD RDNA
};
[[nodiscard]] const char* name(AtlasFamily family);

enum class OperandSpace : unsigned char { Register, Shared, Tensor, Global };
enum class Coverage : unsigned char { Once, Broadcast };

struct AtlasOperand {
  std::string name;     // "A" "B" "C" "SFA"; copies: "src" "dst" "ref"; ldmatrix also "D", its dst in elements
  std::string element;  // "f16" ...; "b1" if the layout counts bits
  std::string rows;     // tile extents, as text because of {N}
  std::string columns;
  std::string layout;  // "((4,8),(2,2)):((16,1),(8,64))"
  OperandSpace space = OperandSpace::Register;
  Coverage coverage = Coverage::Once;
  std::optional<AtlasAccess> access = {};  // for memory with lane addresses
  bool operator==(const AtlasOperand&) const = default;
};

struct AtlasRow {
  std::string name;  // "mma.m16n8k16.f32.f16.f16.f32"
  AtlasFamily family = AtlasFamily::Scalar;
  std::string architecture;         // "sm_80": and later; "sm_90a": only that; "sm_100a sm_103a": any of them; "gfx90a"
  std::string ptx;                  // the mnemonic (AMD: the assembly one)
  std::string shape;                // "16x8x16"; copies: "8x8 b16 x4"
  std::string threadId;             // "32:1"
  std::vector<i64> parameter = {};  // values of {N}; empty: a single instruction
  std::vector<AtlasOperand> operands = {};
  std::vector<std::string> aliases = {};
  std::string source = {};  // the document section of the maps
  std::string note = {};
  bool operator==(const AtlasRow&) const = default;
};

// The table, in order of family. Built once, on first use.
[[nodiscard]] const std::vector<AtlasRow>& atlas();

// The row with n substituted for {N}. Requires: n is in row.parameter, or row is not a family (then n is ignored).
[[nodiscard]] AtlasRow bind(const AtlasRow& row, i64 n);

// By name or alias, ignoring case, blanks, ".sync", ".aligned" and similar; "mma.m16n8k16.f16" finds the row with the
// widest accumulator; CUTLASS's spellings are parsed as C++ (core/atlas/cutlass.h). Families are bound. The Diag for an
// unknown name lists the nearest ones.
[[nodiscard]] Result<AtlasRow> findInstruction(std::string_view name);
// A, B, C (= D), src, dst, ref, SFA, SFB.
[[nodiscard]] Result<AtlasOperand> findOperand(const AtlasRow& row, std::string_view operand);

// The row's access to that memory; without a space, to shared memory, else to global. Null: none, as for instructions
// on registers and those that read a descriptor or a tensor map.
[[nodiscard]] const AtlasAccess* accessOf(const AtlasRow& row, MemorySpace space);
[[nodiscard]] const AtlasAccess* accessOf(const AtlasRow& row);

[[nodiscard]] Result<cute::Layout> threadValue(const AtlasOperand& operand);

[[nodiscard]] i64 rowsOf(const AtlasOperand& operand);     // Requires a bound operand
[[nodiscard]] i64 columnsOf(const AtlasOperand& operand);  // Requires a bound operand

// Bits of an element type ("f16" 16, "e2m1" 4 ...; also "fp16", "half", "float", "half_t", "float_e4m3_t", "u128");
// a Diag lists the types.
[[nodiscard]] Result<int> elementBits(std::string_view type);

// Whether `device` ("sm_90", "sm_90a", "gfx942") runs an instruction of `required` (AtlasRow::architecture): sm_80
// means sm_80 and later, sm_90a only that one, gfx90a also later CDNA, gfx1100 and gfx1200 their generation.
[[nodiscard]] bool runsOn(std::string_view required, std::string_view device);
// findInstruction, with a Diag that lists alternatives if `device` lacks the instruction.
[[nodiscard]] Result<AtlasRow> findInstruction(std::string_view name, std::string_view device);

// shfl.sync: the lane that `lane` reads from. mode: "idx" "up" "down" "bfly"; operand and clamp are PTX's b and c.
[[nodiscard]] Result<int> shuffleSource(std::string_view mode, int lane, int operand, int clamp);

}  // namespace tessera
