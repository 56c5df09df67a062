// Sized: reads a program with symbolic sizes, with numbers for some of them.
//
//     %x:[64*M,128].fp16.GL ...       readProgram: M is a parameter of the kernel
//                                     readSized(text, {{"M", 2}}): 128 rows, as if the text had 2 for M
//
// Checks that run the program (tensor cores, cp.async, shuffles) need numbers; generated code keeps the symbols. A file
// declares numbers small enough to run in a comment:
//
//     // small: M = 1, L = 3
//     // arch: sm_90a                required architecture, if not sm_80
//
// Law: readSized(text, sizes) equals readProgram of the text with each size replaced by its number.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/graphene/listing.h"
#include "core/graphene/program.h"

namespace tessera::graphene {

using Sizes = std::map<std::string, i64>;

// A Diag: a name that is not a size of the program, or a size below 1.
[[nodiscard]] Result<Program> readSized(std::string_view text, const Sizes& sizes);
[[nodiscard]] Result<Listing> readSizedListing(std::string name, std::string_view text, const Sizes& sizes);

// What the first line that begins with `head` says after it: "sm_90a" after "// arch:". Blanks around do not count.
[[nodiscard]] std::optional<std::string_view> commentLine(std::string_view text, std::string_view head);
// From the first comment line "// small: M = 1, L = 3"; empty: no such line.
[[nodiscard]] Sizes smallSizes(std::string_view text);
// `asked`, else the architecture in the first comment line "// arch: sm_90a", else sm_80.
[[nodiscard]] std::string architectureOf(std::string_view text, std::string_view asked = {});
// "M=128"; a Diag if malformed.
[[nodiscard]] Result<std::pair<std::string, i64>> sizeOption(std::string_view text);

}  // namespace tessera::graphene
