// Sites: one pass over the tree, with scopes for names.
#include "solver/graphene/z3/sites.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/expr/facts.h"
#include "core/expr/walk.h"
#include "core/graphene/assumptions.h"
#include "core/graphene/walk.h"
#include "solver/graphene/z3/box.h"

namespace tessera::graphene {
namespace {

std::string opposite(const std::string& op) {
  static const std::map<std::string, std::string> kOpposite = {{"<", ">="}, {">=", "<"},  {"<=", ">"},
                                                               {">", "<="}, {"==", "!="}, {"!=", "=="}};
  return kOpposite.at(op);
}

// Splits != into < and >, so that every guard is an interval.
std::vector<Comparison> cases(const Comparison& c) {
  if (c.op != "!=") return {c};
  return {{c.left, c.right, "<"}, {c.left, c.right, ">"}};
}

using Conjunction = std::vector<Comparison>;

// All disjoint ways to satisfy `all` in addition to `before`.
std::vector<Conjunction> met(const std::vector<Conjunction>& before, const std::vector<Comparison>& all) {
  std::vector<Conjunction> out = before;
  for (const Comparison& c : all) {
    std::vector<Conjunction> next;
    for (const Conjunction& way : out)
      for (const Comparison& one : cases(c)) {
        next.push_back(way);
        next.back().push_back(one);
      }
    out = std::move(next);
  }
  return out;
}

std::vector<Conjunction> missed(const std::vector<Conjunction>& before, const std::vector<Comparison>& all) {
  std::vector<Conjunction> out, reached = before;
  for (const Comparison& c : all) {
    const Comparison not1{c.left, c.right, opposite(c.op)};
    for (Conjunction& way : met(reached, {not1})) out.push_back(std::move(way));
    reached = met(reached, {c});
  }
  return out;
}

class Collector {
 public:
  Collector(const Program& program, std::string_view architecture, const Program& stated)
      : program_(program), architecture_(architecture) {
    out_.program = &program;
    for (std::size_t v = 0; v < program.variables.size(); ++v)
      box_.params.push_back(rangeOf(stated, static_cast<int>(v)));
  }

  Sites run() {
    scopes_.emplace_back();
    for (const Tensor& t : program_.operands) add(nameOf(t), newStorage({t, {}, true, {}, {}}));
    State state{{{}}, {Expr::constant(0), Expr::constant(0), Expr::constant(0)}};
    body(program_.specs, state);
    return std::move(out_);
  }

 private:
  // Of a variable. The ranges of those before it are known.
  [[nodiscard]] Range rangeOf(const Program& stated, int variable) const {
    const Variable& v = program_.variables[variable];
    if (v.kind == Variable::Kind::Size) {
      const Range size = boundsOf(stated, variable, Box::kMostSize);
      return {(size.lo + v.unit - 1) / v.unit, size.hi / v.unit};
    }
    if (v.kind != Variable::Kind::Loop) return {0, Box::kFar};
    const Facts lo = factsOf(v.lo, box_), hi = factsOf(v.hi, box_);
    return lo.fits && hi.fits ? Range{lo.interval.lo, std::max(lo.interval.lo, hi.interval.hi - 1)}
                              : Range{-Box::kFar, Box::kFar};
  }
  // Whether hi - lo is never so small that the formula of the number of iterations is negative.
  [[nodiscard]] bool isCounted(const Variable& v) const {
    const Facts facts = factsOf(v.hi - v.lo + (v.step - 1), box_);
    return facts.fits && facts.interval.lo >= 0;
  }

  using Phase = std::optional<Expr>;
  enum Counter : std::size_t { Barriers, WithSyncwarp, Groups };
  static constexpr std::array kCounters = {Barriers, WithSyncwarp, Groups};
  struct State {
    std::vector<Conjunction> ways;
    std::array<Phase, 3> phases;  // by counter
  };
  // What one pass through a body counts, and what all iterations of the loop around it but the last count in addition.
  struct Passed {
    Expr always = Expr::constant(0), notLast = Expr::constant(0);
    [[nodiscard]] Expr early() const { return always + notLast; }
  };

  int newStorage(Storage s) {
    out_.storage.push_back(std::move(s));
    out_.nodes.push_back({static_cast<int>(out_.storage.size()) - 1, -1});
    return static_cast<int>(out_.nodes.size()) - 1;
  }
  void add(const std::string& name, int node) { scopes_.back()[name] = node; }
  [[nodiscard]] int nodeOf(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto at = scope->find(name); at != scope->end()) return at->second;
    return -1;
  }

  void body(const Body& statements, State& state) {
    position_.push_back(0);
    scopes_.emplace_back();
    for (const Statement& s : statements) {
      ++position_.back();
      std::visit([&](const auto& what) { visit(s, what, state); }, s.what);
    }
    scopes_.pop_back();
    position_.pop_back();
  }

