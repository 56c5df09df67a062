// StrongAccesses: order that threads pass through memory: release and acquire operations, and fences with atomics.
//
//     thread 0   fence.acq_rel.gpu; atom.add [count]    what thread 0 knew at the fence goes to the location
//     thread 9   atom.add [count]; fence.acq_rel.gpu    takes it at its fence
//     st.release [flag] / ld.acquire [flag]             the same without a fence
//
// Law: order is passed exactly along release patterns, observed through one location, to acquire patterns.
// Scopes are not compared: a narrower scope than the two threads need is not reported.
//
// Source: PTX ISA 9.0, 8.8 (release and acquire patterns), 8.9.2 (synchronizes-with).
#pragma once

#include <map>

#include "solver/kernel/order/order.h"

namespace tessera::kernel {

class StrongAccesses {
 public:
  explicit StrongAccesses(Order& order) : order_(order) {}
  using Location = std::pair<const void*, i64>;

  void fence(std::uint32_t thread) {
    Handover& mine = fenced_[thread];
    if (const auto at = observed_.find(thread); at != observed_.end()) {
      order_.acquire(thread, at->second);
      observed_.erase(at);
    }
    mine = {};
    order_.release(thread, mine);
  }
  // `thread` reads the location with a strong operation.
  void read(std::uint32_t thread, Location location, bool acquires) {
    const auto at = locations_.find(location);
    if (at == locations_.end()) return;
    if (acquires)
      order_.acquire(thread, at->second);
    else
      observed_[thread].join(at->second);
  }
  // An atomic passes on what earlier writes of the location have released.
  void write(std::uint32_t thread, Location location, bool releases, bool atomic) {
    const auto fenced = fenced_.find(thread);
    if (!releases && fenced == fenced_.end()) {
      if (!atomic) locations_.erase(location);
      return;
    }
    Handover given;
    if (releases)
      order_.release(thread, given);
    else
      given = fenced->second;
    Handover& at = locations_[location];
    if (!atomic) at = {};
    at.join(given);
  }

 private:
  Order& order_;
  std::map<std::uint32_t, Handover> fenced_, observed_;  // by thread
  std::map<Location, Handover> locations_;
};

}  // namespace tessera::kernel
