#include <chrono>
#include <functional>

#include "solver/graphene/running/run_kernel.h"
#include "solver/graphene/values/equation_check.h"
#include "solver/graphene/z3/z3_kernel.h"

namespace tessera::graphene {
namespace {

constexpr i64 kMostActivations = 1 << 16;

class InnerRun : public SpecRun {
 public:
  InnerRun(const Plan& plan, int number, const CheckOptions& options, Activations* before)
      : SpecRun(plan, number, options), before_(before) {
    activationsOf().begin(plan, number);
  }

  Known run(bool oneBlock) {
    if (spec_.spec->meaning) {
      equations_.emplace(*this);
    } else if (known_.generic) {
      known_.notStated = "the specification states no function";
    }
    if (anyStep(/*barriers=*/false, [](const Atom& a) { return a.async; }))
      known_.notStated = "its copies complete after it ends";
    if (anyStep(/*barriers=*/true, [](const Atom& a) { return a.box.has_value(); })) {
      known_.unknownAll("its barriers belong to the kernel, so it cannot run on its own");
      return std::move(known_);
    }
    std::vector<i64> loops(plan_.loops.size(), 0);
    for (i64 b = 0; b < (oneBlock ? 1 : kernel_.blocks) && !over_; ++b)
      eachLoop(b, 0, loops, [&] { activation(b, loops); });
    for (const Finding& f : machine_.findings()) known_.refute(f);
    if (!machine_.stopped().empty()) known_.unknownAll(machine_.stopped());
    if (equations_ && known_.notStated.empty()) equations_->conclude();
    std::string runs = fmt::format("{} activations were run", activations_);
    if (repeated_ > 0) runs += fmt::format(", the other {} are the same", repeated_);
    known_.proved.try_emplace(Obligation::Value, runs + how());
    known_.provedAll(runs);
    return std::move(known_);
  }

 private:
  // Whether a step inside is a barrier, or an instruction that passes the test.
  template <typename Test>
  [[nodiscard]] bool anyStep(bool barriers, const Test& test) const {
    for (std::size_t s = spec_.begin; s < spec_.end; ++s) {
      const PlanStep& step = plan_.steps[s];
      if (barriers && step.code == PlanStep::Code::Barrier) return true;
      if (step.code == PlanStep::Code::Leaf && test(plan_.leaves[step.index].atom)) return true;
    }
    return false;
  }

  // Visits all values of the enclosing loops. Not supported: bounds that differ between threads.
  void eachLoop(i64 block, std::size_t depth, std::vector<i64>& loops, const std::function<void()>& visit) {
    if (over_) return;
    if (depth == spec_.loops.size()) return visit();
    const auto index = static_cast<std::size_t>(spec_.loops[depth]);
    const PlanLoop& loop = plan_.loops[index];
    const i64 last = kernel_.threads - 1;
    const i64 lo = machine_.evaluate(loop.lo, block, 0, loops), hi = machine_.evaluate(loop.hi, block, 0, loops);
    if (lo != machine_.evaluate(loop.lo, block, last, loops) || hi != machine_.evaluate(loop.hi, block, last, loops)) {
      over_ = true;
      return known_.unknownAll(fmt::format("the bounds of {} differ between threads", loop.name));
    }
    for (i64 v = lo; v < hi && !over_; v += loop.step) {
      loops[index] = v;
      eachLoop(block, depth + 1, loops, visit);
    }
  }

  // The threads that reach the specification, by evaluating the enclosing conditions for each.
  std::vector<char> enabled(i64 block, const std::vector<i64>& loops) const {
    std::vector<std::pair<int, bool>> open;  // condition, and whether in its then branch
    for (std::size_t s = kernel_.begin; s < spec_.begin; ++s) {
      const PlanStep& step = plan_.steps[s];
      if (step.code == PlanStep::Code::If) open.emplace_back(step.index, true);
      if (step.code == PlanStep::Code::Else) open.back().second = false;
      if (step.code == PlanStep::Code::EndIf) open.pop_back();
    }
    std::vector<char> on(static_cast<std::size_t>(kernel_.threads), 1);
    for (const auto& [condition, first] : open)
      for (i64 t = 0; t < kernel_.threads; ++t) {
        bool met = true;
        for (const PlanComparison& c : plan_.conditions[condition])
          met = met && comparisonHolds(machine_.evaluate(c.left, block, t, loops), c.op,
                                       machine_.evaluate(c.right, block, t, loops));
        if (met != first) on[t] = 0;
      }
    return on;
  }

  // The groups of threads that execute it together.
  std::vector<std::vector<i64>> groups(i64 block, const std::vector<i64>& loops, const std::vector<char>& on) const {
    std::map<i64, std::vector<i64>> found;
    for (i64 t = 0; t < kernel_.threads; ++t) {
      if (on[t] == 0) continue;
      if (spec_.group < 0 || spec_.members.empty()) {
        found[t] = {t};
        continue;
      }
      const i64 offset = machine_.evaluate(spec_.group, block, t, loops);
      auto& group = found[offset];
      if (group.empty())
        for (const i64 m : spec_.members) group.push_back(offset + m);
    }
    std::vector<std::vector<i64>> out;
    for (auto& [key, group] : found) out.push_back(std::move(group));
    return out;
  }

