#include "solver/emulate/machine/value_store.h"

namespace tessera::graphene {

std::vector<Cells> cellsOf(const Plan& plan) {
  std::vector<Cells> out(plan.roots.size());
  for (std::size_t r = 0; r < out.size(); ++r) {
    const Root& root = plan.roots[r];
    out[r].tracked = root.memory != Memory::Register && root.written;
    if (out[r].tracked) out[r].shadow.resize(root.places * root.copies);
    if (root.sums) out[r].sums.assign(static_cast<std::size_t>(root.places * root.copies), kFenced);
  }
  for (const PlanStep& s : plan.steps) {
    if (s.code != PlanStep::Code::Fresh) continue;
    const Root& root = plan.roots[s.index];
    out[s.index].defined.assign(static_cast<std::size_t>(root.places * root.copies), 0);
  }
  return out;
}

void beginKernel(std::vector<Cells>& cells) {
  for (Cells& c : cells) {
    c.forgetAccesses();
    c.writes.clear();
  }
}

void beginBlock(const Plan& plan, const PlanSpec& kernel, std::vector<Cells>& cells) {
  for (int k = 0; k < kernel.outputs; ++k) {
    const int r = kernel.operands[k].root;
    const Root& root = plan.roots[r];
    if (cells[r].writes.empty()) cells[r].writes.assign(static_cast<std::size_t>(root.places * root.copies), 0);
  }
  for (std::size_t r = 0; r < cells.size(); ++r) {
    std::ranges::fill(cells[r].sums, kTouched);
    if (plan.roots[r].operand) continue;
    std::ranges::fill(cells[r].defined, 0);
    cells[r].forgetAccesses();
  }
}

void beginSpec(std::vector<Cells>& cells) {
  for (Cells& c : cells) {
    c.forgetAccesses();
    std::ranges::fill(c.sums, kFenced);  // assume that the caller has fenced
  }
}

void declare(const Plan& plan, std::vector<Cells>& cells, i64 block, Warp& w, int root) {
  const Root& r = plan.roots[root];
  if (r.memory == Memory::Shared) ++w.instance[root];
  if (r.memory != Memory::Register) return;
  for (const int lane : lanesIn(w.mask)) {
    const auto from = cells[root].defined.begin() + copyOf(plan, r, block, w.thread(lane)) * r.places;
    std::fill(from, from + r.places, 0);
  }
}

std::size_t trackedBytes(const std::vector<Cells>& cells) {
  std::size_t pages = 0;
  for (const Cells& c : cells) pages += c.shadow.made();
  return pages * ShadowMap::kPage * sizeof(Shadow);
}

}  // namespace tessera::graphene
