// Reads the literal at the start of a longer text, in the formats of CuTe's printers, without worksheet names:
// (4,8):(8,1) is a literal, (M,8):(8,1) is not. In `A o B` only A is a literal, and the worksheet handles `o`, unless
// the whole is one composed layout: it contains a pointer, or has the form outer o offset o inner.
#include <algorithm>
#include <array>

#include "core/notation/cute/text/parser.h"

namespace tessera::cute {
namespace {

struct Word {
  std::string_view word;
  char open;
};
constexpr std::array kWords = std::to_array<Word>({
    {"Sw", '<'},         {"S", '<'},        {"Swizzle", '<'},  {"Layout", '<'},        {"ComposedLayout", '<'},
    {"Shape", '<'},      {"Stride", '<'},   {"Coord", '<'},    {"Step", '<'},          {"Tile", '<'},
    {"tuple", '<'},      {"smem_ptr", '['}, {"gmem_ptr", '['}, {"rmem_ptr", '['},      {"ptr", '['},
    {"tmem_", '['},      {"subptr", '['},   {"Int", '<'},      {"counting_iter", '('}, {"C", '<'},
    {"ArithTuple", '('}, {"E", '<'},        {"tensor", '<'},   {"tensor", '('},
});

std::string_view withoutLibrary(std::string_view word) {
  for (const std::string_view library : {"cute::", "tla::"})
    if (word.starts_with(library)) word.remove_prefix(library.size());
  return word;
}

}  // namespace

// Whether one of the words is here, followed by a closed bracket; `S < 3` is a comparison.
bool Parser::atKnownWord() {
  const std::string_view full = cur_.peekWord();
  const std::string_view word = withoutLibrary(full);
  if (word.starts_with("SW_")) return true;
  Cursor ahead = cur_;
  ahead.advance(full.size());
  const char open = ahead.raw();
  return std::ranges::any_of(kWords, [&](const Word& w) { return w.word == word && w.open == open; }) &&
         ahead.acceptBracketed();
}

// 8 _8 -8 _-8 ? ?{i64 div=4} _ Int<8>{} E<0>{}, each optionally followed by @N ...
bool Parser::atPlainLeaf() {
  const char c = cur_.peek();
  if (c == '?') return true;
  if (isLetter(c)) {
    const std::string_view word = withoutLibrary(cur_.peekWord());
    if (word == "Int" || word == "C" || word == "E") return atKnownWord();
  }
  std::size_t k = c == '_' ? 1 : 0;
  if (cur_.raw(k) == '-') ++k;
  const std::size_t digits = k;
  while (isDigit(cur_.raw(k))) ++k;
  if (isNamePart(cur_.raw(k))) return false;
  return k > digits || (c == '_' && digits == 1);
}

// Fast path for most leaves: a few digits directly followed by a comma, a bracket or a colon; nullopt, without moving
// the cursor, otherwise.
std::optional<i64> Parser::bareNumber() {
  constexpr std::size_t kMost = 18;  // digits that always fit
  i64 n = 0;
  std::size_t k = 0;
  for (; k < kMost && isDigit(cur_.raw(k)); ++k) n = n * 10 + (cur_.raw(k) - '0');
  const char next = cur_.raw(k);
  if (k == 0 || (next != ',' && next != ')' && next != ':') || spans_.size() >= IntTuple::kMaxLeaves)
    return std::nullopt;
  spans_.push_back({cur_.position(), cur_.position() + k});
  cur_.advance(k);
  return n;
}

// A leaf, or parentheses and commas around leaves; otherwise nullopt, with the cursor at an unspecified place.
Result<std::optional<IntTuple>> Parser::plainTuple() {
  using Nothing = std::optional<IntTuple>;
  if (cur_.peek() != '(') {
    if (const auto n = bareNumber()) return std::optional(IntTuple(*n));
    if (!atPlainLeaf()) return Nothing();
    if (!isLetter(cur_.peek())) {
      TESSERA_TRY(IntTuple number, leaf());
      return std::optional(std::move(number));
    }
    TESSERA_TRY(Value value, bare());
    if (auto* leaf = std::get_if<IntTuple>(&value)) return std::optional(std::move(*leaf));
    return Nothing();
  }
  const Nesting level;
  if (level.tooDeep()) return Nothing();  // the worksheet reports the depth
  cur_.advance();
  std::vector<IntTuple> children;
  children.reserve(4);
  while (!cur_.accept(')')) {
    TESSERA_TRY(Nothing child, plainTuple());
    if (!child) return Nothing();
    children.push_back(*std::move(child));
    if (!cur_.accept(',') && cur_.peek() != ')') return Nothing();  // (4-1), (4 8), (4:1)
  }
  return std::optional(IntTuple::tuple(std::move(children)));
}

// shape, or shape:stride. Text after the shape that is not a stride is left unread, including its colon.
Result<std::optional<Value>> Parser::tupleOrLayout() {
  const std::size_t begin = cur_.start(), shapeFirst = spans_.size();
  TESSERA_TRY(std::optional<IntTuple> shape, plainTuple());
  if (!shape) {
    cur_.giveUp(cur_.position());
    cur_.seek(begin);
    spans_.resize(shapeFirst);
    return std::optional<Value>();
  }
  const std::size_t end = cur_.position(), strideFirst = spans_.size();
  if (cur_.peek() == ':' && cur_.raw(1) != ':') {
    cur_.advance();
    const std::size_t strideBegin = cur_.start();
    TESSERA_TRY(std::optional<IntTuple> stride, plainTuple());
    if (stride) {
      TESSERA_TRY(Layout layout, layoutAt(*std::move(shape), *std::move(stride), {begin, end},
                                          cur_.spanFrom(strideBegin), shapeFirst, strideFirst));
      return std::optional<Value>(std::move(layout));
    }
    spans_.resize(strideFirst);
  }
  cur_.seek(end);
  return std::optional<Value>(*std::move(shape));
}

// One part of a chain, with a pointer attached to a swizzle: Sw<3,4,3>_smem_ptr[16b](0x400).
Result<std::vector<Value>> Parser::literalPart() {
  TESSERA_TRY(std::optional<Value> plain, tupleOrLayout());
  std::vector<Value> parts;
  if (plain) {
    parts.push_back(*std::move(plain));
    return parts;
  }
  if (!atKnownWord()) return parts;
  TESSERA_TRY(Value value, word());
  parts.push_back(std::move(value));
  if (!std::holds_alternative<Swizzle>(parts[0]) || cur_.raw() != '_' || !isLetter(cur_.raw(1))) return parts;
  const std::size_t before = cur_.position();
  cur_.advance();
  if (atKnownWord()) {
    TESSERA_TRY(Value pointer, word());
    parts.push_back(std::move(pointer));
  } else {
    cur_.seek(before);
  }
  return parts;
}

Result<std::optional<Value>> Parser::literal() {
  using Nothing = std::optional<Value>;
  constexpr std::size_t kLongest = 4;  // pieces of a chain in one literal
  const std::size_t begin = cur_.start();
  if (cur_.raw() == '!') {
    TESSERA_TRY(Value value, mlir());
    return std::optional(std::move(value));
  }
  TESSERA_TRY(std::optional<Value> alone, tupleOrLayout());
  if (alone && cur_.peek() != 'o') return alone;  // no chain: the usual case
  if (!alone && !atKnownWord()) return Nothing();
  cur_.seek(begin);
  spans_.clear();
  std::vector<std::vector<Value>> pieces;
  std::vector<std::size_t> ends;
  do {
    TESSERA_TRY(std::vector<Value> piece, literalPart());
    if (piece.empty()) break;
    if (pieces.empty() && piece.size() == 1 && cur_.peek() != 'o' && !std::holds_alternative<Engine>(piece[0]))
      return std::optional(std::move(piece[0]));  // no chain
    pieces.push_back(std::move(piece));
    ends.push_back(cur_.position());
    while (ends.back() > begin && isBlank(cur_.text()[ends.back() - 1])) --ends.back();
    if (pieces.size() == kLongest || cur_.peekWord() != "o" || cur_.position() == ends.back()) break;
    cur_.advance();
  } while (true);
  if (pieces.empty()) {
    cur_.seek(begin);
    return Nothing();
  }
  const auto pointer = [](const auto& piece) { return std::holds_alternative<Engine>(piece.back()); };
  const auto offset = [](const auto& piece) { return std::holds_alternative<IntTuple>(piece.back()); };
  const bool composed = (pieces.size() > 1 && std::ranges::any_of(pieces, pointer)) ||
                        (pieces.size() == 3 && !offset(pieces[0]) && offset(pieces[1]) &&
                         std::holds_alternative<Layout>(pieces[2].back()));
  if (!composed) pieces.resize(1);
  cur_.seek(ends[pieces.size() - 1]);
  std::vector<Value> parts;
  for (std::vector<Value>& piece : pieces)
    for (Value& part : piece) parts.push_back(std::move(part));
  Result<Value> value = composeParts(parts);
  if (!value && value.error().span.empty()) value.error().span = cur_.spanFrom(begin);
  if (!value) return value.error();
  return std::optional(*std::move(value));
}

}  // namespace tessera::cute
