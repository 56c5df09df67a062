// Value: what an expression of the worksheet means. One alternative per notation; a new notation adds one line here,
// one file of functions and one row in the tables that print, lower and draw.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/analysis/banks.h"
#include "core/analysis/chain.h"
#include "core/analysis/find_swizzle.h"
#include "core/analysis/linear_swizzle.h"
#include "core/atlas/tiled.h"
#include "core/base/result.h"
#include "core/base/types.h"
#include "core/claim/claim.h"
#include "core/map/map.h"
#include "core/notation/cute/algebra/tiler.h"
#include "core/notation/cute/composed_layout.h"
#include "core/notation/cute/explain.h"
#include "core/notation/cute/int_tuple.h"
#include "core/notation/cute/layout.h"
#include "core/notation/cute/swizzle.h"
#include "core/notation/indexing/map.h"
#include "core/notation/tla/tla.h"
#include "core/notation/xla/instruction.h"
#include "core/notation/xla/shape.h"
#include "core/worksheet/axe_values.h"

namespace tessera {

// A by-mode tiler <3:4, 8:2> or a tiler tuple (_3:_3,(_2,_4):(_1,_8)), [..;..]; `_` keeps a mode whole.
// The type lives with the algebra (core/notation/algebra); this header only lists it as a value.
struct Text {
  std::string text;
  bool operator==(const Text&) const = default;
};

// One warp-wide access to shared memory and what the bank model says of it: wavefronts([0, 4, 8], 4).
struct BankAccess {
  WarpAccess access;
  BankReport report;
  bool operator==(const BankAccess&) const = default;
};

// find swizzle for A where ...: what was asked, and every answer.
struct SwizzleFinding {
  CuteLayout layout;
  int elementBits = 16;
  std::vector<AccessSpec> specs;
  SwizzleSearch search;
  // by z3: one F2-linear swizzle, or (no pieces, a reason) the proof that there is none.
  std::optional<LinearSwizzle> linear;
};
// The answers as text: a line each, the simplest first, or the clash.
[[nodiscard]] std::string print(const SwizzleFinding& finding);

// The result of an algebra operation together with its inputs, so that it can be drawn as inputs beside result.
// Kept beside the value (Outcome::operation), never inside it.
using Value = std::variant<i64, bool, Text, IntTuple, CuteLayout, ComposedLayout, Swizzle, TlaLayout, Tiler, Map,
                           Explanation, Verdict, AtlasRow, TiledMma, TiledCopy, BankAccess, SwizzleFinding, Chain,
                           AxeLayout, AxeComposed, AxePlace, AxePlaces, AxeCoords, Mesh, LinearLayout, TritonLayout,
                           IndexingMap, XlaShape, XlaInstruction>;

// "int" "bool" "text" "tuple" "layout" "swizzle" "tiler" "map" "explanation" "verdict" "instruction"
// "tiled_mma" "tiled_copy" "banks" "search" "chain": the `kind` of --json.
[[nodiscard]] std::string kindOf(const Value& value);
// "a layout", "an integer", "a swizzle": for messages.
[[nodiscard]] std::string_view nounOf(const Value& value);
// Canonical text, as its own tool prints it.
[[nodiscard]] std::string print(const Value& value);
// The XLA shape that a value is, or that an instruction line declares; nullptr when it is neither.
[[nodiscard]] const XlaShape* xlaShapeIn(const Value& value);
// The value's meaning, when it has one (layouts, swizzles with an extent, maps); else a Diag that says why not.
[[nodiscard]] Result<Map> toMap(const Value& value);

}  // namespace tessera
