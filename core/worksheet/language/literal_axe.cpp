// Where a literal with named axes ends: Axe's forms, Triton's attributes and types, bases, meshes, places. As in
// literal.cpp nothing is judged here. `over (8,16)` behind one is the language's, not the literal's.
#include <array>

#include "core/worksheet/language/scan.h"
#include "core/worksheet/language/syntax.h"

namespace tessera {
namespace {

class NamedAxes : private Scan {
 public:
  using Scan::Scan;

  [[nodiscard]] std::optional<LiteralExtent> literal(std::size_t i) const {
    const auto made = [](LiteralKind kind, Found end) -> std::optional<LiteralExtent> {
      return end ? std::optional<LiteralExtent>({kind, *end}) : std::nullopt;
    };
    switch (at(i)) {
      case '#':
        return made(LiteralKind::Triton, attributes(i));
      case '!':
        return starts(i, "!ttg.") || starts(i, "!tt.") ? made(LiteralKind::Triton, type(i)) : std::nullopt;
      case '{':
        return made(LiteralKind::Place, place(i));
      case '(':
        return made(LiteralKind::Axe, rows(i));
      case '-':
        return starts(i, "- register") || starts(i, "- offset") ? made(LiteralKind::Linear, basesBlock(i))
                                                                : std::nullopt;
      default:
        break;
    }
    if (isDigit(at(i)) || starts(i, "S[") || starts(i, "R[")) return made(LiteralKind::Axe, terms(i));
    if (!isNameStart(at(i))) return std::nullopt;
    for (const std::string_view word : {"KNOWN EMPTY", "UNDEFINED"}) {
      if (starts(i, word) && !isNamePart(at(i + word.size()))) return LiteralExtent{LiteralKind::Map, i + word.size()};
    }
    if (starts(i, "tensor<")) return made(LiteralKind::Triton, type(i));
    if (starts(i, "mesh")) return made(LiteralKind::Mesh, mesh(i));
    if (starts(i, "D:") || starts(i, "D :")) return made(LiteralKind::Axe, article(i));
    if (starts(i, "Layout(D") && at(blanks(i + 8)) == '=') return made(LiteralKind::Axe, balanced(i + 6));
    return made(LiteralKind::Linear, bases(i));
  }

 private:
  // 5, 5@warp, -5@warp, 5@"warp"
  [[nodiscard]] Found offset(std::size_t i) const {
    if (at(i) == '-') i = blanks(i + 1);
    if (!isDigit(at(i))) return std::nullopt;
    while (isDigit(at(i))) ++i;
    if (isNamePart(at(i))) return std::nullopt;
    const std::size_t sign = blanks(i);
    if (at(sign) != '@') return i;
    const std::size_t axis = blanks(sign + 1);
    if (at(axis) == '"') {
      const std::size_t close = text_.find('"', axis + 1);
      return close == std::string_view::npos ? Found() : Found(close + 1);
    }
    const std::size_t end = nameEnd(axis);
    return end == axis ? Found() : Found(end);
  }

  // S[..] + R[..] + 5@warp, in any order; one of the first two must be there.
  [[nodiscard]] Found terms(std::size_t i) const {
    bool brackets = false;
    int offsets =
        0;  // before the first bracket; a long plain sum is no layout, and is not read to its end from each term
    for (;;) {
      Found end;
      if (starts(i, "S[") || starts(i, "R[")) {
        brackets = true;
        end = balanced(i + 1);
      } else {
        end = offset(i);
        if (!brackets && ++offsets > 16) return std::nullopt;
      }
      if (!end) return std::nullopt;
      const std::size_t sign = blanks(*end);
      const bool plus = at(sign) == '+', minus = at(sign) == '-' && at(sign + 1) != '>';
      const std::size_t next = blanks(sign + 1);
      if (!(plus || minus) || !(starts(next, "S[") || starts(next, "R[") || offset(next))) {
        return brackets ? Found(ranges(*end)) : Found();
      }
      i = next;
    }
  }

  // ` for n in [1, 64], m in [1, 8]` behind a layout with symbolic sizes.
  [[nodiscard]] std::size_t ranges(std::size_t end) const {
    std::size_t i = blanks(end);
    if (i == end || !starts(i, "for ")) return end;
    i += 3;
    for (;;) {
      const std::size_t name = blanks(i), nameStop = nameEnd(name), in = blanks(nameStop);
      if (nameStop == name || !starts(in, "in")) return end;
      const std::size_t open = blanks(in + 2);
      if (at(open) != '[') return end;
      const Found close = balanced(open);
      if (!close) return end;
      end = *close;
      i = blanks(end);
      if (at(i) != ',') return end;
      ++i;
    }
  }

