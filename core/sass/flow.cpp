#include "core/sass/flow.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "core/base/words.h"
#include "core/base/work_budget.h"

namespace tessera::sass {

namespace {

// The instruction that a branch names, as `(.L_x_2) or as an address.
std::optional<int> targetOf(const Kernel& kernel, const Instruction& i) {
  for (const std::string& operand : i.operands) {
    if (operand.starts_with("`(") && operand.ends_with(")")) {
      const auto at = kernel.labels.find(operand.substr(2, operand.size() - 3));
      return at == kernel.labels.end() ? std::nullopt : std::optional(at->second);
    }
    if (!operand.starts_with("0x")) continue;
    i64 address = 0;
    const auto [end, error] = std::from_chars(operand.data() + 2, operand.data() + operand.size(), address, 16);
    if (error != std::errc() || end != operand.data() + operand.size()) continue;
    const auto at = std::lower_bound(kernel.code.begin(), kernel.code.end(), address,
                                     [](const Instruction& a, i64 wanted) { return a.address < wanted; });
    if (at == kernel.code.end() || at->address != address) return std::nullopt;
    return static_cast<int>(at - kernel.code.begin());
  }
  return std::nullopt;
}

bool isConditional(const Instruction& i) {
  if (i.guard.number >= 0) return true;
  if (i.operation == "BRA.DIV" || i.has("ANY") || i.has("DIV")) return true;
  // BRA !P0, `(.L_x_2)
  return i.unit() == "BRA" && i.operands.size() > 1;
}

class Builder {
 public:
  explicit Builder(const Kernel& kernel) : kernel_(kernel), size_(static_cast<int>(kernel.code.size())) {}

  Flow build() {
    successors();
    cut();
    order();
    dominators();
    loops();
    return std::move(flow_);
  }

 private:
  // The instructions after each that ends a block.
  void successors() {
    next_.resize(kernel_.code.size());
    std::map<std::string, std::vector<int>> sync;
    for (int k = 0; k < size_; ++k) {
      spend();
      const Instruction& i = code(k);
      const std::string_view unit = i.unit();
      std::optional<std::vector<int>> jump;
      if (unit == "BRA" || unit == "JMP") {
        const auto to = targetOf(kernel_, i);
        jump = to ? std::vector{*to} : std::vector<int>();
        flow_.indirect = flow_.indirect || !to;
      } else if (unit == "BRX" || unit == "JMX" || unit == "BRXU") {
        jump = listedTargets(i);
        flow_.indirect = flow_.indirect || jump->empty();
      } else if (unit == "EXIT" || unit == "RET" || unit == "KILL") {
        jump = std::vector<int>();
      } else if (unit == "BSSY" && i.operands.size() > 1) {
        if (const auto to = targetOf(kernel_, i)) sync[i.operands[0]].push_back(*to);
      } else if (unit == "BSYNC" && !i.operands.empty()) {
        jump = rejoin(sync[i.operands[0]], k);
      }
      if (!jump) continue;
      if (isConditional(i)) jump->push_back(k + 1);
      std::erase_if(*jump, [&](int to) { return to >= size_; });
      std::sort(jump->begin(), jump->end());
      jump->erase(std::unique(jump->begin(), jump->end()), jump->end());
      next_[static_cast<std::size_t>(k)] = std::move(jump);
    }
  }
  // BRX R2 -0xa0 (*"BRANCH_TARGETS .L_x_7,.L_x_8"*)
  [[nodiscard]] std::vector<int> listedTargets(const Instruction& i) const {
    constexpr std::string_view kTargets = "BRANCH_TARGETS";
    std::vector<int> out;
    for (const std::string_view operand : i.operands) {
      const std::size_t at = operand.find(kTargets);
      if (at == std::string_view::npos) continue;
      for (const std::string_view name : wordsIn(operand.substr(at + kTargets.size()), " ,\"*()")) {
        const auto label = kernel_.labels.find(std::string(name));
        if (label != kernel_.labels.end()) out.push_back(label->second);
      }
    }
    return out;
  }
  // The target of the last BSSY before it, or the next instruction if a BSSY names it.
  static std::vector<int> rejoin(const std::vector<int>& targets, int at) {
    if (targets.empty() || std::find(targets.begin(), targets.end(), at + 1) != targets.end()) return {at + 1};
    return {targets.back()};
  }

  void cut() {
    std::set<int> begins = {0};
    for (const auto& [name, at] : kernel_.labels)
      if (at < size_) begins.insert(at);
    for (int k = 0; k < size_; ++k) {
      const auto& jump = next_[static_cast<std::size_t>(k)];
      if (!jump) continue;
      if (k + 1 < size_) begins.insert(k + 1);
      begins.insert(jump->begin(), jump->end());
    }
    blockAt_.assign(kernel_.code.size(), -1);
    for (auto at = begins.begin(); at != begins.end(); ++at) {
      Block block;
      block.begin = *at;
      block.end = std::next(at) == begins.end() ? size_ : *std::next(at);
      blockAt_[static_cast<std::size_t>(block.begin)] = static_cast<int>(flow_.blocks.size());
      flow_.blocks.push_back(block);
    }
    for (std::size_t b = 0; b < flow_.blocks.size(); ++b) {
      Block& block = flow_.blocks[b];
      const auto& jump = next_[static_cast<std::size_t>(block.end) - 1];
      std::vector<int> to = jump ? *jump : block.end < size_ ? std::vector{block.end} : std::vector<int>();
      for (const int k : to) {
        const int target = blockAt_[static_cast<std::size_t>(k)];
        block.next.push_back(target);
        flow_.blocks[static_cast<std::size_t>(target)].before.push_back(static_cast<int>(b));
      }
    }
  }

