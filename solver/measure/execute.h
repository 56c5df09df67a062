// execute: a request on the device of this process: compile, load, launch once on the caller's data, then time.
//
//     device -> NVRTC for it -> buffers with guards -> one launch, whose results are copied out -> warm-up -> runs between events
//
// Timing: a run is all launches, so often that it takes about 100 us, between two events; every launch takes the next copy of the
// buffers, as many as are needed to span four times the L2 cache (fewer where the memory does not suffice), so that no launch
// finds its inputs where the last one left them.
//
// Laws: never more than `seconds` for the first launch; a kernel that does not end abandons the context, and with it this process
// can do nothing more on that device (worker.h). Results are copied out before anything is timed.
#pragma once

#include <atomic>
#include <functional>
#include <span>

#include "solver/measure/request.h"

namespace tessera::measure {

struct Hooks {
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(const Stage&)> progress;
};

[[nodiscard]] Result<Report> execute(const Request& request, std::span<unsigned char> memory, const Hooks& hooks = {});

}  // namespace tessera::measure
