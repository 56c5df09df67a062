// Journal: writes a journal's records behind the window's back, so that neither a slow disk nor a full one holds a key.
//
//     Journal journal(*JournalFile::create(path), Journal::Pace::Background);
//     journal.append("r 0 0 1 1:x ");      // returns at once; in the file within kWriteMs, on the disk within kSyncMs
//     journal.flush()                      // returns when all of it is on the disk, or why it is not
//
// Laws: the file has the records in the order in which they were given, up to some of the last. Losing power loses what
// came in the last kSyncMs (and what the disk itself takes), killing the process what came in the last kWriteMs.
// When a write fails (disk full) nothing more is appended, because there would be a gap: broken() says so, and the
// next rewrite, which needs nothing from before, mends it.
//
// Pace::ByHand writes in flush alone: a test then decides what a crash finds.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "app/files/journal_file.h"

namespace tessera {

class Journal {
 public:
  enum class Pace { Background, ByHand };
  static constexpr int kWriteMs = 50, kSyncMs = 1000;

  Journal(JournalFile file, Pace pace);
  ~Journal();  // what was given is in the file (ByHand: what was flushed)
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  void append(std::string_view record);
  // The journal is this record, from now on.
  void rewrite(std::string_view record);
  [[nodiscard]] Result<void> flush();
  // What was given is in the file, so that killing this process does not take it away (ByHand: nothing). Any thread.
  void settle();
  void remove();  // the file goes; nothing is written any more
  // Why the last write failed; "" when it did not.
  [[nodiscard]] std::string problem() const;
  [[nodiscard]] bool broken() const { return !problem().empty(); }

 private:
  void work(const std::stop_token& stop);
  bool take(std::string& bytes, bool& fresh);
  [[nodiscard]] Result<void> write(bool sync);

  const std::string path_;
  mutable std::mutex mutex_;
  std::condition_variable_any wake_;
  std::string pending_;
  bool fresh_ = false;  // pending_ replaces what is in the file
  bool removed_ = false;
  std::string problem_;
  std::mutex fileMutex_;  // before mutex_, where both are held
  JournalFile file_;
  bool synced_ = true;
  std::jthread writer_;  // last: it uses the rest
};

}  // namespace tessera
