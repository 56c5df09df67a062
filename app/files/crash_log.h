// CrashLog: which texts this process computes just now, in a file that outlives it. A statement that ended a window is
// known to the next one, which does not compute it again by itself.
//
//     CrashLog log;
//     log.open(folder);                                    // and learns what processes that were killed left there
//     { const CrashLog::Mark mark(log, "prove huge"); ... }  // SIGSEGV in here
//
//     CrashLog next;                                       // of the next process
//     next.open(folder);
//     next.blames("prove huge")                            // true, until keepOnly or forget leaves it out
//
// Laws: a process that is killed, in any way, leaves the texts whose Mark was alive and those it blamed itself. One that
// ends in order leaves what it blames, and no file when that is nothing. So a text stays blamed through any number of
// processes, until keepOnly or forget leaves it out. A file that another process has open is never read.
// Nothing here waits for a disk: the file is mapped. A slot is a checksum, not a text: one word is written whole or not
// at all.
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
  CrashLog() = default;
  ~CrashLog();  // ends in order: nothing is running any more
  CrashLog(const CrashLog&) = delete;
  CrashLog& operator=(const CrashLog&) = delete;

  // Begins the file, once. Without it, or where it cannot be written, nothing is kept and nothing is blamed.
  void open(const std::string& folder);

  // A killed process was computing this text.
  [[nodiscard]] bool blames(std::string_view text) const;
  // Leaves out what was among the texts of an earlier call and is not any more: somebody has edited it.
  void keepOnly(const std::vector<std::string_view>& texts);
  void forget();
  [[nodiscard]] bool empty() const;

  // The text is being computed while this lives; on any thread. Beyond kSlots at a time it is not kept.
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
  static constexpr std::size_t kSlots = 16;    // of running texts, at the beginning of the file
  static constexpr std::size_t kBlamed = 240;  // of blamed ones behind them
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
  std::map<std::uint64_t, bool> blamed_;  // whether keepOnly has seen it
};

}  // namespace tessera
