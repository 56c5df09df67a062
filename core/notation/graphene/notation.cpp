#include "core/notation/graphene/notation.h"

#include <fmt/format.h>

#include "core/base/arith.h"
#include "core/base/mapped.h"
#include "core/notation/cute/notation.h"
#include "core/notation/graphene/operations.h"
#include "core/notation/graphene/reader.h"

namespace tessera::graphene {

namespace {

constexpr int kSum = 0, kProduct = 1, kLeaf = 2;

// ceildiv(a, b) is written (a + (b-1)) / b.
std::optional<Expr> ceilOperand(const Expr& e) {
  if (e.op() != Op::FloorDiv || !e.rhs().isConstant() || e.lhs().op() != Op::Add) return std::nullopt;
  return e.lhs().rhs().isConstant(e.rhs().value() - 1) ? std::optional(e.lhs().lhs()) : std::nullopt;
}

void printTo(std::string& out, const Expr& e, const std::vector<std::string>& symbols, int level) {
  const auto binary = [&](const char* op, int own, int right) {
    if (own < level) out += '(';
    printTo(out, e.lhs(), symbols, own);
    out += op;
    printTo(out, e.rhs(), symbols, right);
    if (own < level) out += ')';
  };
  const auto call = [&](const char* name, const Expr& a, const Expr& b) {
    out += name;
    printTo(out, a, symbols, kSum);
    out += ",";
    printTo(out, b, symbols, kSum);
    out += ")";
  };
  if (const auto inner = ceilOperand(e)) return call("ceildiv(", *inner, e.rhs());
  switch (e.op()) {
    case Op::Constant:
      out += std::to_string(e.value());
      return;
    case Op::Param:
      out += symbols.at(static_cast<std::size_t>(e.index()));
      return;
    case Op::Digit:
      out += fmt::format("c{}", e.index());
      return;
    case Op::Add:
      return binary("+", kSum, kProduct);
    case Op::Mul:
      return binary("*", kProduct, kLeaf);
    case Op::FloorDiv:
      return binary("/", kProduct, kLeaf);
    case Op::Mod:
      return binary("%", kProduct, kLeaf);
    case Op::Min:
    case Op::Max:
      return call(e.op() == Op::Min ? "min(" : "max(", e.lhs(), e.rhs());
    default:
      out += tessera::print(e, {}, symbols);  // does not occur here
  }
}

// One list per dimension: 8 or (4,2).
std::string listText(const Dim& dim, Expr Mode::*what, const std::vector<std::string>& symbols) {
  auto texts = mapped<std::string>(dim, [&](const Mode& m) { return print(m.*what, symbols); });
  return texts.size() == 1 ? texts[0] : fmt::format("({})", fmt::join(texts, ","));
}

std::string levelText(const Level& level, const std::vector<std::string>& symbols) {
  std::vector<std::string> sizes, strides;
  for (const Dim& d : level.dims) {
    sizes.push_back(listText(d, &Mode::size, symbols));
    strides.push_back(listText(d, &Mode::stride, symbols));
  }
  return fmt::format("[{}:{}]", fmt::join(sizes, ","), fmt::join(strides, ","));
}

}  // namespace

std::string print(const Expr& value, const std::vector<std::string>& symbols) {
  std::string out;
  printTo(out, value, symbols, kSum);
  return out;
}

std::string print(const Tensor& tensor) {
  static constexpr std::string_view kMemory[] = {"", ".GL", ".SH", ".RF"};
  std::vector<std::string> levels;
  for (const Level& level : tensor.levels) levels.push_back(levelText(level, tensor.symbols));
  std::string out = fmt::format("{}{}:", tensor.threads ? '#' : '%', tensor.name);
  if (!tensor.swizzle.isIdentity()) out += cute::print(tensor.swizzle) + " o ";
  out += levels.empty() ? "[]" : fmt::format("{}", fmt::join(levels, "."));
  if (!tensor.element.empty()) out += "." + tensor.element;
  out += kMemory[static_cast<int>(tensor.memory)];
  if (tensor.holds)
    out += fmt::format(" holds [{}] as {}", fmt::join(tensor.holds->extents, ","), tensor.holds->layout);
  return out;
}

}  // namespace tessera::graphene

