#include "core/notation/axe/mesh.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/text/text.h"

namespace tessera::axe {

namespace {

constexpr const char* kDeviceAxis = "gpuid";

Result<void> checkMesh(const Mesh& mesh) {
  if (mesh.shape.empty()) return Diag{"the mesh has no dimension"};
  if (mesh.shape.size() != mesh.strides.size())
    return Diag{fmt::format("the mesh has {} dimensions and {} strides", mesh.shape.size(), mesh.strides.size())};
  std::optional<i64> devices = 1;
  for (const i64 e : mesh.shape) {
    if (e < 1) return Diag{fmt::format("the mesh extent {} is not positive", e)};
    devices = devices ? checkedMul(*devices, e) : devices;
  }
  if (!devices) return Diag{"the mesh has more than 2^63-1 devices"};
  return {};
}

}  // namespace

std::vector<i64> rowMajorStrides(const std::vector<i64>& shape) {
  std::vector<i64> strides(shape.size(), 1);
  for (std::size_t k = shape.size(); k-- > 1;) strides[k - 1] = checkedMul(strides[k], shape[k]).value_or(0);
  return strides;
}

namespace {

Result<Mesh> readMesh(Cursor& in) {
  const std::size_t begin = in.start();
  (void)in.acceptWord("mesh");
  Mesh mesh;
  TESSERA_TRY(mesh.shape, spelling::shapeTuple(in));
  const std::size_t end = in.position();
  if (in.accept(":") && (in.peek() == '(' || in.atInteger())) {
    const bool tuple = in.accept("(");
    do {
      TESSERA_TRY(const i64 s, in.integer());
      mesh.strides.push_back(s);
    } while (tuple && in.accept(","));
    if (tuple) TESSERA_CHECKED(in.expect(")", "after the mesh strides"));
  } else {
    in.seek(end);
    mesh.strides = rowMajorStrides(mesh.shape);
  }
  if (mesh.shape.size() != mesh.strides.size())
    return in.failFrom(
        begin, fmt::format("the mesh has {} dimensions and {} strides", mesh.shape.size(), mesh.strides.size()));
  return mesh;
}

}  // namespace

Result<std::optional<Mesh>> parseMeshPrefix(Cursor& cursor) {
  spelling::Scanner in(cursor.text(), cursor.position());
  spelling::Scanner ahead = in;
  if (!ahead.acceptWord("mesh")) return std::optional<Mesh>();
  (void)ahead.accept("(");
  if (!ahead.atInteger()) return std::optional<Mesh>();
  TESSERA_TRY(Mesh mesh, readMesh(in));
  cursor.seek(in.position());
  return std::optional(std::move(mesh));
}

std::string print(const Mesh& mesh) {
  return fmt::format("mesh {}:{}", printShape(mesh.shape), printShape(mesh.strides));
}

Result<Placement> parsePlacement(std::string_view text) {
  spelling::Scanner in(text);
  constexpr auto kCopy = PlacementKind::Replicate, kSum = PlacementKind::Partial;
  constexpr std::pair<const char*, PlacementKind> kWords[] = {
      {"R", kCopy},         {"B", kCopy}, {"replicate", kCopy}, {"broadcast", kCopy}, {"Replicate", kCopy},
      {"Broadcast", kCopy}, {"P", kSum},  {"partial", kSum},    {"Partial", kSum}};
  for (const auto& [word, kind] : kWords) {
    if (!in.acceptWord(word)) continue;
    if (kind == kSum && in.accept("(")) {
      TESSERA_TRY(const std::string op, in.identifier("the operation"));
      TESSERA_CHECKED(in.expect(")", "after the operation"));
    }
    if (!in.atEnd()) return in.fail("text after the placement");
    return Placement{kind, 0};
  }
  bool shards = false;
  for (const char* word : {"split", "shard", "Shard", "S"}) shards = shards || in.accept(word);
  if (!shards) return in.fail("this is not a placement", "S0, R or Partial");
  const bool parenthesis = in.accept("(");
  TESSERA_TRY(const i64 d, in.integer());
  if (parenthesis) TESSERA_CHECKED(in.expect(")", "after the dimension"));
  if (d < 0) return in.failFrom(0, fmt::format("the tensor dimension {} is negative", d));
  if (!in.atEnd()) return in.fail("text after the placement");
  return Placement{PlacementKind::Shard, d};
}

std::string print(const Placement& placement) {
  if (placement.kind == PlacementKind::Partial) return "Partial";
  return placement.kind == PlacementKind::Replicate ? "R" : fmt::format("S{}", placement.dimension);
}

std::string print(const Sharding& sharding) {
  std::string text = print(sharding.mesh);
  for (const Placement& p : sharding.placements) text += ", " + print(p);
  return text;
}

Result<Layout> shard(const std::vector<i64>& shape, const Mesh& mesh, const std::vector<Placement>& placements,
                     ShardPitch pitch) {
  TESSERA_CHECKED(checkMesh(mesh));
  if (placements.size() != mesh.shape.size())
    return Diag{fmt::format("{} placements for a mesh of {} dimensions", placements.size(), mesh.shape.size()),
                "one placement per mesh dimension"};
  std::vector<std::vector<Iter>> blocks(shape.size());
  std::vector<i64> local = shape;
  std::vector<Iter> replica;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const Iter devices{mesh.shape[i], mesh.strides[i], kDeviceAxis};
    switch (placements[i].kind) {
      case PlacementKind::Partial:
        return Diag{
            fmt::format("Partial on mesh dimension {} is not a placement of one tensor: an element is a sum over "
                        "{} devices and is stored on none of them",
                        i, mesh.shape[i]),
            {},
            fmt::format("give the tensor a leading dimension of {} and shard it with S0", mesh.shape[i])};
      case PlacementKind::Replicate:
        replica.push_back(devices);
        break;
      case PlacementKind::Shard: {
        const i64 d = placements[i].dimension;
        if (d < 0 || d >= static_cast<i64>(shape.size()))
          return Diag{fmt::format("S{}: the tensor {} has only {} dimensions", d, printShape(shape), shape.size())};
        i64& extent = local[static_cast<std::size_t>(d)];
        if (extent % mesh.shape[i] != 0)
          return Diag{fmt::format("dimension {} has {} elements left, which is not a multiple of {} devices", d, extent,
                                  mesh.shape[i])};
        extent /= mesh.shape[i];
        blocks[static_cast<std::size_t>(d)].push_back(devices);
      }
    }
  }
  std::vector<Iter> iters;
  std::vector<i64> strides(shape.size(), 1);
  const std::vector<i64>& pitchShape = pitch == ShardPitch::Compact ? local : shape;
  for (std::size_t k = shape.size(); k-- > 1;) {
    const std::optional<i64> s = checkedMul(strides[k], pitchShape[k]);
    if (!s) return Diag{fmt::format("shape {} has more than 2^63-1 elements", printShape(shape))};
    strides[k - 1] = *s;
  }
  for (std::size_t k = 0; k < shape.size(); ++k) {
    iters.insert(iters.end(), blocks[k].begin(), blocks[k].end());
    iters.push_back({local[k], strides[k], kMemoryAxis});
  }
  return Layout::create(std::move(iters), std::move(replica));
}

