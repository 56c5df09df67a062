// The parser of shapes, one function per production. It also gives the validator's faults their places.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/chars.h"
#include "core/base/cursor.h"
#include "core/notation/xla/instruction.h"

namespace tessera::xla {

namespace {

// The places of each part of an array shape, in the order of the validator's indices; without one, the whole shape.
// Part Order has one place per entry, then the whole list.
struct Places {
  Span whole;
  std::map<Fault::Part, std::vector<Span>> spans;

  void add(Fault::Part part, Span span) { spans[part].push_back(span); }
  [[nodiscard]] Span of(const Fault& fault) const {
    const auto found = spans.find(fault.part);
    return found == spans.end() || fault.index >= found->second.size() ? whole : found->second[fault.index];
  }
};

struct ArrayParts {
  std::string type;
  std::vector<Dim> dims;
  Layout layout;
  bool hasLayout = false;
  Places places;
};

Result<void> dimensions(Cursor& in, ArrayParts& parts) {
  if (in.accept("]")) return {};
  do {
    const std::size_t begin = in.start();
    Dim dim;
    if (in.accept("?")) {
      dim.unbounded = true;
      dim.dynamic = true;
    } else {
      dim.dynamic = in.accept("<=");
      TESSERA_TRY(dim.size, in.integer("a dimension's size"));
    }
    parts.dims.push_back(dim);
    parts.places.add(Fault::Part::Dim, in.spanFrom(begin));
  } while (in.accept(","));
  return in.expect("]", "after the dimensions");
}

Result<i64> parenthesised(Cursor& in, std::string_view what) {
  TESSERA_CHECKED(in.expect("(", fmt::format("after {}", what)));
  TESSERA_TRY(const i64 n, in.integer("a number"));
  TESSERA_CHECKED(in.expect(")", fmt::format("after {}'s number", what)));
  return n;
}

Result<void> tiles(Cursor& in, ArrayParts& parts) {
  if (in.peek() != '(') return in.fail("`(` is missing after T", "T(8,128)");
  while (in.peek() == '(') {
    const std::size_t begin = in.position();
    (void)in.accept("(");
    std::vector<i64> tile;
    if (in.peek() != ')') do {
        if (in.accept("*")) {
          tile.push_back(kCombine);
        } else {
          const std::size_t at = in.start();
          TESSERA_TRY(const i64 t, in.integer("a tile size"));
          if (t < 0) {
            return Diag{
                fmt::format("the tile size {} is negative", t), "tile sizes >= 1, or *", "", {at, in.position()}};
          }
          tile.push_back(t);
        }
      } while (in.accept(","));
    TESSERA_CHECKED(in.expect(")", "after a tile's sizes"));
    parts.layout.tiles.push_back(std::move(tile));
    parts.places.add(Fault::Part::Tile, in.spanFrom(begin));
  }
  return {};
}

Result<void> splits(Cursor& in, ArrayParts& parts) {
  if (in.peek() != '(') return in.fail("`(` is missing after SC", "SC(0:10)");
  while (in.peek() == '(') {
    const std::size_t begin = in.position();
    (void)in.accept("(");
    Split split;
    TESSERA_TRY(split.dim, in.integer("a physical dimension"));
    TESSERA_CHECKED(in.expect(":", "after the physical dimension"));
    do {
      TESSERA_TRY(const i64 at, in.integer("a split index"));
      split.indices.push_back(at);
    } while (in.accept(","));
    TESSERA_CHECKED(in.expect(")", "after the split indices"));
    parts.layout.splits.push_back(std::move(split));
    parts.places.add(Fault::Part::Split, in.spanFrom(begin));
  }
  return {};
}

// D(D,C+,H~): read and dropped, as in current XLA.
Result<void> levels(Cursor& in) {
  TESSERA_CHECKED(in.expect("(", "after D"));
  do {
    if (!in.accept("D") && !in.accept("C") && !in.accept("S") && !in.accept("H"))
      return in.fail("expected a DimLevelType abbreviation (D, C, or S)", "D, C, S or H");
    (void)in.accept("+");
    (void)in.accept("~");
  } while (in.accept(","));
  return in.expect(")", "after the dimension levels");
}

// #(u32), *(u64), of sparse arrays: XLA parses them, and its validator rejects them.
Result<void> sparseType(Cursor& in, std::string_view mark, std::size_t begin) {
  TESSERA_CHECKED(in.expect("(", fmt::format("after {}", mark)));
  const Type* type = findType(in.peekWord());
  if (type == nullptr || !type->isUnsigned) {
    return in.fail(fmt::format("{} is expecting an unsigned integer type", mark), "u8, u16, u32 or u64");
  }
  (void)in.accept(type->name);
  TESSERA_CHECKED(in.expect(")", "after the type"));
  return Diag{fmt::format("{}({}) gives the {} type of a sparse array; this array is dense", mark, type->name,
                          mark == "#" ? "index" : "pointer"),
              "no # and no *",
              "",
              {begin, in.position()}};
}

// P(..), the shape of a sparse array's buffers.
Result<void> physicalShape(Cursor& in, std::size_t begin) {
  TESSERA_CHECKED(in.expect("(", "after P"));
  TESSERA_TRY(const Shape physical, readShape(in));
  TESSERA_CHECKED(in.expect(")", "after the physical shape"));
  return Diag{fmt::format("Layout has physical shape, but is not for a sparse array: {}", print(physical)), "no P(..)",
              "", in.spanFrom(begin)};
}

// The attributes in their order; those with one number name its member.
struct Attribute {
  std::string_view name;
  i64 Layout::*number = nullptr;
  Fault::Part part = Fault::Part::Whole;
};
constexpr Attribute kAttributes[] = {
    {"D"},
    {"T"},
    {"L", &Layout::tailAlignment, Fault::Part::Tail},
    {"#"},
    {"*"},
    {"E", &Layout::elementBits, Fault::Part::ElementBits},
    {"S", &Layout::memorySpace, Fault::Part::Space},
    {"SC"},
    {"P"},
    {"M", &Layout::metadataPrefix, Fault::Part::Metadata},
};

Result<void> attribute(Cursor& in, const Attribute& which, ArrayParts& parts, std::size_t begin) {
  if (which.number != nullptr) {
    TESSERA_TRY(parts.layout.*which.number, parenthesised(in, which.name));
    parts.places.add(which.part, in.spanFrom(begin));
    return {};
  }
  if (which.name == "D") return levels(in);
  if (which.name == "T") return tiles(in, parts);
  if (which.name == "SC") return splits(in, parts);
  return which.name == "P" ? physicalShape(in, begin) : sparseType(in, which.name, begin);
}

Result<void> attributes(Cursor& in, ArrayParts& parts) {
  const Attribute* next = std::begin(kAttributes);
  while (in.peek() != '}') {
    const std::size_t begin = in.position();
    std::string_view word = in.peekWord();
    if (word.empty() && (in.peek() == '#' || in.peek() == '*')) word = in.peek() == '#' ? "#" : "*";
    const Attribute* found = std::ranges::find(kAttributes, word, &Attribute::name);
    if (found == std::end(kAttributes))
      return in.fail(in.peek() == '\0' ? "this layout is never closed" : "this is not an attribute of a layout",
                     "T(..), L(n), E(n), S(n), SC(d:i), M(n) or `}`");
    if (found < next)
      return in.fail(found + 1 == next ? fmt::format("{} appears twice", word)
                                       : fmt::format("{} comes after {}", word, (next - 1)->name),
                     "the order D T L # * E S SC P M, each once");
    next = found + 1;
    (void)in.accept(word);
    TESSERA_CHECKED(attribute(in, *found, parts, begin));
  }
  return {};
}

// A `{` belongs to the shape only before an integer or a `:`, like the lookahead of XLA's lexer.
bool atLayout(Cursor& in) {
  if (in.peek() != '{') return false;
  const std::size_t begin = in.position();
  (void)in.accept("{");
  const bool layout = in.atInteger() || in.peek() == ':';
  in.seek(begin);
  return layout;
}

Result<void> layoutOf(Cursor& in, ArrayParts& parts) {
  parts.hasLayout = true;
  const std::size_t begin = in.position();
  (void)in.accept("{");
  if (in.atInteger()) {
    do {
      const std::size_t at = in.start();
      TESSERA_TRY(const i64 d, in.integer("a dimension"));
      parts.layout.minorToMajor.push_back(d);
      parts.places.add(Fault::Part::Order, in.spanFrom(at));
    } while (in.accept(","));
  }
  parts.places.add(Fault::Part::Order, in.spanFrom(begin));
  if (in.accept(":")) TESSERA_CHECKED(attributes(in, parts));
  return in.expect("}", "after the layout");
}

Diag unknownType(Cursor& in) {
  const std::string_view word = in.peekWord();
  const std::string lower = lowerCase(word);
  if (findType(lower) != nullptr) {
    return in.fail(fmt::format("XLA writes element types in lower case, not {}", word), "", lower);
  }
  if (word.empty()) return in.fail("no shape here", "f32[2,3]{1,0}, a tuple (..), token[]");
  return in.fail(fmt::format("{} is not an element type of XLA", word.substr(0, 40)),
                 "f32, bf16, s8, u4, pred, f8e4m3fn ...");
}

Result<Shape> arrayShape(Cursor& in) {
  ArrayParts parts;
  const std::size_t begin = in.position();
  const Type* type = findType(in.peekWord());
  if (type == nullptr) return unknownType(in);
  (void)in.accept(type->name);
  TESSERA_CHECKED(in.expect("[", "after the element type"));
  TESSERA_CHECKED(dimensions(in, parts));
  if (atLayout(in)) TESSERA_CHECKED(layoutOf(in, parts));
  parts.places.whole = in.spanFrom(begin);
  if (!parts.hasLayout) {
    for (std::size_t k = parts.dims.size(); k-- > 0;) parts.layout.minorToMajor.push_back(static_cast<i64>(k));
  }
  if (auto fault = check(*type, parts.dims, parts.layout)) {
    fault->diag.span = parts.places.of(*fault);
    return std::move(fault->diag);
  }
  return Shape::array(type->name, std::move(parts.dims), std::move(parts.layout));
}

Result<Shape> tupleShape(Cursor& in) {
  std::vector<Shape> elements;
  if (in.accept(")")) return Shape::tuple({});
  do {
    TESSERA_TRY(Shape element, readShape(in));
    elements.push_back(std::move(element));
  } while (in.accept(","));
  TESSERA_CHECKED(in.expect(")", "after the tuple's shapes"));
  return Shape::tuple(std::move(elements));
}

}  // namespace

Result<Shape> readShape(Cursor& in) {
  const Nesting level;
  if (level.tooDeep()) return level.refusal(in);
  if (in.accept("(")) return tupleShape(in);
  const std::string_view word = in.peekWord();
  const std::size_t begin = in.position();
  if (word == "token" || word == "opaque" || word == "opaque_type") {
    (void)in.accept(word);
    TESSERA_CHECKED(in.expect("[", fmt::format("after {}", word)));
    TESSERA_CHECKED(in.expect("]", fmt::format("after {}[", word)));
    return word == "token" ? Shape::token() : Shape::opaque();
  }
  if (word == "b") {
    (void)in.accept("b");
    TESSERA_CHECKED(in.expect("(", "after b"));
    TESSERA_TRY(Shape inner, readShape(in));
    TESSERA_CHECKED(in.expect(")", "after the buffer's shape"));
    Result<Shape> made = Shape::buffer(std::move(inner));
    if (!made) made.error().span = {begin, in.position()};
    return made;
  }
  return arrayShape(in);
}

Result<Shape> parseShape(std::string_view text) {
  Reader in(text);
  TESSERA_TRY(Shape shape, readShape(in));
  if (in.peek() != '\0' || in.position() < text.size()) {
    return in.fail("extra content after the shape", "the end of the text",
                   text.substr(in.position(), 1) == "{" ? "a layout begins with a dimension or a `:`" : "");
  }
  return shape;
}

}  // namespace tessera::xla
