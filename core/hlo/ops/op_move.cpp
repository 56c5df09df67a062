// Operations that only rename elements: broadcast, transpose, reverse, reshape, bitcast, tuples.
#include <algorithm>

#include "core/base/mapped.h"
#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

struct Broadcast {
  Ints in, out, dimensions;  // input dimension k is output dimension dimensions[k]
};
Result<Broadcast> broadcastOf(const Op& op) {
  TESSERA_CHECKED(op.expectOperands(1));
  Broadcast b;
  TESSERA_TRY(b.in, op.operandSizes(0));
  TESSERA_TRY(b.out, op.outputSizes());
  TESSERA_TRY(b.dimensions, op.dimensions("dimensions", b.out.size(), b.in.empty()));
  if (b.dimensions.size() != b.in.size())
    return op.wrong(fmt::format("dimensions are {}", sizesText(b.dimensions)),
                    fmt::format("one for each of the {} dimensions of {}", b.in.size(), op.nameOf(0)));
  for (std::size_t k = 0; k < b.in.size(); ++k)
    if (b.out[n(b.dimensions[k])] != b.in[k])
      return op.wrong(fmt::format("dimension {} of {} has {} elements, dimension {} of the result {}", k, op.nameOf(0),
                                  b.in[k], b.dimensions[k], b.out[n(b.dimensions[k])]),
                      "as many");
  return b;
}

struct Renaming {
  Ints in, out;
};
Result<Renaming> renamingOf(const Op& op) {
  TESSERA_CHECKED(op.expectOperands(1));
  Renaming r;
  TESSERA_TRY(r.in, op.operandSizes(0));
  TESSERA_TRY(r.out, op.outputSizes());
  return r;
}

// Transpose: out[i] = in[permutation[i]].
Result<Ints> permutationOf(const Op& op, const Renaming& r) {
  TESSERA_TRY(const Ints p, op.dimensions("dimensions", r.in.size()));
  if (p.size() != r.in.size()) return op.wrong(fmt::format("dimensions are {}", sizesText(p)), "every dimension once");
  auto expected = mapped<i64>(p, [&](i64 k) { return r.in[n(k)]; });
  TESSERA_CHECKED(op.expectSizes(r.out, expected, "the result"));
  return p;
}

Result<Map> reshapeMap(const Ints& from, const Ints& to) {
  MapBuilder m(from);
  std::vector<Expr> coordinates;
  for (std::size_t k = 0; k < from.size(); ++k) coordinates.push_back(m.d(k));
  m.results(reshaped(coordinates, from, to));
  return m.build();
}

// From an element of `a` to the element of `b` at the same memory position.
Result<Reach> bitcastReach(const Op& op, const xla::Shape& a, const xla::Shape& b) {
  const bool plain = a.layout().tiles.empty() && b.layout().tiles.empty() && a.layout().splits.empty();
  const bool same = a.layout().tiles == b.layout().tiles && a.sizes() == b.sizes() &&
                    a.layout().minorToMajor == b.layout().minorToMajor;
  if (same) return exact(0, identityOf(a.sizes()));
  if (!plain) return unknown(0, "a bitcast between tiled layouts");
  if (a.storedBits() != b.storedBits()) return unknown(0, "a bitcast between elements of different size");
  if (product(a.sizes()) != product(b.sizes()))
    return op.wrong(
        fmt::format("{} and {} have different numbers of elements", sizesText(a.sizes()), sizesText(b.sizes())),
        "as many");
  const Ints from = majorToMinor(a), to = majorToMinor(b);
  MapBuilder m(a.sizes());
  const auto coordinates = mapped<Expr>(from, [&](i64 k) { return m.d(n(k)); });
  const std::vector<Expr> there = reshaped(coordinates, sizesOf(a, from), sizesOf(b, to));
  std::vector<Expr> results(to.size());
  for (std::size_t k = 0; k < there.size(); ++k) results[n(to[k])] = there[k];
  m.results(std::move(results));
  return exact(0, m.build());
}

