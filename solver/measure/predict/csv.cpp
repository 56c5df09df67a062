#include "solver/measure/predict/csv.h"

#include "core/base/csv.h"

namespace tessera::measure {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }
  Result<std::vector<std::vector<std::string>>> lines() {
    std::vector<std::vector<std::string>> out;
    while (at_ < text_.size()) {
      if (passEnd()) continue;  // an empty line
      std::vector<std::string>& line = out.emplace_back();
      do {
        TESSERA_TRY(std::string field, field_());
        line.push_back(std::move(field));
      } while (passComma());
      (void)passEnd();
    }
    return out;
  }

 private:
  [[nodiscard]] std::size_t end() const {  // length of the line end at the current position; 0: none
    return text_.substr(at_, 1) == "\n" ? 1 : text_.substr(at_, 2) == "\r\n" ? 2 : 0;
  }
  bool passEnd() {
    const std::size_t bytes = end();
    at_ += bytes;
    return bytes > 0;
  }
  bool passComma() {
    if (text_.substr(at_, 1) != ",") return false;
    ++at_;
    return true;
  }
  Result<std::string> field_() {
    std::string out;
    if (text_.substr(at_, 1) == "\"") {
      const std::size_t opened = at_++;
      while (at_ < text_.size() && (text_[at_] != '"' || text_.substr(at_, 2) == "\"\"")) {
        if (text_[at_] == '"') ++at_;
        out += text_[at_++];
      }
      if (at_ == text_.size()) return Diag{"a quoted field does not end", "a closing \"", "", {opened, opened + 1}};
      ++at_;
    }
    while (at_ < text_.size() && text_[at_] != ',' && end() == 0) out += text_[at_++];
    return std::string(plainText(out));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string csvLine(const std::vector<std::string>& fields) {
  std::string out;
  for (std::size_t k = 0; k < fields.size(); ++k) {
    if (k > 0) out += ',';
    const bool alone = fields.size() == 1 && fields[k].empty();  // a single empty field would print as an empty line
    out += alone ? "\"\"" : csvField(fields[k]);
  }
  return out + "\r\n";
}

Result<std::vector<std::vector<std::string>>> readCsv(std::string_view text) { return Reader(text).lines(); }

}  // namespace tessera::measure
