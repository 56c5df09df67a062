#include "core/notation/axe/axes.h"

#include <fmt/format.h>

#include <map>

#include "core/base/arith.h"
#include "core/base/chars.h"
#include "core/base/nearest.h"
#include "core/notation/axe/algebra/algebra.h"

namespace tessera::axe {

namespace {

constexpr std::string_view kScopes[] = {"thread", "warp", "warpgroup", "cta", "cluster", "kernel"};

struct Fusion {
  std::string_view axis, inner, outer;  // within (inner, outer) ..
  i64 factor;                           // .. one step of axis is `factor` steps
  std::string_view target;              // of this axis
};
// wgid within (warp, cta): TVM's table gives wgid itself as the target; here it is 4 warps of the cta.
constexpr Fusion kFusions[] = {
    {"laneid", "thread", "warpgroup", 1, "tid_in_wg"},
    {"laneid", "thread", "cta", 1, "tx"},
    {"wid_in_wg", "thread", "warpgroup", 32, "tid_in_wg"},
    {"wid_in_wg", "thread", "cta", 32, "tx"},
    {"wid_in_wg", "warp", "cta", 1, "warpid"},
    {"tid_in_wg", "thread", "cta", 1, "tx"},
    {"warpid", "thread", "cta", 32, "tx"},
    {"wgid", "thread", "cta", 128, "tx"},
    {"wgid", "warp", "cta", 4, "warpid"},
    {"lane", "thread", "cta", 1, "tx"},
    {"warp", "thread", "cta", 32, "tx"},
};

using K = AxisKind;
constexpr AxisInfo kAxes[] = {
    {"laneid", K::Thread, 32, "thread", "warp", "lane of a warp"},
    {"lane", K::Thread, 32, "thread", "warp", "lane of a warp"},
    {"lane_id", K::Thread, 32, "thread", "warp", "lane of a warp"},
    {"wid_in_wg", K::Thread, 4, "warp", "warpgroup", "warp of a warpgroup"},
    {"tid_in_wg", K::Thread, 128, "thread", "warpgroup", "thread of a warpgroup"},
    {"warpid", K::Thread, 32, "warp", "cta", "warp of a block"},
    {"warp", K::Thread, 32, "warp", "cta", "warp of a block"},
    {"warp_id", K::Thread, 32, "warp", "cta", "warp of a block"},
    {"wgid", K::Thread, 8, "warpgroup", "cta", "warpgroup of a block"},
    {"warpgroup", K::Thread, 8, "warpgroup", "cta", "warpgroup of a block"},
    {"tx", K::Thread, 1024, "thread", "cta", "thread of a block"},
    {"cbx", K::Thread, std::nullopt, "cta", "cluster", "block of a cluster, x"},
    {"cby", K::Thread, std::nullopt, "cta", "cluster", "block of a cluster, y"},
    {"cbz", K::Thread, std::nullopt, "cta", "cluster", "block of a cluster, z"},
    {"cta", K::Thread, std::nullopt, "cta", "cluster", "block of a cluster"},
    // TVM maps bx, by, bz from cta to "thread"; here they map to the kernel.
    {"bx", K::Thread, std::nullopt, "cta", "kernel", "block of a grid, x"},
    {"by", K::Thread, std::nullopt, "cta", "kernel", "block of a grid, y"},
    {"bz", K::Thread, std::nullopt, "cta", "kernel", "block of a grid, z"},
    {"cluster", K::Thread, std::nullopt, "cluster", "kernel", "cluster of a grid"},
    {"gpuid", K::Device, std::nullopt, "", "", "device of a mesh"},
    {"pid", K::Device, std::nullopt, "", "", "device of a mesh"},
    {"dev", K::Device, std::nullopt, "", "", "device of a mesh"},
    {"m", K::Memory, std::nullopt, "", "", "element of a linear memory"},
    {"reg", K::Memory, std::nullopt, "", "", "register of a thread"},
    {"P", K::Memory, 128, "", "", "partition (Trainium SBUF, PSUM)"},
    {"F", K::Memory, std::nullopt, "", "", "free dimension of a partition"},
    {"Bank", K::Memory, 8, "", "", "PSUM bank"},
    {"TLane", K::Memory, 128, "", "", "tensor memory lane"},
    {"TCol", K::Memory, 512, "", "", "tensor memory column"},
    {"Lane", K::Memory, 128, "", "", "tensor memory lane"},
    {"Col", K::Memory, 512, "", "", "tensor memory column"},
};

}  // namespace

const AxisInfo* findAxis(std::string_view name) {
  for (const AxisInfo& info : kAxes)
    if (info.name == name) return &info;
  return nullptr;
}

AxisKind axisKind(std::string_view name) {
  const AxisInfo* info = findAxis(name);
  return info == nullptr ? AxisKind::Other : info->kind;
}

std::vector<Diag> axisNotes(const Layout& layout) {
  std::vector<Diag> notes;
  for (const std::string& axis : layout.axes()) {
    if (findAxis(axis) != nullptr || axis.size() < 3) continue;
    const AxisInfo* nearest = nullptr;
    std::size_t best = 3;
    for (const AxisInfo& info : kAxes) {
      if (info.name.size() < 3) continue;
      const std::size_t d = lowerCase(info.name) == lowerCase(axis) ? 1 : editDistance(info.name, axis);
      if (d < best && d * 2 < axis.size()) best = d, nearest = &info;
    }
    if (nearest != nullptr)
      notes.push_back(Diag{fmt::format("{} is not a hardware axis", axis),
                           {},
                           fmt::format("did you mean {} ({})?", nearest->name, nearest->what)});
  }
  return notes;
}

Result<std::optional<std::pair<std::string, std::string>>> scopeOf(const Layout& layout) {
  struct Link {
    std::string outer, axis;
  };
  std::map<std::string, Link> links;
  for (const std::string& axis : layout.axes()) {
    const AxisInfo* info = findAxis(axis);
    if (info == nullptr || info->kind != AxisKind::Thread) continue;
    const std::string inner(info->inner), outer(info->outer);
    const auto [at, fresh] = links.try_emplace(inner, Link{outer, axis});
    if (!fresh && at->second.outer != outer)
      return Diag{fmt::format("conflicting scopes for {}: {} maps it to {}, {} to {}", inner, at->second.axis,
                              at->second.outer, axis, outer)};
  }
  if (links.empty()) return std::optional<std::pair<std::string, std::string>>{};
  std::string first, last;
  for (const std::string_view scope : kScopes) {
    const auto link = links.find(std::string(scope));
    if (link == links.end()) continue;
    if (first.empty()) {
      first = scope;
    } else if (last != scope) {
      return Diag{fmt::format("disconnected scopes: the chain from {} ends at {}, and {} starts at {}", first, last,
                              link->second.axis, scope),
                  {},
                  fmt::format("an axis that maps {} to {} is missing", last, scope)};
    }
    last = link->second.outer;
  }
  return std::optional(std::pair(first, last));
}

Result<Layout> fuseThreads(const Layout& layout) {
  TESSERA_TRY(const auto scope, scopeOf(layout));
  if (!scope) return canonicalize(layout);
  const auto fusionOf = [&](const std::string& axis) -> const Fusion* {
    for (const Fusion& f : kFusions)
      if (f.axis == axis && f.inner == scope->first && f.outer == scope->second) return &f;
    return nullptr;
  };
  const auto target = [&](const std::string& axis) {
    const Fusion* f = fusionOf(axis);
    return f == nullptr ? axis : std::string(f->target);
  };
  detail::Scales scales;
  for (const std::string& axis : layout.axes())
    if (const Fusion* f = fusionOf(axis)) scales[axis] = f->factor;
  TESSERA_TRY(const Place offset, detail::scaled(layout.offset(), scales));
  TESSERA_TRY(std::vector<Iter> shard, detail::scaled(layout.shard(), scales));
  TESSERA_TRY(std::vector<Iter> replica, detail::scaled(layout.replica(), scales));
  for (auto* list : {&shard, &replica})
    for (Iter& it : *list) it.axis = target(it.axis);
  Place fused;
  for (const auto& [axis, value] : offset) fused[target(axis)] += value;
  return detail::built(std::move(shard), std::move(replica), std::move(fused));
}

namespace {

// Splits (e, s@axis) at `inner`: the values below it, and the multiples of it.
Result<void> splitIter(const Iter& it, i64 inner, const std::string& outerAxis, const std::string& innerAxis,
                       std::vector<Iter>& out) {
  const i64 e = it.extent, s = it.stride;
  if (e == 1) {
    out.push_back({1, s, innerAxis});
  } else if (s >= 0 && (e - 1) * s < inner) {
    out.push_back({e, s, innerAxis});
  } else if (s % inner == 0) {
    out.push_back({e, s / inner, outerAxis});
  } else if (s > 0 && inner % s == 0 && e % (inner / s) == 0) {
    out.push_back({e / (inner / s), 1, outerAxis});
    out.push_back({inner / s, s, innerAxis});
  } else {
    return Diag{fmt::format("the iter {}:{}@{} straddles the cut at {}", e, s, it.axis, inner)};
  }
  return {};
}

}  // namespace

Result<Layout> splitAxis(const Layout& layout, const std::string& axis, i64 inner, const std::string& outerAxis,
                         const std::string& innerAxis) {
  if (inner < 1) return Diag{fmt::format("the inner size {} is not positive", inner)};
  // Digits must not carry across the cut: the sum of the parts below it must stay below it.
  i64 below = 0;
  std::vector<Iter> parts[2];
  const std::vector<Iter>* lists[2] = {&layout.shard(), &layout.replica()};
  for (int part = 0; part < 2; ++part) {
    for (const Iter& it : *lists[part]) {
      if (it.axis != axis) {
        parts[part].push_back(it);
        continue;
      }
      const std::size_t before = parts[part].size();
      TESSERA_CHECKED(splitIter(it, inner, outerAxis, innerAxis, parts[part]));
      for (std::size_t k = before; k < parts[part].size(); ++k)
        if (parts[part][k].axis == innerAxis) below += parts[part][k].stride * (parts[part][k].extent - 1);
    }
  }
  Place offset = layout.offset();
  const i64 base = layout.offsetOn(axis);
  offset.erase(axis);
  offset[outerAxis] += floorDiv(base, inner);
  offset[innerAxis] += floorMod(base, inner);
  if (floorMod(base, inner) + below >= inner)
    return Diag{
        fmt::format("values below the cut reach {}, which carries over {}", floorMod(base, inner) + below, inner)};
  return detail::build(std::move(parts[0]), std::move(parts[1]), std::move(offset));
}

namespace {
constexpr i64 kPartitions = 128;
constexpr i64 kBankElements = 512;
}  // namespace

Result<Layout> trainium(std::string_view annotation, const std::vector<i64>& shape) {
  if (annotation.size() != shape.size())
    return Diag{fmt::format("the annotation {} has {} letters, but shape {} has {} dimensions", annotation,
                            annotation.size(), printShape(shape), shape.size())};
  i64 partitions = 1, free = 1;
  std::size_t partitionDims = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (annotation[k] != 'P' && annotation[k] != 'F')
      return Diag{fmt::format("`{}` is not a letter of an annotation", annotation[k]), "P or F"};
    if (shape[k] < 1) return Diag{fmt::format("the extent {} is not positive", shape[k])};
    i64& total = annotation[k] == 'P' ? partitions : free;
    partitionDims += annotation[k] == 'P' ? 1 : 0;
    if (!mulInto(total, shape[k]))
      return Diag{fmt::format("shape {} has more than 2^63-1 elements", printShape(shape))};
  }
  if (partitions > kPartitions && partitionDims > 1)
    return Diag{fmt::format("the product of the partition dimensions is {}, but there are {} partitions", partitions,
                            kPartitions)};
  if (partitions > kPartitions && partitions % kPartitions != 0)
    return Diag{fmt::format("the partition dimension {} is not a multiple of {}", partitions, kPartitions)};
  std::vector<Iter> shard;
  i64 p = partitions, f = free;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (annotation[k] == 'F') {
      f /= shape[k];
      shard.push_back({shape[k], f, "F"});
    } else if (shape[k] > kPartitions) {
      shard.push_back({shape[k] / kPartitions, free, "F"});
      shard.push_back({kPartitions, 1, "P"});
    } else {
      p /= shape[k];
      shard.push_back({shape[k], p, "P"});
    }
  }
  return detail::build(std::move(shard), {}, {});
}

Result<Layout> toPsum(const Layout& layout) { return splitAxis(layout, "F", kBankElements, "Bank", "F"); }

}  // namespace tessera::axe
