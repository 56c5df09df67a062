// Every element of a row or matrix goes into every other: sort and similar, transforms, factorisations, normalisations,
// random numbers. If the algorithm's order decides what is read, the map has everything possible and says so.
#include <algorithm>

#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

using Reaches = Result<std::vector<Reach>>;

std::size_t n(i64 k) { return static_cast<std::size_t>(k); }
bool has(const Ints& list, std::size_t k) { return std::count(list.begin(), list.end(), static_cast<i64>(k)) > 0; }

// Any element of the row, from coordinates over `from` to those over `to`.
Result<Map> rowMap(const Ints& from, const Ints& to, const Ints& along) {
  MapBuilder m(from);
  for (std::size_t d = 0; d < to.size(); ++d) m.result(has(along, d) ? m.s(to[d]) : m.d(d));
  return m.build();
}

}  // namespace

namespace {

// The dimensions along which elements are permuted.
Result<Ints> sortedAlong(const Op& op, const Ints& out) {
  TESSERA_TRY(Ints dims, op.dimensions("dimensions", out.size(), op.opcode() == "topk"));
  if (dims.empty() && !out.empty()) return Ints{static_cast<i64>(out.size()) - 1};
  return dims;
}

}  // namespace

// Which element of its row an output is depends on values: any of the row, in every operand.
Reaches readSort(const Op& op, int output) {
  TESSERA_TRY(const Ints out, op.outputSizes(n(output)));
  TESSERA_TRY(const Ints along, sortedAlong(op, out));
  if (op.opcode() == "topk") TESSERA_CHECKED(op.expectOperands(1));
  std::vector<Reach> reads;
  for (std::size_t k = 0; k < op.operands(); ++k) {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    if (in.size() != out.size())
      return op.wrong(op.nameOf(k) + " is " + sizesText(in), "an array of the result's rank");
    for (std::size_t d = 0; d < in.size(); ++d) {
      const bool some = op.opcode() == "topk" && std::count(along.begin(), along.end(), static_cast<i64>(d)) > 0;
      if (some ? in[d] < out[d] : in[d] != out[d])
        return op.wrong(op.nameOf(k) + " is " + sizesText(in) + ", the result " + sizesText(out), "as many elements");
    }
    TESSERA_TRY(Map map, rowMap(out, in, along));
    reads.push_back(exact(k, std::move(map)));
  }
  return reads;
}

Reaches useSort(const Op& op, int operand) {
  TESSERA_TRY(const Ints in, op.operandSizes(n(operand)));
  std::vector<Reach> uses;
  for (std::size_t o = 0; o < op.outputs(); ++o) {
    TESSERA_CHECKED(readSort(op, static_cast<int>(o)));
    TESSERA_TRY(const Ints out, op.outputSizes(o));
    TESSERA_TRY(const Ints along, sortedAlong(op, out));
    TESSERA_TRY(Map map, rowMap(in, out, along));
    uses.push_back(exact(o, std::move(map)));
  }
  return uses;
}

namespace {

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

}  // namespace

// Each output of a transform is a sum over its whole row. A real row keeps half: n / 2 + 1.
Reaches readTransform(const Op& op, int) {
  TESSERA_CHECKED(op.expectOperands(1));
  TESSERA_TRY(const Ints out, op.outputSizes());
  TESSERA_TRY(const Ints along, transformedAlong(op, out));
  TESSERA_TRY(const Ints in, sameRank(op, 0, out, along));
  TESSERA_CHECKED(checkTransform(op, in, out, along));
  TESSERA_TRY(Map map, rowMap(out, in, along));
  return std::vector{exact(0, std::move(map))};
}

Reaches useTransform(const Op& op, int) {
  TESSERA_CHECKED(readTransform(op, 0));
  TESSERA_TRY(const Ints out, op.outputSizes());
  TESSERA_TRY(const Ints in, op.operandSizes(0));
  TESSERA_TRY(const Ints along, transformedAlong(op, out));
  TESSERA_TRY(Map map, rowMap(in, out, along));
  return std::vector{exact(0, std::move(map))};
}

