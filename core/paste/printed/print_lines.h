// The CuTe values in lines of output: what a program printed, and any words before them.
//
//     sA: ((_8,_16),(_64,_1)):((_64,_512),(_1,_0))              name "sA"
//     >?? Logical Divide Result: ((3,3),4):((177,59),13)        name "Logical Divide Result"
//     [thr 0] tCsA : Sw<3,3,3>_smem_ptr[16b](0x7f00) o (8,64):(64,1)      name "tCsA"
//     tensor(raw_ptr(0x1d50: f32, generic, align<4>) o (4,3,2):(6,2,1), data=
//     smem_ptr[16b]((nil)) o Sw<3,3,3> o _0 o (8,64):(64,1)     read as Sw<3,3,3> o _0 o (8,64):(64,1), with a note
//
// Law: text is canonical text of the value (core/notation/cute/text), which the worksheet reads.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera::paste {

struct PrintedValue {
  std::string name;  // what the line says before the value; may be empty
  std::string text;
  std::string note;  // an assumption, or empty
  Span span;
  bool layout = true;    // false: a tuple of integers, or a tiler
  bool swizzle = false;  // a swizzle alone
};

// The values of one line, each with the words before it; a tuple only if the line has no layout. `begin`: where the
// line begins in the text.
[[nodiscard]] std::vector<PrintedValue> valuesInLine(std::string_view line, std::size_t begin);
// Of every line. A line `NAME:` without a value names the next one.
[[nodiscard]] std::vector<PrintedValue> valuesIn(std::string_view text);

}  // namespace tessera::paste
