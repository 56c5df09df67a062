#include "solver/kernel/addresses/address_terms.h"

#include <algorithm>
#include <cstring>

namespace tessera::kernel {

using Kind = Step::Kind;
using ptx::Space;

namespace {

constexpr std::size_t kMostVisits = 4096, kMostResults = 4096;

bool accesses(const Step& s) {
  switch (s.kind) {
    case Kind::Load:
    case Kind::Store:
    case Kind::Atomic:
      return s.space != Space::Param && s.space != Space::Local;
    case Kind::MatrixLoad:
    case Kind::MatrixStore:
    case Kind::Copy:
      return true;
    default:
      return false;
  }
}

}  // namespace

AddressTerms::AddressTerms(const Program& program, const Memories& memories)
    : program_(program),
      memories_(memories),
      integers_(program, terms_, IntegerSteps::Division::ByTerms),
      known_(program.steps.size()) {
  const Launch& launch = memories.launch();
  specials_ = integers_.specials(launch);
  // The terms of a launch without clusters are wrong in one with them.
  if (launch.cluster != std::array<std::uint32_t, 3>{1, 1, 1})
    for (int p = kClusterX; p <= kExplicitCluster; ++p) specials_[static_cast<std::size_t>(p)] = -1;
  for (const Lanes& lanes : program.constants) constants_.push_back(terms_.constant(lanes[0], 64));
  constants_.push_back(terms_.constant(0, 64));  // of no place
  findUses();
}

// The steps that write a register which some address, or a guard of such a step, is computed from.
void AddressTerms::findUses() {
  const std::vector<Step>& steps = program_.steps;
  uses_.assign(steps.size(), Use::None);
  std::vector<char> wanted(static_cast<std::size_t>(program_.registers), 0);
  std::vector<std::vector<std::size_t>> writers(wanted.size());
  std::vector<std::size_t> work;
  const auto want = [&](Place p) {
    if (p < 0 || p == kNoPlace || wanted[static_cast<std::size_t>(p)] != 0) return;
    wanted[static_cast<std::size_t>(p)] = 1;
    work.push_back(static_cast<std::size_t>(p));
  };
  for (std::size_t k = 0; k < steps.size(); ++k) {
    const Step& s = steps[k];
    for (const Place p : s.outs)
      if (p >= 0 && p != kNoPlace) writers[static_cast<std::size_t>(p)].push_back(k);
    if (s.kind == Kind::Exit || s.kind == Kind::Return || s.kind == Kind::Trap) uses_[k] = Use::Ends;
    if (accesses(s)) {
      uses_[k] = Use::Accesses;
      addresses_[static_cast<int>(k)] = {};
      want(s.ins[static_cast<std::size_t>(s.address)]);
    }
  }
  while (!work.empty()) {
    const std::size_t p = work.back();
    work.pop_back();
    for (const std::size_t k : writers[p]) {
      if (uses_[k] == Use::None) uses_[k] = Use::Computes;
      want(steps[k].guard);
      for (const Place in : steps[k].ins) want(in);
    }
  }
}

AddressTerms::State& AddressTerms::stateOf(const Warp& w) {
  if (last_.second != nullptr && last_.first == w.firstThread) return *last_.second;
  const auto [at, made] = states_.try_emplace(w.firstThread);
  if (made) {
    at->second.registers.assign(static_cast<std::size_t>(program_.registers), {});
    for (std::size_t p = 0; p < specials_.size(); ++p) at->second.registers[p] = {specials_[p], ~Mask{0}};
  }
  last_ = {w.firstThread, &at->second};
  return at->second;
}

void AddressTerms::follow(const Warp& w, Mask mask) {
  const auto at = static_cast<std::size_t>(w.at);
  if (uses_[at] == Use::None || mask == 0) return;
  const Step& s = program_.steps[at];
  State& state = stateOf(w);
  switch (uses_[at]) {
    case Use::Ends:
      if (mask == w.live && w.calls[__builtin_ctz(mask)].empty()) {
        states_.erase(w.firstThread);
        last_ = {};
      }
      return;
    case Use::Accesses:
      note(state, w, s, mask);
      [[fallthrough]];  // it may load what an address is computed from
    default:
      compute(state, w, s, mask);
  }
}

// A parameter of the kernel that was given, or a pointer.
std::vector<Term> AddressTerms::parameter(const Step& s, Term address) {
  if (!terms_.isConstant(address) || s.isSigned || s.width > 8) return {};
  const std::span<const std::uint8_t> all = memories_.parameters();
  std::vector<Term> out;
  for (std::size_t k = 0; k < s.outs.size(); ++k) {
    const i64 from = static_cast<i64>(terms_.value(address)) + s.offset + static_cast<i64>(k) * s.width;
    if (from < 0 || from + s.width > static_cast<i64>(all.size())) return {};
    for (const auto& [at, bytes] : memories_.arbitraryParameters())
      if (from < at + bytes && at < from + s.width) return {};
    u64 value = 0;
    std::memcpy(&value, all.data() + from, static_cast<std::size_t>(s.width));
    out.push_back(terms_.constant(value, 64));
  }
  return out;
}

// shfl.idx from one lane: the value at the thread of that lane.
std::vector<Term> AddressTerms::broadcast(const Step& s, Term value, Term from) {
  const Launch& launch = memories_.launch();
  const bool rows = launch.block[0] % kLanes == 0 || (launch.block[1] == 1 && launch.block[2] == 1);
  if (!s.source->opcode.has("idx") || !terms_.isConstant(from) || !rows) return {};
  const Term tid = specials_[kTidX];
  if (terms_.isConstant(tid)) return {value};
  const Term first = terms_.binary(TermNode::Op::And, tid, terms_.constant(~u64{kLanes - 1}, 32));
  const Term lane = terms_.constant(terms_.value(from) & (kLanes - 1), 32);
  return {terms_.replaced(value, tid, terms_.add(first, lane))};
}

const std::vector<Term>& AddressTerms::results(const State& state, const Step& s, Mask& lanes) {
  static const std::vector<Term> kNone;
  sources_.clear();
  u64 hash = 0;
  for (const Place p : s.ins) {
    const Held h = held(state, p);
    if (h.term < 0) return kNone;
    lanes &= h.lanes;
    sources_.push_back(h.term);
    hash = (hash + static_cast<u64>(h.term) + 1) * 0x9e3779b97f4a7c15u;
  }
  auto& known = known_[static_cast<std::size_t>(&s - program_.steps.data())];
  if (known.size() > kMostResults) known.clear();
  const auto [at, isNew] = known.try_emplace(hash);
  if (isNew || at->second.sources != sources_) at->second = {sources_, made(state, s)};
  return at->second.results;
}

// Of a step whose sources have terms.
std::vector<Term> AddressTerms::made(const State& state, const Step& s) {
  const auto read = [&](Place p) { return held(state, p).term; };
  if (s.kind == Kind::Pack) return integers_.pack(s, read);
  std::optional<std::vector<Term>> out;
  if (s.kind == Kind::Convert) {
    out = integers_.convert(s, read);
  } else if (s.kind == Kind::Compute) {
    const Operation& op = program_.operations[static_cast<std::size_t>(s.operation)];
    if (!op.together) {
      out = integers_.compute(s, read);
    } else if (s.source->opcode.base() == "shfl" && sources_.size() >= 3 && terms_.isConstant(sources_[2]) &&
               (terms_.value(sources_[2]) & 0xffff) == kLanes - 1) {
      out = broadcast(s, sources_[0], sources_[1]);
    }
  } else if (s.kind == Kind::Load && s.space == Space::Param) {
    out = parameter(s, sources_[static_cast<std::size_t>(s.address)]);
  }
  return out.value_or(std::vector<Term>());
}

// `changed`: the lanes that the step writes; the term holds for value.lanes of the warp.
void AddressTerms::write(State& state, Place p, Held value, Mask changed) {
  if (p < 0 || p == kNoPlace) return;
  Held& at = state.registers[static_cast<std::size_t>(p)];
  if (value.term >= 0 && value.term == at.term)
    at.lanes = (at.lanes & ~changed) | value.lanes;
  else if (value.term >= 0)
    at = value;
  else
    at.lanes &= ~changed;
}

void AddressTerms::compute(State& state, const Warp& w, const Step& s, Mask mask) {
  Mask lanes = mask;
  const std::vector<Term>& found = results(state, s, lanes);
  const bool together = s.kind == Kind::Compute && program_.operations[static_cast<std::size_t>(s.operation)].together;
  const bool known = !together || (mask == w.live && lanes == mask);
  // A guard that holds for some lanes selects between the new and the old value.
  const Held guard = mask != w.group ? held(state, s.guard) : Held{};
  for (std::size_t k = 0; k < s.outs.size(); ++k) {
    const Place p = s.outs[k];
    if (p < 0 || p == kNoPlace) continue;
    Held value{known && k < found.size() ? found[k] : -1, lanes};
    const Held old = held(state, p);
    if (value.term >= 0 && guard.term >= 0 && old.term >= 0 && (w.group & ~guard.lanes) == 0 && lanes == mask) {
      const int width = std::max(terms_.width(value.term), terms_.width(old.term));
      Term is = terms_.resize(guard.term, 1);
      if (s.guardNegated) is = terms_.lnot(is);
      value.term = terms_.select(is, terms_.widen(value.term, width, false), terms_.widen(old.term, width, false));
      value.lanes |= old.lanes & w.group & ~mask;
      write(state, p, value, w.group);
      continue;
    }
    write(state, p, value, mask);
  }
}

void AddressTerms::note(State& state, const Warp& w, const Step& s, Mask mask) {
  OfStep& out = addresses_.at(w.at);
  if (!out.why.empty()) return;
  const auto fail = [&](const char* why) {
    out.why = why;
    out.visits.clear();
    out.blocks.clear();
  };
  const std::size_t visit = state.visits[w.at]++;
  const Held base = held(state, s.ins[static_cast<std::size_t>(s.address)]);
  if (base.term < 0 || (mask & ~base.lanes) != 0) return fail("it depends on memory or on other lanes");
  if (visit >= kMostVisits) return fail("a warp executes it too often");
  if (visit == out.visits.size()) {
    out.bases.push_back(base.term);
    out.visits.push_back(terms_.add(terms_.resize(base.term, 64), terms_.constant(static_cast<u64>(s.offset), 64)));
    out.blocks.emplace_back();
  }
  if (out.bases[visit] != base.term) return fail("it differs from warp to warp");
  ++out.blocks[visit][w.index];
}

}  // namespace tessera::kernel