Reaches readSolve(const Op& op, int) {
  TESSERA_TRY(const Solved s, solvedOf(op));
  std::vector<Reach> reads;
  for (std::size_t k = 0; k < op.operands(); ++k) {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    TESSERA_TRY(Map map, rowMap(s.out, in, k == 0 ? s.matrix : s.along));
    reads.push_back(over(k, std::move(map), kFactorisation));
  }
  return reads;
}

Reaches useSolve(const Op& op, int operand) {
  TESSERA_TRY(const Solved s, solvedOf(op));
  TESSERA_TRY(const Ints in, op.operandSizes(n(operand)));
  TESSERA_TRY(Map map, rowMap(in, s.out, operand == 0 ? s.matrix : s.along));
  return std::vector{over(0, std::move(map), kFactorisation)};
}

// rng(a, b): the two parameters of the distribution.
Reaches readRandom(const Op& op, int output) {
  if (op.opcode() == "rng-bit-generator") TESSERA_CHECKED(op.expectOperands(1));
  TESSERA_TRY(const Ints out, op.outputSizes(n(output)));
  std::vector<Reach> reads;
  for (std::size_t k = 0; k < op.operands(); ++k) {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    MapBuilder m(out);
    for (const i64 size : in) m.result(m.s(size));
    TESSERA_TRY(Map map, m.build());
    reads.push_back(in.empty() ? exact(k, std::move(map))
                               : over(k, std::move(map), "which of the state's numbers, the generator knows"));
  }
  return reads;
}

Reaches useRandom(const Op& op, int operand) {
  TESSERA_TRY(std::vector<Reach> uses, everywhere(op, operand));
  TESSERA_TRY(const Ints in, op.operandSizes(n(operand)));
  for (Reach& u : uses) {
    if (in.empty()) continue;
    u.soundness = Soundness::Over;
    u.why = "which of the state's numbers, the generator knows";
  }
  return uses;
}

namespace {

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
  Reach none;
  none.slot = static_cast<int>(slot);
  if (tie == Tie::None) return none;
  TESSERA_TRY(const i64 feature, op.number("feature_index", -1));
  const auto rank = static_cast<i64>(std::max(from.size(), to.size()));
  if (feature < 0 || (rank > 1 && feature >= rank) || from.empty() || to.empty())
    return op.wrong("feature_index is " + std::to_string(feature), "a dimension of the first operand");
  MapBuilder m(from);
  const std::size_t mine = from.size() == 1 ? 0 : n(feature), other = to.size() == 1 ? 0 : n(feature);
  if (mine >= from.size() || other >= to.size() || from[mine] != to[other])
    return op.wrong(sizesText(from) + " and " + sizesText(to) + " do not agree", "one element for each feature");
  for (std::size_t d = 0; d < to.size(); ++d) m.result(d == other ? m.d(mine) : tie == Tie::Same ? m.d(d) : m.s(to[d]));
  TESSERA_TRY(Map map, m.build());
  return exact(slot, std::move(map));
}

}  // namespace

Reaches readNormalisation(const Op& op, int output) {
  TESSERA_CHECKED(op.expectOperands(op.opcode() == "batch-norm-training" ? 3 : 5));
  TESSERA_TRY(const Ints out, op.outputSizes(n(output)));
  std::vector<Reach> reads;
  for (std::size_t k = 0; k < op.operands(); ++k) {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    const Tie tie = tieOf(op, k, n(output));
    if (tie == Tie::Same) TESSERA_CHECKED(op.expectSizes(out, in, "the result"));
    TESSERA_TRY(Reach reach, normalised(op, k, tie, out, in));
    reads.push_back(std::move(reach));
  }
  return reads;
}

Reaches useNormalisation(const Op& op, int operand) {
  std::vector<Reach> uses;
  TESSERA_TRY(const Ints in, op.operandSizes(n(operand)));
  for (std::size_t o = 0; o < op.outputs(); ++o) {
    TESSERA_CHECKED(readNormalisation(op, static_cast<int>(o)));
    TESSERA_TRY(const Ints out, op.outputSizes(o));
    TESSERA_TRY(Reach reach, normalised(op, o, tieOf(op, n(operand), o), in, out));
    uses.push_back(std::move(reach));
  }
  return uses;
}

}  // namespace tessera::hlo
