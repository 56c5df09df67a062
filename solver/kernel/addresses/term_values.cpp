#include "solver/kernel/addresses/term_values.h"

#include <algorithm>
#include <string_view>

#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

using Op = TermNode::Op;

TermValues::TermValues(const Terms& terms, const Launch& launch)
    : terms_(terms), launch_(launch), threads_(std::size_t{launch.block[0]} * launch.block[1] * launch.block[2]) {}

void TermValues::enter(i64 block) {
  if (block == block_) return;
  block_ = block;
  known_.clear();
}

const std::vector<u64>& TermValues::of(Term root) {
  constexpr std::size_t kMostKept = 4096;
  if (known_.size() > kMostKept) known_.clear();
  std::vector<Term> work{root};
  while (!work.empty()) {
    const Term t = work.back();
    bool ready = true;
    for (const Term a : terms_[t].arguments)
      if (!known_.contains(a)) {
        work.push_back(a);
        ready = false;
      }
    if (!ready) continue;
    work.pop_back();
    if (!known_.contains(t)) known_.emplace(t, made(t));
  }
  return known_.at(root);
}

std::vector<u64> TermValues::made(Term t) {
  const TermNode& n = terms_[t];
  const u64 mask = maskOf(n.width);
  std::vector<const std::vector<u64>*> in;
  std::size_t size = 1;
  for (const Term a : n.arguments) {
    in.push_back(&known_.at(a));
    size = std::max(size, in.back()->size());
  }
  std::vector<u64> out;
  if (n.op == Op::Constant) return {n.value};
  if (n.op == Op::Variable) {
    const auto axis = static_cast<std::size_t>(n.name.back() - 'x');
    const auto along = [&](const std::array<std::uint32_t, 3>& extents, u64 index) {
      for (std::size_t d = 0; d < axis; ++d) index /= extents[d];
      return index % extents[axis];
    };
    if (n.name.starts_with("ctaid.")) return {along(launch_.grid, static_cast<u64>(block_))};
    for (u64 thread = 0; thread < threads_; ++thread) out.push_back(along(launch_.block, thread));
    return out;
  }
  out.reserve(size);
  for (std::size_t k = 0; k < size; ++k) {
    const auto x = [&](std::size_t j) { return (*in[j])[in[j]->size() == 1 ? 0 : k]; };
    const int from = n.arguments.empty() ? n.width : terms_.width(n.arguments[0]);
    u64 value = 0;
    switch (n.op) {
      case Op::Sum:
        value = n.value;
        for (std::size_t j = 0; j < in.size(); ++j) value += n.factors[j] * x(j);
        break;
      case Op::Mul:
        value = x(0) * x(1);
        break;
      case Op::Not:
        value = ~x(0);
        break;
      case Op::Select:
        value = x(0) != 0 ? x(1) : x(2);
        break;
      case Op::Widen:
        value = x(0);
        break;
      case Op::WidenSigned:
        value = static_cast<u64>(signedOf(x(0), from));
        break;
      case Op::Bits:
        value = x(0) >> n.value;
        break;
      default:
        if (n.op == Op::DivU || n.op == Op::DivS || n.op == Op::RemU || n.op == Op::RemS)
          undefined_ = undefined_ || x(1) == 0;
        value = Terms::valueOf(n.op, x(0), x(1), from);
    }
    out.push_back(value & mask);
  }
  return out;
}

}  // namespace tessera::kernel
