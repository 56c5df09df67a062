// LeaveWatch: ends a process that has nothing more to lose, even if computations are still running.
//
//     session.storeState();                               // everything that must not be lost is on the disk
//     LeaveWatch watch(0.3, [] { return 0; });            // exit within this time
//     ...                                                 // destructors: jobs are cancelled, most end at once
//
// If it is not destroyed in time, it ends the process with that exit code, without destructors.
// Why not only cancel flags: Z3 and the drawing libraries poll no flag in their inner loops, and freeing half a
// gigabyte of outcomes takes time.
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
  std::jthread thread_;  // last, because it uses the other members
};

}  // namespace tessera
