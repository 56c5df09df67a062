#include "solver/graphene/sizes/every_size.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "core/base/page.h"
#include "core/base/work_budget.h"
#include "core/expr/walk.h"
#include "core/graphene/assumptions.h"
#include "core/graphene/walk.h"
#include "core/graphene/with_sizes.h"
#include "solver/graphene/running/run_kernel.h"
#include "solver/graphene/running/run_state.h"
#include "solver/graphene/sizes/cut.h"
#include "solver/graphene/sizes/kernel_alone.h"
#include "solver/graphene/sizes/own_inputs.h"
#include "solver/graphene/sizes/separate_sizes.h"
#include "solver/graphene/sizes/spec_growth.h"
#include "solver/graphene/sizes/split_tensors.h"
#include "solver/graphene/sizes/step_order.h"
#include "solver/graphene/z3/z3_kernel.h"

namespace tessera::graphene {
namespace {

using Verdicts = std::vector<std::vector<ObligationVerdict>>;  // by sites.specs

constexpr i64 kMostRuns = 96;

// Sizes that may refute, if the text gives no law: all equal, then all different.
constexpr i64 kSamples[] = {1, 2, 3, 7, 40, 300};
constexpr double kSampleShare = 0.25;  // share of the work, for all samples
constexpr Work kMostSampleWork = workOf(5);
constexpr i64 kLeastShown = 2;  // blocks and steps differ
constexpr i64 kMostSamplePlaces = i64{1} << 17;

std::vector<Sizes> samplesOf(const Program& program) {
  std::vector<Sizes> out;
  constexpr std::size_t count = std::size(kSamples);
  for (const std::size_t apart : {std::size_t{0}, std::size_t{1}})
    for (std::size_t first = 0; first < count; ++first) {
      Sizes sizes;
      std::size_t next = first;
      for (const Variable& v : program.variables)
        if (v.kind == Variable::Kind::Size && sizes.try_emplace(v.sizeName(), kSamples[next % count] * v.unit).second)
          next += apart;
      if (apart == 0 || sizes.size() > 1) out.push_back(std::move(sizes));
    }
  return out;
}

bool isSmall(const Plan& plan) {
  i64 places = 0;
  for (const Root& r : plan.roots) {
    if (r.places > kMostSamplePlaces || r.copies > kMostSamplePlaces) return false;
    places += r.places * r.copies;
  }
  return places <= kMostSamplePlaces && plan.blocks * plan.threads <= kMostSamplePlaces;
}

bool isRefuted(const ObligationVerdict& v) { return v.standing == Standing::Refuted; }

// A program with numbers for its sizes, and its plan.
struct SizedProgram {
  // `guards`: sizes that have all values up to the given one.
  SizedProgram(const Program& symbolic, const Sizes& sizes, const std::string& architecture,
               const std::vector<PlanGuard>& guards)
      : program(atSizes(symbolic, sizes)),
        open(guards.empty() ? Program() : atSizes(symbolic, without(symbolic, sizes, guards))),
        sites(sitesOf(program, architecture)),
        plan(makePlan(program, {{}, architecture, guards, &open})) {}
  SizedProgram(const SizedProgram&) = delete;

  static Sizes without(const Program& symbolic, Sizes sizes, const std::vector<PlanGuard>& guards) {
    for (const PlanGuard& g : guards) sizes.erase(symbolic.variables[g.variable].sizeName());
    return sizes;
  }

