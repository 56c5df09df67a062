#include "core/notation/cute/text/parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::cute {

Diag Parser::expected(std::string what) {
  return {fmt::format("{} where {} should be", cur_.found(), what), std::move(what), "", cur_.here()};
}

Result<void> Parser::expectEnd() {
  if (cur_.atEnd()) return {};
  if (cur_.peek() == ':') return Diag{"a second `:`", "one shape and one stride", "", cur_.here()};
  if (cur_.peek() == ')') return Diag{"a `)` without its `(`", "balanced parentheses", "", cur_.here()};
  return Diag{fmt::format("{} after the end of the layout", cur_.found()), "nothing more", "", cur_.here()};
}

void Parser::skipBraces() {
  const std::size_t before = cur_.position();
  if (cur_.accept('{') && cur_.accept('}')) return;
  cur_.seek(before);
}

Result<i64> Parser::integer() {
  if (!cur_.atInteger()) return expected("an integer");
  const std::size_t begin = cur_.position();
  Result<i64> value = cur_.integer();
  // Strides may be negated, which -2^63 does not allow.
  if (!value || *value == INT64_MIN)
    return cur_.failFrom(begin, "an integer that does not fit in 64 bits", "a value below 2^63");
  return value;
}

Result<IntTuple> Parser::unknownLeaf() {
  const std::size_t begin = cur_.position();
  cur_.advance();
  if (cur_.raw() != '{') return IntTuple::unknown();
  cur_.advance();
  int bits = 0;
  i64 divisor = 1;
  while (!cur_.accept('}')) {
    if (cur_.accept("div")) {
      if (!cur_.accept('=')) return expected("`=`");
      TESSERA_TRY(divisor, integer());
    } else if (cur_.peek() == 'i') {
      cur_.advance();
      TESSERA_TRY(const i64 width, integer());
      if (width < 1 || width > 64) return cur_.failFrom(begin, "an integer type wider than 64 bits", "i32 or i64");
      bits = static_cast<int>(width);
    } else {
      return expected("`i64`, `div=N` or `}`");
    }
  }
  if (divisor < 1) return cur_.failFrom(begin, "a divisor below 1", "div=N with N >= 1");
  return IntTuple::unknown(bits, divisor);
}

// 1@0@1: innermost index first, so the path (outermost first) is reversed.
Result<IntTuple> Parser::withBasis(IntTuple value, std::size_t begin) {
  if (cur_.raw() != '@') return value;
  std::vector<int> path;
  while (cur_.raw() == '@') {
    cur_.advance();
    if (!isDigit(cur_.raw()))
      return Diag{"`@` without a mode number", "1@0: value 1 in mode 0", "", {begin, cur_.position()}};
    TESSERA_TRY(const i64 index, integer());
    if (index > 63 || path.size() >= 16) return cur_.failFrom(begin, "a basis index above 63", "a small mode index");
    path.insert(path.begin(), static_cast<int>(index));
  }
  if (!value.isKnown()) return cur_.failFrom(begin, "a scaled basis without a value", "1@0: value 1 in mode 0");
  return IntTuple::scaledBasis(value.value(), std::move(path), value.isStatic());
}

Result<IntTuple> Parser::leaf() {
  const std::size_t begin = cur_.start();
  IntTuple value;
  if (cur_.raw() == '?') {
    TESSERA_TRY(value, unknownLeaf());
  } else if (cur_.raw() == '_') {
    cur_.advance();
    const bool number = isDigit(cur_.raw()) || (cur_.raw() == '-' && isDigit(cur_.raw(1)));
    value = IntTuple::wildcard();
    if (number) {
      TESSERA_TRY(const i64 v, integer());
      value = IntTuple::staticLeaf(v);
    }
  } else {
    TESSERA_TRY(const i64 v, integer());
    value = IntTuple(v);
  }
  TESSERA_TRY(value, withBasis(value, begin));
  skipBraces();
  if (spans_.size() >= IntTuple::kMaxLeaves)
    return cur_.failFrom(begin, fmt::format("more than {} integers", IntTuple::kMaxLeaves), "a smaller layout");
  spans_.push_back(cur_.spanFrom(begin));
  return value;
}

namespace {

bool isElement(const Value& v) {
  return std::holds_alternative<IntTuple>(v) || std::holds_alternative<Layout>(v) || std::holds_alternative<Tiler>(v);
}

// Inside a tiler, an integer n is the layout n:1 and a tuple is a nested tiler.
Result<Tiler> tilerOfItems(std::vector<Value> items) {
  Tiler tiler;
  for (Value& v : items) {
    TilerEntry entry;
    if (auto* layout = std::get_if<Layout>(&v)) {
      entry.kind = TilerEntry::Kind::Layout;
      entry.layout = std::move(*layout);
    } else if (auto* nested = std::get_if<Tiler>(&v)) {
      entry.kind = TilerEntry::Kind::Nested;
      entry.nested = std::move(*nested);
    } else {
      TESSERA_TRY(Tiler one, tilerOfShape(IntTuple::tuple({std::get<IntTuple>(v)})));
      entry = std::move(one.entries[0]);
    }
    tiler.entries.push_back(std::move(entry));
  }
  return tiler;
}

}  // namespace

