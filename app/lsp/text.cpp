#include "app/lsp/text.h"

#include <algorithm>

#include "core/base/chars.h"

namespace tessera::lsp {
namespace {

constexpr std::size_t kStep = 1024;

// Units that a byte adds: all units of a character count at its first byte, except in UTF-8.
std::size_t unitsOf(char c, Encoding encoding) {
  if (encoding == Encoding::Utf8) return 1;
  if (continuesCodePoint(c)) return 0;
  return encoding == Encoding::Utf16 && static_cast<unsigned char>(c) >= 0xf0 ? 2 : 1;
}

}  // namespace

Text::Text(std::string bytes, Encoding encoding) : bytes_(std::move(bytes)), encoding_(encoding), starts_{0} {
  std::size_t units = 0;
  marks_.reserve(bytes_.size() / kStep + 1);
  for (std::size_t k = 0; k < bytes_.size(); ++k) {
    if (k % kStep == 0) marks_.push_back(units);
    const char c = bytes_[k];
    units += unitsOf(c, encoding_);
    const bool crlf = c == '\r' && k + 1 < bytes_.size() && bytes_[k + 1] == '\n';
    if (c == '\n' || (c == '\r' && !crlf)) starts_.push_back(k + 1);
  }
  if (bytes_.size() % kStep == 0) marks_.push_back(units);
}

std::size_t Text::unitsBefore(std::size_t byte) const {
  std::size_t units = marks_[byte / kStep];
  for (std::size_t k = byte / kStep * kStep; k < byte; ++k) units += unitsOf(bytes_[k], encoding_);
  return units;
}

Span Text::line(std::size_t line) const {
  if (line >= starts_.size()) return {bytes_.size(), bytes_.size()};
  const std::size_t begin = starts_[line];
  std::size_t end = line + 1 < starts_.size() ? starts_[line + 1] : bytes_.size();
  if (line + 1 < starts_.size()) {
    if (bytes_[end - 1] == '\n' && end - 1 > begin && bytes_[end - 2] == '\r') --end;
    --end;
  }
  return {begin, end};
}

Place Text::at(std::size_t byte) const {
  byte = codePointStart(bytes_, std::min(byte, bytes_.size()));
  const auto next = std::ranges::upper_bound(starts_, byte);
  const auto line = static_cast<std::size_t>(next - starts_.begin()) - 1;
  const Span span = this->line(line);
  return {line, unitsBefore(std::min(byte, span.end)) - unitsBefore(span.begin)};
}

std::size_t Text::byteAt(Place place) const {
  if (place.line >= starts_.size()) return bytes_.size();
  const Span span = line(place.line);
  const std::size_t before = unitsBefore(span.begin), all = unitsBefore(span.end) - before;
  if (place.character >= all) return span.end;
  const std::size_t wanted = before + place.character;
  // The last mark at or before the wanted unit.
  const auto above = std::ranges::upper_bound(marks_, wanted);
  const auto mark = static_cast<std::size_t>(above - marks_.begin()) - 1;
  std::size_t byte = mark * kStep, units = marks_[mark];
  while (byte < span.end) {
    const std::size_t next = units + unitsOf(bytes_[byte], encoding_);
    if (next > wanted) break;
    units = next;
    ++byte;
  }
  return std::max(codePointStart(bytes_, byte), span.begin);
}

Text Text::replaced(Span span, std::string_view with) const {
  const std::size_t begin = std::min(span.begin, bytes_.size()), end = std::clamp(span.end, begin, bytes_.size());
  std::string bytes;
  bytes.reserve(bytes_.size() - (end - begin) + with.size());
  bytes.append(bytes_, 0, begin).append(with).append(bytes_, end, std::string::npos);
  return Text(std::move(bytes), encoding_);
}

}  // namespace tessera::lsp
