#include "app/session/leave.h"

#include <unistd.h>

#include <chrono>
#include <utility>

namespace tessera {

LeaveWatch::LeaveWatch(double seconds, std::function<int()> exitCode)
    : thread_([this, seconds, code = std::move(exitCode)](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, stop, std::chrono::duration<double>(seconds), [] { return false; });
        if (!stop.stop_requested()) ::_exit(code());
      }) {}

LeaveWatch::~LeaveWatch() {
  thread_.request_stop();
  wake_.notify_all();
}

}  // namespace tessera
