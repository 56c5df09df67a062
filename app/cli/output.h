// What leaves the process: standard output that may break (a closed pipe, a full disk), standard error, progress, files
// written whole or not at all, and Ctrl-C.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace tessera {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;      // refuted, unknown, or an error in a statement
inline constexpr int kExitUnreadable = 2;  // the input or the call could not be read, the output not written
inline constexpr int kExitInterrupted = 130;
inline constexpr int kExitBrokenPipe = 141;

class Output {
 public:
  // Writes text and a newline to standard output and flushes. False once standard output is gone.
  bool line(std::string_view text);
  [[nodiscard]] bool broken() const { return error_ != 0; }
  // kExitBrokenPipe when the reader went away, kExitUnreadable (after saying so) when the disk is full ...
  [[nodiscard]] int brokenExit() const;

 private:
  int error_ = 0;
};

void complain(std::string_view text);  // standard error, one line

// One line of progress on standard error, only when that is a terminal; clear() removes it.
class Progress {
 public:
  Progress();
  void show(std::string_view text);
  void clear();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  bool terminal_ = false;
  bool shown_ = false;
};

// Set by Ctrl-C (the second one ends the process the usual way). installSignals() also makes a closed pipe an error
// that Output reports instead of a signal.
[[nodiscard]] const std::atomic<bool>& interrupted();
void installSignals();

// Reads lines from standard input as they come. nullopt at the end or when interrupted.
class LineReader {
 public:
  [[nodiscard]] bool next(std::string& line);

 private:
  std::string buffer_;
  std::size_t start_ = 0;
  bool ended_ = false;
};

// "-": standard input. At most 256 MiB.
[[nodiscard]] Result<std::string> readFile(const std::string& path);
// Writes beside the target and renames, so that an old file stays whole when the disk is full.
[[nodiscard]] Result<void> writeFile(const std::string& path, std::string_view bytes);

}  // namespace tessera
