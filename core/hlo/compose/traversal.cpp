#include "core/hlo/compose/traversal.h"

#include <string>

#include "core/hlo/ops/op.h"

namespace tessera::hlo {
namespace {

constexpr int kDeepest = 64;  // nesting depth of fusions

}  // namespace

Traversal::Traversal(const Module& module, Where from, int depth, QueryCache& cache)
    : module_(module),
      from_(from),
      c_(module.computation(from.computation)),
      depth_(depth),
      cache_(cache),
      path_(c_, cache.same) {}

Result<std::vector<Reached>> Traversal::run(int output) {
  if (from_.instruction < 0)
    return Diag{"the computation " + std::string(c_.name) + " is empty", "a ROOT", "", c_.span};
  if (depth_ > kDeepest)
    return Diag{"more than " + std::to_string(kDeepest) + " computations call one another", "computations that end", "",
                c_.span};
  TESSERA_CHECKED(order());
  TESSERA_CHECKED(begin(output));
  std::vector<Reached> all;
  for (std::size_t k = order_.size(); k-- > 0;) {
    const int i = order_[k];
    for (auto n = nodes_.lower_bound({i, 0}); n != nodes_.end() && n->first.first == i; ++n) {
      TESSERA_CHECKED(pass(i, n->second));
      all.push_back(n->second);
    }
  }
  return all;
}

void Traversal::lead(int to, int output, const Reached& from, int i, const Reach& reach) {
  path_.pass(node(to, output), from, i, reach);
}

// Depth-first with an explicit stack; appends an instruction after its successors.
Result<void> Traversal::order() {
  enum State : char { kNew, kOpen, kDone };
  std::vector<State> state(c_.instructions.size());
  std::vector<std::pair<int, std::size_t>> stack{{from_.instruction, 0}};
  state[static_cast<std::size_t>(from_.instruction)] = kOpen;
  while (!stack.empty()) {
    auto& [i, done] = stack.back();
    const std::span<const int> way = next(i);
    if (done == way.size()) {
      state[static_cast<std::size_t>(i)] = kDone;
      order_.push_back(i);
      stack.pop_back();
      continue;
    }
    const int to = way[done++];
    if (to < 0 || state[static_cast<std::size_t>(to)] == kDone) continue;
    if (state[static_cast<std::size_t>(to)] == kOpen)
      return Diag{std::string(at(to).name) + " needs itself", "instructions that depend on earlier ones only", "",
                  at(to).span};
    state[static_cast<std::size_t>(to)] = kOpen;
    stack.emplace_back(to, 0);
  }
  return {};
}

Result<void> Traversal::begin(int output) {
  const Instruction& first = at(from_.instruction);
  const xla::Shape& shape = module_.shapeOf(first);
  const bool tuple = shape.kind() == xla::Shape::Kind::Tuple;
  if (output < 0 || output >= (tuple ? static_cast<int>(shape.elements().size()) : 1))
    return Diag{std::string(first.name) + " has no output " + std::to_string(output), "one of its outputs, from 0", "",
                first.span};
  const xla::Shape& one = tuple ? shape.elements()[static_cast<std::size_t>(output)] : shape;
  Reached& start = node(from_.instruction, output);
  if (!one.isArray()) {
    start.soundness = Soundness::Unknown;
    start.why = "output " + std::to_string(output) + " is no array";
    return {};
  }
  TESSERA_TRY(Map map, identityOf(one.sizes()));
  start.maps.push_back({std::move(map), {}});
  return {};
}

Reached& Traversal::node(int instruction, int output) {
  auto [found, isNew] = nodes_.try_emplace({instruction, output});
  if (isNew) {
    found->second.instruction = instruction;
    found->second.output = output;
  }
  return found->second;
}

}  // namespace tessera::hlo
