#include "core/hlo/compose/fusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

#include "core/base/work_budget.h"
#include "core/hlo/compose/loop.h"
#include "core/hlo/compose/traversal.h"
#include "core/hlo/ops/converse.h"
#include "core/hlo/ops/op.h"
#include "core/hlo/text/attributes.h"

namespace tessera::hlo {
namespace {

// Direction: to operands. What is needed of an instruction passes on to what it reads.
class Reads : public Traversal {
 public:
  Reads(const Module& module, Where from, int depth, QueryCache& cache) : Traversal(module, from, depth, cache) {}

 private:
  [[nodiscard]] std::span<const int> next(int i) const override { return at(i).operands; }
  Result<void> pass(int i, const Reached& from) override;
};

bool sameSizes(const xla::Shape& a, const xla::Shape& b) {
  const bool buffer = a.kind() == xla::Shape::Kind::Buffer || b.kind() == xla::Shape::Kind::Buffer;
  if (a.kind() != b.kind()) return buffer;  // b(f32[4]) holds an f32[4]
  if (a.isArray()) return a.sizes() == b.sizes();
  return a.kind() != xla::Shape::Kind::Tuple ||
         std::equal(a.elements().begin(), a.elements().end(), b.elements().begin(), b.elements().end(), sameSizes);
}

Where rootOf(const Module& module, int computation) { return {computation, module.computation(computation).root}; }

// Regroups what is reached in a body by the caller's operands: parameter k is operand `first` + k.
std::vector<Reach> byOperand(const Module& module, int computation, std::string_view caller, std::size_t operands,
                             std::size_t first, const std::vector<Reached>& all) {
  const Computation& body = module.computation(computation);
  std::vector<Reach> reads, more;
  for (std::size_t k = 0; k < operands; ++k) reads.push_back(none(k));
  std::vector<bool> met(operands);
  for (const Reached& r : all) {
    const Instruction& parameter = body.at(r.instruction);
    if (parameter.opcode != "parameter") continue;
    const auto at = std::ranges::find(body.parameters, r.instruction);
    const std::size_t slot = first + n(at - body.parameters.begin());
    if (at == body.parameters.end() || slot >= operands) continue;
    Reach one = asReach(r, body, caller, computation);
    one.slot = static_cast<int>(slot);
    one.element = r.output;
    if (met[slot]) {
      more.push_back(std::move(one));
    } else {
      reads[slot] = std::move(one);
      met[slot] = true;
    }
  }
  std::ranges::move(more, std::back_inserter(reads));
  return reads;
}

std::vector<Reach> allUnknown(std::size_t count, const std::string& why) {
  std::vector<Reach> all;
  for (std::size_t k = 0; k < count; ++k) all.push_back(unknown(k, why));
  return all;
}

// async-start, and fusion-start in a text that shows the operation of an asynchronous computation.
bool startsCall(const Instruction& i) {
  return i.opcode.ends_with("-start") && (i.find("calls") != nullptr || i.find("called_computation") != nullptr);
}
bool calls(const Instruction& i) { return i.opcode == "fusion" || i.opcode == "call" || startsCall(i); }

// Whether a computation takes `count` operands of the instruction from `first` on, and has its results.
Result<void> fits(const Module& module, Where where, int computation, std::size_t first, std::size_t count) {
  const Computation& caller = module.computation(where.computation);
  const Instruction& i = caller.at(where.instruction);
  const Computation& body = module.computation(computation);
  if (body.parameters.size() != count)
    return Diag{fmt::format("{} has {} operands, {} {} parameters", i.name, count, body.name, body.parameters.size()),
                "as many", "", i.span};
  const auto differ = [&](const std::string& what, const xla::Shape& outside, const xla::Shape& inside) {
    return Diag{
        fmt::format("{}: {} is {}, {} has {} there", i.name, what, xla::print(outside), body.name, xla::print(inside)),
        "the same sizes", "", i.span};
  };
  const xla::Shape& shape = module.shapeOf(i);
  if (startsCall(i) && (shape.kind() != xla::Shape::Kind::Tuple || shape.elements().size() < 2 ||
                        shape.elements()[0].kind() != xla::Shape::Kind::Tuple))
    return Diag{fmt::format("{}: the result is {}", i.name, xla::print(shape)), "((operands), result)", "", i.span};
  const xla::Shape& result = startsCall(i) ? shape.elements()[1] : shape;
  if (body.root >= 0) {
    const xla::Shape& root = module.shapeOf(body.at(body.root));
    if (!sameSizes(result, root)) return differ("the result", result, root);
  }
  for (std::size_t k = 0; k < count; ++k) {
    if (i.operands[first + k] < 0 || body.parameters[k] < 0) continue;
    const xla::Shape& operand = module.shapeOf(caller.at(i.operands[first + k]));
    const xla::Shape& parameter = module.shapeOf(body.at(body.parameters[k]));
    if (!sameSizes(operand, parameter)) return differ(fmt::format("operand {}", first + k), operand, parameter);
    if (startsCall(i) &&
        (k >= shape.elements()[0].elements().size() || !sameSizes(operand, shape.elements()[0].elements()[k])))
      return Diag{fmt::format("{}: the result is {}", i.name, xla::print(shape)), "the operands first", "", i.span};
  }
  return {};
}

// The outputs of a call that are those of its computation: all; after the operands, if it is the start of one.
struct Results {
  std::size_t first = 0, count = 0;
};
Results resultsOf(const Module& module, const Instruction& i) {
  const xla::Shape& shape = module.shapeOf(i);
  if (!startsCall(i)) return {0, shape.leaves()};
  if (shape.kind() != xla::Shape::Kind::Tuple || shape.elements().size() < 2) return {0, 0};
  return {shape.firstLeaf(1), shape.elements()[1].leaves()};
}

// An output of a start that is an operand, or an element of one: which.
std::optional<std::pair<std::size_t, std::size_t>> operandAt(const Module& module, Where where, std::size_t output) {
  const Computation& c = module.computation(where.computation);
  const std::vector<int>& operands = c.at(where.instruction).operands;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    if (operands[k] < 0) return std::nullopt;
    const std::size_t leaves = module.outputsOf(c.at(operands[k]));
    if (output < leaves) return std::pair(k, output);
    output -= leaves;
  }
  return std::nullopt;
}

Result<std::vector<Reach>> readCall(const Module& module, Where where, int output, int depth, QueryCache& cache) {
  const Instruction& i = module.at(where);
  TESSERA_TRY(const int called, bodyOf(module, where));
  const Results results = resultsOf(module, i);
  if (n(output) - results.first < results.count)
    return readsInside(module, called, output - static_cast<int>(results.first), i.name, i.operands.size(), 0,
                       depth + 1, cache);
  std::vector<Reach> reads;
  for (std::size_t k = 0; k < i.operands.size(); ++k) reads.push_back(none(k));
  if (n(output) >= results.first) return reads;  // state of the device
  const auto from = operandAt(module, where, n(output));
  if (!from) return reads;
  const xla::Shape& shape =
      module.shapeOf(module.computation(where.computation).at(i.operands[from->first])).leaf(from->second);
  if (!shape.isArray()) return reads;
  TESSERA_TRY(Map map, identityOf(shape.sizes()));
  reads[from->first] = exact(from->first, std::move(map));
  reads[from->first].element = static_cast<int>(from->second);
  return reads;
}

// What the direction reaches in a body from an output of `from`, cached.
template <class Direction, class Kept, class Key>
Result<const std::vector<Reached>*> reachedBy(const Module& module, Where from, int output, Kept& kept, const Key& key,
                                              int depth, QueryCache& cache) {
  if (const auto known = kept.find(key); known != kept.end()) return &known->second;
  TESSERA_TRY(std::vector<Reached> all, Direction(module, from, depth, cache).run(output));
  return &kept.emplace(key, std::move(all)).first->second;
}

Result<void> Reads::pass(int i, const Reached& from) {
  const std::string_view opcode = at(i).opcode;
  if (opcode == "parameter" || opcode == "constant" || opcode == "iota") return {};
  TESSERA_TRY(const std::vector<Reach> reads, readThrough(module_, where(i), from.output, depth_, cache_));
  for (const Reach& reach : reads) {
    const auto slot = static_cast<std::size_t>(reach.slot);
    if (slot >= at(i).operands.size() || at(i).operands[slot] < 0) continue;
    if (reach.maps.empty() && reach.soundness != Soundness::Unknown) continue;  // reads nothing of it
    const int to = at(i).operands[slot];
    if (reach.element < 0) {  // any of its elements
      for (std::size_t k = 0; k < module_.outputsOf(at(to)); ++k) lead(to, static_cast<int>(k), from, i, reach);
    } else {
      lead(to, reach.element, from, i, reach);
    }
  }
  return {};
}

// Direction: to users. What elements become passes on to those who use it.
class Uses : public Traversal {
 public:
  Uses(const Module& module, Where from, int depth, QueryCache& cache)
      : Traversal(module, from, depth, cache), users_(c_.instructions.size()) {
    for (std::size_t j = 0; j < users_.size(); ++j)
      for (const int o : at(static_cast<int>(j)).operands) {
        if (o < 0) continue;
        std::vector<int>& users = users_[n(o)];
        if (users.empty() || users.back() != static_cast<int>(j)) users.push_back(static_cast<int>(j));
      }
  }

