// Bulk: copies that the asynchronous proxy makes: cp.async.bulk and its tensor forms, cp.reduce.async.bulk, st.async.
//
//     mbarrier.arrive.expect_tx [b], 4096
//     cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [g], 4096, [b]
//     mbarrier.try_wait.parity p, [b], 0        knows the copy
//
//     fence.proxy.async; cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [map, {c0, c1}], [s]
//     cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0        the source may be written again
//     cp.async.bulk.wait_group 0                                         and the destination is written
//
// A copy takes place when it is issued, as an agent of its own: at time 1 it reads, at time 2 it writes. The barrier of
// its bytes, or the wait for its group, gives its order to those who wait (order.h). What ordinary instructions have
// written it sees only after a fence.proxy.async. A tile (tensor_map.h) always completes the bytes of the whole box;
// what lies beyond the tensor is filled by a load, and left out by a store. Reductions are relaxed atomics of one
// element.
//
// Source: PTX ISA 9.0, 9.7.9.25.4 (bulk copies), 9.7.9.27 (tensor copies).
#pragma once

#include "solver/kernel/machine/memory_unit.h"
#include "solver/kernel/machine/reduction.h"

namespace tessera::kernel {

class Bulk {
 public:
  // What a copy has done before these times.
  static constexpr std::uint32_t kRead = 2, kWritten = 3;

  Bulk(const Program& program, Order& order, MemoryUnit& memory) : program_(program), order_(order), memory_(memory) {}

  // Executes the step; a reason if it is not supported. `arrive`: bytes of a lane's copy have arrived at the mbarrier
  // of this shared address, with this handover.
  using Arrive = std::function<void(int lane, i64 mbarrier, i64 bytes, const Handover& by)>;
  std::string execute(Block& block, Warp& w, int step, Mask mask, const Arrive& arrive);
  void commit(const Warp& w, Mask mask);
  void wait(const Warp& w, const Step& s, Mask mask);

 private:
  // Writes `bytes` bytes: [first, last) are those at `from`, the others the fill.
  struct Piece {
    u64 to = 0, from = 0;
    int bytes = 0, first = 0, last = 0;
  };
  struct Request {
    ptx::Space toSpace = ptx::Space::Shared, fromSpace = ptx::Space::Global;
    std::vector<Piece> pieces;
    i64 bytes = 0;
    bool tensor = false;  // addresses of global memory are multiples of an element only
    std::optional<u64> mbarrier;
    std::vector<u64> ranks;  // of a multicast: the blocks of the cluster that get it, at the same place
    std::array<std::uint8_t, 16> fill{};
    std::optional<Reduction> reduction;
  };
  std::string read(Block& block, Warp& w, int step, int lane, Request& r);
  std::string readMulticast(Block& block, Warp& w, const Step& s, int lane, Request& r);
  std::string readTensor(Block& block, Warp& w, int step, int lane, Request& r);
  std::string reduces(const ptx::Opcode& o, ptx::Type type, Request& r) const;
  void perform(Block& block, Warp& w, int step, int lane, const Request& r, std::uint32_t agent);
  std::string store(Block& block, Warp& w, int step, Mask mask, const Arrive& arrive);
  // The map at a generic address; a reason if there is none.
  std::string mapAt(Block& block, Warp& w, int step, int lane, u64 address, Memories::MapAt& out);
  [[nodiscard]] u64 at(Warp& w, std::pair<Place, i64> address, int lane) const {
    return sourceOf(program_, w, address.first)[lane] + static_cast<u64>(address.second);
  }
  [[nodiscard]] u64 value(Warp& w, const Step& s, std::size_t k, int lane) const {
    return sourceOf(program_, w, s.ins[k])[lane];
  }

  const Program& program_;
  Order& order_;
  MemoryUnit& memory_;
  std::uint32_t agents_ = 64;  // of copies so far
  struct OfThread {
    std::vector<std::uint32_t> open;
    std::vector<std::vector<std::uint32_t>> groups;
  };
  std::map<std::uint32_t, OfThread> threads_;
};

}  // namespace tessera::kernel
