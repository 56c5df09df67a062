#include "solver/kernel/machine/tensor_order.h"

namespace tessera::kernel {

namespace {

constexpr Domain kTensorDomains[] = {Domain::Tensor, Domain::TensorLoads, Domain::TensorStores, Domain::TensorIssued};

u64 agentKey(Domain domain, std::uint32_t agent) { return Knowledge::keyOf(Knowledge::Of::Agent, domain, agent); }

}  // namespace

std::uint32_t TensorOrder::issue(TensorOp op) {
  op.time = op.domain == Domain::Thread ? order_.now(op.agent) : ++times_[{op.domain, op.agent}];
  all_.push_back(op);
  answers_.clear();
  asked_ = 0;
  return static_cast<std::uint32_t>(all_.size() - 1);
}

bool TensorOrder::ordered(std::uint32_t first) {
  if (first == asked_) return answer_;
  const auto [at, made] = answers_.try_emplace(first, false);
  if (made) at->second = first == all_.size() - 1 || decide(all_[first], all_.back());
  asked_ = first;
  return answer_ = at->second;
}

bool TensorOrder::decide(const TensorOp& first, const TensorOp& then) const {
  const bool pipeline = first.domain == Domain::Tensor && then.domain == Domain::Tensor &&
                        (first.pipeline == kCopy || then.pipeline == kCopy || first.pipeline == then.pipeline);
  if (pipeline && first.agent == then.agent) return true;
  for (std::uint32_t l = 0; l < kLanes; ++l) {
    if ((then.lanes >> l & 1) == 0) continue;
    const std::uint32_t thread = then.firstThread + l;
    if (order_.before({first.agent, first.time, first.domain}, thread)) return true;
    if (pipeline && order_.before({first.agent, first.time, Domain::TensorIssued}, thread)) return true;
  }
  return false;
}

bool TensorOrder::covers(std::uint32_t later, std::uint32_t earlier) const {
  const TensorOp &a = all_[earlier], &b = all_[later];
  return a.domain == b.domain && a.agent == b.agent && a.pipeline == b.pipeline;
}

void TensorOrder::wait(std::uint32_t firstThread, Mask lanes, Domain domain) {
  const auto issued = times_.find({domain, firstThread});
  if (issued == times_.end()) return;
  for (std::uint32_t l = 0; l < kLanes; ++l)
    if ((lanes >> l & 1) != 0) order_.learn(firstThread + l, domain, issued->second + 1, firstThread);
}

void TensorOrder::commit(std::uint32_t thread, Handover& into) {
  const auto issued = times_.find({Domain::Tensor, thread});
  if (issued == times_.end()) return;
  into.known.raise(agentKey(Domain::Tensor, thread), issued->second + 1);
  // Those before them in a pipeline are complete, too.
  Knowledge before;
  order_.agentsKnown(thread, Domain::TensorIssued, before);
  for (const Knowledge::Entry& e : before.entries())
    into.known.raise(agentKey(Domain::Tensor, static_cast<std::uint32_t>(e.key)), e.time);
}

void TensorOrder::fenceBefore(std::uint32_t thread) {
  if (const auto issued = times_.find({Domain::Tensor, thread}); issued != times_.end())
    order_.learn(thread, Domain::TensorIssued, issued->second + 1, thread);
  Knowledge& mine = fenced_[thread];
  for (const Domain d : kTensorDomains) order_.agentsKnown(thread, d, mine);
}

void TensorOrder::fenceAfter(std::uint32_t thread) {
  const auto at = observed_.find(thread);
  if (at == observed_.end()) return;
  for (const Knowledge::Entry& e : at->second.entries())
    order_.learn(thread, static_cast<Domain>(e.key >> 36 & 15), e.time, static_cast<std::uint32_t>(e.key));
  observed_.erase(at);
}

void TensorOrder::arriveRelaxed(std::uint32_t thread, Handover& into) const {
  if (const auto at = fenced_.find(thread); at != fenced_.end()) into.known.join(at->second);
}

void TensorOrder::waitRelaxed(std::uint32_t thread, const Handover& from) {
  for (const Knowledge::Entry& e : from.known.entries())
    for (const Domain d : kTensorDomains)
      if (e.key == agentKey(d, static_cast<std::uint32_t>(e.key))) observed_[thread].raise(e.key, e.time);
}

}  // namespace tessera::kernel