  // The first instruction, and the functions that calls name.
  [[nodiscard]] std::vector<int> entries() const {
    std::set<int> out = {0};
    for (int k = 0; k < size_; ++k) {
      if (code(k).unit() != "CALL") continue;
      if (const auto to = targetOf(kernel_, code(k)); to && *to < size_ && blockAt_[static_cast<std::size_t>(*to)] >= 0)
        out.insert(blockAt_[static_cast<std::size_t>(*to)]);
    }
    return {out.begin(), out.end()};
  }

  void order() {
    std::vector<int> done;
    roots_ = entries();
    for (auto root = roots_.rbegin(); root != roots_.rend(); ++root) {
      if (block(*root).reachable) continue;
      std::vector<std::pair<int, std::size_t>> stack = {{*root, 0}};
      block(*root).reachable = true;
      while (!stack.empty()) {
        spend();
        auto& [at, edge] = stack.back();
        if (edge == block(at).next.size()) {
          done.push_back(at);
          stack.pop_back();
          continue;
        }
        const int to = block(at).next[edge++];
        if (block(to).reachable) continue;
        block(to).reachable = true;
        stack.emplace_back(to, 0);
      }
    }
    flow_.order.assign(done.rbegin(), done.rend());
    position_.assign(flow_.blocks.size(), -1);
    for (std::size_t k = 0; k < flow_.order.size(); ++k)
      position_[static_cast<std::size_t>(flow_.order[k])] = static_cast<int>(k);
  }

  // Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm", with a virtual entry (-1) before the roots.
  void dominators() {
    std::vector<int> up(flow_.blocks.size(), kUnknown);
    for (const int root : roots_) up[static_cast<std::size_t>(root)] = -1;
    const auto meet = [&](int a, int b) {
      while (a != b) {
        spend();
        if (a < 0 || b < 0) return -1;
        if (place(a) > place(b))
          a = up[static_cast<std::size_t>(a)];
        else
          b = up[static_cast<std::size_t>(b)];
      }
      return a;
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (const int b : flow_.order) {
        if (std::find(roots_.begin(), roots_.end(), b) != roots_.end()) continue;
        int best = kUnknown;
        for (const int p : block(b).before) {
          if (!block(p).reachable || up[static_cast<std::size_t>(p)] == kUnknown) continue;
          best = best == kUnknown ? p : meet(p, best);
        }
        if (up[static_cast<std::size_t>(b)] == best) continue;
        up[static_cast<std::size_t>(b)] = best;
        changed = true;
      }
    }
    for (const int b : flow_.order) block(b).dominator = up[static_cast<std::size_t>(b)];
  }

  void loops() {
    std::map<int, Loop> byHeader;
    for (const int b : flow_.order)
      for (const int to : block(b).next) {
        if (place(to) > place(b)) continue;
        if (!dominates(flow_, to, b)) {
          ++flow_.irreducible;
          continue;
        }
        Loop& loop = byHeader[to];
        loop.header = to;
        loop.latches.push_back(b);
      }
    for (auto& [header, loop] : byHeader) fill(loop);
    for (auto& [header, loop] : byHeader) flow_.loops.push_back(std::move(loop));
    std::sort(flow_.loops.begin(), flow_.loops.end(), [](const Loop& a, const Loop& b) {
      return a.blocks.size() != b.blocks.size() ? a.blocks.size() > b.blocks.size() : a.header < b.header;
    });
    for (std::size_t k = 0; k < flow_.loops.size(); ++k)
      for (std::size_t outer = 0; outer < k; ++outer) {
        spend();
        const auto& around = flow_.loops[outer].blocks;
        if (!std::binary_search(around.begin(), around.end(), flow_.loops[k].header)) continue;
        flow_.loops[k].parent = static_cast<int>(outer);
        flow_.loops[k].depth = flow_.loops[outer].depth + 1;
      }
  }

  void fill(Loop& loop) {
    std::set<int> inside = {loop.header};
    std::vector<int> open = loop.latches;
    while (!open.empty()) {
      spend();
      const int b = open.back();
      open.pop_back();
      if (!inside.insert(b).second) continue;
      for (const int p : block(b).before)
        if (block(p).reachable) open.push_back(p);
    }
    loop.blocks.assign(inside.begin(), inside.end());
    std::sort(loop.latches.begin(), loop.latches.end());
  }

  static constexpr int kUnknown = -2;
  [[nodiscard]] const Instruction& code(int k) const { return kernel_.code[static_cast<std::size_t>(k)]; }
  Block& block(int b) { return flow_.blocks[static_cast<std::size_t>(b)]; }
  [[nodiscard]] int place(int b) const { return position_[static_cast<std::size_t>(b)]; }

  const Kernel& kernel_;
  int size_;
  std::vector<std::optional<std::vector<int>>> next_;
  std::vector<int> blockAt_, roots_, position_;
  Flow flow_;
};

}  // namespace

bool dominates(const Flow& flow, int a, int b) {
  while (b >= 0 && b != a) {
    spend();
    b = flow.blocks[static_cast<std::size_t>(b)].dominator;
  }
  return b == a;
}

Flow flowOf(const Kernel& kernel) { return Builder(kernel).build(); }

}  // namespace tessera::sass
