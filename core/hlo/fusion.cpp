#include "core/hlo/fusion.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/hlo/attributes.h"
#include "core/hlo/path.h"

namespace tessera::hlo {
namespace {

constexpr int kDeepest = 64;  // fusions in fusions

using Key = std::pair<int, int>;  // instruction, output

class Reacher {
 public:
  // From its root, or from another of its instructions.
  Reacher(const Module& module, int computation, int depth, const SameMaps& same,
          std::optional<int> from = std::nullopt)
      : module_(module),
        number_(computation),
        c_(module.computations[static_cast<std::size_t>(computation)]),
        from_(from.value_or(c_.root)),
        depth_(depth),
        same_(same),
        path_(c_, same) {}

  Result<std::vector<Reached>> run(int output) {
    if (from_ < 0) return Diag{"the computation " + std::string(c_.name) + " is empty", "a ROOT", "", c_.span};
    if (depth_ > kDeepest)
      return Diag{"more than " + std::to_string(kDeepest) + " computations call one another", "computations that end",
                  "", c_.span};
    TESSERA_CHECKED(order());
    TESSERA_CHECKED(begin(output));
    for (std::size_t k = order_.size(); k-- > 0;) TESSERA_CHECKED(pass(order_[k]));
    std::vector<Reached> all;
    for (std::size_t k = order_.size(); k-- > 0;)
      for (auto n = nodes_.lower_bound({order_[k], 0}); n != nodes_.end() && n->first.first == order_[k]; ++n)
        all.push_back(n->second);
    return all;
  }

 private:
  const Instruction& at(int i) const { return c_.instructions[static_cast<std::size_t>(i)]; }

  // Operands before their users; a Diag where there is none, since an instruction needs itself.
  Result<void> order() {
    std::vector<char> state(c_.instructions.size());
    std::vector<std::pair<int, std::size_t>> stack{{from_, 0}};
    state[static_cast<std::size_t>(from_)] = 1;
    while (!stack.empty()) {
      auto& [i, next] = stack.back();
      if (next == at(i).operands.size()) {
        state[static_cast<std::size_t>(i)] = 2;
        order_.push_back(i);
        stack.pop_back();
        continue;
      }
      const int operand = at(i).operands[next++];
      if (operand < 0 || state[static_cast<std::size_t>(operand)] == 2) continue;
      if (state[static_cast<std::size_t>(operand)] == 1)
        return Diag{std::string(at(operand).name) + " needs itself", "instructions that stand on earlier ones", "",
                    at(operand).span};
      state[static_cast<std::size_t>(operand)] = 1;
      stack.emplace_back(operand, 0);
    }
    return {};
  }

  Reached& node(Key key) {
    auto [found, isNew] = nodes_.try_emplace(key);
    if (isNew) {
      found->second.instruction = key.first;
      found->second.output = key.second;
    }
    return found->second;
  }

  Result<void> begin(int output) {
    const xla::Shape& shape = module_.shapeOf(at(from_));
    const bool tuple = shape.kind() == xla::Shape::Kind::Tuple;
    if (output < 0 || output >= (tuple ? static_cast<int>(shape.elements().size()) : 1))
      return Diag{"the computation has no output " + std::to_string(output), "one of its outputs, from 0", "", c_.span};
    const xla::Shape& one = tuple ? shape.elements()[static_cast<std::size_t>(output)] : shape;
    Reached& root = node({from_, output});
    if (!one.isArray()) {
      root.soundness = Soundness::Unknown;
      root.why = "output " + std::to_string(output) + " is no array";
      return {};
    }
    TESSERA_TRY(Map map, identityMap(one.sizes()));
    root.maps.push_back({std::move(map), {}});
    return {};
  }

  static Result<Map> identityMap(const Ints& sizes) {
    std::vector<Digit> digits;
    std::vector<Axis> axes;
    std::vector<Guard> guards;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      digits.push_back({"d" + std::to_string(k), std::max<i64>(1, sizes[k]), DigitKind::Index, 0});
      axes.push_back({"", Expr::digit(static_cast<int>(k)), std::nullopt});
      if (sizes[k] < 1) guards.push_back({Expr::constant(1), 0, 0});
    }
    return Map::create(std::move(digits), std::move(axes), std::move(guards));
  }

  // What an instruction is asked for goes on to its operands.
  Result<void> pass(int i) {
    std::vector<Key> keys;
    for (auto k = nodes_.lower_bound({i, 0}); k != nodes_.end() && k->first.first == i; ++k) keys.push_back(k->first);
    for (const Key& key : keys) {
      const Reached from = nodes_[key];
      const std::string_view opcode = at(i).opcode;
      if (opcode == "parameter" || opcode == "constant" || opcode == "iota") continue;
      TESSERA_TRY(const std::vector<Reach> reads, readsThroughAt(i, key.second));
      for (const Reach& reach : reads) passTo(i, from, reach);
    }
    return {};
  }

  Result<std::vector<Reach>> readsThroughAt(int i, int output);

  void passTo(int i, const Reached& from, const Reach& reach) {
    const auto slot = static_cast<std::size_t>(reach.slot);
    if (slot >= at(i).operands.size() || at(i).operands[slot] < 0) return;
    if (reach.maps.empty() && reach.soundness != Soundness::Unknown) return;  // reads nothing of it
    path_.pass(node({at(i).operands[slot], elementAskedOf(at(i), from.output)}), from, i, reach);
  }

