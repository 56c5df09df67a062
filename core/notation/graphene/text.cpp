// Parser of tensors and of the operations after them.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/cursor.h"
#include "core/base/mapped.h"
#include "core/base/work_budget.h"
#include "core/notation/graphene/reader.h"

namespace tessera::graphene {

// ---- numbers

Expr Reader::symbol(const std::string& name) {
  const auto at = std::ranges::find(symbols_, name);
  const auto number = static_cast<int>(at - symbols_.begin());
  if (at == symbols_.end()) symbols_.add(name);
  return Expr::param(number);
}

namespace {

// The number of operators in the printed expression. Stops a little above `most`, because n nodes may print as 2^n.
int operatorsOf(const Expr& e, int most) {
  if (e.isConstant() || e.op() == Op::Digit || e.op() == Op::Param) return 0;
  const int left = 1 + operatorsOf(e.lhs(), most);
  return left > most ? left : left + operatorsOf(e.rhs(), most - left);
}

}  // namespace

Result<void> Reader::oneMore(int operators) {
  spend(operators);
  operators_ += operators;
  if (operators_ > kMaxOperators) return cursor_.fail("this expression is too long", "fewer operators");
  return {};
}

Result<Expr> Reader::factor() {
  const Nesting level;
  if (level.tooDeep()) return level.refusal(cursor_);
  if (cursor_.atInteger()) {
    TESSERA_TRY(const i64 n, cursor_.integer());
    return Expr::constant(n);
  }
  if (cursor_.accept('(')) {
    TESSERA_TRY(Expr inner, number());
    TESSERA_CHECKED(cursor_.expect(")", "after the expression"));
    return inner;
  }
  const bool variable = cursor_.accept('@');
  const std::string name(cursor_.peekWord());
  if (name.empty()) return cursor_.fail("a number is missing here", "an integer, a name or an expression in ()");
  cursor_.advance(name.size());
  if (!variable && (name == "ceildiv" || name == "min" || name == "max") && cursor_.accept('(')) {
    TESSERA_TRY(const Expr a, number());
    TESSERA_CHECKED(cursor_.expect(",", "between the two numbers of " + name));
    TESSERA_TRY(const Expr b, number());
    TESSERA_CHECKED(cursor_.expect(")", "after " + name));
    if (name != "ceildiv") return name == "min" ? least(a, b) : greatest(a, b);
    if (b.isConstant() && b.value() < 1) return cursor_.fail("a divisor below 1", "a positive one");
    return floorDiv(a + (b - 1), b);
  }
  const std::string whole = (variable ? "@" : "") + name;
  if (!meaning_) return symbol(whole);
  Result<Expr> meant = meaning_(whole);
  if (!meant && meant.error().span.empty()) meant.error().span = cursor_.spanFrom(cursor_.position() - whole.size());
  if (meant) TESSERA_CHECKED(oneMore(operatorsOf(*meant, kMaxOperators)));
  return meant;
}

Result<Expr> Reader::term() {
  TESSERA_TRY(Expr left, factor());
  for (char c = cursor_.peek(); c == '*' || c == '/' || c == '%'; c = cursor_.peek()) {
    TESSERA_CHECKED(oneMore());
    cursor_.advance();
    TESSERA_TRY(const Expr right, factor());
    if (c != '*' && right.isConstant() && right.value() < 1) return cursor_.fail("a divisor below 1", "a positive one");
    if (c == '*' && left.isConstant() && right.isConstant() && !checkedMul(left.value(), right.value()))
      return cursor_.fail("this product does not fit in 64 bits", "smaller numbers");
    left = c == '*' ? left * right : c == '/' ? floorDiv(left, right) : mod(left, right);
  }
  return left;
}

Result<Expr> Reader::number() {
  if (numbers_ == 0) operators_ = 0;
  const Inside inside(numbers_);
  TESSERA_TRY(Expr left, term());
  for (char c = cursor_.peek(); c == '+' || c == '-'; c = cursor_.peek()) {
    TESSERA_CHECKED(oneMore());
    cursor_.advance();
    TESSERA_TRY(const Expr right, term());
    const auto fits = [&] {
      if (!left.isConstant() || !right.isConstant()) return true;
      const auto sum = c == '+' ? checkedAdd(left.value(), right.value()) : checkedSub(left.value(), right.value());
      return sum.has_value();
    };
    if (!fits()) return cursor_.fail("this sum does not fit in 64 bits", "smaller numbers");
    left = c == '+' ? left + right : left - right;
  }
  return left;
}

// 8, M, (4,2), ((2,2),4): the modes of one dimension, leftmost fastest. `_` is an arbitrary size or stride.
Result<std::vector<Expr>> Reader::modes() {
  const Nesting level;
  if (level.tooDeep()) return level.refusal(cursor_);
  std::vector<Expr> out;
  if (cursor_.peek() == '_' && !isNamePart(cursor_.raw(1))) {
    cursor_.advance();
    out.push_back(Expr::constant(0));
    return out;
  }
  Cursor ahead = cursor_;
  if (!ahead.accept('(') || !listIn(ahead)) {
    TESSERA_TRY(Expr one, number());
    out.push_back(std::move(one));
    return out;
  }
  cursor_ = ahead;
  do {
    TESSERA_TRY(const std::vector<Expr> inner, modes());
    out.insert(out.end(), inner.begin(), inner.end());
  } while (cursor_.accept(','));
  TESSERA_CHECKED(cursor_.expect(")", "after the modes of this dimension"));
  return out;
}

// Whether there is a comma in the parenthesis that was just opened: (4,2) and not (M+1)*2.
bool Reader::listIn(Cursor in) {
  for (int open = 1; open > 0 && !in.atEnd(); in.advance()) {
    const char c = in.peek();
    if (c == '(' || c == '[') ++open;
    if (c == ')' || c == ']') --open;
    if (c == ',' && open == 1) return true;
  }
  return false;
}

// ---- shapes

namespace {

std::string textOf(const std::vector<i64>& numbers) {
  return numbers.size() == 1 ? std::to_string(numbers[0]) : fmt::format("({})", fmt::join(numbers, ","));
}

std::string textOf(const TileSize& size) {
  if (!size) return "_";
  std::vector<i64> sizes, strides;
  for (const TileMode& m : *size) {
    sizes.push_back(m.size);
    strides.push_back(m.stride);
  }
  return fmt::format("[{}:{}]", textOf(sizes), textOf(strides));
}

std::string textOf(const std::vector<NewDim>& dims) {
  std::vector<std::string> sizes, strides;
  for (const NewDim& d : dims) {
    sizes.push_back(textOf(d.sizes));
    if (!d.strides.empty()) strides.push_back(textOf(d.strides));
  }
  return strides.empty() ? fmt::format("[{}]", fmt::join(sizes, ","))
                         : fmt::format("[{}:{}]", fmt::join(sizes, ","), fmt::join(strides, ","));
}

std::string textOf(const std::vector<Coordinate>& coordinates, const std::vector<std::string>& symbols) {
  std::vector<std::string> out;
  for (const Coordinate& c : coordinates) {
    auto one = mapped<std::string>(c, [&](const Expr& e) { return print(e, symbols); });
    out.push_back(one.size() == 1 ? one[0] : fmt::format("({})", fmt::join(one, ",")));
  }
  return fmt::format("[{}]", fmt::join(out, ","));
}

// Default strides: row- or column-major over dimensions, leftmost fastest within one.
std::vector<std::vector<Expr>> defaultStrides(const std::vector<std::vector<Expr>>& sizes, Order order) {
  std::vector<std::vector<Expr>> out(sizes.size());
  Expr running = Expr::constant(1);
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    const std::size_t d = order == Order::Row ? sizes.size() - 1 - k : k;
    for (const Expr& n : sizes[d]) {
      out[d].push_back(running);
      running = running * n;
    }
  }
  return out;
}

// Whether a bound on the addresses of a shape fits in 64 bits.
bool fits(const std::vector<std::vector<Expr>>& sizes, const std::vector<std::vector<Expr>>& strides) {
  i64 size = 1, span = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    for (std::size_t k = 0; k < sizes[d].size(); ++k) {
      if (!sizes[d][k].isConstant()) continue;
      if (!mulInto(size, sizes[d][k].value())) return false;
      if (!strides[d][k].isConstant()) continue;
      const i64 stride = strides[d][k].value();
      const auto reach =
          stride == INT64_MIN ? std::nullopt : checkedMul(sizes[d][k].value() - 1, stride < 0 ? -stride : stride);
      if (!reach || !addInto(span, *reach)) return false;
    }
  }
  return true;
}

}  // namespace

