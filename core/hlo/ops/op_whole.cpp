// Every element of a row or matrix goes into every other: sort and similar, transforms, factorisations, normalisations,
// random numbers. If the algorithm's order decides what is read, the map has everything possible and says so.
#include <algorithm>

#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

// Any element of the row, from coordinates over `from` to those over `to`.
Result<Map> rowMap(const Ints& from, const Ints& to, const Ints& along) {
  MapBuilder m(from);
  for (std::size_t d = 0; d < to.size(); ++d) m.result(has(along, d) ? m.s(to[d]) : m.d(d));
  return m.build();
}

// The dimensions along which elements are permuted.
Result<Ints> sortedAlong(const Op& op, const Ints& out) {
  TESSERA_TRY(Ints dims, op.dimensions("dimensions", out.size(), op.opcode() == "topk"));
  if (dims.empty() && !out.empty()) return Ints{static_cast<i64>(out.size()) - 1};
  return dims;
}

// Which element of its row an output is depends on values: any of the row, in every operand.
Reaches readSort(const Op& op, int output) {
  TESSERA_TRY(const Ints out, op.outputSizes(n(output)));
  TESSERA_TRY(const Ints along, sortedAlong(op, out));
  if (op.opcode() == "topk") TESSERA_CHECKED(op.expectOperands(1));
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    if (in.size() != out.size())
      return op.wrong(op.nameOf(k) + " is " + sizesText(in), "an array of the result's rank");
    for (std::size_t d = 0; d < in.size(); ++d) {
      const bool some = op.opcode() == "topk" && has(along, d);
      if (some ? in[d] < out[d] : in[d] != out[d])
        return op.wrong(op.nameOf(k) + " is " + sizesText(in) + ", the result " + sizesText(out), "as many elements");
    }
    return exact(k, rowMap(out, in, along));
  });
}

Reaches useSort(const Op& op, int operand) {
  TESSERA_TRY(const Ints in, op.operandSizes(n(operand)));
  return each(op.outputs(), [&](std::size_t o) -> Result<Reach> {
    TESSERA_CHECKED(readSort(op, static_cast<int>(o)));
    TESSERA_TRY(const Ints out, op.outputSizes(o));
    TESSERA_TRY(const Ints along, sortedAlong(op, out));
    return exact(o, rowMap(in, out, along));
  });
}

// The last `count` dimensions, which are mixed; the ones before are batch dimensions.
Result<Ints> lastDimensions(const Op& op, const Ints& out, std::size_t count) {
  if (out.size() < count)
    return op.wrong("an array of rank " + std::to_string(out.size()), "at least " + std::to_string(count));
  Ints last;
  for (std::size_t k = out.size() - count; k < out.size(); ++k) last.push_back(static_cast<i64>(k));
  return last;
}

Result<Ints> sameRank(const Op& op, std::size_t operand, const Ints& out, const Ints& along) {
  TESSERA_TRY(Ints in, op.operandSizes(operand));
  bool same = in.size() == out.size();
  for (std::size_t k = 0; same && k < in.size(); ++k) same = has(along, k) || in[k] == out[k];
  if (!same) return op.wrong(op.nameOf(operand) + " is " + sizesText(in), "sizes like the result's, " + sizesText(out));
  return in;
}

Result<Ints> transformedAlong(const Op& op, const Ints& out) {
  TESSERA_TRY(const Ints lengths, op.ints("fft_length"));
  return lastDimensions(op, out, lengths.size());
}

// Checks the lengths on both sides; a real row of n keeps n / 2 + 1 frequencies.
Result<void> checkTransform(const Op& op, Ints in, Ints out, const Ints& along) {
  TESSERA_TRY(const Ints lengths, op.ints("fft_length"));
  const Attribute* const type = op.instruction().find("fft_type");
  if (type == nullptr) return op.wrong("fft has no fft_type", "fft_type=FFT, IFFT, RFFT or IRFFT");
  const Ints isIn = in, isOut = out;
  for (std::size_t k = 0; k < along.size(); ++k) in[n(along[k])] = out[n(along[k])] = lengths[k];
  if (!along.empty() && type->value == "RFFT") out.back() = lengths.back() / 2 + 1;
  if (!along.empty() && type->value == "IRFFT") in.back() = lengths.back() / 2 + 1;
  TESSERA_CHECKED(op.expectSizes(isIn, in, op.nameOf(0)));
  return op.expectSizes(isOut, out, "the result");
}

constexpr const char* kFactorisation = "the triangle and what the factorisation has passed by are not read";

// cholesky(a); triangular-solve(a, b): what of a, and along which dimensions of b.
struct Solved {
  Ints out, matrix, along;
};
Result<Solved> solvedOf(const Op& op) {
  Solved s;
  TESSERA_TRY(s.out, op.outputSizes());
  TESSERA_TRY(s.matrix, lastDimensions(op, s.out, 2));
  s.along = s.matrix;
  if (op.opcode() == "cholesky") {
    TESSERA_CHECKED(op.expectOperands(1));
    TESSERA_TRY(const Ints in, op.operandSizes(0));
    TESSERA_CHECKED(op.expectSizes(s.out, in, "the result"));
    return s;
  }
  TESSERA_CHECKED(op.expectOperands(2));
  const Attribute* const left = op.instruction().find("left_side");
  s.along = {left != nullptr && left->value == "true" ? s.matrix[0] : s.matrix[1]};
  TESSERA_CHECKED(sameRank(op, 0, s.out, s.matrix));
  TESSERA_TRY(const Ints b, op.operandSizes(1));
  TESSERA_CHECKED(op.expectSizes(s.out, b, "the result"));
  return s;
}