 private:
  [[nodiscard]] std::span<const int> next(int i) const override { return users_[n(i)]; }
  Result<void> pass(int i, const Reached& from) override {
    for (const int user : next(i))
      for (std::size_t slot = 0; slot < at(user).operands.size(); ++slot)  // add(p, p) uses it twice
        if (at(user).operands[slot] == i) TESSERA_CHECKED(passTo(user, static_cast<int>(slot), from));
    return {};
  }
  Result<void> passTo(int user, int slot, const Reached& from);

  std::vector<std::vector<int>> users_;
};

// Where an element of a parameter goes, one Reach per output; those of a tuple that is reached several times follow.
Result<std::vector<Reach>> fromParameter(const Module& module, int computation, int parameter, int element, int depth,
                                         QueryCache& cache, std::string_view caller) {
  const Computation& body = module.computation(computation);
  if (body.root < 0) return Diag{fmt::format("the computation {} is empty", body.name), "a ROOT", "", body.span};
  const int at = body.parameters.at(n(parameter));
  const std::size_t outputs = module.outputsOf(body.at(body.root));
  if (at < 0) return allUnknown(outputs, "the text has no such parameter");
  std::vector<Reach> uses;
  for (std::size_t o = 0; o < outputs; ++o) uses.push_back(none(o));
  if (n(element) >= module.outputsOf(body.at(at))) return uses;
  TESSERA_TRY(const std::vector<Reached>* const all,
              reachedBy<Uses>(module, {computation, at}, element, cache.parameters,
                              std::array<int, 3>{computation, at, element}, depth, cache));
  for (const Reached& r : *all) {
    if (r.instruction != body.root || n(r.output) >= outputs) continue;
    uses[n(r.output)] = asReach(r, body, caller, computation);
    uses[n(r.output)].slot = r.output;
    uses[n(r.output)].element = element;
  }
  return uses;
}

// The uses of each element of a tuple of that many, as one list: a Reach per output, then those of further elements.
template <class OfElement>
Result<std::vector<Reach>> ofElements(std::size_t elements, std::size_t outputs, OfElement of) {
  std::vector<Reach> all;
  for (std::size_t o = 0; o < outputs; ++o) all.push_back(none(o));
  std::vector<bool> met(outputs);
  for (std::size_t e = 0; e < elements; ++e) {
    spend(static_cast<i64>(outputs));
    TESSERA_TRY(std::vector<Reach> uses, of(static_cast<int>(e)));
    for (Reach& use : uses) {
      if (use.maps.empty() && use.soundness != Soundness::Unknown) continue;
      const std::size_t o = n(use.slot);
      if (!met[o]) {
        all[o] = std::move(use);
        met[o] = true;
      } else {
        all.push_back(std::move(use));
      }
    }
  }
  return all;
}

Result<std::vector<Reach>> useCall(const Module& module, Where where, int operand, int element, int depth,
                                   QueryCache& cache) {
  const Instruction& i = module.at(where);
  TESSERA_TRY(const int called, bodyOf(module, where));
  TESSERA_TRY(std::vector<Reach> inside, fromParameter(module, called, operand, element, depth + 1, cache, i.name));
  if (!startsCall(i)) return inside;
  const Results results = resultsOf(module, i);
  std::vector<Reach> uses;
  for (std::size_t o = 0; o < module.outputsOf(i); ++o) {
    uses.push_back(none(o));
    if (o - results.first < inside.size() && o - results.first < results.count) {
      uses[o] = std::move(inside[o - results.first]);
      uses[o].slot = static_cast<int>(o);
    }
    uses[o].element = element;
    if (o >= results.first || operandAt(module, where, o) != std::pair(n(operand), n(element))) continue;
    const xla::Shape& shape =
        module.shapeOf(module.computation(where.computation).at(i.operands[n(operand)])).leaf(n(element));
    if (!shape.isArray()) continue;
    TESSERA_TRY(Map map, identityOf(shape.sizes()));
    uses[o].maps.push_back(std::move(map));
  }
  return uses;
}

// The branch that a conditional runs if its predicate is a constant. Outside the range, the last one runs.
std::optional<std::size_t> decidedBranch(const Module& module, Where where, std::size_t branches) {
  const Computation& c = module.computation(where.computation);
  const int predicate = c.at(where.instruction).operands[0];
  const auto value = constantOf(module, c, predicate);
  if (!value) return std::nullopt;
  if (module.shapeOf(c.at(predicate)).type().name == "pred") return *value != 0 ? 0 : 1;
  return *value < 0 || n(*value) >= branches ? branches - 1 : n(*value);
}

// The computations of a conditional, one per operand after the predicate: the first of two if it is true.
Result<std::vector<int>> branchesOf(const Module& module, Where where) {
  const Instruction& i = module.at(where);
  const Op op(module, where);
  std::vector<int> called = calledBy(module, i);
  if (called.empty() || called.size() + 1 != i.operands.size())
    return op.wrong(fmt::format("{} operands and {} branches", i.operands.size(), called.size()),
                    "a predicate or index, and an operand for each branch");
  if (i.find("true_computation") != nullptr && i.find("false_computation") != nullptr)  // in any order
    for (std::size_t k = 0; k < 2; ++k) {
      std::string_view name = i.value(k == 0 ? "true_computation" : "false_computation");
      if (name.starts_with('%')) name.remove_prefix(1);
      if (const auto at = module.byName.find(name); at != module.byName.end() && k < called.size())
        called[k] = at->second;
    }
  TESSERA_TRY(const Ints predicate, op.operandSizes(0));
  if (!predicate.empty()) return op.wrong(fmt::format("the predicate is {}", sizesText(predicate)), "a scalar");
  const bool two = module.shapeOf(module.computation(where.computation).at(i.operands[0])).type().name == "pred";
  if (two && called.size() != 2)
    return op.wrong(fmt::format("{} branches of a pred", called.size()), "2, for true and for false");
  for (std::size_t k = 0; k < called.size(); ++k) TESSERA_CHECKED(fits(module, where, called[k], k + 1, 1));
  return called;
}

constexpr const char* kOneBranch = "only the branch that runs reads";

void onlyOneBranch(Reach& reach) {
  if (reach.soundness != Soundness::Exact || reach.maps.empty()) return;
  reach.soundness = Soundness::Over;
  reach.why = kOneBranch;
}

Result<std::vector<Reach>> readConditional(const Module& module, Where where, int output, int depth,
                                           QueryCache& cache) {
  const Instruction& i = module.at(where);
  TESSERA_TRY(const std::vector<int> branches, branchesOf(module, where));
  TESSERA_TRY(const xla::Shape* const shape, Op(module, where).output(n(output)));
  const auto decided = decidedBranch(module, where, branches.size());
  std::vector<Reach> reads, more;
  for (std::size_t k = 0; k < i.operands.size(); ++k) reads.push_back(none(k));
  if (shape->isArray()) {
    TESSERA_TRY(Map predicate, scalarOf(shape->sizes()));
    reads[0].maps.push_back(std::move(predicate));
  }
  for (std::size_t b = 0; b < branches.size(); ++b) {
    if (decided && *decided != b) continue;
    TESSERA_TRY(std::vector<Reach> inside,
                readsInside(module, branches[b], output, i.name, i.operands.size(), b + 1, depth + 1, cache));
    for (std::size_t k = 0; k < inside.size(); ++k) {
      Reach& one = inside[k];
      if (n(one.slot) != b + 1) continue;
      if (!decided) onlyOneBranch(one);
      if (k < i.operands.size())
        reads[b + 1] = std::move(one);
      else
        more.push_back(std::move(one));
    }
  }
  std::ranges::move(more, std::back_inserter(reads));
  return reads;
}

Result<std::vector<Reach>> useConditional(const Module& module, Where where, int operand, int element, int depth,
                                          QueryCache& cache) {
  const Instruction& i = module.at(where);
  TESSERA_TRY(const std::vector<int> branches, branchesOf(module, where));
  if (operand == 0) return everywhere(Op(module, where), 0);
  const std::size_t branch = n(operand) - 1;
  const auto decided = decidedBranch(module, where, branches.size());
  std::vector<Reach> uses;
  for (std::size_t o = 0; o < module.outputsOf(i); ++o) uses.push_back(none(o));
  if (decided && *decided != branch) return uses;
  TESSERA_TRY(uses, fromParameter(module, branches[branch], 0, element, depth + 1, cache, i.name));
  for (Reach& use : uses)
    if (!decided) onlyOneBranch(use);
  return uses;
}

Result<std::vector<Reach>> readLoop(const Module& module, Where where, int output, int depth) {
  const Op op(module, where);
  TESSERA_CHECKED(op.expectOperands(1));
  TESSERA_CHECKED(op.output(n(output)));
  if (op.instruction().operands[0] < 0) return allUnknown(1, "an operand could not be read");
  TESSERA_TRY(const auto reads, loopReads(module, where, depth));
  return reads->outputs.at(n(output));
}

// The reads turned round.
Result<std::vector<Reach>> useLoop(const Module& module, Where where, int operand, int element, int depth) {
  const Op op(module, where);
  TESSERA_CHECKED(op.expectOperands(1));
  if (op.instruction().operands[0] < 0) return allUnknown(op.outputs(), "an operand could not be read");
  TESSERA_TRY(const auto reads, loopReads(module, where, depth));
  const std::vector<Reach> nothing;
  return usesByReads(op, operand, element, [&](int output) -> const std::vector<Reach>& {
    return n(output) < reads->outputs.size() ? reads->outputs[n(output)] : nothing;
  });
}

Result<void> Uses::passTo(int user, int slot, const Reached& from) {
  if (module_.outputsOf(at(user)) == 0) return {};
  TESSERA_TRY(const std::vector<Reach> uses, useThrough(module_, where(user), slot, from.output, depth_, cache_));
  for (const Reach& use : uses) {
    if (use.element >= 0 && use.element != from.output) continue;
    if (use.maps.empty() && use.soundness != Soundness::Unknown) continue;
    lead(user, use.slot, from, user, use);
  }
  return {};
}

}  // namespace

