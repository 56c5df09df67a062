#include "solver/emulate/shadow.h"

namespace tessera::graphene {

void Shadow::noteRead(const Tag& me) {
  if (read.leaf < 0) {
    read = me;
  } else if (read.block == me.block && read.phase != me.phase) {
    // A barrier behind `read`: only another block could still clash with it, and that clashes with `me` too.
    read = me;
    if (other.block == me.block) other = {};
  } else if (read.block == me.block && read.thread == me.thread) {
    if (read.epoch != me.epoch && sameWarp(other, me)) other = {};
    read = me;
  } else if (other.leaf < 0 || sameWarp(read, other) || (read.block == other.block && read.block != me.block)) {
    // Two reads of different blocks clash with every writer, of different warps with every one of their phase, and of one
    // warp and epoch with every one of it.
    const bool both = !sameWarp(read, me) || read.epoch == me.epoch;
    other = both ? read : Tag{};
    read = me;
  }
}

}  // namespace tessera::graphene
