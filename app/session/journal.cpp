#include "app/session/journal.h"

#include <chrono>
#include <utility>

namespace tessera {

using std::chrono::milliseconds;

Journal::Journal(JournalFile file, Pace pace) : path_(file.path()), file_(std::move(file)) {
  if (pace == Pace::Background) writer_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

Journal::~Journal() {
  if (!writer_.joinable()) return;
  writer_.request_stop();
  writer_.join();
  (void)write(/*sync=*/false);
}

void Journal::put(std::string_view record, bool fresh) {
  {
    const std::lock_guard lock(mutex_);
    if (removed_ || (!fresh && !fresh_ && !problem_.empty())) return;
    if (fresh) pending_.clear();
    pending_ += framed(record);
    fresh_ = fresh_ || fresh;
  }
  wake_.notify_one();
}

Result<void> Journal::flush() { return write(/*sync=*/true); }

void Journal::settle() {
  if (writer_.joinable()) (void)write(/*sync=*/false);
}

void Journal::remove() {
  const std::lock_guard file(fileMutex_);
  const std::lock_guard lock(mutex_);
  removed_ = true;
  pending_.clear();
  file_.remove();
}

std::string Journal::problem() const {
  const std::lock_guard lock(mutex_);
  return problem_;
}

// Takes the pending bytes; false if there are none.
bool Journal::take(std::string& bytes, bool& fresh) {
  const std::lock_guard lock(mutex_);
  if (removed_) return false;
  bytes = std::exchange(pending_, {});
  fresh = std::exchange(fresh_, false);
  return fresh || !bytes.empty();
}

Result<void> Journal::write(bool sync) {
  const std::lock_guard file(fileMutex_);
  std::string bytes;
  bool fresh = false;
  Result<void> done;
  if (take(bytes, fresh)) {
    done = fresh ? file_.rewrite(bytes) : file_.append(bytes);
    synced_ = fresh;
  }
  if (done.ok() && sync && !synced_) {
    done = file_.sync();
    synced_ = done.ok();
  }
  const std::lock_guard lock(mutex_);
  if (fresh && done.ok()) problem_.clear();
  if (!done.ok()) {
    problem_ = done.error().message;
    if (!fresh_) pending_.clear();
  }
  if (done.ok() && !problem_.empty()) return Diag{problem_};
  return done;
}

void Journal::work(const std::stop_token& stop) {
  auto syncDue = std::chrono::steady_clock::now();
  bool unsynced = false;
  while (!stop.stop_requested()) {
    bool waits = false;
    {
      std::unique_lock lock(mutex_);
      const auto something = [this] { return fresh_ || !pending_.empty(); };
      waits = unsynced ? wake_.wait_until(lock, stop, syncDue, something) : wake_.wait(lock, stop, something);
      // A burst of keys becomes one write; a failing disk is retried less often.
      if (waits) wake_.wait_for(lock, stop, milliseconds(problem_.empty() ? kWriteMs : kSyncMs), [] { return false; });
    }
    const auto now = std::chrono::steady_clock::now();
    const bool sync = now >= syncDue;
    const bool fine = write(sync).ok();
    if (sync) syncDue = now + milliseconds(kSyncMs);
    unsynced = fine && !sync;
  }
}

}  // namespace tessera
