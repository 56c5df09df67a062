#include "solver/graphene/sizes/separate_sizes.h"

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <tuple>

#include "core/base/work_budget.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"
#include "core/graphene/meaning.h"
#include "core/graphene/walk.h"
#include "core/graphene/with_sizes.h"
#include "solver/graphene/sizes/kernel_alone.h"
#include "solver/graphene/z3/box.h"

namespace tessera::graphene {
namespace {

// What has a size: a dimension of a storage, a digit of the grid, a loop, an index of an equation.
enum class Sized : unsigned char { Extent, Block, Steps, Index };
using Use = std::tuple<Sized, int, int>;

class Separator {
 public:
  Separator(const Sites& sites, int size)
      : sites_(sites), program_(*sites.program), spec_(*sites.specs[0].spec), size_(size), out_(*sites.program) {}

  std::optional<Program> run() {
    if (!program_.assumptions.empty() || program_.variables[size_].unit != 1 || spec_.blocks.empty())
      return std::nullopt;
    for (const auto* nodes : {&sites_.specs[0].outputs, &sites_.specs[0].inputs})
      for (const int node : *nodes)
        if (const int s = sites_.storageOf(node); s >= 0 && grows(sites_.of(s).declared) && isCompact(sites_.of(s)))
          compact_.insert(s);
    digits();
    accesses();
    if (spec_.meaning) equations();
    change();
    if (sizes_.size() < 2 || !isThisOne()) return std::nullopt;
    return std::move(out_);
  }

 private:
  // ---- which uses have one size

  Use root(Use u) const {
    for (auto at = over_.find(u); at != over_.end() && at->second != u; at = over_.find(u)) u = at->second;
    return u;
  }
  void unite(const Use& a, const Use& b) {
    const Use x = root(a), y = root(b);
    if (x != y) over_[std::max(x, y)] = std::min(x, y);
  }
  // Loops and digits of the grid, and if `equation` is one, its indices.
  [[nodiscard]] std::vector<Use> usesIn(const Expr& e, int equation = -1) const {
    std::vector<Use> out;
    static_cast<void>(anyLeaf(e, [&](const Expr& l) {
      if (l.op() == Op::Digit && equation >= 0) out.emplace_back(Sized::Index, equation, l.index());
      if (l.op() != Op::Param) return false;
      const int v = l.index();
      if (program_.variables[v].kind == Variable::Kind::Loop) out.emplace_back(Sized::Steps, v, 0);
      if (const auto at = digitOf_.find(v); at != digitOf_.end()) out.emplace_back(Sized::Block, at->second, 0);
      return false;
    }));
    return out;
  }
  void uniteAll(const std::vector<Use>& all) {
    for (const Use& u : all) unite(all.front(), u);
  }
  void uniteWith(const Use& of, const Expr& e, int equation = -1) {
    for (const Use& u : usesIn(e, equation)) unite(of, u);
  }

  [[nodiscard]] bool grows(const Tensor& t) const {
    return std::ranges::any_of(t.extents, [&](const Expr& e) { return mentionsParam(e, size_); });
  }
  // The caller's, row-major, each dimension one mode.
  [[nodiscard]] bool isCompact(const Storage& storage) const {
    const Tensor& t = storage.declared;
    if (!storage.operand || t.memory != Memory::Global || t.levels.size() != 1 ||
        t.levels[0].dims.size() != t.extents.size())
      return false;
    Environment env;
    env.params.assign(program_.variables.size(), {1, i64{1} << 20});
    Expr stride = Expr::constant(1);
    for (std::size_t d = t.extents.size(); d-- > 0;) {
      const Dim& dim = t.levels[0].dims[d];
      const bool usual = dim.size() == 1 && dim[0].dim == static_cast<int>(d) && dim[0].size == t.extents[d] &&
                         (dim[0].size.isConstant(1) ||
                          (dim[0].step.isConstant(1) && simplified(dim[0].stride - stride, env).isConstant(0)));
      if (!usual) return false;
      stride = stride * t.extents[d];
    }
    return true;
  }

