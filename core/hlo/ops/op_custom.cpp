// Custom calls by their target: a row of a table here, or of the user's table (custom_calls.h).
//
//     Sharding, MoveToHost, annotate_device_placement      the element at the same place
//     SPMDFullToShardShape                                 a place in the whole, by the device's number
//     TopK                                                 the row
//     AllocateBuffer                                       nothing
#include <algorithm>

#include "core/hlo/ops/converse.h"
#include "core/hlo/ops/custom.h"
#include "core/hlo/ops/custom_calls.h"
#include "core/hlo/ops/devices.h"
#include "core/hlo/text/backend_config.h"

namespace tessera::hlo {
namespace {

// Operand k becomes output k; of one tuple, each element.
Reaches handedOn(const Op& op, int output) {
  TESSERA_TRY(const xla::Shape* const out, op.output(n(output)));
  TESSERA_TRY(const xla::Shape* const first, op.operand(0));
  const bool tuple = op.operands() == 1 && first->kind() == xla::Shape::Kind::Tuple;
  if (!tuple && op.operands() > 1 && op.operands() != op.outputs())
    return op.wrong(fmt::format("{} operands and {} outputs", op.operands(), op.outputs()), "as many");
  if (!tuple && op.operands() == 1) TESSERA_CHECKED(op.output(0));
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const xla::Shape* const in, op.operand(k));
    if (!tuple && static_cast<int>(k) != output) return none(k);
    if (tuple && n(output) >= in->leaves())
      return op.wrong(fmt::format("{} has no element {}", op.nameOf(k), output), "as many outputs as elements");
    const xla::Shape& from = tuple ? in->leaf(n(output)) : *in;
    Reach reach = none(k);
    if (!out->isArray() && !from.isArray()) return reach;
    if (!out->isArray() || !from.isArray())
      return op.wrong(fmt::format("{} becomes {}", xla::print(from), xla::print(*out)), "the same shape");
    TESSERA_CHECKED(op.expectSizes(out->sizes(), from.sizes(), "the result"));
    TESSERA_TRY(reach, exact(k, identityOf(from.sizes())));
    if (tuple) reach.element = output;
    return reach;
  });
}

// A shard and the whole: equal sizes where a dimension is not split. The shard of device p begins at p times its size.
struct Sharded {
  Ints whole, part;
};
Result<Sharded> shardedOf(const Op& op, std::size_t k, bool wholeIn) {
  Sharded s;
  TESSERA_TRY(const Ints in, op.operandSizes(k));
  TESSERA_TRY(const Ints out, op.outputSizes(k));
  s.whole = wholeIn ? in : out;
  s.part = wholeIn ? out : in;
  bool fits = s.whole.size() == s.part.size();
  for (std::size_t d = 0; fits && d < s.whole.size(); ++d)
    fits = s.part[d] == s.whole[d] || (s.part[d] > 0 && s.part[d] < s.whole[d]);
  if (!fits)
    return op.wrong(fmt::format("a shard {} of {}", sizesText(s.part), sizesText(s.whole)),
                    "at most as large in each dimension");
  return s;
}

// Operand k becomes output k.
template <class One>
Reaches sharded(const Op& op, int output, bool wholeIn, One one) {
  if (op.operands() != op.outputs())
    return op.wrong(fmt::format("{} operands and {} outputs", op.operands(), op.outputs()), "as many");
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Sharded s, shardedOf(op, k, wholeIn));
    if (static_cast<int>(k) != output) return none(k);
    return s.whole == s.part ? exact(k, identityOf(s.part)) : one(k, s);
  });
}

Reaches shardOfWhole(const Op& op, int output) {
  return sharded(op, output, true, [](std::size_t slot, const Sharded& s) {
    MapBuilder m(s.part);
    for (std::size_t k = 0; k < s.part.size(); ++k) {
      if (s.part[k] == s.whole[k]) {
        m.result(m.d(k));
        continue;
      }
      const Expr at = m.d(k) + m.s((s.whole[k] + s.part[k] - 1) / s.part[k]) * s.part[k];
      m.within(at, 0, s.whole[k] - 1);
      m.result(at);
    }
    return over(slot, m.build(), "one of these, by the device's number");
  });
}