  // Also at sizes that the program excludes, where induction may begin.
  static Program atSizes(const Program& symbolic, const Sizes& sizes) {
    Program out = withSizes(symbolic, sizes);
    out.assumptions.clear();
    return out;
  }
  // Of a specification, in plan->specs; -1: it is not in the plan.
  [[nodiscard]] int numberOf(int spec) const {
    for (std::size_t s = 0; s < plan->specs.size(); ++s)
      if (plan->specs[s].spec == sites.specs[spec].spec) return static_cast<int>(s);
    return -1;
  }
  // Of a storage, in plan->roots; -1: none. Both list the data tensors in the order of the text.
  [[nodiscard]] int rootOf(int storage) const {
    if (sites.of(storage).declared.threads) return -1;
    const auto before = std::count_if(sites.storage.begin(), sites.storage.begin() + storage,
                                      [](const Storage& s) { return !s.declared.threads; });
    const auto root = static_cast<std::size_t>(before);
    const bool same = root < plan->roots.size() && plan->roots[root].tensor.name == sites.of(storage).declared.name;
    return same ? static_cast<int>(root) : -1;
  }

  Program program, open;
  Sites sites;
  Result<Plan> plan;
};

// The obligations of one specification over all runs.
class Gathered {
 public:
  void take(const std::vector<ObligationVerdict>& verdicts, const std::string& sizes) {
    for (const ObligationVerdict& v : verdicts) {
      auto [at, first] = all_.try_emplace(v.obligation, v);
      ObligationVerdict& have = at->second;
      if (!first) {
        have.seconds += v.seconds;
        const auto worse = [](Standing s) { return s == Standing::Refuted ? 2 : s == Standing::Unknown ? 1 : 0; };
        if (worse(v.standing) <= worse(have.standing)) continue;
        const double seconds = have.seconds;
        have = v;
        have.seconds = seconds;
      }
      if (have.standing == Standing::Unknown || have.standing == Standing::Refuted) {
        have.reason = fmt::format("{} (with {})", v.reason, sizes);
        if (have.finding) have.finding->message = have.reason;
      }
    }
  }
  [[nodiscard]] bool unknown() const {
    return std::ranges::any_of(all_, [](const auto& o) { return o.second.standing == Standing::Unknown; });
  }
  [[nodiscard]] bool refuted() const {
    return std::ranges::any_of(all_, [](const auto& o) { return o.second.standing == Standing::Refuted; });
  }
  // What the runs leave open is open; what they prove is proved with `proof`, or open with `obstacle`.
  [[nodiscard]] std::vector<ObligationVerdict> verdicts(const std::string& obstacle,
                                                        const std::map<Obligation, std::string>& open,
                                                        const std::string& proof) const {
    std::vector<ObligationVerdict> out;
    for (const auto& [obligation, verdict] : all_) {
      ObligationVerdict v = verdict;
      v.method = "induction";
      const auto own = open.find(v.obligation);
      const std::string why = obstacle.empty() && own != open.end() ? own->second : obstacle;
      if (v.standing == Standing::Proved) {
        v.standing = why.empty() ? Standing::Proved : Standing::Unknown;
        v.reason = why.empty() ? proof : why;
      }
      out.push_back(std::move(v));
    }
    return out;
  }

 private:
  std::map<Obligation, ObligationVerdict> all_;
};

// Passes one run to several witnesses of the same loops.
class Witnesses : public Witness {
 public:
  void add(std::unique_ptr<Witness> one) { all_.push_back(std::move(one)); }
  void begins(const Machine<Terms>& machine) override {
    for (const auto& w : all_) w->begins(machine);
  }
  [[nodiscard]] int loopOfLeaf(int leaf) const override { return all_.front()->loopOfLeaf(leaf); }
  [[nodiscard]] int loopOfStep(std::size_t step) const override { return all_.back()->loopOfStep(step); }
  [[nodiscard]] bool wants(int root) const override {
    return std::ranges::any_of(all_, [&](const auto& w) { return w->wants(root); });
  }
  void touch(const Touched& t) override {
    for (const auto& w : all_)
      if (w->wants(t.root)) w->touch(t);
  }
  void signal(const Signal& s) override {
    for (const auto& w : all_) w->signal(s);
  }
  void compared(Terms::Value expected, Terms::Value actual) override {
    for (const auto& w : all_) w->compared(expected, actual);
  }
  void ended(Terms& terms) override {
    for (const auto& w : all_) w->ended(terms);
  }

