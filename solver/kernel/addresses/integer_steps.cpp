#include "solver/kernel/addresses/integer_steps.h"

#include <fmt/format.h>

#include <algorithm>

#include "solver/kernel/lanes/make.h"

namespace tessera::kernel {

using Op = TermNode::Op;
using ptx::Space;
using ptx::Type;

namespace {

bool isInteger(Type t) {
  return (t >= Type::B8 && t <= Type::B64) || (t >= Type::U8 && t <= Type::S64) || t == Type::Pred;
}

}  // namespace

std::vector<Term> IntegerSteps::specials(const Launch& launch) {
  using Scope = Terms::Scope;
  std::vector<Term> out(kSpecials, -1);
  const auto put = [&](Place p, u64 value) { out[static_cast<std::size_t>(p)] = terms_.constant(value, 32); };
  constexpr const char* kAxes[] = {"x", "y", "z"};
  Term linear = terms_.constant(0, 32);
  u64 stride = 1;
  for (int d = 0; d < 3; ++d) {
    const auto axis = static_cast<std::size_t>(d);
    const Term tid = launch.block[axis] == 1 ? terms_.constant(0, 32)
                                             : terms_.variable(fmt::format("tid.{}", kAxes[d]), 32, Scope::Thread);
    const Term block = launch.grid[axis] == 1 ? terms_.constant(0, 32)
                                              : terms_.variable(fmt::format("ctaid.{}", kAxes[d]), 32, Scope::Block);
    out[kTidX + axis] = tid;
    out[kCtaX + axis] = out[kClusterX + axis] = block;
    put(kNTidX + d, launch.block[axis]);
    put(kNCtaX + d, launch.grid[axis]);
    put(kNClusterX + d, launch.grid[axis]);
    put(kClusterNCtaX + d, 1);
    put(kClusterCtaX + d, 0);
    linear = terms_.add(linear, terms_.mul(tid, terms_.constant(stride, 32)));
    stride *= launch.block[axis];
  }
  put(kClusterCtaRank, 0);
  put(kClusterNCtaRank, 1);
  put(kExplicitCluster, 0);
  put(kNWarp, (stride + 31) / 32);
  out[kLane] = stride <= 32 ? linear : terms_.binary(Op::And, linear, terms_.constant(31, 32));
  out[kWarp] = stride <= 32 ? terms_.constant(0, 32) : terms_.binary(Op::ShrU, linear, terms_.constant(5, 32));
  const u64 shared = static_cast<u64>(program_.dynamicShared + launch.dynamicShared);
  put(kDynamicShared, static_cast<u64>(launch.dynamicShared));
  put(kTotalShared, shared);
  put(kAggrShared, shared);
  return out;
}

std::optional<std::vector<Term>> IntegerSteps::compute(const Step& step, const Read& read) {
  if (auto constants = folded(step, read)) return constants;
  return integers(step, read);
}

// Of constants: as the machine computes it.
std::optional<std::vector<Term>> IntegerSteps::folded(const Step& step, const Read& read) {
  const Operation& op = program_.operations[static_cast<std::size_t>(step.operation)];
  std::vector<Lanes> values(step.ins.size()), results(step.outs.size());
  std::vector<const Lanes*> in;
  std::vector<Lanes*> out;
  for (std::size_t k = 0; k < step.ins.size(); ++k) {
    const Term t = read(step.ins[k]);
    if (!terms_.isConstant(t)) return std::nullopt;
    values[k].fill(terms_.value(t) ^ (k < 32 ? step.inverted >> k & 1 : 0));
    in.push_back(&values[k]);
  }
  for (Lanes& r : results) out.push_back(&r);
  op.run({out.data(), in.data(), ~Mask{0}});
  std::vector<Term> terms;
  for (const Lanes& r : results) terms.push_back(terms_.constant(r[0], 64));
  return terms;
}

std::optional<std::vector<Term>> IntegerSteps::integers(const Step& step, const Read& read) {
  const ptx::Opcode& o = step.source->opcode;
  const std::string_view base = o.base();
  const Type type = o.type();
  if (!isInteger(type) || o.has("sat") || o.has("cc")) return std::nullopt;
  const int bits = ptx::bitsOf(type);
  const bool isSigned = type == Type::S8 || type == Type::S16 || type == Type::S32 || type == Type::S64;
  const auto in = [&](std::size_t k, int width) {
    const Term t = terms_.resize(read(step.ins[k]), width);
    return k < 32 && (step.inverted >> k & 1) != 0 ? terms_.lnot(t) : t;
  };
  const auto done = [](Term t) { return std::vector<Term>{t}; };
  const auto less = [&](Term a, Term b) { return terms_.binary(isSigned ? Op::LessS : Op::LessU, a, b); };
  if (base == "mov" && step.ins.size() == 1) return done(in(0, bits));
  if (base == "add") return done(terms_.add(in(0, bits), in(1, bits)));
  if (base == "sub") return done(terms_.sub(in(0, bits), in(1, bits)));
  if (base == "neg") return done(terms_.sub(terms_.constant(0, bits), in(0, bits)));
  if (base == "not") return done(terms_.lnot(in(0, bits)));
  if (base == "and") return done(terms_.binary(Op::And, in(0, bits), in(1, bits)));
  if (base == "or") return done(terms_.binary(Op::Or, in(0, bits), in(1, bits)));
  if (base == "xor") return done(terms_.binary(Op::Xor, in(0, bits), in(1, bits)));
  if (base == "mul" || base == "mad") {
    if (o.has("hi")) return std::nullopt;
    const bool wide = o.has("wide");
    const int to = wide ? 2 * bits : bits;
    Term product = terms_.mul(terms_.widen(in(0, bits), to, isSigned), terms_.widen(in(1, bits), to, isSigned));
    if (base == "mad") product = terms_.add(product, in(2, to));
    return done(product);
  }
  if ((base == "mul24" || base == "mad24") && o.has("lo")) {
    const auto low = [&](std::size_t k) { return terms_.widen(in(k, 24), 32, isSigned); };
    const Term product = terms_.mul(low(0), low(1));
    return done(base == "mad24" ? terms_.add(product, in(2, 32)) : product);
  }
  if (base == "shl" || base == "shr") {
    const int wide = std::max(bits, 32);
    const Term a = terms_.widen(in(0, bits), wide, isSigned), by = terms_.widen(in(1, 32), wide, false);
    const Op op = base == "shl" ? Op::Shl : isSigned ? Op::ShrS : Op::ShrU;
    return done(terms_.bits(terms_.binary(op, a, by), 0, bits));
  }
  if (base == "min" || base == "max") {
    const Term a = in(0, bits), b = in(1, bits);
    return done(base == "min" ? terms_.select(less(b, a), b, a) : terms_.select(less(a, b), b, a));
  }
  if (base == "abs") {
    const Term a = in(0, bits), zero = terms_.constant(0, bits);
    return done(terms_.select(terms_.binary(Op::LessS, a, zero), terms_.sub(zero, a), a));
  }
  if (base == "div" || base == "rem") {
    const Term a = in(0, bits), b = in(1, bits);
    // The result of a division by zero is not specified.
    const bool known = terms_.isConstant(b) ? terms_.value(b) != 0 : division_ == Division::ByTerms;
    if (!known) return std::nullopt;
    return done(
        terms_.binary(base == "div" ? (isSigned ? Op::DivS : Op::DivU) : (isSigned ? Op::RemS : Op::RemU), a, b));
  }
  if (base == "selp") return done(terms_.select(in(2, 1), in(0, bits), in(1, bits)));
  if (base == "bfe") {
    const Term a = in(0, bits), from = in(1, 32), count = in(2, 32);
    if (!terms_.isConstant(from) || !terms_.isConstant(count)) return std::nullopt;
    const int at = static_cast<int>(terms_.value(from) & 255), n = static_cast<int>(terms_.value(count) & 255);
    if (n == 0) return done(terms_.constant(0, bits));
    if (at + n > bits) return std::nullopt;
    return done(terms_.widen(terms_.bits(a, at, n), bits, isSigned));
  }
  if (base == "bfi") {
    const Term a = in(0, bits), b = in(1, bits), from = in(2, 32), count = in(3, 32);
    if (!terms_.isConstant(from) || !terms_.isConstant(count)) return std::nullopt;
    const u64 at = terms_.value(from) & 255, n = terms_.value(count) & 255;
    if (n == 0) return done(b);
    if (at + n > static_cast<u64>(bits)) return std::nullopt;
    const u64 mask = maskOf(static_cast<int>(n)) << at;
    const Term field =
        terms_.binary(Op::And, terms_.mul(a, terms_.constant(u64{1} << at, bits)), terms_.constant(mask, bits));
    return done(terms_.binary(Op::Or, terms_.binary(Op::And, b, terms_.constant(~mask, bits)), field));
  }
  if (base == "cvt") {
    const Type to = o.type(1);
    if (!isInteger(to) || o.types().size() != 2) return std::nullopt;
    const int width = ptx::bitsOf(to);
    const bool toSigned = to == Type::S8 || to == Type::S16 || to == Type::S32;
    const Term t = terms_.resize(in(0, bits), width, isSigned);
    // A narrow result in a wider register is extended by its sign.
    return done(toSigned && step.outBits > width ? terms_.widen(t, step.outBits, true) : t);
  }
  if (base == "lop3" && step.ins.size() >= 4) {
    const Term table = in(3, 32);
    if (!terms_.isConstant(table) || step.outs.size() > 1) return std::nullopt;
    Term out = terms_.constant(0, bits);
    for (u64 row = 0; row < 8; ++row) {
      if ((terms_.value(table) >> row & 1) == 0) continue;
      Term term = terms_.constant(~u64{0}, bits);
      for (std::size_t k = 0; k < 3; ++k) {
        const Term a = in(k, bits);
        term = terms_.binary(Op::And, term, (row >> (2 - k) & 1) != 0 ? a : terms_.lnot(a));
      }
      out = terms_.binary(Op::Or, out, term);
    }
    return done(out);
  }
  if (base == "setp") {
    const Term a = in(0, bits), b = in(1, bits);
    const auto compare = [&](std::string_view name) -> Term {
      if (name == "eq") return terms_.binary(Op::Equal, a, b);
      if (name == "ne") return terms_.lnot(terms_.binary(Op::Equal, a, b));
      const bool unsignedName = name == "lo" || name == "ls" || name == "hi" || name == "hs";
      const auto under = [&](Term x, Term y) {
        return terms_.binary(isSigned && !unsignedName ? Op::LessS : Op::LessU, x, y);
      };
      if (name == "lt" || name == "lo") return under(a, b);
      if (name == "le" || name == "ls") return terms_.lnot(under(b, a));
      if (name == "gt" || name == "hi") return under(b, a);
      if (name == "ge" || name == "hs") return terms_.lnot(under(a, b));
      return -1;
    };
    const Term truth = o.parts.size() > 1 ? compare(o.parts[1]) : -1;
    if (truth < 0) return std::nullopt;
    const Term with = step.ins.size() > 2 ? in(2, 1) : terms_.truth(true);
    const auto combined = [&](Term t) {
      return o.has("or")    ? terms_.either(t, with)
             : o.has("xor") ? terms_.binary(Op::Xor, t, with)
                            : terms_.both(t, with);
    };
    const bool combines = o.has("and") || o.has("or") || o.has("xor");
    const Term other = terms_.lnot(truth);
    return std::vector<Term>{combines ? combined(truth) : truth, combines ? combined(other) : other};
  }
  return std::nullopt;
}

std::vector<Term> IntegerSteps::pack(const Step& step, const Read& read) {
  const int bits = ptx::bitsOf(step.type);
  const int from = bits / static_cast<int>(step.ins.size()), to = bits / static_cast<int>(step.outs.size());
  std::vector<Term> results;
  for (std::size_t k = 0; k < step.outs.size(); ++k) {
    Term out = terms_.constant(0, to);
    for (std::size_t j = 0; j < step.ins.size(); ++j) {
      const int low = static_cast<int>(j) * from - static_cast<int>(k) * to;  // of this piece in the result
      if (low >= to || low + from <= 0) continue;
      Term piece = terms_.resize(read(step.ins[j]), from);
      if (low < 0) piece = terms_.bits(piece, -low, from + low);
      piece = terms_.resize(piece, to);
      out = terms_.add(out, terms_.mul(piece, terms_.constant(u64{1} << std::max(low, 0), to)));
    }
    results.push_back(out);
  }
  return results;
}

std::optional<std::vector<Term>> IntegerSteps::convert(const Step& step, const Read& read) {
  const u64 window = step.space == Space::Shared  ? kSharedWindow
                     : step.space == Space::Local ? kLocalWindow
                     : step.space == Space::Param ? kParamWindow
                                                  : 0;
  const Term a = terms_.resize(read(step.ins[0]), 64);
  const auto done = [](Term t) { return std::vector<Term>{t}; };
  if (step.source->opcode.base() == "isspacep") {
    if (!terms_.isConstant(a)) return std::nullopt;
    const bool is = window != 0 ? terms_.value(a) >> 32 == window >> 32
                                : terms_.value(a) >= kGlobals && step.space == Space::Global;
    return done(terms_.truth(is));
  }
  if (window == 0) return done(a);
  const Term low = terms_.widen(terms_.bits(a, 0, 32), 64, false);
  return done(step.isSigned ? low : terms_.add(low, terms_.constant(window, 64)));
}

}  // namespace tessera::kernel