  // The paper's two rows: ( 8 2 ; 4@lane, 1@warp ) + [ 2 ; 4@warp ] + 5@warp, or ( 8 2 ) ( 2 ) ( 4@lane, .. ) + ..
  [[nodiscard]] Found rows(std::size_t i) const {
    std::size_t j = i + 1;
    while (j < text_.size() && (isDigit(text_[j]) || isBlank(text_[j]) || text_[j] == ',')) ++j;
    Found end;
    if (at(j) == ';') {
      end = balanced(i);
    } else if (at(j) == ')' && j > i + 1) {
      end = typeset(j + 1);
    }
    return end ? tail(*end) : end;
  }
  // After the row of extents: (( 2 ) | [ 2 ])? ( 4@lane, ... ), where the strides name an axis.
  [[nodiscard]] Found typeset(std::size_t j) const {
    for (int groups = 0; groups < 2; ++groups) {
      j = blanks(j);
      if (at(j) != '(' && at(j) != '[') return std::nullopt;
      const Found end = balanced(j);
      if (!end) return std::nullopt;
      const std::string_view group = text_.substr(j, *end - j);
      if (group.find('@') != std::string_view::npos && group.find_first_of("(:", 1) == std::string_view::npos) {
        return *end;
      }
      for (const char c : group.substr(1, group.size() - 2)) {
        if (!isDigit(c) && !isBlank(c) && c != ',') return std::nullopt;
      }
      j = *end;
    }
    return std::nullopt;
  }
  [[nodiscard]] std::size_t tail(std::size_t end) const {
    for (;;) {
      const std::size_t sign = blanks(end);
      if (at(sign) != '+' && at(sign) != '-') return end;
      const std::size_t next = blanks(sign + 1);
      const Found more = at(next) == '[' || at(next) == '(' ? balanced(next) : offset(next);
      if (!more) return end;
      end = *more;
    }
  }

  // D: (8, 4@lane) x (2, 1@warp) | R: (2, 4@warp) | O: 5@warp
  [[nodiscard]] Found article(std::size_t i) const {
    std::size_t end = i;
    i = text_.find(':', i) + 1;
    for (;;) {
      i = blanks(i);
      Found more;
      if (at(i) == '(') {
        more = balanced(i);
      } else if (starts(i, "\u2205")) {
        more = i + 3;
      } else {
        more = offset(i);
      }
      if (!more) return end > i ? Found(end) : Found();
      end = *more;
      i = blanks(end);
      if (at(i) == '|' && (at(blanks(i + 1)) == 'R' || at(blanks(i + 1)) == 'O')) {
        i = text_.find(':', i);
        if (i == std::string_view::npos) return end;
        ++i;
      } else if (at(i) == 'x' && !isNamePart(at(i + 1))) {
        ++i;
      } else if (starts(i, "\u00d7")) {
        i += 2;
      } else if (at(i) == '*' || at(i) == '+' || (at(i) == ',' && offset(blanks(i + 1)) && hasAxis(blanks(i + 1)))) {
        ++i;
      } else {
        return end;
      }
    }
  }
  [[nodiscard]] bool hasAxis(std::size_t i) const {
    const Found end = offset(i);
    return end && text_.substr(i, *end - i).find('@') != std::string_view::npos;
  }

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
      if (starts(i, "tensor<") || starts(i, "!ttg.")) return type(i);
    }
    return end;
  }
  [[nodiscard]] Found type(std::size_t i) const {
    const std::size_t open = text_.find('<', i);
    return open == std::string_view::npos ? Found() : balanced(open);
  }

  // {lane: 8, reg: 1}
  [[nodiscard]] Found place(std::size_t i) const {
    const std::size_t first = blanks(i + 1);
    if (at(first) != '}' && nameEnd(first) == first) return std::nullopt;
    return balanced(i);
  }

  // mesh (2,2):(1,2), mesh (2,2), mesh 4
  [[nodiscard]] Found mesh(std::size_t i) const {
    if (nameEnd(i) != i + 4) return std::nullopt;
    const auto numbers = [this](std::size_t j) -> Found {
      if (at(j) == '(') {
        for (std::size_t k = j + 1; k < text_.size(); ++k) {
          if (text_[k] == ')') return k + 1;
          if (!isDigit(text_[k]) && !isBlank(text_[k]) && text_[k] != ',') return std::nullopt;
        }
        return std::nullopt;
      }
      if (!isDigit(at(j))) return std::nullopt;
      while (isDigit(at(j))) ++j;
      return j;
    };
    const Found shape = numbers(blanks(i + 4));
    if (!shape) return std::nullopt;
    const std::size_t colon = blanks(*shape);
    if (at(colon) != ':') return shape;
    const Found strides = numbers(blanks(colon + 1));
    return strides ? strides : shape;
  }

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

std::optional<LiteralExtent> scanNamedAxes(std::string_view text, std::size_t from) {
  return NamedAxes(text).literal(from);
}

}  // namespace tessera