// Reads from `open` to `close`: a tiler if it contains a layout, else a tuple if `tuples` allows integers.
Result<Value> Parser::list(char open, char close, std::string_view separators, bool tuples) {
  const Nesting level;
  cur_.skipBlanks();
  const Span opening = cur_.here();
  if (level.tooDeep()) return level.refusal(cur_);
  cur_.advance();
  std::vector<Value> items;
  while (!cur_.accept(close)) {
    if (cur_.atEnd()) return Diag{fmt::format("the `{}` is not closed", open), fmt::format("`{}`", close), "", opening};
    const std::size_t begin = cur_.here().begin;
    if (separators.find(cur_.peek()) != std::string_view::npos)
      return Diag{"an empty element", "an integer", "", cur_.here()};
    TESSERA_TRY(Value item, element());
    if (!isElement(item))
      return cur_.failFrom(begin, fmt::format("a {} inside a tuple", nameOf(item)), "an integer, a tuple or a layout");
    items.push_back(std::move(item));
    if (separators.find(cur_.peek()) != std::string_view::npos && !cur_.atEnd()) {
      cur_.advance();
    } else if (cur_.peek() == ':') {
      return Diag{fmt::format("`:` inside the `{}`, which is not closed", open), fmt::format("`,` or `{}`", close), "",
                  cur_.here()};
    } else if (cur_.peek() != close && !cur_.atEnd()) {
      return expected(fmt::format("`,` or `{}`", close));
    }
  }
  const bool anyLayout = !std::ranges::all_of(items, [](const Value& v) { return v.index() == 0; });
  if (tuples && !anyLayout) {
    std::vector<IntTuple> children;
    for (Value& v : items) children.push_back(std::get<IntTuple>(std::move(v)));
    return Value(IntTuple::tuple(std::move(children)));
  }
  return asValue(tilerOfItems(std::move(items)));
}

Result<Layout> Parser::layoutAt(IntTuple shape, IntTuple stride, Span shapeSpan, Span strideSpan,
                                std::size_t shapeFirst, std::size_t strideFirst) {
  if (auto fault = findFault(shape, stride)) {
    const bool inShape = fault->part == LayoutFault::Part::Shape;
    fault->diag.span = inShape ? shapeSpan : strideSpan;
    const std::size_t at = (inShape ? shapeFirst : strideFirst) + static_cast<std::size_t>(std::max(0, fault->leaf));
    if (fault->leaf >= 0 && at < spans_.size()) fault->diag.span = spans_[at];
    return std::move(fault->diag);
  }
  return Layout::make(std::move(shape), std::move(stride));
}

Result<Value> Parser::strideOf(const Value& shape, Span shapeSpan, std::size_t shapeFirst) {
  const Span colon = cur_.here();
  cur_.advance();
  const auto* tuple = std::get_if<IntTuple>(&shape);
  if (tuple == nullptr) return Diag{"a second `:`", "one shape and one stride", "", colon};
  if (cur_.atEnd()) {
    Diag diag{"the strides after `:` are missing", "a stride for each mode of the shape", "", colon};
    if (const Result<Layout> guess = Layout::compact(*tuple); guess.ok())
      diag.hint = fmt::format("did you mean {}?", print(*guess));
    return diag;
  }
  const std::size_t strideFirst = spans_.size();
  const std::size_t begin = cur_.start();
  TESSERA_TRY(Value stride, bare());
  const auto* strides = std::get_if<IntTuple>(&stride);
  if (strides == nullptr)
    return cur_.failFrom(begin, fmt::format("a {} where the strides should be", nameOf(stride)), "integers");
  if (Nesting::levels() > outer_ && tuple->isLeaf() && strides->isTuple()) {  // (4,8:(8,1)
    return Diag{"`:` inside a `(` that is not closed", "`)` before the `:`", "", colon};
  }
  return asValue(layoutAt(*tuple, *strides, shapeSpan, cur_.spanFrom(begin), shapeFirst, strideFirst));
}

Result<Value> Parser::bare() {
  switch (cur_.peek()) {
    case '(':
      return list('(', ')', ",", true);
    case '<':
      return list('<', '>', ",", false);
    case '[':
      return list('[', ']', ",;", false);
    case ':':
      return Diag{"the shape before `:` is missing", "a shape, as in (4,8):(8,1)", "", cur_.here()};
    default:
      break;
  }
  const std::string_view w = cur_.peekWord();
  const bool number = w.empty() || (w[0] == '_' && (w.size() == 1 || isDigit(w[1])));
  if (!number) return word();
  return asValue(leaf());
}

Result<Value> Parser::element() {
  const std::size_t begin = cur_.start();
  const std::size_t firstSpan = spans_.size();
  TESSERA_TRY(Value value, bare());
  if (cur_.peek() != ':' || !std::holds_alternative<IntTuple>(value)) return value;
  std::size_t end = cur_.position();
  while (end > begin && isBlank(cur_.text()[end - 1])) --end;
  return strideOf(value, {begin, end}, firstSpan);
}

Result<Value> Parser::part() {
  if (cur_.atEnd()) return Diag{"the text is empty here", "a layout, as in (4,8):(8,1)", "", cur_.here()};
  if (cur_.peek() == '!') return mlir();
  return element();
}

Result<Value> Parser::chain() {
  const std::size_t begin = cur_.start();
  std::vector<Value> parts;
  bool attached = false;
  do {
    if (!parts.empty() && cur_.atEnd())
      return Diag{"nothing after ` o `", "a layout, as in Sw<3,4,3> o 0 o (8,64):(64,1)", "", cur_.here()};
    TESSERA_TRY(Value value, part());
    parts.push_back(std::move(value));
    // Sw<3,4,3>_smem_ptr[16b](0x400)
    attached = std::holds_alternative<Swizzle>(parts.back()) && cur_.raw() == '_' && isLetter(cur_.raw(1));
    if (attached) {
      cur_.advance();
      continue;
    }
    attached = cur_.peekWord() == "o";
    if (attached) cur_.advance();
  } while (attached && parts.size() < 8);
  const std::size_t end = cur_.position();
  Result<Value> value = composeParts(parts);
  if (!value && value.error().span.empty()) value.error().span = {begin, end};
  return value;
}

}  // namespace tessera::cute
