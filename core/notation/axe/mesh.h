// Device meshes: a tensor sharded and replicated over devices, as an Axe layout, and the inverse.
//
//     shard((64,128), mesh (2,2):(1,2), S0, R)
//         = S[(2,32,128):(1@gpuid,128,1)] + R[2:2@gpuid]       rows over mesh dim 0, one copy per index of mesh dim 1
//
// A mesh is a shape with strides: device (i, j) of `mesh (2,2):(1,2)` has the number i*1 + j*2. Each mesh dimension has
// one placement: S(d) splits tensor dimension d (if several split the same one, the outer mesh dimension first); R
// (broadcast) keeps a copy. Sizes must be divisible: an uneven shard is not a layout.
// Not supported: Partial, whose value is a sum over devices, so that an element has no place. Instead, give the tensor
// a leading dimension with one entry per device, and shard that.
//
// A device stores its piece packed (Compact: 32 x 64 in local rows of 64) or with the pitch of the whole tensor
// (Global: rows of 128, the source article's example).
// Law: placementsOf(shard(S, mesh, P), S, mesh) == P, except that mesh dimensions of size 1 become R.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cursor.h"
#include "core/base/result.h"
#include "core/notation/axe/layout.h"

namespace tessera::axe {

struct Mesh {
  std::vector<i64> shape;
  std::vector<i64> strides;  // one per dimension
  bool operator==(const Mesh&) const = default;
};
[[nodiscard]] std::vector<i64> rowMajorStrides(const std::vector<i64>& shape);
// "mesh (2,2):(1,2)" or "mesh (2,2)", row-major, at the cursor.
[[nodiscard]] Result<std::optional<Mesh>> parseMeshPrefix(Cursor& in);
[[nodiscard]] std::string print(const Mesh& mesh);

enum class PlacementKind : unsigned char { Shard, Replicate, Partial };
struct Placement {
  PlacementKind kind = PlacementKind::Replicate;
  i64 dimension = 0;  // Shard
  bool operator==(const Placement&) const = default;
};
// "S0", "S(0)", "R", "B", "P", "Partial", "Partial(sum)", "shard(0)", "replicate", "split(0)", "broadcast".
[[nodiscard]] Result<Placement> parsePlacement(std::string_view text);
[[nodiscard]] std::string print(const Placement& placement);

enum class ShardPitch : unsigned char { Compact, Global };

// Devices are on axis gpuid, elements on m. The iters are those of the definition; canonicalize() is not applied.
[[nodiscard]] Result<Layout> shard(const std::vector<i64>& shape, const Mesh& mesh,
                                   const std::vector<Placement>& placements, ShardPitch pitch = ShardPitch::Compact);

struct Sharding {
  Mesh mesh;
  std::vector<Placement> placements;
  ShardPitch pitch = ShardPitch::Compact;
};
[[nodiscard]] std::string print(const Sharding& sharding);
// The placements whose shard is this layout; refused if there are none, or more than 4096 candidates.
[[nodiscard]] Result<Sharding> placementsOf(const Layout& layout, const std::vector<i64>& shape, const Mesh& mesh);
// A matching mesh: one dimension per iter on gpuid, largest stride first.
[[nodiscard]] Result<Mesh> meshOf(const Layout& layout);

}  // namespace tessera::axe
