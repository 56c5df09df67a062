#include "core/hlo/uses_through.h"

#include <algorithm>
#include <map>

#include "core/hlo/op.h"
#include "core/map/compose.h"
#include "core/map/unused.h"

namespace tessera::hlo {
namespace {

constexpr std::size_t kMostMaps = 64;  // of one instruction
constexpr int kDeepest = 64;           // fusions in fusions

using Key = std::pair<int, int>;  // instruction, output

Result<std::vector<Reach>> usesAt(const Module& module, Where where, int operand, int depth);

class Follower {
 public:
  Follower(const Module& module, Where from, int depth)
      : module_(module),
        number_(from.computation),
        c_(module.computations[static_cast<std::size_t>(from.computation)]),
        from_(from.instruction),
        depth_(depth) {}

  Result<std::vector<Reached>> run(int output) {
    if (depth_ > kDeepest)
      return Diag{"more than " + std::to_string(kDeepest) + " computations call one another", "computations that end",
                  "", c_.span};
    TESSERA_CHECKED(begin(output));
    TESSERA_TRY(const std::vector<int> order, usersInOrder());
    for (const int i : order) TESSERA_CHECKED(pass(i));
    std::vector<Reached> all{nodes_.at({from_, output})};
    for (const int i : order)
      for (auto n = nodes_.lower_bound({i, 0}); n != nodes_.end() && n->first.first == i; ++n) all.push_back(n->second);
    return all;
  }

 private:
  const Instruction& at(int i) const { return c_.instructions[static_cast<std::size_t>(i)]; }

  Result<void> begin(int output) {
    const xla::Shape& whole = module_.shapeOf(at(from_));
    const bool tuple = whole.kind() == xla::Shape::Kind::Tuple;
    if (output < 0 || output >= (tuple ? static_cast<int>(whole.elements().size()) : 1))
      return Diag{std::string(at(from_).name) + " has no output " + std::to_string(output),
                  "one of its outputs, from 0", "", at(from_).span};
    const xla::Shape& one = tuple ? whole.elements()[static_cast<std::size_t>(output)] : whole;
    Reached& first = node({from_, output});
    if (!one.isArray()) {
      first.soundness = Soundness::Unknown;
      first.why = "output " + std::to_string(output) + " is no array";
      return {};
    }
    TESSERA_TRY(Map map, identityOf(one.sizes()));
    first.maps.push_back({std::move(map), {}});
    return {};
  }

  // Those that stand on it, each behind its operands; a Diag where one needs itself.
  Result<std::vector<int>> usersInOrder() const {
    const std::size_t count = c_.instructions.size();
    std::vector<std::vector<int>> users(count);
    std::vector<int> waits(count);
    for (std::size_t i = 0; i < count; ++i)
      for (const int k : c_.instructions[i].operands)
        if (k >= 0) users[static_cast<std::size_t>(k)].push_back(static_cast<int>(i));
    std::vector<char> reached(count);
    std::vector<int> stack{from_};
    reached[static_cast<std::size_t>(from_)] = 1;
    while (!stack.empty()) {
      const int i = stack.back();
      stack.pop_back();
      for (const int u : users[static_cast<std::size_t>(i)]) {
        ++waits[static_cast<std::size_t>(u)];  // each edge is gone along once
        if (reached[static_cast<std::size_t>(u)]++ == 0) stack.push_back(u);
        reached[static_cast<std::size_t>(u)] = 1;
      }
    }
    std::vector<int> order, ready{from_};
    while (!ready.empty()) {
      const int i = ready.back();
      ready.pop_back();
      if (i != from_) order.push_back(i);
      for (const int u : users[static_cast<std::size_t>(i)])
        if (--waits[static_cast<std::size_t>(u)] == 0) ready.push_back(u);
    }
    if (order.size() + 1 != static_cast<std::size_t>(std::count(reached.begin(), reached.end(), 1)))
      return Diag{"what stands on " + std::string(at(from_).name) + " needs itself",
                  "instructions that stand on earlier ones", "", at(from_).span};
    return order;
  }

  Reached& node(Key key) {
    auto [found, isNew] = nodes_.try_emplace(key);
    if (isNew) {
      found->second.instruction = key.first;
      found->second.output = key.second;
    }
    return found->second;
  }

