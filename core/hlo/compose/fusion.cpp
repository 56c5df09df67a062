#include "core/hlo/compose/fusion.h"

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
  void leadToAll(int tuple, const Reached& from, int i, const Reach& reach);
};

bool sameSizes(const xla::Shape& a, const xla::Shape& b) {
  const bool buffer = a.kind() == xla::Shape::Kind::Buffer || b.kind() == xla::Shape::Kind::Buffer;
  if (a.kind() != b.kind()) return buffer;  // b(f32[4]) holds an f32[4]
  if (a.isArray()) return a.sizes() == b.sizes();
  return a.kind() != xla::Shape::Kind::Tuple ||
         std::equal(a.elements().begin(), a.elements().end(), b.elements().begin(), b.elements().end(), sameSizes);
}

Where rootOf(const Module& module, int computation) {
  return {computation, module.computations[static_cast<std::size_t>(computation)].root};
}

// Regroups what is reached in a body by the caller's operands.
std::vector<Reach> byOperand(const Module& module, const Computation& body, std::string_view caller,
                             const std::vector<Reached>& all) {
  std::vector<Reach> reads(body.parameters.size());
  for (std::size_t k = 0; k < reads.size(); ++k) reads[k].slot = static_cast<int>(k);
  for (const Reached& r : all) {
    const auto at = std::find(body.parameters.begin(), body.parameters.end(), r.instruction);
    if (at == body.parameters.end()) continue;
    Reach& reach = reads[static_cast<std::size_t>(at - body.parameters.begin())];
    const Instruction& parameter = body.instructions[static_cast<std::size_t>(r.instruction)];
    if (!module.shapeOf(parameter).isArray()) {  // each tuple element has its own coordinates
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

// What an output of the computation reads, cached in `cache`.
Result<const std::vector<Reached>*> readIn(const Module& module, int computation, int output, int depth,
                                           QueryCache& cache) {
  if (const auto known = cache.bodies.find({computation, output}); known != cache.bodies.end()) return &known->second;
  TESSERA_TRY(std::vector<Reached> all, Reads(module, rootOf(module, computation), depth, cache).run(output));
  return &cache.bodies.emplace(std::pair{computation, output}, std::move(all)).first->second;
}

Result<std::vector<Reach>> through(const Module& module, Where where, int output, int depth, QueryCache& cache) {
  const Computation& c = module.computations[static_cast<std::size_t>(where.computation)];
  const Instruction& i = c.instructions[static_cast<std::size_t>(where.instruction)];
  if (i.opcode != "fusion" && i.opcode != "call") return readsOf(module, where, output);
  if (const std::string why = lostIn(module, where); !why.empty()) {
    std::vector<Reach> reads;
    for (std::size_t k = 0; k < i.operands.size(); ++k) reads.push_back(unknown(k, why));
    return reads;
  }
  TESSERA_TRY(const int called, bodyOf(module, where));
  TESSERA_TRY(const std::vector<Reached>* const all, readIn(module, called, output, depth + 1, cache));
  return byOperand(module, module.computations[static_cast<std::size_t>(called)], i.name, *all);
}

Result<void> Reads::pass(int i, const Reached& from) {
  const std::string_view opcode = at(i).opcode;
  if (opcode == "parameter" || opcode == "constant" || opcode == "iota") return {};
  TESSERA_TRY(const std::vector<Reach> reads, through(module(), where(i), from.output, depth(), cache()));
  for (const Reach& reach : reads) {
    const auto slot = static_cast<std::size_t>(reach.slot);
    if (slot >= at(i).operands.size() || at(i).operands[slot] < 0) continue;
    if (reach.maps.empty() && reach.soundness != Soundness::Unknown) continue;  // reads nothing of it
    const int to = at(i).operands[slot];
    if (reach.soundness == Soundness::Unknown && module().shapeOf(at(to)).kind() == xla::Shape::Kind::Tuple) {
      leadToAll(to, from, i, reach);
    } else {
      lead(to, elementAskedOf(at(i), from.output), from, i, reach);
    }
  }
  return {};
}

// If it is unknown what is read of a tuple, assume any of its elements.
void Reads::leadToAll(int tuple, const Reached& from, int i, const Reach& reach) {
  for (std::size_t k = 0; k < module().shapeOf(at(tuple)).elements().size(); ++k)
    lead(tuple, static_cast<int>(k), from, i, reach);
}

}  // namespace

std::string lostIn(const Module& module, Where fusion) {
  const Instruction& i = module.computations[static_cast<std::size_t>(fusion.computation)]
                             .instructions[static_cast<std::size_t>(fusion.instruction)];
  const std::vector<int> called = calledBy(module, i);
  if (called.size() != 1) return "";
  const Computation& body = module.computations[static_cast<std::size_t>(called[0])];
  const bool whole = body.root >= 0 && body.parameters.size() == i.operands.size() &&
                     std::count(body.parameters.begin(), body.parameters.end(), -1) == 0;
  return body.lost == 0 || whole ? "" : "a line of " + std::string(body.name) + " could not be read";
}

Result<int> bodyOf(const Module& module, Where fusion) {
  const Computation& caller = module.computations[static_cast<std::size_t>(fusion.computation)];
  const Instruction& i = caller.instructions[static_cast<std::size_t>(fusion.instruction)];
  const std::vector<int> called = calledBy(module, i);
  if (called.size() != 1)
    return Diag{std::string(i.name) + " calls " + std::to_string(called.size()) + " computations that are here",
                "one: calls=%NAME", "", i.span};
  const Computation& body = module.computations[static_cast<std::size_t>(called[0])];
  if (body.parameters.size() != i.operands.size())
    return Diag{std::string(i.name) + " has " + std::to_string(i.operands.size()) + " operands, " +
                    std::string(body.name) + " " + std::to_string(body.parameters.size()) + " parameters",
                "as many", "", i.span};
  const auto differ = [&](const std::string& what, const Instruction& outside, const Instruction& inside) {
    return Diag{std::string(i.name) + ": " + what + " is " + xla::print(module.shapeOf(outside)) + ", " +
                    std::string(body.name) + " has " + xla::print(module.shapeOf(inside)) + " there",
                "the same sizes", "", i.span};
  };
  if (body.root >= 0) {
    const Instruction& root = body.instructions[static_cast<std::size_t>(body.root)];
    if (!sameSizes(module.shapeOf(i), module.shapeOf(root))) return differ("the result", i, root);
  }
  for (std::size_t k = 0; k < i.operands.size(); ++k) {
    if (i.operands[k] < 0 || body.parameters[k] < 0) continue;
    const Instruction& operand = caller.instructions[static_cast<std::size_t>(i.operands[k])];
    const Instruction& parameter = body.instructions[static_cast<std::size_t>(body.parameters[k])];
    if (!sameSizes(module.shapeOf(operand), module.shapeOf(parameter)))
      return differ("operand " + std::to_string(k), operand, parameter);
  }
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
  QueryCache cache{same};
  return Reads(module, from, 0, cache).run(output);
}

Result<std::vector<Reach>> readsFromInside(const Module& module, Where fusion, Where inside) {
  TESSERA_TRY(const int called, bodyOf(module, fusion));
  if (called != inside.computation) return Diag{"no instruction of what the fusion calls", "one of its computation"};
  TESSERA_TRY(const std::vector<Reached> all, reachedFrom(module, inside));
  const Instruction& caller = module.computations[static_cast<std::size_t>(fusion.computation)]
                                  .instructions[static_cast<std::size_t>(fusion.instruction)];
  return byOperand(module, module.computations[static_cast<std::size_t>(called)], caller.name, all);
}

Result<std::vector<Reached>> reachedIn(const Module& module, int computation, int output, const SameMaps& same) {
  QueryCache cache{same};
  return Reads(module, rootOf(module, computation), 0, cache).run(output);
}

Result<std::vector<Reach>> readsThrough(const Module& module, Where where, int output, const SameMaps& same) {
  QueryCache cache{same};
  return through(module, where, output, 0, cache);
}

}  // namespace tessera::hlo
