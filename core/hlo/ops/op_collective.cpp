// Collectives: all-gather, all-reduce, reduce-scatter, all-to-all, collective-permute, collective-broadcast.
//
//     f32[8] all-gather(f32[2] x), dimensions={0}, groups of 4  reads (d0) -> (d0 mod 2), of replica d0 floordiv 2
//     f32[2] reduce-scatter(f32[8] x), groups of 4              reads (d0)[s0] -> (d0 + s0*2), of every replica;
//                                                               s0: its own number
//
// `Reach::replicas` has the replica at the other end, by its number within the group. A replica's own number is a
// run-time value: a map that needs it covers all possible numbers and says so.
#include <algorithm>

#include "core/base/arith.h"
#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

// The comma-separated pieces inside the first such bracket after `from`.
std::vector<std::string_view> piecesIn(std::string_view text, char open, char close, std::size_t from) {
  const std::size_t begin = text.find(open, from), end = text.find(close, begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  std::vector<std::string_view> pieces = split(text.substr(begin + 1, end - begin - 1), ',');
  std::erase(pieces, "");
  return pieces;
}

// The length of the mesh axis x ('x'=4), or of a part of it: x:(2)2 has length 2.
std::optional<i64> lengthOf(std::string_view axis, const std::vector<std::string_view>& mesh) {
  if (const std::size_t part = axis.rfind(":("); part != std::string_view::npos) {
    const std::size_t close = axis.find(')', part);
    return close == std::string_view::npos ? std::nullopt : wholeNumber(axis.substr(close + 1));
  }
  for (const std::string_view m : mesh)
    if (const std::size_t is = m.rfind('='); is != std::string_view::npos && m.substr(0, is) == axis)
      return wholeNumber(m.substr(is + 1));
  return std::nullopt;
}

std::optional<i64> alongAxes(std::string_view text) {
  const std::vector<std::string_view> mesh = piecesIn(text, '[', ']', 0);
  const std::vector<std::string_view> axes = piecesIn(text, '{', '}', text.rfind('{'));
  std::optional<i64> size = 1;
  for (const std::string_view axis : axes) {
    const auto length = lengthOf(axis, mesh);
    size = size && length && *length > 0 ? checkedMul(*size, *length) : std::nullopt;
  }
  return axes.empty() ? std::nullopt : size;
}

// The number of participants, if the module's head gives replica_count or num_partitions; a missing one counts as 1.
std::optional<i64> everybody(const Module& module, const Instruction& instruction) {
  std::optional<i64> replicas = 1, partitions = 1;
  bool said = false;
  for (const Attribute& a : module.attributes) {
    if (a.name != "replica_count" && a.name != "num_partitions") continue;
    said = true;
    (a.name == "replica_count" ? replicas : partitions) = wholeNumber(a.value);
  }
  if (instruction.find("channel_id") == nullptr) partitions = 1;
  if (!said || !replicas || !partitions || *replicas < 1 || *partitions < 1) return std::nullopt;
  return checkedMul(*replicas, *partitions);
}

constexpr const char* kOwn = "one of these, selected by the replica's number in its group";

// all-gather-start and similar: output 0 is the operand, output 1 the result, the rest is device state.
bool starts(const Op& op) { return op.opcode().ends_with("-start") && op.opcode() != "all-reduce-start"; }

// One array operand per output.
struct Shapes {
  Ints in, out;
};
Result<Shapes> shapesOf(const Op& op, std::size_t k) {
  const bool start = starts(op);
  if (start) {
    TESSERA_CHECKED(op.expectOperands(1));
    if (op.outputs() < 2) return op.wrong("it has one output", "the operand, then the result");
  } else if (op.outputs() != op.operands()) {
    return op.wrong(fmt::format("{} operands and {} outputs", op.operands(), op.outputs()), "as many");
  }
  Shapes s;
  TESSERA_TRY(s.in, op.operandSizes(start ? 0 : k));
  TESSERA_TRY(s.out, op.outputSizes(start ? 1 : k));
  return s;
}
// Of equal sizes.
Result<Shapes> equalShapesOf(const Op& op, std::size_t k) {
  TESSERA_TRY(Shapes s, shapesOf(op, k));
  TESSERA_CHECKED(op.expectSizes(s.out, s.in, "the result"));
  return s;
}

// The dimension that is split or joined; `whole` is `times` as long as `part`.
struct Cut {
  std::size_t dimension = 0;
  i64 part = 1, times = 1;
};
Result<Cut> cutOf(const Op& op, const Ints& whole, const Ints& part) {
  TESSERA_TRY(const Ints dims, op.dimensions("dimensions", whole.size()));
  if (dims.size() != 1 || whole.size() != part.size())
    return op.wrong(fmt::format("dimensions are {}", sizesText(dims)), "one, of arrays of equal rank");
  Cut c;
  c.dimension = n(dims[0]);
  c.part = part[c.dimension];
  Ints expected = part;
  expected[c.dimension] = whole[c.dimension];
  if (c.part < 1 || whole[c.dimension] % c.part != 0 || expected != whole)
    return op.wrong(fmt::format("{} and {}", sizesText(whole), sizesText(part)),
                    "a multiple in that dimension, equal in the others");
  c.times = whole[c.dimension] / c.part;
  return c;
}

// d -> (.., value, ..), with `value` in that dimension.
void resultsWith(MapBuilder& m, const Ints& sizes, std::size_t dimension, const Expr& value) {
  for (std::size_t d = 0; d < sizes.size(); ++d) m.result(d == dimension ? value : m.d(d));
}

Result<Map> replicaAt(const Ints& sizes, const Expr& number) {
  MapBuilder m(sizes);
  m.result(number);
  return m.build();
}
Result<Map> everyReplica(const Ints& sizes, i64 replicas) {
  MapBuilder m(sizes);
  m.ranges({replicas});
  return m.build();
}

Result<Reach> withReplica(Result<Reach> reach, Result<Map> replica) {
  if (!reach || !replica) return !reach ? reach.error() : replica.error();
  reach->replicas.emplace_back(*std::move(replica));
  return reach;
}

// Exact if the replica's own number does not matter.
Result<Reach> byOwnNumber(std::size_t k, Result<Map> map, bool matters) {
  return matters ? over(k, std::move(map), kOwn) : exact(k, std::move(map));
}

// One reach for the pair (k, k) of operand and output, in either direction; those of other slots are empty.
using PairRule = Result<Reach> (*)(const Op& op, std::size_t k);
Reaches pairwise(const Op& op, int which, PairRule rule) {
  TESSERA_TRY(const Reach reach, rule(op, n(which)));
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> { return n(reach.slot) == k ? reach : none(k); });
}

