#include "app/cli/io/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "app/cli/io/signals.h"
#include "app/files/write_file.h"
#include "core/worksheet/language/place.h"

namespace tessera {
namespace {

constexpr std::size_t kMaxFileBytes = std::size_t{256} << 20;
constexpr std::size_t kProgressWidth = 100;

// Bytes that cleaned() keeps in any context.
constexpr auto kPlain = [] {
  std::array<bool, 256> plain{};
  for (unsigned c = ' '; c <= '~'; ++c) plain[c] = true;
  plain['\n'] = true;
  return plain;
}();

// cleaned(), with a fast path for most lines.
std::string shown(std::string text) {
  const bool plain = std::ranges::all_of(text, [](char c) { return kPlain[static_cast<unsigned char>(c)]; });
  if (!plain) text = cleaned(text);
  return text;
}

// read(2) that blocks even if the descriptor is non-blocking, and returns EINTR on a stop signal.
ssize_t readSome(int descriptor, char* to, std::size_t count) {
  for (;;) {
    const ssize_t n = ::read(descriptor, to, count);
    if (n >= 0) return n;
    if (errno == EAGAIN) {
      pollfd wait{descriptor, POLLIN, 0};
      (void)::poll(&wait, 1, -1);
      errno = EINTR;
    }
    if (errno != EINTR || interrupted().load()) return -1;
  }
}

}  // namespace

bool Output::line(std::string_view text, std::string_view lead) {
  waiting_ += lead;
  return later(readyLine(std::string(text))) && flush();
}

bool Output::later(std::string_view bytes) {
  constexpr std::size_t kMostWaiting = std::size_t{1} << 16;
  if (error_ != 0) return false;
  waiting_ += bytes;
  return waiting_.size() < kMostWaiting || flush();
}

bool Output::flush() {
  if (error_ == 0 && !waiting_.empty()) error_ = writeAll(STDOUT_FILENO, waiting_);
  waiting_.clear();
  return error_ == 0;
}

int Output::brokenExit() const {
  if (error_ == EPIPE) return kExitBrokenPipe;
  complain(fmt::format("tessera: cannot write to standard output: {}", std::strerror(error_)));
  return kExitUnreadable;
}

std::string readyLine(std::string text) {
  std::string bytes = shown(std::move(text));
  bytes += '\n';
  return bytes;
}

void complain(std::string_view text) { (void)writeAll(STDERR_FILENO, readyLine(std::string(text))); }

Progress::Progress() : terminal_(::isatty(STDERR_FILENO) != 0) {}
void Progress::show(std::string_view text) {
  if (!terminal_) return;
  std::string line = shown(std::string(text));
  std::ranges::replace(line, '\n', ' ');
  std::size_t cut = std::min(line.size(), kProgressWidth);
  while (cut > 0 && cut < line.size() && (static_cast<unsigned char>(line[cut]) & 0xC0U) == 0x80) --cut;
  (void)writeAll(STDERR_FILENO, fmt::format("\r\x1b[K{}", line.substr(0, cut)));
  shown_ = true;
}
void Progress::clear() {
  if (shown_) (void)writeAll(STDERR_FILENO, "\r\x1b[K");
  shown_ = false;
}

void LineReader::readMore() {
  std::array<char, 65536> chunk{};
  const ssize_t n = readSome(STDIN_FILENO, chunk.data(), chunk.size());
  if (n > 0) {
    buffer_.append(chunk.data(), static_cast<std::size_t>(n));
    return;
  }
  if (n < 0 && errno != EINTR) error_ = errno;
  ended_ = true;
}

bool LineReader::next(std::string& line) {
  std::size_t searched = start_;
  for (;;) {
    if (interrupted().load()) return false;
    const std::size_t newline = buffer_.find('\n', searched);
    if (newline != std::string::npos) {
      line = buffer_.substr(start_, newline - start_);
      start_ = newline + 1;
      if (!line.empty() && line.back() == '\r') line.pop_back();
      return true;
    }
    if (ended_) {
      if (start_ >= buffer_.size()) return false;
      line = buffer_.substr(start_);
      start_ = buffer_.size();
      return true;
    }
    buffer_.erase(0, start_);
    start_ = 0;
    searched = buffer_.size();
    if (buffer_.size() > kMaxFileBytes) {  // a line without an end; it is processed as is
      ended_ = true;
    } else {
      readMore();
    }
  }
}

bool LineReader::complainIfUnreadable() const {
  if (error_ != 0) complain(fmt::format("tessera: cannot read standard input: {}", std::strerror(error_)));
  return error_ != 0;
}

bool namesFile(const std::string& argument) {
  constexpr std::size_t kLongestPath = 4096;
  if (argument == "-") return true;
  if (argument.empty() || argument.size() >= kLongestPath) return false;
  std::error_code ignored;
  const auto status = std::filesystem::status(argument, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_directory(status)) return true;
  const auto ends = [&](std::string_view ending) { return argument.ends_with(ending); };
  return argument.find_first_of(" \t\n()[]{}:;,=<>\"") == std::string::npos &&
         (ends(".tess") || ends(".graphene") || ends(".hlo"));
}

Result<std::string> readFile(const std::string& path) {
  const bool standardInput = path == "-";
  const auto cannotRead = [&](int error) {
    const std::string what = standardInput ? "standard input" : fmt::format("'{}'", path);
    return Diag{fmt::format("cannot read {}: {}", what, std::strerror(error))};
  };
  const int descriptor = standardInput ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return cannotRead(errno);
  std::string bytes;
  int error = 0;
  for (;;) {
    std::array<char, 65536> chunk{};
    const ssize_t n = readSome(descriptor, chunk.data(), chunk.size());
    if (n > 0) bytes.append(chunk.data(), static_cast<std::size_t>(n));
    if (n < 0) error = errno;
    if (bytes.size() > kMaxFileBytes) error = EFBIG;
    if (n <= 0 || error != 0) break;
  }
  if (!standardInput) ::close(descriptor);
  if (error != 0) return cannotRead(error);
  return bytes;
}

Result<void> writeFile(const std::string& path, std::string_view bytes) {
  return writeWhole(path, bytes, {.writeThrough = true});
}

}  // namespace tessera
