// Triton's layout attributes, as the compiler prints them in TTGIR.
//
//     #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
//     #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>          with  #mma = #ttg.nvidia_mma<{...}>  above it
//     tensor<128x64xf16, #ttg.slice<{dim = 1, parent = #blocked}>>
//
// An attribute says how a family of tensors is laid out; together with a shape it is one LinearLayout (triton_lower.h).
// `order` lists dimensions fastest first. CGALayout lists where each bit of the block number goes; it is left out for
// one block. Keys are read in any order and printed in the compiler's.
//
// parse verifies as the compiler's verify() methods do: powers of two, ranks that agree, kWidth where it is needed.
// Law: parse(print(e)) == e; print(parse(s)) == s for text that the compiler printed.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "core/notation/linear/layout.h"

namespace tessera {

struct TritonEncoding;
// Compared by value.
struct TritonParent {
  std::shared_ptr<const TritonEncoding> encoding;
  bool operator==(const TritonParent& other) const;
  const TritonEncoding& operator*() const { return *encoding; }
};

using TritonBases = std::vector<LinearBasis>;

struct TritonBlocked {
  std::vector<i64> sizePerThread, threadsPerWarp, warpsPerCta, order;
  TritonBases cga;
  bool operator==(const TritonBlocked&) const = default;
};
struct TritonNvidiaMma {
  i64 versionMajor = 2, versionMinor = 0;
  std::vector<i64> warpsPerCta, instrShape;
  TritonBases cga;
  bool operator==(const TritonNvidiaMma&) const = default;
};
struct TritonMfma {
  i64 version = 3;
  std::vector<i64> warpsPerCta, instrShape;
  bool isTransposed = false;
  TritonBases cga;
  std::vector<i64> tilesPerWarp;  // all 1 when the text leaves it out
  i64 elementBitWidth = 32;
  bool operator==(const TritonMfma&) const = default;
};
struct TritonWmma {
  i64 version = 1;
  bool isTranspose = false;
  TritonBases ctaRegister, ctaWarp;
  TritonBases cga;
  std::vector<i64> instrShape = {16, 16, 16};
  bool operator==(const TritonWmma&) const = default;
};
struct TritonDotOp {
  i64 opIdx = 0, kWidth = 0;
  TritonParent parent;
  bool operator==(const TritonDotOp&) const = default;
};
struct TritonSlice {
  i64 dim = 0;
  TritonParent parent;
  bool operator==(const TritonSlice&) const = default;
};
struct TritonLinear {
  bool generic = false;
  LinearLayout layout;  // register, lane, warp, block -> dim0 ..
  bool operator==(const TritonLinear&) const = default;
};
struct TritonSwizzledShared {
  bool rotating = false;  // #ttg.amd_rotating_shared
  i64 vec = 1, perPhase = 1, maxPhase = 1;
  std::vector<i64> order;
  TritonBases cga;
  bool operator==(const TritonSwizzledShared&) const = default;
};
struct TritonNvmmaShared {
  i64 swizzlingByteWidth = 0;
  bool transposed = false;
  i64 elementBitWidth = 16;
  bool fp4Padded = false;
  i64 rank = 2;
  TritonBases cga;
  bool operator==(const TritonNvmmaShared&) const = default;
};
struct TritonPaddedShared {
  std::vector<std::pair<i64, i64>> intervals;  // every `first` elements, `second` more
  LinearLayout layout;                         // offset, block -> dim0 ..
  bool operator==(const TritonPaddedShared&) const = default;
};
struct TritonSharedLinear {
  LinearLayout layout;  // offset, block -> dim0 ..
  i64 alignment = 16;
  bool operator==(const TritonSharedLinear&) const = default;
};
struct TritonPartitionedShared {
  i64 numPartitions = 1, numGroups = 1, partitionDim = 0;
  TritonParent layout;
  bool operator==(const TritonPartitionedShared&) const = default;
};
struct TritonTensorMemory {
  i64 blockM = 128, blockN = 128, colStride = 1;
  TritonBases cga;
  bool twoCtas = false;
  bool operator==(const TritonTensorMemory&) const = default;
};
struct TritonTensorMemoryScales {
  TritonBases cga;
  bool operator==(const TritonTensorMemoryScales&) const = default;
};
struct TritonMemorySpace {
  bool tensorMemory = false;  // #ttng.tensor_memory, else #ttg.shared_memory
  bool operator==(const TritonMemorySpace&) const = default;
};

struct TritonEncoding {
  std::variant<TritonBlocked, TritonNvidiaMma, TritonMfma, TritonWmma, TritonDotOp, TritonSlice, TritonLinear,
               TritonSwizzledShared, TritonNvmmaShared, TritonPaddedShared, TritonSharedLinear, TritonPartitionedShared,
               TritonTensorMemory, TritonTensorMemoryScales, TritonMemorySpace>
      value;
  bool operator==(const TritonEncoding&) const = default;
};

// "blocked", "nvidia_mma" ... the word after #ttg. or #ttng.
[[nodiscard]] std::string mnemonic(const TritonEncoding& encoding);
[[nodiscard]] std::string print(const TritonEncoding& encoding);
// The rank that the attribute fixes; nullopt for those that fit any (nvidia mma dot operands take their parent's).
[[nodiscard]] std::optional<std::size_t> rankOf(const TritonEncoding& encoding);
// True for what places elements in registers (blocked, mma, dot_op, slice, linear), false for memories.
[[nodiscard]] bool isDistributed(const TritonEncoding& encoding);

struct TritonType {
  std::vector<i64> shape;
  std::string element;  // "f16", "!tt.ptr<f32>"
  std::optional<TritonEncoding> encoding;
  bool memdesc = false;
  std::optional<TritonEncoding> memorySpace;  // of a memdesc
  bool isMutable = false;
  std::vector<i64> allocShape;  // of a memdesc, when written
  bool operator==(const TritonType&) const = default;
};
[[nodiscard]] std::string print(const TritonType& type);

// What a pasted text holds: aliases in order, then (when the text ends on one) an attribute or a type, and the shape
// that `over (..)` gives. A whole TTGIR file is read too: lines that define layout aliases count, the rest is passed
// by, and the tensor and memdesc types in it are listed once each.
struct TritonText {
  std::vector<std::pair<std::string, TritonEncoding>> aliases;  // "#blocked"
  std::optional<TritonEncoding> encoding;                       // the attribute; the last alias when there is only that
  std::vector<i64> shape;                                       // of `over` or of the type
  std::vector<TritonType> types;
};
[[nodiscard]] Result<TritonText> parseTriton(std::string_view text);
// One attribute, with aliases allowed in front of it.
[[nodiscard]] Result<TritonEncoding> parseTritonEncoding(std::string_view text);
[[nodiscard]] bool looksLikeTriton(std::string_view text);

// The rules of the compiler's verifiers; parse calls it.
[[nodiscard]] Result<void> verify(const TritonEncoding& encoding);

}  // namespace tessera