Result<Reader::Shape> Reader::shape() {
  Shape out;
  out.begin = cursor_.position();
  TESSERA_CHECKED(cursor_.expect("[", "before a shape"));
  if (cursor_.accept(']')) return out;
  do {
    const std::size_t at = cursor_.position();
    TESSERA_TRY(std::vector<Expr> dim, modes());
    for (const Expr& n : dim) {
      if (n.isConstant() && n.value() < 1)
        return cursor_.failFrom(at, fmt::format("a size of {}", n.value()), "a size of at least 1");
    }
    out.sizes.push_back(std::move(dim));
  } while (cursor_.accept(','));
  if (cursor_.accept(':')) {
    const std::size_t at = cursor_.position();
    do {
      TESSERA_TRY(std::vector<Expr> dim, modes());
      out.strides.push_back(std::move(dim));
    } while (cursor_.accept(','));
    if (out.strides.size() != out.sizes.size()) {
      return cursor_.failFrom(at, fmt::format("{} strides for {} dimensions", out.strides.size(), out.sizes.size()),
                              "a stride for each dimension");
    }
    for (std::size_t d = 0; d < out.sizes.size(); ++d) {
      if (out.strides[d].size() == out.sizes[d].size()) continue;
      return cursor_.failFrom(
          at, fmt::format("{} strides for the {} modes of dimension {}", out.strides[d].size(), out.sizes[d].size(), d),
          "strides nested like the sizes");
    }
  } else {
    out.strides = defaultStrides(out.sizes, order_);
    out.plain = true;
  }
  if (cursor_.peek() == ':') return cursor_.fail("a second `:`", "sizes and one list of strides");
  TESSERA_CHECKED(cursor_.expect("]", "after the shape"));
  if (!fits(out.sizes, out.strides))
    return cursor_.failFrom(out.begin, "the size or a stride of this shape does not fit in 64 bits", "a smaller shape");
  return out;
}

