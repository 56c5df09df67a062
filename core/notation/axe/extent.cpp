#include "core/notation/axe/extent.h"

namespace tessera::axe {
namespace {

class AxeText : private Scan {
 public:
  using Scan::Scan;

  [[nodiscard]] Found layout(std::size_t i) const {
    if (at(i) == '(') return rows(i);
    if (isDigit(at(i)) || starts(i, "S[") || starts(i, "R[")) return terms(i);
    if (starts(i, "D:") || starts(i, "D :")) return article(i);
    if (starts(i, "Layout(D") && at(blanks(i + 8)) == '=') return balanced(i + 6);
    return std::nullopt;
  }

  // {lane: 8, reg: 1}
  [[nodiscard]] Found place(std::size_t i) const {
    if (at(i) != '{') return std::nullopt;
    const std::size_t first = blanks(i + 1);
    if (at(first) != '}' && nameEnd(first) == first) return std::nullopt;
    return balanced(i);
  }

  // mesh (2,2):(1,2), mesh (2,2), mesh 4
  [[nodiscard]] Found mesh(std::size_t i) const {
    if (!starts(i, "mesh") || nameEnd(i) != i + 4) return std::nullopt;
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
};

}  // namespace

Found extent(std::string_view text, std::size_t from) { return AxeText(text).layout(from); }
Found placeExtent(std::string_view text, std::size_t from) { return AxeText(text).place(from); }
Found meshExtent(std::string_view text, std::size_t from) { return AxeText(text).mesh(from); }

}  // namespace tessera::axe