  void digits() {
    blocks_ = modesOf(spec_.blocks.front());
    for (int v = 0; v < std::ssize(program_.variables); ++v) {
      const Variable& variable = program_.variables[v];
      if (variable.kind != Variable::Kind::Index) continue;
      for (int k = 0; k < std::ssize(blocks_); ++k) {
        const Expr number = floorDiv(Expr::param(0), blocks_[k].stride);
        if (variable.value == tessera::mod(number, blocks_[k].size) || variable.value == number) digitOf_[v] = k;
      }
    }
  }

  void accesses() {
    for (const Site& site : sites_.sites)
      for (const Access& a : site.accesses) {
        if (a.storage < 0 || !compact_.contains(a.storage)) continue;
        for (std::size_t d = 0; d < a.view.origin.size(); ++d)
          uniteWith({Sized::Extent, a.storage, static_cast<int>(d)}, a.view.origin[d]);
      }
    for (Walk walk(spec_.body); const Statement* s = walk.next();) {
      if (const auto* l = std::get_if<Loop>(&s->what)) {
        const Variable& v = program_.variables[l->variable];
        for (const Expr* e : {&v.lo, &v.hi}) uniteWith({Sized::Steps, l->variable, 0}, *e);
      }
      if (const auto* branch = std::get_if<Branch>(&s->what))
        for (const Comparison& c : branch->condition) uniteAll(usesIn(c.left - c.right));
    }
  }

  // Of the operand, whose coordinates are those of the storage; -1: they are not.
  [[nodiscard]] int storageOf(std::size_t operand) const {
    const SpecNode& node = sites_.specs[0];
    const bool output = operand < spec_.outputs.size();
    const int storage = sites_.storageOf(output ? node.outputs[operand] : node.inputs[operand - spec_.outputs.size()]);
    const bool known = compact_.contains(storage) && isWhole(operandOf(spec_, operand), sites_.of(storage).declared);
    return known ? storage : -1;
  }

  void equations() {
    for (int e = 0; e < std::ssize(spec_.meaning->equations); ++e) {
      const Equation& equation = spec_.meaning->equations[e];
      if (equation.output >= 0)
        if (const int storage = storageOf(static_cast<std::size_t>(equation.output)); storage >= 0)
          for (int d = 0; d < equation.rank; ++d) unite({Sized::Index, e, d}, {Sized::Extent, storage, d});
      node(e, equation.node);
    }
  }
  void node(int e, int k) {
    spend(4);
    const MeaningNode& n = spec_.meaning->nodes[k];
    if (const auto [at, first] = equationOf_.try_emplace(k, e); !first && at->second != e)  // equations share it
      for (int d = 0; d < std::ssize(spec_.meaning->equations[e].variables); ++d)
        unite({Sized::Index, e, d}, {Sized::Index, at->second, d});
    for (int d = 0; d < std::ssize(n.at); ++d)
      if (const auto use = useAt(n, d)) uniteWith(*use, n.at[d], e);
    if (n.kind == MeaningNode::Kind::Reduce)
      for (const Expr& end : {n.lo, n.hi}) uniteWith({Sized::Index, e, n.variable}, end, e);
    for (const Comparison& c : n.condition) uniteAll(usesIn(c.left - c.right, e));
    for (const int part : n.parts) node(e, part);
  }
  // What index d of a reading is an index of.
  [[nodiscard]] std::optional<Use> useAt(const MeaningNode& n, int d) const {
    if (n.kind == MeaningNode::Kind::Named) return Use{Sized::Index, n.what, d};
    if (n.kind != MeaningNode::Kind::Operand) return std::nullopt;
    const int storage = storageOf(static_cast<std::size_t>(n.what));
    return storage < 0 ? std::nullopt : std::optional(Use{Sized::Extent, storage, d});
  }

  // ---- the new kernel

  [[nodiscard]] Expr with(const Expr& e, const Use& use) {
    if (!mentionsParam(e, size_)) return e;
    const Use of = root(use);
    auto at = sizes_.find(of);
    if (at == sizes_.end()) {
      int param = size_;
      if (!sizes_.empty()) {
        param = static_cast<int>(out_.variables.size());
        Variable v = program_.variables[size_];
        v.name += std::string(sizes_.size(), '\'');
        out_.variables.push_back(std::move(v));
      }
      at = sizes_.emplace(of, param).first;
    }
    std::vector<Expr> by;
    for (int v = 0; v < std::ssize(program_.variables); ++v) by.push_back(Expr::param(v == size_ ? at->second : v));
    return substitute(e, {}, by);
  }
  [[nodiscard]] Expr with(const Expr& e, const std::vector<Use>& uses) {
    return uses.empty() ? e : with(e, uses.front());
  }

