// What the scanners of literals share: steps over a text, each from a position to the position behind what it found.
// A scanner finds where a literal ends and judges nothing; the notation's parser says what is wrong with it. Iterative,
// so that 10,000 brackets cost no stack.
//
//     Scan("Sw<3,4,3> o L").balanced(2)   ->  9
//     Scan("f32 /* a */ [2]", kXlaText).blanks(3)  ->  12
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/chars.h"

namespace tessera {

using Found = std::optional<std::size_t>;  // where it ends

struct ScanDialect {
  bool angles = true;     // <> are brackets
  bool comments = false;  // /* */ are blanks
};
inline constexpr ScanDialect kXlaText{false, true};

class Scan {
 public:
  explicit Scan(std::string_view text, ScanDialect dialect = {}) : text_(text), dialect_(dialect) {}

  [[nodiscard]] char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  [[nodiscard]] bool starts(std::size_t i, std::string_view word) const {
    return i <= text_.size() && text_.substr(i, word.size()) == word;
  }
  [[nodiscard]] std::size_t blanks(std::size_t i) const;
  [[nodiscard]] std::size_t digits(std::size_t i) const;
  [[nodiscard]] std::size_t nameEnd(std::size_t i) const;  // [A-Za-z_][A-Za-z0-9_]*
  // The end of the bracket that opens at i, over (), [], {}, <> and quoted text. `->` closes nothing.
  [[nodiscard]] Found balanced(std::size_t i) const;

 protected:
  std::string_view text_;

 private:
  ScanDialect dialect_;
};

}  // namespace tessera
