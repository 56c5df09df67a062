#include <fmt/format.h>

#include <algorithm>

#include "core/base/mapped.h"
#include "core/base/work_budget.h"
#include "core/codegen/kernel/kernel.h"
#include "core/expr/walk.h"
#include "core/graphene/spec_tree.h"
#include "solver/graphene/methods.h"
#include "solver/graphene/z3/z3_kernel.h"

namespace tessera::graphene {

using prover::Answer;
using prover::Goal;

namespace {

constexpr i64 kMostThreads = 1024;  // per block
// The gallery's longest text takes 0.2 s, but a loop whose stages do not repeat could take the emitter minutes.
constexpr Work kEmitterSteps = workOf(2);

bool ofThread(const Program& program, const Expr& e) { return mentionsParam(plainOf(program, e), 1); }

ObligationVerdict made(Obligation o, Standing standing, std::string reason) {
  return {o, standing, "static", std::move(reason), std::nullopt, 0};
}
ObligationVerdict refuted(Finding f) { return graphene::refuted("static", std::move(f)); }

class Static {
 public:
  Static(const Sites& sites, std::string_view architecture, const prover::Budget& budget)
      : sites_(sites), program_(*sites.program), architecture_(architecture), budget_(budget) {}

  std::vector<ObligationVerdict> run() {
    for (const SpecNode& s : sites_.specs)
      out_.push_back(
          made(Obligation::Static, Standing::Proved, s.leaf >= 0 ? "an instruction" : "every leaf is an instruction"));
    for (const int kernel : kernels()) note({kernel}, tooManyThreads(sites_.specs[kernel]));
    for (const Site& site : sites_.sites)
      note(site.specs, ofLeaf(site, std::ranges::count(sites_.sites, site.leaf, &Site::leaf) > 1));
    for (const Barrier& b : sites_.barriers) {
      const bool several = std::ranges::count(sites_.barriers, b.statement, &Barrier::statement) > 1;
      const Site place{.span = b.span, .loops = b.loops, .guards = b.guards};
      if (auto v = convergent(place, kernels()[b.kernel], b.together, several, wordsOf(*b.statement)))
        note(b.specs, *v);
    }
    emitted();
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::vector<int> kernels() const {
    std::vector<int> out;
    for (std::size_t k = 0; k < sites_.specs.size(); ++k)
      if (sites_.specs[k].depth == 0) out.push_back(static_cast<int>(k));
    return out;
  }

  [[nodiscard]] Box boxOf(int kernel) const { return {sites_, sites_.specs[kernel]}; }

  // Keeps the worst verdict so far.
  void note(const std::vector<int>& specs, const std::optional<ObligationVerdict>& v) {
    if (!v) return;
    for (const int s : specs) {
      ObligationVerdict& have = out_[s];
      const bool worse =
          have.standing == Standing::Proved || (have.standing == Standing::Unknown && v->standing == Standing::Refuted);
      if (worse && v->standing != Standing::Proved) have = *v;
    }
  }

  std::optional<ObligationVerdict> tooManyThreads(const SpecNode& kernel) {
    const i64 threads = Box(sites_, kernel).threads();
    if (threads <= kMostThreads) return std::nullopt;
    return refuted({.span = kernel.span,
                    .expected = fmt::format("at most {}", kMostThreads),
                    .message = fmt::format("{} threads are too many for a block", threads)});
  }

  // If all is proved, the emitter must be able to write CUDA C++ that a block of the architecture can run.
  void emitted() {
    if (std::ranges::any_of(out_, [](const auto& v) { return v.standing != Standing::Proved; })) return;
    std::optional<codegen::Refusal> refusal;
    try {
      const WorkBudget limit({.steps = kEmitterSteps});
      refusal = codegen::refusalOf(program_, {std::string(architecture_)});
    } catch (const OutOfBudget& end) {
      if (!end.counted()) throw;
      return note(kernels(), made(Obligation::Static, Standing::Unknown,
                                  "emitting the CUDA code takes more work than its budget"));
    }
    if (!refusal) return;
    const Span at = refusal->diag.span;
    const std::vector<int> all = kernels();
    const auto here = std::ranges::find_if(all, [&](int k) {
      const Span kernel = sites_.specs[k].span;
      return at.begin >= kernel.begin && at.end <= kernel.end;
    });
    if (all.empty()) return;
    const int kernel = here == all.end() ? all.front() : *here;
    if (!refusal->resources)
      return note({kernel}, made(Obligation::Static, Standing::Unknown, "no CUDA code: " + refusal->diag.message));
    note({kernel}, refuted({.span = at, .expected = refusal->diag.expected, .message = refusal->diag.message}));
  }

  std::optional<ObligationVerdict> ofLeaf(const Site& site, bool several) {
    if (!site.atom) {
      Finding f{.span = site.span, .expected = site.noAtom->expected, .message = site.noAtom->message};
      if (!site.spec->outputs.empty()) f.tensor = "%" + site.spec->outputs.front().name;
      return refuted(std::move(f));
    }
    if (auto v = aligned(site)) return v;
    if (auto v = matrices(site)) return v;
    if (auto v = box(site)) return v;
    if (!site.atom->collective && site.atom->lanes == 1) return std::nullopt;
    if (auto v = wholeWarps(site)) return v;
    return convergent(site, site.specs.front(), site.atom->deferred ? 128 : 32, several, site.atom->name);
  }

  std::optional<ObligationVerdict> wholeWarps(const Site& site) {
    const i64 threads = boxOf(site.specs.front()).threads();
    const int together = site.atom->deferred ? 128 : 32;
    if (threads % together == 0) return std::nullopt;
    return refuted({.span = site.span,
                    .message = fmt::format("{} is executed by {} of {}, but the block has {} threads", site.atom->name,
                                           together == 32 ? "warps" : "warpgroups", together, threads)});
  }

  // Do all threads of a block (warp, warpgroup) with equal loop values arrive together?
  std::optional<ObligationVerdict> convergent(const Site& site, int kernel, int together, bool several,
                                              const std::string& what) {
    std::vector<Comparison> conditions;
    for (const Comparison& c : site.guards)
      if (ofThread(program_, c.left) || ofThread(program_, c.right)) conditions.push_back(c);
    for (const int v : site.loops) {
      const Variable& loop = program_.variables[v];
      if (ofThread(program_, loop.lo)) conditions.push_back({Expr::param(v), loop.lo, ">="});
      if (ofThread(program_, loop.hi)) conditions.push_back({Expr::param(v), loop.hi, "<"});
    }
    if (conditions.empty()) return std::nullopt;
    if (several)
      return made(Obligation::Static, Standing::Unknown, fmt::format("several control-flow paths reach {}", what));
    Box box = boxOf(kernel);
    const Box::Copy a = box.copy(site);
    Site unguarded = site;
    unguarded.guards.clear();
    const Box::Copy b = box.copy(unguarded, &a, {true, false, site.loops});
    if (together > 0) box.equal(floorDiv(a.thread, together), floorDiv(b.thread, together));
    const auto goals = mapped<Goal>(conditions, [&](const Comparison& c) { return box.goalOf(c, b); });
    const Answer answer = Z3Kernel(sites_, kernel, budget_).ask(box, goals);
    if (answer.truth == Truth::Proved) return std::nullopt;
    if (answer.truth == Truth::Unknown)
      return made(Obligation::Static, Standing::Unknown, fmt::format("whether {} diverges: {}", what, answer.detail));
    Finding f{.span = site.span,
              .instances = {box.instance(a, site.span, answer.points.front()),
                            box.instance(b, site.span, answer.points.front())}};
    f.message = fmt::format("{} under divergent control flow: thread {} reaches it, thread {} does not", what,
                            f.instances[0].thread, f.instances[1].thread);
    return refuted(std::move(f));
  }

  // The address of slot 0 must be a multiple in every instance. A swizzle moves nothing below its base.
  std::optional<ObligationVerdict> aligned(const Site& site) {
    for (const Alignment& need : site.atom->alignment) {
      if (need.elements <= 1) continue;
      const Access* access = site.accessTo(need.operand);
      if (access == nullptr) continue;
      const cute::Swizzle& swizzle = access->view.swizzle;
      if (!swizzle.isIdentity() && need.elements > (i64{1} << swizzle.base()))
        return made(Obligation::Static, Standing::Unknown, "a swizzle moves single elements of a vector");
      if (auto wrong = begins(site, *access, need.elements, "at")) return wrong;
    }
    return std::nullopt;
  }

  // A descriptor's matrix must start at a line of its swizzle and be the same for all threads that execute together.
  std::optional<ObligationVerdict> matrices(const Site& site) {
    for (const AtomMatrix& need : site.atom->matrices) {
      const Access* access = site.accessTo(need.operand);
      if (access == nullptr) continue;
      Box box = boxOf(site.specs.front());
      const Box::Copy at = box.copy(site), other = box.copy(site, &at, {true, false, site.loops});
      box.equal(floorDiv(at.thread, site.atom->together), floorDiv(other.thread, site.atom->together));
      const Expr start = box.in(at, access->view.offset), again = box.in(other, access->view.offset);
      auto wrong =
          begins(site, *access, box, at,
                 {{tessera::mod(start, need.unit), std::nullopt, 0, 0},
                  {tessera::mod(start, need.repeats), std::nullopt, 0, need.room - 1},
                  {start, again, 0, 0}},
                 "the matrix ",
                 fmt::format("to be one matrix for {} threads, beginning at a line of its swizzle (every {} elements);",
                             site.atom->together, need.repeats));
      if (wrong) return wrong;
    }
    return std::nullopt;
  }

  // A TMA box in shared memory must start at a multiple of its swizzle's repeat.
  std::optional<ObligationVerdict> box(const Site& site) {
    if (!site.atom->box) return std::nullopt;
    const AtomBox& need = *site.atom->box;
    const Access* access = site.accessTo(need.shared);
    return access == nullptr ? std::nullopt : begins(site, *access, need.repeats, "to begin at");
  }

  // The access must start at a multiple of `multiple` elements in every instance.
  std::optional<ObligationVerdict> begins(const Site& site, const Access& access, i64 multiple, std::string_view verb) {
    Box all = boxOf(site.specs.front());
    const Box::Copy at = all.copy(site);
    return begins(site, access, all, at, {{tessera::mod(all.in(at, access.view.offset), multiple), std::nullopt, 0, 0}},
                  "", fmt::format("{} a multiple of {} elements, but", verb, multiple));
  }

  // The goals about the start of the access `at` must hold in every instance of the box.
  std::optional<ObligationVerdict> begins(const Site& site, const Access& access, const Box& all, const Box::Copy& at,
                                          const std::vector<Goal>& goals, std::string_view what,
                                          const std::string& wants) {
    const Answer answer = Z3Kernel(sites_, site.specs.front(), budget_).ask(all, goals);
    if (answer.truth == Truth::Proved) return std::nullopt;
    if (answer.truth == Truth::Unknown)
      return made(Obligation::Static, Standing::Unknown,
                  fmt::format("where {}%{} begins: {}", what, access.view.name, answer.detail));
    Finding f{.span = site.span,
              .tensor = "%" + access.view.name,
              .address = evaluate(all.in(at, access.view.offset), answer.points.front()),
              .instances = {all.instance(at, site.span, answer.points.front())}};
    f.message = fmt::format("{} wants {} {} it begins at {}", site.atom->name, f.tensor, wants, f.address);
    return refuted(std::move(f));
  }

  const Sites& sites_;
  const Program& program_;
  const std::string_view architecture_;
  const prover::Budget& budget_;
  std::vector<ObligationVerdict> out_;
};

// ---- O3

Standing standingOf(const Sites& sites, int number, const Access& a) {
  const SpecNode& spec = sites.specs[number];
  const std::vector<int>& within = sites.of(a).specs;  // empty for an operand
  if (std::ranges::count(within, number) > 0) return Standing::Proved;
  bool sameStorage = false;
  for (const auto* nodes : {&spec.outputs, &spec.inputs})
    for (const int n : *nodes) {
      if (n < 0 || (a.write && nodes == &spec.inputs)) continue;
      if (sites.inside(a.node, n)) return Standing::Proved;
      sameStorage = sameStorage || sites.storageOf(n) == a.storage;
    }
  return sameStorage ? Standing::Unknown : Standing::Refuted;
}

ObligationVerdict frameOf(const Sites& sites, int number) {
  ObligationVerdict v =
      made(Obligation::Frame, Standing::Proved, "every access is to a view of an input, an output or a temporary");
  if (sites.specs[number].leaf >= 0) return v;
  for (const Site& site : sites.sites) {
    if (std::ranges::find(site.specs, number) == site.specs.end()) continue;
    for (const Access& a : site.accesses) {
      const Standing s = standingOf(sites, number, a);
      if (s == Standing::Refuted) {
        Finding f{.obligation = Obligation::Frame, .span = site.span, .tensor = "%" + sites.of(a).declared.name};
        f.message = fmt::format("{} {} {}, which is not an {} of the enclosing specification", headOf(*site.spec),
                                a.write ? "writes" : "reads", f.tensor, a.write ? "output" : "input or output");
        return refuted(std::move(f));
      }
      if (s == Standing::Unknown && v.standing == Standing::Proved)
        v = made(Obligation::Frame, s, fmt::format("%{} is another view of what the specification names", a.view.name));
    }
  }
  return v;
}

}  // namespace

std::vector<ObligationVerdict> staticOf(const Sites& sites, std::string_view architecture,
                                        const prover::Budget& budget) {
  return Static(sites, architecture, budget).run();
}
std::vector<ObligationVerdict> frameOf(const Sites& sites) {
  std::vector<ObligationVerdict> out;
  for (std::size_t k = 0; k < sites.specs.size(); ++k) out.push_back(frameOf(sites, static_cast<int>(k)));
  return out;
}

}  // namespace tessera::graphene