  // What its operands are asked for goes on to an instruction.
  Result<void> pass(int i) {
    for (std::size_t slot = 0; slot < at(i).operands.size(); ++slot) {
      const int operand = at(i).operands[slot];
      std::vector<Reached> asked;  // outputs of the operand that are reached
      for (auto n = nodes_.lower_bound({operand, 0}); n != nodes_.end() && n->first.first == operand; ++n)
        asked.push_back(n->second);
      for (const Reached& from : asked) {
        if (at(i).opcode == "get-tuple-element" && from.output != elementOf(i)) continue;
        TESSERA_TRY(const std::vector<Reach> uses, usesOfOutput(i, static_cast<int>(slot), from));
        for (const Reach& use : uses) passTo(i, from, use);
      }
    }
    return {};
  }
  int elementOf(int i) const {
    const Attribute* const index = at(i).find("index");
    return index == nullptr ? 0 : static_cast<int>(wholeNumber(index->value).value_or(0));
  }
  // Nobody but get-tuple-element says what it does with one element of a tuple.
  Result<std::vector<Reach>> usesOfOutput(int i, int slot, const Reached& from) const {
    const bool tuple = module_.shapeOf(at(from.instruction)).kind() == xla::Shape::Kind::Tuple;
    if (!tuple || at(i).opcode == "get-tuple-element") return usesAt(module_, {number_, i}, slot, depth_);
    const std::size_t outputs = Op(module_, {number_, i}).outputs();
    std::vector<Reach> all;
    for (std::size_t k = 0; k < outputs; ++k) all.push_back(unknown(k, "a tuple is its operand"));
    return all;
  }

  void passTo(int i, const Reached& from, const Reach& use) {
    if (use.maps.empty() && use.soundness != Soundness::Unknown) return;  // it goes nowhere
    Reached& to = node({i, use.slot});
    doubt(to, from.soundness, from.why);
    doubt(to, use.soundness, use.why.empty() ? "" : std::string(at(i).name) + ": " + use.why);
    for (const ReachedMap& f : from.maps)
      for (const Map& g : use.maps) {
        const auto both = thenInside(f.map, g);
        if (!both) {
          doubt(to, Soundness::Unknown, both.error().message);
          continue;
        }
        if (both->isEmpty()) continue;
        ReachedMap made{withoutUnused(*both).map, {}};
        const bool there = std::any_of(to.maps.begin(), to.maps.end(),
                                       [&](const ReachedMap& m) { return sameReads(m.map, made.map); });
        if (there) continue;
        if (to.maps.size() == kMostMaps)
          return doubt(to, Soundness::Unknown, "more than " + std::to_string(kMostMaps) + " different maps");
        to.maps.push_back(std::move(made));
      }
  }
  static void doubt(Reached& to, Soundness soundness, const std::string& why) {
    if (soundness <= to.soundness) return;
    to.soundness = soundness;
    to.why = why;
  }

  const Module& module_;
  int number_;
  const Computation& c_;
  int from_;
  int depth_;
  std::map<Key, Reached> nodes_;
};

Result<std::vector<Reach>> usesAt(const Module& module, Where where, int operand, int depth) {
  const Instruction& i = module.computations[static_cast<std::size_t>(where.computation)]
                             .instructions[static_cast<std::size_t>(where.instruction)];
  if (i.opcode != "fusion" && i.opcode != "call") return usesOf(module, where, operand);
  TESSERA_TRY(const int called, bodyOf(module, where));
  const Computation& body = module.computations[static_cast<std::size_t>(called)];
  const Op op(module, where);
  if (operand < 0 || static_cast<std::size_t>(operand) >= op.operands())
    return op.wrong("it has " + std::to_string(op.operands()) + " operands", "one of them, from 0");
  std::vector<Reach> uses;
  for (std::size_t k = 0; k < op.outputs(); ++k) {
    Reach nothing;
    nothing.slot = static_cast<int>(k);
    uses.push_back(std::move(nothing));
  }
  const int parameter = body.parameters[static_cast<std::size_t>(operand)];
  if (parameter < 0 || !module.shapeOf(body.instructions[static_cast<std::size_t>(parameter)]).isArray()) {
    for (std::size_t k = 0; k < uses.size(); ++k) uses[k] = unknown(k, "the operand is no array");
    return uses;
  }
  TESSERA_TRY(const std::vector<Reached> all, Follower(module, {called, parameter}, depth + 1).run(0));
  for (const Reached& r : all) {
    if (r.instruction != body.root || static_cast<std::size_t>(r.output) >= uses.size()) continue;
    Reach& use = uses[static_cast<std::size_t>(r.output)];
    use.soundness = r.soundness;
    use.why = r.why;
    for (const ReachedMap& m : r.maps) use.maps.push_back(m.map);
  }
  return uses;
}

}  // namespace

Result<std::vector<Reached>> goesTo(const Module& module, Where from, int output) {
  return Follower(module, from, 0).run(output);
}

Result<std::vector<Reach>> usesThrough(const Module& module, Where where, int operand) {
  return usesAt(module, where, operand, 0);
}

}  // namespace tessera::hlo
