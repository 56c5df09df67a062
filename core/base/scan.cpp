#include "core/base/scan.h"

namespace tessera {

std::size_t Scan::blanks(std::size_t i) const {
  for (;;) {
    while (isBlank(at(i))) ++i;
    if (!dialect_.comments || !starts(i, "/*")) return i;
    const std::size_t close = text_.find("*/", i + 2);
    if (close == std::string_view::npos) return i;
    i = close + 2;
  }
}

std::size_t Scan::digits(std::size_t i) const {
  while (isDigit(at(i))) ++i;
  return i;
}

std::size_t Scan::nameEnd(std::size_t i) const {
  if (isNameStart(at(i)))
    while (isNamePart(at(i))) ++i;
  return i;
}

Found Scan::balanced(std::size_t i) const {
  static constexpr std::string_view kOpen = "([{<", kClose = ")]}>";
  const std::size_t kinds = dialect_.angles ? 4 : 3;
  std::string closers;
  for (; i < text_.size(); ++i) {
    const char c = text_[i];
    if (c == '"') {
      i = text_.find('"', i + 1);
      if (i == std::string_view::npos) return std::nullopt;
    } else if (dialect_.comments && starts(i, "/*")) {
      i = text_.find("*/", i + 2);
      if (i == std::string_view::npos) return std::nullopt;
      ++i;
    } else if (const std::size_t open = kOpen.find(c); open < kinds) {
      closers.push_back(kClose[open]);
    } else if (kClose.find(c) < kinds) {
      if (c == '>' && i > 0 && text_[i - 1] == '-') continue;
      if (closers.empty() || closers.back() != c) return std::nullopt;
      closers.pop_back();
      if (closers.empty()) return i + 1;
    }
  }
  return std::nullopt;
}

}  // namespace tessera