Result<Reach> broadcast(const Op& op, std::size_t, std::size_t, bool reads) {
  TESSERA_TRY(const Broadcast b, broadcastOf(op));
  MapBuilder m(reads ? b.out : b.in);
  std::vector<std::optional<Expr>> results(b.out.size());
  for (std::size_t k = 0; k < b.in.size(); ++k) {
    if (reads)
      m.result(m.d(n(b.dimensions[k])));
    else
      results[n(b.dimensions[k])] = m.d(k);
  }
  if (!reads) m.results(std::move(results), b.out);
  return exact(0, m.build());
}

Result<Reach> transposed(const Op& op, std::size_t, std::size_t, bool reads) {
  TESSERA_TRY(const Renaming r, renamingOf(op));
  TESSERA_TRY(const Ints p, permutationOf(op, r));
  MapBuilder m(reads ? r.out : r.in);
  for (std::size_t k = 0; k < p.size(); ++k) m.result(m.d(reads ? *positionOf(p, k) : n(p[k])));
  return exact(0, m.build());
}

// The formula is its own inverse.
Reaches readReverse(const Op& op, int) {
  TESSERA_TRY(const Renaming r, renamingOf(op));
  TESSERA_CHECKED(op.expectSizes(r.out, r.in, "the result"));
  TESSERA_TRY(const Ints reversed, op.dimensions("dimensions", r.in.size()));
  MapBuilder m(r.out);
  for (std::size_t k = 0; k < r.in.size(); ++k) m.result(has(reversed, k) ? m.d(k) * -1 + (r.in[k] - 1) : m.d(k));
  return only(m.build());
}

Result<Renaming> sameElements(const Op& op) {
  TESSERA_TRY(Renaming r, renamingOf(op));
  if (product(r.in) != product(r.out))
    return op.wrong(
        fmt::format("{} has {} elements, {} has {}", sizesText(r.in), product(r.in), sizesText(r.out), product(r.out)),
        "as many");
  return r;
}

Result<Reach> reshape(const Op& op, std::size_t, std::size_t, bool reads) {
  TESSERA_TRY(const Renaming r, sameElements(op));
  return exact(0, reads ? reshapeMap(r.out, r.in) : reshapeMap(r.in, r.out));
}

Result<Reach> bitcast(const Op& op, std::size_t, std::size_t, bool reads) {
  TESSERA_CHECKED(op.expectOperands(1));
  TESSERA_TRY(const xla::Shape* const in, op.operand(0));
  TESSERA_TRY(const xla::Shape* const out, op.output());
  if (!in->isArray() || !out->isArray()) return unknown(0, "a bitcast of something that is not an array");
  return reads ? bitcastReach(op, *out, *in) : bitcastReach(op, *in, *out);
}

// f32[4] -> u8[4,4] and the inverse: the narrow side has one more dimension. (XLA's analysis assumes the identity.)
Result<Map> convertMap(const Op& op, const Ints& from, const Ints& to) {
  MapBuilder m(from);
  const std::size_t shared = std::min(from.size(), to.size());
  TESSERA_TRY(const xla::Shape* const operand, op.operand(0));
  TESSERA_TRY(const xla::Shape* const output, op.output());
  const Ints in = operand->sizes(), out = output->sizes();
  const i64 inBits = operand->type().bits * (in.size() > out.size() ? in.back() : 1);
  const i64 outBits = output->type().bits * (out.size() > in.size() ? out.back() : 1);
  const bool fits = from.size() <= to.size() + 1 && to.size() <= from.size() + 1 && inBits == outBits &&
                    std::equal(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(shared), to.begin());
  if (!fits)
    return op.wrong(fmt::format("{} cannot become {}", xla::print(*operand), xla::print(*output)),
                    "the same dimensions, or one more of the narrower type, as many bits");
  for (std::size_t k = 0; k < shared; ++k) m.result(m.d(k));
  if (to.size() > from.size()) m.result(m.s(to.back()));
  return m.build();
}

