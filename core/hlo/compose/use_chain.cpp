#include "core/hlo/compose/use_chain.h"

#include <utility>

#include "core/hlo/compose/traversal.h"
#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

// Direction: to users. What elements become passes on to those who use it.
class Uses : public Traversal {
 public:
  Uses(const Module& module, Where from, int depth, QueryCache& cache)
      : Traversal(module, from, depth, cache), users_(computation().instructions.size()) {
    for (std::size_t j = 0; j < users_.size(); ++j)
      for (const int o : at(static_cast<int>(j)).operands) {
        if (o < 0) continue;
        std::vector<int>& users = users_[static_cast<std::size_t>(o)];
        if (users.empty() || users.back() != static_cast<int>(j)) users.push_back(static_cast<int>(j));
      }
  }

 private:
  [[nodiscard]] std::span<const int> next(int i) const override { return users_[static_cast<std::size_t>(i)]; }
  Result<void> pass(int i, const Reached& from) override {
    for (const int user : next(i))
      for (std::size_t slot = 0; slot < at(user).operands.size(); ++slot)  // add(p, p) uses it twice
        if (at(user).operands[slot] == i) TESSERA_CHECKED(passTo(user, static_cast<int>(slot), from));
    return {};
  }
  Result<void> passTo(int user, int slot, const Reached& from);

  std::vector<std::vector<int>> users_;
};

std::size_t outputsOf(const xla::Shape& shape) {
  return shape.kind() == xla::Shape::Kind::Tuple ? shape.elements().size() : 1;
}

// Where a parameter of the computation goes, cached in `cache`.
Result<const std::vector<Reached>*> usedIn(const Module& module, Where parameter, int depth, QueryCache& cache) {
  const std::pair key{parameter.computation, parameter.instruction};
  if (const auto known = cache.bodies.find(key); known != cache.bodies.end()) return &known->second;
  TESSERA_TRY(std::vector<Reached> all, Uses(module, parameter, depth, cache).run(0));
  return &cache.bodies.emplace(key, std::move(all)).first->second;
}

Result<std::vector<Reach>> fromParameter(const Module& module, int computation, int parameter, int depth,
                                         QueryCache& cache, std::string_view caller) {
  const Computation& body = module.computation(computation);
  if (body.root < 0) return Diag{"the computation " + std::string(body.name) + " is empty", "a ROOT", "", body.span};
  const int at = body.parameters.at(static_cast<std::size_t>(parameter));
  const std::size_t outputs = outputsOf(module.shapeOf(body.at(body.root)));
  std::string why;
  if (at < 0)
    why = "the text has no such parameter";
  else if (!module.shapeOf(body.at(at)).isArray())
    why = "a tuple: see where " + std::string(body.name) + " has its elements";
  std::vector<Reach> uses;
  for (std::size_t o = 0; o < outputs; ++o) uses.push_back(why.empty() ? none(o) : unknown(o, why));
  if (!why.empty()) return uses;
  TESSERA_TRY(const std::vector<Reached>* const all, usedIn(module, {computation, at}, depth, cache));
  for (const Reached& r : *all) {
    if (r.instruction != body.root || static_cast<std::size_t>(r.output) >= outputs) continue;
    uses[static_cast<std::size_t>(r.output)] = asReach(r, body, caller);
    uses[static_cast<std::size_t>(r.output)].slot = r.output;
  }
  return uses;
}

Result<std::vector<Reach>> through(const Module& module, Where where, int operand, int depth, QueryCache& cache) {
  const Instruction& i = module.at(where);
  const bool calls = i.opcode == "fusion" || i.opcode == "call";
  if (!calls || operand < 0 || static_cast<std::size_t>(operand) >= i.operands.size())
    return usesOf(module, where, operand);
  if (const std::string why = lostIn(module, where); !why.empty()) {
    std::vector<Reach> uses;
    for (std::size_t o = 0; o < outputsOf(module.shapeOf(i)); ++o) uses.push_back(unknown(o, why));
    return uses;
  }
  TESSERA_TRY(const int called, bodyOf(module, where));
  return fromParameter(module, called, operand, depth + 1, cache, i.name);
}

Result<void> Uses::passTo(int user, int slot, const Reached& from) {
  const auto isTuple = [&](int i) { return module().shapeOf(at(i)).kind() == xla::Shape::Kind::Tuple; };
  if (outputsOf(module().shapeOf(at(user))) == 0) return {};
  const bool ofTuple = isTuple(at(user).operands[static_cast<std::size_t>(slot)]);
  TESSERA_TRY(const std::vector<Reach> uses, through(module(), where(user), slot, depth(), cache()));
  for (const Reach& use : uses) {
    if (ofTuple && use.soundness != Soundness::Unknown && elementAskedOf(at(user), use.slot) != from.output) continue;
    if (use.maps.empty() && use.soundness != Soundness::Unknown) continue;
    lead(user, use.slot, from, user, use);
  }
  return {};
}

}  // namespace

Result<std::vector<Reached>> usesFrom(const Module& module, Where from, int element, const SameMaps& same) {
  QueryCache cache{same};
  return Uses(module, from, 0, cache).run(element);
}

Result<std::vector<Reach>> usesThrough(const Module& module, Where where, int operand, const SameMaps& same) {
  QueryCache cache{same};
  return through(module, where, operand, 0, cache);
}

Result<std::vector<Reach>> usesOfParameter(const Module& module, int computation, int parameter, const SameMaps& same) {
  const Computation& body = module.computation(computation);
  if (parameter < 0 || static_cast<std::size_t>(parameter) >= body.parameters.size())
    return Diag{"there is no parameter " + std::to_string(parameter), "one of them, from 0", "", body.span};
  QueryCache cache{same};
  return fromParameter(module, computation, parameter, 0, cache, body.name);
}

}  // namespace tessera::hlo