 private:
  std::vector<std::unique_ptr<Witness>> all_;
};

class Induction {
 public:
  // `form`: how this kernel differs from that of the program.
  Induction(const Sites& sites, int kernel, const CheckOptions& options, const prover::Budget& budget,
            std::string form = "")
      : sites_(sites),
        kernel_(kernel),
        options_(options),
        budget_(budget),
        gathered_(sites.specs.size()),
        form_(std::move(form)) {}

  void run(Verdicts& out) {
    laws();
    if (obstacle_.empty() || !isProvedInAnotherForm(out)) decide(out);
  }

 private:
  // Runs at the sizes that the laws require.
  void decide(Verdicts& out) {
    const bool lawful = obstacle_.empty();
    if (lawful) runAll();
    // A run for many sizes at once refutes nothing.
    const bool open = !obstacle_.empty() || std::ranges::any_of(gathered_, &Gathered::unknown);
    if (!lawful || (!guards_.empty() && open)) samples();
    // The laws require that everything holds at the sizes that were run.
    if (obstacle_.empty() && std::ranges::any_of(gathered_, &Gathered::refuted))
      obstacle_ = "not decided for every size, because another obligation is refuted";
    for (std::size_t k = 0; k < sites_.specs.size(); ++k) {
      if (sites_.specs[k].leaf >= 0 || sites_.kernelOf(k) != static_cast<std::size_t>(kernel_)) continue;
      const bool whole = static_cast<int>(k) == kernel_;
      out[k] = gathered_[k].verdicts(obstacle_, whole ? open_ : innerOpen(k), proof());
      if (!out[k].empty() || obstacle_.empty()) continue;
      Known none;
      none.unknownAll(obstacle_);
      out[k] = none.verdicts();
    }
  }

  // Whether a kernel whose proof proves this one has laws, and holds. Then these are the verdicts.
  bool isProvedInAnotherForm(Verdicts& out) {
    if (kIsPage) return false;  // it has no other forms
    if (const auto split = withSplitTensors(sites_, kernel_))
      if (isProvedAs(*split, "with dimensions of inputs split in two", out)) return true;
    Program apart = kernelAlone(sites_, kernel_);
    bool changed = false;
    const auto take = [&](std::optional<Program> next) {
      if (!next) return;
      apart = *std::move(next);
      changed = true;
    };
    for (const int size : sizesOf(sites_)) {
      take(withOwnInputs(sitesOf(apart, options_.architecture), size, options_.architecture));
      take(withSeparateSizes(sitesOf(apart, options_.architecture), size));
    }
    return changed && isProvedAs(apart, "as a kernel in which these need not be equal", out);
  }
  // `form`: the kernel alone.
  bool isProvedAs(const Program& form, const std::string& how, Verdicts& out) {
    shows_ = std::max(shows_, kLeastShown);
    const Sites sites = sitesOf(form, options_.architecture);
    Induction other(sites, 0, options_, budget_, how);
    other.laws();
    if (!other.obstacle_.empty()) return false;
    Verdicts found(sites.specs.size());
    other.decide(found);
    for (const auto& verdicts : found)
      for (const ObligationVerdict& v : verdicts) {
        if (v.standing == Standing::Proved || v.standing == Standing::NotStated) continue;
        // A refutation of the form is none of this kernel, but its sizes may show one.
        if (v.standing == Standing::Unknown) obstacle_ = fmt::format("{} ({})", v.reason, how);
        for (const Growth& g : other.growths_) shows_ = std::max(shows_, g.most());
        return false;
      }
    std::move(found.begin(), found.end(), out.begin() + kernel_);
    return true;
  }

