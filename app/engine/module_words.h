// module_words: the parts of an HLO module that could stand behind its name.
//
//     show soft.%fu|                     %fused_computation, %fused_computation.1 ...: what findPart (core/hlo/listing.h) finds by that name
//     show soft.%fused_computation.%|    %fused_computation.%param_0 ...
//
// Law: each item is found by its text, and is the part that its detail tells of.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "app/engine/completions.h"
#include "core/hlo/listing.h"

namespace tessera {

struct ModulePart {
  std::string name;    // "%fusion.1", "%region_0.1.%add.2"
  std::string detail;  // "fusion f32[2,65,125]"
  std::size_t at = 0;  // in the module's text
};
// The computations and the entry's instructions; of the others those of that computation alone ("": none). At most `most`.
[[nodiscard]] std::vector<ModulePart> partsOf(const hlo::Listing& listing, std::string_view computation,
                                              std::size_t most);

struct ModuleWords {
  std::size_t begin = 0;  // in `statement`: behind the name's dot
  std::vector<Completion> items;
};
// The end of `statement`, which begins at `at` of the sheet; nullopt: no part of a module is being written there.
[[nodiscard]] std::optional<ModuleWords> moduleWordsAt(std::string_view statement, std::size_t at,
                                                       std::span<const BoundName> names);

// The module that a name above that place stands for.
[[nodiscard]] const hlo::Listing* moduleNamed(std::string_view name, std::size_t before,
                                              std::span<const BoundName> names);

}  // namespace tessera