  const Module& module_;
  int number_;
  const Computation& c_;
  int from_;
  int depth_;
  const SameMaps& same_;
  Path path_;
  std::vector<int> order_;
  std::map<Key, Reached> nodes_;
};

// What is reached in a body, by its caller's operands.
std::vector<Reach> byOperand(const Module& module, const Computation& body, std::string_view caller,
                             const std::vector<Reached>& all) {
  std::vector<Reach> reads(body.parameters.size());
  for (std::size_t k = 0; k < reads.size(); ++k) reads[k].slot = static_cast<int>(k);
  for (const Reached& r : all) {
    const auto at = std::find(body.parameters.begin(), body.parameters.end(), r.instruction);
    if (at == body.parameters.end()) continue;
    Reach& reach = reads[static_cast<std::size_t>(at - body.parameters.begin())];
    const Instruction& parameter = body.instructions[static_cast<std::size_t>(r.instruction)];
    if (!module.shapeOf(parameter).isArray()) {  // elements of a tuple have coordinates of their own each
      reach = Reach{};
      reach.slot = static_cast<int>(at - body.parameters.begin());
      reach.soundness = Soundness::Unknown;
      reach.why = "a tuple: see what " + std::string(body.name) + " reads of its elements";
      continue;
    }
    const int slot = reach.slot;
    reach = asReach(r, body, caller);
    reach.slot = slot;
  }
  return reads;
}

Result<std::vector<Reach>> through(const Module& module, Where where, int output, int depth, const SameMaps& same) {
  const Computation& c = module.computations[static_cast<std::size_t>(where.computation)];
  const Instruction& i = c.instructions[static_cast<std::size_t>(where.instruction)];
  if (i.opcode != "fusion" && i.opcode != "call") return readsOf(module, where, output);
  TESSERA_TRY(const int called, bodyOf(module, where));
  TESSERA_TRY(const std::vector<Reached> all, Reacher(module, called, depth + 1, same).run(output));
  return byOperand(module, module.computations[static_cast<std::size_t>(called)], i.name, all);
}

Result<std::vector<Reach>> Reacher::readsThroughAt(int i, int output) {
  return through(module_, {number_, i}, output, depth_, same_);
}

}  // namespace

Result<int> bodyOf(const Module& module, Where fusion) {
  const Instruction& i = module.computations[static_cast<std::size_t>(fusion.computation)]
                             .instructions[static_cast<std::size_t>(fusion.instruction)];
  const std::vector<int> called = calledBy(module, i);
  if (called.size() != 1)
    return Diag{std::string(i.name) + " calls " + std::to_string(called.size()) + " computations that are here",
                "one: calls=%NAME", "", i.span};
  const Computation& body = module.computations[static_cast<std::size_t>(called[0])];
  if (body.parameters.size() != i.operands.size())
    return Diag{std::string(i.name) + " has " + std::to_string(i.operands.size()) + " operands, " +
                    std::string(body.name) + " " + std::to_string(body.parameters.size()) + " parameters",
                "as many", "", i.span};
  return called[0];
}

Reach asReach(const Reached& reached, const Computation& body, std::string_view caller) {
  Reach reach;
  reach.soundness = reached.soundness;
  reach.why = reached.why;
  reach.undecided = reached.undecided;
  bool another = false;
  for (const ReachedMap& m : reached.maps) {
    reach.maps.push_back(m.map);
    another = another || m.replica.has_value();
    std::vector<RuntimeValue> values = m.runtime;
    for (RuntimeValue& v : values) {
      const auto parameter = std::find(body.parameters.begin(), body.parameters.end(), v.operand);
      const bool handed = v.operand >= 0 && parameter != body.parameters.end();
      if (!handed) {
        const std::string holder =
            v.operand < 0 ? v.inside : std::string(body.instructions[static_cast<std::size_t>(v.operand)].name);
        v.inside = std::string(caller) + "/" + holder;
      }
      v.operand = handed ? static_cast<int>(parameter - body.parameters.begin()) : -1;
    }
    reach.runtime.push_back(std::move(values));
  }
  if (!another) return reach;
  for (const ReachedMap& m : reached.maps)
    reach.replicas.push_back(m.replica ? std::optional(numberAlone(*m.replica)) : std::nullopt);
  return reach;
}

Result<std::vector<Reached>> reachedFrom(const Module& module, Where from, int output, const SameMaps& same) {
  return Reacher(module, from.computation, 0, same, from.instruction).run(output);
}

Result<std::vector<Reach>> readsFromInside(const Module& module, Where fusion, Where inside) {
  TESSERA_TRY(const int called, bodyOf(module, fusion));
  if (called != inside.computation)
    return Diag{"no instruction of what the fusion calls", "one of its computation", "", {}};
  TESSERA_TRY(const std::vector<Reached> all, reachedFrom(module, inside));
  const Instruction& caller = module.computations[static_cast<std::size_t>(fusion.computation)]
                                  .instructions[static_cast<std::size_t>(fusion.instruction)];
  return byOperand(module, module.computations[static_cast<std::size_t>(called)], caller.name, all);
}

Result<std::vector<Reached>> reachedIn(const Module& module, int computation, int output, const SameMaps& same) {
  return Reacher(module, computation, 0, same).run(output);
}

Result<std::vector<Reach>> readsThrough(const Module& module, Where where, int output, const SameMaps& same) {
  return through(module, where, output, 0, same);
}

}  // namespace tessera::hlo
