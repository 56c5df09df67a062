#include "solver/measure/predict/csv.h"

#include <utility>

#include "core/base/csv.h"

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

std::string csvLine(const std::vector<std::string>& fields) {
  std::string out;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (k > 0) out += ',';
    const bool alone = fields.size() == 1 && fields[k].empty();  // a single empty field would print as an empty line
    out += alone ? "\"\"" : csvField(fields[k]);
  }
  return out + "\r\n";
}

Result<std::vector<std::vector<std::string>>> readCsv(std::string_view text) {
  std::vector<std::vector<std::string>> out;
  CsvReader reader(text);
  while (!reader.done()) {
    const std::string_view line = reader.line();
    const bool empty = line.empty() || line == "\r";
    CsvReader::Record record = reader.record();
    if (empty) continue;
    if (record.open) return Diag{"a quoted field does not end", "a closing \"", "", {*record.open, *record.open + 1}};
    for (std::string& field : record.fields) field = plainText(field);
    out.push_back(std::move(record.fields));
  }
  return out;
}

}  // namespace tessera::measure
