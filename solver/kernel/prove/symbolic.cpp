#include "solver/kernel/prove/symbolic.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::kernel {

using Kind = Step::Kind;

namespace {

constexpr int kMostTrips = 24, kMostFixedTrips = 600, kMostAttempts = 24;
constexpr i64 kMostSteps = 120'000;

}  // namespace

SymbolicThread::SymbolicThread(const Program& program, const Launch& launch, Terms& terms, Oracle oracle)
    : program_(program), launch_(launch), terms_(terms), integers_(program, terms), oracle_(std::move(oracle)) {}

Behaviour SymbolicThread::explore() {
  findLoops();
  Behaviour out;
  for (int k = 0; k < kMostAttempts; ++k) {
    out = {};
    if (attempt(out)) return out;
    if (!reason_.empty()) break;
  }
  out.reason = reason_.empty() ? "what its loops change is not found" : reason_;
  return out;
}

bool SymbolicThread::attempt(Behaviour& out) {
  changed_ = false;
  waiting_.clear();
  intervalLoops_.clear();
  State first;
  first.pc = program_.functions[0].begin;
  first.reached = first.condition = terms_.truth(true);
  first.registers.assign(static_cast<std::size_t>(program_.registers), -1);
  const std::vector<Term> specials = integers_.specials(launch_);
  std::copy(specials.begin(), specials.end(), first.registers.begin());
  first.interval = newInterval(first);
  out.sameAs = {0};
  waiting_.push_back(std::move(first));
  while (!waiting_.empty() && reason_.empty() && !changed_) {
    // The deepest call first, then the least step: paths meet before they continue.
    auto best = waiting_.begin();
    for (auto at = waiting_.begin(); at != waiting_.end(); ++at)
      if (at->calls.size() > best->calls.size() || (at->calls.size() == best->calls.size() && at->pc < best->pc))
        best = at;
    State s = std::move(*best);
    waiting_.erase(best);
    if (++work_ > kMostSteps) {
      reason_ = fmt::format("it takes more than {} steps", kMostSteps);
      break;
    }
    execute(std::move(s), out);
    while (out.sameAs.size() < intervalLoops_.size()) out.sameAs.push_back(static_cast<int>(out.sameAs.size()));
  }
  if (!reason_.empty()) return false;
  if (out.written != written_ && !changed_) {
    // What is written in this attempt is not constant in the next.
    const std::size_t before = written_.size();
    written_.insert(out.written.begin(), out.written.end());
    changed_ = written_.size() != before;
  }
  return !changed_;
}

int SymbolicThread::newInterval(const State& s) {
  intervalLoops_.push_back(loopsOf(s));
  return static_cast<int>(intervalLoops_.size()) - 1;
}

// The loops with barriers that the state is in.
std::vector<int> SymbolicThread::loopsOf(const State& s) const {
  std::vector<int> out;
  for (const Active& a : s.loops)
    if (loops_.at(a.head).meets) out.push_back(a.id);
  return out;
}

// ---- loops

// Natural loops: the steps that reach a back edge without passing its head.
void SymbolicThread::findLoops() {
  const int n = static_cast<int>(program_.steps.size());
  std::vector<std::vector<int>> to(static_cast<std::size_t>(n)), from(static_cast<std::size_t>(n));
  const auto edge = [&](int a, int b) {
    if (b < 0 || b >= n) return;
    to[static_cast<std::size_t>(a)].push_back(b);
    from[static_cast<std::size_t>(b)].push_back(a);
  };
  for (int k = 0; k < n; ++k) {
    const Step& s = program_.steps[static_cast<std::size_t>(k)];
    const bool always = s.guard == kNoPlace;
    if (s.kind == Kind::Branch) edge(k, s.target);
    if (s.kind == Kind::BranchTable)
      for (const int t : s.targets) edge(k, t);
    const bool ends = s.kind == Kind::Return || s.kind == Kind::Exit || s.kind == Kind::Trap;
    if (!((s.kind == Kind::Branch || s.kind == Kind::BranchTable || ends) && always)) edge(k, k + 1);
  }
  for (int k = 0; k < n; ++k)
    for (const int head : to[static_cast<std::size_t>(k)]) {
      if (head > k) continue;
      std::set<int>& body = loops_[head].body;
      body.insert(head);
      std::vector<int> work{k};
      while (!work.empty()) {
        const int at = work.back();
        work.pop_back();
        if (!body.insert(at).second) continue;
        for (const int before : from[static_cast<std::size_t>(at)]) work.push_back(before);
      }
    }
  for (auto& [head, loop] : loops_) {
    std::set<int> ends;
    for (const int k : loop.body) {
      const Step& s = program_.steps[static_cast<std::size_t>(k)];
      if (s.kind == Kind::Return || s.kind == Kind::Exit) ends.insert(-1);
      for (const int next : to[static_cast<std::size_t>(k)])
        if (!loop.body.contains(next)) ends.insert(next);
    }
    loop.oneEnd = ends.size() <= 1;
  }
}

