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
// `bank` alone and `offset zz` are text, too, since a worksheet may contain them. Numbers are decimal, or hexadecimal
// with 0x.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"

namespace tessera::panes {

struct GoTo {
  enum class Kind : unsigned char { Text, Coordinate, Offset, Byte, Thread, Bank } kind = Kind::Text;
  std::vector<i64> numbers;  // the coordinate; else one number, plus for a thread its value if given
  std::string text;          // as typed, trimmed
  bool operator==(const GoTo&) const = default;
};

[[nodiscard]] GoTo goToOf(std::string_view text);

}  // namespace tessera::panes
