#include "app/lsp/framing.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>

#include "core/base/chars.h"

namespace tessera::lsp {
namespace {

constexpr std::size_t kMostHeader = 64 << 10;

std::optional<std::size_t> lengthIn(std::string_view line) {
  constexpr std::string_view kName = "content-length:";
  if (line.size() < kName.size() || lowerCase(line.substr(0, kName.size())) != kName) return std::nullopt;
  const std::string_view digits = stripped(line.substr(kName.size()));
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return length;
}

}  // namespace

bool MessageReader::readMore() {
  if (start_ > 0) {
    buffer_.erase(0, start_);
    start_ = 0;
  }
  constexpr std::size_t kPiece = 64 << 10;
  const std::size_t had = buffer_.size();
  buffer_.resize(had + kPiece);
  ssize_t got = 0;
  do {
    got = ::read(descriptor_, buffer_.data() + had, kPiece);
  } while (got < 0 && errno == EINTR);
  buffer_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return got > 0;
}

// A header line without its ending; false at the end of the input. One that is too long is cut.
bool MessageReader::line(std::string& out) {
  out.clear();
  for (;;) {
    const std::size_t end = buffer_.find('\n', start_);
    const std::size_t stop = std::min(end, buffer_.size());
    if (out.size() < kMostHeader) out.append(buffer_, start_, stop - start_);
    start_ = end == std::string::npos ? buffer_.size() : end + 1;
    if (end != std::string::npos) break;
    if (!readMore()) return false;
  }
  if (!out.empty() && out.back() == '\r') out.pop_back();
  return true;
}

bool MessageReader::take(std::size_t bytes, std::string* out) {
  if (out != nullptr) out->reserve(bytes);
  while (bytes > 0) {
    if (start_ == buffer_.size() && !readMore()) return false;
    const std::size_t piece = std::min(bytes, buffer_.size() - start_);
    if (out != nullptr) out->append(buffer_, start_, piece);
    start_ += piece;
    bytes -= piece;
  }
  return true;
}

MessageReader::Got MessageReader::next(std::string& body) {
  body.clear();
  std::optional<std::size_t> length;
  bool some = false;
  for (std::string header; line(header) && (!header.empty() || !some);) {
    if (header.empty()) continue;  // blank lines before a header
    some = true;
    if (const auto found = lengthIn(header)) length = found;
  }
  if (!some) return Got::Ended;
  if (!length) {
    body = "a message needs a header: Content-Length: BYTES";
    return Got::Broken;
  }
  if (*length > kMostMessage) {
    const bool skipped = take(*length, nullptr);
    body = fmt::format("a message has at most {} MiB", kMostMessage >> 20);
    return skipped ? Got::Broken : Got::Ended;
  }
  return take(*length, &body) ? Got::Message : Got::Ended;
}

bool writeMessage(int descriptor, std::string_view body) {
  std::string bytes = fmt::format("Content-Length: {}\r\n\r\n", body.size());
  bytes += body;
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t n = ::write(descriptor, bytes.data() + sent, bytes.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace tessera::lsp
