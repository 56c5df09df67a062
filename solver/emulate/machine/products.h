// Products of a warpgroup (wgmma): they own what they read and write from their issue until a wgmma.wait.
//
//     wgmma.fence                           orders earlier ordinary accesses to the registers of %acc
//     %acc <- MatMul<<<, #wg>>>(%a, %b)     %acc is in group 0; every place of %a and %b is being read
//     wgmma.commit   wgmma.wait 0           %acc may be read, %a and %b written, by other threads after a barrier
//
// A in registers follows the rules of accumulators: fenced before, untouched until the wait.
//
// The matrices are read through the asynchronous proxy. Ordinary writes (cp.async included) are visible after a
// fence.async of the writing thread, or of the reader if a barrier is between the write and the fence.
//
// A product is executed warp by warp, 16 rows each; when the four warps meet, they must have issued the same products.
//
// Source: PTX ISA 9.7.15 (asynchronous warpgroup instructions), 8.5 (proxy-preserved causality order).
#pragma once

#include "solver/emulate/machine/leaf_access.h"

namespace tessera::graphene {

class Products {
 public:
  Products(const Plan& plan, Findings& findings, Timeline& now, std::vector<Cells>& cells)
      : plan_(plan), findings_(findings), now_(now), cells_(cells) {}
  void begin(std::size_t warps) { warps_.assign(warps, {}); }  // a block

  // The warp's part of a product has been issued.
  void issued(const Warp& w, int leaf);
  // Whether every lane passes the same matrix and a descriptor can encode its start; reports it otherwise.
  bool passesMatrix(const LeafAccess& at);
  // Whether the last write to the place is visible to products; reports it otherwise.
  bool seesMatrix(const LeafAccess& at, const Spot& spot);
  // From now on a product reads these places of a matrix.
  void readsMatrix(const LeafAccess& at, int lane, std::vector<i64> places);
  // An access to a register that holds an accumulator or A of products. Reports it and returns false if it is too
  // early.
  bool mayTouch(const LeafAccess& at, const Spot& spot, bool write);
  // An ordinary write to shared memory that products may read.
  void notePlain(const Warp& w, int root, i64 place, int lane);

  void fence(const Warp& w, Span span);
  void commit(const Warp& w, Span span);
  void wait(Warp& w, Span span, int pending);  // completes all but the newest `pending` groups
  void asyncFence(const Warp& w);
  // Reports warps of one group that issued different products. Called when they meet other warps or end.
  void compare(const std::vector<Warp>& warps);

 private:
  struct Reading {  // a matrix that a product of group `group` reads
    int leaf = 0, lane = 0, root = 0;
    i64 group = 0;
    std::vector<i64> places;
  };
  struct Plain {  // a place with an ordinary write that products do not see yet
    int root = 0, lane = 0;
    i64 place = 0;
  };
  struct OfWarp {
    std::vector<Reading> readings;
    std::vector<Plain> plains;
    i64 groups = 0;                              // committed so far
    u64 issued = 0;                              // hash of the products issued
    std::array<std::uint32_t, kLanes> fenced{};  // by lane: phase of the last fence.async, + 1
  };
  template <class Change>
  void eachRegister(const Warp& w, Change change);

  const Plan& plan_;
  Findings& findings_;
  Timeline& now_;
  std::vector<Cells>& cells_;
  std::vector<OfWarp> warps_;
};

}  // namespace tessera::graphene