  void activation(i64 block, const std::vector<i64>& loops) {
    const std::vector<char> on = enabled(block, loops);
    const bool again = !activationsOf().isNew(number_, block, loops, on);
    if (again && before_ != nullptr) return;
    ++(again ? repeated_ : activations_);
    if (activations_ + repeated_ > kMostActivations) {
      over_ = true;
      return known_.unknownAll("it has too many activations to run each one");
    }
    if (again) return;
    const auto teams = groups(block, loops, on);
    std::vector<std::vector<Elements>> operands;
    for (const auto& team : teams) {
      spend(64);
      std::vector<Elements> all;
      for (std::size_t k = 0; k < spec_.operands.size(); ++k) {
        auto e = elementsOf(plan_, machine_, spec_, k, block, team, loops);
        if (!e && known_.notStated.empty() && !equations_) known_.notStated = e.error().message;
        if (!e) e = placesOf(k, block, team, loops);
        for (const PlaceOf& p : e->place)
          if (p.address >= 0) machine_.set(e->root, block, p.thread, p.address, initial(e->root, block, p));
        for (const auto& [number, p] : e->replicas)  // replicas hold the same element
          machine_.set(e->root, block, p.thread, p.address, initial(e->root, block, e->place[number]));
        all.push_back(*std::move(e));
      }
      operands.push_back(std::move(all));
    }
    watch_.clear();
    machine_.runSpec(number_, block, loops, on);
    for (std::size_t t = 0; t < teams.size() && !over_; ++t) outcome(block, teams[t], operands[t], loops);
  }

  // Registers of several threads, by place only, thread after thread.
  Elements placesOf(std::size_t k, i64 block, const std::vector<i64>& team, const std::vector<i64>& loops) const {
    Elements out;
    out.root = spec_.operands[k].root;
    for (const i64 t : team)
      if (const auto e = placesByShape(machine_, spec_, k, block, t, loops))
        out.place.insert(out.place.end(), e->place.begin(), e->place.end());
    return out;
  }

  void outcome(i64 block, const std::vector<i64>& team, const std::vector<Elements>& operands,
               const std::vector<i64>& loops) {
    const Elements& out = operands[0];
    for (int k = 0; k < spec_.outputs; ++k) covered(block, operands[k]);
    if (!known_.notStated.empty() || known_.findings.count(Obligation::Value) != 0) return;
    if (equations_) return equations_->outcome(block, team, loops);
    const auto function = Function::of(*spec_.spec, operands);
    if (!function) {
      known_.open.try_emplace(Obligation::Value, function.error().message);
      return;
    }
    const Function::Read read = [&](std::size_t operand, i64 element) {
      const Elements& e = operands[operand];
      return initial(e.root, block, e.place[element]);
    };
    Function::Factors factors;
    const auto arrived = [&](i64 element, const PlaceOf& place) {
      if (written(out.root, block, place))
        judge(out.root, block, place, function->expected(terms_, element, read, factors));
    };
    for (std::size_t e = 0; e < out.place.size(); ++e) arrived(static_cast<i64>(e), out.place[e]);
    for (const auto& [e, place] : out.replicas) arrived(e, place);
  }

  // Decides O4 and O5 of one output.
  void covered(i64 block, const Elements& out) {
    const bool sums = functionOf(*spec_.spec) == SpecKind::MatMul || functionOf(*spec_.spec) == SpecKind::Reduction;
    for (const PlaceOf& p : out.place) {
      if (p.address < 0) continue;
      const std::uint8_t bits = watch_.at(out.root, block, p);
      if ((bits & Watch::Written) == 0) wrong(Obligation::Coverage, block, out.root, p, "is never written");
      if ((bits & Watch::WrittenTwice) != 0 && !sums && !known_.generic)
        wrong(Obligation::Uniqueness, block, out.root, p, "is written twice");
    }
  }
  void wrong(Obligation o, i64 block, int root, const PlaceOf& p, const char* what) {
    if (known_.findings.count(o) == 0) known_.refute(findingAt(o, root, block, p, what));
  }

  const PlanSpec& kernel_ = plan_.specs[spec_.kernel];
  [[nodiscard]] Activations& activationsOf() { return before_ != nullptr ? *before_ : own_; }

  Activations* before_;  // of runs at other sizes; may be null
  Activations own_{/*oneSize=*/true};
  std::optional<EquationCheck> equations_;
  i64 activations_ = 0, repeated_ = 0;  // that were run, and those that are the same
  bool over_ = false;
};

// Whether its instructions run only at some of the values that a size has in one run.
bool hasGuards(const Plan& plan, const PlanSpec& spec) {
  return std::any_of(plan.steps.begin() + static_cast<std::ptrdiff_t>(spec.begin),
                     plan.steps.begin() + static_cast<std::ptrdiff_t>(spec.end), [&](const PlanStep& s) {
                       if (s.code == PlanStep::Code::Loop) return plan.loops[s.index].guard >= 0;
                       return s.code == PlanStep::Code::If &&
                              std::ranges::any_of(plan.conditions[s.index],
                                                  [](const PlanComparison& c) { return c.guard >= 0; });
                     });
}

}  // namespace

void runInner(const Plan& plan, int kernel, const std::set<int>& alike, const KernelRun& how,
              const CheckOptions& options, std::map<int, std::vector<ObligationVerdict>>& out) {
  for (std::size_t s = 0; s < plan.specs.size(); ++s) {
    const auto number = static_cast<int>(s);
    if (number == kernel || plan.specs[s].kernel != kernel) continue;
    if (hasGuards(plan, plan.specs[s])) {
      Known known;
      known.unknownAll("conditions inside it depend on a size that has several values in one run");
      out[number] = known.verdicts();
      continue;
    }
    const auto begin = std::chrono::steady_clock::now();
    out[number] = InnerRun(plan, number, options, how.activations).run(alike.count(number) != 0).verdicts();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    for (ObligationVerdict& v : out[number]) v.seconds = seconds;
  }
}

}  // namespace tessera::graphene