Result<Sharding> placementsOf(const Layout& layout, const std::vector<i64>& shape, const Mesh& mesh) {
  TESSERA_CHECKED(checkMesh(mesh));
  constexpr i64 kMostTried = 4096;
  const i64 choices = static_cast<i64>(shape.size()) + 1;
  i64 combinations = 1;
  for (std::size_t i = 0; i < mesh.shape.size(); ++i) {
    combinations *= choices;
    if (combinations > kMostTried) return Diag{"too many placements to try on this mesh"};
  }
  const Layout free = layout.withoutShape();
  for (const ShardPitch pitch : {ShardPitch::Compact, ShardPitch::Global}) {
    for (i64 c = 0; c < combinations; ++c) {
      Sharding found{mesh, {}, pitch};
      i64 rest = c;
      for (std::size_t i = 0; i < mesh.shape.size(); ++i, rest /= choices) {
        const i64 pick = rest % choices;
        found.placements.push_back(pick == 0 ? Placement{} : Placement{PlacementKind::Shard, pick - 1});
      }
      const auto made = shard(shape, mesh, found.placements, pitch);
      if (!made) continue;
      TESSERA_TRY(const bool same, equal(*made, free));
      if (same) return found;
    }
  }
  return Diag{fmt::format("{} is not a sharding of {} on {}", print(free), printShape(shape), print(mesh))};
}

Result<Mesh> meshOf(const Layout& layout) {
  std::vector<Iter> devices;
  for (const auto* list : {&layout.shard(), &layout.replica()})
    for (const Iter& it : *list)
      if (it.axis == kDeviceAxis && it.extent > 1) devices.push_back(it);
  if (devices.empty()) return Diag{"the layout does not use the axis gpuid"};
  std::ranges::stable_sort(devices, [](const Iter& a, const Iter& b) { return a.stride > b.stride; });
  Mesh mesh;
  for (const Iter& it : devices) {
    mesh.shape.push_back(it.extent);
    mesh.strides.push_back(it.stride);
  }
  return mesh;
}

}  // namespace tessera::axe