namespace tessera {
namespace {

using graphene::Dim;
using graphene::Level;
using graphene::Tensor;

// The number at the end of the name: fp16 and bf16 are 16 bits, i8 8. 0 if there is none.
int bitsOf(std::string_view element) {
  std::size_t at = element.size();
  while (at > 0 && isDigit(element[at - 1])) --at;
  int bits = 0;
  for (const char c : element.substr(at)) bits = std::min(bits * 10 + (c - '0'), 1000);
  const bool power = isPowerOfTwo(bits) && bits >= 4 && bits <= 128;
  return power ? bits : element == "e4m3" || element == "e5m2" ? 8 : element == "b1" ? 1 : 0;
}

// One mode per dimension, outermost level first; its digits are the dimension's modes.
std::vector<Mode> dimensionModes(const Tensor& tensor) {
  std::vector<Mode> out;
  for (const Level& level : tensor.levels) {
    for (const Dim& dim : level.dims)
      out.push_back({"", mapped<i64>(dim, [](const graphene::Mode& m) { return m.size.value(); }), 0});
  }
  return out;
}

// 1 + the largest address, like a CuTe layout's cosize; nullopt if addresses may be negative or padding is masked.
std::optional<i64> reachOf(const Tensor& tensor, bool masked) {
  std::optional<i64> reach = tensor.offset.value() < 0 || masked ? std::nullopt : checkedAdd(tensor.offset.value(), 1);
  for (const graphene::Mode& m : graphene::modesOf(tensor)) {
    const auto step = m.stride.value() < 0 ? std::nullopt : checkedMul(m.size.value() - 1, m.stride.value());
    reach = reach && step ? checkedAdd(*reach, *step) : std::nullopt;
  }
  if (!reach || tensor.swizzle.isIdentity()) return reach;
  const Result<Map> swizzle = cute::toMap(tensor.swizzle, *reach);
  return swizzle ? swizzle->axes()[0].extent : std::nullopt;
}

Result<Arrow> dataArrow(const Tensor& tensor) {
  std::vector<Digit> digits;
  Expr address = tensor.offset;
  for (const graphene::Mode& m : graphene::modesOf(tensor)) {
    address = address + Expr::digit(static_cast<int>(digits.size())) * m.stride;
    digits.push_back({fmt::format("d{}", digits.size()), m.size.value(), DigitKind::Index, 0});
  }
  std::vector<Guard> guards;
  for (const graphene::Predicate& p : graphene::predicates(tensor))
    guards.push_back({p.coordinate, 0, p.extent.value() - 1});
  Arrow out;
  out.from = {SpaceKind::Elements, dimensionModes(tensor), LinearOrder::Lex, 0};
  out.to.kind = SpaceKind::Memory;
  out.to.elementBits = bitsOf(tensor.element);
  address = cute::swizzled(tensor.swizzle, address);
  TESSERA_TRY(out.map, Map::create(std::move(digits), {Axis{"offset", address, reachOf(tensor, !guards.empty())}},
                                   std::move(guards)));
  return out;
}

// The number, or the text of an unknown one.
LayoutFact numberOf(std::string name, const Expr& e, const Tensor& tensor) {
  if (e.isConstant()) return {std::move(name), e.value()};
  return {std::move(name), graphene::print(e, tensor.symbols)};
}

LayoutFact listed(std::string name, const std::vector<Mode>& modes) {
  return {std::move(name), mapped<LayoutFact>(modes, [](const Mode& m) { return LayoutFact{"", m.extent()}; })};
}

}  // namespace

Result<Arrow> graphene::threadArrow(const Tensor& tensor) {
  TESSERA_CHECKED(requireKnown(tensor));
  const Expr t = Expr::digit(0);
  TESSERA_TRY(const auto coordinates, indices(tensor, t));
  i64 span = 1, count = 1;  // a mixed radix: count <= span
  Expr back = tensor.offset;
  std::vector<Axis> axes;
  for (std::size_t l = 0; l < tensor.levels.size(); ++l) {
    for (std::size_t d = 0; d < tensor.levels[l].dims.size(); ++d) {
      const Dim& dim = tensor.levels[l].dims[d];
      Expr value = Expr::constant(0);
      i64 running = 1;
      for (std::size_t k = 0; k < dim.size(); ++k) {
        const i64 size = dim[k].size.value(), stride = dim[k].stride.value();
        const auto reach = checkedMul(size - 1, stride);
        if (!reach || !addInto(span, *reach)) return Diag{"there are too many threads", "fewer than 2^63"};
        value = value + coordinates[l][d][k] * running;
        back = back + coordinates[l][d][k] * stride;
        running *= size;
        count *= size;
      }
      axes.push_back({fmt::format("i{}", axes.size()), value, running});
    }
  }
  const i64 first = tensor.offset.isConstant() ? tensor.offset.value() : 0;
  const bool block = tensor.element == "block";
  Arrow out;
  out.from = {SpaceKind::Hardware, {{block ? "bid" : "tid", {span + first}}}, LinearOrder::Lex, 0};
  out.to = {SpaceKind::Elements, dimensionModes(tensor), LinearOrder::Lex, 0};
  // Numbers may be missing: the first quad pair is threads 0 to 3 and 16 to 19.
  std::vector<Guard> members;
  if (count != span + first) members.push_back({t - back, 0, 0});
  TESSERA_TRY(out.map, Map::create({{block ? "bid" : "tid", span + first, DigitKind::Index, 0}}, std::move(axes),
                                   std::move(members)));
  return out;
}

Result<Arrow> NotationOf<graphene::Tensor>::arrow(const graphene::Tensor& tensor) {
  TESSERA_CHECKED(requireKnown(tensor));
  return tensor.threads ? graphene::threadArrow(tensor) : dataArrow(tensor);
}

LayoutFacts NotationOf<graphene::Tensor>::facts(const graphene::Tensor& tensor) {
  LayoutFacts out;
  LayoutFact::Tree sizes, strides;
  for (const Level& level : tensor.levels) {
    const auto listOf = [&](Expr graphene::Mode::*what) {
      LayoutFact::Tree dims;
      for (const Dim& dim : level.dims) {
        auto modes = mapped<LayoutFact>(dim, [&](const auto& m) { return numberOf("", m.*what, tensor); });
        dims.push_back(modes.size() == 1 ? modes[0] : LayoutFact{"", std::move(modes)});
      }
      return LayoutFact{"", std::move(dims)};
    };
    sizes.push_back(listOf(&graphene::Mode::size));
    strides.push_back(listOf(&graphene::Mode::stride));
  }
  if (tensor.symbols.empty()) out.push_back(listed("shape", dimensionModes(tensor)));
  out.push_back({"dims", std::move(sizes)});
  out.push_back({"strides", std::move(strides)});
  out.push_back(numberOf("offset", tensor.offset, tensor));
  if (!tensor.swizzle.isIdentity()) out.push_back({"swizzle", cute::print(tensor.swizzle)});
  if (tensor.holds) {
    out.push_back({"holds", tensor.holds->layout});
    out.push_back({"threads", tensor.holds->threads});
  }
  return out;
}

namespace graphene {

Result<std::optional<Tensor>> parsePrefix(Cursor& cursor, const TensorNames& names, const FragmentOf& fragments) {
  using Nothing = std::optional<Tensor>;
  Cursor ahead(cursor.text(), {.lineComments = true, .blockComments = true}, cursor.position());
  const char mark = ahead.peek();
  if (mark != '%' && mark != '#') return Nothing();
  ahead.advance();
  std::size_t length = 0;
  while (isNamePart(ahead.raw(length))) ++length;
  if (length == 0) return Nothing();
  const std::string name(ahead.text().substr(ahead.position(), length));
  ahead.advance(length);
  bool declared = ahead.accept(':');
  if (declared && ahead.peek() != '[') {  // %s:Sw<3,3,3> o [..]
    const std::string_view word = ahead.peekWord();
    ahead.advance(word.size());
    declared = (word == "Sw" || word == "S" || word == "Swizzle") && ahead.raw() == '<';
  }
  std::optional<Tensor> known = declared || !names ? Nothing() : names(name);
  if (known && known->threads != (mark == '#')) known.reset();
  if (!declared && !known) return Nothing();

  Reader reader(cursor.text(), Order::Row, cursor.position());
  reader.fragments(fragments);
  if (declared) {
    TESSERA_TRY(known, reader.declaration());
  } else {
    reader.know(known->symbols);
    reader.cursor().skipBlanks();
    reader.cursor().advance(1 + length);
  }
  TESSERA_TRY(Tensor tensor, reader.operations(*std::move(known)));
  tensor.symbols = reader.symbols();
  cursor.seek(reader.cursor().position());
  return std::optional(std::move(tensor));
}

Result<axe::Layout> toAxe(const Tensor& threads) {
  if (!threads.threads) return Diag{"only thread tensors have an Axe form", "#NAME:[32:1].thread"};
  TESSERA_CHECKED(requireKnown(threads));
  const std::string axis = threads.element == "block" ? "bid" : "tid";
  std::vector<axe::Iter> shard;
  std::vector<i64> shape;
  for (const Level& level : threads.levels) {
    for (const Dim& dim : level.dims) {
      shape.push_back(1);
      for (std::size_t k = dim.size(); k-- > 0;) {
        shard.push_back({dim[k].size.value(), dim[k].stride.value(), axis});
        shape.back() *= dim[k].size.value();
      }
    }
  }
  if (shard.empty()) shard.push_back({1, 1, axis});
  axe::Place offset;
  if (threads.offset.value() != 0) offset[axis] = threads.offset.value();
  return axe::Layout::create(std::move(shard), {}, std::move(offset), std::move(shape));
}

}  // namespace graphene
}  // namespace tessera