  void change() {
    for (int s = 0; s < std::ssize(out_.operands); ++s) {
      if (!compact_.contains(s)) continue;
      Tensor& t = out_.operands[s];
      auto& strides = strides_[s];
      strides.assign(t.extents.size(), Expr::constant(1));
      for (int d = 0; d < std::ssize(t.extents); ++d) t.extents[d] = with(t.extents[d], Use{Sized::Extent, s, d});
      for (std::size_t d = t.extents.size(); d-- > 1;) strides[d - 1] = strides[d] * t.extents[d];
      view(t, s);
    }
    grid();
    for (const auto& [v, k] : digitOf_) {
      const Expr number = floorDiv(Expr::param(0), blocks_[k].stride);
      Expr& value = out_.variables[v].value;
      value = value == number ? floorDiv(Expr::param(0), newBlocks_[k].stride)
                              : tessera::mod(floorDiv(Expr::param(0), newBlocks_[k].stride), newBlocks_[k].size);
    }
    for (Walk walk(spec_.body); const Statement* s = walk.next();)
      if (const auto* l = std::get_if<Loop>(&s->what)) {
        for (Expr Variable::*end : {&Variable::lo, &Variable::hi}) {
          const Expr now = program_.variables[l->variable].*end;
          const Expr changed = with(now, Use{Sized::Steps, l->variable, 0});  // may add a variable
          out_.variables[l->variable].*end = changed;
        }
      }
    auto node = sites_.specs.begin();
    eachSpec(out_.specs, [&](Spec& spec) { specification(spec, *node++); });
    conditions(out_.specs);
    out_ = withSymbols(std::move(out_));
  }

  // An access is to the same coordinates; its addresses follow from the strides (tensor.h).
  void view(Tensor& t, int storage) {
    const std::vector<Expr>& strides = strides_.at(storage);
    t.extents = out_.operands[storage].extents;
    t.offset = Expr::constant(0);
    for (int d = 0; d < std::ssize(t.origin); ++d) {
      t.origin[d] = with(t.origin[d], Use{Sized::Extent, storage, d});
      t.offset = t.offset + t.origin[d] * strides[d];
    }
    for (Level& level : t.levels)
      for (Dim& dim : level.dims)
        for (Mode& m : dim) {
          m.size = with(m.size, Use{Sized::Extent, storage, m.dim});
          if (!m.size.isConstant(1)) m.stride = m.step * strides[m.dim];
        }
  }

  // The digits from the innermost, like their strides.
  void grid() {
    newBlocks_ = blocks_;
    Environment env;
    env.params.assign(program_.variables.size(), {1, i64{1} << 20});
    Expr before = Expr::constant(1), now = before;
    std::set<int> placed;
    for (std::size_t found = 0; found < blocks_.size(); ++found)
      for (int k = 0; k < std::ssize(blocks_); ++k) {
        const Mode& m = blocks_[k];
        if (placed.contains(k) || m.size.isConstant(1) || !simplified(m.stride - before, env).isConstant(0)) continue;
        placed.insert(k);
        before = before * m.size;
        newBlocks_[k].size = with(m.size, Use{Sized::Block, k, 0});
        newBlocks_[k].stride = now;
        now = now * newBlocks_[k].size;
        break;
      }
  }
  void blocks(Tensor& t) {
    if (modesOf(t) != blocks_ || t.levels != spec_.blocks.front().levels) return;
    std::size_t k = 0;
    for (Level& level : t.levels)
      for (Dim& dim : level.dims)
        for (Mode& m : dim) {
          const Mode& by = newBlocks_[k++];
          m.size = by.size;
          m.stride = by.stride;
          if (t.levels.size() == 1 && dim.size() == 1) t.extents[m.dim] = by.size;
        }
  }

