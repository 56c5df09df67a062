// Collectives: all-gather, all-reduce, reduce-scatter, all-to-all, collective-permute, collective-broadcast.
//
//     f32[8] all-gather(f32[2] x), dimensions={0}, groups {0,1,2,3} {4,5,6,7}
//         device p reads (d0) -> (d0 mod 2) of device p floordiv 4 * 4 + d0 floordiv 2
//     f32[2] reduce-scatter(f32[8] x), the same groups
//         device p reads (d0) -> (d0 + p mod 4 * 2) of every device of its group
//
// `Reach::devices` has the device and the element together (devices.h). Where the text does not say who takes part, any
// device is possible: Over.
#include <algorithm>

#include "core/base/arith.h"
#include "core/hlo/ops/converse.h"
#include "core/hlo/ops/devices.h"
#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

constexpr const char* kAnyDevice = "of one of these devices: the text does not say which take part together";

constexpr const char* kRows = "the offsets and sizes choose among these";

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

// What device p reads, for coordinates of these sizes, in groups of `times` (0: of any size). `of` adds the
// coordinates of the element as results, by p's number in its group and the group's size, and returns the number of the
// member whose element it is.
template <class Of>
Result<Reach> across(const Op& op, std::size_t k, const Ints& sizes, i64 times, Of of) {
  const i64 devices = op.module().devices.count;
  auto groups = groupsOf(op.module(), op.instruction());
  if (!groups && devices == times && devices <= kMostDevices) {
    groups.emplace(1);
    for (i64 id = 0; id < devices; ++id) groups->front().push_back(id);
  }
  auto pieces = groups ? groupPieces(*groups, devices) : std::nullopt;
  const bool fit =
      pieces && std::ranges::all_of(*pieces, [&](const GroupPiece& g) { return times == 0 || g.size == times; });
  Reach reach = none(k);
  if (!fit) {
    MapBuilder m(sizes);
    m.device(devices);
    const i64 joined = std::max<i64>(1, times);
    of(m, joined > 1 ? m.s(joined) : Expr::constant(0), joined);
    m.result(m.s(devices));
    TESSERA_TRY(Map position, m.build());
    reach.soundness = Soundness::Over;
    reach.why = kAnyDevice;
    addMap(reach, std::move(position), devices);
    return reach;
  }
  for (const GroupPiece& g : *pieces) {
    MapBuilder m(sizes);
    const Expr p = m.device(devices);
    m.within(p, g.lo, g.hi);
    const Expr member = of(m, g.numberOf(p), g.size);
    m.within(member, g.from, g.to);
    m.result(g.deviceOf(p, member));
    TESSERA_TRY(Map position, m.build());
    if (!position.isEmpty()) addMap(reach, std::move(position), devices);
  }
  return reach;
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

// The whole is the concatenation of the members' parts. For an element of the whole: its device, and its place there.
Result<Reach> partOfOne(const Op& op, std::size_t k, const Ints& whole, const Ints& part) {
  TESSERA_TRY(const Cut c, cutOf(op, whole, part));
  return across(op, k, whole, c.times, [&](MapBuilder& m, const Expr&, i64) {
    resultsWith(m, whole, c.dimension, mod(m.d(c.dimension), c.part));
    return floorDiv(m.d(c.dimension), c.part);
  });
}

// For an element of a part: its place in every member's whole, by this device's number.
Result<Reach> ownPlace(const Op& op, std::size_t k, const Ints& whole, const Ints& part) {
  TESSERA_TRY(const Cut c, cutOf(op, whole, part));
  return across(op, k, part, c.times, [&](MapBuilder& m, const Expr& number, i64 size) {
    resultsWith(m, part, c.dimension, m.d(c.dimension) + number * c.part);
    return m.s(size);
  });
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
  if (op.module().devices.count < 2 && !groupSize(op.module(), op.instruction()))
    return over(k, identityOf(s.out), "and of the other devices: the text does not say how many");
  return across(op, k, s.out, 0, [&](MapBuilder& m, const Expr&, i64 size) {
    resultsWith(m, s.out, s.out.size(), Expr());
    return m.s(size);
  });
}

// One array, split along a dimension: part j goes to member j, at the sender's number. The same in both directions.
Reaches exchanged(const Op& op) {
  TESSERA_TRY(const Shapes s, equalShapesOf(op, 0));
  TESSERA_TRY(const Ints dims, op.dimensions("dimensions", s.out.size()));
  if (dims.size() != 1) return op.wrong(fmt::format("dimensions are {}", sizesText(dims)), "one");
  const std::size_t k = n(dims[0]);
  const i64 members = groupSize(op.module(), op.instruction()).value_or(0);
  if (members < 1) return only(unknown(0, "replica_groups do not say how many devices exchange"));
  if (s.in[k] % members != 0)
    return op.wrong(fmt::format("{} cannot be split evenly among {} devices", sizesText(s.in), members), "a multiple");
  const i64 part = std::max<i64>(1, s.in[k] / members);
  return only(across(op, 0, s.out, members, [&](MapBuilder& m, const Expr& number, i64) {
    resultsWith(m, s.out, k, number * part + mod(m.d(k), part));
    return floorDiv(m.d(k), part);
  }));
}

// A tuple of arrays: output o is one operand of member o, operand k one output of member k.
Reaches exchangedTuple(const Op& op, int which) {
  TESSERA_TRY(const xla::Shape* const first, op.operand(0));
  if (op.operands() == 1 && op.module().shapeOf(op.instruction()).isArray())
    return op.wrong(fmt::format("no dimensions say along which {} is exchanged", xla::print(*first)), "dimensions={0}");
  return each(op.operands(), [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Shapes s, equalShapesOf(op, k));
    return across(op, k, s.out, static_cast<i64>(op.operands()), [&](MapBuilder& m, const Expr& number, i64) {
      m.within(number, static_cast<i64>(k), static_cast<i64>(k));
      resultsWith(m, s.out, s.out.size(), Expr());
      return Expr::constant(which);
    });
  });
}

