// The parsers of the five text forms of layout.h, one function each; formAt looks ahead to choose one. They stop where
// the layout ends: S[..] + x is S[..] followed by `+ x`. parse also reads `over (shape)`.
#include <fmt/format.h>

#include <utility>

#include "core/base/arith.h"
#include "core/notation/axe/layout.h"
#include "core/notation/axe/text/text.h"

namespace tessera::axe::spelling {

Result<std::vector<i64>> shapeTuple(Cursor& in) {
  std::vector<i64> shape;
  const bool tuple = in.accept("(");
  do {
    if (tuple && in.peek() == ')') break;
    const std::size_t begin = in.start();
    TESSERA_TRY(const i64 e, in.integer());
    if (e < 1) return in.failFrom(begin, fmt::format("the extent {} is not positive", e), "an extent >= 1");
    shape.push_back(e);
  } while (tuple && in.accept(","));
  if (tuple) TESSERA_CHECKED(in.expect(")", "at the end of the shape"));
  if (shape.empty()) return in.fail("an empty shape", "at least one extent");
  return shape;
}

}  // namespace tessera::axe::spelling

namespace tessera::axe {

using spelling::Scanner;
using spelling::shapeTuple;

namespace {

struct Parts {
  std::vector<Iter> shard;
  std::vector<Iter> replica;
  Place offset;
  bool hasShard = true;
};

struct AxisStride {
  i64 stride = 1;
  std::string axis = kMemoryAxis;
  bool bareName = false;  // written as "laneid"
};

Result<std::string> quotedAxis(Cursor& in) {
  TESSERA_CHECKED(in.expect("\"", "before the axis name"));
  TESSERA_TRY(std::string axis, in.identifier("an axis name"));
  TESSERA_CHECKED(in.expect("\"", "after the axis name"));
  return axis;
}

Result<std::string> axisAfterAt(Cursor& in) {
  if (in.peek() == '"') return quotedAxis(in);
  if (in.peekWord().empty())
    return in.fail("the axis name after `@` is missing here", "an axis: 1@lane, 1@warp, 1@reg",
                   "a stride without `@` is in memory: 1");
  return in.identifier("the axis name after `@`");
}

// 4@lane, 4, "laneid", (4,"laneid")
Result<AxisStride> axisStride(Cursor& in) {
  AxisStride st;
  if (in.peek() == '"') {
    TESSERA_TRY(st.axis, quotedAxis(in));
    st.bareName = true;
    return st;
  }
  if (in.accept("(")) {
    TESSERA_TRY(st.stride, in.integer());
    TESSERA_CHECKED(in.expect(",", "between stride and axis"));
    TESSERA_TRY(st.axis, quotedAxis(in));
    TESSERA_CHECKED(in.expect(")", "after the axis"));
    return st;
  }
  TESSERA_TRY(st.stride, in.integer());
  if (in.accept("@")) {
    TESSERA_TRY(st.axis, axisAfterAt(in));
  }
  return st;
}

// Extents separated by commas or blanks, up to any other character.
Result<std::vector<i64>> extentList(Cursor& in) {
  std::vector<i64> extents;
  while (in.atInteger()) {
    const std::size_t begin = in.position();
    TESSERA_TRY(const i64 e, in.integer());
    if (e < 1) return in.failFrom(begin, fmt::format("the extent {} is not positive", e), "an extent > 0");
    extents.push_back(e);
    if (!in.accept(",") && !in.atInteger()) break;
  }
  if (extents.empty()) return in.fail("an extent is missing here", "extents such as (8,2,4)");
  return extents;
}

Result<std::vector<AxisStride>> strideList(Cursor& in) {
  std::vector<AxisStride> strides;
  do {
    TESSERA_TRY(AxisStride st, axisStride(in));
    strides.push_back(std::move(st));
  } while (in.accept(","));
  return strides;
}

Result<std::vector<Iter>> zip(Cursor& in, const std::vector<i64>& extents, std::vector<AxisStride> strides,
                              std::size_t begin) {
  if (extents.size() == 1 && strides.size() == 2 && !strides[0].bareName && strides[1].bareName)
    strides = {AxisStride{strides[0].stride, strides[1].axis, false}};  // S[8:(4,"laneid")]
  if (extents.size() != strides.size())
    return in.failFrom(begin, fmt::format("{} extents but {} strides", extents.size(), strides.size()),
                       "one stride for each extent");
  std::vector<Iter> iters;
  for (std::size_t k = 0; k < extents.size(); ++k) iters.push_back({extents[k], strides[k].stride, strides[k].axis});
  return iters;
}

// The inside of S[..] or R[..].
Result<std::vector<Iter>> bracketIters(Cursor& in) {
  const std::size_t begin = in.position();
  const bool extentTuple = in.accept("(");
  TESSERA_TRY(const std::vector<i64> extents, extentList(in));
  if (extentTuple) TESSERA_CHECKED(in.expect(")", "after the extents"));
  if (!in.accept(":")) {
    std::vector<Iter> iters(extents.size());
    i64 stride = 1;
    for (std::size_t k = extents.size(); k-- > 0;) {
      iters[k] = {extents[k], stride, kMemoryAxis};
      if (!mulInto(stride, extents[k])) return in.failFrom(begin, "the product of these extents exceeds 2^63-1");
    }
    return iters;
  }
  const bool strideTuple = in.accept("(");
  TESSERA_TRY(std::vector<AxisStride> strides, strideList(in));
  if (strideTuple) TESSERA_CHECKED(in.expect(")", "after the strides"));
  return zip(in, extents, std::move(strides), begin);
}

Result<void> offsetTerm(Cursor& in, Parts& parts, bool negative) {
  const std::size_t begin = in.start();
  TESSERA_TRY(i64 value, in.integer());
  std::string axis = kMemoryAxis;
  if (in.accept("@")) {
    TESSERA_TRY(axis, axisAfterAt(in));
  }
  if (negative && value == INT64_MIN) return in.failFrom(begin, "2^63 does not fit in 64 bits", "a number below 2^63");
  if (!addInto(parts.offset[axis], negative ? -value : value))
    return in.failFrom(begin, fmt::format("the sum of the offsets on axis {} does not fit in 64 bits", axis));
  return {};
}

// The `+` or `-` here, if a term follows it; otherwise nothing is consumed, because the rest is not part of the layout.
std::optional<char> signOfTerm(Cursor& in) {
  const std::size_t before = in.position();
  const bool plus = in.accept("+");
  const bool minus = !plus && in.accept("-");
  if ((plus || minus) && (in.atInteger() || in.atEnd())) return plus ? '+' : '-';
  if (plus && (in.peek() == 'S' || in.peek() == 'R') && in.raw(1) == '[') return '+';
  in.seek(before);
  return std::nullopt;
}

// S[..] | R[..] | 5@warp, joined by + (and - before an offset).
Result<Parts> tvmForm(Cursor& in) {
  Parts parts;
  parts.hasShard = false;
  bool negative = in.accept("-");
  for (;;) {
    const std::size_t begin = in.start();
    const char head = in.peek();
    if ((head == 'S' || head == 'R') && !negative && in.accept(std::string(1, head) + "[")) {
      TESSERA_TRY(std::vector<Iter> iters, bracketIters(in));
      TESSERA_CHECKED(in.expect("]", head == 'S' ? "after the shard iters" : "after the replica iters"));
      if (head == 'S' && std::exchange(parts.hasShard, true))
        return in.failFrom(begin, "a layout has one shard part, this is the second S");
      std::vector<Iter>& part = head == 'S' ? parts.shard : parts.replica;
      part.insert(part.end(), iters.begin(), iters.end());
    } else if (in.atInteger()) {
      TESSERA_CHECKED(offsetTerm(in, parts, negative));
    } else {
      return in.fail("this is not a term of a layout", "S[..], R[..] or an offset such as 5@warp");
    }
    const std::optional<char> sign = signOfTerm(in);
    if (!sign) break;
    negative = *sign == '-';
  }
  return parts;
}

Result<void> offsetTail(Cursor& in, Parts& parts) {
  while (const std::optional<char> sign = signOfTerm(in)) TESSERA_CHECKED(offsetTerm(in, parts, *sign == '-'));
  return {};
}

// ( 8 2 ; 4@lane, 1@warp ) + [ 2 ; 4@warp ] + 5@warp
Result<std::vector<Iter>> rowPair(Cursor& in, const char* close) {
  const std::size_t begin = in.position();
  TESSERA_TRY(const std::vector<i64> extents, extentList(in));
  TESSERA_CHECKED(in.expect(";", "between extents and strides"));
  TESSERA_TRY(std::vector<AxisStride> strides, strideList(in));
  TESSERA_CHECKED(in.expect(close, "after the strides"));
  return zip(in, extents, std::move(strides), begin);
}

Result<Parts> paperForm(Cursor& in) {
  Parts parts;
  TESSERA_CHECKED(in.expect("(", "at the start of the shard part"));
  TESSERA_TRY(parts.shard, rowPair(in, ")"));
  for (;;) {
    TESSERA_CHECKED(offsetTail(in, parts));
    const std::size_t before = in.position();
    if (!in.accept("+")) return parts;
    const bool square = in.accept("[");
    if (!square && !in.accept("(")) {
      in.seek(before);
      return parts;
    }
    TESSERA_TRY(std::vector<Iter> more, rowPair(in, square ? "]" : ")"));
    parts.replica.insert(parts.replica.end(), more.begin(), more.end());
  }
}

// ( 8 2 ) ( 2 )   ( 4@lane, 1@warp ) + ( 4@warp ) + 5@warp       two typeset rows; the second group may use [ ]
Result<Parts> typesetForm(Cursor& in) {
  Parts parts;
  const std::size_t begin = in.position();
  const auto closing = [](bool square) { return square ? "]" : ")"; };
  TESSERA_CHECKED(in.expect("(", "at the start of the shard extents"));
  TESSERA_TRY(const std::vector<i64> extents, extentList(in));
  TESSERA_CHECKED(in.expect(")", "after the shard extents"));
  std::vector<i64> replicaExtents;
  // Two groups of plain integers, then the strides: a group with an `@` cannot be extents.
  const std::size_t afterFirst = in.position();
  bool square = in.accept("[");
  if (square || in.accept("(")) {
    auto second = extentList(in);
    if (second && in.accept(closing(square))) {
      replicaExtents = *second;
    } else {
      in.seek(afterFirst);
    }
  }
  TESSERA_CHECKED(in.expect("(", "at the start of the shard strides"));
  TESSERA_TRY(std::vector<AxisStride> strides, strideList(in));
  TESSERA_CHECKED(in.expect(")", "after the shard strides"));
  TESSERA_TRY(parts.shard, zip(in, extents, std::move(strides), begin));
  if (!replicaExtents.empty()) {
    TESSERA_CHECKED(in.expect("+", "before the replica strides"));
    square = in.accept("[");
    if (!square) TESSERA_CHECKED(in.expect("(", "at the start of the replica strides"));
    TESSERA_TRY(std::vector<AxisStride> more, strideList(in));
    TESSERA_CHECKED(in.expect(closing(square), "after the replica strides"));
    TESSERA_TRY(parts.replica, zip(in, replicaExtents, std::move(more), begin));
  }
  TESSERA_CHECKED(offsetTail(in, parts));
  return parts;
}

// (8, 4@lane) x (2, 1@warp); x, the multiplication sign or the empty set sign
Result<std::vector<Iter>> articleIters(Cursor& in) {
  std::vector<Iter> iters;
  if (in.accept("\u2205")) return iters;
  do {
    TESSERA_CHECKED(in.expect("(", "at the start of an iter (extent, stride@axis)"));
    TESSERA_TRY(const i64 extent, in.integer());
    TESSERA_CHECKED(in.expect(",", "between the extent and the stride of an iter"));
    TESSERA_TRY(const AxisStride st, axisStride(in));
    TESSERA_CHECKED(in.expect(")", "at the end of the iter"));
    iters.push_back({extent, st.stride, st.axis});
  } while (in.accept("\u00d7") || in.acceptWord("x") || in.accept("*"));
  return iters;
}

Result<Parts> articleForm(Cursor& in) {
  Parts parts;
  TESSERA_CHECKED(in.expect("D:", "at the start"));
  TESSERA_TRY(parts.shard, articleIters(in));
  if (in.accept("|") && in.accept("R:")) {
    TESSERA_TRY(parts.replica, articleIters(in));
    if (!in.accept("|")) return parts;
  }
  if (in.accept("O:")) {
    if (in.accept("\u2205")) return parts;
    TESSERA_CHECKED(offsetTerm(in, parts, false));
    for (;;) {  // 5@warp, 3@lane; a number without an axis after a comma is something else
      TESSERA_CHECKED(offsetTail(in, parts));
      const std::size_t before = in.position();
      Cursor ahead = in;
      const bool more = ahead.accept(",") && ahead.integer().ok() && ahead.accept("@");
      if (!more) return parts;
      in.seek(before);
      (void)in.accept(",");
      TESSERA_CHECKED(offsetTerm(in, parts, false));
    }
  }
  return parts;
}

// Layout(D=((8,2),(4@lane,1@warp)), R=((2),(4@warp)), O=5@warp)
Result<std::vector<Iter>> pythonPair(Cursor& in) {
  const std::size_t begin = in.position();
  TESSERA_CHECKED(in.expect("(", "before the pair of tuples"));
  TESSERA_CHECKED(in.expect("(", "before the extents"));
  TESSERA_TRY(const std::vector<i64> extents, extentList(in));
  TESSERA_CHECKED(in.expect(")", "after the extents"));
  TESSERA_CHECKED(in.expect(",", "between extents and strides"));
  TESSERA_CHECKED(in.expect("(", "before the strides"));
  TESSERA_TRY(std::vector<AxisStride> strides, strideList(in));
  (void)in.accept(",");
  TESSERA_CHECKED(in.expect(")", "after the strides"));
  TESSERA_CHECKED(in.expect(")", "after the pair of tuples"));
  return zip(in, extents, std::move(strides), begin);
}

Result<Parts> pythonForm(Cursor& in) {
  Parts parts;
  parts.hasShard = false;
  TESSERA_CHECKED(in.expect("Layout", "at the start"));
  TESSERA_CHECKED(in.expect("(", "after Layout"));
  do {
    if (in.accept("D=") || in.accept("D =")) {
      TESSERA_TRY(parts.shard, pythonPair(in));
      parts.hasShard = true;
    } else if (in.accept("R=") || in.accept("R =")) {
      TESSERA_TRY(parts.replica, pythonPair(in));
    } else if (in.accept("O=") || in.accept("O =")) {
      TESSERA_CHECKED(offsetTerm(in, parts, false));
      TESSERA_CHECKED(offsetTail(in, parts));
    } else {
      return in.fail("this is not an argument of Layout", "D=, R= or O=");
    }
  } while (in.accept(","));
  TESSERA_CHECKED(in.expect(")", "at the end"));
  return parts;
}

// The reader of a form; nullptr: none begins here.
using Form = Result<Parts> (*)(Cursor&);

// Whether one or two bracketed groups follow ( 8 2 ), the last of them strides with an axis.
bool atStrides(Cursor in) {
  for (int groups = 0; groups < 2; ++groups) {
    if (in.peek() != '(' && in.peek() != '[') return false;
    const std::size_t open = in.position();
    if (!in.acceptBracketed()) return false;
    const std::string_view group = in.text().substr(open + 1, in.position() - open - 2);
    if (group.find('@') != std::string_view::npos && group.find_first_of("(:") == std::string_view::npos) return true;
    if (group.find_first_not_of("0123456789, \t\r\n") != std::string_view::npos) return false;
  }
  return false;
}

// The form that begins here. A sum that begins with numbers is a layout if S[ or R[ follows soon.
Form formAt(Cursor in) {
  constexpr int kLeadingOffsets = 16;
  if (in.accept('(')) {  // first: most text that begins so is a shape
    bool any = false;
    for (; isDigit(in.peek()); any = true) {
      while (isDigit(in.raw())) in.advance();
      (void)in.accept(',');
    }
    if (in.peek() == ';') return paperForm;
    return any && in.accept(")") && atStrides(in) ? typesetForm : nullptr;
  }
  if (in.accept("D:") || in.accept("D :")) return articleForm;
  if (in.acceptWord("Layout")) return in.accept("(") && in.accept("D") && in.accept("=") ? pythonForm : nullptr;
  for (int terms = 0; terms <= kLeadingOffsets; ++terms) {
    if ((in.peek() == 'S' || in.peek() == 'R') && in.raw(1) == '[') return tvmForm;
    if (!isDigit(in.peek()) || !in.integer()) return nullptr;
    if (in.accept("@") && !axisAfterAt(in)) return nullptr;
    if (!signOfTerm(in)) return nullptr;
  }
  return nullptr;
}

Result<Layout> layoutOf(Parts parts, std::vector<i64> shape, Span whole) {
  if (!parts.hasShard)
    return Diag{"a layout needs a shard part", "S[extents:strides]", "a replicated scalar is S[1:1] + R[..]", whole};
  auto made =
      Layout::create(std::move(parts.shard), std::move(parts.replica), std::move(parts.offset), std::move(shape));
  if (!made.ok() && made.error().span.empty()) made.error().span = whole;
  return made;
}

}  // namespace

Result<Layout> parse(std::string_view text) {
  Scanner in(text);
  if (in.atEnd()) return in.fail("no layout here", "S[extents:strides] + R[..] + offset");
  Form form = formAt(in);
  if (form == nullptr) form = in.peek() == '(' ? typesetForm : in.peekWord() == "Layout" ? pythonForm : tvmForm;
  TESSERA_TRY(Parts parts, form(in));
  std::vector<i64> shape;
  if (in.acceptWord("over")) {
    TESSERA_TRY(shape, shapeTuple(in));
  }
  if (!in.atEnd())
    return in.fail("text after the end of the layout", "the end, `over (shape)`, or `+` and another term");
  return layoutOf(std::move(parts), std::move(shape), {0, text.size()});
}

Result<std::optional<Layout>> parsePrefix(Cursor& cursor) {
  Scanner in(cursor.text(), cursor.position());
  const std::size_t begin = in.start();
  const Form form = formAt(in);
  if (form == nullptr) return std::optional<Layout>();
  TESSERA_TRY(Parts parts, form(in));
  TESSERA_TRY(Layout layout, layoutOf(std::move(parts), {}, in.spanFrom(begin)));
  cursor.seek(in.position());
  return std::optional(std::move(layout));
}

}  // namespace tessera::axe