// The -start half of an asynchronous operation.
Result<Reach> started(const Op& op, std::size_t output, PairRule rule) {
  if (output == 1) return rule(op, 0);
  if (output > 1) return Reach{};
  TESSERA_TRY(const Ints in, op.operandSizes(0));
  TESSERA_TRY(const Ints out, op.outputSizes(0));
  TESSERA_CHECKED(op.expectSizes(out, in, "output 0"));
  return exact(0, identityOf(in));
}

template <PairRule rule>
Reaches readPairwise(const Op& op, int output) {
  if (!starts(op)) return pairwise(op, output, rule);
  TESSERA_CHECKED(op.expectOperands(1));
  return only(started(op, n(output), rule));
}
template <PairRule rule>
Reaches usePairwise(const Op& op, int operand) {
  if (!starts(op)) return pairwise(op, operand, rule);
  TESSERA_CHECKED(op.expectOperands(1));
  return each(op.outputs(), [&](std::size_t o) { return started(op, o, rule); });
}

// The whole is the concatenation of the replicas' parts. For an element of the whole: its replica, and its place there.
Result<Reach> partOfOne(const Op& op, std::size_t k, const Ints& whole, const Ints& part) {
  TESSERA_TRY(const Cut c, cutOf(op, whole, part));
  MapBuilder m(whole);
  resultsWith(m, whole, c.dimension, mod(m.d(c.dimension), c.part));
  return withReplica(exact(k, m.build()), replicaAt(whole, floorDiv(m.d(c.dimension), c.part)));
}

// For an element of a part: its place in every replica's whole, by this replica's number.
Result<Reach> ownPlace(const Op& op, std::size_t k, const Ints& whole, const Ints& part) {
  TESSERA_TRY(const Cut c, cutOf(op, whole, part));
  MapBuilder m(part);
  resultsWith(m, part, c.dimension, m.d(c.dimension) + m.s(c.times) * c.part);
  return withReplica(byOwnNumber(k, m.build(), c.times != 1), everyReplica(part, c.times));
}

// The rule with the output, or the operand, as the whole and the other one as its part.
using PartRule = Result<Reach> (*)(const Op& op, std::size_t k, const Ints& whole, const Ints& part);
template <PartRule rule>
Result<Reach> wholeOut(const Op& op, std::size_t k) {
  TESSERA_TRY(const Shapes s, shapesOf(op, k));
  return rule(op, k, s.out, s.in);
}
template <PartRule rule>
Result<Reach> wholeIn(const Op& op, std::size_t k) {
  TESSERA_TRY(const Shapes s, shapesOf(op, k));
  return rule(op, k, s.in, s.out);
}

Result<Reach> reduced(const Op& op, std::size_t k) {
  TESSERA_TRY(const Shapes s, equalShapesOf(op, k));
  const auto replicas = groupSize(op.module(), op.instruction());
  if (!replicas) return over(k, identityOf(s.out), "and of the other replicas: the text does not say how many");
  Result<Reach> reach = exact(k, identityOf(s.out));
  return *replicas < 2 ? reach : withReplica(std::move(reach), everyReplica(s.out, *replicas));
}

