// A part of an array at static positions: slice, concatenate, pad.
#include <algorithm>

#include "core/base/arith.h"
#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

struct Slice {
  Ints in, out;
  std::vector<SliceRange> ranges;
};
Result<Slice> sliceOf(const Op& op) {
  TESSERA_CHECKED(op.expectOperands(1));
  Slice s;
  TESSERA_TRY(s.in, op.operandSizes(0));
  TESSERA_TRY(s.out, op.outputSizes());
  TESSERA_TRY(s.ranges, op.parsed("slice", slices, "slice={[start:limit:stride], ...}"));
  if (s.ranges.size() != s.in.size())
    return op.wrong(fmt::format("{} ranges for {} dimensions", s.ranges.size(), s.in.size()), "one for each");
  Ints expected;
  for (std::size_t k = 0; k < s.in.size(); ++k) {
    const SliceRange& r = s.ranges[k];
    if (r.start < 0 || r.limit < r.start || r.limit > s.in[k] || r.stride < 1)
      return op.wrong(fmt::format("[{}:{}:{}] of dimension {}, which has {}", r.start, r.limit, r.stride, k, s.in[k]),
                      "0 <= start <= limit <= size, stride >= 1");
    expected.push_back(ceilDiv(r.limit - r.start, r.stride));
  }
  TESSERA_CHECKED(op.expectSizes(s.out, expected, "the result"));
  return s;
}

struct Joined {
  Ints out;
  std::size_t dimension = 0;
  std::vector<Ints> parts;
  Ints offsets;  // where each operand begins
};
Result<Joined> joinedOf(const Op& op) {
  Joined j;
  TESSERA_TRY(j.out, op.outputSizes());
  TESSERA_TRY(const Ints dims, op.dimensions("dimensions", j.out.size()));
  if (dims.size() != 1) return op.wrong(fmt::format("dimensions are {}", sizesText(dims)), "one");
  j.dimension = n(dims[0]);
  i64 at = 0;
  for (std::size_t k = 0; k < op.operands(); ++k) {
    TESSERA_TRY(Ints part, op.operandSizes(k));
    Ints expected = j.out;
    if (part.size() == expected.size()) expected[j.dimension] = part[j.dimension];
    TESSERA_CHECKED(op.expectSizes(part, expected, op.nameOf(k)));
    j.offsets.push_back(at);
    if (!addInto(at, part[j.dimension]))
      return op.wrong("the total length of the parts exceeds 63 bits", "a shorter result");
    j.parts.push_back(std::move(part));
  }
  Ints expected = j.out;
  expected[j.dimension] = at;
  TESSERA_CHECKED(op.expectSizes(j.out, expected, "the result"));
  return j;
}

struct Padded {
  Ints in, out;
  std::vector<Padding> padding;
};
Result<Padded> paddedOf(const Op& op) {
  TESSERA_CHECKED(op.expectOperands(2));
  Padded p;
  TESSERA_TRY(p.in, op.operandSizes(0));
  TESSERA_TRY(p.out, op.outputSizes());
  if (!p.in.empty() || op.instruction().find("padding") != nullptr) {
    TESSERA_TRY(p.padding, op.parsed("padding", paddings, "padding=low_high, for each dimension"));
  }
  if (p.padding.size() != p.in.size())
    return op.wrong(fmt::format("padding of {} dimensions for {}", p.padding.size(), p.in.size()), "one for each");
  Ints expected;
  for (std::size_t k = 0; k < p.in.size(); ++k) {
    const Padding& d = p.padding[k];
    if (d.interior < 0) return op.wrong(fmt::format("padding between elements is {}", d.interior), "at least 0");
    constexpr i64 kMost = i64{1} << 62;
    const auto between = checkedMul(std::max<i64>(p.in[k] - 1, 0), d.interior);
    const auto spread = between ? checkedAdd(*between, p.in[k]) : std::nullopt;
    const auto sides = checkedAdd(d.low, d.high);
    const auto size = spread && sides ? checkedAdd(*spread, *sides) : std::nullopt;
    if (!size || d.interior > kMost || d.low < -kMost || d.low > kMost || d.high < -kMost || d.high > kMost)
      return op.wrong(fmt::format("the padding of dimension {} does not fit in 63 bits", k), "smaller numbers");
    expected.push_back(std::max<i64>(0, *size));
  }
  TESSERA_CHECKED(op.expectSizes(p.out, expected, "the result"));
  return p;
}

