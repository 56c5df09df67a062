// Baseline: what a fused program is compared with, the same computation as several plain kernels in a program of its own.
//
//     // baseline: mlp_unfused.graphene (L = 4)        in mlp.graphene: where it is, and the sizes for which the two are the same
//
//     baselineOf(text)        Baseline{"mlp_unfused.graphene", {L: 4}}, of which nameOf says "mlp_unfused"
//     shippedBaseline("mlp_unfused")     the text of assets/graphene/mlp_unfused.graphene
//
// A file of the program's own folder, and no path: the text may be a stranger's (app/files/read_beside.h).
// Law: every program in assets/graphene whose comment names a baseline names one that is shipped.
// Who measures it: app/engine/measure_baseline.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/graphene/definitions.h"
#include "core/graphene/sized.h"

namespace tessera::graphene {

struct Baseline {
  std::string file;  // "mlp_unfused.graphene"; also the name of a block
  Sizes sizes;       // that the program must have
};
// Of the first comment line "// baseline: FILE", in a file or in a block.
[[nodiscard]] std::optional<Baseline> baselineOf(std::string_view program);
// The file's name without its ending.
[[nodiscard]] std::string nameOf(const Baseline& baseline);

// Those of assets/graphene, compiled in by cmake/library.cmake.
[[nodiscard]] const std::vector<LibraryFile>& baselineFiles();
// Nothing: there is none of that name.
[[nodiscard]] std::optional<std::string_view> shippedBaseline(std::string_view name);

}  // namespace tessera::graphene
