// Every element of a row or matrix goes to every other: sort and similar, transforms, factorisations, normalisations,
// random numbers. If the algorithm's order decides what is read, the map covers everything possible and is Over.
#include <algorithm>

#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

// Any element of the row: from a result to the operand, or the converse.
Result<Map> rowMap(const Ints& in, const Ints& out, const Ints& along, bool reads) {
  const Ints& to = reads ? in : out;
  MapBuilder m(reads ? out : in);
  for (std::size_t d = 0; d < to.size(); ++d) m.result(has(along, d) ? m.s(to[d]) : m.d(d));
  return m.build();
}

// Which element of its row an output is depends on values: any of the row, in every operand.
Result<Reach> sorted(const Op& op, std::size_t operand, std::size_t output, bool reads) {
  const bool some = op.opcode() == "topk";
  TESSERA_TRY(const Ints out, op.outputSizes(output));
  TESSERA_TRY(Ints along, op.dimensions("dimensions", out.size(), some));
  if (along.empty() && !out.empty()) along = {static_cast<i64>(out.size()) - 1};
  if (some) TESSERA_CHECKED(op.expectOperands(1));
  TESSERA_TRY(const Ints in, op.operandSizes(operand));
  if (in.size() != out.size())
    return op.wrong(fmt::format("{} is {}", op.nameOf(operand), sizesText(in)), "an array of the result's rank");
  for (std::size_t d = 0; d < in.size(); ++d)
    if (some && has(along, d) ? in[d] < out[d] : in[d] != out[d])
      return op.wrong(fmt::format("{} is {}, the result {}", op.nameOf(operand), sizesText(in), sizesText(out)),
                      "as many elements");
  return exact(0, rowMap(in, out, along, reads));
}

// The last `count` dimensions, which are mixed; the ones before are batch dimensions.
Result<Ints> lastDimensions(const Op& op, const Ints& out, std::size_t count) {
  if (out.size() < count)
    return op.wrong(fmt::format("an array of rank {}", out.size()), fmt::format("at least {}", count));
  Ints last;
  for (std::size_t k = out.size() - count; k < out.size(); ++k) last.push_back(static_cast<i64>(k));
  return last;
}

Result<Ints> sameRank(const Op& op, std::size_t operand, const Ints& out, const Ints& along) {
  TESSERA_TRY(Ints in, op.operandSizes(operand));
  bool same = in.size() == out.size();
  for (std::size_t k = 0; same && k < in.size(); ++k) same = has(along, k) || in[k] == out[k];
  if (!same)
    return op.wrong(fmt::format("{} is {}", op.nameOf(operand), sizesText(in)),
                    fmt::format("sizes like the result's, {}", sizesText(out)));
  return in;
}

// Each output of a transform is a sum over its whole row. A real row of n keeps n / 2 + 1 frequencies.
Result<Reach> transformed(const Op& op, std::size_t, std::size_t, bool reads) {
  TESSERA_CHECKED(op.expectOperands(1));
  TESSERA_TRY(const Ints out, op.outputSizes());
  TESSERA_TRY(const Ints lengths, op.ints("fft_length"));
  TESSERA_TRY(const Ints along, lastDimensions(op, out, lengths.size()));
  TESSERA_TRY(const Ints in, sameRank(op, 0, out, along));
  if (op.instruction().find("fft_type") == nullptr)
    return op.wrong("fft has no fft_type", "fft_type=FFT, IFFT, RFFT or IRFFT");
  const std::string_view type = op.instruction().value("fft_type");
  Ints expectedIn = in, expectedOut = out;
  for (std::size_t k = 0; k < along.size(); ++k) expectedIn[n(along[k])] = expectedOut[n(along[k])] = lengths[k];
  if (!along.empty() && type == "RFFT") expectedOut.back() = lengths.back() / 2 + 1;
  if (!along.empty() && type == "IRFFT") expectedIn.back() = lengths.back() / 2 + 1;
  TESSERA_CHECKED(op.expectSizes(in, expectedIn, op.nameOf(0)));
  TESSERA_CHECKED(op.expectSizes(out, expectedOut, "the result"));
  return exact(0, rowMap(in, out, along, reads));
}

