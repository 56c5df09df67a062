// Tiling: the tiles of a sharded array, and their devices; a mesh of named axes. sharding.cpp has the notation.
//
//     {devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}      tiles {2,1}, copies 2, devices {0,1,2,3}
//
// Law: devices has product(tiles) * copies entries, row-major over the tiles, copies fastest.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/paste/bindings.h"

namespace tessera::paste::xla_text {

struct Tiling {
  std::vector<i64> tiles;
  i64 copies = 1;
  std::vector<i64> devices;
};

struct Mesh {
  std::vector<std::pair<std::string, i64>> axes;  // major to minor
  std::vector<i64> devices;                       // empty: 0, 1, 2 ...
};

// The device list of <=[reshape]T(permutation); an empty permutation keeps the order.
[[nodiscard]] Result<std::vector<i64>> transposedIota(const std::vector<i64>& reshape,
                                                      const std::vector<i64>& permutation, Span span);
// The tiling of an array whose dimension k is sharded over the axes spec[k]; the other axes hold copies.
[[nodiscard]] Result<Tiling> tilingOver(const Mesh& mesh, const std::vector<std::vector<std::string>>& spec, Span span);
[[nodiscard]] Result<void> bindTiling(std::string_view name, const Tiling& tiling, Span span, Bindings& out);

}  // namespace tessera::paste::xla_text