Reaches wholeOfShards(const Op& op, int output) {
  const i64 devices = op.module().devices.count;
  return sharded(op, output, false, [devices](std::size_t slot, const Sharded& s) -> Result<Reach> {
    MapBuilder m(s.whole);
    if (devices > 1) m.device(devices);
    for (std::size_t k = 0; k < s.whole.size(); ++k)
      m.result(s.part[k] == s.whole[k] ? m.d(k) : mod(m.d(k), s.part[k]));
    if (devices > 1) m.result(m.s(devices));
    TESSERA_TRY(Reach reach, over(slot, m.build(), "of the device that holds the shard"));
    if (devices < 2) return reach;
    Map position = std::move(reach.maps[0]);
    reach.maps.clear();
    addPosition(reach, std::move(position));
    return reach;
  });
}

Reaches readsNothing(const Op& op, int output) {
  TESSERA_CHECKED(op.output(n(output)));
  return nothingOf(op);
}

// Values and indices: any element of the row in the last dimension.
Reaches topOfRow(const Op& op, int output) {
  TESSERA_CHECKED(op.expectOperands(1));
  if (op.outputs() < 2) return op.wrong("it has one output", "values and indices");
  if (output >= 2) return nothingOf(op);  // room to work in
  TESSERA_TRY(const Ints in, op.operandSizes(0));
  for (const int o : {0, 1}) {
    TESSERA_TRY(const Ints out, op.outputSizes(n(o)));
    bool fits = out.size() == in.size() && !in.empty() && out.back() <= in.back();
    for (std::size_t k = 0; fits && k + 1 < in.size(); ++k) fits = in[k] == out[k];
    if (!fits)
      return op.wrong(fmt::format("output {} is {}", o, sizesText(out)),
                      fmt::format("as {}, with at most as many in the last dimension", sizesText(in)));
  }
  TESSERA_TRY(const Ints out, op.outputSizes(n(output)));
  MapBuilder m(out);
  for (std::size_t k = 0; k < in.size(); ++k) m.result(k + 1 == in.size() ? m.s(in[k]) : m.d(k));
  return only(m.build());
}

// Keys and counters at the same place, and both outputs from all of them.
Reaches sameOfAll(const Op& op, int output) {
  TESSERA_TRY(const Ints out, op.outputSizes(n(output)));
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    if (!in.empty()) TESSERA_CHECKED(op.expectSizes(in, out, op.nameOf(k)));
    return exact(k, in.empty() ? scalarOf(out) : identityOf(out));
  });
}

// approx_top_k of a TPU: the reduced dimension is the one whose sizes differ; all if none does.
Reaches partlyReduced(const Op& op, int output) {
  const std::string why = "which elements are kept depends on their values";
  TESSERA_TRY(const Ints out, op.outputSizes(n(output)));
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    Ints at(in.size(), -1);
    for (std::size_t d = 0; in.size() == out.size() && out != in && d < in.size(); ++d)
      if (in[d] == out[d]) at[d] = static_cast<i64>(d);
    return over(k, alongOutput(out, in, at), why);
  });
}

constexpr CustomRow kTargets[] = {
    {"Sharding", handedOn},
    {"LayoutConstraint", handedOn},
    {"MoveToDevice", handedOn},
    {"MoveToHost", handedOn},
    {"Pin", handedOn},
    {"Unpin", handedOn},
    {"PinToDevice", handedOn},
    {"PinToDeviceSram", handedOn},
    {"PinToDeviceHbm", handedOn},
    {"annotate_device_placement", handedOn},
    {"AssumeGatherIndicesInBound", handedOn},
    {"xla.sdy.FuncResultSharding", handedOn},
    {"xla.sdy.PropagationBarrier", handedOn},
    {"xla.sdy.ShardingGroup", handedOn},
    {"SPMDFullToShardShape", shardOfWhole},
    {"SPMDShardToFullShape", wholeOfShards},
    {"xla.sdy.GlobalToLocalShape", shardOfWhole},
    {"xla.sdy.LocalToGlobalShape", wholeOfShards},
    {"AllocateBuffer", readsNothing},
    {"CreateBuffer", readsNothing},
    {"TopK", topOfRow},
    {"__gpu$TopK", topOfRow},
    {"PartialReduce", partlyReduced},
    {"ApproxTopK", partlyReduced},
    {"threefry2x32", sameOfAll},
    {"cu_threefry2x32*", sameOfAll},
    {"hip_threefry2x32*", sameOfAll},
};

CustomRule ruleOfTarget(std::string_view target) {
  for (const std::span<const CustomRow> rows :
       {std::span<const CustomRow>(kTargets), attentionTargets(), libraryTargets()})
    for (const CustomRow& row : rows) {
      const bool prefix = row.target.ends_with('*');
      const std::string_view name = row.target.substr(0, row.target.size() - (prefix ? 1 : 0));
      if (prefix ? target.starts_with(name) : target == name) return row.reads;
    }
  return nullptr;
}

