// Sized: a program whose sizes are symbols, read with numbers for some of them.
//
//     %x:[64*M,128].fp16.GL ...       readProgram: M is a parameter of the kernel
//                                     readSized(text, {{"M", 2}}): 128 rows, as if the text said 2 for M
//
// What only running proves (tensor cores, cp.async, shuffles) needs numbers; the machine code keeps the symbols. A file says which
// numbers are small enough to be run, in a comment:
//
//     // small: M = 1, L = 3
//     // arch: sm_90a                what its instructions need, where it is not sm_80
//
// Law: readSized(text, sizes) is readProgram of the text in which each size is written as its number.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "core/graphene/listing.h"
#include "core/graphene/program.h"

namespace tessera::graphene {

using Sizes = std::map<std::string, i64>;

// A Diag for a name that is no size of the program, and for sizes below 1.
[[nodiscard]] Result<Program> readSized(std::string_view text, const Sizes& sizes);
[[nodiscard]] Result<Listing> readSizedListing(std::string name, std::string_view text, const Sizes& sizes);

// Of the first comment line "// small: M = 1, L = 3"; none: empty.
[[nodiscard]] Sizes smallSizes(std::string_view text);
// `asked`, or what the first comment line "// arch: sm_90a" says, or sm_80.
[[nodiscard]] std::string architectureOf(std::string_view text, std::string_view asked = {});
// "M=128"; a Diag for what is none.
[[nodiscard]] Result<std::pair<std::string, i64>> sizeOption(std::string_view text);

}  // namespace tessera::graphene
