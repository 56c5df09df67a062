// Atom: the instruction that a specification without a body is, with what it does to every value.
//
//     %f <- Move<<<#blk, #warp>>>(%row)     #warp:[32].thread, %row:[1,8].fp16.SH, %f:[2,2].[1,2].fp16.RF
//         ldmatrix.sync.aligned.m8n8.x4.shared.b16:  slot 2j+v of lane l is slot 2*(l%4)+v of the lane 8j + l/4
//
// An atom is executed by `lanes` threads as one (1, 8 of a quad pair, 32, 128 of a warpgroup). What a lane hands it is a list of values, its slots:
// the elements of its tensor in logical order, outermost level first, the last dimension fastest, a hierarchical dimension
// by its number. So [2,2].[1,2] has the slots (0,0).(0,0), (0,0).(0,1), (0,1).(0,0) ...: the operand's registers 0, 1, 2 ...;
// which register of the *program* that is, is the tensor's address.
//
//     function        out slot becomes                        terms of an out slot
//     Copy            in                                      one: a
//     Unary           operation(in)                           one: a
//     Binary          operation(in0, in1)                     one: a of input 0, b of input 1
//     MultiplyAdd     out + sum over terms of in0 * in1       one for each k: a of input 0, b of input 1
//     Constant        the attribute; "undefined": Allocate    none
//
// A slot of the group is lane * (values of a lane) + value; of a matrix (below) it is the value alone. An out slot of Copy without a term is not written: stmatrix.x1
// has the addresses of eight lanes only.
//
// Law: what an atom does is written nowhere else: emulator, proofs, pictures and generated code all read it here. Its fragments
// come from the atlas row; the tests hold them to PTX's formulas.
//
// Source: the paper's table 2; docs/design/graphene.md; PTX ISA 9.7.14 (mma), 9.7.9 (ld, st, cp.async, cp.async.bulk.tensor),
// 9.7.8 (shfl).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/atlas/atlas.h"
#include "core/atlas/gmma.h"
#include "core/graphene/program.h"

namespace tessera::graphene {

enum class AtomFunction : unsigned char { Copy, Unary, Binary, MultiplyAdd, Constant };

// What must hold of operand `operand` (0.. outputs, then inputs) when the atom is executed, beyond its shape: every run of
// `elements` slots begins at an address that is a multiple of `elements`, and lies side by side from there (the swizzle
// included). 8 of an fp16 row: 16 bytes; 2 of a fragment: the halves of one register.
struct Alignment {
  int operand = 0;
  i64 elements = 1;
  bool operator==(const Alignment&) const = default;
};

// How the lanes address one operand in memory, from the atlas row: width, phases of the banks, read or write.
struct AtomAccess {
  int operand = 0;
  AtlasAccess access;
  bool operator==(const AtomAccess&) const = default;
};

// A matrix in shared memory that the instruction finds by a descriptor (wgmma): all lanes hand over the same one, and it is
// read once for the group. It begins a multiple of `unit` elements (16 bytes) behind a repetition of its swizzle, in the first
// `room` elements of the `repeats` after which it repeats: there the swizzle moves nothing.
struct AtomMatrix {
  int operand = 0;
  Major major = Major::K;
  MatrixDescriptor descriptor;
  i64 unit = 8, room = 8, repeats = 8;
  bool operator==(const AtomMatrix&) const = default;
};

// The box that TMA copies (cp.async.bulk.tensor): of the tensor in global memory, innermost dimension first. In shared memory it
// lies side by side in the same order, xored by the mode's swizzle, and begins a multiple of `repeats` elements on.
struct AtomBox {
  int shared = 0, global = 1;   // operands
  std::vector<int> dims;        // declared dimensions of the global tensor
  std::vector<i64> sizes;       // elements along them
  std::vector<i64> strides;     // of the global tensor, in elements; the first is 1
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
  std::string architecture;  // "sm_75": from there on
  std::string source;        // of the map
  int lanes = 1;             // threads that execute it as one
  bool collective = false;   // .sync.aligned: all of them, or nobody
  int together = 1;          // threads that must issue it at once: a warp, also for m8n8k4's quad pairs
  bool async = false;        // cp.async
  bool deferred = false;     // wgmma: out is there, and the matrices free, behind a wgmma.wait
  AtomFunction function = AtomFunction::Copy;
  std::string operation;                     // Unary "exp", Binary "+", Constant "0"
  std::vector<int> slots;                    // values a lane has of each operand: outputs, then inputs
  std::vector<std::vector<AtomTerm>> terms;  // by slot of the group, lanes * slots[0] of them
  std::vector<Alignment> alignment;
  std::vector<AtomMatrix> matrices;
  std::optional<AtomBox> box;         // of TMA: its bytes arrive at the specification's barrier
  std::vector<AtomAccess> accesses;   // of all operands in memory: hfma on global ones reads three and writes one
  std::optional<AtlasAccess> access;  // of `accesses` the first one to shared memory, else to global
  int accessOperand = -1;             // which one
};

// The instruction that `leaf` is on `architecture` ("sm_80"). Matched: kind and operation, threads up to unit dimensions and
// renumbering, element types, memories, nested shapes; and what layouts must be whatever the indices are (contiguity of
// vectors, compact registers, row or column of an mma's operands). What depends on the indices is left in `alignment` and
// `matrices`.
// A Diag names the nearest atom and what differs: "ldmatrix.x4 wants rows of 8 contiguous fp16; %row has stride 16".
// Requires: `leaf` is not decomposed and its sizes are numbers.
[[nodiscard]] Result<Atom> matchAtom(const Spec& leaf, std::string_view architecture = "sm_80");

// The addresses of a tensor's slots in their order, relative to its offset and before its swizzle. Requires known sizes.
[[nodiscard]] std::vector<i64> slotAddresses(const Tensor& tensor);
// The declared coordinates of a tensor's slots, relative to its origin: [slot][dimension].
[[nodiscard]] std::vector<std::vector<i64>> slotCoordinates(const Tensor& tensor);

// One operation of Unary and Binary: "+" "-" "*" "/" "max" "min"; "exp" "relu" "neg" "rcp" "sqrt" "rsqrt" "tanh" "sigmoid"
// "log" "id". False for names that nobody has.
[[nodiscard]] bool isUnary(std::string_view operation);
[[nodiscard]] bool isBinary(std::string_view operation);
// What Init<TEXT> puts there: 0, -1.5, 1e-5f, inf, -inf; nothing: it is no number.
[[nodiscard]] std::optional<double> initialNumber(std::string_view text);

// The matrix that operand `operand` of the atom is; null: it is none.
[[nodiscard]] const AtomMatrix* matrixOf(const Atom& atom, std::size_t operand);

}  // namespace tessera::graphene
