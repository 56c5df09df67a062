#include "solver/kernel/prove/two_threads.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>

#include "core/base/work_budget.h"

#ifdef TESSERA_HAVE_Z3
#include "solver/prove/z3/z3_check.h"
#endif

namespace tessera::kernel {

#ifdef TESSERA_HAVE_Z3

using Op = TermNode::Op;

struct TwoThreads::Solver {
  Solver(const Terms& t, const Launch& l, const prover::Budget& b) : check("QF_UFBV", b), terms(t), launch(l) {}

  prover::Z3Check check;
  const Terms& terms;
  const Launch& launch;
  Pairing pairing;
  std::unordered_map<Term, z3::expr> made[2];
  std::vector<std::pair<Term, z3::expr>> parameters;

  z3::context& context() { return check.context(); }

  // The name of a symbol in the copy of a thread.
  std::string nameIn(int copy, const std::string& name) {
    const SymbolScope& s = terms.symbol(name);
    using Scope = SymbolScope::Scope;
    bool own = s.scope == Scope::Thread || (s.scope == Scope::Block && pairing.otherBlock);
    if (pairing.nextTripOf != 0 && s.scope != Scope::Launch)
      own = own || std::find(s.loops.begin(), s.loops.end(), pairing.nextTripOf) != s.loops.end();
    return own ? fmt::format("{}!{}", name, copy) : name;
  }

  z3::expr constant(u64 value, int width) {
    return context().bv_val(static_cast<std::uint64_t>(value), static_cast<unsigned>(width));
  }
  static z3::expr truth(const z3::expr& bit, z3::context& c) { return bit == c.bv_val(1, 1); }
  z3::expr bit(const z3::expr& b) { return z3::ite(b, context().bv_val(1, 1), context().bv_val(0, 1)); }
  z3::expr holds(int copy, Term t) { return expr(copy, t) == context().bv_val(1, 1); }

  z3::expr expr(int copy, Term root) {
    // Arguments precede their terms.
    std::vector<Term> work{root};
    auto& done = made[copy];
    while (!work.empty()) {
      const Term t = work.back();
      if (done.contains(t)) {
        work.pop_back();
        continue;
      }
      const TermNode& n = terms[t];
      bool ready = true;
      for (const Term a : n.arguments)
        if (!done.contains(a)) {
          work.push_back(a);
          ready = false;
        }
      if (!ready) continue;
      work.pop_back();
      done.emplace(t, one(copy, t, n));
    }
    return done.at(root);
  }

  z3::expr one(int copy, Term t, const TermNode& n) {
    spend(1);
    const auto in = [&](std::size_t k) -> const z3::expr& { return made[copy].at(n.arguments[k]); };
    switch (n.op) {
      case Op::Constant:
        return constant(n.value, n.width);
      case Op::Variable: {
        const z3::expr v = context().bv_const(nameIn(copy, n.name).c_str(), static_cast<unsigned>(n.width));
        if (n.name.starts_with("param+") && copy == 0) parameters.emplace_back(t, v);
        return v;
      }
      case Op::Sum: {
        z3::expr out = constant(n.value, n.width);
        for (std::size_t k = 0; k < n.arguments.size(); ++k)
          out = out + (n.factors[k] == 1 ? in(k) : constant(n.factors[k], n.width) * in(k));
        return out;
      }
      case Op::Mul:
        return in(0) * in(1);
      case Op::DivU:
        return z3::udiv(in(0), in(1));
      case Op::DivS:
        return in(0) / in(1);
      case Op::RemU:
        return z3::urem(in(0), in(1));
      case Op::RemS:
        return z3::srem(in(0), in(1));
      case Op::And:
        return in(0) & in(1);
      case Op::Or:
        return in(0) | in(1);
      case Op::Xor:
        return in(0) ^ in(1);
      case Op::Not:
        return ~in(0);
      case Op::Shl:
        return z3::shl(in(0), in(1));
      case Op::ShrU:
        return z3::lshr(in(0), in(1));
      case Op::ShrS:
        return z3::ashr(in(0), in(1));
      case Op::Equal:
        return bit(in(0) == in(1));
      case Op::LessU:
        return bit(z3::ult(in(0), in(1)));
      case Op::LessS:
        return bit(z3::slt(in(0), in(1)));
      case Op::Select:
        return z3::ite(in(0) == context().bv_val(1, 1), in(1), in(2));
      case Op::Widen:
        return z3::zext(in(0), static_cast<unsigned>(n.width) - in(0).get_sort().bv_size());
      case Op::WidenSigned:
        return z3::sext(in(0), static_cast<unsigned>(n.width) - in(0).get_sort().bv_size());
      case Op::Bits:
        return in(0).extract(static_cast<unsigned>(n.value) + static_cast<unsigned>(n.width) - 1,
                             static_cast<unsigned>(n.value));
      case Op::Apply: {
        z3::sort_vector domain(context());
        z3::expr_vector arguments(context());
        for (std::size_t k = 0; k < n.arguments.size(); ++k) {
          domain.push_back(in(k).get_sort());
          arguments.push_back(in(k));
        }
        const std::string name = nameIn(copy, n.name);
        if (n.arguments.empty()) return context().bv_const(name.c_str(), static_cast<unsigned>(n.width));
        return context().function(name.c_str(), domain, context().bv_sort(static_cast<unsigned>(n.width)))(arguments);
      }
    }
    return constant(0, n.width);
  }

