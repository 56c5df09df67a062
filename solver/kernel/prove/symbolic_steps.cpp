#include <fmt/format.h>

#include <algorithm>

#include "solver/kernel/lanes/make.h"
#include "solver/kernel/prove/symbolic.h"

namespace tessera::kernel {

using Op = TermNode::Op;
using ptx::Space;
using ptx::Type;

namespace {

u64 constantOf(const Program& program, Place p) { return program.constants[static_cast<std::size_t>(~p)][0]; }

}  // namespace

// ---- registers

Term SymbolicThread::readRaw(State& s, Place p) {
  if (p == kNoPlace) return terms_.constant(0, 64);
  if (p < 0) return terms_.constant(constantOf(program_, p), 64);
  if (p == kClock) return terms_.fresh("clock", 64, Terms::Scope::Thread);
  Term& at = s.registers[static_cast<std::size_t>(p)];
  if (at < 0) at = terms_.fresh("undefined", 64, Terms::Scope::Thread);
  return at;
}

Term SymbolicThread::read(State& s, Place p, int width) { return terms_.resize(readRaw(s, p), width); }

void SymbolicThread::write(State& s, const Step& step, std::size_t k, Term value, Term guard) {
  if (k >= step.outs.size() || step.outs[k] == kNoPlace || step.outs[k] < 0) return;
  const Place p = step.outs[k];
  if (!terms_.isConstant(guard)) {
    const Term old = readRaw(s, p);
    const int width = std::max(terms_.width(old), terms_.width(value));
    value = terms_.select(guard, terms_.widen(value, width, false), terms_.widen(old, width, false));
  }
  s.registers[static_cast<std::size_t>(p)] = value;
}

Term SymbolicThread::guardOf(State& s, const Step& step) {
  if (step.guard == kNoPlace) return terms_.truth(true);
  const Term p = read(s, step.guard, 1);
  return step.guardNegated ? terms_.lnot(p) : p;
}

// ---- computation

void SymbolicThread::compute(State& s, const Step& step, Term guard) {
  const Operation& op = program_.operations[static_cast<std::size_t>(step.operation)];
  if (op.together) {
    for (std::size_t k = 0; k < step.outs.size(); ++k) {
      const bool truth = k == 1 || (step.source->opcode.base() == "vote" && !step.source->opcode.has("ballot"));
      write(s, step, k, terms_.fresh("exchanged", truth ? 1 : 32, Terms::Scope::Thread), guard);
    }
    return;
  }
  if (const auto results = integers_.compute(step, [&](Place p) { return readRaw(s, p); })) {
    writeAll(s, step, *results, guard);
    return;
  }
  // An unknown function of its sources.
  std::vector<Term> sources;
  for (std::size_t k = 0; k < step.ins.size(); ++k) {
    const Type type = k < op.sources.size() ? op.sources[k] : Type::B64;
    Term t = read(s, step.ins[k], std::clamp(ptx::bitsOf(type), 1, 64));
    if ((step.inverted >> k & 1) != 0 && k < 32) t = terms_.lnot(t);
    sources.push_back(t);
  }
  for (std::size_t k = 0; k < step.outs.size(); ++k) {
    const std::string_view base = step.source->opcode.base();
    int width = k == 0 ? step.outBits : 32;
    if (base == "setp" || base == "testp") width = 1;
    if (step.outs[k] == kCarry) width = 1;
    write(s, step, k,
          terms_.apply(fmt::format("{}/{}/{}", step.source->opcode.text, k, sources.size()), width, sources,
                       Terms::Scope::Launch),
          guard);
  }
}

void SymbolicThread::writeAll(State& s, const Step& step, const std::vector<Term>& values, Term guard) {
  for (std::size_t k = 0; k < values.size(); ++k) write(s, step, k, values[k], guard);
}

void SymbolicThread::convert(State& s, const Step& step, Term guard) {
  const auto results = integers_.convert(step, [&](Place p) { return readRaw(s, p); });
  if (!results) return fail(step, "the space of this address is not known");
  writeAll(s, step, *results, guard);
}

// ---- memory

Term SymbolicThread::parameter(i64 offset, int bytes) {
  for (std::size_t k = 0; k < program_.parameters.size() && k < launch_.arguments.size(); ++k) {
    const Program::Parameter& p = program_.parameters[k];
    const Argument& a = launch_.arguments[k];
    if (offset < p.offset || offset + bytes > p.offset + p.bytes || bytes > 8) continue;
    if (a.kind != Argument::Kind::Scalar && a.kind != Argument::Kind::Bytes) continue;
    u64 value = 0;
    for (int b = 0; b < bytes; ++b) {
      const auto at = static_cast<std::size_t>(offset - p.offset + b);
      if (at < a.bytes.size()) value |= static_cast<u64>(a.bytes[at]) << (8 * b);
    }
    return terms_.constant(value, bytes * 8);
  }
  return terms_.variable(fmt::format("param+{}.{}", offset, bytes), bytes * 8, Terms::Scope::Launch);
}

// The objects that an address of a space may lie in, each with its condition.
void SymbolicThread::locate(Space space, Term address, Term condition, int depth, std::vector<Place2>& out) {
  if (terms_.isConstant(condition) && terms_.value(condition) == 0) return;
  const TermNode n = terms_[address];
  const auto at = [&](Object object, Term where) { out.push_back({condition, false, false, object, where}); };
  // A selected address, alone or in a sum.
  const auto chosen = [&](Term t, u64 factor) {
    const TermNode c = terms_[t];
    const Term rest = terms_.sub(address, terms_.mul(t, terms_.constant(factor, 64)));
    for (int k = 1; k <= 2; ++k) {
      const Term is = k == 1 ? c.arguments[0] : terms_.lnot(c.arguments[0]);
      const Term value = terms_.mul(c.arguments[static_cast<std::size_t>(k)], terms_.constant(factor, 64));
      locate(space, terms_.add(rest, value), terms_.both(condition, is), depth + 1, out);
    }
  };
  if (space == Space::Shared) return at({Object::Kind::Shared, 0}, address);
  if (space == Space::Local || space == Space::Param) {
    if (n.op == Op::Select && depth < 6) return chosen(address, 1);
    out.push_back({condition, space == Space::Local, space == Space::Param, {}, address});
    return;
  }
  int base = -1, bases = 0;
  bool foreign = false;
  Term pick = -1;
  const auto look = [&](Term t, u64 factor) {
    const TermNode& part = terms_[t];
    if (part.op == Op::Variable && part.name.starts_with("param+") && part.name.ends_with(".8") && factor == 1) {
      ++bases;
      base = std::stoi(part.name.substr(6));
    }
    if (part.op == Op::Select && factor == 1) pick = t;
    // A pointer read from memory.
    if (factor == 1 &&
        ((part.op == Op::Apply && part.name.starts_with("@")) ||
         (part.op == Op::Variable && part.name.find('#') != std::string::npos && !part.name.starts_with("trip"))))
      foreign = true;
  };
  u64 rest = 0;
  if (n.op == Op::Sum) {
    rest = n.value;
    for (std::size_t k = 0; k < n.arguments.size(); ++k) look(n.arguments[k], n.factors[k]);
  } else if (n.op == Op::Constant) {
    rest = n.value;
  } else {
    look(address, 1);
  }
  if (foreign) return at({}, address);
  if (rest >= kSharedWindow - kBufferStride && rest < kBuffers) bases = 0;  // a variable; the arguments are offsets
  if (bases == 1) {
    const Term pointer = terms_.variable(fmt::format("param+{}.8", base), 64, Terms::Scope::Launch);
    return at({Object::Kind::Argument, base}, terms_.sub(address, pointer));
  }
  if (bases == 0) {
    constexpr u64 kHalf = u64{1} << 31;
    const auto near = [&](u64 window) { return rest - window + kHalf < 2 * kHalf; };
    if (near(kSharedWindow))
      return at({Object::Kind::Shared, 0}, terms_.sub(address, terms_.constant(kSharedWindow, 64)));
    if (near(kLocalWindow)) {
      out.push_back({condition, true, false, {}, terms_.sub(address, terms_.constant(kLocalWindow, 64))});
      return;
    }
    const u64 number = (rest - kGlobals + kBufferStride / 2) / kBufferStride;
    if (rest + kBufferStride / 2 >= kGlobals && number < program_.globals.size())
      return at({Object::Kind::Global, static_cast<int>(number)},
                terms_.sub(address, terms_.constant(kGlobals + number * kBufferStride, 64)));
    if (pick >= 0 && depth < 6) return chosen(pick, 1);
  }
  at({}, address);
}

Term SymbolicThread::load(State& s, const Place2& at, int bytes, bool strong) {
  const int bits = bytes * 8;
  const std::vector<int> loops = loopsOf(s);
  if (at.parameter) {
    if (terms_.isConstant(at.address)) return parameter(static_cast<i64>(terms_.value(at.address)), bytes);
    return terms_.fresh("parameter", bits, Terms::Scope::Thread, loops);
  }
  if (at.local) {
    if (terms_.isConstant(at.address)) {
      const auto old = s.local.find(static_cast<i64>(terms_.value(at.address)));
      if (old != s.local.end() && old->second.first == bytes) return terms_.resize(old->second.second, bits);
    }
    return terms_.fresh("local", bits, Terms::Scope::Thread, loops);
  }
  if (at.object.kind == Object::Kind::Unknown) return terms_.fresh("unknown", bits, Terms::Scope::Thread, loops);
  const bool shared = at.object.kind == Object::Kind::Shared;
  const std::string object = fmt::format("@{}.{}", static_cast<int>(at.object.kind), at.object.index);
  const auto scope = shared ? Terms::Scope::Block : Terms::Scope::Launch;
  if (!written_.contains(at.object)) return terms_.apply(fmt::format("{}/{}", object, bits), bits, {at.address}, scope);
  if (strong) return terms_.fresh("strong", bits, Terms::Scope::Thread, loops);
  const auto last = s.stored.find(at.object);
  if (last != s.stored.end() && last->second.address == at.address && last->second.bytes == bytes)
    return last->second.value;
  // Without a race, threads that read an address between two barriers read the same.
  const auto version = s.version.find(at.object);
  return terms_.apply(
      fmt::format("{}/{}/{}.{}", object, bits, s.interval, version != s.version.end() ? version->second : 0), bits,
      {at.address}, Terms::Scope::Block, intervalLoops_[static_cast<std::size_t>(s.interval)]);
}

void SymbolicThread::memory(State& s, int pc, const Step& step, Term guard, Behaviour& out) {
  const Term base = read(s, step.ins[static_cast<std::size_t>(step.address)], 64);
  const Term start = terms_.add(base, terms_.constant(static_cast<u64>(step.offset), 64));
  const auto first = static_cast<std::size_t>(step.address) + 1;
  const int bits = step.width * 8;
  const bool loads = step.kind == Step::Kind::Load, stores = step.kind == Step::Kind::Store;
  if (step.width > 8)
    return fail(step, fmt::format("{} is not supported for arbitrary arguments", step.source->opcode.text));
  std::vector<Term> results;
  for (int k = 0; k < step.count; ++k) {
    const Term address = terms_.add(start, terms_.constant(static_cast<u64>(k) * static_cast<u64>(step.width), 64));
    std::vector<Place2> places;
    locate(step.space == Space::Const ? Space::Global : step.space, address, guard, 0, places);
    Term result = -1;
    Term value = -1;
    if (stores) {
      if (first + static_cast<std::size_t>(k) >= step.ins.size()) return fail(step, "a store needs its values");
      value = read(s, step.ins[first + static_cast<std::size_t>(k)], bits);
    }
    for (const Place2& at : places) {
      const bool always = terms_.isConstant(at.condition);
      if (at.local && !loads) {
        if (!stores) return fail(step, "an atomic operation on a local variable is not supported");
        if (!terms_.isConstant(at.address)) {
          s.local.clear();
          continue;
        }
        const i64 to = static_cast<i64>(terms_.value(at.address));
        Term stored = value;
        if (!always) stored = terms_.select(at.condition, value, load(s, at, step.width, false));
        for (i64 old = to - 16; old < to + step.width; ++old)
          if (const auto found = s.local.find(old); found != s.local.end() && old + found->second.first > to)
            s.local.erase(found);
        s.local[to] = {step.width, stored};
        continue;
      }
      if (loads) {
        Term loaded = load(s, at, step.width, step.strong);
        result = result < 0 ? loaded : terms_.select(at.condition, loaded, result);
        value = loaded;
      }
      if (at.local || at.parameter) continue;
      const auto kind = loads    ? SymbolicAccess::Kind::Load
                        : stores ? SymbolicAccess::Kind::Store
                                 : SymbolicAccess::Kind::Atomic;
      out.accesses.push_back({kind, pc, at.object, at.address, terms_.both(s.condition, at.condition),
                              value < 0 ? terms_.constant(0, bits) : value, step.width, s.interval});
      if (loads) continue;
      out.written.insert(at.object);
      s.version[at.object] = ++versions_;
      s.stored.erase(at.object);
      if (stores && always) s.stored[at.object] = {at.address, value, step.width};
    }
    if (loads) results.push_back(result < 0 ? terms_.constant(0, bits) : result);
    if (step.kind == Step::Kind::Atomic) results.push_back(terms_.fresh("atomic", bits, Terms::Scope::Thread));
  }
  for (std::size_t k = 0; k < results.size() && k < step.outs.size(); ++k) {
    Term value = results[k];
    if (step.isSigned && step.outBits > bits) value = terms_.widen(value, step.outBits, true);
    write(s, step, k, value, guard);
  }
}

}  // namespace tessera::kernel
