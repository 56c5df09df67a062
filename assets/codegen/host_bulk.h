// mbarrier and TMA on the host: functions of core/codegen/kernel/prelude.h.
//
// A barrier counts arrivals and bytes in phases. The state that a device keeps in its 8 bytes is stored here
// separately, by address. A copy is in flight from its issue until no thread can proceed without it, and its box is
// poisoned until then. In the orders that mix threads it may land earlier.
//
//     box element (i0, i1, ...) is element c + i of the tensor, stored at i0 + box0 * (i1 + box1 * ...)
//     bits 4.. of its address are xored with bits 7.. (3, 2, 1 of them for modes 128B, 64B, 32B)
//     elements beyond the tensor are zero
//
// Not checked: fences and visibility; the emulator checks them.
//
// Source: PTX ISA, mbarrier, cp.async.bulk.tensor; CUDA driver API, cuTensorMapEncodeTiled. Included by tessera_host.h.
#pragma once
#pragma GCC system_header

namespace tessera {

struct TensorMap {
  const unsigned char* start = nullptr;
  int bytes = 2, bits = 0, rank = 1;                                             // bytes per element; xored bits; rank
  long extents[5] = {1, 1, 1, 1, 1}, strides[5] = {}, box[5] = {1, 1, 1, 1, 1};  // innermost first, in elements
};

namespace host {

inline Phases* phasesOf(const void* barrier) {
  const auto found = machine.barriers.find(barrier);
  if (found != machine.barriers.end()) return &found->second;
  fail("a barrier that is not initialised");
  return nullptr;
}

inline void endPhase(Phases& b) {
  if (b.arrivals != 0 || b.bytes != 0) return;
  ++b.phase;
  b.arrivals = b.count;
}

inline void arriveAt(const void* barrier, long bytes) {
  Phases* b = phasesOf(barrier);
  if (b == nullptr) return;
  if (b->arrivals == 0) return fail("an arrival more than the phase waits for");
  b->bytes += bytes;
  --b->arrivals;
  endPhase(*b);
}

// The address of element number `index` of the box, and its source; null: beyond the tensor.
inline void copyElement(const TensorMap& map, const long* at, unsigned char* to, long index) {
  const unsigned char* from = map.start;
  long rest = index;
  bool inside = true;
  for (int d = 0; d < map.rank; ++d) {
    const long place = at[d] + rest % map.box[d];
    rest /= map.box[d];
    inside = inside && place >= 0 && place < map.extents[d];
    from += place * map.strides[d] * map.bytes;
  }
  auto address = reinterpret_cast<std::uintptr_t>(to) + static_cast<std::uintptr_t>(index * map.bytes);
  address ^= (address >> 7 & ((std::uintptr_t{1} << map.bits) - 1)) << 4;
  auto* out = reinterpret_cast<unsigned char*>(address);
  for (int k = 0; k < map.bytes; ++k) out[k] = inside ? from[k] : 0;
}

template <int rank>
void bulkLoad(void* shared, const TensorMap& map, const long (&at)[rank], const void* barrier) {
  if (map.rank != rank) return fail("a tensor map of another rank");
  long elements = 1;
  for (int d = 0; d < rank; ++d) elements *= map.box[d];
  const long bytes = elements * map.bytes;
  if (!isShared(shared, static_cast<std::size_t>(bytes))) return fail("TMA writes what is not shared memory");
  if (reinterpret_cast<std::uintptr_t>(shared) % (map.bits == 0 ? 128 : 128 << map.bits) != 0)
    return fail("TMA writes to an address that its swizzle does not begin at");
  if (phasesOf(barrier) == nullptr) return;
  std::memset(shared, 0xff, static_cast<std::size_t>(bytes));
  std::array<long, rank> from{};
  for (int d = 0; d < rank; ++d) from[static_cast<std::size_t>(d)] = at[d];
  machine.copies.push_back([=] {
    for (long i = 0; i < elements; ++i) copyElement(map, from.data(), static_cast<unsigned char*>(shared), i);
    Phases* b = phasesOf(barrier);
    b->bytes -= bytes;
    endPhase(*b);
  });
}

}  // namespace host

inline void mbarrier_init(unsigned long long* barrier, int arrivals) {
  if (!host::isShared(barrier, 8)) return host::fail("a barrier that is not in shared memory");
  host::machine.barriers[barrier] = {arrivals, arrivals, 0, 0};
}
inline void mbarrier_arrive(unsigned long long* barrier) { host::arriveAt(barrier, 0); }
inline void mbarrier_expect(unsigned long long* barrier, int bytes) { host::arriveAt(barrier, bytes); }
inline void mbarrier_wait(unsigned long long* barrier, int parity) {
  host::Phases* b = host::phasesOf(barrier);
  if (b == nullptr) return;
  host::machine.running->phases = b;
  host::machine.running->parity = parity;
  while (!host::isOver(*host::machine.running)) host::wait(host::State::AtPhase, "mbarrier.wait");
}

inline void cp_async_bulk_tensor_1d_load(void* to, const TensorMap& map, int c0, unsigned long long* b) {
  host::bulkLoad<1>(to, map, {c0}, b);
}
inline void cp_async_bulk_tensor_2d_load(void* to, const TensorMap& map, int c0, int c1, unsigned long long* b) {
  host::bulkLoad<2>(to, map, {c0, c1}, b);
}
inline void cp_async_bulk_tensor_3d_load(void* to, const TensorMap& map, int c0, int c1, int c2,
                                         unsigned long long* b) {
  host::bulkLoad<3>(to, map, {c0, c1, c2}, b);
}
inline void cp_async_bulk_tensor_4d_load(void* to, const TensorMap& map, int c0, int c1, int c2, int c3,
                                         unsigned long long* b) {
  host::bulkLoad<4>(to, map, {c0, c1, c2, c3}, b);
}
inline void cp_async_bulk_tensor_5d_load(void* to, const TensorMap& map, int c0, int c1, int c2, int c3, int c4,
                                         unsigned long long* b) {
  host::bulkLoad<5>(to, map, {c0, c1, c2, c3, c4}, b);
}

}  // namespace tessera
