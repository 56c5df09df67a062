// Journal: writes a journal's records in the background, so that neither a slow nor a full disk delays a keystroke.
//
//     Journal journal(*JournalFile::create(path), Journal::Pace::Background);
//     journal.append("r 0 0 1 1:x ");      // returns at once; in the file within kWriteMs, on the disk within kSyncMs
//     journal.flush()                      // returns when everything is on the disk, or why it is not
//
// Laws: the file contains a prefix of the records, in order. A power failure loses at most the last kSyncMs (plus the
// disk's own cache); killing the process loses at most the last kWriteMs. After a failed write (disk full) nothing more
// is appended, because that would leave a gap: broken() is true until the next rewrite, which needs no earlier records.
//
// Pace::ByHand writes only in flush, so that a test controls the state after a crash.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "app/engine/background.h"
#include "app/files/journal_file.h"

namespace tessera {

class Journal {
 public:
  enum class Pace { Background, ByHand };
  static constexpr int kWriteMs = 50, kSyncMs = 1000;

  Journal(JournalFile file, Pace pace);
  ~Journal();  // everything appended is in the file (ByHand: everything flushed)

  [[nodiscard]] const std::string& path() const { return path_; }
  void append(std::string_view record) { put(record, /*fresh=*/false); }
  // Replaces the journal by this record.
  void rewrite(std::string_view record) { put(record, /*fresh=*/true); }
  [[nodiscard]] Result<void> flush();
  // Puts everything appended into the file, so that it survives killing this process (ByHand: does nothing). Any
  // thread.
  void settle();
  void remove();  // deletes the file; nothing is written any more
  // Why the last write failed; "" if it did not.
  [[nodiscard]] std::string problem() const;
  [[nodiscard]] bool broken() const { return !problem().empty(); }

 private:
  void put(std::string_view record, bool fresh);
  Background::Next step();
  bool take(std::string& bytes, bool& fresh);
  [[nodiscard]] Result<void> write(bool sync);

  const std::string path_;
  mutable std::mutex mutex_;
  std::string pending_;
  Background::Clock::time_point since_;  // of the first pending record, or of the last failed write
  bool fresh_ = false;                   // pending_ replaces the file's contents
  bool removed_ = false;
  std::string problem_;
  std::mutex fileMutex_;  // acquired before mutex_
  JournalFile file_;
  bool synced_ = true;
  Background::Clock::time_point syncDue_;
  std::optional<Background> writer_;  // last, because it uses the other members
};

}  // namespace tessera