// One level of the tensor being read; its dimensions are new.
Level Reader::levelOf(const Shape& shape, std::vector<Expr>& extents) {
  Level level;
  for (std::size_t d = 0; d < shape.sizes.size(); ++d) {
    Dim dim;
    Expr step = Expr::constant(1);
    for (std::size_t k = 0; k < shape.sizes[d].size(); ++k) {
      const Expr& n = shape.sizes[d][k];
      if (n.isConstant(1) && shape.sizes[d].size() > 1) continue;
      const bool one = n.isConstant(1);
      const Expr none = Expr::constant(0);
      dim.push_back({n, one ? none : shape.strides[d][k], static_cast<int>(extents.size()), one ? none : step});
      step = step * n;
    }
    if (dim.empty()) dim.push_back({.dim = static_cast<int>(extents.size())});
    extents.push_back(step);
    level.dims.push_back(std::move(dim));
  }
  return level;
}

// ---- tensors

Result<Tensor> Reader::declaration() {
  Tensor out;
  const std::size_t begin = cursor_.position();
  const char mark = cursor_.peek();
  if (mark != '%' && mark != '#') return cursor_.fail("a tensor is missing here", "%NAME or #NAME");
  cursor_.advance();
  out.threads = mark == '#';
  std::size_t length = 0;
  while (isNamePart(cursor_.raw(length))) ++length;
  if (length == 0) return cursor_.fail("the name of the tensor is missing", "%A, #warp");
  out.name = cursor_.text().substr(cursor_.position(), length);
  cursor_.advance(length);
  TESSERA_CHECKED(cursor_.expect(":", "after the name of the tensor"));
  TESSERA_CHECKED(type(out));
  if (out.threads && !out.element.empty() && out.element != "thread" && out.element != "block")
    return cursor_.failFrom(begin, fmt::format("#{} holds {}", out.name, out.element), "thread or block",
                            "data tensors begin with %");
  if (!out.threads && (out.element == "thread" || out.element == "block"))
    return cursor_.failFrom(begin, fmt::format("%{} holds {}s", out.name, out.element), "an element type",
                            "thread tensors begin with #");
  return out;
}