  void specification(Spec& spec, const SpecNode& node) {
    const auto each = [&](std::vector<Tensor>& all, const std::vector<int>& nodes) {
      for (std::size_t k = 0; k < all.size(); ++k)
        if (const int s = sites_.storageOf(nodes[k]); compact_.contains(s)) view(all[k], s);
    };
    each(spec.outputs, node.outputs);
    each(spec.inputs, node.inputs);
    for (Tensor& t : spec.blocks) blocks(t);
    if (&node != &sites_.specs.front() || !spec.meaning) return;
    auto meaning = std::make_shared<Meaning>(*spec.meaning);
    for (const auto& [k, e] : equationOf_) {
      MeaningNode& n = meaning->nodes[k];
      for (int d = 0; d < std::ssize(n.at); ++d)
        if (const auto use = useAt(n, d)) n.at[d] = with(n.at[d], *use);
      if (n.kind == MeaningNode::Kind::Reduce)
        for (Expr* end : {&n.lo, &n.hi}) *end = with(*end, Use{Sized::Index, e, n.variable});
      if (n.kind == MeaningNode::Kind::Index) n.lo = with(n.lo, usesIn(n.lo, e));
      for (Comparison& c : n.condition) {
        const auto uses = usesIn(c.left - c.right, e);
        c.left = with(c.left, uses);
        c.right = with(c.right, uses);
      }
    }
    spec.meaning = std::move(meaning);
  }
  void conditions(Body& body) {
    for (Statement& s : body) {
      if (auto* branch = std::get_if<Branch>(&s.what))
        for (Comparison& c : branch->condition) {
          const auto uses = usesIn(c.left - c.right);
          c.left = with(c.left, uses);
          c.right = with(c.right, uses);
        }
      for (Body* inner : bodiesOf(s)) conditions(*inner);
    }
  }

  // With the new sizes equal to the old one, every expression has the value it had: at random numbers, as the new ones
  // are the old ones by construction.
  [[nodiscard]] bool isThisOne() const {
    std::vector<Expr> all[2];
    std::vector<Expr> same;
    for (int v = 0; v < std::ssize(out_.variables); ++v)
      same.push_back(Expr::param(v < std::ssize(program_.variables) ? v : size_));
    static_cast<void>(withExpressions(program_, [&](const Expr& e) { return all[0].push_back(e), e; }));
    static_cast<void>(withExpressions(out_, [&](const Expr& e) { return all[1].push_back(e), e; }));
    // Variables, operands and bodies are visited in order; the new variables come after the others.
    const std::size_t added = 3 * (out_.variables.size() - program_.variables.size()),
                      before = 3 * program_.variables.size();
    if (all[1].size() != all[0].size() + added) return false;
    all[1].erase(all[1].begin() + static_cast<std::ptrdiff_t>(before),
                 all[1].begin() + static_cast<std::ptrdiff_t>(before + added));
    std::size_t indices = 0;
    for (const Equation& e : spec_.meaning ? spec_.meaning->equations : std::vector<Equation>{})
      indices = std::max(indices, e.variables.size());
    std::mt19937 random(1);
    for (int round = 0; round < 8; ++round) {
      const auto number = [&] { return Expr::constant(static_cast<i64>(1 + random() % 61)); };
      std::vector<Expr> params, digits;
      for (std::size_t v = 0; v < program_.variables.size(); ++v) params.push_back(number());
      for (std::size_t d = 0; d < indices; ++d) digits.push_back(number());
      for (std::size_t k = 0; k < all[0].size(); ++k) {
        spend(2);
        if (all[0][k] == all[1][k]) continue;
        const Expr a = substitute(all[0][k], digits, params),
                   b = substitute(substitute(all[1][k], {}, same), digits, params);
        if (!a.isConstant() || !b.isConstant(a.value())) return false;
      }
    }
    return true;
  }

  const Sites& sites_;
  const Program& program_;
  const Spec& spec_;
  const int size_;
  Program out_;
  std::set<int> compact_;       // storages whose accesses and extents get new sizes
  std::map<Use, Use> over_;     // a smaller one with the same size
  std::map<Use, int> sizes_;    // the size of each class
  std::map<int, int> digitOf_;  // index variables that are digits of the grid
  std::map<int, int> equationOf_;
  std::map<int, std::vector<Expr>> strides_;
  std::vector<Mode> blocks_, newBlocks_;
};

}  // namespace

std::optional<Program> withSeparateSizes(const Sites& sites, int size) { return Separator(sites, size).run(); }

}  // namespace tessera::graphene
