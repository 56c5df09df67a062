// Where a CuTe literal ends, and what it is so far. Nothing is judged here: what begins like one is found up to where it
// ends, and the parser says what is wrong with it. Iterative, so that 10,000 brackets cost no stack.
#pragma once

#include "core/base/scan.h"

namespace tessera::cute {

enum class Form : unsigned char {
  Integer,   // 42
  Tuple,     // (4,(2,?)), _8, _, Int<8>{}, 1@0
  Layout,    // (4,8):(8,1), Layout<Shape<_4,_8>,Stride<_8,_1>>
  Swizzle,   // Sw<3,4,3>, S<3,4,3>, SW_3_4_3, Swizzle<3,4,3>
  Composed,  // Sw<3,4,3> o 0 o (8,64):(64,1), smem_ptr[16b](unset) o ..., ComposedLayout<...>
  Mlir,      // !cute.layout<"...">
};
struct Extent {
  Form kind = Form::Integer;
  std::size_t end = 0;
};
[[nodiscard]] std::optional<Extent> extent(std::string_view text, std::size_t from);

}  // namespace tessera::cute
