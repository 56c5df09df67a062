#include "solver/emulate/memory/shadow.h"

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

}  // namespace tessera::graphene