constexpr const char* kFactorisation = "the other triangle and what is already factorised are not read";

// cholesky(a); triangular-solve(a, b): whole matrices of a, and rows or columns of b.
Result<Reach> solved(const Op& op, std::size_t operand, std::size_t, bool reads) {
  TESSERA_TRY(const Ints out, op.outputSizes());
  TESSERA_TRY(Ints along, lastDimensions(op, out, 2));
  const std::size_t same = op.opcode() == "cholesky" ? 0 : 1;  // the operand of the result's sizes
  TESSERA_CHECKED(op.expectOperands(same + 1));
  if (same == 1) TESSERA_CHECKED(sameRank(op, 0, out, along));
  TESSERA_TRY(const Ints b, op.operandSizes(same));
  TESSERA_CHECKED(op.expectSizes(out, b, "the result"));
  TESSERA_TRY(const Ints in, op.operandSizes(operand));
  if (operand > 0) along = {along[op.instruction().value("left_side") == "true" ? 0 : 1]};
  return over(0, rowMap(in, out, along, reads), kFactorisation);
}

constexpr const char* kState = "which numbers of the state are used depends on the generator";

// rng(a, b): the two parameters of the distribution.
Result<Reach> random(const Op& op, std::size_t operand, std::size_t output, bool reads) {
  if (op.opcode() == "rng-bit-generator") TESSERA_CHECKED(op.expectOperands(1));
  TESSERA_TRY(const Ints out, op.outputSizes(output));
  TESSERA_TRY(const Ints in, op.operandSizes(operand));
  MapBuilder m(reads ? out : in);
  m.ranges(reads ? in : out);
  return in.empty() ? exact(0, m.build()) : over(0, m.build(), kState);
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

Result<Reach> normalised(const Op& op, std::size_t operand, std::size_t output, bool reads) {
  TESSERA_CHECKED(op.expectOperands(op.opcode() == "batch-norm-training" ? 3 : 5));
  TESSERA_TRY(const Ints out, op.outputSizes(output));
  TESSERA_TRY(const Ints in, op.operandSizes(operand));
  const Tie tie = tieOf(op, operand, output);
  if (tie == Tie::Same) TESSERA_CHECKED(op.expectSizes(out, in, "the result"));
  if (tie == Tie::None) return none(0);
  const Ints &from = reads ? out : in, &to = reads ? in : out;
  TESSERA_TRY(const i64 feature, op.number("feature_index", -1));
  const auto rank = static_cast<i64>(std::max(from.size(), to.size()));
  if (feature < 0 || (rank > 1 && feature >= rank) || from.empty() || to.empty())
    return op.wrong(fmt::format("feature_index is {}", feature), "a dimension of the first operand");
  MapBuilder m(from);
  const std::size_t mine = from.size() == 1 ? 0 : n(feature), other = to.size() == 1 ? 0 : n(feature);
  if (mine >= from.size() || other >= to.size() || from[mine] != to[other])
    return op.wrong(fmt::format("{} and {} do not agree", sizesText(from), sizesText(to)),
                    "one element for each feature");
  for (std::size_t d = 0; d < to.size(); ++d) m.result(d == other ? m.d(mine) : tie == Tie::Same ? m.d(d) : m.s(to[d]));
  return exact(0, m.build());
}

}  // namespace

Rules wholeRules() {
  static constexpr RuleRow kRules[] = {
      bothWays<sorted>("sort"),
      bothWays<sorted>("topk"),
      bothWays<transformed>("fft"),
      bothWays<solved>("cholesky"),
      bothWays<solved>("triangular-solve"),
      bothWays<random>("rng"),
      bothWays<random>("rng-bit-generator"),
      bothWays<normalised>("batch-norm-inference"),
      bothWays<normalised>("batch-norm-training"),
      bothWays<normalised>("batch-norm-grad"),
  };
  return kRules;
}

}  // namespace tessera::hlo
