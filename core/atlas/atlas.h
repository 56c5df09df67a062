// The atlas: every instruction that moves or multiplies a tile, as one table of rows.
//
// A row says which architecture has the instruction, how PTX spells it, and, per operand, a thread-value layout: a CuTe
// layout (T,V) -> index into the operand's tile, counted column by column:
//
//     index = row + rows * column           A is M x K, B is N x K, C and D are M x N
//
//     mma.m16n8k16.f32.f16.f16.f32, operand A (16 x 16):   ((4,8),(2,2,2)):((32,1),(16,8,128))
//     lane 5 = (1,1), value 3 = (1,1,0):  32*1 + 1*1 + 16*1 + 8*1 = 57 = row 9, column 3
//     PTX says: row = groupID + 8 = 5/4 + 8, column = 2*(5%4) + 1. The same.
//
// T is the lane, or what `threadId` maps it to (Volta's quad pairs: (4,2):(1,16)). Copies count bits (element "b1"):
// for ldmatrix and stmatrix the tile is 128 bits x (8 rows a matrix), for tensor memory bits x datapath rows.
//
// An operand in shared or global memory that lanes address themselves carries its access (core/atlas/access.h): how many
// bytes a lane, and which lanes are served together. The bank model, access claims and chains read it from here.
//
// Law, proved for each row by tests/atlas: every element of the tile has an owner; exactly one (Coverage::Once) or the
// same number for each element (Coverage::Broadcast: wgmma's shared-memory operands, RDNA3's duplicated A).
// And each row equals a second formula, written from the vendor's text in (groupID, threadID_in_group, i).
//
// A row may stand for a family: "wgmma.m64n{N}k16..." with N in a list; `bind` puts the number in. Names, layouts and
// PTX are text with places {N}, {64N}, {N/8}, so that adding an instruction is adding a row.
//
// What it is not: a list of encodings. SASS, latencies and register banks are elsewhere.
#pragma once

#include <optional>
#include <span>
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
  std::string element;  // "f16" ...; "b1" where the layout counts bits
  std::string rows;     // tile extents, text because of {N}
  std::string columns;
  std::string layout;  // "((4,8),(2,2)):((16,1),(8,64))"
  OperandSpace space = OperandSpace::Register;
  Coverage coverage = Coverage::Once;
  std::optional<AtlasAccess> access = {};  // lanes to bytes; of memory that lanes address
  bool operator==(const AtlasOperand&) const = default;
};

struct AtlasRow {
  std::string name;  // "mma.m16n8k16.f32.f16.f16.f32"
  AtlasFamily family = AtlasFamily::Scalar;
  std::string architecture;    // "sm_80": from there on; "sm_90a": that one; "sm_100a sm_103a": any of them; "gfx90a"
  std::string ptx;             // the mnemonic (AMD: the assembly one)
  std::string shape;           // "16x8x16"; copies: "8x8 b16 x4"
  std::string threadId;        // "32:1"
  std::vector<i64> parameter;  // values of {N}; empty: not a family
  std::vector<AtlasOperand> operands;
  std::vector<std::string> aliases;
  std::string source;  // the section the maps come from
  std::string note;
  bool operator==(const AtlasRow&) const = default;
};

// The table, in order of family. Built once, on first use.
[[nodiscard]] const std::vector<AtlasRow>& atlas();

// The row with n in place of {N}. Requires: n is one of row.parameter, or row is no family (then n is ignored).
[[nodiscard]] AtlasRow bind(const AtlasRow& row, i64 n);

// By name or alias: case, blanks, ".sync", ".aligned" and the like are ignored; "mma.m16n8k16.f16" finds the row with the
// widest accumulator; CUTLASS's spellings are read as C++ (core/atlas/cutlass.h). A family is bound. The Diag of an unknown name lists what is nearest.
[[nodiscard]] Result<AtlasRow> findInstruction(std::string_view name);
// A, B, C (= D), src, dst, ref, SFA, SFB.
[[nodiscard]] Result<AtlasOperand> findOperand(const AtlasRow& row, std::string_view operand);

// The access of the row to that memory; without a space to shared memory, else to global. Null: there is none, as for
// instructions on registers, and for those that read a descriptor or a tensor map.
[[nodiscard]] const AtlasAccess* accessOf(const AtlasRow& row, MemorySpace space);
[[nodiscard]] const AtlasAccess* accessOf(const AtlasRow& row);

// atlas(NAME, OPERAND): the thread-value layout.
[[nodiscard]] Result<cute::Layout> threadValue(std::string_view name, std::string_view operand);
[[nodiscard]] Result<cute::Layout> threadValue(const AtlasOperand& operand);

[[nodiscard]] i64 rowsOf(const AtlasOperand& operand);     // requires a bound operand
[[nodiscard]] i64 columnsOf(const AtlasOperand& operand);  // requires a bound operand

// Bits of an element type ("f16" 16, "e2m1" 4 ...; also "fp16", "half", "float", "half_t", "float_e4m3_t", "u128");
// a Diag lists the types.
[[nodiscard]] Result<int> elementBits(std::string_view type);

// Whether `device` ("sm_90", "sm_90a", "gfx942") runs an instruction of `required` (AtlasRow::architecture): sm_80 runs
// from sm_80 on, sm_90a only there, gfx90a on later CDNA, gfx1100 and gfx1200 in their generation.
[[nodiscard]] bool runsOn(std::string_view required, std::string_view device);
// findInstruction, and a Diag that names what would fit when `device` lacks it.
[[nodiscard]] Result<AtlasRow> findInstruction(std::string_view name, std::string_view device);

// shfl.sync: the lane that `lane` reads. mode: "idx" "up" "down" "bfly"; operand and clamp as PTX's b and c.
[[nodiscard]] Result<int> shuffleSource(std::string_view mode, int lane, int operand, int clamp);

}  // namespace tessera
