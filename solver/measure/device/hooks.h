// Hooks: what a long job asks of its caller: whether to stop, and where to report progress.
//
//     hooks.tell("running", 0.4);                    the caller's progress, if it wants any
//     TESSERA_CHECKED(hooks.checkCancelled());       ends the job with the Diag "cancelled"
//
// Law: without a caller (Hooks{}) nothing is reported, and nothing is cancelled.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "core/base/result.h"

namespace tessera::measure {

struct Stage {
  std::string what;      // "compiling", "running 7 of 20"
  double fraction = -1;  // 0 to 1
  template <class A>
  void fields(A& a) {
    a(what, fraction);
  }
};

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

}  // namespace tessera::measure
