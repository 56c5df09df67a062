// Input and output of the process: standard input, which may be closed; standard output, which may fail (a closed pipe,
// a full disk); standard error, progress, and files.
//
// Law: no text or file name of a user reaches the terminal as a control sequence. Every line passes through cleaned()
// (place.h); the only escape sequences are the colours in the `lead` of line(), and those of Progress.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace tessera {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;      // refuted, unknown, or an error in a statement
inline constexpr int kExitUnreadable = 2;  // the input or the call could not be read, the output not written
inline constexpr int kExitBrokenPipe = 141;

class Output {
 public:
  // Writes lead (verbatim), text (cleaned) and a newline to standard output. Returns false once standard output is
  // closed.
  bool line(std::string_view text, std::string_view lead = "");
  // The same for bytes made by readyLine(), written at the latest with the next line() or flush().
  bool later(std::string_view bytes);
  bool flush();
  [[nodiscard]] bool broken() const { return error_ != 0; }
  // kExitBrokenPipe if the reader closed the pipe; kExitUnreadable (and a message) if the disk is full ...
  [[nodiscard]] int brokenExit() const;

 private:
  std::string waiting_;
  int error_ = 0;
};

// The bytes that line() writes for a text; callable on any thread.
[[nodiscard]] std::string readyLine(std::string text);
void complain(std::string_view text);  // one line on standard error, cleaned

// One line of progress on standard error, only if that is a terminal; clear() removes it.
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

// Reads lines from standard input as they arrive.
class LineReader {
 public:
  // Returns false at the end, on interruption and on errors.
  [[nodiscard]] bool next(std::string& line);
  // Whether next() would not block.
  [[nodiscard]] bool hasLine() const { return buffer_.find('\n', start_) != std::string::npos; }
  // Reports a read error on standard error; returns false if there was none.
  [[nodiscard]] bool complainIfUnreadable() const;

 private:
  void readMore();
  std::string buffer_;
  std::size_t start_ = 0;
  bool ended_ = false;
  int error_ = 0;
};

// Whether an argument that could be an expression is a file: "-", an existing path (also a pipe, /dev/fd/63), or a name
// with one of our extensions, so that a missing file is reported as missing instead of as an unknown instruction.
[[nodiscard]] bool namesFile(const std::string& argument);
// "-": standard input. At most 256 MiB.
[[nodiscard]] Result<std::string> readFile(const std::string& path);
// Atomic (app/files/write_file.h); devices and pipes get the bytes directly.
[[nodiscard]] Result<void> writeFile(const std::string& path, std::string_view bytes);

}  // namespace tessera
