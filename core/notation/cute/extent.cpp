#include "core/notation/cute/extent.h"

#include <array>
#include <vector>

namespace tessera::cute {
namespace {

class CuteLiteral : private Scan {
 public:
  using Scan::Scan;

  [[nodiscard]] std::optional<Extent> literal(std::size_t i) const {
    if (i >= text_.size()) return std::nullopt;
    if (text_[i] == '!') return mlir(i);
    if (const auto first = piece(i)) return chain(i, *first);
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::size_t qualified(std::size_t i) const {
    while (isNamePart(at(i)) || (at(i) == ':' && at(i + 1) == ':' && isNamePart(at(i + 2)))) i += at(i) == ':' ? 2 : 1;
    return i;
  }

  [[nodiscard]] std::optional<Extent> mlir(std::size_t i) const {
    std::size_t j = i + 1;
    while (isNamePart(at(j)) || at(j) == '.') ++j;
    if (j == i + 1 || at(j) != '<') return std::nullopt;
    const Found end = balanced(j);
    if (!end) return std::nullopt;
    return Extent{Form::Mlir, *end};
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

  [[nodiscard]] std::optional<Extent> shapeOrLayout(std::size_t i) const {
    const Found shape = tuple(i);
    if (!shape) return std::nullopt;
    const std::size_t colon = blanks(*shape);
    if (at(colon) == ':' && at(colon + 1) != ':') {
      if (const Found stride = tuple(blanks(colon + 1))) return Extent{Form::Layout, *stride};
    }
    bool plain = true;
    for (std::size_t k = i; k < *shape; ++k) plain = plain && isDigit(text_[k]);
    return Extent{plain ? Form::Integer : Form::Tuple, *shape};
  }

  // Sw<3,4,3>, Layout<...>, Shape<...>, smem_ptr[16b](0x0), counting_iter(42) ...
  [[nodiscard]] std::optional<Extent> named(std::size_t i) const {
    const std::size_t end = qualified(i);
    if (end == i || isDigit(text_[i])) return std::nullopt;
    std::string_view word = text_.substr(i, end - i);
    for (const std::string_view space : {"cute::", "tla::"}) {
      if (word.substr(0, space.size()) == space) word.remove_prefix(space.size());
    }
    if (word.substr(0, 3) == "SW_") return Extent{Form::Swizzle, end};
    struct Row {
      std::string_view word;
      char open;
      Form kind;
    };
    static constexpr std::array<Row, 19> kRows = {{
        {"Sw", '<', Form::Swizzle},
        {"S", '<', Form::Swizzle},
        {"Swizzle", '<', Form::Swizzle},
        {"Layout", '<', Form::Layout},
        {"ComposedLayout", '<', Form::Composed},
        {"Shape", '<', Form::Tuple},
        {"Stride", '<', Form::Tuple},
        {"Coord", '<', Form::Tuple},
        {"Step", '<', Form::Tuple},
        {"Tile", '<', Form::Tuple},
        {"smem_ptr", '[', Form::Composed},
        {"gmem_ptr", '[', Form::Composed},
        {"rmem_ptr", '[', Form::Composed},
        {"ptr", '[', Form::Composed},
        {"tmem_", '[', Form::Composed},
        {"subptr", '[', Form::Composed},
        {"counting_iter", '(', Form::Composed},
        {"ArithTuple", '(', Form::Composed},
        {"tuple", '<', Form::Tuple},
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
      Form kind = row.kind;
      if (kind == Form::Swizzle && at(j) == '_') {  // Sw<3,4,3>_smem_ptr[16b](...)
        if (const auto pointer = named(j + 1); pointer && pointer->kind == Form::Composed) {
          return Extent{Form::Composed, pointer->end};
        }
      }
      j = starts(j, "{}") ? j + 2 : j;
      return Extent{kind, j};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<Extent> piece(std::size_t i) const {
    if (const auto found = shapeOrLayout(i)) return found;
    return named(i);
  }

  // piece {o piece}, when the whole is one composed literal: it has a pointer in it, or the form outer o offset o
  // inner. Sw o L and A o B are left to the operator `o`.
  [[nodiscard]] std::optional<Extent> chain(std::size_t i, Extent first) const {
    std::vector<Extent> pieces{first};  // at most four: a longer chain is no literal
    while (pieces.size() < 4) {
      const std::size_t o = blanks(pieces.back().end);
      if (o == pieces.back().end || at(o) != 'o' || isNamePart(at(o + 1))) break;
      const auto next = piece(blanks(o + 1));
      if (!next) break;
      pieces.push_back(*next);
    }
    auto pointer = [&](const Extent& p) {
      return p.kind == Form::Composed && text_.substr(i, p.end - i).find("ComposedLayout<") == std::string_view::npos;
    };
    const auto offset = [](const Extent& p) { return p.kind == Form::Integer || p.kind == Form::Tuple; };
    if (pieces.size() >= 2 && std::any_of(pieces.begin(), pieces.end(), pointer)) {
      return Extent{Form::Composed, pieces.back().end};
    }
    if (pieces.size() == 3 && !offset(pieces[0]) && offset(pieces[1]) && pieces[2].kind == Form::Layout) {
      return Extent{Form::Composed, pieces.back().end};
    }
    return first;
  }
};

}  // namespace

std::optional<Extent> extent(std::string_view text, std::size_t from) { return CuteLiteral(text).literal(from); }

}  // namespace tessera::cute