void SymbolicThread::enter(State& s) {
  Loop& loop = loops_.at(s.pc);
  Active a;
  a.head = s.pc;
  a.id = ++ids_;
  a.depth = s.calls.size();
  a.reached = s.reached;
  s.loops.push_back(a);
  const auto scope = loop.meets ? Terms::Scope::Block : Terms::Scope::Thread;
  const std::vector<int> loops = loopsOf(s);
  const Term trip = terms_.fresh("trip", 64, scope, loops);
  s.loops.back().first = s.registers;
  s.loops.back().firstLocal = s.local;
  const auto changed = [&](Term before, const Change& c) {
    if (c.counts && before >= 0)
      return terms_.add(
          before, terms_.mul(terms_.resize(trip, terms_.width(before)), terms_.constant(c.step, terms_.width(before))));
    const Term any = terms_.fresh("any", c.width, c.differs ? Terms::Scope::Thread : scope, loops);
    if (c.falls && before >= 0 && terms_.width(before) == c.width)
      s.condition = terms_.both(s.condition, terms_.lnot(terms_.binary(TermNode::Op::LessU, before, any)));
    return any;
  };
  for (const auto& [reg, c] : loop.registers) {
    Term& at = s.registers[static_cast<std::size_t>(reg)];
    at = changed(at, c);
  }
  for (const auto& [address, c] : loop.local) {
    const auto at = s.local.find(address);
    if (at != s.local.end()) at->second.second = changed(at->second.second, c);
  }
  s.version.clear();
  s.stored.clear();
  for (const Object& o : written_) s.version[o] = ++versions_;
  Active& made = s.loops.back();
  if (loop.meets) {
    made.interval = newInterval(s);
  } else {
    made.interval = s.interval;
  }
  made.trip = trip;
  made.registers = s.registers;
  made.local = s.local;
}

void SymbolicThread::compareChange(const Change* known, const Trip& trip, const State& s, bool meets,
                                   const std::function<void(Change)>& set) {
  const auto [first, before, after] = trip;
  if (before == after) return;
  Change c;
  c.width = before >= 0 ? terms_.width(before) : after >= 0 ? terms_.width(after) : 64;
  const bool same = before >= 0 && after >= 0 && terms_.width(before) == terms_.width(after);
  const Term step = same ? terms_.sub(after, before) : -1;
  c.counts = same && c.width > 1 && terms_.isConstant(step);
  if (c.counts) c.step = terms_.value(step);
  if (known == nullptr) {
    set(c);
    return;
  }
  if (known->counts && c.counts && known->step == c.step) return;
  Change now = *known;
  now.counts = false;
  if (!known->counts) {
    if (known->falls && (!same || first < 0 || terms_.width(first) != c.width ||
                         oracle_.possible(terms_.both(s.condition, terms_.binary(TermNode::Op::LessU, first, after)))))
      now.falls = false;
    if (meets && !known->differs && after >= 0 && !oracle_.sameInBlock(s.condition, after)) now.differs = true;
    if (now.falls == known->falls && now.differs == known->differs) return;
  }
  set(now);
}

void SymbolicThread::closeTrip(const State& s, Loop& loop, Behaviour& out) {
  const Active& a = s.loops.back();
  const int interval = a.interval;
  if (s.interval != interval && !loop.meets) {
    loop.meets = changed_ = true;
    return;
  }
  if (loop.meets && s.interval == interval) {
    reason_ = fmt::format("line {}: a barrier is on some paths through this loop only",
                          program_.steps[static_cast<std::size_t>(a.head)].source->line);
    return;
  }
  for (std::size_t r = 0; r < s.registers.size(); ++r) {
    const auto at = loop.registers.find(static_cast<int>(r));
    compareChange(at != loop.registers.end() ? &at->second : nullptr, {a.first[r], a.registers[r], s.registers[r]}, s,
                  loop.meets, [&](Change c) {
                    loop.registers[static_cast<int>(r)] = c;
                    changed_ = true;
                  });
  }
  for (const auto& entry : a.local) {
    const i64 address = entry.first;
    const std::pair<int, Term>& before = entry.second;
    const auto now = s.local.find(address);
    const auto at = loop.local.find(address);
    const Term after = now != s.local.end() && now->second.first == before.first ? now->second.second : -1;
    const auto first = a.firstLocal.find(address);
    const Term start = first != a.firstLocal.end() ? first->second.second : -1;
    compareChange(at != loop.local.end() ? &at->second : nullptr, {start, before.second, after}, s, loop.meets,
                  [&](Change c) {
                    loop.local[address] = c;
                    changed_ = true;
                  });
  }
  if (loop.meets) out.next.push_back({s.interval, interval, a.id, a.trip});
}

