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
  } else if (other.leaf < 0 || sameWarp(read, other)) {
    // Two reads of different warps clash with every writer; of one warp and epoch, with all but one of theirs.
    const bool both = !sameWarp(read, me) || read.epoch == me.epoch;
    other = both ? read : Tag{};
    read = me;
  }
}

}  // namespace tessera::graphene
