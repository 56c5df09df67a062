// Symbols of C++ as profilers and disassemblers print them: names of the Itanium ABI, written out.
//
//     _Z1fN4cute6LayoutINS_5tupleIJNS_1CILi8EEENS2_ILi64EEEEEENS1_IJS4_NS2_ILi1EEEEEEEE
//       = f(cute::Layout<cute::tuple<cute::C<8>, cute::C<64>>, cute::tuple<cute::C<64>, cute::C<1>>>)
//
// Names, template arguments, types and substitutions are read; expressions (X..E, decltype) end the reading, and what
// was read before them is the result.
//
// Law: at most 4 MiB of text are written, for every symbol.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera::paste {

struct MangledSymbol {
  std::string text;
  bool whole = false;  // read to its end
  Span span;
};
// Every symbol in the text that begins with _Z, and every piece that begins with N4cute.
[[nodiscard]] std::vector<MangledSymbol> demangled(std::string_view text);

}  // namespace tessera::paste
