// Shadow: the last accesses to a place in memory, to decide whether the next one is ordered after them.
//
//     thread 1 writes %s[33], phase 0        write = thread 1
//     thread 40 reads %s[33], phase 0        not ordered: a race
//     thread 40 reads %s[33], phase 1        a barrier is between them: ordered
//
// Two accesses by different threads are ordered by a barrier of their block (phases differ) or, within a warp, by a
// syncwarp (epochs differ). Accesses of two blocks are never ordered. Lockstep execution orders nothing.
//
// One write and two reads per place suffice: an access ordered after them is ordered after all accesses they replaced
// (tests/emulate compares this with the list of all accesses).
#pragma once

#include <memory>
#include <vector>

#include "core/base/types.h"

namespace tessera::graphene {

// With barriers that count arrivals, order is given by Clocks (clocks.h): `phase` is then the clock, and `epoch` the
// barrier + 1 of the copy that `thread` has issued.
struct Tag {
  std::int32_t leaf = -1;  // -1: none
  std::uint32_t block = 0, phase = 0;
  std::uint16_t thread = 0, epoch = 0;
  std::uint32_t moment = 0;  // index of the loop values
};

[[nodiscard]] inline bool sameWarp(const Tag& a, const Tag& b) {
  return a.block == b.block && a.thread / 32 == b.thread / 32;
}
// Symmetric in the two accesses.
[[nodiscard]] inline bool unordered(const Tag& a, const Tag& b) {
  if (a.leaf < 0 || b.leaf < 0) return false;
  if (a.block != b.block) return true;
  return a.thread != b.thread && a.phase == b.phase && !(sameWarp(a, b) && a.epoch != b.epoch);
}

struct Shadow {
  Tag write, read, other;      // `other`: a read not covered by `read`
  bool flying = false;         // the write is a copy not yet waited for
  bool plain = false;          // an ordinary write whose thread has not passed a fence.async since
  std::uint16_t products = 0;  // pending products that read it
  std::uint32_t copies = 0;    // pending cp.async that read it

  // The access that `me` is not ordered after, or null.
  [[nodiscard]] const Tag* readClash(const Tag& me) const { return unordered(write, me) ? &write : nullptr; }
  [[nodiscard]] const Tag* writeClash(const Tag& me) const {
    if (unordered(write, me)) return &write;
    if (unordered(read, me)) return &read;
    return unordered(other, me) ? &other : nullptr;
  }
  void noteRead(const Tag& me);
  void noteWrite(const Tag& me) { write = me; }
};

// Shadows of a tensor's places, allocated on first access.
class ShadowMap {
 public:
  static constexpr i64 kPage = 256;

  void resize(i64 places) { pages_.resize(static_cast<std::size_t>((places + kPage - 1) / kPage)); }
  [[nodiscard]] Shadow& at(i64 place) {
    auto& page = pages_[static_cast<std::size_t>(place / kPage)];
    if (!page) {
      page = std::make_unique<Shadow[]>(kPage);
      ++made_;
    }
    return page[static_cast<std::size_t>(place % kPage)];
  }
  void clear() {
    for (auto& page : pages_) page.reset();
    made_ = 0;
  }
  [[nodiscard]] std::size_t made() const { return made_; }  // pages

 private:
  std::vector<std::unique_ptr<Shadow[]>> pages_;
  std::size_t made_ = 0;
};

}  // namespace tessera::graphene
