// GoTo: what the field of Ctrl+F asks for, read from its text.
//
//     (3,5)   3,5   (1,2,3)            a coordinate
//     offset 416   offset 0x1a0        the element at that offset
//     byte 0x340                       the element that has that byte
//     thread 12   T12   T12 V3         what a thread holds; its value (register) 3
//     lane 12                          the same in a warp
//     bank 7                           a bank of shared memory
//     anything else                    text of the worksheet
//
// `bank` alone, `offset zz` are text, too: a worksheet may say so. Numbers are decimal, or hexadecimal with 0x.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/types.h"

namespace tessera::panes {

struct GoTo {
  enum class Kind : unsigned char { Text, Coordinate, Offset, Byte, Thread, Bank } kind = Kind::Text;
  std::vector<i64> numbers;  // the coordinate; else one number, and of a thread its value when one was given
  std::string text;          // as typed, without blanks around it
  bool operator==(const GoTo&) const = default;
};

[[nodiscard]] GoTo goToOf(std::string_view text);

}  // namespace tessera::panes
