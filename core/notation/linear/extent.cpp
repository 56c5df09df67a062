#include "core/notation/linear/extent.h"

namespace tessera::linear {
namespace {

class BasesText : private Scan {
 public:
  using Scan::Scan;

  [[nodiscard]] Found literal(std::size_t i) const {
    if (starts(i, "- register") || starts(i, "- offset")) return basesBlock(i);
    return isNameStart(at(i)) ? bases(i) : std::nullopt;
  }

 private:
  // register = [[0, 1]], lane = [] -> dim0 16, dim1 8
  [[nodiscard]] Found bases(std::size_t i) const {
    Found end;
    for (;;) {
      const std::size_t name = nameEnd(i);
      const std::size_t equals = blanks(name);
      const std::size_t open = blanks(equals + 1);
      const std::size_t inner = blanks(open + 1);
      if (name == i || at(equals) != '=' || at(open) != '[' || (at(inner) != '[' && at(inner) != ']')) break;
      const Found close = balanced(open);
      if (!close) return std::nullopt;
      end = *close;
      const std::size_t comma = blanks(*end);
      if (at(comma) != ',') break;
      i = blanks(comma + 1);
    }
    return end ? Found(outputs(*end)) : end;
  }
  [[nodiscard]] std::size_t outputs(std::size_t end) const {
    std::size_t i = blanks(end);
    if (!starts(i, "->")) return end;
    i = blanks(i + 2);
    for (;;) {
      const std::size_t name = nameEnd(i);
      if (name == i) return end;
      std::size_t digits = blanks(name);
      while (isDigit(at(digits))) ++digits;
      end = digits;
      const std::size_t comma = blanks(end);
      if (at(comma) != ',') return end;
      const std::size_t next = blanks(comma + 1);
      if (!isDigit(at(blanks(nameEnd(next))))) return end;
      i = next;
    }
  }

  // Triton's toString: - register=1 -> (0, 1) ... where out dims are: [dim0 (size 16)]
  [[nodiscard]] Found basesBlock(std::size_t i) const {
    const std::size_t where = text_.find("where out dims are", i);
    if (where == std::string_view::npos) return std::nullopt;
    const std::size_t open = text_.find('[', where);
    return open == std::string_view::npos ? Found() : balanced(open);
  }
};

}  // namespace

Found extent(std::string_view text, std::size_t from) { return BasesText(text).literal(from); }

}  // namespace tessera::linear