Result<std::vector<Reach>> readsInside(const Module& module, int computation, int output, std::string_view caller,
                                       std::size_t operands, std::size_t first, int depth, QueryCache& cache) {
  TESSERA_TRY(const std::vector<Reached>* const all,
              reachedBy<Reads>(module, rootOf(module, computation), output, cache.bodies,
                               std::pair(computation, output), depth, cache));
  return byOperand(module, computation, caller, operands, first, *all);
}

Result<std::vector<Reach>> readThrough(const Module& module, Where where, int output, int depth, QueryCache& cache) {
  const Instruction& i = module.at(where);
  const bool branches = i.opcode == "conditional", loop = i.opcode == "while";
  if (!calls(i) && !branches && !loop) return readsOf(module, where, output);
  if (const std::string why = lostIn(module, where); !why.empty()) return allUnknown(i.operands.size(), why);
  if (loop) return readLoop(module, where, output, depth);
  return branches ? readConditional(module, where, output, depth, cache)
                  : readCall(module, where, output, depth, cache);
}

Result<std::vector<Reach>> useThrough(const Module& module, Where where, int operand, int element, int depth,
                                      QueryCache& cache) {
  const Instruction& i = module.at(where);
  const bool branches = i.opcode == "conditional", loop = i.opcode == "while";
  const bool one = operand >= 0 && n(operand) < i.operands.size() && i.operands[n(operand)] >= 0;
  if ((!calls(i) && !branches && !loop) || !one) return usesOf(module, where, operand);
  if (const std::string why = lostIn(module, where); !why.empty()) return allUnknown(module.outputsOf(i), why);
  if (loop) return useLoop(module, where, operand, element, depth);
  const auto ofOne = [&](int e) {
    return branches ? useConditional(module, where, operand, e, depth, cache)
                    : useCall(module, where, operand, e, depth, cache);
  };
  if (element >= 0) return ofOne(element);
  const std::size_t elements = module.outputsOf(module.computation(where.computation).at(i.operands[n(operand)]));
  return ofElements(elements, module.outputsOf(i), ofOne);
}