  void visit(const Statement&, const Define& d, State&) {
    const int parent = nodeOf(d.source);
    out_.nodes.push_back({out_.storageOf(parent), parent});
    add(nameOf(d.tensor), static_cast<int>(out_.nodes.size()) - 1);
  }
  void visit(const Statement& s, const Temporary& t, State&) {
    add(nameOf(t.tensor), newStorage({t.tensor, s.span, false, loops_, specs_}));
  }
  void visit(const Statement&, const Indices&, State&) {}
  void visit(const Statement& s, const Commit& c, State& state) {
    ordering(s, c.product, state);
    count(s, state);
  }
  void visit(const Statement& s, const Wait& w, State& state) {
    ordering(s, w.product, state);
    if (w.product) return;
    Site at = here(s, state);
    for (const Conjunction& way : state.ways) {
      at.guards = way;
      out_.waits.push_back({at, w.pending});
    }
  }
  void visit(const Statement& s, const Fence& f, State& state) { ordering(s, !f.async, state); }

  void visit(const Statement& s, const Mbarrier& m, State& state) {
    out_.mbarriers[&s] = nodeOf(nameOf(m.barrier));
    ordering(s, false, state);
  }

  // Operations of a warpgroup on its products must be executed by its warps together.
  void ordering(const Statement& s, bool together, State& state) {
    out_.hasAsync = true;
    if (!together) return;
    for (const Conjunction& way : state.ways) out_.barriers.push_back({&s, s.span, specs_, 128, loops_, way, kernel_});
  }

  void visit(const Statement& s, const Sync& sync, State& state) {
    for (const Conjunction& way : state.ways)
      out_.barriers.push_back({&s, s.span, specs_, sync.warp ? 32 : 0, loops_, way, kernel_});
    out_.hasSyncwarp = out_.hasSyncwarp || sync.warp;
    count(s, state);
  }

  static bool counts(const Statement& s, Counter counter) {
    if (const auto* sync = std::get_if<Sync>(&s.what))
      return counter == WithSyncwarp || (counter == Barriers && !sync->warp);
    const auto* commit = std::get_if<Commit>(&s.what);
    return counter == Groups && commit != nullptr && !commit->product;
  }
  static void count(const Statement& s, State& state) {
    for (const Counter counter : kCounters)
      if (Phase& phase = state.phases[counter]; phase && counts(s, counter)) phase = *phase + 1;
  }

  // What one pass through the body executes; nullopt: not constant. `loop`: the variable of the loop whose body it is,
  // or -1.
  std::optional<Passed> passed(const Body& statements, Counter counter, int loop) const {
    Passed total;
    for (const Statement& s : statements) {
      if (counts(s, counter)) total.always = total.always + 1;
      const auto* inner = std::get_if<Loop>(&s.what);
      std::vector<Expr> inside;
      for (const Body* body : bodiesOf(s)) {
        const auto one = passed(*body, counter, inner != nullptr ? inner->variable : -1);
        if (!one || (inner != nullptr && mentionsParam(one->early(), inner->variable))) return std::nullopt;
        inside.push_back(inner != nullptr ? overAll(*one, inner->variable) : one->always);
      }
      if (inside.empty()) continue;
      if (inside.size() == 2 && !(inside[0] == inside[1])) {  // differs between the branches
        if (!inside[1].isConstant(0) || !isAllButLast(std::get<Branch>(s.what), loop)) return std::nullopt;
        total.notLast = total.notLast + inside[0];
      } else {
        total.always = total.always + inside[0];
      }
    }
    return total;
  }
  [[nodiscard]] Expr overAll(const Passed& each, int variable) const {
    return each.early().isConstant(0) ? Expr::constant(0) : trips(variable) * each.early() - each.notLast;
  }
  // Whether the branch is taken in all iterations of the loop but the last one, which exists.
  [[nodiscard]] bool isAllButLast(const Branch& branch, int loop) const {
    if (loop < 0 || branch.condition.size() != 1) return false;
    const Variable& v = program_.variables[loop];
    const Comparison& c = branch.condition.front();
    const Expr count = v.hi - v.lo;
    return v.step == 1 && count.isConstant() && count.value() > 0 && c.op == "<" && c.left == Expr::param(loop) &&
           (c.right - v.hi).isConstant(-1);
  }

  [[nodiscard]] Expr trips(int variable) const {
    const Variable& v = program_.variables[variable];
    return floorDiv(v.hi - v.lo + (v.step - 1), v.step);
  }

  void visit(const Statement&, const Loop& loop, State& state) {
    const Variable& v = program_.variables[loop.variable];
    const Expr iteration = floorDiv(Expr::param(loop.variable) - v.lo, v.step);
    State inner = state;
    bool counted = false;
    for (const Counter counter : kCounters) {
      auto each = passed(loop.body, counter, loop.variable);
      if (each && mentionsParam(each->early(), loop.variable)) each.reset();  // differs between iterations
      Phase &here = inner.phases[counter], &after = state.phases[counter];
      const bool known = here.has_value();
      if (!each) here = after = std::nullopt;
      if (!each || each->early().isConstant(0)) continue;
      counted = counted || counter != WithSyncwarp;
      if (!known) continue;
      here = *here + iteration * each->early();
      after = isCounted(v) ? std::optional(*after + overAll(*each, loop.variable)) : std::nullopt;
    }
    if (counted) out_.counted.push_back({loop.variable, loops_, specs_, v.hi - v.lo + (v.step - 1)});
    loops_.push_back(loop.variable);
    body(loop.body, inner);
    loops_.pop_back();
  }