Result<Reach> sliced(const Op& op, std::size_t, std::size_t, bool reads) {
  TESSERA_TRY(const Slice s, sliceOf(op));
  MapBuilder m(reads ? s.out : s.in);
  for (std::size_t k = 0; k < s.in.size(); ++k) {
    const SliceRange& r = s.ranges[k];
    if (reads) {
      m.result(m.d(k) * r.stride + r.start);
      continue;
    }
    m.within(m.d(k), r.start, r.start + (s.out[k] - 1) * r.stride);
    if (r.stride > 1) m.within(mod(m.d(k) + -r.start, r.stride), 0, 0);
    m.result(floorDiv(m.d(k) + -r.start, r.stride));
  }
  return exact(0, m.build());
}

Reaches readConcatenate(const Op& op, int) {
  TESSERA_TRY(const Joined j, joinedOf(op));
  return each(j.parts.size(), [&](std::size_t k) -> Result<Reach> {
    MapBuilder m(j.out);
    for (std::size_t d = 0; d < j.out.size(); ++d) m.result(d == j.dimension ? m.d(d) + -j.offsets[k] : m.d(d));
    m.within(m.d(j.dimension), j.offsets[k], j.offsets[k] + j.parts[k][j.dimension] - 1);
    return exact(k, m.build());
  });
}

Reaches useConcatenate(const Op& op, int operand) {
  TESSERA_TRY(const Joined j, joinedOf(op));
  const std::size_t k = n(operand);
  MapBuilder m(j.parts[k]);
  for (std::size_t d = 0; d < j.out.size(); ++d) m.result(d == j.dimension ? m.d(d) + j.offsets[k] : m.d(d));
  return only(m.build());
}

// Operand 1 is the value between and around: read wherever operand 0 is not.
Reaches readPad(const Op& op, int) {
  TESSERA_TRY(const Padded p, paddedOf(op));
  MapBuilder m(p.out);
  for (std::size_t k = 0; k < p.in.size(); ++k) {
    const i64 step = p.padding[k].interior + 1;
    const Expr from = m.d(k) + -p.padding[k].low;
    m.within(from, 0, (p.in[k] - 1) * step);
    if (step > 1) m.within(mod(from, step), 0, 0);
    m.result(floorDiv(from, step));
  }
  return each(2, [&](std::size_t k) {
    return k == 0 ? exact(k, m.build()) : over(k, scalarOf(p.out), "read only where the padding is");
  });
}

Reaches usePad(const Op& op, int operand) {
  TESSERA_TRY(const Padded p, paddedOf(op));
  if (operand == 1) {
    MapBuilder all({});
    all.ranges(p.out);
    return only(over(0, all.build(), "only the elements of the padding"));
  }
  MapBuilder m(p.in);
  for (std::size_t k = 0; k < p.in.size(); ++k) {
    const Expr to = m.d(k) * (p.padding[k].interior + 1) + p.padding[k].low;
    m.within(to, 0, p.out[k] - 1);  // negative padding drops elements
    m.result(to);
  }
  return only(m.build());
}

}  // namespace

Rules partRules() {
  static constexpr RuleRow kRules[] = {
      bothWays<sliced>("slice"),
      {"concatenate", readConcatenate, useConcatenate},
      {"pad", readPad, usePad},
  };
  return kRules;
}

}  // namespace tessera::hlo
