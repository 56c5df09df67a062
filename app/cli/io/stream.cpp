#include "app/cli/io/stream.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <thread>

#include "app/cli/io/signals.h"

namespace tessera {
namespace {

constexpr std::size_t kBatch = 1024;    // lines read before the first one is answered
constexpr std::size_t kChunk = 16;      // lines taken by a thread at once
constexpr std::size_t kPerThread = 64;  // with fewer a thread does not pay off
constexpr unsigned kMostThreads = 8;

// Lines that bind nothing, answered in any order and emitted in theirs. The calling thread helps while the next answer
// is not ready.
class Group {
 public:
  Group(const StreamOfLines& stream, std::span<const std::string> lines, std::size_t number)
      : stream_(stream),
        lines_(lines),
        number_(number),
        answers_(lines.size()),
        done_(std::make_unique<std::atomic<bool>[]>(lines.size())) {}

  // Returns false to stop.
  bool run() {
    const std::size_t cores = std::min(std::thread::hardware_concurrency(), kMostThreads);
    std::vector<std::jthread> helpers;
    for (std::size_t k = 1; k < std::min(cores, lines_.size() / kPerThread); ++k) {
      helpers.emplace_back([this] {
        while (answerChunk()) {
        }
      });
    }
    const bool more = emitAll();
    next_.store(lines_.size());  // no thread starts another one
    return more;
  }

 private:
  bool answerChunk() {
    const std::size_t begin = next_.fetch_add(kChunk);
    for (std::size_t k = begin; k < std::min(lines_.size(), begin + kChunk); ++k) {
      try {
        if (!interrupted().load()) answers_[k] = stream_.atOnce(lines_[k], number_ + k);
      } catch (...) {  // out of memory: retried in turn, which reports the error
        answers_[k].reset();
      }
      done_[k].store(true);
      done_[k].notify_all();
    }
    return begin < lines_.size();
  }

  // A line takes microseconds, less than going to sleep.
  [[nodiscard]] bool isSoonDone(std::size_t k) const {
    for (int look = 0; look < 4000; ++look)
      if (done_[k].load(std::memory_order_acquire)) return true;
    return false;
  }

  bool emitAll() {
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      while (!done_[k].load()) {
        if (answerChunk() || isSoonDone(k)) continue;
        stream_.flush();
        done_[k].wait(false);
      }
      if (interrupted().load()) return false;
      if (!stream_.emit(answers_[k] ? *answers_[k] : stream_.inTurn(lines_[k], number_ + k))) return false;
      answers_[k].reset();
    }
    return true;
  }

  const StreamOfLines& stream_;
  std::span<const std::string> lines_;
  std::size_t number_;
  std::vector<std::optional<LineAnswer>> answers_;
  std::unique_ptr<std::atomic<bool>[]> done_;
  std::atomic<std::size_t> next_{0};
};

}  // namespace

void StreamOfLines::run(LineReader& reader) const {
  std::vector<std::string> batch;
  std::string line;
  for (std::size_t number = 0; reader.next(line); number += batch.size()) {
    batch.clear();
    batch.push_back(std::move(line));
    while (batch.size() < kBatch && reader.hasLine() && reader.next(line)) batch.push_back(std::move(line));
    for (auto at = batch.begin(); at != batch.end();) {
      const auto first = static_cast<std::size_t>(at - batch.begin());
      const auto end = std::find_if(at, batch.end(), mayBind);
      if (at != end && !Group(*this, {at, end}, number + first).run()) return flush();
      at = end;
      if (at == batch.end()) break;
      if (!emit(inTurn(*at, number + static_cast<std::size_t>(at - batch.begin())))) return flush();
      ++at;
    }
    flush();
  }
}

}  // namespace tessera
