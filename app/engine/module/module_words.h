// Completes the parts of an HLO module after its name.
//
//     show soft.%fu|                     %fused_computation, %fused_computation.1 ...: names known to findPart
//                                        (core/hlo/listing.h)
//     show soft.%fused_computation.%|    %fused_computation.%param_0 ...
//
// Law: each item is found by its text, and is the part that its detail describes.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "app/engine/help/completions.h"
#include "core/hlo/listing.h"

namespace tessera {

struct ModulePart {
  std::string name;    // "%fusion.1", "%region_0.1.%add.2"
  std::string detail;  // "fusion f32[2,65,125]"
  std::size_t at = 0;  // in the module's text
};
// The computations and the entry's instructions, or the instructions of the given computation. At most `most`.
[[nodiscard]] std::vector<ModulePart> partsOf(const hlo::Listing& listing, std::string_view computation,
                                              std::size_t most);

struct ModuleWords {
  std::size_t begin = 0;  // in `statement`: after the name's dot
  std::vector<Completion> items;
};
// Completes the end of `statement`, which starts at `at` in the sheet; nullopt if no part of a module is being typed.
[[nodiscard]] std::optional<ModuleWords> moduleWordsAt(std::string_view statement, std::size_t at,
                                                       std::span<const BoundName> names);

// The module that a name denotes at that position.
[[nodiscard]] const hlo::Listing* moduleNamed(std::string_view name, std::size_t before,
                                              std::span<const BoundName> names);

}  // namespace tessera
