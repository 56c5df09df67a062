#include "core/hlo/ops/op.h"

#include <functional>
#include <numeric>

#include "core/base/mapped.h"
#include "core/map/compose.h"

namespace tessera::hlo {

Op::Op(const Module& module, Where where)
    : module_(module),
      computation_(module.computation(where.computation)),
      instruction_(computation_.at(where.instruction)) {}

std::string Op::nameOf(std::size_t operand) const {
  const int at = operand < operands() ? instruction_.operands[operand] : -1;
  return at < 0 ? fmt::format("operand {}", operand) : std::string(computation_.at(at).name);
}

Diag Op::wrong(std::string_view message, std::string expected) const {
  return {fmt::format("{}: {}", instruction_.name, message), std::move(expected), "", instruction_.span};
}

Result<const xla::Shape*> Op::operand(std::size_t k) const {
  if (k >= operands())
    return wrong(fmt::format("{} has {} operands", opcode(), operands()), fmt::format("at least {}", k + 1));
  const int at = instruction_.operands[k];
  if (at < 0) return wrong(fmt::format("operand {} is missing", k), "an instruction of this computation");
  const xla::Shape& shape = module_.shapeOf(computation_.at(at));
  return &shape;
}

Result<const xla::Shape*> Op::output(std::size_t k) const {
  const xla::Shape& shape = module_.shapeOf(instruction_);
  if (k < outputs()) return &shape.leaf(k);
  if (!module_.isTuple(instruction_)) return wrong("it has one output", "output 0");
  return wrong(fmt::format("it has {} outputs", outputs()), "one of them, from 0");
}

Result<Ints> Op::operandSizes(std::size_t k) const {
  TESSERA_TRY(const xla::Shape* const shape, operand(k));
  if (!shape->isArray()) return wrong(nameOf(k) + " is " + xla::print(*shape), "an array");
  return shape->sizes();
}

Result<Ints> Op::outputSizes(std::size_t k) const {
  TESSERA_TRY(const xla::Shape* const shape, output(k));
  if (!shape->isArray()) return wrong("output " + std::to_string(k) + " is " + xla::print(*shape), "an array");
  return shape->sizes();
}

std::optional<std::size_t> positionOf(const Ints& list, std::size_t k) {
  const auto found = std::ranges::find(list, static_cast<i64>(k));
  return found == list.end() ? std::nullopt : std::optional(n(found - list.begin()));
}

bool areDimensions(Ints list, std::size_t rank) {
  std::ranges::sort(list);
  return std::ranges::adjacent_find(list) == list.end() &&
         (list.empty() || (list.front() >= 0 && list.back() < static_cast<i64>(rank)));
}

Result<Ints> Op::ints(std::string_view attribute) const {
  return parsed(attribute, numbers, fmt::format("{}={{..}}", attribute));
}

Result<Ints> Op::ints(std::string_view attribute, Ints otherwise) const {
  if (instruction_.find(attribute) == nullptr) return otherwise;
  return ints(attribute);
}

Result<i64> Op::number(std::string_view attribute, i64 otherwise) const {
  if (instruction_.find(attribute) == nullptr) return otherwise;
  TESSERA_TRY(const Ints n, ints(attribute));
  if (n.size() != 1) return wrong(fmt::format("{}={}", attribute, instruction_.value(attribute)), "one number");
  return n[0];
}

Result<Ints> Op::dimensions(std::string_view attribute, std::size_t rank, bool orNone) const {
  TESSERA_TRY(const Ints dims, orNone ? ints(attribute, {}) : ints(attribute));
  if (!areDimensions(dims, rank))
    return wrong(fmt::format("{} are {}", attribute, sizesText(dims)),
                 fmt::format("different dimensions of an array of rank {}", rank));
  return dims;
}

std::optional<i64> Op::constant(std::size_t k, std::size_t element) const {
  if (k >= operands() || instruction_.operands[k] < 0) return std::nullopt;
  return constantOf(module_, computation_, instruction_.operands[k], element);
}

Result<void> Op::expectOperands(std::size_t count) const {
  if (operands() == count) return {};
  return wrong(fmt::format("{} has {} operands", opcode(), operands()), std::to_string(count));
}

Result<void> Op::expectSizes(const Ints& is, const Ints& expected, const std::string& what) const {
  if (is == expected) return {};
  return wrong(fmt::format("{} is {}", what, sizesText(is)), sizesText(expected) + ", by the operation's definition");
}

Result<std::vector<WindowDim>> Op::window(std::size_t rank) const {
  if (rank == 0 && instruction_.find("window") == nullptr) return std::vector<WindowDim>{};
  TESSERA_TRY(std::vector<WindowDim> w, parsed("window", windowOf, "window={size=..}"));
  if (w.size() != rank) return wrong(fmt::format("the window has {} dimensions", w.size()), std::to_string(rank));
  return w;
}

MapBuilder::MapBuilder(const Ints& sizes) {
  for (std::size_t k = 0; k < sizes.size(); ++k) digit("d", k, sizes[k], DigitKind::Index);
}

void MapBuilder::digit(const char* letter, std::size_t number, i64 extent, DigitKind kind) {
  digits_.push_back({letter + std::to_string(number), std::max<i64>(extent, 1), kind, 0});
  if (extent < 1) guards_.push_back({Expr::constant(1), 0, 0});
}

Expr MapBuilder::device(i64 count) {
  digits_.push_back({"p", count, DigitKind::Index, 0});
  return Expr::digit(static_cast<int>(digits_.size()) - 1);
}

Expr MapBuilder::s(i64 extent) {
  digit("s", ranges_++, extent, DigitKind::Fan);
  return Expr::digit(static_cast<int>(digits_.size()) - 1);
}

void MapBuilder::results(std::vector<Expr> values) {
  for (Expr& e : values) result(std::move(e));
}

void MapBuilder::results(std::vector<std::optional<Expr>> values, const Ints& sizes) {
  for (std::size_t k = 0; k < values.size(); ++k) result(values[k] ? *std::move(values[k]) : s(sizes[k]));
}

void MapBuilder::ranges(const Ints& sizes) {
  for (const i64 size : sizes) result(s(size));
}

Expr MapBuilder::rt(i64 lo, i64 hi) {
  params_.push_back({"rt" + std::to_string(params_.size()), lo, hi});
  return Expr::param(static_cast<int>(params_.size()) - 1);
}

Result<Map> MapBuilder::build() const {
  TESSERA_TRY(const Map map, Map::create(digits_, axes_, guards_, params_));
  return simplified(map);
}

Expr windowRead(MapBuilder& m, const Expr& outer, const Expr& tap, const WindowDim& w, i64 size) {
  const Expr at = outer * w.stride + tap * w.dilation + -w.low;
  m.within(at, 0, (size - 1) * w.baseDilation);
  if (w.baseDilation > 1) m.within(mod(at, w.baseDilation), 0, 0);
  return floorDiv(at, w.baseDilation);
}

Expr windowUse(MapBuilder& m, const Expr& element, const Expr& tap, const WindowDim& w, i64 outer) {
  const Expr at = element * w.baseDilation + w.low - tap * w.dilation;
  m.within(at, 0, (outer - 1) * w.stride);
  if (w.stride > 1) m.within(mod(at, w.stride), 0, 0);
  return floorDiv(at, w.stride);
}

std::string sizesText(const Ints& sizes) { return fmt::format("[{}]", fmt::join(sizes, ",")); }

i64 product(const Ints& sizes) { return std::accumulate(sizes.begin(), sizes.end(), i64{1}, std::multiplies<>()); }

Ints majorToMinor(const xla::Shape& shape) {
  const auto& order = shape.layout().minorToMajor;
  return {order.rbegin(), order.rend()};
}

Ints sizesOf(const xla::Shape& shape, const Ints& dimensions) {
  return mapped<i64>(dimensions, [&](i64 d) { return shape.dims()[n(d)].size; });
}

Result<Map> identityOf(const Ints& sizes) {
  MapBuilder m(sizes);
  for (std::size_t k = 0; k < sizes.size(); ++k) m.result(m.d(k));
  return m.build();
}

Result<Map> scalarOf(const Ints& sizes) { return MapBuilder(sizes).build(); }

// Coordinates of a group of dimensions with equal products: joined to one number, then split.
static void regroup(const std::vector<Expr>& in, const Ints& from, std::size_t i0, std::size_t i1, const Ints& to,
                    std::size_t o0, std::size_t o1, std::vector<Expr>& out) {
  if (i1 - i0 == 1 && o1 - o0 == 1) {
    out[o0] = in[i0];
    return;
  }
  Expr linear = Expr::constant(0);
  for (std::size_t k = i0; k < i1; ++k) linear = linear * from[k] + in[k];
  i64 stride = 1;
  for (std::size_t k = o1; k-- > o0;) {
    Expr part = floorDiv(linear, stride);
    out[k] = k == o0 ? part : mod(part, to[k]);
    stride *= to[k];
  }
}

std::vector<Expr> reshaped(const std::vector<Expr>& in, const Ints& from, const Ints& to) {
  std::vector<Expr> out(to.size(), Expr::constant(0));
  if (std::ranges::count(from, 0) + std::ranges::count(to, 0) > 0) return out;
  std::size_t i = 0, o = 0;
  while (i < from.size() || o < to.size()) {
    const std::size_t i0 = i, o0 = o;
    i64 a = 1, b = 1;
    do {
      if (i < from.size() && (i == i0 || a < b || o == to.size())) {
        a *= from[i++];
      } else if (o < to.size()) {
        b *= to[o++];
      }
    } while ((a != b || o == o0) && (i < from.size() || o < to.size()));
    regroup(in, from, i0, i, to, o0, o, out);
  }
  return out;
}

Reach none(std::size_t slot) { return {.slot = static_cast<int>(slot)}; }

Reach exact(std::size_t slot, Map map) {
  Reach r = none(slot);
  r.maps.push_back(std::move(map));
  return r;
}

Result<Reach> exact(std::size_t slot, Result<Map> map) {
  if (!map) return map.error();
  return exact(slot, *std::move(map));
}

Result<Reach> over(std::size_t slot, Result<Map> map, std::string why) {
  TESSERA_TRY(Reach r, exact(slot, std::move(map)));
  r.soundness = Soundness::Over;
  r.why = std::move(why);
  return r;
}

Reach unknown(std::size_t slot, std::string why) {
  return {static_cast<int>(slot), -1, Soundness::Unknown, std::move(why)};
}

Reaches only(Result<Reach> reach) {
  if (!reach) return reach.error();
  return std::vector{*std::move(reach)};
}

Reaches only(Result<Map> map) { return only(exact(0, std::move(map))); }

Reaches everywhere(const Op& op, int operand) {
  TESSERA_TRY(const Ints in, op.operandSizes(n(operand)));
  return each(op.outputs(), [&](std::size_t o) -> Result<Reach> {
    TESSERA_TRY(const Ints out, op.outputSizes(o));
    MapBuilder m(in);
    m.ranges(out);
    return exact(o, m.build());
  });
}

}  // namespace tessera::hlo