// [4,8:1,4].[2,2:..].fp16.SH
Result<void> Reader::type(Tensor& out) {
  TESSERA_CHECKED(swizzleBefore(out));
  bool scalar = false;
  plain_.clear();
  do {
    if (cursor_.peek() != '[') break;
    const std::size_t at = cursor_.position();
    TESSERA_TRY(const Shape read, shape());
    scalar = read.sizes.empty();
    if (scalar && !out.levels.empty()) return cursor_.failFrom(at, "[] after a shape", "[] alone is a scalar");
    if (out.levels.size() == kMaxLevels) return tooDeep(at);
    if (!scalar) plain_.push_back(read.plain);
    if (!scalar) out.levels.push_back(levelOf(read, out.extents));
    if (scalar) break;
  } while (dotBefore('['));
  // [2,2].[1,2] without strides is compact: tiles are consecutive.
  Expr inner = Expr::constant(1);
  for (std::size_t l = out.levels.size(); l-- > 0 && plain_[l];) {
    for (Dim& dim : out.levels[l].dims)
      for (Mode& mode : dim) mode.stride = mode.stride * inner;
    inner = inner * sizeOf(out.levels[l]);
  }
  out.origin.assign(out.extents.size(), Expr::constant(0));
  if (!scalar && out.levels.empty()) return cursor_.fail("the shape is missing here", "[4,8:1,4], or [] of a scalar");
  static constexpr std::pair<std::string_view, Memory> kMemories[] = {
      {"GL", Memory::Global}, {"SH", Memory::Shared}, {"RF", Memory::Register}};
  Cursor ahead = cursor_;
  if (ahead.accept('.') && !isOperation(ahead.peekWord())) {
    out.element = ahead.peekWord();
    if (out.element.empty()) return cursor_.fail("the element type is missing after `.`", "fp16, fp32, i32, thread");
    ahead.advance(out.element.size());
    cursor_ = ahead;
    if (ahead.accept('.') && !isOperation(ahead.peekWord())) {
      const std::string_view word = ahead.peekWord();
      const auto* row = std::ranges::find(kMemories, word, [](const auto& m) { return m.first; });
      if (row == std::end(kMemories)) return ahead.fail(fmt::format("`{}` is not a memory", word), "GL, SH or RF");
      ahead.advance(word.size());
      cursor_ = ahead;
      out.memory = row->second;
    }
  }
  if (out.threads && out.memory != Memory::None) return cursor_.fail("threads have no memory", "#NAME:[..].thread");
  return held(out);
}

bool Reader::isOperation(std::string_view word) {
  return word == "tile" || word == "reshape" || word == "scalar" || word == "indices";
}

bool Reader::dotBefore(char c) {
  Cursor ahead = cursor_;
  if (!ahead.accept('.') || ahead.peek() != c) return false;
  cursor_ = ahead;
  return true;
}

// ---- operations

// [2:1], [(2,2):(1,4)], 8, _, [_]
Result<TileSize> Reader::tileSize() {
  const std::size_t begin = cursor_.position();
  if (Cursor whole = cursor_; whole.accept('[') && whole.accept('_') && whole.accept(']')) {
    cursor_ = whole;
    return TileSize();
  }
  if (cursor_.peek() == '_' && !isNamePart(cursor_.raw(1))) {
    cursor_.advance();
    return TileSize();
  }
  Shape read;
  if (cursor_.peek() == '[') {
    TESSERA_TRY(read, shape());
  } else {
    TESSERA_TRY(std::vector<Expr> size, modes());
    read.sizes.push_back(std::move(size));
    read.plain = true;
  }
  if (read.sizes.size() != 1)
    return cursor_.failFrom(begin, "a tile size is a tensor of one dimension", "[2:1], [(2,2):(1,4)], 8 or _",
                            "tile([2],[4]) has one per dimension");
  if (read.plain) read.strides = defaultStrides(read.sizes, Order::Row);
  std::vector<TileMode> out;
  for (std::size_t k = 0; k < read.sizes[0].size(); ++k) {
    const Expr &n = read.sizes[0][k], &d = read.strides[0][k];
    if (!n.isConstant() || !d.isConstant())
      return cursor_.failFrom(begin, "the size of the tile is unknown", "integers");
    out.push_back({n.value(), n.value() == 1 && d.value() < 1 ? 1 : d.value()});
  }
  return TileSize(std::move(out));
}

// tile(8,8), tile([8,8]), tile([8:1],[8:1]): the same.
Result<std::vector<TileSize>> Reader::tileSizes() {
  std::vector<TileSize> out;
  Cursor ahead = cursor_;
  const bool list = ahead.accept('[') && listIn(ahead);
  if (list) cursor_ = ahead;
  do {
    TESSERA_TRY(TileSize one, tileSize());
    out.push_back(std::move(one));
  } while (cursor_.accept(','));
  if (list && cursor_.peek() == ':')
    return cursor_.fail("a tile size is a tensor of one dimension", "[2:1],[4:1]: one for each dimension");
  if (list) TESSERA_CHECKED(cursor_.expect("]", "after the tile sizes"));
  return out;
}

