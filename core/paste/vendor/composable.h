// Descriptor: a tensor descriptor of Composable Kernel: coordinates -> offset, built by transforms.
//
//     make_naive_tensor_descriptor((4, 8), (9, 1))                        lengths 4, 8; offset {0} * 9 + {1}
//     transform: merge dimensions 0 and 1 into one of 32                  lengths 32; offset ({0} / 8) * 9 + {0} % 8
//
// {k} stands for coordinate k. A transform gives each lower coordinate as an expression of the upper ones, which is
// substituted. Coordinates are not negative, so C's / and % are floor division.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"
#include "core/code/tree.h"
#include "core/paste/vendor/source.h"

namespace tessera::paste::vendor {

struct Descriptor {
  std::vector<i64> lengths;
  std::string offset;
  std::vector<i64> strides;  // of a naive descriptor; empty after a transform
  i64 start = 0;
};

// One transform: the lengths of its upper dimensions, and its lower coordinates over {0}, {1} ... of these.
struct Transform {
  std::vector<i64> upper;
  std::vector<std::string> lower;
  std::vector<i64> lowerLengths;  // of merge and unmerge, 0: unknown
};

// nullopt: a question was asked. A Diag: no transform of that name.
[[nodiscard]] Result<std::optional<Transform>> readTransform(const code::Tree& call, Source& source);
// The text with {k} replaced by pieces[k]; a Diag if it grows beyond 64 KiB.
[[nodiscard]] Result<std::string> substituted(std::string_view text, const std::vector<std::string>& pieces);

// tile_distribution_encoding<...> as (thread, value) -> index in the tile, the first dimension fastest; false: asked.
[[nodiscard]] Result<bool> bindDistribution(std::string_view name, const code::Tree& encoding, Source& source);

}  // namespace tessera::paste::vendor
