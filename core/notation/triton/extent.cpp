#include "core/notation/triton/extent.h"

namespace tessera::triton {
namespace {

class TtgirText : private Scan {
 public:
  using Scan::Scan;

  [[nodiscard]] Found literal(std::size_t i) const {
    if (at(i) == '#') return attributes(i);
    if (starts(i, "!ttg.") || starts(i, "!tt.") || starts(i, "tensor<")) return type(i);
    return std::nullopt;
  }

 private:
  // #name, #ttg.name<...>, #name = #ttg.name<...>, one after the other.
  [[nodiscard]] Found attributes(std::size_t i) const {
    Found end;
    while (at(i) == '#') {
      std::size_t j = i + 1;
      while (isNamePart(at(j)) || at(j) == '.' || at(j) == '$') ++j;
      if (j == i + 1) return end;
      std::size_t next = blanks(j);
      if (at(next) == '=' && at(next + 1) != '=') {
        i = blanks(next + 1);
        if (at(i) != '#') return std::nullopt;
        continue;
      }
      if (at(j) == '<') {
        const Found close = balanced(j);
        if (!close) return std::nullopt;
        j = *close;
      }
      end = j;
      i = blanks(j);
      if (starts(i, "tensor<") || starts(i, "!ttg.") || starts(i, "!tt.")) return type(i);
    }
    return end;
  }
  [[nodiscard]] Found type(std::size_t i) const {
    const std::size_t open = text_.find('<', i);
    return open == std::string_view::npos ? Found() : balanced(open);
  }
};

}  // namespace

Found extent(std::string_view text, std::size_t from) { return TtgirText(text).literal(from); }

}  // namespace tessera::triton
