#include "app/cli/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace tessera {
namespace {

std::atomic<bool> gInterrupted{false};

extern "C" void onInterrupt(int) {
  gInterrupted.store(true);
  std::signal(SIGINT, SIG_DFL);  // the second Ctrl-C ends the process
}

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;

Diag fileDiag(std::string_view what, const std::string& path, int error) {
  return Diag{fmt::format("{} '{}': {}", what, path, std::strerror(error)), "", "", {}};
}

// write(2) until everything is written; 0 or errno.
int writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(descriptor, bytes.data(), bytes.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

}  // namespace

bool Output::line(std::string_view text) {
  if (error_ != 0) return false;
  std::string bytes(text);
  bytes += '\n';
  error_ = writeAll(STDOUT_FILENO, bytes);
  return error_ == 0;
}

int Output::brokenExit() const {
  if (error_ == EPIPE) return kExitBrokenPipe;
  complain(fmt::format("tessera: cannot write to standard output: {}", std::strerror(error_)));
  return kExitUnreadable;
}

void complain(std::string_view text) {
  std::string bytes(text);
  bytes += '\n';
  (void)writeAll(STDERR_FILENO, bytes);
}

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) != 0) {}
void Progress::show(std::string_view text) {
  if (!terminal_) return;
  (void)writeAll(STDERR_FILENO, fmt::format("\r\x1b[K{}", text.substr(0, 100)));
  shown_ = true;
}
void Progress::clear() {
  if (shown_) (void)writeAll(STDERR_FILENO, "\r\x1b[K");
  shown_ = false;
}

const std::atomic<bool>& interrupted() { return gInterrupted; }

void installSignals() {
  struct sigaction action = {};
  action.sa_handler = onInterrupt;  // no SA_RESTART: a read that waits returns
  ::sigaction(SIGINT, &action, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
}

bool LineReader::next(std::string& line) {
  std::size_t searched = start_;
  for (;;) {
    const std::size_t newline = buffer_.find('\n', searched);
    if (newline != std::string::npos) {
      line = buffer_.substr(start_, newline - start_);
      start_ = newline + 1;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return true;
    }
    if (ended_ || gInterrupted.load()) {
      if (start_ >= buffer_.size() || gInterrupted.load()) return false;
      line = buffer_.substr(start_);
      start_ = buffer_.size();
      return true;
    }
    buffer_.erase(0, start_);
    start_ = 0;
    searched = buffer_.size();
    if (buffer_.size() > kMaxFileBytes) {  // a line without an end; what was read is judged as it is
      ended_ = true;
      continue;
    }
    char chunk[65536];
    const ssize_t n = ::read(STDIN_FILENO, chunk, sizeof chunk);
    if (n > 0) {
      buffer_.append(chunk, static_cast<std::size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      ended_ = true;
    }
  }
}

Result<std::string> readFile(const std::string& path) {
  const bool standardInput = path == "-";
  const int descriptor = standardInput ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return fileDiag("cannot read", path, errno);
  std::string bytes;
  int error = 0;
  for (;;) {
    char chunk[65536];
    const ssize_t n = ::read(descriptor, chunk, sizeof chunk);
    if (n > 0) {
      bytes.append(chunk, static_cast<std::size_t>(n));
      if (bytes.size() > kMaxFileBytes) error = EFBIG;
    } else if (n < 0) {
      error = errno;
      if (error == EINTR && !gInterrupted.load()) {
        error = 0;
        continue;
      }
    }
    if (n <= 0 || error != 0) break;
  }
  if (!standardInput) ::close(descriptor);
  if (error != 0) return fileDiag("cannot read", path, error);
  return bytes;
}

Result<void> writeFile(const std::string& path, std::string_view bytes) {
  struct stat info = {};
  const bool special = ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);  // /dev/stdout, a pipe
  const std::string target = special ? path : fmt::format("{}.{}.part", path, ::getpid());
  const int flags = O_WRONLY | O_CLOEXEC | (special ? 0 : O_CREAT | O_EXCL);
  const int descriptor = ::open(target.c_str(), flags, 0666);
  if (descriptor < 0) return fileDiag("cannot write", path, errno);
  int error = writeAll(descriptor, bytes);
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && !special && ::rename(target.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return {};
  if (!special) ::unlink(target.c_str());
  return fileDiag("cannot write", path, error);
}

}  // namespace tessera