// ---- paths

std::string SymbolicThread::placeOf(const State& s) {
  std::string key = fmt::format("{}/{}", s.pc, s.interval);
  for (const int c : s.calls) key += fmt::format(",{}", c);
  for (const Active& a : s.loops) key += fmt::format(";{}", a.id);
  return key;
}

void SymbolicThread::merge(State& into, const State& from) {
  const Term which = from.condition;
  for (std::size_t r = 0; r < into.registers.size(); ++r) {
    Term& a = into.registers[r];
    const Term b = from.registers[r];
    if (a == b || b < 0) continue;
    if (a < 0) {
      a = b;
      continue;
    }
    const int width = std::max(terms_.width(a), terms_.width(b));
    a = terms_.select(which, terms_.widen(b, width, false), terms_.widen(a, width, false));
  }
  for (auto at = into.local.begin(); at != into.local.end();) {
    const auto other = from.local.find(at->first);
    if (other == from.local.end() || other->second.first != at->second.first) {
      at = into.local.erase(at);
      continue;
    }
    at->second.second = terms_.select(which, other->second.second, at->second.second);
    ++at;
  }
  for (auto at = into.stored.begin(); at != into.stored.end();) {
    const auto other = from.stored.find(at->first);
    at = other == from.stored.end() || !(other->second == at->second) ? into.stored.erase(at) : std::next(at);
  }
  if (into.version != from.version)
    for (const Object& o : written_) into.version[o] = ++versions_;
  for (const auto& [head, trips] : from.trips) into.trips[head] = std::max(into.trips[head], trips);
  into.reached = terms_.either(into.reached, from.reached);
  into.condition = terms_.either(into.condition, from.condition);
}

void SymbolicThread::add(State s) {
  const std::string place = placeOf(s);
  for (State& other : waiting_) {
    if (other.pc != s.pc || placeOf(other) != place) continue;
    merge(other, s);
    return;
  }
  waiting_.push_back(std::move(s));
}

// The state continues at step `to` of its function.
void SymbolicThread::go(State s, int to, Behaviour& out) {
  const int from = s.pc;
  if (terms_.isConstant(s.condition) && terms_.value(s.condition) == 0) return;
  // Out of loops whose iterations are one.
  while (!s.loops.empty() && s.loops.back().depth == s.calls.size() &&
         !loops_.at(s.loops.back().head).body.contains(to)) {
    if (loops_.at(s.loops.back().head).oneEnd) s.reached = s.loops.back().reached;
    s.loops.pop_back();
  }
  s.pc = to;
  const auto loop = loops_.find(to);
  if (loop != loops_.end() && loop->second.body.contains(from)) {
    const bool active = !s.loops.empty() && s.loops.back().head == to && s.loops.back().depth == s.calls.size();
    if (active) {
      closeTrip(s, loop->second, out);
      return;
    }
    const bool fixed = terms_.isConstant(s.condition);
    const int trips = ++s.trips[to];
    if (trips > (fixed ? kMostFixedTrips : kMostTrips)) {
      loop->second.folded = changed_ = true;
      return;
    }
    if (!fixed && !oracle_.possible(s.condition)) return;
  } else if (loop != loops_.end()) {
    s.trips.erase(to);
  }
  add(std::move(s));
}