  [[nodiscard]] const Variable& variableOf(int v) const { return sites_.program->variables[v]; }
  [[nodiscard]] std::string nameOf(int variable) const {
    const Variable& v = variableOf(variable);
    return v.kind == Variable::Kind::Size ? v.sizeName() : v.name;
  }
  // "C <= 512, R = 1": in a proof, sizes with guards have every value up to this.
  [[nodiscard]] std::string textOf(const Sizes& sizes, bool proves) const {
    std::vector<std::string> out;
    for (const auto& size : sizes) {
      const bool atOnce =
          proves && std::ranges::any_of(guards_, [&](const PlanGuard& g) { return nameOf(g.variable) == size.first; });
      out.push_back(fmt::format("{} {} {}", size.first, atOnce ? "<=" : "=", size.second));
    }
    return fmt::format("{}", fmt::join(out, ", "));
  }
  [[nodiscard]] i64 unitOf(const Growth& g) const { return variableOf(g.size).unit; }

  // ---- the laws of the sizes

  void laws() {
    for (const int size : sizesOf(sites_)) {
      auto growth = growthOf(sites_, kernel_, size);
      if (!growth) {
        obstacle_ = fmt::format("by induction over {}: {}", nameOf(size), growth.error().message);
        obstacleOf_ = size;
        return;
      }
      growths_.push_back(*std::move(growth));
      if (const Growth& g = growths_.back(); g.guarded > 0) guards_.push_back({g.size, g.guarded, g.blocks != 0});
    }
    const Z3Kernel z3(sites_, kernel_, budget_);
    for (const int storage : z3.outputs())
      if (!z3.injective(storage))
        obstacle_ = fmt::format("{} may have two elements at one address at some size",
                                graphene::nameOf(sites_.of(storage).declared));
    for (const Growth& g : growths_) {
      if (g.bound > 0) continue;  // all are run
      auto follows = g.blocks != 0 ? specFollowsBlocks(sites_, kernel_, g) : Result<void>{};
      const bool all = g.guarded > 0 && g.blocks == 0;  // run at once
      if (follows && g.loops.variables.empty() && !all) follows = specStays(sites_, kernel_, g);
      if (!follows)
        open_[Obligation::Value] = fmt::format("by induction over {}: {}", nameOf(g.size), follows.error().message);
    }
    i64 runs = 1;
    for (const Growth& g : growths_) runs *= g.guarded > 0 ? 1 : g.most();
    if (runs > kMostRuns) obstacle_ = fmt::format("induction needs runs at {} sizes, more than {}", runs, kMostRuns);
  }

  // A specification inside the growing loop is about one step; one around it about all, and its values are open.
  [[nodiscard]] std::map<Obligation, std::string> innerOpen(std::size_t spec) const {
    std::map<Obligation, std::string> out;
    for (const Growth& g : growths_)
      for (Walk walk(sites_.specs[spec].spec->body); const Statement* s = walk.next();)
        if (const auto* loop = std::get_if<Loop>(&s->what);
            loop != nullptr && std::ranges::find(g.loops.variables, loop->variable) != g.loops.variables.end()) {
          out = open_;
          out[Obligation::Value] =
              fmt::format("no invariant of {} is known for a specification inside the kernel", nameOf(loop->variable));
        }
    return out;
  }

  [[nodiscard]] std::string proof() const {
    std::vector<std::string> names, laws;
    for (const Growth& g : growths_) {
      names.push_back(nameOf(g.size));
      const i64 unit = unitOf(g);
      if (g.guarded > 0)
        laws.push_back(fmt::format("{} = {} to {} were run at once{}", nameOf(g.size), unit, unit * g.guarded,
                                   g.blocks == 0 ? "" : ", and blocks along it are shifts of these"));
      else if (g.repeats >= 0)
        laws.push_back(fmt::format("iterations of {} are shifts of the first", nameOf(g.repeats)));
      else if (g.bound > 0)
        laws.push_back(fmt::format("{} = {} to {} were run", nameOf(g.size), unit, unit * g.bound));
      else if (!g.loops.variables.empty())
        laws.push_back(fmt::format("{0} = {1} to {2} were run, and from {0} = {3} on {4}", nameOf(g.size), unit,
                                   unit * g.most(), unit * g.from, repeats(g)));
      else
        laws.push_back(fmt::format("blocks along {} are shifts of the first", nameOf(g.size)));
    }
    if (carried_ != 0) laws.push_back(fmt::format("{} values are carried", carried_));
    if (!form_.empty()) laws.push_back(form_);
    return fmt::format("for every {}: {}", fmt::join(names, ", "), fmt::join(laws, "; "));
  }

