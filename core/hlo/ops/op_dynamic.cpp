// Sizes that are run-time values: ragged-dot, dynamic-reshape, set- and get-dimension-size; and tokens.
//
//     ragged-dot(f32[8,4] x, f32[3,4,6] w, s32[3] sizes)     a row of x, with the matrix of its group: at most any
//     dynamic-reshape(f32[<=6] x, s32[] n, s32[] m)          any element, by the sizes
#include <algorithm>
#include <array>

#include "core/hlo/ops/converse.h"
#include "core/hlo/ops/custom.h"
#include "core/hlo/ops/product.h"

namespace tessera::hlo {
namespace {

constexpr const char* kGroups = "the sizes of the groups choose among these";

// Rows of the left side, or contracted elements, or batches are grouped, by lhs_ragged_dims.
struct Ragged {
  Ints lhs, rhs, out;
  std::array<DotDims, 2> dims;
  i64 ragged = 0;        // dimension of the left side
  i64 group = -1;        // dimension of the right side that counts the groups; -1: none
  bool grouped = false;  // the result's first dimension counts the groups
};

Result<Ragged> raggedOf(const Op& op) {
  TESSERA_CHECKED(op.expectOperands(3));
  Ragged r;
  TESSERA_TRY(r.lhs, op.operandSizes(0));
  TESSERA_TRY(r.rhs, op.operandSizes(1));
  TESSERA_TRY(const Ints sizes, op.operandSizes(2));
  TESSERA_TRY(r.out, op.outputSizes());
  for (const std::size_t side : {0, 1}) {
    const std::string name = side == 0 ? "lhs" : "rhs";
    const std::size_t rank = (side == 0 ? r.lhs : r.rhs).size();
    TESSERA_TRY(r.dims[side].batch, op.dimensions(name + "_batch_dims", rank, true));
    TESSERA_TRY(r.dims[side].contracting, op.dimensions(name + "_contracting_dims", rank, true));
  }
  TESSERA_TRY(const Ints ragged, op.dimensions("lhs_ragged_dims", r.lhs.size()));
  TESSERA_TRY(const Ints groups, op.dimensions("rhs_group_dims", r.rhs.size(), true));
  if (ragged.size() != 1 || groups.size() > 1)
    return op.wrong(fmt::format("lhs_ragged_dims are {}, rhs_group_dims {}", sizesText(ragged), sizesText(groups)),
                    "one ragged dimension, at most one of groups");
  r.ragged = ragged[0];
  if (!groups.empty()) r.group = groups[0];
  r.grouped = has(r.dims[0].contracting, r.ragged);
  Ints expected;
  if (r.grouped) expected.push_back(sizes.empty() ? -1 : sizes.back());
  if (r.dims[0].batch.size() != r.dims[1].batch.size() || r.dims[0].contracting.size() != r.dims[1].contracting.size())
    return op.wrong("batch and contracting dimensions of the two operands differ in number", "as many on both sides");
  for (std::size_t k = 0; k < r.dims[0].batch.size(); ++k) expected.push_back(r.lhs[n(r.dims[0].batch[k])]);
  for (const std::size_t side : {0, 1}) {
    const Ints& all = side == 0 ? r.lhs : r.rhs;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (!has(r.dims[side].batch, k) && !has(r.dims[side].contracting, k) &&
          !(side == 1 && static_cast<i64>(k) == r.group))
        expected.push_back(all[k]);
  }
  bool agree = true;
  for (std::size_t k = 0; k < r.dims[0].batch.size(); ++k)
    agree = agree && r.lhs[n(r.dims[0].batch[k])] == r.rhs[n(r.dims[1].batch[k])];
  for (std::size_t k = 0; k < r.dims[0].contracting.size(); ++k)
    agree = agree && r.lhs[n(r.dims[0].contracting[k])] == r.rhs[n(r.dims[1].contracting[k])];
  if (!agree) return op.wrong(fmt::format("{} and {} do not agree", sizesText(r.lhs), sizesText(r.rhs)), "equal sizes");
  TESSERA_CHECKED(op.expectSizes(r.out, expected, "the result"));
  return r;
}

Reaches readRagged(const Op& op, int) {
  TESSERA_TRY(const Ragged r, raggedOf(op));
  return each(3, [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    Ints at(in.size(), -1);
    if (k == 2) return over(k, alongOutput(r.out, in, at), kGroups);
    const std::size_t first = r.grouped ? 1 : 0;
    for (std::size_t b = 0; b < r.dims[k].batch.size(); ++b) at[n(r.dims[k].batch[b])] = static_cast<i64>(first + b);
    std::size_t next = first + r.dims[0].batch.size();
    if (k == 1) next += r.lhs.size() - r.dims[0].batch.size() - r.dims[0].contracting.size();
    for (std::size_t d = 0; d < in.size(); ++d)
      if (!has(r.dims[k].batch, d) && !has(r.dims[k].contracting, d) && !(k == 1 && static_cast<i64>(d) == r.group))
        at[d] = static_cast<i64>(next++);
    return over(k, alongOutput(r.out, in, at), kGroups);
  });
}

Reaches readReshaped(const Op& op, int) {
  TESSERA_TRY(const Ints out, op.outputSizes());
  TESSERA_CHECKED(op.expectOperands(1 + out.size()));
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    if (k > 0) {
      TESSERA_CHECKED(op.expectSizes(in, {}, op.nameOf(k)));
      return exact(k, scalarOf(out));
    }
    return over(k, alongOutput(out, in, Ints(in.size(), -1)), "the sizes decide which element");
  });
}

