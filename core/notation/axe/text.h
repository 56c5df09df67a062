// The scanner shared by the readers of Axe and mesh text: blanks vanish, every failure is a Diag with its place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/base/types.h"

namespace tessera::axe_text {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  void skipBlanks();
  [[nodiscard]] bool atEnd();
  [[nodiscard]] std::size_t position() const { return at_; }
  void seek(std::size_t at) { at_ = at; }
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] char peek();                    // '\0' at the end
  [[nodiscard]] bool accept(std::string_view);  // after blanks; consumes when it matches
  [[nodiscard]] bool acceptWord(std::string_view word);
  [[nodiscard]] Result<void> expect(std::string_view token, std::string_view where);
  [[nodiscard]] bool atInteger();
  [[nodiscard]] Result<i64> integer();
  [[nodiscard]] Result<std::string> identifier(std::string_view what);
  [[nodiscard]] Diag fail(std::string message, std::string expected = {}, std::string hint = {});
  [[nodiscard]] Diag failFrom(std::size_t begin, std::string message, std::string expected = {}, std::string hint = {});

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

// "(8,16)" or "8" -> {8,16}; every entry >= 1.
[[nodiscard]] Result<std::vector<i64>> shapeTuple(Scanner& in);

}  // namespace tessera::axe_text
