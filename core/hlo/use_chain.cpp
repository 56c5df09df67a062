#include "core/hlo/use_chain.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/hlo/op.h"
#include "core/hlo/path.h"

namespace tessera::hlo {
namespace {

constexpr int kDeepest = 64;  // fusions in fusions

using Key = std::pair<int, int>;  // instruction, output

class Follower {
 public:
  Follower(const Module& module, Where from, int depth, const SameMaps& same)
      : module_(module),
        number_(from.computation),
        c_(module.computations[static_cast<std::size_t>(from.computation)]),
        from_(from.instruction),
        depth_(depth),
        same_(same),
        path_(c_, same),
        users_(c_.instructions.size()) {}

  Result<std::vector<Reached>> run(int element) {
    if (depth_ > kDeepest)
      return Diag{"more than " + std::to_string(kDeepest) + " computations call one another", "computations that end",
                  "", c_.span};
    for (std::size_t j = 0; j < c_.instructions.size(); ++j)
      for (const int o : c_.instructions[j].operands)
        if (o >= 0) users_[static_cast<std::size_t>(o)].push_back(static_cast<int>(j));
    TESSERA_CHECKED(order());
    TESSERA_CHECKED(begin(element));
    for (std::size_t k = order_.size(); k-- > 0;) TESSERA_CHECKED(pass(order_[k]));
    std::vector<Reached> all;
    for (std::size_t k = order_.size(); k-- > 0;)
      for (auto n = nodes_.lower_bound({order_[k], 0}); n != nodes_.end() && n->first.first == order_[k]; ++n)
        all.push_back(n->second);
    return all;
  }

 private:
  const Instruction& at(int i) const { return c_.instructions[static_cast<std::size_t>(i)]; }

