// Collectives: all-gather, all-reduce, reduce-scatter, all-to-all, collective-permute, collective-broadcast.
//
//     f32[8] all-gather(f32[2] x), dimensions={0}, groups of 4  reads (d0) -> (d0 mod 2), of replica d0 floordiv 2
//     f32[2] reduce-scatter(f32[8] x), groups of 4              reads (d0)[s0] -> (d0 + s0*2), of every replica;
//                                                               s0: its own number
//
// `Reach::replicas` has the replica at the other end, by its number within the group. A replica's own number is a
// run-time value: a map that needs it covers all possible numbers and says so.
#include <algorithm>

#include "core/hlo/ops/op.h"
#include "core/hlo/text/replica_groups.h"

namespace tessera::hlo {
namespace {

using Reaches = Result<std::vector<Reach>>;

constexpr const char* kOwn = "one of these, by the replica's own number in its group";

std::size_t n(i64 k) { return static_cast<std::size_t>(k); }

// all-gather-start and similar: output 0 is the operand, output 1 the result, the rest is device state.
bool starts(const Op& op) { return op.opcode().ends_with("-start") && op.opcode() != "all-reduce-start"; }

// One array operand per output.
struct Shapes {
  Ints in, out;
};
Result<Shapes> shapesOf(const Op& op, std::size_t k) {
  if (starts(op)) {
    TESSERA_CHECKED(op.expectOperands(1));
    if (op.outputs() < 2) return op.wrong("it has one output", "the operand, then the result");
    Shapes s;
    TESSERA_TRY(s.in, op.operandSizes(0));
    TESSERA_TRY(s.out, op.outputSizes(1));
    return s;
  }
  if (op.outputs() != op.operands())
    return op.wrong(std::to_string(op.operands()) + " operands and " + std::to_string(op.outputs()) + " outputs",
                    "as many");
  Shapes s;
  TESSERA_TRY(s.in, op.operandSizes(k));
  TESSERA_TRY(s.out, op.outputSizes(k));
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
    return op.wrong("dimensions are " + sizesText(dims), "one, of arrays of one rank");
  Cut c;
  c.dimension = n(dims[0]);
  c.part = part[c.dimension];
  Ints expected = part;
  expected[c.dimension] = whole[c.dimension];
  if (c.part < 1 || whole[c.dimension] % c.part != 0 || expected != whole)
    return op.wrong(sizesText(whole) + " and " + sizesText(part), "a multiple in that dimension, equal in the others");
  c.times = whole[c.dimension] / c.part;
  return c;
}

// d -> (.., value, ..), with `value` in that dimension.
void resultsWith(MapBuilder& m, const Ints& sizes, std::size_t dimension, const Expr& value) {
  for (std::size_t d = 0; d < sizes.size(); ++d) m.result(d == dimension ? value : m.d(d));
}

Result<Map> replicaAt(const Ints& sizes, const std::function<Expr(MapBuilder&)>& number) {
  MapBuilder m(sizes);
  m.result(number(m));
  return m.build();
}
Result<Map> everyReplica(const Ints& sizes, i64 replicas) {
  return replicaAt(sizes, [&](MapBuilder& m) { return m.s(replicas); });
}

Reach withReplica(Reach reach, Map replica) {
  reach.replicas.emplace_back(std::move(replica));
  return reach;
}

// One reach per slot, all empty except `one`.
std::vector<Reach> alone(std::size_t slots, Reach one) {
  std::vector<Reach> all(slots);
  for (std::size_t k = 0; k < slots; ++k) all[k].slot = static_cast<int>(k);
  all[n(one.slot)] = std::move(one);
  return all;
}

// One reach for the pair (k, k) of operand and output, in either direction.
using PairRule = Result<Reach> (*)(const Op& op, std::size_t k);
// The -start half of an asynchronous operation. Reads: of that output. Uses: one reach per output.
Result<Reach> started(const Op& op, std::size_t output, PairRule rule) {
  if (output == 1) return rule(op, 0);
  if (output > 1) return Reach{};
  TESSERA_TRY(const Ints in, op.operandSizes(0));
  TESSERA_TRY(const Ints out, op.outputSizes(0));
  TESSERA_CHECKED(op.expectSizes(out, in, "output 0"));
  TESSERA_TRY(Map map, identityOf(in));
  return exact(0, std::move(map));
}
Reaches readStart(const Op& op, int output, PairRule rule) {
  TESSERA_CHECKED(op.expectOperands(1));
  TESSERA_TRY(Reach reach, started(op, n(output), rule));
  return std::vector{std::move(reach)};
}
Reaches useStart(const Op& op, PairRule rule) {
  TESSERA_CHECKED(op.expectOperands(1));
  std::vector<Reach> uses;
  for (std::size_t o = 0; o < op.outputs(); ++o) {
    TESSERA_TRY(Reach use, started(op, o, rule));
    use.slot = static_cast<int>(o);
    uses.push_back(std::move(use));
  }
  return uses;
}

Reaches pairwise(const Op& op, int which, PairRule rule) {
  const auto k = n(which);
  TESSERA_TRY(Reach reach, rule(op, k));
  return alone(op.operands(), std::move(reach));
}

}  // namespace

namespace {

Reaches readPairwise(const Op& op, int output, PairRule rule) {
  return starts(op) ? readStart(op, output, rule) : pairwise(op, output, rule);
}
Reaches usePairwise(const Op& op, int operand, PairRule rule) {
  return starts(op) ? useStart(op, rule) : pairwise(op, operand, rule);
}

// The whole is the concatenation of the replicas' parts. For an element of the whole: its replica, and its place there.
Result<Reach> partOfOne(const Op& op, std::size_t k, const Ints& whole, const Ints& part) {
  TESSERA_TRY(const Cut c, cutOf(op, whole, part));
  MapBuilder m(whole);
  resultsWith(m, whole, c.dimension, mod(m.d(c.dimension), c.part));
  TESSERA_TRY(Map map, m.build());
  TESSERA_TRY(Map whose, replicaAt(whole, [&](MapBuilder& b) { return floorDiv(b.d(c.dimension), c.part); }));
  return withReplica(exact(k, std::move(map)), std::move(whose));
}

// For an element of a part: its place in every replica's whole, by this replica's number.
Result<Reach> ownPlace(const Op& op, std::size_t k, const Ints& whole, const Ints& part) {
  TESSERA_TRY(const Cut c, cutOf(op, whole, part));
  MapBuilder m(part);
  resultsWith(m, part, c.dimension, m.d(c.dimension) + m.s(c.times) * c.part);
  TESSERA_TRY(Map map, m.build());
  TESSERA_TRY(Map every, everyReplica(part, c.times));
  return withReplica(c.times == 1 ? exact(k, std::move(map)) : over(k, std::move(map), kOwn), std::move(every));
}

}  // namespace

Reaches readAllGather(const Op& op, int output) {
  return readPairwise(op, output, [](const Op& o, std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Shapes s, shapesOf(o, k));
    return partOfOne(o, k, s.out, s.in);
  });
}