Result<std::vector<NewDim>> Reader::newDims() {
  const std::size_t begin = cursor_.position();
  TESSERA_TRY(const Shape read, shape());
  std::vector<NewDim> out;
  for (std::size_t d = 0; d < read.sizes.size(); ++d) {
    NewDim& dim = out.emplace_back();
    for (std::size_t k = 0; k < read.sizes[d].size(); ++k) {
      const Expr &n = read.sizes[d][k], &s = read.strides[d][k];
      if (!n.isConstant() || !s.isConstant()) return cursor_.failFrom(begin, "the size is unknown", "integers");
      dim.sizes.push_back(n.value());
      if (!read.plain) dim.strides.push_back(s.value());
    }
  }
  return out;
}

Result<std::vector<Coordinate>> Reader::coordinates() {
  std::vector<Coordinate> out;
  TESSERA_CHECKED(cursor_.expect("[", "before the coordinates"));
  do {
    cursor_.skipBlanks();
    if (cursor_.peek() == '_' && !isNamePart(cursor_.raw(1)))
      return cursor_.fail("_ is not a coordinate", "a number", "a whole dimension is a tile: .tile(_,[8:1])[0,3]");
    TESSERA_TRY(Coordinate one, modes());
    out.push_back(std::move(one));
  } while (cursor_.accept(','));
  TESSERA_CHECKED(cursor_.expect("]", "after the coordinates"));
  return out;
}

Diag Reader::tooDeep(std::size_t begin) const {
  return cursor_.failFrom(begin, fmt::format("the tiles nest more than {} levels deep", kMaxLevels), "fewer levels",
                          "an index [..] removes the outermost level");
}

Result<Tensor> Reader::operations(Tensor tensor) {
  trail_.clear();
  for (;;) {
    const std::size_t end = cursor_.position();  // blanks and comments after the tensor are not part of it
    const std::size_t begin = cursor_.start();
    spend(static_cast<std::int64_t>(1 + tensor.levels.size()));
    if (cursor_.peek() == '[') {
      TESSERA_TRY(const std::vector<Coordinate> at, coordinates());
      tensor.symbols = symbols_;  // for printing in a Diag
      TESSERA_TRY(tensor, placed(index(tensor, at), begin));
      trail_ += textOf(at, symbols_);
      continue;
    }
    Cursor ahead = cursor_;
    const std::string word(ahead.accept('.') ? ahead.peekWord() : "");
    if (!isOperation(word) || word == "indices") {
      cursor_.seek(end);
      break;
    }
    ahead.advance(word.size());
    cursor_ = ahead;
    TESSERA_CHECKED(cursor_.expect("(", "after " + word));
    if (word == "tile") {
      TESSERA_TRY(const std::vector<TileSize> sizes, tileSizes());
      tensor.symbols = symbols_;
      TESSERA_CHECKED(cursor_.expect(")", "after the tile sizes"));
      if (tensor.levels.size() == kMaxLevels) return tooDeep(begin);
      TESSERA_TRY(tensor, placed(tile(tensor, sizes), begin));
      auto texts = mapped<std::string>(sizes, [&](const TileSize& size) { return textOf(size); });
      trail_ += fmt::format(".tile({})", fmt::join(texts, ","));
    } else if (word == "reshape") {
      if (cursor_.acceptWord("depth")) TESSERA_CHECKED(cursor_.expect("=", "after depth"));
      TESSERA_TRY(const i64 depth, cursor_.integer("the depth"));
      TESSERA_CHECKED(cursor_.expect(",", "between the depth and the shape"));
      TESSERA_TRY(const std::vector<NewDim> dims, newDims());
      tensor.symbols = symbols_;
      TESSERA_CHECKED(cursor_.expect(")", "after the shape"));
      if (depth < 0) return cursor_.failFrom(begin, "a depth below 0", "0: the outermost shape");
      TESSERA_TRY(tensor, placed(reshape(tensor, static_cast<std::size_t>(depth), dims), begin));
      trail_ += fmt::format(".reshape({},{})", depth, textOf(dims));
    } else {
      TESSERA_CHECKED(cursor_.expect(")", "after scalar("));
      tensor = scalar(tensor);
      trail_ += ".scalar()";
    }
  }
  return tensor;
}

Result<Tensor> parseTensor(std::string_view text, Order order) {
  Reader reader(text, order);
  TESSERA_TRY(Tensor declared, reader.declaration());
  TESSERA_TRY(Tensor tensor, reader.operations(std::move(declared)));
  if (!reader.cursor().atEnd()) return reader.cursor().fail("text after the end of the tensor", "nothing more");
  tensor.symbols = reader.symbols();
  return tensor;
}

}  // namespace tessera::graphene
