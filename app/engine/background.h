// Background: work beside the window, on a thread of its own or, in a build without threads, in turns between frames.
//
//     Background saver([&]() -> Background::Next {
//       if (Background::now() < due) return due;   // call again then
//       save();
//       return std::nullopt;                       // call again after wake()
//     });
//     saver.wake();                                // any thread
//
// Laws: the step runs after every wake() that no running step has seen, and at the time that it returned; never two at
// once, and not after stop(). The first call needs a wake().
//
// Why turns: a web page has threads only if its server sends two special headers, which plain hosting lacks. There the
// page calls takeTurns() between frames, on its only thread, and a step that has much to do returns when turnOver().
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace tessera {

class Background {
 public:
  using Clock = std::chrono::steady_clock;
  using Next = std::optional<Clock::time_point>;

#ifdef __EMSCRIPTEN__
  static constexpr bool kThreads = false;
#else
  static constexpr bool kThreads = true;
#endif

  explicit Background(std::function<Next()> step);
  ~Background() { stop(); }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void wake();
  // Waits for a running step. None is called after it.
  void stop();
  [[nodiscard]] static Clock::time_point now() { return Clock::now(); }

  // Without threads: calls due steps for about this long (a single step may be longer). Returns when the next one is
  // due. With threads there is nothing to do.
  static Next takeTurns(Clock::duration slice);
  // Whether the time of the running step is over. False with threads.
  [[nodiscard]] static bool turnOver();

 private:
  void run();
  // The next call; the earliest time: at once.
  [[nodiscard]] Next next() const { return woken_ ? Next(Clock::time_point::min()) : due_; }

  const std::function<Next()> step_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool woken_ = false, stop_ = false;
  Next due_;
  std::thread thread_;  // last, because it uses the other members
};

}  // namespace tessera
