// LeaveWatch: a process that has nothing more to lose ends now, whatever is still being computed.
//
//     session.storeState();                               // what must not be lost is on the disk
//     LeaveWatch watch(0.3, [] { return 0; });            // from here on the end takes at most so long
//     ...                                                 // destructors: jobs are told to stop, most do at once
//
// When it is not destroyed in time it ends the process with that exit code, without destructors.
// Why not only cancel flags: Z3 and the libraries that draw look at no flag in their innermost loops, and half a gigabyte
// of outcomes takes its time to free.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tessera {

class LeaveWatch {
 public:
  LeaveWatch(double seconds, std::function<int()> exitCode);
  ~LeaveWatch();
  LeaveWatch(const LeaveWatch&) = delete;
  LeaveWatch& operator=(const LeaveWatch&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it uses the rest
};

}  // namespace tessera
