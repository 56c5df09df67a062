#include "core/hlo/compose/fusion.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/hlo/compose/traversal.h"
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

// Regroups what is reached in a body by the caller's operands.
std::vector<Reach> byOperand(const Module& module, const Computation& body, std::string_view caller,
                             const std::vector<Reached>& all) {
  std::vector<Reach> reads;
  for (std::size_t k = 0; k < body.parameters.size(); ++k) reads.push_back(none(k));
  for (const Reached& r : all) {
    const auto at = std::ranges::find(body.parameters, r.instruction);
    if (at == body.parameters.end()) continue;
    const auto slot = static_cast<std::size_t>(at - body.parameters.begin());
    const Instruction& parameter = body.at(r.instruction);
    if (!module.shapeOf(parameter).isArray()) {  // each tuple element has its own coordinates
      reads[slot] = unknown(slot, fmt::format("a tuple: see what {} reads of its elements", body.name));
      continue;
    }
    reads[slot] = asReach(r, body, caller);
    reads[slot].slot = static_cast<int>(slot);
  }
  return reads;
}

// What the direction reaches in a body from an output of `from`, cached under `key`.
template <class Direction>
Result<const std::vector<Reached>*> reachedBy(const Module& module, Where from, int output,
                                              const std::pair<int, int>& key, int depth, QueryCache& cache) {
  if (const auto known = cache.bodies.find(key); known != cache.bodies.end()) return &known->second;
  TESSERA_TRY(std::vector<Reached> all, Direction(module, from, depth, cache).run(output));
  return &cache.bodies.emplace(key, std::move(all)).first->second;
}

std::vector<Reach> allUnknown(std::size_t count, const std::string& why) {
  std::vector<Reach> all;
  for (std::size_t k = 0; k < count; ++k) all.push_back(unknown(k, why));
  return all;
}

bool calls(const Instruction& i) { return i.opcode == "fusion" || i.opcode == "call"; }

