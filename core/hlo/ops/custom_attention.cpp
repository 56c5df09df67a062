// Fused attention by its configuration: TransformerEngine's calls, and cuDNN's of XLA.
//
//     o[b, i, h, d]   reads   q[b, i, h, :], k[b, j, g, :], v[b, j, g, d]      for each j that the mask lets through
//
// g is the key head of h: h / (heads / key heads). The mask is none, causal (j <= i), causal from the bottom right
// (j <= i + keys - queries), with an optional window (i - left <= j). Sequence lengths are run-time values, so a
// padding mask makes the reads Over.
#include <algorithm>

#include "core/hlo/ops/custom.h"
#include "core/hlo/text/backend_config.h"

namespace tessera::hlo {
namespace {

constexpr const char* kPadding = "the lengths of the sequences mask the rest";
constexpr const char* kDropped = "dropout leaves some out";

// [batch, sequence, head, feature] each.
struct Attention {
  Ints q, k, v;
  std::optional<i64> last;   // j <= i + last
  std::optional<i64> first;  // j >= i - first
  std::string why;           // why it is Over; empty: exact

  [[nodiscard]] i64 queries() const { return q[1]; }
  [[nodiscard]] i64 keys() const { return k[1]; }
  [[nodiscard]] i64 group() const { return q[2] / k[2]; }  // query heads of a key head
  void mask(MapBuilder& m, const Expr& i, const Expr& j) const {
    const i64 far = queries() + keys();
    if (last) m.within(i + *last - j, 0, far + std::max<i64>(*last, 0));
    if (first) m.within(j - i + *first, 0, far + *first);
  }
};

// Numbers of TransformerEngine's enumerations, from its header fused_attn.h.
constexpr i64 kSeparateBshd = 9;  // NVTE_BSHD_BSHD_BSHD
constexpr i64 kNoMask = 0, kPaddingMask = 1, kCausal = 2, kPaddingCausal = 3, kCausalBottomRight = 4,
              kPaddingCausalBottomRight = 5;  // NVTE_Mask_Type

// nullopt: the configuration does not state it, so that anything may be read.
std::optional<Attention> attentionOf(const Op& op) {
  if (op.operands() < 4 || configuredNumber(op, "qkv_layout") != kSeparateBshd) return std::nullopt;
  const auto mask = configuredNumber(op, "mask_type");
  if (!mask || *mask < kNoMask || *mask > kPaddingCausalBottomRight) return std::nullopt;
  const auto q = op.operandSizes(0), k = op.operandSizes(1), v = op.operandSizes(2);
  if (!q || !k || !v || q->size() != 4 || k->size() != 4 || v->size() != 4) return std::nullopt;
  Attention a{*q, *k, *v, {}, {}, ""};
  const bool fits = a.q[0] == a.k[0] && a.q[0] == a.v[0] && a.k[1] == a.v[1] && a.k[2] == a.v[2] && a.k[2] > 0 &&
                    a.q[2] % a.k[2] == 0 && a.q[3] == a.k[3];
  if (!fits) return std::nullopt;
  const bool bottomRight = *mask == kCausalBottomRight || *mask == kPaddingCausalBottomRight;
  const bool padding = *mask == kPaddingMask || *mask == kPaddingCausal || *mask == kPaddingCausalBottomRight;
  if (*mask == kCausal || *mask == kPaddingCausal) a.last = 0;
  // The lengths decide where the bottom right is: with padding, no key is excluded.
  if (bottomRight && !padding) a.last = a.keys() - a.queries();
  const i64 left = configuredNumber(op, "window_size_left").value_or(-1);
  if (left >= 0 && left < a.queries() + a.keys() && !bottomRight) a.first = left;
  const auto dropout = configured(op, "dropout_probability");
  const bool dropped = dropout && dropout->find_first_of("123456789") < dropout->find_first_of("eE");
  a.why = padding ? kPadding : dropped ? kDropped : left >= 0 && bottomRight ? "the window leaves some out" : "";
  return a;
}

Result<Reach> askedOf(const Attention& a, std::size_t slot, Result<Map> map) {
  if (!map) return map.error();
  if (map->isEmpty()) return none(slot);
  return a.why.empty() ? exact(slot, *std::move(map)) : over(slot, *std::move(map), a.why);
}

// An operand after the first ones: lengths, offsets, seeds, a bias. One without elements is not read.
Result<Reach> aside(const Op& op, std::size_t k, const Ints& out) {
  TESSERA_TRY(const xla::Shape* const in, op.operand(k));
  if (!in->isArray() || product(in->sizes()) == 0) return none(k);
  return over(k, alongOutput(out, in->sizes(), Ints(in->rank(), -1)), "lengths, seeds and biases, at most");
}

// Place of one query in an output or operand [b, i, h, d].
struct Query {
  Expr b, i, h;
};

// What one side's array is read by a query i (an expression of the output) over the keys that it sees.
Result<Reach> forwardRead(const Attention& a, const Op& op, std::size_t k, const Ints& out, bool values,
                          const Query& at, MapBuilder& m, const Expr& feature) {
  (void)out;
  if (k == 0) {
    m.results({at.b, at.i, at.h, m.s(a.q[3])});
    return askedOf(a, k, m.build());
  }
  TESSERA_TRY(const Ints in, op.operandSizes(k));
  const Expr j = m.s(a.keys());
  a.mask(m, at.i, j);
  m.results({at.b, j, floorDiv(at.h, a.group()), k == 1 || !values ? m.s(in[3]) : feature});
  return askedOf(a, k, m.build());
}

// Outputs: o, the statistics of the softmax, the state of the generator, room to work in.
Reaches attentionForward(const Op& op, int output) {
  TESSERA_TRY(const xla::Shape* const shape, op.output(n(output)));
  if (!shape->isArray()) return nothingOf(op);
  const auto a = attentionOf(op);
  if (!a) return everything(op, output, "the configuration does not state a layout that is known");
  const Ints out = shape->sizes();
  const Ints o = {a->q[0], a->q[1], a->q[2], a->v[3]}, statistics = {a->q[0], a->q[2], a->q[1], 1};
  if (output == 0) TESSERA_CHECKED(op.expectSizes(out, o, "output 0"));
  if (output == 1 && out != statistics) return everything(op, output, "statistics of a form that is not known");
  if (output > 2) return nothingOf(op);
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    if (k >= 3) return aside(op, k, out);
    if (output == 2 || (output == 1 && k == 2)) return none(k);
    MapBuilder m(out);
    const Query at = output == 0 ? Query{m.d(0), m.d(1), m.d(2)} : Query{m.d(0), m.d(2), m.d(1)};
    return forwardRead(*a, op, k, out, true, at, m, output == 0 ? m.d(3) : Expr::constant(0));
  });
}

