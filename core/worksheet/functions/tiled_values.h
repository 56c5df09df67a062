// Tiled mmas, tiled copies, one thread's slice of them, and tensors, as arguments and results of functions.
#pragma once

#include "core/atlas/thread_slice.h"
#include "core/notation/cute/algebra/tensor.h"
#include "core/worksheet/functions/functions.h"

namespace tessera {

// nullptr: another value. A slice is also the tiled mma or copy that it is of.
[[nodiscard]] const ThreadSlice* sliceIn(const Value& value);
[[nodiscard]] const TiledMma* mmaIn(const Value& value);
[[nodiscard]] const TiledCopy* copyIn(const Value& value);

[[nodiscard]] Result<const TiledMma*> mmaAt(const Call& c, std::size_t k);
[[nodiscard]] Result<const TiledCopy*> copyAt(const Call& c, std::size_t k);
// Argument 0 as one thread's slice of an mma (or of a copy).
[[nodiscard]] Result<const ThreadSlice*> sliceAt(const Call& c, bool mma);
// A layout of any notation that CuTe can express, a tensor with a pointer, or a shape.
[[nodiscard]] Result<cute::Tensor> tensorAt(const Call& c, std::size_t k);
// With the marks of `like`, so that static tensors give static parts.
[[nodiscard]] Result<Value> valueOfTensor(const cute::Tensor& like, Result<cute::Tensor> tensor);

// make_tile(32, (8,2,2):(1,16,8), _): a tuple, or a tiler if it holds a layout.
[[nodiscard]] Result<Value> tileCall(const Call& c);

}  // namespace tessera