void SymbolicThread::execute(State s, Behaviour& out) {
  const auto loop = loops_.find(s.pc);
  if (loop != loops_.end() && loop->second.folded) {
    bool inside = false;
    for (const Active& a : s.loops) inside = inside || (a.head == s.pc && a.depth == s.calls.size());
    if (!inside) {
      const int before = s.interval;
      enter(s);
      while (out.sameAs.size() < intervalLoops_.size()) out.sameAs.push_back(static_cast<int>(out.sameAs.size()));
      if (s.loops.back().interval != before) {
        // No barrier is between what precedes the loop and its head: one class.
        const auto rootOf = [&](int k) {
          while (out.sameAs[static_cast<std::size_t>(k)] != k) k = out.sameAs[static_cast<std::size_t>(k)];
          return k;
        };
        out.sameAs[static_cast<std::size_t>(rootOf(s.loops.back().interval))] = rootOf(before);
        s.interval = s.loops.back().interval;
      }
    }
  }
  const int pc = s.pc;
  const Step& step = program_.steps[static_cast<std::size_t>(pc)];
  const Term guard = guardOf(s, step);
  const bool never = terms_.isConstant(guard) && terms_.value(guard) == 0;
  const bool always = terms_.isConstant(guard) && !never;
  if (never) {
    go(std::move(s), pc + 1, out);
    return;
  }
  switch (step.kind) {
    case Kind::Compute:
      compute(s, step, guard);
      if (const Operation& op = program_.operations[static_cast<std::size_t>(step.operation)]; op.together)
        out.meetings.push_back({pc, true, terms_.both(s.reached, guard), terms_.both(s.condition, guard)});
      go(std::move(s), pc + 1, out);
      return;
    case Kind::Pack:
      writeAll(s, step, integers_.pack(step, [&](Place p) { return readRaw(s, p); }), guard);
      go(std::move(s), pc + 1, out);
      return;
    case Kind::Convert:
      convert(s, step, guard);
      go(std::move(s), pc + 1, out);
      return;
    case Kind::Load:
    case Kind::Store:
    case Kind::Atomic:
      memory(s, pc, step, guard, out);
      go(std::move(s), pc + 1, out);
      return;
    case Kind::Fence:
    case Kind::Nothing:
    case Kind::Prefetch:
    case Kind::Yield:
      go(std::move(s), pc + 1, out);
      return;
    default:
      break;
  }
  // The others end or divert the path: lanes whose guard is false continue.
  if (!always) {
    State rest = s;
    rest.reached = terms_.both(s.reached, terms_.lnot(guard));
    rest.condition = terms_.both(s.condition, terms_.lnot(guard));
    go(std::move(rest), pc + 1, out);
    s.reached = terms_.both(s.reached, guard);
    s.condition = terms_.both(s.condition, guard);
  }
  switch (step.kind) {
    case Kind::Branch:
      go(std::move(s), step.target, out);
      return;
    case Kind::BranchTable: {
      const Term index = read(s, step.ins[0], 32);
      Term others = terms_.truth(true);
      for (std::size_t k = 0; k < step.targets.size(); ++k) {
        const Term is = terms_.binary(TermNode::Op::Equal, index, terms_.constant(k, 32));
        State at = s;
        at.reached = terms_.both(s.reached, is);
        at.condition = terms_.both(s.condition, is);
        others = terms_.both(others, terms_.lnot(is));
        go(std::move(at), step.targets[k], out);
      }
      s.reached = terms_.both(s.reached, others);
      s.condition = terms_.both(s.condition, others);
      go(std::move(s), pc + 1, out);
      return;
    }
    case Kind::Call:
      if (s.calls.size() >= 32) return fail(step, "calls are nested deeper than 32");
      call(s, step);
      s.calls.push_back(pc + 1);
      s.pc = program_.functions[static_cast<std::size_t>(step.callee)].begin;
      add(std::move(s));
      return;
    case Kind::Return:
      if (!s.calls.empty()) leave(std::move(s), out);
      return;
    case Kind::Exit:
      return;
    case Kind::Trap:
      out.traps.push_back(s.condition);
      return;
    case Kind::WarpBarrier:
      out.meetings.push_back({pc, true, s.reached, s.condition});
      go(std::move(s), pc + 1, out);
      return;
    case Kind::Barrier: {
      if (step.source->opcode.has("arrive")) return fail(step, "bar.arrive is not supported here");
      const bool reduces = step.source->opcode.has("red");
      const std::size_t operands = step.ins.size() - (reduces ? 1 : 0);
      if (operands > 1) {
        const Term count = read(s, step.ins[1], 32);
        const u64 threads = u64{launch_.block[0]} * launch_.block[1] * launch_.block[2];
        if (!terms_.isConstant(count) || terms_.value(count) != threads)
          return fail(step, "a barrier of some of the threads is not supported here");
      }
      if (operands > 0 && !terms_.isConstant(read(s, step.ins[0], 32)))
        return fail(step, "the number of this barrier is not constant");
      out.meetings.push_back({pc, false, s.reached, s.condition});
      s.interval = newInterval(s);
      s.version.clear();
      s.stored.clear();
      if (reduces)
        write(s, step, 0, terms_.fresh("reduced", step.outBits, Terms::Scope::Block, loopsOf(s)), terms_.truth(true));
      go(std::move(s), pc + 1, out);
      return;
    }
    case Kind::Unsupported:
      if (step.source->opcode.base() == "call" && step.message.ends_with("is only declared in this module")) {
        for (const ptx::Operand& o : step.source->operands)
          if (o.kind == ptx::Operand::Kind::Symbol &&
              std::find(out.assumed.begin(), out.assumed.end(), o.name) == out.assumed.end())
            out.assumed.push_back(o.name);
        const auto isRegister = [](const ptx::Operand& o) { return o.kind == ptx::Operand::Kind::Register; };
        const ptx::Operand& into = step.source->operands.front();
        if (into.kind == ptx::Operand::Kind::Group && std::any_of(into.parts.begin(), into.parts.end(), isRegister))
          return fail(step, step.message);
        s.local.clear();  // it may write through addresses that it was given
        go(std::move(s), pc + 1, out);
        return;
      }
      return fail(step, step.message);
    default:
      return fail(step, fmt::format("{} is not supported for arbitrary arguments", step.source->opcode.text));
  }
}