std::string lostIn(const Module& module, Where fusion) {
  const Instruction& i = module.at(fusion);
  const bool call = calls(i);
  for (const int c : calledBy(module, i)) {
    const Computation& body = module.computation(c);
    const bool whole = body.root >= 0 && (!call || body.parameters.size() == i.operands.size()) &&
                       std::ranges::count(body.parameters, -1) == 0;
    if (body.lost > 0 && !whole) return fmt::format("a line of {} could not be read", body.name);
  }
  return "";
}

Result<int> bodyOf(const Module& module, Where fusion) {
  const Instruction& i = module.at(fusion);
  const std::vector<int> called = calledBy(module, i);
  if (called.size() != 1)
    return Diag{fmt::format("{} calls {} computations of this module", i.name, called.size()), "one: calls=%NAME", "",
                i.span};
  TESSERA_CHECKED(fits(module, fusion, called[0], 0, i.operands.size()));
  return called[0];
}

Reach asReach(const Reached& reached, const Computation& body, std::string_view caller, int computation) {
  Reach reach{.soundness = reached.soundness, .why = reached.why, .undecided = reached.undecided};
  bool another = false;
  for (const ReachedMap& m : reached.maps) {
    reach.maps.push_back(m.map);
    another = another || m.replica.has_value();
    std::vector<RuntimeValue> values = m.runtime;
    for (RuntimeValue& v : values) {
      const auto parameter = std::ranges::find(body.parameters, v.operand);
      const bool handed = v.operand >= 0 && parameter != body.parameters.end();
      if (!handed) {
        v.inside = fmt::format("{}/{}", caller, v.operand < 0 ? v.inside : body.at(v.operand).name);
        if (v.operand >= 0 && computation >= 0) v.path = {{computation, v.operand}};
      }
      v.operand = handed ? static_cast<int>(parameter - body.parameters.begin()) : -1;
    }
    reach.runtime.push_back(std::move(values));
  }
  if (!another) return reach;
  for (const ReachedMap& m : reached.maps) {
    reach.replicas.push_back(m.replica ? std::optional(numberAlone(*m.replica)) : std::nullopt);
    reach.groups.push_back(m.groups);
  }
  return reach;
}

