// Bulk: copies that the asynchronous proxy makes: cp.async.bulk and its tensor forms, cp.reduce.async.bulk, st.async.
//
//     mbarrier.arrive.expect_tx [b], 4096
//     cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [g], 4096, [b]
//     mbarrier.try_wait.parity p, [b], 0        knows the copy
//
//     fence.proxy.async; cp.async.bulk.global.shared::cta.bulk_group [g], [s], 4096
//     cp.async.bulk.commit_group; cp.async.bulk.wait_group 0
//
// A copy takes place when it is issued, as an agent of its own; the barrier of its bytes, or the wait for its group,
// gives its order to those who wait (order.h). What ordinary instructions have written it sees only after a
// fence.proxy.async.
//
// Source: PTX ISA 9.0, 9.7.9.25.4 (bulk copies), 9.7.9.27 (tensor copies).
#pragma once

#include "solver/kernel/machine/memory_unit.h"

namespace tessera::kernel {

class Bulk {
 public:
  Bulk(const Program& program, Order& order, MemoryUnit& memory) : program_(program), order_(order), memory_(memory) {}

  // Executes the step; a reason if it is not supported. `arrive`: bytes have arrived at the mbarrier of this shared
  // address, with this handover.
  using Arrive = std::function<void(i64 mbarrier, i64 bytes, const Handover& by)>;
  std::string execute(Block& block, Warp& w, int step, Mask mask, const Arrive& arrive);
  void commit(const Warp& w, Mask mask);
  void wait(const Warp& w, const Step& s, Mask mask);

 private:
  struct Piece {  // `bytes` consecutive bytes; from < 0: zeros
    u64 to = 0;
    i64 from = 0;
    int bytes = 0;
  };
  struct Request {
    ptx::Space toSpace = ptx::Space::Shared, fromSpace = ptx::Space::Global;
    std::vector<Piece> pieces;
    i64 bytes = 0;
    std::optional<u64> mbarrier;
    std::string operation;  // of a reduction
    ptx::Type type = ptx::Type::None;
  };
  std::string read(Block& block, Warp& w, const Step& s, int lane, Request& r);
  std::string readTensor(Block& block, Warp& w, const Step& s, int lane, Request& r, bool load);
  void perform(Block& block, Warp& w, int step, int lane, const Request& r, std::uint32_t agent);
  std::string store(Block& block, Warp& w, int step, Mask mask, const Arrive& arrive);
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