Result<Reach> bitcastConvert(const Op& op, std::size_t, std::size_t, bool reads) {
  TESSERA_TRY(const Renaming r, renamingOf(op));
  return exact(0, reads ? convertMap(op, r.out, r.in) : convertMap(op, r.in, r.out));
}

// Element `leaf` of an operand that is forwarded; nothing is read of a token.
Result<Reach> forwarded(std::size_t slot, const xla::Shape& shape, std::size_t leaf) {
  const xla::Shape& one = shape.leaf(leaf);
  Reach reach = none(slot);
  if (one.isArray()) {
    TESSERA_TRY(reach, exact(slot, identityOf(one.sizes())));
  }
  reach.element = static_cast<int>(leaf);
  return reach;
}

Result<void> expectLeaves(const Op& op, std::size_t leaves) {
  if (op.outputs() == leaves) return {};
  return op.wrong(fmt::format("it has {} outputs", op.outputs()), fmt::format("{}, as its operands", leaves));
}

Reaches readTuple(const Op& op, int output) {
  std::size_t first = 0;
  TESSERA_TRY(std::vector<Reach> reads, each(op.operands(), [&](std::size_t k) -> Result<Reach> {
                TESSERA_TRY(const xla::Shape* const shape, op.operand(k));
                const std::size_t leaf = n(output) - first;  // wraps below the operand's first leaf
                first += shape->leaves();
                return leaf < shape->leaves() ? forwarded(k, *shape, leaf) : none(k);
              }));
  TESSERA_CHECKED(expectLeaves(op, first));
  return reads;
}

Reaches useTuple(const Op& op, int operand) {
  std::size_t first = 0;
  for (std::size_t k = 0; k < n(operand); ++k) {
    TESSERA_TRY(const xla::Shape* const before, op.operand(k));
    first += before->leaves();
  }
  TESSERA_TRY(const xla::Shape* const shape, op.operand(n(operand)));
  return each(op.outputs(), [&](std::size_t o) -> Result<Reach> {
    return o - first < shape->leaves() ? forwarded(o, *shape, o - first) : none(o);
  });
}

// The tuple element named by the attribute `index`, which may be a tuple.
Result<Reach> tupleElement(const Op& op, std::size_t, std::size_t output, bool) {
  TESSERA_CHECKED(op.expectOperands(1));
  TESSERA_TRY(const i64 index, op.number("index", -1));
  TESSERA_TRY(const xla::Shape* const tuple, op.operand(0));
  if (tuple->kind() != xla::Shape::Kind::Tuple || index < 0 || index >= static_cast<i64>(tuple->elements().size()))
    return index < 0 ? op.wrong("the attribute index is missing", "index=0, below the number of elements")
                     : op.wrong(fmt::format("{} has no element {}", op.nameOf(0), index),
                                fmt::format("a tuple of more than {} elements", index));
  const xla::Shape& element = tuple->elements()[n(index)];
  TESSERA_TRY(const xla::Shape* const out, op.output(output));
  if (element.leaves() != op.outputs())
    return op.wrong(fmt::format("element {} of {} is {}", index, op.nameOf(0), xla::print(element)), "its shape");
  const xla::Shape& in = element.leaf(output);
  if (in.isArray() && out->isArray()) TESSERA_CHECKED(op.expectSizes(out->sizes(), in.sizes(), "the result"));
  return forwarded(0, *tuple, tuple->firstLeaf(n(index)) + output);
}

}  // namespace

Rules moveRules() {
  static constexpr RuleRow kRules[] = {
      bothWays<broadcast>("broadcast"),      bothWays<transposed>("transpose"),
      {"reverse", readReverse, readReverse}, bothWays<reshape>("reshape"),
      bothWays<bitcast>("bitcast"),          bothWays<bitcastConvert>("bitcast-convert"),
      {"tuple", readTuple, useTuple},        bothWays<tupleElement>("get-tuple-element"),
  };
  return kRules;
}

}  // namespace tessera::hlo
