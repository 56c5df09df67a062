// Queries for the worksheet: a Diag if the layout has unknown numbers.
#pragma once

#include "core/base/result.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

[[nodiscard]] Result<i64> size(const Layout& layout);
// An integer; for basis strides a tuple, one extent per coordinate.
[[nodiscard]] Result<IntTuple> cosize(const Layout& layout);
[[nodiscard]] Result<i64> size(const ComposedLayout& layout);
// The inner layout's cosize: ignores swizzle and offset, as CuTe does. The axis extent of toMap is the true codomain.
[[nodiscard]] Result<IntTuple> cosize(const ComposedLayout& layout);

}  // namespace tessera::cute
