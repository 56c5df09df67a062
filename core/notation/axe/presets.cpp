#include "core/notation/axe/presets.h"

#include <fmt/format.h>

#include "core/base/arith.h"
#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/axes.h"

namespace tessera::axe {

namespace {
constexpr i64 kPartitions = 128;
constexpr i64 kBankElements = 512;
}  // namespace

Result<Layout> trainium(std::string_view annotation, const std::vector<i64>& shape) {
  if (annotation.size() != shape.size())
    return Diag{fmt::format("the annotation {} has {} letters, shape {} has {} dimensions", annotation,
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
    return Diag{
        fmt::format("the partition dimensions multiply to {}, there are {} partitions", partitions, kPartitions)};
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
