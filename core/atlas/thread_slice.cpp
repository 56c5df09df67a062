#include "core/atlas/thread_slice.h"

#include <fmt/format.h>

#include "core/atlas/partition.h"

namespace tessera {
namespace {

std::string textOf(const TiledMma& mma, i64 thread) {
  const Result<cute::IntTuple> at = threadCoordinate(mma, thread);
  return fmt::format("thread {} of {} x {}, tile {}x{}x{}, at vmnk {}", thread, mma.atom.name, print(mma.threads),
                     mma.tile[0], mma.tile[1], mma.tile[2], at ? print(*at) : "?");
}
std::string textOf(const TiledCopy& copy, i64 thread) {
  return fmt::format("thread {} of {}, tile {}x{}", thread, copy.atom.name, copy.tile[0], copy.tile[1]);
}

bool isSame(const TiledMma& x, const TiledMma& y) {
  return x.atom == y.atom && x.threads == y.threads && x.permutation == y.permutation;
}
bool isSame(const TiledCopy& x, const TiledCopy& y) {
  return x.atom == y.atom && x.elementBits == y.elementBits && x.tiler == y.tiler && x.threadValue == y.threadValue;
}

}  // namespace

bool ThreadSlice::operator==(const ThreadSlice& other) const {
  if (thread != other.thread || of.index() != other.of.index()) return false;
  return std::visit([&](const auto& mine) { return isSame(mine, std::get<std::decay_t<decltype(mine)>>(other.of)); },
                    of);
}

Result<ThreadSlice> threadSlice(TiledMma mma, i64 thread) {
  TESSERA_CHECKED(requireThread(thread, threadsOf(mma), "a tiled mma"));
  return ThreadSlice{std::move(mma), thread};
}
Result<ThreadSlice> threadSlice(TiledCopy copy, i64 thread) {
  TESSERA_CHECKED(requireThread(thread, threadsOf(copy), "a tiled copy"));
  return ThreadSlice{std::move(copy), thread};
}

std::string print(const ThreadSlice& slice) {
  return std::visit([&](const auto& tiled) { return textOf(tiled, slice.thread); }, slice.of);
}

Result<Arrow> NotationOf<ThreadSlice>::arrow(const ThreadSlice& slice) {
  return Diag{fmt::format("{} is no layout", noun(slice)),
              slice.of.index() == 0 ? "its partition of a tensor, partition_C(THREAD, T)"
                                    : "its partition of a tensor, partition_S(THREAD, T)",
              "show it as owned, to see what the thread holds"};
}

}  // namespace tessera
