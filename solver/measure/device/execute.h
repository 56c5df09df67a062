// execute: runs a request on the device in this process: compile, load, launch once on the caller's data, then time.
//
//     device -> NVRTC -> buffers with guards -> one launch, results copied out -> warm-up -> runs between events
//
// Timing: a run repeats all launches, enough times to take about 100 us, between two events. Each launch uses the next
// copy of the buffers. There are enough copies to span four times the L2 cache (fewer if memory is short), so that no
// launch finds its inputs cached by the previous one.
//
// Laws: the first launch takes at most `seconds`. A kernel that does not end abandons the context, and this process can
// then do nothing more on that device (worker.h). Results are copied out before timing starts.
#pragma once

#include <atomic>
#include <functional>
#include <span>

#include "solver/measure/device/request.h"

namespace tessera::measure {

struct Hooks {
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(const Stage&)> progress = {};
  void tell(const std::string& what, double fraction) const {
    if (progress) progress({what, fraction});
  }
  [[nodiscard]] bool cancelled() const { return cancel != nullptr && cancel->load(); }
  // A Diag if cancelled.
  [[nodiscard]] Result<void> checkCancelled() const {
    return cancelled() ? Result<void>(Diag{"cancelled"}) : Result<void>();
  }
};

[[nodiscard]] Result<Report> execute(const Request& request, std::span<unsigned char> memory, const Hooks& hooks = {});

}  // namespace tessera::measure