  // Two threads of the launch.
  void begin(const Pairing& p) {
    pairing = p;
    made[0].clear();
    made[1].clear();
    parameters.clear();
    check.solver().push();
    z3::expr sameThread = context().bool_val(true), sameBlock = context().bool_val(true);
    constexpr const char* kAxes[] = {"x", "y", "z"};
    for (std::size_t d = 0; d < 3; ++d) {
      const auto index = [&](const char* what, int copy, std::uint32_t extent, bool own) {
        const std::string name = fmt::format("{}.{}", what, kAxes[d]);
        const z3::expr v = context().bv_const((own ? fmt::format("{}!{}", name, copy) : name).c_str(), 32);
        check.solver().add(z3::ult(v, context().bv_val(extent, 32)));
        return v;
      };
      if (launch.block[d] > 1)
        sameThread = sameThread && index("tid", 0, launch.block[d], true) == index("tid", 1, launch.block[d], true);
      if (launch.grid[d] > 1)
        sameBlock = sameBlock &&
                    index("ctaid", 0, launch.grid[d], p.otherBlock) == index("ctaid", 1, launch.grid[d], p.otherBlock);
    }
    check.solver().add(p.otherBlock ? !sameBlock : !sameThread);
    if (p.trip >= 0) check.solver().add(expr(1, p.trip) == expr(0, p.trip) + constant(1, 64));
  }

  Answer end(std::vector<std::pair<Term, u64>>* arguments, std::array<Point, 2>* points = nullptr,
             const std::function<void(const z3::model&)>& look = {}) {
    const z3::check_result result = check.check(workOf(3));
    if (result == z3::sat && arguments != nullptr) {
      arguments->clear();
      const z3::model model = check.solver().get_model();
      if (look) look(model);
      if (points != nullptr) readPoints(model, *points);
      for (const auto& [t, v] : parameters) {
        std::uint64_t value = 0;
        if (model.eval(v, true).is_numeral_u64(value)) arguments->emplace_back(t, value);
      }
    }
    check.solver().pop();
    return result == z3::sat ? Answer::Yes : result == z3::unsat ? Answer::No : Answer::Unknown;
  }

  void readPoints(const z3::model& model, std::array<Point, 2>& points) {
    constexpr const char* kAxes[] = {"x", "y", "z"};
    for (int copy = 0; copy < 2; ++copy)
      for (std::size_t d = 0; d < 3; ++d) {
        const auto index = [&](const char* what, std::uint32_t extent, bool own) {
          if (extent == 1) return std::uint32_t{0};
          const std::string name = fmt::format("{}.{}", what, kAxes[d]);
          std::uint64_t value = 0;
          (void)model.eval(context().bv_const((own ? fmt::format("{}!{}", name, copy) : name).c_str(), 32), true)
              .is_numeral_u64(value);
          return static_cast<std::uint32_t>(value);
        };
        auto& p = points[static_cast<std::size_t>(copy)];
        p.thread[d] = index("tid", launch.block[d], true);
        p.block[d] = index("ctaid", launch.grid[d], pairing.otherBlock);
      }
  }

