// Triton's layout attributes, as printed in TTGIR.
//
//     #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
//     #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>          with  #mma = #ttg.nvidia_mma<{...}>  above it
//     tensor<128x64xf16, #ttg.slice<{dim = 1, parent = #blocked}>>
//
// An attribute describes the layouts of a family of tensors; with a shape it is one linear::Layout (lower.h). `order`
// lists dimensions, fastest first. CGALayout lists the target of each bit of the block number, and is omitted for one
// block. Keys are read in any order and printed in the compiler's order.
//
// parse checks the conditions of the compiler's verify() methods: powers of two, matching ranks, kWidth where required.
// Law: parse(print(e)) == e; print(parse(s)) == s for text that the compiler printed.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/cursor.h"
#include "core/base/result.h"
#include "core/base/types.h"
#include "core/notation/linear/layout.h"

namespace tessera::triton {

struct Encoding;
// Compared by value.
struct Parent {
  std::shared_ptr<const Encoding> encoding;
  bool operator==(const Parent& other) const;
  const Encoding& operator*() const { return *encoding; }
};

using Bases = std::vector<linear::Basis>;

struct Blocked {
  std::vector<i64> sizePerThread, threadsPerWarp, warpsPerCta, order;
  Bases cga;
  bool operator==(const Blocked&) const = default;
};
struct NvidiaMma {
  i64 versionMajor = 2, versionMinor = 0;
  std::vector<i64> warpsPerCta, instrShape;
  Bases cga;
  bool operator==(const NvidiaMma&) const = default;
};
struct Mfma {
  i64 version = 3;
  std::vector<i64> warpsPerCta, instrShape;
  bool isTransposed = false;
  Bases cga;
  std::vector<i64> tilesPerWarp;  // all 1 by default
  i64 elementBitWidth = 32;
  bool operator==(const Mfma&) const = default;
};
struct Wmma {
  i64 version = 1;
  bool isTranspose = false;
  Bases ctaRegister, ctaWarp;
  Bases cga;
  std::vector<i64> instrShape = {16, 16, 16};
  i64 rank = 2;  // that of the bases, if there are any
  bool operator==(const Wmma&) const = default;
};
struct DotOp {
  i64 opIdx = 0, kWidth = 0;
  Parent parent;
  bool operator==(const DotOp&) const = default;
};
struct Slice {
  i64 dim = 0;
  Parent parent;
  bool operator==(const Slice&) const = default;
};
struct Linear {
  bool generic = false;
  linear::Layout layout;  // register, lane, warp, block -> dim0 ..
  bool operator==(const Linear&) const = default;
};
struct SwizzledShared {
  bool rotating = false;  // #ttg.amd_rotating_shared
  i64 vec = 1, perPhase = 1, maxPhase = 1;
  std::vector<i64> order;
  Bases cga;
  bool operator==(const SwizzledShared&) const = default;
};
struct NvmmaShared {
  i64 swizzlingByteWidth = 0;
  bool transposed = false;
  i64 elementBitWidth = 16;
  bool fp4Padded = false;
  i64 rank = 2;
  Bases cga;
  bool operator==(const NvmmaShared&) const = default;
};
struct PaddedShared {
  std::vector<std::pair<i64, i64>> intervals;  // after every `first` elements, `second` padding elements
  linear::Layout layout;                       // offset, block -> dim0 ..
  bool operator==(const PaddedShared&) const = default;
};
struct SharedLinear {
  linear::Layout layout;  // offset, block -> dim0 ..
  i64 alignment = 16;
  bool operator==(const SharedLinear&) const = default;
};
struct PartitionedShared {
  i64 numPartitions = 1, numGroups = 1, partitionDim = 0;
  Parent layout;
  bool operator==(const PartitionedShared&) const = default;
};
struct TensorMemory {
  i64 blockM = 128, blockN = 128, colStride = 1;
  Bases cga;
  bool twoCtas = false;
  bool fp4Padded = false;  // packed fp4 pairs as operand A: every byte occupies two
  bool operator==(const TensorMemory&) const = default;
};
struct TensorMemoryScales {
  Bases cga;
  bool operator==(const TensorMemoryScales&) const = default;
};
struct MemorySpace {
  bool tensorMemory = false;  // #ttng.tensor_memory, else #ttg.shared_memory
  bool operator==(const MemorySpace&) const = default;
};

struct Encoding {
  std::variant<Blocked, NvidiaMma, Mfma, Wmma, DotOp, Slice, Linear, SwizzledShared, NvmmaShared, PaddedShared,
               SharedLinear, PartitionedShared, TensorMemory, TensorMemoryScales, MemorySpace>
      value;
  bool operator==(const Encoding&) const = default;
};

// "blocked", "nvidia_mma" ...: the word after #ttg. or #ttng.
[[nodiscard]] std::string mnemonic(const Encoding& encoding);
[[nodiscard]] std::string print(const Encoding& encoding);
// The rank that the attribute fixes; nullopt if it fits any rank, like nvmma_shared, whose text can omit it.
[[nodiscard]] std::optional<std::size_t> rankOf(const Encoding& encoding);
// True for register layouts (blocked, mma, dot_op, slice, linear), false for memory layouts.
[[nodiscard]] bool isDistributed(const Encoding& encoding);
// tensor_memory and tensor_memory_scales.
[[nodiscard]] bool isTensorMemory(const Encoding& encoding);

// tensor<shape x element, encoding>; a memdesc is a tensor in memory, a descriptor is TMA's source for shared memory:
//
//     !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
//     !ttg.memdesc<3x128x64xf16, #shared, #smem, mutable>          3 buffers: one dimension more than the layout
//     !ttg.memdesc<64x32xf16, #shared, #smem, mutable, 64x64>      a view of a larger allocation
//     !tt.tensordesc<128x64xf16, #shared>
//
// An attribute alone, with or without `over (128,64)`, is a type without an element.
struct Type {
  std::vector<i64> shape;
  std::string element;  // "f16", "!tt.ptr<f32>"
  std::optional<Encoding> encoding;
  bool memdesc = false;
  bool descriptor = false;
  std::optional<Encoding> memorySpace;  // of a memdesc
  bool isMutable = false;
  std::vector<i64> allocShape;  // of a memdesc that is a view; empty if equal to the shape
  bool operator==(const Type&) const = default;
};
[[nodiscard]] std::string print(const Type& type);
// Bits of "f16", "bf16", "i8"; 0 for types without a width (pointers).
[[nodiscard]] int elementBits(const std::string& element);
// "f16", "i17", "!tt.ptr<f32>"; not "fp16", "f17".
[[nodiscard]] bool isElementType(std::string_view element);

// A text: aliases in order, then an optional attribute or type, and the shape given by `over (..)`. A whole TTGIR file
// is also accepted: lines that define layout aliases are read, all other lines are skipped, and each of its tensor and
// memdesc types is listed once.
struct Text {
  std::vector<std::pair<std::string, Encoding>> aliases;  // "#blocked"
  std::optional<Encoding> encoding;                       // the attribute; the last alias if there is none
  std::vector<i64> shape;                                 // from `over` or the type
  std::vector<Type> types;
};
[[nodiscard]] Result<Text> parse(std::string_view text);
// One attribute, optionally preceded by aliases.
[[nodiscard]] Result<Encoding> parseEncoding(std::string_view text);
// The attribute, type or aliases at the cursor (core/base/cursor.h), without `over (shape)`. `known` resolves aliases
// of earlier lines; aliases in the text take precedence.
using AliasLookup = std::function<std::optional<Encoding>(const std::string& name)>;
[[nodiscard]] Result<std::optional<Text>> parsePrefix(Cursor& in, const AliasLookup& known);

// The rules of the compiler's verifiers; parse calls them.
[[nodiscard]] Result<void> verify(const Encoding& encoding);
[[nodiscard]] Result<void> verify(const Type& type);

}  // namespace tessera::triton
