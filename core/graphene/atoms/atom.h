// Atom: the hardware instruction that implements an undecomposed specification, with its effect on every value.
//
//     %f <- Move<<<#blk, #warp>>>(%row)     #warp:[32].thread, %row:[1,8].fp16.SH, %f:[2,2].[1,2].fp16.RF
//         ldmatrix.sync.aligned.m8n8.x4.shared.b16:  slot 2j+v of lane l is slot 2*(l%4)+v of the lane 8j + l/4
//
// `lanes` threads execute an atom together: 1, the 8 of a quad pair, a warp of 32 or a warpgroup of 128. Each lane
// provides a list of values, its slots: the elements of its tensor in logical order, outermost level first, last
// dimension fastest, a hierarchical dimension by its number. So the slots of [2,2].[1,2] are (0,0).(0,0),
// (0,0).(0,1), (0,1).(0,0) ...: the operand's registers 0, 1, 2 ... The tensor's address gives the register of the
// *program*.
//
//     function        out slot becomes                        terms of an out slot
//     Copy            in                                      one: a
//     Unary           operation(in)                           one: a
//     Binary          operation(in0, in1)                     one: a of input 0, b of input 1
//     MultiplyAdd     out + sum over terms of in0 * in1       one for each k: a of input 0, b of input 1
//     Constant        the attribute; "undefined": Allocate    none
//
// A slot of the group is lane * (values per lane) + value; for a matrix (below), only the value. An output slot of Copy
// without a term is not written: stmatrix.x1 uses the addresses of only eight lanes.
//
// Law: this is the only definition of an atom's effect. The emulator, proofs, pictures and generated code all use it.
// The fragments come from the atlas row; tests check them against PTX's formulas.
//
// Source: the paper's table 2; PTX ISA 9.7.14 (mma), 9.7.9 (ld, st, cp.async,
// cp.async.bulk.tensor), 9.7.8 (shfl).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/atlas/atlas.h"
#include "core/atlas/gmma.h"
#include "core/graphene/program.h"

namespace tessera::graphene {

enum class AtomFunction : unsigned char { Copy, Unary, Binary, MultiplyAdd, Constant };

// What an operand (outputs, then inputs) must satisfy at run time, beyond its shape: every run of `elements` slots is
// contiguous (swizzle included) and begins at a multiple of `elements`. 8 for an fp16 row (16 bytes), 2 for the halves
// of one register.
struct Alignment {
  int operand = 0;
  i64 elements = 1;
  bool operator==(const Alignment&) const = default;
};

// How the lanes access one operand in memory: width, bank phases, read or write. From the atlas row.
struct AtomAccess {
  int operand = 0;
  AtlasAccess access;
  bool operator==(const AtomAccess&) const = default;
};

// A matrix in shared memory that the instruction finds through a descriptor (wgmma). All lanes pass the same
// descriptor; the matrix is read once for the group. Its offset is a multiple of `unit` elements (16 bytes) and, modulo
// `repeats` (the swizzle's period), less than `room`: there the swizzle is the identity.
struct AtomMatrix {
  int operand = 0;
  Major major = Major::K;
  MatrixDescriptor descriptor;
  i64 unit = 8, room = 8, repeats = 8;
  bool operator==(const AtomMatrix&) const = default;
};

// The box of a global tensor that TMA copies (cp.async.bulk.tensor), innermost dimension first. In shared memory it is
// contiguous in the same order, swizzled by the mode; its offset is a multiple of `repeats` elements.
struct AtomBox {
  int shared = 0, global = 1;   // operands
  std::vector<int> dims;        // declared dimensions of the global tensor
  std::vector<i64> sizes;       // elements along them
  std::vector<Expr> strides;    // of the global tensor, in elements; the first is 1
  std::string swizzle;          // the mode, "128B" (core/atlas/tma.h)
  i64 repeats = 64, bytes = 0;  // of the box
  bool operator==(const AtomBox&) const = default;
};

struct AtomTerm {
  int a = 0, b = 0;
  bool operator==(const AtomTerm&) const = default;
};

struct Atom {
  std::string name;  // "ldmatrix.x4", "ld.global.v4", "mma.m16n8k16.f32.f16.f16.f32", "hfma", "shfl.bfly"
  std::string ptx;   // "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,...}, [addr];" or the C++ intrinsic "__hfma"
  std::string architecture;  // minimum: "sm_75"
  std::string source;        // where its definition comes from
  int lanes = 1;             // threads that execute it together
  bool collective = false;   // .sync.aligned: all of its threads or none
  int together = 1;          // threads that must issue it together: a warp, also for m8n8k4's quad pairs
  bool async = false;        // cp.async
  bool deferred = false;     // wgmma: out is valid, and the matrices reusable, after wgmma.wait
  AtomFunction function = AtomFunction::Copy;
  std::string operation;                     // Unary "exp", Binary "+", Constant "0"
  std::vector<int> slots;                    // values per lane of each operand: outputs, then inputs
  std::vector<std::vector<AtomTerm>> terms;  // per slot of the group: lanes * slots[0]
  std::vector<Alignment> alignment;
  std::vector<AtomMatrix> matrices;
  std::optional<AtomBox> box;         // TMA: its bytes arrive at the specification's barrier
  std::vector<AtomAccess> accesses;   // every access: an hfma on global operands reads three and writes one
  std::optional<AtlasAccess> access;  // the first of `accesses` to shared memory, else to global
  int accessOperand = -1;             // its operand
};

// The instruction that implements `leaf` on `architecture` ("sm_80"). Matches kind and operation, threads up to unit
// dimensions and renumbering, element types, memories, nested shapes, and layout properties that hold for all indices
// (contiguity of vectors, compact registers, row or column order of an mma's operands). Conditions that depend on
// indices are returned in `alignment` and `matrices`. A Diag names the nearest atom and what differs: "ldmatrix.x4
// wants rows of 8 contiguous fp16; %row has stride 16".
// Requires: `leaf` is not decomposed and its sizes are numbers.
[[nodiscard]] Result<Atom> matchAtom(const Spec& leaf, std::string_view architecture = "sm_80");

// The value of Init<TEXT>: 0, -1.5, 1e-5f, inf, -inf; nullopt if the text is not a number.
[[nodiscard]] std::optional<double> initialNumber(std::string_view text);

// The descriptor matrix of that operand; null if it has none.
[[nodiscard]] const AtomMatrix* matrixOf(const Atom& atom, std::size_t operand);

}  // namespace tessera::graphene