// By device: where its elements go. nullopt: a device sends to several.
std::optional<std::vector<std::optional<i64>>> partners(const Ints& sources, bool reads) {
  std::vector<std::optional<i64>> table(sources.size());
  for (std::size_t target = 0; target < sources.size(); ++target) {
    if (sources[target] < 0) continue;
    auto& at = table[reads ? target : n(sources[target])];
    if (at) return std::nullopt;
    at = reads ? sources[target] : static_cast<i64>(target);
  }
  return table;
}

// A device that no pair names as a target gets zeros.
template <bool reads>
Result<Reach> permuted(const Op& op, std::size_t k) {
  TESSERA_TRY(const Shapes s, equalShapesOf(op, k));
  const i64 devices = op.module().devices.count;
  const auto sources = sourcesOf(op.module(), op.instruction());
  const auto table = sources ? partners(*sources, reads) : std::nullopt;
  Reach reach = none(k);
  const auto addPiece = [&](i64 lo, i64 hi, const auto& device) -> Result<void> {
    MapBuilder m(s.out);
    const Expr p = m.device(devices);
    m.within(p, lo, hi);
    resultsWith(m, s.out, s.out.size(), Expr());
    m.result(device(m, p));
    TESSERA_TRY(Map position, m.build());
    if (!position.isEmpty()) addMap(reach, std::move(position), devices);
    return {};
  };
  const auto pieces = table ? devicePieces(*table, Expr::digit(static_cast<int>(s.out.size()))) : std::nullopt;
  if (!pieces) {
    reach.soundness = Soundness::Over;
    reach.why = kAnyDevice;
    TESSERA_CHECKED(addPiece(0, devices - 1, [&](MapBuilder& m, const Expr&) { return m.s(devices); }));
    return reach;
  }
  for (const DevicePiece& piece : *pieces)
    TESSERA_CHECKED(addPiece(piece.lo, piece.hi, [&](MapBuilder&, const Expr&) { return piece.value; }));
  return reach;
}

// The first member of a group sends to all of it.
template <bool reads>
Result<Reach> broadcasted(const Op& op, std::size_t k) {
  TESSERA_TRY(const Shapes s, equalShapesOf(op, k));
  return across(op, k, s.out, 0, [&](MapBuilder& m, const Expr& number, i64 size) {
    resultsWith(m, s.out, s.out.size(), Expr());
    if (reads) return Expr::constant(0);
    m.within(number, 0, 0);
    return m.s(size);
  });
}

// ragged-all-to-all(input, output, input_offsets, send_sizes, output_offsets, recv_sizes): rows of members' inputs at
// run-time places of the output, whose other rows stay.
Reaches readRaggedRows(const Op& op, int) {
  TESSERA_CHECKED(op.expectOperands(6));
  TESSERA_TRY(const Ints out, op.outputSizes());
  return each(6, [&](std::size_t k) -> Result<Reach> {
    TESSERA_TRY(const Ints in, op.operandSizes(k));
    if (k == 1) {
      TESSERA_CHECKED(op.expectSizes(out, in, "the result"));
      return over(k, identityOf(out), kRows);
    }
    if (k == 0 && (in.size() != out.size() || in.empty() || !std::equal(in.begin() + 1, in.end(), out.begin() + 1)))
      return op.wrong(fmt::format("{} and {}", sizesText(in), sizesText(out)), "rows of equal sizes");
    TESSERA_TRY(Reach reach, across(op, k, out, 0, [&](MapBuilder& m, const Expr&, i64 size) {
                  for (std::size_t d = 0; d < in.size(); ++d) m.result(k == 0 && d > 0 ? m.d(d) : m.s(in[d]));
                  return m.s(size);
                }));
    if (reach.soundness == Soundness::Exact) reach.why = kRows;
    reach.soundness = Soundness::Over;
    return reach;
  });
}
Reaches useRaggedRows(const Op& op, int operand) {
  return usesByReads(op, operand, -1, [&](int output) { return readRaggedRows(op, output); });
}

Reaches allToAll(const Op& op, int which) {
  return op.instruction().find("dimensions") != nullptr ? exchanged(op) : exchangedTuple(op, which);
}

}  // namespace

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
  static constexpr auto kReadPermuted = readPairwise<permuted<true>>, kUsePermuted = usePairwise<permuted<false>>;
  static constexpr RuleRow kRules[] = {
      {"all-gather", kReadGather, kUseGather},
      {"all-gather-start", kReadGather, kUseGather},
      {"all-reduce", kReadReduced, kUseReduced},
      {"all-reduce-start", kReadReduced, kUseReduced},
      {"reduce-scatter", readPairwise<wholeIn<ownPlace>>, usePairwise<wholeIn<partOfOne>>},
      {"all-to-all", allToAll, allToAll},
      {"ragged-all-to-all", readRaggedRows, useRaggedRows},
      {"collective-permute", kReadPermuted, kUsePermuted},
      {"collective-permute-start", kReadPermuted, kUsePermuted},
      {"collective-broadcast", readPairwise<broadcasted<true>>, usePairwise<broadcasted<false>>},
  };
  return kRules;
}

}  // namespace tessera::hlo