  [[nodiscard]] std::string repeats(const Growth& g) const {
    const i64 steps = g.loops.steps / variableOf(g.loops.variables.front()).step;
    return steps == 1
               ? fmt::format("each further step of {} repeats an earlier one", nameOf(g.loops.variables.front()))
               : fmt::format("{} further steps of {} repeat earlier ones", steps, nameOf(g.loops.variables.front()));
  }

  // ---- runs

  // Every combination of sizes, those with the least sum first.
  void runAll() {
    std::vector<Sizes> all{{}};
    for (const Variable& v : sites_.program->variables) {
      if (v.kind != Variable::Kind::Size) continue;
      const auto growth =
          std::ranges::find_if(growths_, [&](const Growth& g) { return nameOf(g.size) == v.sizeName(); });
      const bool atOnce = growth != growths_.end() && growth->guarded > 0;
      const i64 most = growth == growths_.end() ? 1 : atOnce ? growth->guarded : growth->most();
      std::vector<Sizes> next;
      for (const Sizes& before : all)
        for (i64 value = atOnce ? most : 1; value <= most; ++value) {
          next.push_back(before);
          next.back()[v.sizeName()] = value * v.unit;
        }
      all = std::move(next);
    }
    const auto sum = [](const Sizes& sizes) {
      i64 total = 0;
      for (const auto& [name, value] : sizes) total += value;
      return total;
    };
    std::ranges::stable_sort(all, {}, sum);
    bool accepted = false;
    for (const Sizes& sizes : all) {
      const bool refutes = holdAt(*sites_.program, sizes).ok();
      accepted = accepted || refutes;
      if (!refutes && !obstacle_.empty()) continue;
      if (!runAt(sizes, /*proves=*/true)) return;
    }
    if (!accepted) obstacle_ = "no sizes that were run meet the program's assumptions";
  }

  void samples() {
    try {
      const Work share = std::min(kMostSampleWork, budget_.share(kSampleShare));
      const WorkBudget limit({.cancel = options_.cancel, .steps = share});
      std::vector<Sizes> all;
      const auto add = [&](int one, i64 value) {
        Sizes& sizes = all.emplace_back();
        for (const int v : sizesOf(sites_)) sizes[nameOf(v)] = (v == one ? value : 1) * variableOf(v).unit;
      };
      for (i64 value = 1; value <= shows_; ++value) add(obstacleOf_, value);
      const std::size_t shown = all.size();
      std::ranges::copy(samplesOf(*sites_.program), std::back_inserter(all));
      for (const PlanGuard& g : guards_)  // around the end of a tile
        for (const i64 value : {g.most - 1, g.most, g.most + 1}) add(g.variable, value);
      for (std::size_t k = 0; k < all.size(); ++k) {
        const std::vector<Gathered> before = gathered_;
        if (!holdAt(*sites_.program, all[k]) || runAt(all[k], /*proves=*/false, /*small=*/k >= shown)) continue;
        return least(all[k], before);
      }
    } catch (const OutOfBudget& end) {
      if (!end.counted()) throw;
    }
  }