Result<std::vector<Reach>> readThrough(const Module& module, Where where, int output, int depth, QueryCache& cache) {
  const Instruction& i = module.at(where);
  if (!calls(i)) return readsOf(module, where, output);
  if (const std::string why = lostIn(module, where); !why.empty()) return allUnknown(i.operands.size(), why);
  TESSERA_TRY(const int called, bodyOf(module, where));
  TESSERA_TRY(const std::vector<Reached>* const all,
              reachedBy<Reads>(module, rootOf(module, called), output, {called, output}, depth + 1, cache));
  return byOperand(module, module.computation(called), i.name, *all);
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
    if (reach.soundness == Soundness::Unknown && module_.isTuple(at(to))) {  // any of its elements
      for (std::size_t k = 0; k < module_.outputsOf(at(to)); ++k) lead(to, static_cast<int>(k), from, i, reach);
    } else {
      lead(to, elementAskedOf(at(i), from.output), from, i, reach);
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

Result<std::vector<Reach>> fromParameter(const Module& module, int computation, int parameter, int depth,
                                         QueryCache& cache, std::string_view caller) {
  const Computation& body = module.computation(computation);
  if (body.root < 0) return Diag{fmt::format("the computation {} is empty", body.name), "a ROOT", "", body.span};
  const int at = body.parameters.at(n(parameter));
  const std::size_t outputs = module.outputsOf(body.at(body.root));
  if (at < 0) return allUnknown(outputs, "the text has no such parameter");
  if (!module.shapeOf(body.at(at)).isArray())
    return allUnknown(outputs, fmt::format("a tuple: see where {} has its elements", body.name));
  std::vector<Reach> uses;
  for (std::size_t o = 0; o < outputs; ++o) uses.push_back(none(o));
  TESSERA_TRY(const std::vector<Reached>* const all,
              reachedBy<Uses>(module, {computation, at}, 0, {computation, at}, depth, cache));
  for (const Reached& r : *all) {
    if (r.instruction != body.root || n(r.output) >= outputs) continue;
    uses[n(r.output)] = asReach(r, body, caller);
    uses[n(r.output)].slot = r.output;
  }
  return uses;
}

Result<std::vector<Reach>> useThrough(const Module& module, Where where, int operand, int depth, QueryCache& cache) {
  const Instruction& i = module.at(where);
  if (!calls(i) || operand < 0 || n(operand) >= i.operands.size()) return usesOf(module, where, operand);
  if (const std::string why = lostIn(module, where); !why.empty()) return allUnknown(module.outputsOf(i), why);
  TESSERA_TRY(const int called, bodyOf(module, where));
  return fromParameter(module, called, operand, depth + 1, cache, i.name);
}

Result<void> Uses::passTo(int user, int slot, const Reached& from) {
  if (module_.outputsOf(at(user)) == 0) return {};
  const bool ofTuple = module_.isTuple(at(at(user).operands[n(slot)]));
  TESSERA_TRY(const std::vector<Reach> uses, useThrough(module_, where(user), slot, depth_, cache_));
  for (const Reach& use : uses) {
    if (ofTuple && use.soundness != Soundness::Unknown && elementAskedOf(at(user), use.slot) != from.output) continue;
    if (use.maps.empty() && use.soundness != Soundness::Unknown) continue;
    lead(user, use.slot, from, user, use);
  }
  return {};
}

}  // namespace

std::string lostIn(const Module& module, Where fusion) {
  const Instruction& i = module.at(fusion);
  const std::vector<int> called = calledBy(module, i);
  if (called.size() != 1) return "";
  const Computation& body = module.computation(called[0]);
  const bool whole =
      body.root >= 0 && body.parameters.size() == i.operands.size() && std::ranges::count(body.parameters, -1) == 0;
  return body.lost == 0 || whole ? "" : fmt::format("a line of {} could not be read", body.name);
}

Result<int> bodyOf(const Module& module, Where fusion) {
  const Computation& caller = module.computation(fusion.computation);
  const Instruction& i = caller.at(fusion.instruction);
  const std::vector<int> called = calledBy(module, i);
  if (called.size() != 1)
    return Diag{fmt::format("{} calls {} computations of this module", i.name, called.size()), "one: calls=%NAME", "",
                i.span};
  const Computation& body = module.computation(called[0]);
  if (body.parameters.size() != i.operands.size())
    return Diag{fmt::format("{} has {} operands, {} {} parameters", i.name, i.operands.size(), body.name,
                            body.parameters.size()),
                "as many", "", i.span};
  const auto differ = [&](const std::string& what, const Instruction& outside, const Instruction& inside) {
    return Diag{fmt::format("{}: {} is {}, {} has {} there", i.name, what, xla::print(module.shapeOf(outside)),
                            body.name, xla::print(module.shapeOf(inside))),
                "the same sizes", "", i.span};
  };
  if (body.root >= 0) {
    const Instruction& root = body.at(body.root);
    if (!sameSizes(module.shapeOf(i), module.shapeOf(root))) return differ("the result", i, root);
  }
  for (std::size_t k = 0; k < i.operands.size(); ++k) {
    if (i.operands[k] < 0 || body.parameters[k] < 0) continue;
    const Instruction& operand = caller.at(i.operands[k]);
    const Instruction& parameter = body.at(body.parameters[k]);
    if (!sameSizes(module.shapeOf(operand), module.shapeOf(parameter)))
      return differ(fmt::format("operand {}", k), operand, parameter);
  }
  return called[0];
}

Reach asReach(const Reached& reached, const Computation& body, std::string_view caller) {
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
  return byOperand(module, module.computation(called), caller.name, all);
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
  return useThrough(module, where, operand, 0, cache);
}

Result<std::vector<Reach>> usesOfParameter(const Module& module, int computation, int parameter) {
  const Computation& body = module.computation(computation);
  if (parameter < 0 || n(parameter) >= body.parameters.size())
    return Diag{fmt::format("there is no parameter {}", parameter), "one of them, from 0", "", body.span};
  QueryCache cache;
  return fromParameter(module, computation, parameter, 0, cache, body.name);
}

}  // namespace tessera::hlo
