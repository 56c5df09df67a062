#include "app/session/journal.h"

#include <chrono>
#include <utility>

namespace tessera {

using std::chrono::milliseconds;

Journal::Journal(JournalFile file, Pace pace) : path_(file.path()), file_(std::move(file)) {
  if (pace == Pace::Background) writer_.emplace([this] { return step(); });
}

Journal::~Journal() {
  if (!writer_) return;
  writer_->stop();
  (void)write(/*sync=*/false);
}

void Journal::put(std::string_view record, bool fresh) {
  {
    const std::lock_guard lock(mutex_);
    if (removed_ || (!fresh && !fresh_ && !problem_.empty())) return;
    if (pending_.empty() && !fresh_) since_ = Background::now();
    if (fresh) pending_.clear();
    pending_ += framed(record);
    fresh_ = fresh_ || fresh;
  }
  if (writer_) writer_->wake();
}

Result<void> Journal::flush() { return write(/*sync=*/true); }

void Journal::settle() {
  if (writer_) (void)write(/*sync=*/false);
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
    since_ = Background::now();
    if (!fresh_) pending_.clear();
  }
  if (done.ok() && !problem_.empty()) return Diag{problem_};
  return done;
}

Background::Next Journal::step() {
  const auto now = Background::now();
  {
    const std::lock_guard lock(mutex_);
    if (fresh_ || !pending_.empty()) {
      // A burst of keys becomes one write; a failing disk is retried less often.
      const auto due = since_ + milliseconds(problem_.empty() ? kWriteMs : kSyncMs);
      if (now < due) return due;
    }
  }
  const bool sync = now >= syncDue_;
  const bool fine = write(sync).ok();
  if (sync) syncDue_ = now + milliseconds(kSyncMs);
  const std::lock_guard lock(mutex_);
  if (fresh_ || !pending_.empty()) return now + milliseconds(kWriteMs);
  return fine && !sync ? Background::Next(syncDue_) : std::nullopt;
}

}  // namespace tessera
