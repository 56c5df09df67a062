// The tensor map of an argument as text: its tensor first, then options in any order.
//
//     tensormap:f16[1024,512],box=64x64,swizzle=128B     random numbers, or f16[1024,512]=0
//     tensormap:@A.npy,box=1x64x64                       the elements of a file
//     tensormap:#2,box=64x64                             the buffer of argument 2 (or of #C), with its type and shape
//
//     box=64x64       elements of a copy, in the order of the shape (cuTensorMapEncodeTiled: innermost first)
//     swizzle=128B    NONE (default), 32B, 64B, 128B, 128B_ATOM_32B, 128B_ATOM_64B
//     strides=1056    bytes from row to row, without the innermost dimension; default: contiguous
//     steps=2x1       every second row of the box: the element strides
//     fill=nan        what lies beyond the tensor; default: zero
//     type=bf16 shape=1024x512 offset=4096               of a tensor in the buffer of #2
//
// Law: a map is accepted if and only if cuTensorMapEncodeTiled accepts it, with these exceptions: elements of a tensor
// do not overlap; the box fits the shared memory of a block; with a swizzle, a line of the box is as long as the
// swizzle's, because the placement of shorter ones is not documented; tf32 and elements of 4 and 6 bits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "solver/kernel/kernel.h"

namespace tessera::kernel {

// The text after "tensormap:".
struct TensorText {
  std::string tensor;  // "f16[1024,512]", "@A.npy", "#2"
  std::vector<std::pair<std::string, std::string>> options;
};
[[nodiscard]] Result<TensorText> readTensorText(std::string_view text);

// Completes the map of `argument`, whose element and shape are those of the tensor before its options. `own`: the bytes
// are the argument's, and are spread over rows if these are padded.
[[nodiscard]] Result<void> completeMap(const TensorText& text, bool own, Argument& argument);

}  // namespace tessera::kernel
