// GoTo: the query of the Ctrl+F field, parsed from its text.
//
//     (3,5)   3,5   (1,2,3)            a coordinate
//     offset 416   offset 0x1a0        the element at that offset
//     byte 0x340                       the element that contains that byte
//     thread 12   T12   T12 V3         the elements of a thread; its value (register) 3
//     lane 12                          the same in a warp
//     bank 7                           a bank of shared memory
//     anything else                    text of the worksheet
//
// `bank` without a number and `offset zz` are text as well, since a worksheet may contain them. Numbers are decimal, or
// hexadecimal with 0x.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/engine.h"
#include "core/base/types.h"

namespace tessera::panes {

struct GoTo {
  enum class Kind : unsigned char { Text, Coordinate, Offset, Byte, Thread, Bank } kind = Kind::Text;
  std::vector<i64> numbers;  // the coordinate; else one number, plus for a thread its value if given
  std::string text;          // as typed, trimmed
  bool operator==(const GoTo&) const = default;
};

[[nodiscard]] GoTo goToOf(std::string_view text);

// Finds the place in the sheet's pictures that a GoTo denotes.
//
//     show (4,8):(8,1) as grid;   offset 19    the cell (2,3) of that grid, point 2 + 4 * 3
//     byte 38 is the same cell if the picture knows that elements have two bytes (an array, `as banks f16`)
//
// Laws (tests/gui/goto_test.cpp, against a walk over all cells): a found cell matches the query; every picture that has
// a match is included, in order; if none has one, the Diag names the available ranges.
struct Place {
  std::size_t outcome = 0;
  std::size_t grid = 0;  // of its figure
  i64 row = 0, col = 0;
};

// One place per picture. Requires: wanted is not text. Outcomes may be null or without a figure.
[[nodiscard]] Result<std::vector<Place>> placesOf(const GoTo& wanted,
                                                  std::span<const std::shared_ptr<const Outcome>> outcomes);

}  // namespace tessera::panes