Reaches readResized(const Op& op, int) {
  TESSERA_CHECKED(op.expectOperands(2));
  TESSERA_TRY(const Ints out, op.outputSizes());
  TESSERA_TRY(const Ints in, op.operandSizes(0));
  TESSERA_TRY(const Ints size, op.operandSizes(1));
  TESSERA_TRY(const Ints along, op.dimensions("dimensions", in.size()));
  if (along.size() != 1) return op.wrong(fmt::format("dimensions are {}", sizesText(along)), "one");
  TESSERA_CHECKED(op.expectSizes(out, in, "the result"));
  TESSERA_CHECKED(op.expectSizes(size, {}, op.nameOf(1)));
  return each(2, [&](std::size_t k) {
    return k == 0 ? exact(k, identityOf(out)) : over(k, scalarOf(out), "only elements beyond the size depend on it");
  });
}

// A size, not an element: of what the operand holds, nothing is read.
Reaches readSize(const Op& op, int) {
  TESSERA_CHECKED(op.expectOperands(1));
  TESSERA_TRY(const Ints in, op.operandSizes(0));
  TESSERA_TRY(const Ints along, op.dimensions("dimensions", in.size()));
  TESSERA_TRY(const Ints out, op.outputSizes());
  if (along.size() != 1) return op.wrong(fmt::format("dimensions are {}", sizesText(along)), "one");
  TESSERA_CHECKED(op.expectSizes(out, {}, "the result"));
  return nothingOf(op);
}

// The results are tokens.
Reaches readTokens(const Op& op, int output) {
  TESSERA_TRY(const xla::Shape* const out, op.output(n(output)));
  if (out->isArray()) return op.wrong(fmt::format("the result is {}", xla::print(*out)), "token[]");
  return nothingOf(op);
}

template <Rule reads>
Reaches useTurned(const Op& op, int operand) {
  return usesByReads(op, operand, -1, [&](int output) { return reads(op, output); });
}

}  // namespace

Rules dynamicRules() {
  static constexpr RuleRow kRules[] = {
      {"ragged-dot", readRagged, useTurned<readRagged>},
      {"dynamic-reshape", readReshaped, useTurned<readReshaped>},
      {"set-dimension-size", readResized, useTurned<readResized>},
      {"get-dimension-size", readSize, useTurned<readSize>},
      {"after-all", readTokens, useTurned<readTokens>},
      {"send-done", readTokens, useTurned<readTokens>},
      {"outfeed", readTokens, useTurned<readTokens>},
  };
  return kRules;
}

}  // namespace tessera::hlo