// Each output of a transform is a sum over its whole row. A real row keeps half: n / 2 + 1.
Reaches readTransform(const Op& op, int) {
  TESSERA_CHECKED(op.expectOperands(1));
  TESSERA_TRY(const Ints out, op.outputSizes());
  TESSERA_TRY(const Ints along, transformedAlong(op, out));
  TESSERA_TRY(const Ints in, sameRank(op, 0, out, along));
  TESSERA_CHECKED(checkTransform(op, in, out, along));
  return only(rowMap(out, in, along));
}

Reaches useTransform(const Op& op, int) {
  TESSERA_CHECKED(readTransform(op, 0));
  TESSERA_TRY(const Ints out, op.outputSizes());
  TESSERA_TRY(const Ints in, op.operandSizes(0));
  TESSERA_TRY(const Ints along, transformedAlong(op, out));
  return only(rowMap(in, out, along));
}

Reaches readSolve(const Op& op, int) {
  TESSERA_TRY(const Solved s, solvedOf(op));
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    return over(k, rowMap(s.out, in, k == 0 ? s.matrix : s.along), kFactorisation);
  });
}

Reaches useSolve(const Op& op, int operand) {
  TESSERA_TRY(const Solved s, solvedOf(op));
  TESSERA_TRY(const Ints in, op.operandSizes(n(operand)));
  return only(over(0, rowMap(in, s.out, operand == 0 ? s.matrix : s.along), kFactorisation));
}

constexpr const char* kState = "which of the state's numbers, the generator knows";

// rng(a, b): the two parameters of the distribution.
Reaches readRandom(const Op& op, int output) {
  if (op.opcode() == "rng-bit-generator") TESSERA_CHECKED(op.expectOperands(1));
  TESSERA_TRY(const Ints out, op.outputSizes(n(output)));
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    MapBuilder m(out);
    m.ranges(in);
    return in.empty() ? exact(k, m.build()) : over(k, m.build(), kState);
  });
}

Reaches useRandom(const Op& op, int operand) {
  TESSERA_TRY(std::vector<Reach> uses, everywhere(op, operand));
  TESSERA_TRY(const Ints in, op.operandSizes(n(operand)));
  for (Reach& u : uses)
    if (!in.empty()) u = over(n(u.slot), std::move(u.maps[0]), kState);
  return uses;
}

// How an array of a normalisation depends on another: not at all, element by element, or by feature only.
enum class Tie : unsigned char { None, Same, Feature };

Tie tieOf(const Op& op, std::size_t operand, std::size_t output) {
  if (op.opcode() == "batch-norm-inference") return operand == 0 ? Tie::Same : Tie::Feature;
  if (op.opcode() == "batch-norm-training") return operand == 0 || output == 0 ? Tie::Feature : Tie::None;
  // batch-norm-grad(x, scale, mean, variance, gradient): gradients of x, scale and offset
  if (output == 0) return Tie::Feature;
  return output == 1 ? (operand == 1 ? Tie::None : Tie::Feature) : (operand == 4 ? Tie::Feature : Tie::None);
}

Result<Reach> normalised(const Op& op, std::size_t slot, Tie tie, const Ints& from, const Ints& to) {
  if (tie == Tie::None) return none(slot);
  TESSERA_TRY(const i64 feature, op.number("feature_index", -1));
  const auto rank = static_cast<i64>(std::max(from.size(), to.size()));
  if (feature < 0 || (rank > 1 && feature >= rank) || from.empty() || to.empty())
    return op.wrong("feature_index is " + std::to_string(feature), "a dimension of the first operand");
  MapBuilder m(from);
  const std::size_t mine = from.size() == 1 ? 0 : n(feature), other = to.size() == 1 ? 0 : n(feature);
  if (mine >= from.size() || other >= to.size() || from[mine] != to[other])
    return op.wrong(sizesText(from) + " and " + sizesText(to) + " do not agree", "one element for each feature");
  for (std::size_t d = 0; d < to.size(); ++d) m.result(d == other ? m.d(mine) : tie == Tie::Same ? m.d(d) : m.s(to[d]));
  return exact(slot, m.build());
}

Reaches readNormalisation(const Op& op, int output) {
  TESSERA_CHECKED(op.expectOperands(op.opcode() == "batch-norm-training" ? 3 : 5));
  TESSERA_TRY(const Ints out, op.outputSizes(n(output)));
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    const Tie tie = tieOf(op, k, n(output));
    if (tie == Tie::Same) TESSERA_CHECKED(op.expectSizes(out, in, "the result"));
    return normalised(op, k, tie, out, in);
  });
}

Reaches useNormalisation(const Op& op, int operand) {
  TESSERA_TRY(const Ints in, op.operandSizes(n(operand)));
  return each(op.outputs(), [&](std::size_t o) -> Result<Reach> {
    TESSERA_CHECKED(readNormalisation(op, static_cast<int>(o)));
    TESSERA_TRY(const Ints out, op.outputSizes(o));
    return normalised(op, o, tieOf(op, n(operand), o), in, out);
  });
}

}  // namespace

Rules wholeRules() {
  static constexpr RuleRow kRules[] = {
      {"sort", readSort, useSort},
      {"topk", readSort, useSort},
      {"fft", readTransform, useTransform},
      {"cholesky", readSolve, useSolve},
      {"triangular-solve", readSolve, useSolve},
      {"rng", readRandom, useRandom},
      {"rng-bit-generator", readRandom, useRandom},
      {"batch-norm-inference", readNormalisation, useNormalisation},
      {"batch-norm-training", readNormalisation, useNormalisation},
      {"batch-norm-grad", readNormalisation, useNormalisation},
  };
  return kRules;
}

}  // namespace tessera::hlo