  void visit(const Statement&, const Branch& branch, State& state) {
    State then{met(state.ways, branch.condition), state.phases};
    State otherwise{missed(state.ways, branch.condition), state.phases};
    body(branch.then, then);
    body(branch.otherwise, otherwise);
    for (const Counter counter : kCounters) {
      const Phase &a = then.phases[counter], &b = otherwise.phases[counter];
      state.phases[counter] = a && b && *a == *b ? a : std::nullopt;
    }
  }

  void visit(const Statement& s, const Spec& spec, State& state) {
    if (specs_.empty()) ++kernel_;
    SpecNode node{s.span, &spec, static_cast<int>(specs_.size()), specs_.empty() ? -1 : specs_.back(), -1, {}, {}, {}};
    for (const Tensor& t : spec.outputs) node.outputs.push_back(nodeOf(nameOf(t)));
    for (const Tensor& t : spec.inputs) node.inputs.push_back(nodeOf(nameOf(t)));
    for (const Tensor& t : spec.barriers) node.barriers.push_back(nodeOf(nameOf(t)));
    const bool leaf = !spec.decomposed && spec.kind != SpecKind::Allocate;
    if (leaf) node.leaf = leaves_++;
    out_.specs.push_back(node);
    const int number = static_cast<int>(out_.specs.size()) - 1;
    if (leaf) return addSites(s, spec, node, number, state);
    specs_.push_back(number);
    body(spec.body, state);
    specs_.pop_back();
  }

  // Where a statement is; without its accesses, and for no conjunction yet.
  [[nodiscard]] Site here(const Statement& s, const State& state) const {
    return {.span = s.span,
            .loops = loops_,
            .specs = specs_,
            .position = position_,
            .phase = state.phases[Barriers],
            .warpPhase = state.phases[WithSyncwarp],
            .groups = state.phases[Groups]};
  }

  void addSites(const Statement& s, const Spec& spec, const SpecNode& node, int number, const State& state) {
    Site site = here(s, state);
    site.leaf = node.leaf;
    site.spec = &spec;
    site.specs.push_back(number);
    if (auto atom = matchAtom(spec, architecture_)) {
      site.atom = *std::move(atom);
      out_.hasAsync = out_.hasAsync || site.atom->async || site.atom->deferred || site.atom->box;
    } else {
      site.noAtom = atom.error();
    }
    const bool accumulates =
        spec.kind == SpecKind::MatMul || (site.atom && site.atom->function == AtomFunction::MultiplyAdd);
    for (std::size_t k = 0; k < spec.outputs.size() + spec.inputs.size(); ++k) {
      const Tensor& t = operandOf(spec, k);
      const bool out = k < spec.outputs.size();
      const int n = nodeOf(nameOf(t)), storage = out_.storageOf(n);
      if (storage >= 0) site.accesses.push_back({static_cast<int>(k), t, n, storage, out, !out || accumulates});
    }
    for (const Conjunction& way : state.ways) {
      site.guards = way;
      out_.sites.push_back(site);
    }
  }

  const Program& program_;
  std::string_view architecture_;
  Environment box_;  // of the variables
  Sites out_;
  std::vector<std::map<std::string, int>> scopes_;
  std::vector<int> loops_, specs_, position_;
  int leaves_ = 0, kernel_ = -1;
};

}  // namespace

const Access* Site::accessTo(int operand) const {
  const auto at = std::ranges::find(accesses, operand, &Access::operand);
  return at == accesses.end() ? nullptr : &*at;
}

int Sites::numberOf(const Spec* spec) const {
  const auto at = std::ranges::find(specs, spec, &SpecNode::spec);
  return at == specs.end() ? -1 : static_cast<int>(at - specs.begin());
}

std::size_t Sites::kernelOf(std::size_t spec) const {
  while (specs[spec].parent >= 0) spec = static_cast<std::size_t>(specs[spec].parent);
  return spec;
}

bool Sites::inside(int node, int ancestor) const {
  for (int n = node; n >= 0; n = nodes[n].parent)
    if (n == ancestor) return true;
  return false;
}

Sites sitesOf(const Program& program, std::string_view architecture, const Program* stated) {
  return Collector(program, architecture, stated != nullptr ? *stated : program).run();
}

Expr plainOf(const Program& program, const Expr& e) {
  std::vector<Expr> params;
  for (std::size_t v = 0; v < program.variables.size(); ++v) {
    const Variable& variable = program.variables[v];
    const bool index = variable.kind == Variable::Kind::Index;
    params.push_back(index ? substitute(variable.value, {}, params) : Expr::param(static_cast<int>(v)));
  }
  return substitute(e, {}, params);
}

}  // namespace tessera::graphene
