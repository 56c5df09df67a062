#include "solver/kernel/machine/interpreter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "core/base/work.h"

namespace tessera::kernel {

using ptx::Space;
using Kind = Step::Kind;

// ---- groups

bool Interpreter::regroup(Block& block, Warp& w) {
  for (;;) {
    Mask runnable = w.live & ~w.waiting;
    const Mask together = w.live & w.waitingFor(Wait::Together);
    if (runnable == 0 && together != 0) {
      // Lanes that an instruction names cannot arrive: continue without them; execute() reports it.
      runnable = together;
    } else if (runnable == 0) {
      if (w.live == 0 || !barriers_.settle(block, w)) return false;
      continue;
    }
    std::size_t depth = 0;
    eachLane(runnable, [&](int l) { depth = std::max(depth, w.calls[l].size()); });
    int first = INT32_MAX;
    eachLane(runnable, [&](int l) {
      if (w.calls[l].size() == depth) first = std::min(first, w.pc[l]);
    });
    w.group = 0;
    w.at = first;
    w.meetsAt = INT32_MAX;
    eachLane(runnable | together, [&](int l) {
      if (w.calls[l].size() != depth) return;
      if (w.pc[l] == first)
        w.group |= Mask{1} << l;
      else if (w.pc[l] > first)
        w.meetsAt = std::min(w.meetsAt, w.pc[l]);
    });
    w.wake(w.group & w.waiting);
    return true;
  }
}

Mask Interpreter::guarded(Warp& w, const Step& s) const {
  if (s.guard == kNoPlace) return w.group;
  const Lanes& p = w.file[static_cast<std::size_t>(s.guard)];
  Mask out = 0;
  for (int l = 0; l < kLanes; ++l) out |= static_cast<Mask>(p[l] & 1) << l;
  return w.group & (s.guardNegated ? ~out : out);
}

Pause Interpreter::run(Block& block, Warp& w, i64 slice) {
  watch_ = {};
  if (!regroup(block, w)) return w.done() ? Pause::Done : Pause::Waits;
  for (; slice > 0; --slice) {
    const Step& s = program_.steps[static_cast<std::size_t>(w.at)];
    const Mask mask = guarded(w, s);
    executed_ += __builtin_popcount(w.group);
    spend();
    Observer* const observer = memory_.observer();
    if (observer != nullptr && !observer->step(block, w, s, mask)) {
      findings_.stop("its observer has seen enough");
      return Pause::Done;
    }
    if (!w.depends.empty()) follow(w, s);
    if (AddressTerms* const terms = memory_.addresses(); terms != nullptr) terms->follow(w, mask);
    if (memory_.symbolic() != nullptr) trace(*memory_.symbolic(), w, s, mask);
    if (!w.flying.empty() && mask != 0) async_.touch(w, w.at);
    Next next = Next::Step;
    if (mask != 0 || s.kind == Kind::Branch) next = execute(block, w, s, mask);
    if (observer != nullptr) observer->executed(block, findings_.count());
    if (findings_.stopped()) return Pause::Done;
    if (next == Next::Step) {
      if (++w.at < w.meetsAt) continue;
      eachLane(w.group, [&](int l) { w.pc[l] = w.at; });
      next = Next::Regroup;
    }
    if (next == Next::Pause) return Pause::Spins;
    if (!regroup(block, w)) return w.done() ? Pause::Done : Pause::Waits;
  }
  eachLane(w.group, [&](int l) { w.pc[l] = w.at; });
  return Pause::Slice;
}

Interpreter::Next Interpreter::execute(Block& block, Warp& w, const Step& s, Mask mask) {
  const int step = w.at;
  // Continues after this step with groups formed anew.
  const auto after = [&](Mask moved) {
    eachLane(w.group, [&](int l) { w.pc[l] = step; });
    eachLane(moved, [&](int l) { w.pc[l] = step + 1; });
    return Next::Regroup;
  };
  switch (s.kind) {
    case Kind::Compute: {
      const Operation& op = program_.operations[static_cast<std::size_t>(s.operation)];
      if (op.together && !gather(w, s, mask, membersOf(w, s, mask))) return Next::Regroup;
      if (op.together) checkNamed(w, s, mask);
      const Mask depends = dependsOn(w, s);
      terms_.compute(w, s, mask, w.group);
      if (const std::string why = arithmetic_.compute(w, s, mask); !why.empty()) unsupported(w, s, mask, why);
      spread(w, s, mask, op.together && depends != 0 ? ~Mask{0} : depends);
      return Next::Step;
    }
    case Kind::Pack:
    case Kind::Convert: {
      const Mask depends = dependsOn(w, s);
      terms_.compute(w, s, mask, w.group);
      if (s.kind == Kind::Pack)
        arithmetic_.pack(w, s, mask);
      else
        arithmetic_.convert(w, s, mask);
      spread(w, s, mask, depends);
      return Next::Step;
    }
    case Kind::Load:
      memory_.load(block, w, step, mask);
      return Next::Step;
    case Kind::Store:
      memory_.store(block, w, step, mask);
      return Next::Step;
    case Kind::Atomic:
      memory_.atomic(block, w, step, mask);
      return Next::Step;
    case Kind::Branch:
      return branch(w, s, mask);
    case Kind::BranchTable:
      return branchTable(w, s, mask);
    case Kind::Call:
      return call(w, s, mask);
    case Kind::Return: {
      after(w.group & ~mask);
      return leave(block, w, mask);
    }
    case Kind::Exit:
      after(w.group & ~mask);
      return end(block, w, mask);
    case Kind::Trap:
      findings_.report(
          Verdict::Wrong, step, w.firstThread + static_cast<std::uint32_t>(__builtin_ctz(mask)),
          fmt::format("{} reaches a trap: an assertion of the kernel fails",
                      findings_.threadText(w.firstThread + static_cast<std::uint32_t>(__builtin_ctz(mask)))));
      after(w.group & ~mask);
      return end(block, w, mask);
    case Kind::Barrier:
      if (s.source->opcode.has("arrive")) {
        barriers_.arrive(block, w, step, mask);
        return Next::Step;
      }
      after(w.group & ~mask);
      w.wait(mask, Wait::Barrier);
      return Next::Regroup;
    case Kind::WarpBarrier:
      after(w.group & ~mask);
      barriers_.warpArrive(w, step, mask);
      return Next::Regroup;
    case Kind::Fence:
      eachLane(mask, [&](int l) { memory_.fence(w.firstThread + static_cast<std::uint32_t>(l)); });
      return Next::Step;
    case Kind::Nothing:
    case Kind::Prefetch:
      return Next::Step;
    case Kind::Yield:
      after(w.group);
      return Next::Pause;
    case Kind::Cluster:
      if (s.source->opcode.base() == "barrier") {
        if (s.source->opcode.has("aligned") && !gather(w, s, mask, w.born)) return Next::Regroup;
        if (s.source->opcode.has("arrive")) {
          clusters_.arrive(block, w, step, mask);
          return Next::Step;
        }
        if (clusters_.wait(block, w, step, mask)) return Next::Step;
        after(w.group & ~mask);
        return Next::Pause;
      }
      if (s.source->opcode.base() != "fence") {
        const Mask depends = dependsOn(w, s);
        clusters_.rank(block, w, s, mask);
        spread(w, s, mask, depends);
      } else if (s.source->opcode.has("proxy") && s.source->opcode.has("async"))
        eachLane(mask, [&](int l) { order_.fenceAsync(w.firstThread + static_cast<std::uint32_t>(l)); });
      return Next::Step;
    case Kind::MatrixLoad:
    case Kind::MatrixStore: {
      if (!gather(w, s, mask, w.born)) return Next::Regroup;
      const std::string why =
          s.kind == Kind::MatrixLoad ? matrices_.load(block, w, step, mask) : matrices_.store(block, w, step, mask);
      if (!why.empty()) unsupported(w, s, mask, why);
      return Next::Step;
    }
    case Kind::TileLoad:
    case Kind::TileStore:
      if (!gather(w, s, mask, w.born)) return Next::Regroup;
      if (const std::string why = matrices_.tile(block, w, step, mask); !why.empty()) unsupported(w, s, mask, why);
      return Next::Step;
    case Kind::Unsupported:
      unsupported(w, s, mask, s.message);
      return Next::Step;
    default: {
      const bool together = s.kind == Kind::Products || (s.kind == Kind::Tensor && s.source->opcode.has("aligned"));
      if (together && !gather(w, s, mask, w.born)) return Next::Regroup;
      if (const std::string why = async_.execute(block, w, step, mask); !why.empty()) {
        unsupported(w, s, mask, why);
        return Next::Step;
      }
      if (async_.again()) {
        after(w.group & ~mask);
        return Next::Pause;
      }
      if (!async_.failedWait()) return Next::Step;
      after(w.group);
      return Next::Pause;
    }
  }
}

void Interpreter::unsupported(const Warp& w, const Step& s, Mask mask, const std::string& why) {
  findings_.stop(fmt::format("line {}: {} ({})", s.source != nullptr ? s.source->line : 0, why,
                             findings_.threadText(w.firstThread + static_cast<std::uint32_t>(__builtin_ctz(mask)))));
}

// The sources of a step that decide which bytes it accesses, or whether and when: all, except the data that it moves.
std::span<const Place> Interpreter::decisive(const Step& s) const {
  const std::span<const Place> all = s.ins;
  const auto address = static_cast<std::size_t>(s.address);
  switch (s.kind) {
    case Kind::Compute:
    case Kind::Pack:
    case Kind::Convert:
      return {};
    case Kind::Load:
    case Kind::Store:
    case Kind::Atomic:
    case Kind::MatrixLoad:
    case Kind::MatrixStore:
      return all.subspan(address, 1);
    case Kind::Tensor:
      return s.source->opcode.has("st") ? std::span<const Place>{} : all;
    case Kind::Products: {  // descriptors and flags; A may be in registers
      const ptx::Operand& a = s.source->operands[1];
      return all.subspan(a.kind == ptx::Operand::Kind::Vector ? a.parts.size() : 0);
    }
    default:
      return all;
  }
}

// Notes what depends on values that other runs do not share. A guarded computation selects: its results depend.
void Interpreter::follow(Warp& w, const Step& s) {
  const auto dependsAt = [&](Place p) {
    return p >= 0 && p != kNoPlace ? w.depends[static_cast<std::size_t>(p)] & w.group : 0;
  };
  const bool computes =
      s.kind == Kind::Pack || s.kind == Kind::Convert ||
      (s.kind == Kind::Compute && !program_.operations[static_cast<std::size_t>(s.operation)].together);
  if (const Mask guard = dependsAt(s.guard); guard != 0) {
    if (computes)
      for (const Place p : s.outs) {
        if (p != kNoPlace) w.depends[static_cast<std::size_t>(p)] |= guard;
      }
    else
      noteDependence(w, s, s.kind == Kind::Branch ? "this branch" : "whether this instruction is executed");
  }
  Mask any = 0;
  for (const Place p : decisive(s)) any |= dependsAt(p);
  for (const auto& [p, offset] : s.addresses) any |= dependsAt(p);
  if (any == 0) return;
  const bool addressed = s.kind == Kind::Load || s.kind == Kind::Store || s.kind == Kind::Atomic;
  noteDependence(w, s, addressed ? "the address" : "an operand");
  if (memory_.memories().arbitrary()) dependentLines_.insert(s.source->line);
}

void Interpreter::trace(Symbolic& values, Warp& w, const Step& s, Mask mask) {
  switch (s.kind) {
    case Kind::Compute:
    case Kind::Pack:
    case Kind::Convert: {
      const bool together =
          s.kind == Kind::Compute && program_.operations[static_cast<std::size_t>(s.operation)].together;
      if (together) return values.follow(w, s, {});
      if (mask == 0) terms_.compute(w, s, mask, w.group);  // it is not executed, but may be for other values
      return;
    }
    case Kind::Load:
    case Kind::Atomic:
    case Kind::MatrixLoad:
    case Kind::TileLoad:
    case Kind::Products:
      return values.follow(w, s, decisive(s));
    case Kind::TileStore:
      return values.follow(w, s, std::span(s.ins).subspan(static_cast<std::size_t>(s.address), 1));
    case Kind::Call:
      return values.follow(w, s, {});
    case Kind::Tensor:
      if (mask != 0) values.withoutTerms(s);
      return;
    default:
      values.follow(w, s, decisive(s));
      values.clear(w, s, mask);
  }
}

Mask Interpreter::dependsOn(const Warp& w, const Step& s) const {
  Mask out = 0;
  if (!w.depends.empty())
    for (const Place p : s.ins)
      if (p >= 0 && p != kNoPlace) out |= w.depends[static_cast<std::size_t>(p)];
  return out;
}

void Interpreter::spread(Warp& w, const Step& s, Mask mask, Mask depends) const {
  if (w.depends.empty()) return;
  for (const Place p : s.outs) {
    if (p == kNoPlace || p < 0) continue;
    Mask& at = w.depends[static_cast<std::size_t>(p)];
    // Lanes whose guard depends keep it: in another run they do not execute this.
    const Mask guard = s.guard == kNoPlace ? 0 : w.depends[static_cast<std::size_t>(s.guard)];
    at = (at & ~mask) | ((depends | guard) & mask);
  }
}

void Interpreter::noteDependence(const Warp& w, const Step& s, const char* what) {
  if (dependence_.empty())
    dependence_ =
        fmt::format("line {}: {} depends on {} ({})", s.source != nullptr ? s.source->line : 0, what,
                    memory_.memories().arbitrary() ? "the value of an argument that was not given"
                                                   : "the order of atomics or other accesses that synchronize",
                    findings_.threadText(w.firstThread));
}

// The lanes that execute the step together: those that its lanes name, or all.
Mask Interpreter::membersOf(Warp& w, const Step& s, Mask mask) const {
  const Operation& op = program_.operations[static_cast<std::size_t>(s.operation)];
  if (op.member < 0 || static_cast<std::size_t>(op.member) >= s.ins.size()) return w.born;
  const Lanes& named = in(w, s.ins[static_cast<std::size_t>(op.member)]);
  Mask members = 0;
  eachLane(mask, [&](int l) { members |= static_cast<Mask>(named[static_cast<std::size_t>(l)]); });
  return members;
}

// Lanes that execute the step although the mask that they give does not name them.
void Interpreter::checkNamed(Warp& w, const Step& s, Mask mask) {
  const Operation& op = program_.operations[static_cast<std::size_t>(s.operation)];
  if (op.member < 0 || static_cast<std::size_t>(op.member) >= s.ins.size()) return;
  const Lanes& named = in(w, s.ins[static_cast<std::size_t>(op.member)]);
  Mask unnamed = 0;
  eachLane(mask, [&](int l) {
    if ((named[static_cast<std::size_t>(l)] >> l & 1) == 0) unnamed |= Mask{1} << l;
  });
  if (unnamed == 0) return;
  const std::uint32_t thread = w.firstThread + static_cast<std::uint32_t>(__builtin_ctz(unnamed));
  findings_.report(Verdict::Divergence, w.at, thread,
                   fmt::format("{} executes this {}, whose member mask does not name it", findings_.threadText(thread),
                               s.source->opcode.text));
}

// Whether `members` are all here; otherwise the group waits for them.
bool Interpreter::gather(Warp& w, const Step& s, Mask mask, Mask members) {
  const Mask missing = members & w.live & ~w.group;
  const Mask mayCome = missing & ~(w.waiting & ~w.waitingFor(Wait::Together));
  Mask elsewhere = 0;  // lanes that wait for others at another step cannot come either
  eachLane(mayCome & w.waiting, [&](int l) { elsewhere |= w.pc[l] != w.at ? Mask{1} << l : 0; });
  if ((mayCome & ~elsewhere) != 0) {
    eachLane(w.group, [&](int l) { w.pc[l] = w.at; });
    w.wait(w.group, Wait::Together);
    return false;
  }
  if (const Mask absent = (members & w.live & ~mask); absent != 0) {
    const std::uint32_t thread = w.firstThread + static_cast<std::uint32_t>(__builtin_ctz(absent));
    findings_.report(Verdict::Divergence, w.at, thread,
                     fmt::format("{} belongs to this {}, but does not execute it with the other lanes of its warp",
                                 findings_.threadText(thread), s.source->opcode.text));
  }
  return true;
}

// ---- control

bool Interpreter::spins(Warp& w, int head) {
  if (watch_.head < 0) watch_ = {head, 0, 0, 0};
  if (head != watch_.head) {
    if (++watch_.turns < 0) watch_.head = -1;
    return false;
  }
  const i64 turn = ++watch_.turns;
  // Why not from the first turn on: to compare all registers costs as much as a hundred instructions.
  constexpr i64 kFirst = 64;
  if (turn < kFirst) return false;
  const bool record = (turn & (turn - 1)) == 0, compare = turn > kFirst && ((turn - 1) & (turn - 2)) == 0;
  if (!record && !compare) return false;
  Lanes each{};  // by lane, so that no product waits for the one before
  for (const Lanes& lanes : w.file)
    for (std::size_t l = 0; l < kLanes; ++l) each[l] = (each[l] ^ lanes[l]) * 0xff51afd7ed558ccdu;
  u64 state = 0x9e3779b97f4a7c15u;
  for (const u64 x : each) state = (state ^ x) * 0xff51afd7ed558ccdu;
  state ^= w.group;
  const bool same = compare && state == watch_.state && memory_.changes() == watch_.changes;
  if (record) {
    watch_.state = state;
    watch_.changes = memory_.changes();
  }
  return same;
}

Interpreter::Next Interpreter::branch(Warp& w, const Step& s, Mask mask) {
  const int step = w.at;
  if (mask == w.group) {
    const bool back = s.target <= step;
    w.at = s.target;
    if (back && spins(w, s.target)) {
      eachLane(w.group, [&](int l) { w.pc[l] = s.target; });
      return Next::Pause;
    }
    if (w.meetsAt != INT32_MAX || w.group != (w.live & ~w.waiting)) {
      eachLane(w.group, [&](int l) { w.pc[l] = s.target; });
      return Next::Regroup;
    }
    --w.at;  // the caller continues at the next step
    return Next::Step;
  }
  if (mask == 0) return Next::Step;
  eachLane(w.group, [&](int l) { w.pc[l] = (mask >> l & 1) != 0 ? s.target : step + 1; });
  return Next::Regroup;
}

Interpreter::Next Interpreter::branchTable(Warp& w, const Step& s, Mask mask) {
  const Lanes& index = in(w, s.ins[0]);
  const int step = w.at;
  eachLane(w.group, [&](int l) {
    const bool taken = (mask >> l & 1) != 0;
    w.pc[l] = taken && index[l] < s.targets.size() ? s.targets[static_cast<std::size_t>(index[l])] : step + 1;
  });
  return Next::Regroup;
}

Interpreter::Next Interpreter::call(Warp& w, const Step& s, Mask mask) {
  const Frame& f = program_.functions[static_cast<std::size_t>(s.callee)];
  const int step = w.at;
  constexpr std::size_t kDeepest = 64;
  bool tooDeep = false;
  eachLane(mask, [&](int l) { tooDeep = tooDeep || w.calls[l].size() >= kDeepest; });
  if (tooDeep) {
    unsupported(w, s, mask, fmt::format("calls are nested deeper than {}", kDeepest));
    return Next::Step;
  }
  eachLane(mask, [&](int l) {
    for (const int back : w.calls[l])
      if (program_.steps[static_cast<std::size_t>(back) - 1].callee == s.callee) tooDeep = true;
  });
  if (tooDeep) {
    unsupported(w, s, mask, fmt::format("the function {} calls itself", f.function->name));
    return Next::Step;
  }
  for (std::size_t k = 0; k < s.ins.size() && k < f.parameters.size(); ++k) {
    const auto bytes = static_cast<std::size_t>(std::max<i64>(f.function->parameters[k].bytes(), 1));
    eachLane(mask, [&](int l) {
      std::uint8_t* local = w.local.data() + l * program_.localBytes;
      if (s.ins[k] < 0)
        std::memmove(local + f.parameters[k], local + program_.constants[static_cast<std::size_t>(~s.ins[k])][0],
                     bytes);
      else
        std::memcpy(local + f.parameters[k], &w.lanes(s.ins[k])[l], std::min<std::size_t>(bytes, 8));
      if (Symbolic* const values = memory_.symbolic(); values != nullptr && s.ins[k] < 0)
        values->moveLocal(w, l, static_cast<i64>(program_.constants[static_cast<std::size_t>(~s.ins[k])][0]),
                          f.parameters[k], static_cast<i64>(bytes));
      else if (values != nullptr)
        values->toLocal(w, l, s.ins[k], f.parameters[k], static_cast<i64>(bytes));
      if (s.ins[k] >= 0 && !w.depends.empty())
        std::memset(w.localDepends.data() + l * program_.localBytes + f.parameters[k],
                    static_cast<int>(w.depends[static_cast<std::size_t>(s.ins[k])] >> l & 1), bytes);
    });
  }
  eachLane(w.group, [&](int l) { w.pc[l] = step; });
  eachLane(mask, [&](int l) {
    w.calls[l].push_back(step + 1);
    w.pc[l] = f.begin;
  });
  eachLane(w.group & ~mask, [&](int l) { w.pc[l] = step + 1; });
  return Next::Regroup;
}

Interpreter::Next Interpreter::leave(Block& block, Warp& w, Mask mask) {
  Mask ends = 0;
  eachLane(mask, [&](int l) {
    if (w.calls[l].empty()) {
      ends |= Mask{1} << l;
      return;
    }
    const int back = w.calls[l].back();
    w.calls[l].pop_back();
    w.pc[l] = back;
    const Step& s = program_.steps[static_cast<std::size_t>(back) - 1];
    const Frame& f = program_.functions[static_cast<std::size_t>(s.callee)];
    std::uint8_t* local = w.local.data() + l * program_.localBytes;
    for (std::size_t k = 0; k < s.outs.size() && k < f.results.size(); ++k) {
      const auto bytes = static_cast<std::size_t>(std::max<i64>(f.function->results[k].bytes(), 1));
      if (s.outs[k] < 0) {
        const auto to = static_cast<std::size_t>(program_.constants[static_cast<std::size_t>(~s.outs[k])][0]);
        std::memmove(local + to, local + f.results[k], bytes);
        if (memory_.symbolic() != nullptr)
          memory_.symbolic()->moveLocal(w, l, f.results[k], static_cast<i64>(to), static_cast<i64>(bytes));
        if (!w.localDepends.empty()) {
          std::uint8_t* depends = w.localDepends.data() + l * program_.localBytes;
          std::memmove(depends + to, depends + f.results[k], bytes);
        }
      } else if (s.outs[k] != kNoPlace) {
        u64 value = 0;
        std::memcpy(&value, local + f.results[k], std::min<std::size_t>(bytes, 8));
        w.lanes(s.outs[k])[l] = value;
        if (memory_.symbolic() != nullptr)
          memory_.symbolic()->fromLocal(w, l, f.results[k], s.outs[k], static_cast<i64>(bytes));
        if (!w.depends.empty()) {
          const std::uint8_t* depends = w.localDepends.data() + l * program_.localBytes + f.results[k];
          Mask& at = w.depends[static_cast<std::size_t>(s.outs[k])];
          const bool any = std::memchr(depends, 1, std::min<std::size_t>(bytes, 8)) != nullptr;
          at = (at & ~(Mask{1} << l)) | static_cast<Mask>(any) << l;
        }
      }
    }
  });
  return ends != 0 ? end(block, w, ends) : Next::Regroup;
}

Interpreter::Next Interpreter::end(Block& block, Warp& w, Mask mask) {
  w.live &= ~mask;
  clusters_.ended(block, w, mask);
  if (w.live == 0) {
    barriers_.ended(block);
    async_.ended(block);
    if (block.done()) {
      memory_.ended(block);
      order_.ended(w.firstThread);
    }
  }
  return Next::Regroup;
}

}  // namespace tessera::kernel
