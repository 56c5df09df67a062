// Packed elements, one thread's storage, broadcast iters.
#include <fmt/format.h>

#include "core/base/arith.h"
#include "core/notation/axe/algebra/algebra.h"
#include "core/notation/axe/axes.h"

namespace tessera::axe {

namespace {

bool onMemory(const std::string& axis) { return axisKind(axis) == AxisKind::Memory; }

}  // namespace

Result<Layout> unpack(const Layout& layout, i64 n) {
  if (n < 1) return Diag{fmt::format("an element cannot become {} elements", n)};
  std::vector<Iter> parts[2] = {layout.shard(), layout.replica()};
  for (auto& part : parts) {
    for (Iter& it : part) {
      if (!onMemory(it.axis)) continue;
      if (!mulInto(it.stride, n))
        return Diag{fmt::format("the stride {}@{} times {} overflows", it.stride, it.axis, n)};
    }
  }
  Place offset = layout.offset();
  for (auto& [axis, value] : offset) {
    if (!onMemory(axis)) continue;
    if (!mulInto(value, n)) return Diag{fmt::format("the offset {}@{} times {} overflows", value, axis, n)};
  }
  // The new digit goes on the memory axis of the last iter, else m.
  std::string axis = kMemoryAxis;
  for (const Iter& it : layout.shard())
    if (onMemory(it.axis) && it.extent > 1) axis = it.axis;
  parts[0].push_back({n, 1, axis});
  TESSERA_TRY(const Layout made, detail::build(std::move(parts[0]), std::move(parts[1]), std::move(offset)));
  return canonicalize(made);
}

Result<Layout> pack(const Layout& layout, i64 n) {
  if (n < 1) return Diag{fmt::format("{} elements cannot become one", n)};
  if (n == 1) return canonicalize(layout.withoutShape());
  Layout canonical = canonicalize(layout.withoutShape());
  std::vector<Iter> shard = canonical.shard();
  Iter& last = shard.back();
  if (last.stride != 1 || !onMemory(last.axis) || last.extent % n != 0)
    return Diag{fmt::format("the fastest iter {}:{}@{} is not {} neighbours in memory", last.extent, last.stride,
                            last.axis, n)};
  last.extent /= n;
  std::vector<Iter> replica = canonical.replica();
  Place offset = canonical.offset();
  for (std::size_t k = 0; k < shard.size() + replica.size(); ++k) {
    Iter& it = k < shard.size() ? shard[k] : replica[k - shard.size()];
    if (!onMemory(it.axis) || it.extent == 1) continue;
    if (&it == &last) continue;  // n elements of stride 1 are now one element of stride 1
    if (it.stride % n != 0) return Diag{fmt::format("the stride {}@{} is not a multiple of {}", it.stride, it.axis, n)};
    it.stride /= n;
  }
  for (auto& [axis, value] : offset) {
    if (!onMemory(axis)) continue;
    if (value % n != 0) return Diag{fmt::format("the offset {}@{} is not a multiple of {}", value, axis, n)};
    value /= n;
  }
  TESSERA_TRY(const Layout made, detail::build(std::move(shard), std::move(replica), std::move(offset)));
  return canonicalize(made);
}

Layout storage(const Layout& layout) {
  const auto keep = [](const std::vector<Iter>& iters) {
    std::vector<Iter> kept;
    for (const Iter& it : iters)
      if (axisKind(it.axis) != AxisKind::Thread) kept.push_back(it);
    return kept;
  };
  Place offset = layout.offset();
  std::erase_if(offset, [](const auto& entry) { return axisKind(entry.first) == AxisKind::Thread; });
  auto made = detail::build(keep(layout.shard()), keep(layout.replica()), std::move(offset));
  return made ? *std::move(made) : layout;  // parts of a valid layout are valid
}

}  // namespace tessera::axe
