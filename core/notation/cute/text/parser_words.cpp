// The constructs of parser.h that begin with a word: C++ types and calls, swizzles, MLIR.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/notation/cute/text/parser.h"

namespace tessera::cute {

namespace {

constexpr std::array kTupleTypes = {"Shape", "Stride", "Coord", "Step", "IntTuple", "tuple", "Tile", "TileShape"};
constexpr std::array kTupleCalls = {"make_shape", "make_stride", "make_coord", "make_tuple", "make_tile",
                                    "make_step",  "MakeShape",   "MakeStride", "MakeCoord",  "MakeTuple"};
constexpr std::array kConstantTypes = {"Int", "C", "constant", "integral_constant"};
constexpr std::array kRuntimeTypes = {"int",     "long",     "unsigned", "short",  "int32_t",  "int64_t",
                                      "int16_t", "uint32_t", "uint64_t", "size_t", "uint16_t", "ptrdiff_t"};
constexpr std::array kEngines = {"smem_ptr", "gmem_ptr", "rmem_ptr",      "ptr",
                                 "tmem_",    "subptr",   "counting_iter", "ArithTuple"};

template <std::size_t N>
bool isIn(const std::array<const char*, N>& table, std::string_view name) {
  return std::ranges::any_of(table, [&](const char* row) { return name == row; });
}

std::string_view withoutNamespace(std::string_view name) {
  const std::size_t at = name.rfind("::");
  return at == std::string_view::npos ? name : name.substr(at + 2);
}

}  // namespace

Result<Value> Parser::word() {
  const std::size_t begin = cur_.start();
  const std::string_view full = cur_.peekWord();
  const std::string_view name = withoutNamespace(full);
  if (name.starts_with("SW_") || name.starts_with("Sw_")) {
    cur_.advance(full.size() - name.size() + 3);
    return asValue(pycuteSwizzle(begin));
  }
  if (name.size() > 1 && name[0] == '_' && isDigit(name[1])) {  // cute::_8
    cur_.advance(full.size() - name.size());
    return asValue(leaf());
  }
  cur_.advance(full.size());
  if ((name == "Sw" || name == "S" || name == "Swizzle") && cur_.peek() == '<') {
    TESSERA_TRY(Swizzle s, swizzleArguments(begin));
    skipBraces();
    return Value(s.withOnBytes(name == "S"));
  }
  if (isIn(kEngines, name)) return asValue(engine(name, begin));
  if (name == "tensor") return dslTensor(begin);
  return typeOrCall(name, begin);
}

Result<Value> Parser::typeOrCall(std::string_view name, std::size_t begin) {
  const Nesting level;
  if (level.tooDeep()) return level.refusal(cur_);
  const char next = cur_.peek();
  if (isIn(kTupleTypes, name) && next == '<') {
    const bool outside = std::exchange(inStep_, name == "Step");
    TESSERA_TRY(Value value, list('<', '>', ",", true));
    inStep_ = outside;
    skipBraces();
    return value;
  }
  if (isIn(kTupleCalls, name) && next == '(') return list('(', ')', ",", true);
  if (isIn(kConstantTypes, name) && next == '<') return asValue(constantType(begin));
  if ((name == "E" || name == "ScaledBasis") && next == '<') return asValue(basisType(begin, name != "E"));
  if (isIn(kRuntimeTypes, name)) {
    (void)skipRuntimeTypes();
    spans_.push_back(cur_.spanFrom(begin));
    return Value(IntTuple::unknown());
  }
  if (name == "Underscore" || (name == "X" && inStep_)) {
    skipBraces();
    spans_.push_back(cur_.spanFrom(begin));
    return Value(IntTuple::wildcard());
  }
  if (name == "Layout" && next == '<') return layoutType(begin, '>');
  if ((name == "make_layout" || name == "MakeLayout") && next == '(') return layoutType(begin, ')');
  if ((name == "ComposedLayout" && next == '<') || (name == "make_composed_layout" && next == '('))
    return composedType(begin);
  return Diag{fmt::format("`{}` is not an integer", name),
              "an integer, or a layout as in (4,8):(8,1)",
              "",
              {begin, begin + name.size()}};
}

bool Parser::skipRuntimeTypes() {
  bool any = false;
  for (; isIn(kRuntimeTypes, cur_.peekWord()); any = true) cur_.advance(cur_.peekWord().size());
  return any;
}

// Int<8>, C<8>, integral_constant<int,8>, C<(int)8>.
Result<IntTuple> Parser::constantType(std::size_t begin) {
  cur_.advance();
  if (skipRuntimeTypes() && !cur_.accept(',')) return expected("`,`");
  if (cur_.accept('(')) {
    (void)skipRuntimeTypes();
    if (!cur_.accept(')')) return expected("`)`");
  }
  TESSERA_TRY(const i64 v, integer());
  while (cur_.raw() == 'u' || cur_.raw() == 'U' || cur_.raw() == 'l' || cur_.raw() == 'L') cur_.advance();
  if (!cur_.accept('>')) return expected("`>`");
  skipBraces();
  spans_.push_back(cur_.spanFrom(begin));
  return withBasis(IntTuple::staticLeaf(v), begin);
}

// E<1,0> = 1@0@1; ScaledBasis<C<5>,1,0> = 5@0@1.
Result<IntTuple> Parser::basisType(std::size_t begin, bool leadingValue) {
  cur_.advance();
  IntTuple value = IntTuple::staticLeaf(1);
  if (leadingValue) {
    TESSERA_TRY(Value first, bare());
    const auto* number = std::get_if<IntTuple>(&first);
    if (number == nullptr || !number->isKnown())
      return cur_.failFrom(begin, "a scaled basis without a value", "ScaledBasis<C<1>,0>");
    spans_.pop_back();
    value = *number;
    if (cur_.peek() != '>' && !cur_.accept(',')) return expected("`,` or `>`");
  }
  std::vector<int> path;
  while (cur_.peek() != '>') {
    TESSERA_TRY(const i64 index, integer());
    if (index < 0 || index > 63 || path.size() >= 16)
      return cur_.failFrom(begin, "a basis index is 0 to 63", "a small mode index");
    path.push_back(static_cast<int>(index));
    if (cur_.peek() != '>' && !cur_.accept(',')) return expected("`,` or `>`");
  }
  cur_.advance();
  skipBraces();
  if (cur_.accept('*')) {  // E<0>{} * 5
    TESSERA_TRY(const i64 factor, integer());
    value = IntTuple(factor);
  }
  spans_.push_back(cur_.spanFrom(begin));
  return IntTuple::scaledBasis(value.value(), std::move(path), value.isStatic());
}

// Layout<Shape, Stride> and make_layout(shape, stride); strides may be omitted or named.
Result<Value> Parser::layoutType(std::size_t begin, char close) {
  cur_.advance();
  std::vector<Value> items;
  std::vector<Span> spans;
  std::vector<std::size_t> firsts;
  std::string_view major = "LayoutLeft";
  while (!cur_.accept(close)) {
    if (cur_.atEnd()) return expected(fmt::format("`{}`", close));
    const std::string_view w = withoutNamespace(cur_.peekWord());
    if (!items.empty() && (w == "LayoutLeft" || w == "LayoutRight" || w == "GenColMajor" || w == "GenRowMajor")) {
      major = w;
      cur_.advance(cur_.peekWord().size());
      skipBraces();
    } else {
      firsts.push_back(spans_.size());
      const std::size_t at = cur_.start();
      TESSERA_TRY(Value item, element());
      spans.push_back(cur_.spanFrom(at));
      items.push_back(std::move(item));
    }
    if (cur_.peek() != close && !cur_.accept(',')) return expected(fmt::format("`,` or `{}`", close));
  }
  skipBraces();
  const auto tupleAt = [&](std::size_t k) { return k < items.size() ? std::get_if<IntTuple>(&items[k]) : nullptr; };
  if (items.size() == 2 && tupleAt(0) != nullptr && tupleAt(1) != nullptr)
    return asValue(layoutAt(*tupleAt(0), *tupleAt(1), spans[0], spans[1], firsts[0], firsts[1]));
  if (items.size() == 1 && tupleAt(0) != nullptr) {
    TESSERA_TRY(Layout layout, Layout::compact(*tupleAt(0)));
    if (major == "LayoutLeft" || major == "GenColMajor") return Value(std::move(layout));
    if (!layout.shape().allKnown()) return Diag{"row-major strides of unknown extents", "known extents", "", spans[0]};
    return asValue(makeLayoutRight(layout.shape()));
  }
  std::vector<IntTuple> shapes, strides;
  for (const Value& item : items) {
    const auto* layout = std::get_if<Layout>(&item);
    if (layout == nullptr)
      return cur_.failFrom(begin, "neither a shape and a stride nor layouts", "Layout<Shape<..>,Stride<..>>");
    shapes.push_back(layout->shape());
    strides.push_back(layout->stride());
  }
  const Span all = cur_.spanFrom(begin);
  return asValue(layoutAt(IntTuple::tuple(std::move(shapes)), IntTuple::tuple(std::move(strides)), all, all,
                          spans_.size(), spans_.size()));
}

// ComposedLayout<Swizzle<3,4,3>, smem_ptr_flag_bits<16>, Layout<..>>.
Result<Value> Parser::composedType(std::size_t begin) {
  const char close = cur_.peek() == '<' ? '>' : ')';
  cur_.advance();
  std::vector<Value> parts;
  while (!cur_.accept(close)) {
    if (cur_.atEnd()) return expected(fmt::format("`{}`", close));
    const std::string_view w = cur_.peekWord();
    if (withoutNamespace(w) == "smem_ptr_flag_bits" || withoutNamespace(w) == "smem_ptr_flag") {
      const bool sized = withoutNamespace(w) == "smem_ptr_flag_bits";
      cur_.advance(w.size());
      i64 bits = 1;  // smem_ptr_flag is smem_ptr_flag_bits<1>
      if (sized) {
        if (!cur_.accept('<')) return expected("`<`");
        TESSERA_TRY(bits, integer());
        if (!cur_.accept('>')) return expected("`>`");
      }
      skipBraces();
      if (bits < 1 || bits > 1024) return cur_.failFrom(begin, "an element width of 1 to 1024 bits", "16");
      parts.emplace_back(Engine{.kind = Engine::Kind::Smem,
                                .elementBits = static_cast<int>(bits),
                                .text = fmt::format("smem_ptr[{}b](unset)", bits),
                                .memorySpace = "smem"});
    } else {
      TESSERA_TRY(Value item, element());
      parts.push_back(std::move(item));
    }
    if (cur_.peek() != close && !cur_.accept(',')) return expected(fmt::format("`,` or `{}`", close));
  }
  skipBraces();
  Result<Value> value = composeParts(parts);
  if (!value) value.error().span = cur_.spanFrom(begin);
  return value;
}

Result<Swizzle> Parser::swizzleOf(const std::vector<i64>& values, std::size_t begin) {
  Result<Swizzle> s = Swizzle::make(values[0], values[1], values[2]);
  if (!s) s.error().span = cur_.spanFrom(begin);
  return s;
}

Result<Swizzle> Parser::swizzleArguments(std::size_t begin) {
  cur_.advance();
  std::vector<i64> values;
  while (!cur_.accept('>')) {
    TESSERA_TRY(const i64 v, integer());
    values.push_back(v);
    if (cur_.peek() != '>' && !cur_.accept(',')) return expected("`,` or `>`");
    if (values.size() > 3) break;
  }
  if (values.size() != 3) {
    return cur_.failFrom(
        begin,
        fmt::format("a swizzle with {} parameters", values.size() > 3 ? "more than 3" : std::to_string(values.size())),
        "three: Sw<B,M,S>");
  }
  return swizzleOf(values, begin);
}

Result<Swizzle> Parser::pycuteSwizzle(std::size_t begin) {
  std::vector<i64> values;
  for (int k = 0; k < 3; ++k) {
    if (k > 0 && cur_.raw() == '_') cur_.advance();
    TESSERA_TRY(const i64 v, integer());
    values.push_back(v);
  }
  return swizzleOf(values, begin);
}

// !cute.layout<"(4,2):(1,4)">; the text inside the quotes is print's.
Result<Value> Parser::mlir() {
  const Nesting level;
  const std::size_t begin = cur_.position();
  if (level.tooDeep()) return level.refusal(cur_);
  if (!cur_.accept("!cute.") && !cur_.accept("!cute_nvgpu.")) return expected("`!cute.`");
  const std::string_view kind = cur_.peekWord();
  cur_.advance(kind.size());
  if (!cur_.accept('<')) return expected("`<`");
  while (cur_.peek() != '"') {  // !cute.memref<f32, gmem, "...">
    if (cur_.atEnd()) return expected("`\"`");
    cur_.advance();
  }
  const std::size_t quote = cur_.position();
  cur_.advance();
  TESSERA_TRY(Value value, chain());
  if (!cur_.accept('"')) return expected("`\"`");
  if (const auto* layout = std::get_if<Layout>(&value); layout != nullptr && kind == "memref") {
    // f16, smem, align<1024>, S<3,4,3>: the pointer's swizzle acts on the bytes of the layout.
    TESSERA_TRY(const std::optional<Swizzle> swizzle, swizzleOfPointer(cur_.text().substr(begin, quote - begin)));
    if (swizzle && !swizzle->isIdentity()) {
      TESSERA_TRY(value, composeParts({Value(swizzle->withOnBytes(true)), Value(IntTuple(0)), Value(Layout(*layout))}));
    }
  }
  while (cur_.peek() != '>') {
    if (cur_.atEnd()) return expected("`>`");
    cur_.advance();
  }
  cur_.advance();
  if (const auto* composed = std::get_if<ComposedLayout>(&value); composed != nullptr && kind == "memref") {
    if (const int bits = bitsNamedIn(cur_.text().substr(begin, quote - begin)); bits != 0)
      return asValue(composed->withElements(bits));
  }
  const auto* tuple = std::get_if<IntTuple>(&value);
  if (tuple != nullptr && (kind == "layout" || kind == "memref")) return asValue(Layout::compact(*tuple));
  const bool fits = kind == "layout"            ? std::holds_alternative<Layout>(value)
                    : kind == "swizzle"         ? std::holds_alternative<Swizzle>(value)
                    : kind == "composed_layout" ? std::holds_alternative<ComposedLayout>(value)
                    : kind == "tile" ? std::holds_alternative<Tiler>(value) || std::holds_alternative<Layout>(value) ||
                                           tuple != nullptr
                    : kind == "shape" || kind == "stride" || kind == "coord" || kind == "int_tuple" ? tuple != nullptr
                    : kind == "memref" ? !std::holds_alternative<Swizzle>(value)
                                       : false;
  if (!fits) {
    return cur_.failFrom(begin, fmt::format("!cute.{} does not hold a {}", kind, nameOf(value)),
                         "layout, shape, stride, coord, int_tuple, swizzle, composed_layout or tile");
  }
  return value;
}

}  // namespace tessera::cute
