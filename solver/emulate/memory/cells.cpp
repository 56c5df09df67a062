#include "solver/emulate/memory/cells.h"

#include <algorithm>

namespace tessera::graphene {

void Shadow::noteRead(const Tag& me) {
  if (read.leaf < 0) {
    read = me;
  } else if (read.block == me.block && read.phase != me.phase) {
    // A barrier is after `read`: only accesses of another block can still clash with it, and those clash with `me` too.
    read = me;
    if (other.block == me.block) other = {};
  } else if (read.block == me.block && read.thread == me.thread) {
    if (read.epoch != me.epoch && sameWarp(other, me)) other = {};
    read = me;
  } else if (other.leaf < 0 || sameWarp(read, other) || (read.block == other.block && read.block != me.block)) {
    // Reads by different blocks clash with every writer; by different warps, with every writer of their phase; by one
    // warp in one epoch, with every writer of that epoch.
    const bool both = !sameWarp(read, me) || read.epoch == me.epoch;
    other = both ? read : Tag{};
    read = me;
  }
}

const Tag* clash(const Clocks& clocks, Cells& cells, i64 place, const Tag& me) {
  Shadow& shadow = cells.shadow.at(place);
  if (!clocks.active()) return shadow.writeClash(me);
  if (apart(clocks, shadow.write, me)) return &shadow.write;
  std::vector<Tag>& readers = cells.readers.at(place);
  const auto found = std::ranges::find_if(readers, [&](const Tag& reader) { return apart(clocks, reader, me); });
  const bool any = found != readers.end();
  if (any) shadow.read = *found;  // where the report is read from
  readers.clear();
  return any ? &shadow.read : nullptr;
}

// With clocks, keeps every reader that no later one is ordered after, since a counting barrier may order any subset of
// them.
void noteReader(const Clocks& clocks, Cells& cells, i64 place, const Tag& me) {
  if (!clocks.active()) return cells.shadow.at(place).noteRead(me);
  std::vector<Tag>& readers = cells.readers.at(place);
  std::size_t kept = 0;
  for (const Tag& other : readers)
    if (apart(clocks, other, me)) readers[kept++] = other;
  readers.resize(kept);
  readers.push_back(me);
}

}  // namespace tessera::graphene
