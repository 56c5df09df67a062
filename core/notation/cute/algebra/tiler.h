// Tiler: one layout per mode, applied mode by mode: CuTe's tuples of layouts.
//
//     <3:4, 8:2>              mode 0 by 3:4, mode 1 by 8:2
//     (_3:_3,(_2,_4):(_1,_8)) as CuTe C++ prints it;   [(4,8):(1,4);_;(2,3):(1,2)] as CuTe DSL does
//     <2, _, <4, 8>>          an integer n means n:1, `_` keeps the mode whole, a tuple descends into a nested mode
//
// A shape used as a tiler is the tiler of its integers: (2,8) is <2,8>.
// It is not a layout: composition(A, <a,b>) has a's modes for mode 0 of A and b's for mode 1, and drops further modes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/notation/cute/int_tuple.h"
#include "core/notation/cute/layout.h"

namespace tessera::cute {

struct TilerEntry;

struct Tiler {
  std::vector<TilerEntry> entries;
  bool operator==(const Tiler& other) const;
};

struct TilerEntry {
  enum class Kind : unsigned char { Whole, Layout, Nested };
  Kind kind = Kind::Whole;
  Layout layout;             // Layout
  bool fromInteger = false;  // written as n, meaning n:1
  Tiler nested;              // Nested
  bool operator==(const TilerEntry&) const = default;
};

[[nodiscard]] std::string print(const Tiler& tiler);
[[nodiscard]] Result<Tiler> parseTiler(std::string_view text);
// (2,(4,_)) -> <2,<4,_>>. A Diag: `?`, bases, or extents below 1.
[[nodiscard]] Result<Tiler> tilerOfShape(const IntTuple& shape);

}  // namespace tessera::cute
