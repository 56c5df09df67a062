// Questions about layouts, with a Diag where the numbers are not known: what the worksheet calls.
#pragma once

#include "core/base/result.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

[[nodiscard]] Result<i64> size(const Layout& layout);
// An integer; for basis strides a tuple, one extent for each coordinate.
[[nodiscard]] Result<IntTuple> cosize(const Layout& layout);
[[nodiscard]] Result<i64> size(const ComposedLayout& layout);
// cosize of the inner layout: swizzle and offset are ignored, as CuTe does. toMap's axis extent is the true codomain.
[[nodiscard]] Result<IntTuple> cosize(const ComposedLayout& layout);

}  // namespace tessera::cute
