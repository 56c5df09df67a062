// Patterns of einops: "b (h d) s -> b h s d".
//
//     rearranged(x of (2, 128, 10), "b (h d) s -> b h s d", {h: 8})     (2, 8, 10, 16):(1280, 160, 1, 10)
//
// Law: rearrange(x)[b, h, s, d] = x[b, h * D + d, s]; a group on the right that is no single stride copies.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/paste/python/strided.h"

namespace tessera::paste::python {

struct Rearranged {
  Strided strided;
  bool copies = false;
};

[[nodiscard]] Result<Rearranged> rearranged(const Strided& a, std::string_view pattern,
                                            const std::vector<std::pair<std::string, i64>>& sizes);

}  // namespace tessera::paste::python
