// Sites: one pass over the tree, with scopes for names.
#include "solver/graphene/z3/sites.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/expr/walk.h"
#include "core/graphene/walk.h"

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
  Collector(const Program& program, std::string_view architecture) : program_(program), architecture_(architecture) {
    out_.program = &program;
  }

  Sites run() {
    scopes_.emplace_back();
    for (const Tensor& t : program_.operands) add(nameOf(t), newStorage({t, {}, true, {}, {}}));
    State state{{{}}, {Expr::constant(0), Expr::constant(0)}};
    body(program_.specs, state);
    return std::move(out_);
  }

 private:
  using Phase = std::optional<Expr>;
  struct State {
    std::vector<Conjunction> ways;
    std::array<Phase, 2> phases;  // block barriers passed; those and syncwarp
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
  void visit(const Statement& s, const Commit& c, State& state) { ordering(s, c.product, state); }
  void visit(const Statement& s, const Wait& w, State& state) { ordering(s, w.product, state); }
  void visit(const Statement& s, const Fence& f, State& state) { ordering(s, !f.async, state); }

  void visit(const Statement& s, const Mbarrier& m, State& state) {
    out_.counted[&s] = nodeOf(nameOf(m.barrier));
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
    for (const bool warpToo : {false, true})
      if (Phase& phase = state.phases[warpToo]; phase && (warpToo || !sync.warp)) phase = *phase + 1;
  }

  // Number of barriers that one pass through the body executes; nullopt: not constant.
  std::optional<Expr> passed(const Body& statements, bool warpToo) const {
    Expr total = Expr::constant(0);
    for (const Statement& s : statements) {
      if (const auto* sync = std::get_if<Sync>(&s.what); sync != nullptr && (warpToo || !sync->warp)) total = total + 1;
      std::vector<Expr> inside;
      for (const Body* body : bodiesOf(s)) {
        const auto one = passed(*body, warpToo);
        if (!one) return std::nullopt;
        inside.push_back(*one);
      }
      if (inside.empty()) continue;
      if (inside.size() == 2 && !(inside[0] == inside[1])) return std::nullopt;  // differs between the branches
      if (const auto* loop = std::get_if<Loop>(&s.what)) {
        if (mentionsParam(inside[0], loop->variable)) return std::nullopt;  // differs between iterations
        if (!inside[0].isConstant(0)) inside[0] = trips(loop->variable) * inside[0];
      }
      total = total + inside[0];
    }
    return total;
  }

  [[nodiscard]] Expr trips(int variable) const {
    const Variable& v = program_.variables[variable];
    return floorDiv(v.hi - v.lo + (v.step - 1), v.step);
  }

  void visit(const Statement&, const Loop& loop, State& state) {
    const Variable& v = program_.variables[loop.variable];
    const Expr iteration = floorDiv(Expr::param(loop.variable) - v.lo, v.step);
    State inner = state;
    for (const bool warpToo : {false, true}) {
      Phase each = passed(loop.body, warpToo);
      if (each && mentionsParam(*each, loop.variable)) each.reset();  // differs between iterations
      Phase &here = inner.phases[warpToo], &after = state.phases[warpToo];
      if (!each) here = after = std::nullopt;
      if (!here || each->isConstant(0)) continue;
      here = *here + iteration * *each;
      after = *after + trips(loop.variable) * *each;
    }
    loops_.push_back(loop.variable);
    body(loop.body, inner);
    loops_.pop_back();
  }

  void visit(const Statement&, const Branch& branch, State& state) {
    State then{met(state.ways, branch.condition), state.phases};
    State otherwise{missed(state.ways, branch.condition), state.phases};
    body(branch.then, then);
    body(branch.otherwise, otherwise);
    for (const bool warpToo : {false, true}) {
      const Phase &a = then.phases[warpToo], &b = otherwise.phases[warpToo];
      state.phases[warpToo] = a && b && *a == *b ? a : std::nullopt;
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

  void addSites(const Statement& s, const Spec& spec, const SpecNode& node, int number, const State& state) {
    Site site{.leaf = node.leaf,
              .span = s.span,
              .spec = &spec,
              .loops = loops_,
              .specs = specs_,
              .position = position_,
              .phase = state.phases[0],
              .warpPhase = state.phases[1]};
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

Sites sitesOf(const Program& program, std::string_view architecture) { return Collector(program, architecture).run(); }

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
