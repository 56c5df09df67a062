#include "core/notation/indexing/extent.h"

namespace tessera::indexing {
namespace {

class MapText : private Scan {
 public:
  explicit MapText(std::string_view text) : Scan(text, {.angles = false}) {}  // a << 3 opens nothing

  [[nodiscard]] Found literal(std::size_t i) const {
    for (const std::string_view word : {"KNOWN EMPTY", "UNDEFINED"}) {
      if (starts(i, word) && !isNamePart(at(i + word.size()))) return i + word.size();
    }
    return mapText(i);
  }

 private:
  // (d0, d1)[s0]{r0} -> (...), domain: x in [a, b], ...: from a bracket of names up to where the list of ranges ends.
  [[nodiscard]] Found mapText(std::size_t i) const {
    if (at(i) != '(') return std::nullopt;
    std::size_t j = i + 1;
    while (j < text_.size() && (isNamePart(text_[j]) || text_[j] == ',' || isBlank(text_[j]))) ++j;
    if (at(j) != ')') return std::nullopt;
    j = blanks(j + 1);
    for (const char open : {'[', '{', '['}) {
      if (at(j) != open) continue;
      const Found end = balanced(j);
      if (!end) return std::nullopt;
      j = blanks(*end);
    }
    if (!starts(j, "->")) return std::nullopt;
    j = blanks(j + 2);
    if (at(j) != '(') return std::nullopt;
    Found end = balanced(j);
    if (!end) return std::nullopt;
    std::size_t k = *end;
    for (;;) {  // , domain: e in [a, b] | , e in [a, b] | , is_simplified: true
      const std::size_t comma = blanks(k);
      if (at(comma) != ',') break;
      const std::size_t start = blanks(comma + 1);
      std::size_t stop = start;
      int depth = 0;
      bool bounds = false;  // an `in [` outside brackets: f((x) -> (x), domain: x in [0, 3]) is the next argument
      for (; stop < text_.size(); ++stop) {
        const char c = text_[stop];
        bounds = bounds || (depth == 0 && isInterval(stop));
        if (c == '(' || c == '[') ++depth;
        if (c == ')' || c == ']') --depth;
        if (depth < 0 || (depth == 0 && c == ',')) break;
      }
      const std::string_view part = text_.substr(start, stop - start);
      if (!bounds && part.substr(0, 7) != "domain:" && part.substr(0, 14) != "is_simplified:") {
        break;
      }
      k = stop;
    }
    return k;
  }

  // ` in [`, with any blanks.
  [[nodiscard]] bool isInterval(std::size_t i) const {
    if (!starts(i, "in") || i == 0 || isNamePart(text_[i - 1]) || isNamePart(at(i + 2))) return false;
    return at(blanks(i + 2)) == '[';
  }
};

}  // namespace

Found extent(std::string_view text, std::size_t from) { return MapText(text).literal(from); }

}  // namespace tessera::indexing
