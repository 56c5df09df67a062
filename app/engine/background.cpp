#include "app/engine/background.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera {
namespace {

// Without threads: everything that takes turns, and the end of the current turns.
struct Turns {
  std::vector<Background*> all;
  Background::Clock::time_point end = Background::Clock::time_point::max();
};

Turns& turns() {
  static Turns one;
  return one;
}

}  // namespace

Background::Background(std::function<Next()> step) : step_(std::move(step)) {
  if constexpr (kThreads) {
    thread_ = std::thread([this] { run(); });
  } else {
    turns().all.push_back(this);
  }
}

void Background::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
  if constexpr (!kThreads) std::erase(turns().all, this);
}

void Background::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  wake_.notify_all();
}

void Background::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto called = [this] { return stop_ || woken_; };
    if (due_) {
      wake_.wait_until(lock, *due_, called);
    } else {
      wake_.wait(lock, called);
    }
    if (stop_) return;
    woken_ = false;
    due_.reset();
    lock.unlock();
    const Next next = step_();
    lock.lock();
    due_ = next;
  }
}

Background::Next Background::takeTurns(Clock::duration slice) {
  Turns& now = turns();
  now.end = Clock::now() + slice;
  Next next;
  for (bool worked = true; worked && !turnOver();) {
    worked = false;
    next.reset();
    // A step may create and destroy others.
    for (std::size_t k = 0; k < now.all.size(); ++k) {
      Background& one = *now.all[k];
      const Next due = one.next();
      if (due && *due <= Clock::now() && !turnOver()) {
        one.woken_ = false;
        one.due_.reset();
        const Next again = one.step_();
        if (std::ranges::find(now.all, &one) == now.all.end()) continue;
        one.due_ = again;
        worked = true;
      }
      if (const Next left = one.next(); left && (!next || *left < *next)) next = left;
    }
  }
  now.end = Clock::time_point::max();
  return next;
}

bool Background::turnOver() { return !kThreads && Clock::now() >= turns().end; }

}  // namespace tessera