// Gradients of q, k, v, of the bias, room to work in; from q, k, v, bias, statistics, state, o and its gradient.
enum BackwardOperand : std::size_t { kBias = 3, kStatistics = 4, kGenerator = 5, kResult = 6, kGradient = 7 };

Reaches attentionBackward(const Op& op, int output) {
  TESSERA_TRY(const xla::Shape* const shape, op.output(n(output)));
  if (!shape->isArray() || product(shape->sizes()) == 0) return nothingOf(op);
  if (output > 3) return nothingOf(op);
  const auto a = attentionOf(op);
  bool known = a && op.operands() > kGradient && output < 3;
  if (known) {
    const Ints o = {a->q[0], a->q[1], a->q[2], a->v[3]};
    const auto result = op.operandSizes(kResult), gradient = op.operandSizes(kGradient),
               statistics = op.operandSizes(kStatistics);
    known = result && gradient && statistics && *result == o && *gradient == o &&
            *statistics == Ints{a->q[0], a->q[2], a->q[1], 1};
  }
  if (!known) return everything(op, output, "the configuration does not state a layout that is known");
  const Ints out = shape->sizes();
  TESSERA_CHECKED(op.expectSizes(out,
                                 output == 0   ? a->q
                                 : output == 1 ? a->k
                                               : a->v,
                                 fmt::format("output {}", output)));
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    if (k == kBias || k == kGenerator || k > kGradient) return aside(op, k, out);
    // A gradient of v uses the weights of the softmax and the gradient of o alone.
    if (output == 2 && (k == 2 || k == kResult)) return none(k);
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    MapBuilder m(out);
    const bool ofKeys = k == 1 || k == 2;
    Expr i = m.d(1), j = m.d(1), h = m.d(2), g = m.d(2);
    if (output == 0) {  // of a query: over its keys
      g = floorDiv(h, a->group());
      if (ofKeys) j = m.s(a->keys());
      if (ofKeys) a->mask(m, i, j);
    } else if (!ofKeys) {  // of a key: over the queries that see it, and their heads
      i = m.s(a->queries());
      h = g * a->group() + m.s(a->group());
      a->mask(m, i, j);
    }
    if (ofKeys) {
      m.results({m.d(0), j, g, m.s(in[3])});
    } else if (k == kStatistics) {
      m.results({m.d(0), h, i, Expr::constant(0)});
    } else {
      m.results({m.d(0), i, h, output == 2 && k == kGradient ? m.d(3) : m.s(in[3])});
    }
    return askedOf(*a, k, m.build());
  });
}

// cuDNN's calls: [batch, head, sequence, feature] of each array, by the dimension numbers of the two products. Batch
// and head are separate; which keys a query sees is not said exactly.
Reaches cudnnAttention(const Op& op, int output) {
  const std::string why = "the mask and the form of the call decide which keys are read";
  TESSERA_TRY(const xla::Shape* const shape, op.output(n(output)));
  if (!shape->isArray()) return nothingOf(op);
  const Ints out = shape->sizes();
  if (output > 0 && out.size() == 1 && shape->storedBits() == 8) return nothingOf(op);  // room to work in
  const auto first = configured(op, "bmm1_dot_dimension_numbers");
  const auto batch = first ? BackendConfig(*first).find("lhs_batch_dimensions") : std::nullopt;
  const auto dims = batch ? numbersIn(*batch) : std::nullopt;
  // The batch is the first dimension of each array, in the logical order and in that of the memory.
  const bool separate = dims && has(*dims, i64{0}) && out.size() == 4;
  return separate ? withinBatch(op, output, 1, why) : everything(op, output, why);
}

}  // namespace

std::span<const CustomRow> attentionTargets() {
  static constexpr CustomRow kRows[] = {
      {"te_fused_attn_forward_ffi", attentionForward},
      {"te_fused_attn_backward_ffi", attentionBackward},
      {"__cudnn$fmha*", cudnnAttention},
  };
  return kRows;
}

}  // namespace tessera::hlo