  // The least values of guarded sizes that refute, with the others as in `sizes`, which refute.
  void least(Sizes sizes, const std::vector<Gathered>& before) {
    std::vector<Gathered> found = gathered_;
    try {
      for (const PlanGuard& g : guards_) {
        i64& size = sizes.at(nameOf(g.variable));
        const i64 refutes = size, unit = variableOf(g.variable).unit;
        for (size = unit; size < refutes; size += unit) {
          gathered_ = before;
          if (!holdAt(*sites_.program, sizes) || runAt(sizes, /*proves=*/false)) continue;
          found = gathered_;
          break;
        }
      }
    } catch (const OutOfBudget&) {
      gathered_ = std::move(found);
      throw;
    }
    gathered_ = std::move(found);
  }

  // False: nothing more needs to be run.
  bool runAt(const Sizes& sizes, bool proves, bool small = true) {
    const bool accepted = holdAt(*sites_.program, sizes).ok();
    const std::vector<PlanGuard> guards = proves ? guards_ : std::vector<PlanGuard>{};
    const std::string text = textOf(sizes, proves);
    const SizedProgram sized(*sites_.program, sizes, options_.architecture, guards);
    if (!sized.plan) {
      if (!proves) return true;
      return stop(fmt::format("it cannot be run with {}: {}", text, sized.plan.error().message));
    }
    if (!proves && small && !isSmall(*sized.plan)) return true;
    const int number = sized.numberOf(kernel_);
    if (number < 0) return stop("its kernel is not in the plan");
    std::map<const Growth*, PlanRegions> regionsOf;
    std::map<int, Witnesses> witnesses;  // by loop
    std::vector<Growing> growing;
    if (proves)
      for (const Growth& g : growths_)
        if (!g.loops.variables.empty() && sizes.at(nameOf(g.size)) / unitOf(g) >= g.from) {
          const CutAt at = cutAt(g, sized, sizes);
          const PlanRegions& regions =
              regionsOf.try_emplace(&g, *sized.plan, number, sized.program, g.loops.variables, at.loops).first->second;
          if (!regions.complete) return stop("its steps are not those of its text");
          auto cut = std::make_unique<Cut>(*sized.plan, at, regions);
          if (kIsPage && sized.plan->barrierCount > 0)
            return stop("the page does not follow mbarriers at every size, the desktop program does");
          auto order = !kIsPage && sized.plan->barrierCount > 0 ? std::make_unique<StepOrder>(*sized.plan, at, regions)
                                                                : nullptr;
          growing.push_back({&g, cut.get(), order.get()});
          Witnesses& all = witnesses[g.loops.variables.front()];
          all.add(std::move(cut));
          if (order != nullptr) all.add(std::move(order));
        }
    auto next = witnesses.begin();
    for (bool first = true; first || next != witnesses.end(); first = false) {
      Witness* witness = next == witnesses.end() ? nullptr : &next++->second;
      const KernelRun how{.inner = first, .witness = witness, .activations = &activations_};
      for (auto& [spec, verdicts] : runKernel(*sized.plan, number, how, options_))
        if (const int at = sized.sites.numberOf(sized.plan->specs[spec].spec); at >= 0 && first) {
          const auto refuted = std::ranges::find_if(verdicts, isRefuted);
          if (refuted == verdicts.end() || (accepted && guards.empty()))
            gathered_[at].take(verdicts, text);
          else if (guards.empty())
            obstacle_ =
                fmt::format("induction begins with {}, which the program excludes, and there it does not hold", text);
          else
            return stop(fmt::format("with {} at once: {}", text, refuted->reason));
        }
    }
    for (const auto& [growth, cut, order] : growing) {
      if (order != nullptr && !order->obstacle().empty())
        return stop(fmt::format("by induction over {} at {}: {}", nameOf(growth->size), text, order->obstacle()));
      values(*growth, sized, *cut, sizes);
    }
    return std::ranges::none_of(gathered_, &Gathered::refuted);
  }
  bool stop(std::string why) {
    obstacle_ = std::move(why);
    return false;
  }