// By the rows of the user.
Reaches byTable(const Op& op, int output, const std::vector<const CustomCalls::Row*>& rows) {
  TESSERA_TRY(const xla::Shape* const out, op.output(n(output)));
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const xla::Shape* const in, op.operand(k));
    if (!out->isArray()) return none(k);
    Reach reach = none(k);
    bool met = false;
    for (const CustomCalls::Row* const row : rows) {
      if ((row->output >= 0 && row->output != output) || (row->operand >= 0 && n(row->operand) != k)) continue;
      met = true;
      if (!in->isArray()) {
        if (row->what != CustomCalls::Row::What::Nothing)
          return unknown(k, fmt::format("line {} of the table of custom calls: {} is {}", row->line, op.nameOf(k),
                                        xla::print(*in)));
        continue;
      }
      Reach one = readBy(*row, k, out->sizes(), in->sizes());
      if (one.soundness == Soundness::Unknown) return one;
      std::ranges::move(one.maps, std::back_inserter(reach.maps));
      if (one.soundness > reach.soundness) {
        reach.soundness = one.soundness;
        reach.why = one.why;
      }
    }
    if (met) return reach;
    return unknown(k, fmt::format("the table of custom calls has no line `{} {} {} READ`", targetOf(op), output, k));
  });
}

Reaches readCustom(const Op& op, int output) {
  const std::string_view target = targetOf(op);
  if (target.empty()) return op.wrong("custom-call has no custom_call_target", "custom_call_target=\"NAME\"");
  if (op.module().customCalls != nullptr)
    if (const auto rows = op.module().customCalls->of(target); !rows.empty()) return byTable(op, output, rows);
  if (const CustomRule rule = ruleOfTarget(target); rule != nullptr) return rule(op, output);
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    return unknown(
        k, fmt::format("custom call {}: add `{} {} {} READ` to a table (--custom-calls)", target, target, output, k));
  });
}

Reaches useCustom(const Op& op, int operand) {
  return usesByReads(op, operand, -1, [&](int output) { return readCustom(op, output); });
}

}  // namespace

std::string_view targetOf(const Op& op) {
  std::string_view value = op.instruction().value("custom_call_target");
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"') value = value.substr(1, value.size() - 2);
  return value;
}

std::optional<std::string> configured(const Op& op, std::string_view name) {
  return BackendConfig(op.instruction()).find(name);
}

std::optional<i64> configuredNumber(const Op& op, std::string_view name) {
  const auto text = configured(op, name);
  return text ? wholeNumber(*text) : std::nullopt;
}

Result<Map> alongOutput(const Ints& output, const Ints& array, const Ints& at) {
  MapBuilder m(output);
  for (std::size_t k = 0; k < array.size(); ++k) m.result(at[k] < 0 ? m.s(array[k]) : m.d(n(at[k])));
  return m.build();
}

Reaches withinBatch(const Op& op, int output, std::size_t batch, const std::string& why) {
  TESSERA_TRY(const xla::Shape* const out, op.output(n(output)));
  std::vector<Reach> more;
  TESSERA_TRY(std::vector<Reach> all, each(op.operands(), [&](std::size_t k) -> Result<Reach> {
                TESSERA_TRY(const xla::Shape* const in, op.operand(k));
                Reach first = none(k);
                if (!out->isArray()) return first;
                for (std::size_t leaf = 0; leaf < in->leaves(); ++leaf) {
                  const xla::Shape& one = in->leaf(leaf);
                  if (!one.isArray()) continue;
                  const Ints to = out->sizes(), from = one.sizes();
                  Ints at(from.size(), -1);
                  const bool shared =
                      from.size() >= batch && to.size() >= batch &&
                      std::equal(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(batch), to.begin());
                  for (std::size_t d = 0; shared && d < batch; ++d) at[d] = static_cast<i64>(d);
                  TESSERA_TRY(Reach reach, over(k, alongOutput(to, from, at), why));
                  reach.element = static_cast<int>(leaf);
                  if (leaf == 0)
                    first = std::move(reach);
                  else
                    more.push_back(std::move(reach));
                }
                return first;
              }));
  std::ranges::move(more, std::back_inserter(all));
  return all;
}

Reaches everything(const Op& op, int output, const std::string& why) { return withinBatch(op, output, 0, why); }

Reaches nothingOf(const Op& op) {
  return each(op.operands(), [](std::size_t k) -> Result<Reach> { return none(k); });
}

Rules customRules() {
  static constexpr RuleRow kRules[] = {{"custom-call", readCustom, useCustom}};
  return kRules;
}

}  // namespace tessera::hlo
