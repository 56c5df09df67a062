// An answer function that holds slow proofs until the test releases them, so the order of answers depends on the code
// and not on a clock. A claim is held if its text was named. Everything else is answered as usual.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>

#include "app/engine/jobs.h"

namespace tessera {

class Gate {
 public:
  void hold(const std::string& claim) {
    const std::lock_guard lock(mutex_);
    held_.insert(claim);
  }
  void open(const std::string& claim) {
    {
      const std::lock_guard lock(mutex_);
      held_.erase(claim);
    }
    changed_.notify_all();
  }
  // Call from the runner's finished(), too: whoever waits looks again.
  void notify() {
    { const std::lock_guard lock(mutex_); }
    changed_.notify_all();
  }
  // Until the condition holds; false when it never does. The limit is there for a broken build only.
  bool wait(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (!condition()) {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, std::chrono::milliseconds(2));
      if (std::chrono::steady_clock::now() > end) return false;
    }
    return true;
  }
  // How often a statement of this text was answered.
  int answers(const std::string& text) {
    const std::lock_guard lock(mutex_);
    return answers_[text];
  }

  AnswerFunction function() {
    return [this](Started started, const EngineOptions& options, const JobContext& context) {
      {
        std::unique_lock lock(mutex_);
        ++answers_[started.outcome.statement.text];
        const auto* asked = std::get_if<ProveRequest>(&started.request);
        if (asked != nullptr && held_.count(asked->claim.text) != 0 && context.progress) context.progress(0.5, "held");
        while (asked != nullptr && held_.count(asked->claim.text) != 0 && !context.cancelled())
          changed_.wait_for(lock, std::chrono::milliseconds(1));  // a cancel flag notifies no thread
      }
      return answered(std::move(started), options, context);
    };
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::string> held_;
  std::map<std::string, int> answers_;
};

}  // namespace tessera