Result<std::vector<Reached>> reachedFrom(const Module& module, Where from, int output) {
  QueryCache cache;
  return Reads(module, from, 0, cache).run(output);
}

Result<std::vector<Reach>> readsFromInside(const Module& module, Where fusion, Where inside) {
  TESSERA_TRY(const int called, bodyOf(module, fusion));
  if (called != inside.computation)
    return Diag{"not an instruction of the computation that the fusion calls", "an instruction of that computation"};
  TESSERA_TRY(const std::vector<Reached> all, reachedFrom(module, inside));
  const Instruction& caller = module.at(fusion);
  return byOperand(module, called, caller.name, caller.operands.size(), 0, all);
}

Result<std::vector<Reached>> reachedIn(const Module& module, int computation, int output) {
  return reachedFrom(module, rootOf(module, computation), output);
}

Result<std::vector<Reach>> readsThrough(const Module& module, Where where, int output, const SameMaps& same) {
  QueryCache cache{same};
  return readThrough(module, where, output, 0, cache);
}

Result<std::vector<Reached>> usesFrom(const Module& module, Where from, int element) {
  QueryCache cache;
  return Uses(module, from, 0, cache).run(element);
}

Result<std::vector<Reach>> usesThrough(const Module& module, Where where, int operand, const SameMaps& same) {
  QueryCache cache{same};
  return useThrough(module, where, operand, -1, 0, cache);
}

Result<std::vector<Reach>> usesOfParameter(const Module& module, int computation, int parameter) {
  const Computation& body = module.computation(computation);
  if (parameter < 0 || n(parameter) >= body.parameters.size())
    return Diag{fmt::format("there is no parameter {}", parameter), "one of them, from 0", "", body.span};
  QueryCache cache;
  const auto ofOne = [&](int e) { return fromParameter(module, computation, parameter, e, 0, cache, body.name); };
  const int at = body.parameters[n(parameter)];
  if (body.root < 0 || at < 0) return ofOne(0);
  return ofElements(module.outputsOf(body.at(at)), module.outputsOf(body.at(body.root)), ofOne);
}

}  // namespace tessera::hlo