Reaches useAllGather(const Op& op, int operand) {
  return usePairwise(op, operand, [](const Op& o, std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Shapes s, shapesOf(o, k));
    return ownPlace(o, k, s.out, s.in);
  });
}

namespace {

Result<Reach> reduced(const Op& op, std::size_t k) {
  TESSERA_TRY(const Shapes s, shapesOf(op, k));
  TESSERA_CHECKED(op.expectSizes(s.out, s.in, "the result"));
  TESSERA_TRY(Map map, identityOf(s.out));
  Reach reach = exact(k, std::move(map));
  const auto replicas = groupSize(op.module(), op.instruction());
  if (!replicas) return over(k, std::move(reach.maps[0]), "and of the other replicas: the text does not say how many");
  if (*replicas < 2) return reach;
  TESSERA_TRY(Map every, everyReplica(s.out, *replicas));
  return withReplica(std::move(reach), std::move(every));
}

}  // namespace

Reaches readAllReduce(const Op& op, int output) { return pairwise(op, output, reduced); }
Reaches useAllReduce(const Op& op, int operand) { return pairwise(op, operand, reduced); }

Reaches readReduceScatter(const Op& op, int output) {
  return pairwise(op, output, [](const Op& o, std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Shapes s, shapesOf(o, k));
    return ownPlace(o, k, s.in, s.out);
  });
}

