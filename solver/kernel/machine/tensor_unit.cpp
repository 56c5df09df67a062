#include "solver/kernel/machine/tensor_unit.h"

#include <fmt/format.h>

#include <cstring>

namespace tessera::kernel {

std::string TensorUnit::execute(Block& block, Warp& w, int step, Mask mask, const Arrive& arrive) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const ptx::Opcode& o = s.source->opcode;
  waits_ = false;
  checkGroup(w, step, mask);
  const auto each = [&](const auto& f) {
    eachLane(mask, [&](int l) { f(w.firstThread + static_cast<std::uint32_t>(l)); });
  };
  if (o.has("alloc")) {
    allocate(block, w, step, mask);
  } else if (o.has("dealloc")) {
    deallocate(block, w, step, mask);
  } else if (o.has("relinquish_alloc_permit")) {
    if (block.tensor == nullptr) block.tensor = std::make_shared<TensorMemory>();
    block.tensor->relinquished = true;
  } else if (o.has("ld") || o.has("st")) {
    return access_.move(block, w, step, mask);
  } else if (o.has("mma")) {
    return products_.multiply(block, w, step, mask);
  } else if (o.has("cp")) {
    return products_.copy(block, w, step, mask);
  } else if (o.has("commit")) {
    return commit(block, w, s, mask, arrive);
  } else if (o.has("wait::ld") || o.has("wait::st")) {
    order_.wait(w.firstThread, mask, o.has("wait::ld") ? Domain::TensorLoads : Domain::TensorStores);
  } else if (o.has("fence::before_thread_sync")) {
    each([&](std::uint32_t thread) { order_.fenceBefore(thread); });
  } else if (o.has("fence::after_thread_sync")) {
    each([&](std::uint32_t thread) { order_.fenceAfter(thread); });
  } else {
    return o.text + " is not supported";
  }
  return {};
}

void TensorUnit::wrong(const Warp& w, int step, Mask mask, Verdict kind, const std::string& does) {
  const std::uint32_t thread = w.firstThread + static_cast<std::uint32_t>(__builtin_ctz(mask));
  findings_.report(kind, step, thread, fmt::format("{} {}", findings_.threadText(thread), does));
}

void TensorUnit::checkGroup(const Warp& w, int step, Mask mask) {
  for (const std::string_view part : program_.steps[static_cast<std::size_t>(step)].source->opcode.parts) {
    if (!part.starts_with("cta_group::")) continue;
    if (group_.empty()) group_ = part;
    if (part != group_)
      wrong(w, step, mask, Verdict::Wrong,
            fmt::format("executes tcgen05 with .{}, and an earlier one had .{}: they must be the same in a kernel",
                        part, group_));
  }
}

// ---- allocation

bool TensorUnit::validColumns(const Warp& w, int step, Mask mask, u64 columns) {
  if (columns >= 32 && columns <= 512 && (columns & (columns - 1)) == 0) return true;
  wrong(w, step, mask, Verdict::Bounds,
        fmt::format("names {} columns of tensor memory: it must be a power of two from 32 to 512", columns));
  return false;
}

void TensorUnit::allocate(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const int lane = __builtin_ctz(mask);
  const u64 columns = sourceOf(program_, w, s.ins[0])[static_cast<std::size_t>(lane)] & 0xffffffffu;
  if (!validColumns(w, step, mask, columns)) return;
  if (block.tensor == nullptr) block.tensor = std::make_shared<TensorMemory>();
  TensorMemory& memory = *block.tensor;
  if (memory.relinquished)
    wrong(w, step, mask, Verdict::Wrong,
          "allocates tensor memory after its block has executed tcgen05.relinquish_alloc_permit");
  const auto first = memory.allocate(static_cast<int>(columns), step, w.firstThread + static_cast<std::uint32_t>(lane));
  if (!first) {
    waits_ = true;
    return;
  }
  std::array<std::uint8_t, 4> bytes{};
  const auto address = static_cast<std::uint32_t>(*first);
  std::memcpy(bytes.data(), &address, 4);
  Actor a = memory_.actor(w, step, true);
  a.lane = lane;
  if (const auto t = memory_.access(block, w, a, s.space, at(w, s, lane), 4, bytes.data())) {
    std::memcpy(t->bytes, bytes.data(), 4);
    if (memory_.dependence().tracks()) memory_.dependence().set(w, lane, *t, 4, false);
  }
  // The other lanes of the warp may read the address next.
  orderOfThreads_.meetWarp(w.firstThread, mask);
}

void TensorUnit::deallocate(Block& block, Warp& w, int step, Mask mask) {
  const Step& s = program_.steps[static_cast<std::size_t>(step)];
  const auto lane = static_cast<std::size_t>(__builtin_ctz(mask));
  const TensorAddress address(sourceOf(program_, w, s.ins[0])[lane]);
  const u64 columns = sourceOf(program_, w, s.ins[1])[lane] & 0xffffffffu;
  if (!validColumns(w, step, mask, columns)) return;
  const TensorMemory::Allocation* found =
      block.tensor != nullptr && address.lane == 0 ? block.tensor->allocationAt(address.column) : nullptr;
  if (found == nullptr || static_cast<u64>(found->columns) != columns) {
    wrong(w, step, mask, Verdict::Bounds,
          fmt::format("deallocates {} columns of tensor memory at lane {}, column {}, where {}", columns, address.lane,
                      address.column,
                      found == nullptr ? "no allocation begins" : fmt::format("{} were allocated", found->columns)));
    return;
  }
  order_.issue({Domain::Thread, w.firstThread + static_cast<std::uint32_t>(__builtin_ctz(mask)), 0, w.firstThread, mask,
                step, 0});
  access_.finish(*block.tensor, *found);
  block.tensor->free(address.column, order_.lastNumber());
}

void TensorUnit::ended(const Block& block) {
  if (block.tensor == nullptr) return;
  for (const TensorMemory::Allocation& a : block.tensor->allocations())
    findings_.report(Verdict::Wrong, a.step, a.thread,
                     fmt::format("{} allocates {} columns of tensor memory that are not deallocated before the kernel "
                                 "ends",
                                 findings_.threadText(a.thread), a.columns));
}

// ---- tcgen05.commit

std::string TensorUnit::commit(Block& block, Warp& w, const Step& s, Mask mask, const Arrive& arrive) {
  const ptx::Opcode& o = s.source->opcode;
  const bool multicast = o.has("multicast::cluster");
  if (multicast && s.ins.empty()) return o.text + " has no mask of blocks";
  const std::size_t blocks = block.cluster->blocks.size();
  std::string why;
  eachLane(mask, [&](int l) {
    Handover by;
    order_.commit(w.firstThread + static_cast<std::uint32_t>(l), by);
    const u64 mbarrier = at(w, s, l) & 0xffffffffu;
    if (!multicast) return arrive(l, mbarrier, by);
    const u64 ranks = sourceOf(program_, w, s.ins[0])[static_cast<std::size_t>(l)] & 0xffff;
    if (ranks >> blocks != 0) {
      why = fmt::format("{} has the mask {:#x}, and its cluster {}", o.text, ranks,
                        blocks == 1 ? "one block" : fmt::format("{} blocks", blocks));
      return;
    }
    for (u64 rank = 0; rank < blocks; ++rank)
      if ((ranks >> rank & 1) != 0) arrive(l, sharedAddressIn(block, rank, offsetInBlock(mbarrier)), by);
  });
  return why;
}

}  // namespace tessera::kernel
