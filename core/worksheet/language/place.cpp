#include "core/worksheet/language/place.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

// Length of the UTF-8 sequence at text[i], 0 if malformed (including overlong forms and surrogates).
std::size_t sequenceLength(std::string_view text, std::size_t i) {
  auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char lead = byte(i);
  if (lead < 0x80) return 1;
  std::size_t length = 0;
  unsigned low = 0x80, high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if ((lead & 0xF0U) == 0xE0) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return 0;
  }
  if (i + length > text.size()) return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if (byte(i + k) < (k == 1 ? low : 0x80U) || byte(i + k) > (k == 1 ? high : 0xBFU)) return 0;
  }
  return length;
}

// A well-formed sequence that a terminal may interpret: C0 except tab and newline, DEL, C1.
bool isControl(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return (first < 0x20 && first != '\t' && first != '\n') || first == 0x7F;
  return sequence.size() == 2 && first == 0xC2 && static_cast<unsigned char>(sequence[1]) < 0xA0;
}

constexpr std::size_t kBetweenMarks = 256;  // bytes
constexpr std::size_t kWindow = 100;        // code points shown of a long line

}  // namespace

LineIndex::LineIndex(std::string_view document) : document_(document) {
  for (std::size_t i = document.find('\n'); i != std::string_view::npos; i = document.find('\n', i + 1)) {
    starts_.push_back(i + 1);
  }
  if (document.size() < kBetweenMarks) return;  // the first mark suffices
  Mark now;
  while (now.byte < document.size()) {
    now.byte += std::max<std::size_t>(1, sequenceLength(document, now.byte));
    ++now.codePoints;
    const std::size_t last = marks_.empty() ? 0 : marks_.back().byte;
    if (now.byte - last >= kBetweenMarks) marks_.push_back(now);
  }
}

std::size_t LineIndex::codePointsBefore(std::size_t byte) const {
  const auto after =
      std::upper_bound(marks_.begin(), marks_.end(), byte, [](std::size_t b, const Mark& m) { return b < m.byte; });
  const Mark mark = after == marks_.begin() ? Mark{} : *std::prev(after);
  return mark.codePoints + codePointCount(document_.substr(mark.byte, byte - mark.byte));
}

std::size_t LineIndex::row(std::size_t byte) const {
  return static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), byte) - starts_.begin());
}

LineColumn LineIndex::at(std::size_t byte) const {
  byte = std::min(byte, document_.size());
  const std::size_t r = row(byte);
  return {static_cast<int>(r) + 1, static_cast<int>(codePointsBefore(byte) - codePointsBefore(startOf(r))) + 1};
}

Span LineIndex::lineOf(std::size_t byte) const {
  const std::size_t r = row(std::min(byte, document_.size()));
  std::size_t end = r < starts_.size() ? starts_[r] - 1 : document_.size();
  if (end > startOf(r) && document_[end - 1] == '\r') --end;
  return {startOf(r), end};
}

LineColumn lineColumn(std::string_view document, std::size_t byte) {
  byte = std::min(byte, document.size());
  const std::string_view before = document.substr(0, byte);
  const std::size_t newline = before.rfind('\n');
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  return {static_cast<int>(std::ranges::count(before, '\n')) + 1,
          static_cast<int>(codePointCount(before.substr(start))) + 1};
}

std::string printDiag(const Diag& diag, std::string_view document) {
  return printDiag(diag, document, LineIndex(document));
}

std::string printDiag(const Diag& diag, std::string_view document, const LineIndex& index, std::size_t linesBefore) {
  std::string out;
  const std::size_t begin = std::min(diag.span.begin, document.size());
  const std::size_t end = std::clamp(diag.span.end, begin, document.size());
  if (document.empty() || (diag.span.begin == 0 && diag.span.end == 0)) {
    out = diag.message;  // no place
  } else {
    const LineColumn place = index.at(begin);
    out = fmt::format("line {}, column {}: {}", static_cast<std::size_t>(place.line) + linesBefore, place.column,
                      diag.message);
    const Span line = index.lineOf(begin);
    // Long lines are shown through a window that begins a little before the offending piece.
    std::size_t from = line.begin;
    const bool cutLeft = begin > line.begin && begin - line.begin > kWindow / 2;
    if (cutLeft) from = begin - kWindow / 4;
    while (from < begin && (static_cast<unsigned char>(document[from]) & 0xC0U) == 0x80) ++from;
    const std::size_t to = std::min(line.end, from + kWindow);
    std::string shown = cleaned(document.substr(from, to - from));
    std::ranges::replace(shown, '\t', ' ');
    const std::size_t lead = codePointCount(cleaned(document.substr(from, std::min(begin, to) - from)));
    const std::size_t stop = std::clamp(end, std::min(begin, to), to);
    const std::size_t carets = std::max<std::size_t>(
        1, codePointCount(cleaned(document.substr(std::min(begin, to), stop - std::min(begin, to)))));
    out += fmt::format("\n  {}{}{}\n  {}{}", cutLeft ? "..." : "", shown, to < line.end ? "..." : "",
                       std::string(lead + (cutLeft ? 3 : 0), ' '), std::string(carets, '^'));
  }
  if (!diag.expected.empty()) out += "\n  expected: " + diag.expected;
  if (!diag.hint.empty()) out += "\n  hint: " + diag.hint;
  return out;
}

std::optional<std::size_t> firstBadByte(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '\0') return i;
    const std::size_t length = sequenceLength(text, i);
    if (length == 0) return i;
    i += length;
  }
  return std::nullopt;
}

std::size_t codePointCount(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++count) i += std::max<std::size_t>(1, sequenceLength(text, i));
  return count;
}

std::string cleaned(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequenceLength(text, i);
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
      ++i;
    } else if (length == 0 || isControl(text.substr(i, length))) {
      out += "\xEF\xBF\xBD";
      i += std::max<std::size_t>(1, length);
    } else {
      out += text.substr(i, length);
      i += length;
    }
  }
  return out;
}

}  // namespace tessera
