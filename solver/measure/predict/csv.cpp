#include "solver/measure/predict/csv.h"

#include <utility>

namespace tessera::measure {
CsvReader::CsvReader(std::string_view text) : text_(text) {
  if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
}

std::string_view CsvReader::line() const { return text_.substr(at_, text_.find('\n', at_) - at_); }

void CsvReader::skip() {
  const std::size_t end = text_.find('\n', at_);
  at_ = end == std::string_view::npos ? text_.size() : end + 1;
  ++line_;
}

CsvReader::Record CsvReader::record() {
  Record out;
  out.line = line_;
  out.span.begin = at_;
  std::string field;
  bool quoted = false;
  std::size_t opened = 0;
  for (; at_ < text_.size(); ++at_) {
    const char c = text_[at_];
    if (c == '\n') ++line_;
    if (quoted) {
      const bool doubled = c == '"' && text_.substr(at_ + 1).starts_with('"');
      if (doubled) ++at_;
      if (c == '"' && !doubled)
        quoted = false;
      else
        field += c;
    } else if (c == '"' && field.empty()) {
      quoted = true;
      opened = at_;
    } else if (c == ',') {
      out.fields.push_back(std::exchange(field, ""));
    } else if (c == '\n') {
      break;
    } else if (c != '\r' || !text_.substr(at_ + 1).starts_with('\n')) {
      field += c;
    }
  }
  out.span.end = at_;
  if (quoted) out.open = opened;
  if (!done()) ++at_;
  out.fields.push_back(std::move(field));
  return out;
}

}  // namespace tessera::measure
