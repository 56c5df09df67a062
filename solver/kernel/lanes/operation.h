// Operation: what an instruction computes from registers, for the 32 lanes of a warp at once.
//
//     operationOf(Opcode("add.s32"))           run: out[0][lane] = uint32(in[0][lane] + in[1][lane])
//     operationOf(Opcode("setp.lt.and.f32"))   two results p|q, three sources a, b and a predicate
//     operationOf(Opcode("shfl.sync.bfly.b32")) reads the lanes of in[0]; `together`: its lanes must be converged
//     operationOf(Opcode("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"))   4 results, 4 + 2 + 4 sources
//
// A lane of a register is 64 bits wide and holds the value zero-extended: f32 1.0 is 0x3f800000, s32 -1 is 0xffffffff,
// a predicate 0 or 1, f16x2 the pair as 32 bits. b128 takes two sources. Every operation returns its results in this
// form. Immediate operands arrive as lanes with equal values, already converted to the type of their source: an f32
// operand written as 0d3FF0000000000000 or as 1 holds the bits of an f32.
//
// Law: each result equals the obvious scalar definition of the PTX ISA, in its rounding, for every lane of `active`;
// other lanes of the results are not read (tests/kernel).
//
// Source: PTX ISA 9.0, chapter 9.7.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "core/base/result.h"
#include "core/ptx/module.h"

namespace tessera::kernel {

inline constexpr int kLanes = 32;
using Mask = std::uint32_t;  // bit l: lane l
using Lanes = std::array<u64, kLanes>;

struct LaneArguments {
  Lanes* const* out = nullptr;  // aliases `in` only if the operation is `inPlace`
  const Lanes* const* in = nullptr;
  Mask active = ~Mask{0};  // lanes that execute; the function may write other lanes of `out` too
};

struct Operation {
  // Throws nothing. Faults that depend on values (a lane named by shfl that does not execute) go to `fault` below.
  std::function<void(const LaneArguments&)> run;
  // Number of registers, in the order of the instruction's operands with vectors flattened. A predicate that setp or
  // shfl may also return (p|q) is always the second result; it is ignored where the instruction does not name it.
  int results = 1;
  std::vector<ptx::Type> sources;          // the type of each, for immediates and for the width of registers
  bool carryIn = false, carryOut = false;  // CC.CF: one more source at the end, one more result at the end
  // Lanes read each other's values (shfl, vote, match, redux, mma): the lanes must execute it together. `member`: the
  // source with the member mask, or -1: all lanes of the warp.
  bool together = false;
  bool inPlace = false;  // a result may be written over a source
  int member = -1;
  // Optional source operands: sources from this index on are filled with zeros (for a predicate: ones) if the
  // instruction does not have them. -1: none.
  int optionalFrom = -1;
  // A finding about values: undefined behaviour such as shfl from an inactive lane; empty: none.
  std::function<std::string(const LaneArguments&)> fault;
  // Inexact: the hardware's result may differ from ours (ex2.approx, sums of mma). A bound of the error as text, for
  // the report: "2 ulp (PTX ISA ex2.approx)"; empty: exact.
  std::string bound;
};

// An unknown opcode is a Diag that names it and the nearest known one.
// Memory, control and asynchronous instructions are not operations: ld st atom red bra call ret exit bar ... are
// handled by the machine. mov with vectors is one here ("mov.b64" with 2 sources packs them), see packing below.
[[nodiscard]] Result<Operation> operationOf(const ptx::Opcode& opcode);

// The families, each in a file of its own: nullopt if the opcode is of another family, a Diag if it is malformed.
using Found = std::optional<Result<Operation>>;
[[nodiscard]] Found integerOperation(const ptx::Opcode& opcode);     // integers.cpp: add sub mul mad div rem ... lop3
[[nodiscard]] Found comparisonOperation(const ptx::Opcode& opcode);  // comparisons.cpp: setp set selp slct testp
[[nodiscard]] Found floatOperation(const ptx::Opcode& opcode);       // floats.cpp: f32 f64 f16 bf16 and packed pairs
[[nodiscard]] Found conversion(const ptx::Opcode& opcode);           // conversions.cpp: cvt cvt.pack, fp8
[[nodiscard]] Found warpOperation(const ptx::Opcode& opcode);        // warp.cpp: shfl vote match redux activemask elect
[[nodiscard]] Found matrixOperation(const ptx::Opcode& opcode);      // matrices.cpp: mma wmma.mma (registers only)

}  // namespace tessera::kernel
