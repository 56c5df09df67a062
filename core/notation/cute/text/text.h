// Reads and prints CuTe text: every form that CuTe C++, CuTe DSL, pycute and TLA print, or that people type.
//
//     (4,8):(8,1)   (_4,_8):(_8,_1)   (8,):(1,)   (4,8)            layouts and tuples
//     Layout<Shape<_4,_8>,Stride<_8,_1>>   cute::Layout<cute::tuple<cute::C<4>>, ..>   make_layout(make_shape(4,8), ..)
//     Sw<3,4,3>   S<3,4,3>   Swizzle<3,4,3>   SW_3_4_3
//     Sw<3,3,3> o 0 o (8,64):(64,1)   smem_ptr[16b](0x400) o (..):(..)   counting_iter(42) o 4:1
//     <3:4,8:2>   (_3:_3,(_2,_4):(_1,_8))   [(2,3):(1,2);_]
//     !cute.layout<"(4,2):(1,4)">   tensor<ptr<f32, gmem> o (4,3):(3,1)>
//
// Law: print(parse(s)) == s for the canonical text of each form; a failure is one Diag with the offending bytes. Time
// is linear in the length of the text. More than IntTuple::kMaxLeaves leaves or kMaxDepth levels are rejected early.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/cursor.h"
#include "core/base/result.h"
#include "core/notation/cute/algebra/modes.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/int_tuple.h"
#include "core/notation/cute/layout.h"
#include "core/notation/cute/swizzle.h"

namespace tessera::cute {

// An Engine is only a part (the text before ` o `), never a whole value.
using Value = std::variant<IntTuple, Layout, ComposedLayout, Swizzle, Tiler, Engine>;

template <typename T>
[[nodiscard]] Result<Value> asValue(Result<T> read) {
  if (!read) return read.error();
  return Value(*std::move(read));
}

// Reads the whole text. "(4,8)" is a tuple here; parseLayout reads it as a compact layout.
[[nodiscard]] Result<Value> parse(std::string_view text);

// The literal that begins at the cursor (core/base/cursor.h), for enclosing languages: it has no names, and ends before
// an ` o ` unless the whole is one composed layout.
[[nodiscard]] Result<std::optional<Value>> parsePrefix(Cursor& in);

// `a o b` or `a o b o c`: the value of an ` o ` chain with these parts.
[[nodiscard]] Result<Value> composeParts(const std::vector<Value>& parts);

// "number" "tuple" "layout" "composed layout" "swizzle" "tiler" "pointer".
[[nodiscard]] std::string_view nameOf(const Value& value);
[[nodiscard]] std::string print(const Engine& engine);
[[nodiscard]] std::string print(const Value& value);

}  // namespace tessera::cute