  z3::expr warpOf(int copy) {
    z3::expr linear = constant(0, 32);
    u64 stride = 1;
    constexpr const char* kNames[] = {"tid.x", "tid.y", "tid.z"};
    for (std::size_t d = 0; d < 3; ++d) {
      if (launch.block[d] > 1)
        linear = linear + constant(stride, 32) * context().bv_const(fmt::format("{}!{}", kNames[d], copy).c_str(), 32);
      stride *= launch.block[d];
    }
    return z3::lshr(linear, constant(5, 32));
  }
};

TwoThreads::TwoThreads(const Terms& terms, const Launch& launch, const prover::Budget& budget)
    : terms_(terms), solver_(std::make_unique<Solver>(terms, launch, budget)) {}
TwoThreads::~TwoThreads() = default;

TwoThreads::Answer TwoThreads::conflict(const SymbolicAccess& a, const std::vector<const SymbolicAccess*>& others,
                                        const Pairing& pairing, EqualWrites equal) {
  Solver& s = *solver_;
  s.begin(pairing);
  z3::expr any = s.context().bool_val(false);
  std::vector<z3::expr> each;
  for (const SymbolicAccess* b : others) {
    z3::expr overlap = s.context().bool_val(true);
    if (a.object.kind != Object::Kind::Unknown && b->object.kind != Object::Kind::Unknown) {
      const z3::expr x = s.expr(0, a.address), y = s.expr(1, b->address);
      overlap = z3::ult(y - x, s.constant(static_cast<u64>(a.bytes), 64)) ||
                z3::ult(x - y, s.constant(static_cast<u64>(b->bytes), 64));
      // A load agrees with a store if the thread reads what it stored itself.
      if (a.kind != SymbolicAccess::Kind::Atomic && b->kind != SymbolicAccess::Kind::Atomic && a.bytes == b->bytes &&
          equal != EqualWrites::Conflict &&
          (equal == EqualWrites::Agree || (!readsGlobal(a.value) && !readsGlobal(b->value))))
        overlap = overlap && !(x == y && s.expr(0, a.value) == s.expr(1, b->value));
    }
    each.push_back(s.holds(1, b->condition) && overlap);
    any = any || each.back();
  }
  s.check.solver().add(s.holds(0, a.condition) && any);
  return s.end(&arguments_, &points_, [&](const z3::model& model) {
    for (std::size_t k = 0; k < each.size(); ++k)
      if (model.eval(each[k], true).is_true()) {
        other_ = others[k];
        return;
      }
  });
}

bool TwoThreads::readsGlobal(Term root) const {
  return terms_.any(root, [](const TermNode& n) {
    return n.op == Op::Apply && n.name.starts_with("@") && !n.name.starts_with("@2");
  });
}

TwoThreads::Answer TwoThreads::differ(const Meeting& meeting, const std::vector<Term>& traps) {
  Solver& s = *solver_;
  s.begin({});
  s.check.solver().add(s.holds(0, meeting.condition) && !s.holds(1, meeting.reached));
  for (const Term t : traps) s.check.solver().add(!s.holds(1, t));
  if (meeting.warp) s.check.solver().add(s.warpOf(0) == s.warpOf(1));
  return s.end(&arguments_);
}

TwoThreads::Answer TwoThreads::possible(Term condition) {
  Solver& s = *solver_;
  s.begin({});
  s.check.solver().add(s.holds(0, condition));
  return s.end(nullptr);
}

TwoThreads::Answer TwoThreads::sameInBlock(Term condition, Term value) {
  Solver& s = *solver_;
  s.begin({});
  s.check.solver().add(s.holds(0, condition) && s.holds(1, condition) && s.expr(0, value) != s.expr(1, value));
  const Answer differs = s.end(nullptr);
  return differs == Answer::No ? Answer::Yes : differs == Answer::Yes ? Answer::No : Answer::Unknown;
}

#else

struct TwoThreads::Solver {};
TwoThreads::TwoThreads(const Terms& terms, const Launch&, const prover::Budget&) : terms_(terms) {}
TwoThreads::~TwoThreads() = default;
TwoThreads::Answer TwoThreads::conflict(const SymbolicAccess&, const std::vector<const SymbolicAccess*>&,
                                        const Pairing&, EqualWrites) {
  return Answer::Unknown;
}
TwoThreads::Answer TwoThreads::differ(const Meeting&, const std::vector<Term>&) { return Answer::Unknown; }
TwoThreads::Answer TwoThreads::possible(Term) { return Answer::Unknown; }
TwoThreads::Answer TwoThreads::sameInBlock(Term, Term) { return Answer::Unknown; }

#endif

}  // namespace tessera::kernel
