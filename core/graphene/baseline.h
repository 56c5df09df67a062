// Baseline: the unfused reference for a fused program: the same
// computation as several plain kernels in another program.
//
//     // baseline: mlp_unfused.graphene (L = 4)        in mlp.graphene: the file; equal for these sizes
//
//     baselineOf(text)                   Baseline{"mlp_unfused.graphene", {L: 4}}; its nameOf is "mlp_unfused"
//     shippedBaseline("mlp_unfused")     the text of assets/graphene/mlp_unfused.graphene
//
// A file name in the program's folder, never a path: the text may be untrusted (app/files/read_beside.h).
// Law: every program in assets/graphene whose comment names a baseline names one that is shipped.
// Measured by app/engine/measure/measure_variants.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphene/reader/definitions.h"
#include "core/graphene/reader/sized.h"

namespace tessera::graphene {

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