  // Users before what they use; a Diag where an instruction needs itself.
  Result<void> order() {
    std::vector<char> state(c_.instructions.size());
    std::vector<std::pair<int, std::size_t>> stack{{from_, 0}};
    state[static_cast<std::size_t>(from_)] = 1;
    while (!stack.empty()) {
      auto& [i, next] = stack.back();
      const std::vector<int>& users = users_[static_cast<std::size_t>(i)];
      if (next == users.size()) {
        state[static_cast<std::size_t>(i)] = 2;
        order_.push_back(i);
        stack.pop_back();
        continue;
      }
      const int user = users[next++];
      if (state[static_cast<std::size_t>(user)] == 2) continue;
      if (state[static_cast<std::size_t>(user)] == 1)
        return Diag{std::string(at(user).name) + " needs itself", "instructions that stand on earlier ones", "",
                    at(user).span};
      state[static_cast<std::size_t>(user)] = 1;
      stack.emplace_back(user, 0);
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

  Result<void> begin(int element) {
    const xla::Shape& shape = module_.shapeOf(at(from_));
    const bool tuple = shape.kind() == xla::Shape::Kind::Tuple;
    if (element < 0 || element >= (tuple ? static_cast<int>(shape.elements().size()) : 1))
      return Diag{std::string(at(from_).name) + " has no output " + std::to_string(element),
                  "one of its outputs, from 0", "", at(from_).span};
    const xla::Shape& one = tuple ? shape.elements()[static_cast<std::size_t>(element)] : shape;
    Reached& start = node({from_, element});
    if (!one.isArray()) {
      start.soundness = Soundness::Unknown;
      start.why = "output " + std::to_string(element) + " is no array";
      return {};
    }
    TESSERA_TRY(Map map, identityOf(one.sizes()));
    start.maps.push_back({std::move(map), {}});
    return {};
  }

  // What elements become goes on to those who use it.
  Result<void> pass(int i) {
    std::vector<Key> keys;
    for (auto k = nodes_.lower_bound({i, 0}); k != nodes_.end() && k->first.first == i; ++k) keys.push_back(k->first);
    std::vector<int> users = users_[static_cast<std::size_t>(i)];
    users.erase(std::unique(users.begin(), users.end()), users.end());  // add(p, p) uses it twice
    for (const Key& key : keys) {
      const Reached from = nodes_[key];
      for (const int user : users)
        for (std::size_t slot = 0; slot < at(user).operands.size(); ++slot)
          if (at(user).operands[slot] == i) TESSERA_CHECKED(passTo(user, static_cast<int>(slot), from));
    }
    return {};
  }

  Result<void> passTo(int user, int slot, const Reached& from);

  const Module& module_;
  int number_;
  const Computation& c_;
  int from_;
  int depth_;
  const SameMaps& same_;
  Path path_;
  std::vector<std::vector<int>> users_;
  std::vector<int> order_;
  std::map<Key, Reached> nodes_;
};

std::size_t outputsOf(const xla::Shape& shape) {
  return shape.kind() == xla::Shape::Kind::Tuple ? shape.elements().size() : 1;
}

Result<std::vector<Reach>> fromParameter(const Module& module, int computation, int parameter, int depth,
                                         const SameMaps& same, std::string_view caller) {
  const Computation& body = module.computations[static_cast<std::size_t>(computation)];
  if (body.root < 0) return Diag{"the computation " + std::string(body.name) + " is empty", "a ROOT", "", body.span};
  const int at = body.parameters.at(static_cast<std::size_t>(parameter));
  const std::size_t outputs = outputsOf(module.shapeOf(body.instructions[static_cast<std::size_t>(body.root)]));
  std::vector<Reach> uses(outputs);
  for (std::size_t o = 0; o < outputs; ++o) uses[o].slot = static_cast<int>(o);
  if (at < 0) {
    for (std::size_t o = 0; o < outputs; ++o) uses[o] = unknown(o, "the text has no such parameter");
    return uses;
  }
  if (!module.shapeOf(body.instructions[static_cast<std::size_t>(at)]).isArray()) {
    for (std::size_t o = 0; o < outputs; ++o)
      uses[o] = unknown(o, "a tuple: see where " + std::string(body.name) + " has its elements");
    return uses;
  }
  TESSERA_TRY(const std::vector<Reached> all, Follower(module, {computation, at}, depth, same).run(0));
  for (const Reached& r : all) {
    if (r.instruction != body.root || static_cast<std::size_t>(r.output) >= outputs) continue;
    uses[static_cast<std::size_t>(r.output)] = asReach(r, body, caller);
    uses[static_cast<std::size_t>(r.output)].slot = r.output;
  }
  return uses;
}

Result<std::vector<Reach>> through(const Module& module, Where where, int operand, int depth, const SameMaps& same) {
  const Instruction& i = module.computations[static_cast<std::size_t>(where.computation)]
                             .instructions[static_cast<std::size_t>(where.instruction)];
  const bool calls = i.opcode == "fusion" || i.opcode == "call";
  if (!calls || operand < 0 || static_cast<std::size_t>(operand) >= i.operands.size())
    return usesOf(module, where, operand);
  TESSERA_TRY(const int called, bodyOf(module, where));
  return fromParameter(module, called, operand, depth + 1, same, i.name);
}

Result<void> Follower::passTo(int user, int slot, const Reached& from) {
  if (outputsOf(module_.shapeOf(at(user))) == 0) return {};
  const bool ofTuple =
      module_.shapeOf(at(at(user).operands[static_cast<std::size_t>(slot)])).kind() == xla::Shape::Kind::Tuple;
  TESSERA_TRY(const std::vector<Reach> uses, through(module_, {number_, user}, slot, depth_, same_));
  for (const Reach& use : uses) {
    if (ofTuple && use.soundness != Soundness::Unknown && elementAskedOf(at(user), use.slot) != from.output) continue;
    if (use.maps.empty() && use.soundness != Soundness::Unknown) continue;
    path_.pass(node({user, use.slot}), from, user, use);
  }
  return {};
}

}  // namespace

Result<std::vector<Reached>> usesFrom(const Module& module, Where from, int element, const SameMaps& same) {
  return Follower(module, from, 0, same).run(element);
}

Result<std::vector<Reach>> usesThrough(const Module& module, Where where, int operand, const SameMaps& same) {
  return through(module, where, operand, 0, same);
}

Result<std::vector<Reach>> usesOfParameter(const Module& module, int computation, int parameter, const SameMaps& same) {
  const Computation& body = module.computations[static_cast<std::size_t>(computation)];
  if (parameter < 0 || static_cast<std::size_t>(parameter) >= body.parameters.size())
    return Diag{"there is no parameter " + std::to_string(parameter), "one of them, from 0", "", body.span};
  return fromParameter(module, computation, parameter, 0, same, body.name);
}

}  // namespace tessera::hlo