  [[nodiscard]] CutAt cutAt(const Growth& g, const SizedProgram& sized, const Sizes& sizes) const {
    CutAt out;
    const auto& variables = sites_.program->variables;
    std::vector<i64> values;
    std::vector<int> numbers;  // by variable: loops before it
    int loops = 0;
    for (int v = 0; v < std::ssize(variables); ++v) {
      const auto given = sizes.find(variables[v].sizeName());
      const bool known = variables[v].kind == Variable::Kind::Size && given != sizes.end();
      values.push_back(known ? given->second / variables[v].unit : 0);
      numbers.push_back(loops);
      loops += variables[v].kind == Variable::Kind::Loop ? 1 : 0;
    }
    for (const int l : g.loops.variables) out.loops.push_back(numbers[static_cast<std::size_t>(l)]);
    out.at = evaluate(g.loops.cut, {}, values);
    out.steps = g.loops.steps;
    out.overlap = g.loops.overlap;
    out.lag = g.loops.lag;
    for (const auto& [storage, by] : g.loops.counted)
      if (const int root = sized.rootOf(storage); root >= 0) out.counted[root] = by;
    for (const auto& [storage, by] : g.loops.late)
      if (const int root = sized.rootOf(storage); root >= 0) out.late[root] = by;
    for (const auto& [storage, turning] : g.loops.turning)
      if (const int root = sized.rootOf(storage); root >= 0) out.turning[root] = turning;
    return out;
  }

  // O8 beyond this size.
  void values(const Growth& g, const SizedProgram& sized, const Cut& cut, const Sizes& sizes) {
    carried_ = std::max(carried_, cut.carried());
    if (!open_.empty()) return;
    const std::string about =
        fmt::format("by induction over {} at {}: ", nameOf(g.size), textOf(sizes, /*proves=*/true));
    if (!cut.obstacle().empty()) {
      open_[Obligation::Value] = about + cut.obstacle();
      if (cut.isUndefined()) open_[Obligation::Definedness] = about + cut.obstacle();
      return;
    }
    LateFrom lateFrom;
    const SpecNode& node = sites_.specs[kernel_];
    std::vector<int> nodes = node.outputs;
    nodes.insert(nodes.end(), node.inputs.begin(), node.inputs.end());
    for (std::size_t k = 0; k < nodes.size(); ++k)
      if (const auto at = cut.lateFrom().find(sized.rootOf(sites_.storageOf(nodes[k]))); at != cut.lateFrom().end())
        lateFrom[k] = at->second;
    const auto grows = specGrows(sites_, kernel_, g, *sized.sites.specs[kernel_].spec, lateFrom, cut.byInvariants());
    if (!grows) open_[Obligation::Value] = about + grows.error().message;
  }

  struct Growing {
    const Growth* growth;
    const Cut* cut;
    const StepOrder* order;  // null: no mbarriers
  };

  const Sites& sites_;
  const int kernel_;
  const CheckOptions& options_;
  const prover::Budget& budget_;
  std::vector<Growth> growths_;
  std::vector<PlanGuard> guards_;  // the sizes with guards
  Activations activations_{/*oneSize=*/false};
  std::vector<Gathered> gathered_;          // by sites.specs
  std::string obstacle_;                    // of all obligations
  std::map<Obligation, std::string> open_;  // of the kernel
  std::size_t carried_ = 0;
  std::string form_;
  int obstacleOf_ = -1;  // the size
  i64 shows_ = 0;        // if there are other forms: up to this it may show that the kernel does not hold
};

}  // namespace

std::vector<std::vector<ObligationVerdict>> forEverySize(const Sites& sites, const std::vector<bool>& wanted,
                                                         const CheckOptions& options, const prover::Budget& budget) {
  Verdicts out(sites.specs.size());
  for (std::size_t k = 0; k < sites.specs.size(); ++k) {
    if (sites.specs[k].depth != 0 || sites.specs[k].leaf >= 0 || !wanted[k]) continue;
    Induction(sites, static_cast<int>(k), options, budget).run(out);
  }
  return out;
}

}  // namespace tessera::graphene
