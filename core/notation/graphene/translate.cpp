#include "core/notation/graphene/translate.h"

#include "core/notation/graphene/operations.h"

namespace tessera::graphene {

Result<axe::Layout> toAxe(const Tensor& threads) {
  if (!threads.threads) return Diag{"only threads are places", "#NAME:[32:1].thread"};
  TESSERA_CHECKED(requireKnown(threads));
  const std::string axis = threads.element == "block" ? "bid" : "tid";
  std::vector<axe::Iter> shard;
  std::vector<i64> shape;
  for (const Level& level : threads.levels) {
    for (const Dim& dim : level.dims) {
      shape.push_back(1);
      for (std::size_t k = dim.size(); k-- > 0;) {
        shard.push_back({dim[k].size.value(), dim[k].stride.value(), axis});
        shape.back() *= dim[k].size.value();
      }
    }
  }
  if (shard.empty()) shard.push_back({1, 1, axis});
  axe::Place offset;
  if (threads.offset.value() != 0) offset[axis] = threads.offset.value();
  return axe::Layout::create(std::move(shard), {}, std::move(offset), std::move(shape));
}

}  // namespace tessera::graphene