void SymbolicThread::fail(const Step& step, const std::string& why) {
  if (reason_.empty()) reason_ = fmt::format("line {}: {}", step.source != nullptr ? step.source->line : 0, why);
}

void SymbolicThread::call(State& s, const Step& step) {
  const Frame& f = program_.functions[static_cast<std::size_t>(step.callee)];
  for (const int back : s.calls)
    if (program_.steps[static_cast<std::size_t>(back) - 1].callee == step.callee)
      return fail(step, fmt::format("the function {} calls itself", f.function->name));
  for (std::size_t k = 0; k < step.ins.size() && k < f.parameters.size(); ++k) {
    const i64 bytes = std::max<i64>(f.function->parameters[k].bytes(), 1), to = f.parameters[k];
    for (i64 at = to - 16; at < to + bytes; ++at)
      if (const auto old = s.local.find(at); old != s.local.end() && at + old->second.first > to) s.local.erase(old);
    if (step.ins[k] >= 0) {
      s.local[to] = {static_cast<int>(bytes), read(s, step.ins[k], static_cast<int>(bytes) * 8)};
      continue;
    }
    const i64 from = static_cast<i64>(program_.constants[static_cast<std::size_t>(~step.ins[k])][0]);
    for (i64 at = 0; at < bytes; ++at)
      if (const auto old = s.local.find(from + at); old != s.local.end() && at + old->second.first <= bytes)
        s.local[to + at] = old->second;
  }
}

void SymbolicThread::leave(State s, Behaviour& out) {
  const int back = s.calls.back();
  const Step& step = program_.steps[static_cast<std::size_t>(back) - 1];
  const Frame& f = program_.functions[static_cast<std::size_t>(step.callee)];
  while (!s.loops.empty() && s.loops.back().depth == s.calls.size()) {
    if (loops_.at(s.loops.back().head).oneEnd) s.reached = s.loops.back().reached;
    s.loops.pop_back();
  }
  s.calls.pop_back();
  for (std::size_t k = 0; k < step.outs.size() && k < f.results.size(); ++k) {
    const i64 bytes = std::max<i64>(f.function->results[k].bytes(), 1), from = f.results[k];
    if (step.outs[k] < 0) {
      const i64 to = static_cast<i64>(program_.constants[static_cast<std::size_t>(~step.outs[k])][0]);
      for (i64 at = to - 16; at < to + bytes; ++at)
        if (const auto old = s.local.find(at); old != s.local.end() && at + old->second.first > to) s.local.erase(old);
      for (i64 at = 0; at < bytes; ++at)
        if (const auto old = s.local.find(from + at); old != s.local.end() && at + old->second.first <= bytes)
          s.local[to + at] = old->second;
    } else if (step.outs[k] != kNoPlace) {
      const auto old = s.local.find(from);
      const bool whole = old != s.local.end() && old->second.first == bytes;
      s.registers[static_cast<std::size_t>(step.outs[k])] =
          whole
              ? old->second.second
              : terms_.fresh("result", static_cast<int>(std::min<i64>(bytes, 8)) * 8, Terms::Scope::Thread, loopsOf(s));
    }
  }
  s.pc = back - 1;
  go(std::move(s), back, out);
}

}  // namespace tessera::kernel
