// CrashLog: records which texts this process is computing, in a file that outlives it. The next process thus knows the
// statement that crashed a window and does not recompute it automatically.
//
//     CrashLog log;
//     log.open(folder);                                    // also reads what killed processes left there
//     { const CrashLog::Mark mark(log, "prove huge"); ... }  // SIGSEGV in here
//
//     CrashLog next;                                       // in the next process
//     next.open(folder);
//     next.blames("prove huge")                            // true, until keepOnly or forget drops it
//
// Laws: a process killed in any way leaves the texts with live Marks and those it blamed itself. A process that exits
// normally leaves what it blames, or no file if that is empty. A text thus stays blamed through any number of
// processes, until keepOnly or forget drops it. A file open in another process is never read. No write waits for a
// disk, because the file is memory-mapped. A slot stores a checksum instead of a text, because a word is written
// atomically.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

class CrashLog {
 public:
  ~CrashLog();  // a normal exit: nothing is running any more

  // Creates the file, once. Without it, or if it cannot be written, nothing is recorded or blamed.
  void open(const std::string& folder);

  // A killed process was computing this text.
  [[nodiscard]] bool blames(std::string_view text) const;
  // Drops texts that were present in an earlier call and are not any more: they were edited.
  void keepOnly(const std::vector<std::string_view>& texts);
  void forget();
  [[nodiscard]] bool empty() const;

  // The text is being computed during this object's lifetime; on any thread. More than kSlots at a time are not
  // recorded.
  class Mark {
   public:
    Mark(CrashLog& log, std::string_view text);
    ~Mark();
    Mark(const Mark&) = delete;
    Mark& operator=(const Mark&) = delete;

   private:
    std::atomic<std::uint64_t>* slot_ = nullptr;
  };

 private:
  static constexpr std::size_t kSlots = 16;    // running texts, at the start of the file
  static constexpr std::size_t kBlamed = 240;  // blamed texts, after them
  static constexpr std::size_t kBytes = (kSlots + kBlamed) * sizeof(std::uint64_t);
  using Slot = std::atomic<std::uint64_t>;  // 0: free
  static_assert(Slot::is_always_lock_free && sizeof(Slot) == sizeof(std::uint64_t));

  void create(const std::string& folder);
  void learn(const std::string& path);
  bool keep();

  std::atomic<Slot*> slots_{nullptr};
  int file_ = -1;
  std::string path_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, bool> blamed_;  // value: seen by keepOnly
};

}  // namespace tessera
