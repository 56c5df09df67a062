// Sized: reads a program with numbers for some of its symbolic sizes.
//
//     %x:[64*M,128].fp16.GL ...       readProgram: M is a parameter of the kernel
//                                     readSized(text, {{"M", 2}}): 128 rows, as if the text had 2 instead of M
//
// Checks that run the program (tensor cores, cp.async, shuffles) need numbers; generated code keeps the symbols. In a
// comment, a file declares numbers that are small enough to run:
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
#include <vector>

#include "core/graphene/listing.h"
#include "core/graphene/program.h"
#include "core/graphene/reader/definitions.h"

namespace tessera::graphene {

using Sizes = std::map<std::string, i64>;

// A Diag: a name that is not a size of the program, or a size below 1.
[[nodiscard]] Result<Program> readSized(std::string_view text, const Sizes& sizes);
[[nodiscard]] Result<Listing> readSizedListing(std::string name, std::string_view text, const Sizes& sizes);

// The rest of the first line that begins with `head`, without blanks around it: "sm_90a" after "// arch:".
[[nodiscard]] std::optional<std::string_view> commentLine(std::string_view text, std::string_view head);
// From the first line "// small: M = 1, L = 3"; empty: no such line.
[[nodiscard]] Sizes smallSizes(std::string_view text);
// `asked` if given, else the architecture in the first line "// arch: sm_90a", else sm_80.
[[nodiscard]] std::string architectureOf(std::string_view text, std::string_view asked = {});
// "M=128"; a Diag if malformed.
[[nodiscard]] Result<std::pair<std::string, i64>> sizeOption(std::string_view text);

// Baseline: the unfused reference for a fused program, another program with the same computation in several plain
// kernels.
//
//     // baseline: mlp_unfused.graphene (L = 4)        in mlp.graphene: the file, equal for these sizes
//
//     baselineOf(text)                   Baseline{"mlp_unfused.graphene", {L: 4}}; its nameOf is "mlp_unfused"
//     shippedBaseline("mlp_unfused")     the text of assets/graphene/mlp_unfused.graphene
//
// It is a file name in the program's folder, never a path, because the text may be untrusted (app/files/file_stamp.h).
// Law: every baseline named by a program in assets/graphene is shipped.
// Measured by app/engine/measure/measure_variants.h.

struct Baseline {
  std::string file;  // "mlp_unfused.graphene"; also the name of a block
  Sizes sizes;       // sizes that the program must have
};
// From the first comment line "// baseline: FILE", in a file or a block.
[[nodiscard]] std::optional<Baseline> baselineOf(std::string_view program);
// The file's name without its extension.
[[nodiscard]] std::string nameOf(const Baseline& baseline);

// The baselines of assets/graphene, compiled in by cmake/library.cmake.
[[nodiscard]] const std::vector<LibraryFile>& baselineFiles();
// nullopt: no baseline of that name.
[[nodiscard]] std::optional<std::string_view> shippedBaseline(std::string_view name);

}  // namespace tessera::graphene
