// Where a literal ends. Nothing is judged here: the scanner only finds the run of text that looks like one notation's
// literal; the notation's parser says what is wrong with it. Iterative, so that 10,000 brackets cost no stack.
#include <algorithm>
#include <array>

#include "core/worksheet/language/scan.h"
#include "core/worksheet/language/syntax.h"

namespace tessera {
namespace {

class Scanner : private Scan {
 public:
  Scanner(std::string_view text, std::size_t to) : Scan(text.substr(0, to)) {}

  [[nodiscard]] std::optional<LiteralExtent> literal(std::size_t i) const {
    if (i >= text_.size()) return std::nullopt;
    if (text_[i] == '"') return quoted(i);
    if (const auto found = scanXla(text_, i)) return found;
    if (const auto found = scanNamedAxes(text_, i)) return found;
    if (text_[i] == '!') return mlir(i);
    if (const auto map = mapText(i)) return map;
    if (const auto first = piece(i)) return chain(i, *first);
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::size_t qualified(std::size_t i) const {
    while (isNamePart(at(i)) || (at(i) == ':' && at(i + 1) == ':' && isNamePart(at(i + 2)))) i += at(i) == ':' ? 2 : 1;
    return i;
  }

  [[nodiscard]] std::optional<LiteralExtent> quoted(std::size_t i) const {
    const std::size_t close = text_.find('"', i + 1);
    if (close == std::string_view::npos) return std::nullopt;
    return LiteralExtent{LiteralKind::String, close + 1};
  }

  [[nodiscard]] std::optional<LiteralExtent> mlir(std::size_t i) const {
    std::size_t j = i + 1;
    while (isNamePart(at(j)) || at(j) == '.') ++j;
    if (j == i + 1 || at(j) != '<') return std::nullopt;
    const Found end = balanced(j);
    if (!end) return std::nullopt;
    return LiteralExtent{LiteralKind::Mlir, *end};
  }

  // (d0, d1)[s0]{r0} -> (...), domain: x in [a, b], ...: from a bracket of names up to where the list of ranges ends.
  [[nodiscard]] std::optional<LiteralExtent> mapText(std::size_t i) const {
    if (text_[i] != '(') return std::nullopt;
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
    return LiteralExtent{LiteralKind::Map, k};
  }

  // ` in [`, with any blanks.
  [[nodiscard]] bool isInterval(std::size_t i) const {
    if (!starts(i, "in") || i == 0 || isNamePart(text_[i - 1]) || isNamePart(at(i + 2))) return false;
    return at(blanks(i + 2)) == '[';
  }

  // One integer leaf: 8 _8 -8 _-8 ? ?{i64 div=4} _ Int<8>{} E<0>{}, each with @N ... behind it.
  [[nodiscard]] Found leaf(std::size_t i) const {
    std::size_t j = i;
    if (starts(i, "Int<") || starts(i, "C<") || starts(i, "E<") || starts(i, "cute::Int<") || starts(i, "cute::C<") ||
        starts(i, "tla::Int<") || starts(i, "cute::E<")) {
      const Found end = balanced(text_.find('<', i));
      if (!end) return std::nullopt;
      j = braces(*end);
      return basis(j);
    }
    if (at(j) == '?') {
      ++j;
      if (at(j) == '{') {
        const Found end = balanced(j);
        if (!end) return std::nullopt;
        j = *end;
      }
      return basis(j);
    }
    bool underscore = false;
    if (at(j) == '_') {
      underscore = true;
      ++j;
    }
    const std::size_t sign = j;
    if (at(j) == '-') ++j;
    if (isDigit(at(j))) {
      j = digits(j);
      if (isNamePart(at(j))) return std::nullopt;
      if (underscore) j = braces(j);
      return basis(j);
    }
    if (underscore && sign == j && !isNamePart(at(j))) return braces(j);  // `_`
    return std::nullopt;
  }
  [[nodiscard]] std::size_t braces(std::size_t j) const { return starts(j, "{}") ? j + 2 : j; }
  [[nodiscard]] std::size_t basis(std::size_t j) const {
    while (at(j) == '@' && isDigit(at(j + 1))) j = digits(j + 1);
    return j;
  }

  // ( leaf, ( leaf, ... ), ... ): only leaves, commas and parentheses.
  [[nodiscard]] Found tuple(std::size_t i) const {
    if (at(i) != '(') return leaf(i);
    std::size_t depth = 0;
    while (i < text_.size()) {
      i = blanks(i);
      const char c = at(i);
      if (c == '(') {
        ++depth;
        ++i;
      } else if (c == ')') {
        ++i;
        if (--depth == 0) return i;
      } else if (c == ',') {
        ++i;
      } else if (const Found end = leaf(i)) {
        i = *end;
        const std::size_t next = blanks(i);
        if (at(next) != ',' && at(next) != ')') return std::nullopt;  // (4-1), (4 8), (4:1)
      } else {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<LiteralExtent> shapeOrLayout(std::size_t i) const {
    const Found shape = tuple(i);
    if (!shape) return std::nullopt;
    const std::size_t colon = blanks(*shape);
    if (at(colon) == ':' && at(colon + 1) != ':') {
      if (const Found stride = tuple(blanks(colon + 1))) return LiteralExtent{LiteralKind::Layout, *stride};
    }
    bool plain = true;
    for (std::size_t k = i; k < *shape; ++k) plain = plain && isDigit(text_[k]);
    return LiteralExtent{plain ? LiteralKind::Integer : LiteralKind::Tuple, *shape};
  }

  // Sw<3,4,3>, Layout<...>, Shape<...>, smem_ptr[16b](0x0), counting_iter(42) ...
  [[nodiscard]] std::optional<LiteralExtent> named(std::size_t i) const {
    const std::size_t end = qualified(i);
    if (end == i || isDigit(text_[i])) return std::nullopt;
    std::string_view word = text_.substr(i, end - i);
    for (const std::string_view space : {"cute::", "tla::"}) {
      if (word.substr(0, space.size()) == space) word.remove_prefix(space.size());
    }
    if (word.substr(0, 3) == "SW_") return LiteralExtent{LiteralKind::Swizzle, end};
    struct Row {
      std::string_view word;
      char open;
      LiteralKind kind;
    };
    static constexpr std::array<Row, 19> kRows = {{
        {"Sw", '<', LiteralKind::Swizzle},
        {"S", '<', LiteralKind::Swizzle},
        {"Swizzle", '<', LiteralKind::Swizzle},
        {"Layout", '<', LiteralKind::Layout},
        {"ComposedLayout", '<', LiteralKind::Composed},
        {"Shape", '<', LiteralKind::Tuple},
        {"Stride", '<', LiteralKind::Tuple},
        {"Coord", '<', LiteralKind::Tuple},
        {"Step", '<', LiteralKind::Tuple},
        {"Tile", '<', LiteralKind::Tuple},
        {"smem_ptr", '[', LiteralKind::Composed},
        {"gmem_ptr", '[', LiteralKind::Composed},
        {"rmem_ptr", '[', LiteralKind::Composed},
        {"ptr", '[', LiteralKind::Composed},
        {"tmem_", '[', LiteralKind::Composed},
        {"subptr", '[', LiteralKind::Composed},
        {"counting_iter", '(', LiteralKind::Composed},
        {"ArithTuple", '(', LiteralKind::Composed},
        {"tuple", '<', LiteralKind::Tuple},
    }};
    for (const Row& row : kRows) {
      if (row.word != word || at(end) != row.open) continue;
      Found stop = balanced(end);
      if (!stop) return std::nullopt;
      std::size_t j = *stop;
      if (row.open == '[' && at(j) == '(') {  // the address
        stop = balanced(j);
        if (!stop) return std::nullopt;
        j = *stop;
      }
      LiteralKind kind = row.kind;
      if (kind == LiteralKind::Swizzle && at(j) == '_') {  // Sw<3,4,3>_smem_ptr[16b](...)
        if (const auto pointer = named(j + 1); pointer && pointer->kind == LiteralKind::Composed) {
          return LiteralExtent{LiteralKind::Composed, pointer->end};
        }
      }
      j = starts(j, "{}") ? j + 2 : j;
      return LiteralExtent{kind, j};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<LiteralExtent> piece(std::size_t i) const {
    if (const auto found = shapeOrLayout(i)) return found;
    return named(i);
  }

  // piece {o piece}, when the whole is one composed literal: it has a pointer in it, or the form outer o offset o
  // inner. Sw o L and A o B are left to the operator `o`.
  [[nodiscard]] std::optional<LiteralExtent> chain(std::size_t i, LiteralExtent first) const {
    std::vector<LiteralExtent> pieces{first};  // at most four: a longer chain is no literal
    while (pieces.size() < 4) {
      const std::size_t o = blanks(pieces.back().end);
      if (o == pieces.back().end || at(o) != 'o' || isNamePart(at(o + 1))) break;
      const auto next = piece(blanks(o + 1));
      if (!next) break;
      pieces.push_back(*next);
    }
    auto pointer = [&](const LiteralExtent& p) {
      return p.kind == LiteralKind::Composed &&
             text_.substr(i, p.end - i).find("ComposedLayout<") == std::string_view::npos;
    };
    const auto offset = [](const LiteralExtent& p) {
      return p.kind == LiteralKind::Integer || p.kind == LiteralKind::Tuple;
    };
    if (pieces.size() >= 2 && std::any_of(pieces.begin(), pieces.end(), pointer)) {
      return LiteralExtent{LiteralKind::Composed, pieces.back().end};
    }
    if (pieces.size() == 3 && !offset(pieces[0]) && offset(pieces[1]) && pieces[2].kind == LiteralKind::Layout) {
      return LiteralExtent{LiteralKind::Composed, pieces.back().end};
    }
    return first;
  }
};

}  // namespace

std::optional<LiteralExtent> scanLiteral(std::string_view text, std::size_t from, std::size_t to) {
  return Scanner(text, to).literal(from);
}

std::string withoutComments(std::string_view text) {
  std::string out(text);
  bool inString = false, closes = true;  // closes: a "*/" may still come
  for (std::size_t i = 0; i < out.size();) {
    if (out[i] == '"') inString = !inString;
    if (out[i] == '\n') inString = false;
    std::size_t end = i + 1;
    const bool comment = !inString && out[i] == '/' && i + 1 < out.size();
    if (comment && out[i + 1] == '/') {
      end = std::min(out.find('\n', i), out.size());
    } else if (comment && out[i + 1] == '*' && closes) {
      const std::size_t close = out.find("*/", i + 2);
      closes = close != std::string::npos;
      if (closes) end = close + 2;
    }
    for (std::size_t k = i; k < end && end > i + 1; ++k)
      if (out[k] != '\n') out[k] = ' ';
    i = end;
  }
  return out;
}

}  // namespace tessera
