#include "solver/prove/z3/smt_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/work_budget.h"
#include "solver/prove/prove.h"

#ifdef TESSERA_HAVE_Z3
#include "solver/prove/z3/z3_check.h"
#include "solver/prove/z3/z3_translate.h"
#endif

namespace tessera {

namespace prover {

using smt::Status;
using smt::Term;

namespace {

constexpr const char* kNoZ3 = "this build has no Z3";
constexpr double kTextShare = 0.1;  // of the remaining work, if there is only text to write

}  // namespace

#ifdef TESSERA_HAVE_Z3

namespace {

constexpr Work kMinimiseWork = workOf(0.15);

// The result of `ask`, with Z3's exceptions as SmtFailure.
template <typename Ask>
auto asked(const Ask& ask) {
  try {
    return ask();
  } catch (const z3::exception& e) {
    throw SmtFailure{e.msg()};
  }
}

std::optional<i64> valueIn(const z3::model& model, const z3::expr& term) {
  const z3::expr v = model.eval(term, true);
  if (v.is_bv()) {
    u64 u = 0;
    if (!v.is_numeral_u64(u)) return std::nullopt;
    return static_cast<i64>(u);
  }
  i64 i = 0;
  if (!v.is_numeral_i64(i)) return std::nullopt;
  return i;
}

}  // namespace

struct SmtSolver::Z3 {
  Z3(const smt::Terms& terms, const std::string& logic, const Budget& its)
      : budget(its), z3(logic, its), translation(z3.context(), terms) {}

  static std::unique_ptr<Z3> create(const smt::Terms& terms, const std::string& logic, const Budget& budget) {
    return asked([&] { return std::make_unique<Z3>(terms, logic, budget); });
  }
  void add(Term condition) {
    asked([&] { z3.solver().add(translation.of(condition)); });
  }
  void push() {
    asked([&] { z3.solver().push(); });
  }
  void pop(int terms) {
    asked([&] { z3.solver().pop(); });
    translation.rewind(terms);
  }
  Status check(Work most, std::string& reason) {
    return asked([&] {
      const z3::check_result result = z3.check(most);
      if (result == z3::sat) model = z3.solver().get_model();
      reason = z3.reason();
      return result == z3::sat ? Status::Sat : result == z3::unsat ? Status::Unsat : Status::Unknown;
    });
  }
  std::optional<i64> value(Term t) {
    return asked([&] { return valueIn(*model, translation.of(t)); });
  }
  void minimise(const std::vector<Term>& terms) {
    asked([&] {
      const Budget own(std::min(kMinimiseWork, budget.share(0.25)), nullptr);
      for (const Term t : terms)
        if (own.spent() || budget.spent() || !shrink(translation.of(t), own)) return;
    });
  }
  // Shrinks one term to its least value, by bisection; false if Z3 gave up.
  bool shrink(const z3::expr& term, const Budget& own) {
    i64 lo = 0;
    i64 hi = valueIn(*model, term).value_or(0);
    const auto number = [&](i64 v) {
      return term.is_bv() ? z3.context().bv_val(v, term.get_sort().bv_size()) : z3.context().int_val(v);
    };
    while (lo < hi && !own.spent() && !budget.spent()) {
      const i64 middle = lo + (hi - lo) / 2;
      z3.solver().push();
      z3.solver().add(term <= number(middle));
      const z3::check_result result = z3.check(own.remaining());
      if (result == z3::sat) {
        model = z3.solver().get_model();
        hi = std::min(middle, valueIn(*model, term).value_or(middle));
      }
      z3.solver().pop();
      if (result == z3::unknown) return false;
      if (result == z3::unsat) lo = middle + 1;
    }
    z3.solver().add(term <= number(hi));
    return true;
  }

  const Budget& budget;
  Z3Check z3;
  Z3Translation translation;
  std::optional<z3::model> model = {};  // of the last satisfiable check
};

#else

struct SmtSolver::Z3 {
  static std::unique_ptr<Z3> create(const smt::Terms&, const std::string&, const Budget&) {
    return std::make_unique<Z3>();
  }
  void add(Term) {}
  void push() {}
  void pop(int) {}
  Status check(Work, std::string& reason) {
    reason = kNoZ3;
    return Status::Unknown;
  }
  std::optional<i64> value(Term) { return std::nullopt; }
  void minimise(const std::vector<Term>&) {}
};

#endif

SmtSolver::SmtSolver(smt::Terms& terms, std::string logic, const Budget& budget)
    : terms_(terms), question_{std::move(logic)}, z3_(Z3::create(terms_, question_.logic, budget)) {}

SmtSolver::~SmtSolver() = default;

void SmtSolver::add(Term condition) {
  question_.conditions.push_back(condition);
  z3_->add(condition);
}

void SmtSolver::push() {
  levels_.push_back({question_.conditions.size(), terms_.size()});
  z3_->push();
}

void SmtSolver::pop() {
  const Level level = levels_.back();
  levels_.pop_back();
  z3_->pop(level.terms);
  terms_.rewind(level.terms);
  question_.conditions.resize(level.conditions);
}

Status SmtSolver::check(Work most) { return question_.status = z3_->check(most, reason_); }
std::optional<i64> SmtSolver::value(Term t) { return z3_->value(t); }
void SmtSolver::minimise(const std::vector<Term>& terms) { z3_->minimise(terms); }

std::string SmtSolver::text(std::string ifSat, std::string ifUnsat) const {
  smt::Question whole = question_;
  whole.ifSat = std::move(ifSat);
  whole.ifUnsat = std::move(ifUnsat);
  return smtText(terms_, whole);
}

std::vector<i64> atomValues(const Normal& normal, SmtSolver& solver, const std::vector<Term>& copy) {
  std::vector<i64> values(normal.atoms().size(), 0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const AtomKind kind = normal.atoms()[k].kind;
    if (kind == AtomKind::Part || kind == AtomKind::Param) values[k] = solver.value(copy[k]).value_or(-1);
  }
  return values;
}

namespace {

// "; 2 questions for another solver as SMT-LIB text".
std::string asText(const Answer& a) {
  const auto written =
      std::count_if(a.smt2.begin(), a.smt2.end(), [](const auto& f) { return smt::isWritten(f.second); });
  const auto plural = [](auto n) { return n == 1 ? "" : "s"; };
  const auto longer = static_cast<std::ptrdiff_t>(a.smt2.size()) - written;
  std::string out;
  if (written > 0) out += fmt::format("; {} question{} for another solver as SMT-LIB text", written, plural(written));
  if (longer > 0)
    out += fmt::format("; {} question{} longer than {} bytes as SMT-LIB text", longer, plural(longer), smt::kMostText);
  return out;
}

}  // namespace

Answer bySmt(bool wantsText, const Budget& budget, const std::function<Answer()>& ask) {
  try {
    if (haveZ3()) return ask();
    if (!wantsText) return unknown("Z3", kNoZ3);
    const WorkBudget own({.steps = budget.share(kTextShare)});
    Answer a = ask();
    a.method = "Z3";
    a.detail += asText(a);
    return a;
  } catch (const SmtFailure& e) {
    return unknown("Z3", e.message);
  } catch (const OutOfBudget& end) {
    if (haveZ3() || !end.counted()) throw;
    return unknown("Z3", fmt::format("{}, and its questions take too long to write", kNoZ3));
  }
}

}  // namespace prover

#ifdef TESSERA_HAVE_Z3
bool haveZ3() { return true; }
#else
bool haveZ3() { return false; }
#endif

}  // namespace tessera