Reaches useReduceScatter(const Op& op, int operand) {
  return pairwise(op, operand, [](const Op& o, std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Shapes s, shapesOf(o, k));
    return partOfOne(o, k, s.in, s.out);
  });
}

namespace {

// One array, split along a dimension: part j goes to replica j, at the sender's number. The same in both directions.
Reaches exchanged(const Op& op) {
  TESSERA_TRY(const Shapes s, shapesOf(op, 0));
  TESSERA_CHECKED(op.expectSizes(s.out, s.in, "the result"));
  TESSERA_TRY(const Ints dims, op.dimensions("dimensions", s.out.size()));
  if (dims.size() != 1) return op.wrong("dimensions are " + sizesText(dims), "one");
  const std::size_t k = n(dims[0]);
  const i64 replicas = groupSize(op.module(), op.instruction()).value_or(0);
  if (replicas < 1) return std::vector{unknown(0, "replica_groups do not say how many replicas exchange")};
  if (s.in[k] % replicas != 0)
    return op.wrong(sizesText(s.in) + " in parts for " + std::to_string(replicas) + " replicas", "a multiple");
  const i64 part = std::max<i64>(1, s.in[k] / replicas);
  MapBuilder m(s.out);
  resultsWith(m, s.out, k, m.s(replicas) * part + mod(m.d(k), part));
  TESSERA_TRY(Map map, m.build());
  TESSERA_TRY(Map whose, replicaAt(s.out, [&](MapBuilder& b) { return floorDiv(b.d(k), part); }));
  return std::vector{
      withReplica(replicas == 1 ? exact(0, std::move(map)) : over(0, std::move(map), kOwn), std::move(whose))};
}

// A tuple of arrays: output o is one operand of replica o, operand k one output of replica k.
Reaches exchangedTuple(const Op& op, int which) {
  TESSERA_TRY(const xla::Shape* const first, op.operand(0));
  if (op.operands() == 1 && op.module().shapeOf(op.instruction()).isArray())
    return op.wrong("no dimensions say along which " + xla::print(*first) + " is exchanged", "dimensions={0}");
  std::vector<Reach> all;
  for (std::size_t k = 0; k < op.operands(); ++k) {
    TESSERA_TRY(const Shapes s, shapesOf(op, k));
    TESSERA_CHECKED(op.expectSizes(s.out, s.in, "the result"));
    TESSERA_TRY(Map map, identityOf(s.out));
    TESSERA_TRY(Map whose, replicaAt(s.out, [&](MapBuilder&) { return Expr::constant(which); }));
    all.push_back(
        withReplica(op.operands() == 1 ? exact(k, std::move(map)) : over(k, std::move(map), kOwn), std::move(whose)));
  }
  return all;
}

Result<Reach> passed(const Op& op, std::size_t k) {
  TESSERA_TRY(const Shapes s, shapesOf(op, k));
  TESSERA_CHECKED(op.expectSizes(s.out, s.in, "the result"));
  TESSERA_TRY(Map map, identityOf(s.out));
  return over(k, std::move(map), "of the replica that the pairs or groups name; zeros where none does");
}

}  // namespace

Reaches readAllToAll(const Op& op, int output) {
  return op.instruction().find("dimensions") != nullptr ? exchanged(op) : exchangedTuple(op, output);
}
Reaches useAllToAll(const Op& op, int operand) {
  return op.instruction().find("dimensions") != nullptr ? exchanged(op) : exchangedTuple(op, operand);
}

Reaches readPermute(const Op& op, int output) { return readPairwise(op, output, passed); }
Reaches usePermute(const Op& op, int operand) { return usePairwise(op, operand, passed); }

}  // namespace tessera::hlo