// One array, split along a dimension: part j goes to replica j, at the sender's number. The same in both directions.
Reaches exchanged(const Op& op) {
  TESSERA_TRY(const Shapes s, equalShapesOf(op, 0));
  TESSERA_TRY(const Ints dims, op.dimensions("dimensions", s.out.size()));
  if (dims.size() != 1) return op.wrong(fmt::format("dimensions are {}", sizesText(dims)), "one");
  const std::size_t k = n(dims[0]);
  const i64 replicas = groupSize(op.module(), op.instruction()).value_or(0);
  if (replicas < 1) return only(unknown(0, "replica_groups do not say how many replicas exchange"));
  if (s.in[k] % replicas != 0)
    return op.wrong(fmt::format("{} cannot be split evenly among {} replicas", sizesText(s.in), replicas),
                    "a multiple");
  const i64 part = std::max<i64>(1, s.in[k] / replicas);
  MapBuilder m(s.out);
  resultsWith(m, s.out, k, m.s(replicas) * part + mod(m.d(k), part));
  return only(withReplica(byOwnNumber(0, m.build(), replicas != 1), replicaAt(s.out, floorDiv(m.d(k), part))));
}

// A tuple of arrays: output o is one operand of replica o, operand k one output of replica k.
Reaches exchangedTuple(const Op& op, int which) {
  TESSERA_TRY(const xla::Shape* const first, op.operand(0));
  if (op.operands() == 1 && op.module().shapeOf(op.instruction()).isArray())
    return op.wrong(fmt::format("no dimensions say along which {} is exchanged", xla::print(*first)), "dimensions={0}");
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Shapes s, equalShapesOf(op, k));
    return withReplica(byOwnNumber(k, identityOf(s.out), op.operands() != 1), replicaAt(s.out, Expr::constant(which)));
  });
}

// The replicas that source_target_pairs can name, by their numbers among all of them.
std::optional<i64> numbered(const Instruction& instruction) {
  const Attribute* const pairs = instruction.find("source_target_pairs");
  std::string flat(pairs == nullptr ? "" : pairs->value);
  std::erase_if(flat, [](char c) { return c == '{' || c == '}' || c == ' '; });
  const auto all = numbers("{" + flat + "}");
  if (!all || all->empty()) return std::nullopt;
  return checkedAdd(*std::ranges::max_element(*all), 1);
}

// Which replica is at the other end depends on the replica's own number.
Result<Reach> passed(const Op& op, std::size_t k) {
  TESSERA_TRY(const Shapes s, equalShapesOf(op, k));
  Result<Reach> reach =
      over(k, identityOf(s.out), "of the replica that the pairs or groups name; zeros where none does");
  const bool pairs = op.instruction().find("source_target_pairs") != nullptr;
  const auto replicas = pairs ? numbered(op.instruction()) : groupSize(op.module(), op.instruction());
  if (!reach || replicas.value_or(0) < 2) return reach;
  if (pairs) reach->groups = {kEverybody};
  return withReplica(std::move(reach), everyReplica(s.out, *replicas));
}

Reaches allToAll(const Op& op, int which) {
  return op.instruction().find("dimensions") != nullptr ? exchanged(op) : exchangedTuple(op, which);
}

}  // namespace

std::optional<i64> groupSize(const Module& module, const Instruction& instruction) {
  const std::string_view text = instruction.value("replica_groups", "{}");
  if (std::ranges::all_of(text, [](char c) { return c == '{' || c == '}' || c == ' '; }))
    return everybody(module, instruction);
  if (text.starts_with("mesh")) return alongAxes(text);
  const std::size_t open = text.find_last_of("[{", text.find_first_of("]}"));
  const std::size_t close = text.find_first_of("]}");
  if (open == std::string_view::npos || close == std::string_view::npos || open > close) return std::nullopt;
  const auto first = numbers("{" + std::string(text.substr(open + 1, close - open - 1)) + "}");
  if (!first || first->empty()) return std::nullopt;
  return text.front() == '[' ? first->back() : static_cast<i64>(first->size());
}

std::string groupsText(const Instruction& instruction) {
  std::string out;
  for (const std::string_view name : {"replica_groups", "use_global_device_ids", "source_target_pairs"})
    if (const Attribute* const a = instruction.find(name)) out += std::string(name) + "=" + std::string(a->value) + " ";
  if (instruction.find("channel_id") != nullptr) out += "by channel";
  return out;
}

Rules collectiveRules() {
  static constexpr auto kReadGather = readPairwise<wholeOut<partOfOne>>, kUseGather = usePairwise<wholeOut<ownPlace>>;
  static constexpr auto kReadReduced = readPairwise<reduced>, kUseReduced = usePairwise<reduced>;
  static constexpr auto kReadPassed = readPairwise<passed>, kUsePassed = usePairwise<passed>;
  static constexpr RuleRow kRules[] = {
      {"all-gather", kReadGather, kUseGather},
      {"all-gather-start", kReadGather, kUseGather},
      {"all-reduce", kReadReduced, kUseReduced},
      {"all-reduce-start", kReadReduced, kUseReduced},
      {"reduce-scatter", readPairwise<wholeIn<ownPlace>>, usePairwise<wholeIn<partOfOne>>},
      {"all-to-all", allToAll, allToAll},
      {"collective-permute", kReadPassed, kUsePassed},
      {"collective-permute-start", kReadPassed, kUsePassed},
      {"collective-broadcast", kReadPassed, kUsePassed},
  };
  return kRules;
}

}  // namespace tessera::hlo
