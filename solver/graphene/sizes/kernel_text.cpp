#include "solver/graphene/sizes/kernel_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/work_budget.h"
#include "core/graphene/meaning.h"
#include "core/graphene/walk.h"
#include "solver/graphene/z3/z3_kernel.h"

namespace tessera::graphene {
namespace {

bool isConstantLoop(const Variable& v) { return v.lo.isConstant() && v.hi.isConstant() && v.lo.value() < v.hi.value(); }

class TextReader {
 public:
  TextReader(const Sites& sites, int kernel, const std::vector<int>& loops, int repeats)
      : sites_(sites), kernel_(kernel), loops_(loops), repeats_(repeats) {}

  Result<KernelText> read() {
    int number = kernel_;
    const Body& body = sites_.specs[kernel_].spec->body;
    TextRegions regions(*sites_.program, body, loops_);
    for (std::size_t l = 0; l < loops_.size(); ++l) out_.loops.push_back({loops_[l], regions.ways()[l]});
    for (Walk walk(body); const Statement* s = walk.next();) {
      spend(1);
      const auto loops = walk.around<Loop>();
      const TextPlace where = regions.next(walk, *s);
      inside_ = where.loop < 0 ? nullptr : &out_.loops[static_cast<std::size_t>(where.loop)];
      if (const auto* loop = std::get_if<Loop>(&s->what)) {
        const bool grows = std::ranges::find(loops_, loop->variable) != loops_.end();
        if (grows || loop->variable == repeats_) {
          if (!loops.empty()) return Diag{fmt::format("the loop {} is inside another loop", nameOf(loop->variable))};
          if (loop->variable == repeats_) TESSERA_CHECKED(apart(*loop, where));
          continue;
        }
        fix(variable(loop->variable).lo, where);
        fix(variable(loop->variable).hi, where, /*isEnd=*/true);
      }
      if (const auto* branch = std::get_if<Branch>(&s->what))
        for (const Comparison& c : branch->condition) out_.decided.push_back({c, where});
      if (const auto* temporary = std::get_if<Temporary>(&s->what))
        for (const Mode& m : modesOf(temporary->tensor)) {
          fix(m.size, where);
          fix(m.stride, where);
        }
      if (const auto* barrier = std::get_if<Mbarrier>(&s->what)) TESSERA_CHECKED(counted(*s, *barrier, where));
      order(*s, where, inside_ != nullptr && isInEachStep(walk, *inside_));
      if (std::holds_alternative<Spec>(s->what)) TESSERA_CHECKED(specification(++number, where));
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Variable& variable(int v) const { return sites_.program->variables[v]; }
  [[nodiscard]] const std::string& nameOf(int v) const { return variable(v).name; }
  void fix(const Expr& e, const TextPlace& where, bool isEnd = false) {
    if (!e.isConstant()) out_.fixed.push_back({e, where, isEnd});
  }
  // In each iteration of the loop, by all threads that execute the loop.
  [[nodiscard]] bool isInEachStep(const Walk& walk, const TextLoop& loop) const {
    const auto loops = walk.around<Loop>();
    return walk.around<Branch>().size() == loop.ways.size() && std::ranges::all_of(loops, [&](const Loop* l) {
             return l->variable == loop.variable || isConstantLoop(variable(l->variable));
           });
  }
  // The loops whose threads may execute a statement there.
  template <class Change>
  void eachLoopOf(const TextPlace& where, Change change) {
    for (TextLoop& l : out_.loops)
      if (inside_ != nullptr ? inside_ == &l : !exclude(l.ways, where.ways, sites_.program->variables)) change(l);
  }

  // Statements that order others. `always`: in each step.
  void order(const Statement& s, const TextPlace& where, bool always) {
    if (const auto* sync = std::get_if<Sync>(&s.what))
      out_.meets = out_.meets || (always && !sync->warp && where.ways.empty());
    if (const auto* fence = std::get_if<Fence>(&s.what); fence != nullptr && fence->async && always)
      inside_->fences = true;
    if (const auto* commit = std::get_if<Commit>(&s.what); commit != nullptr && always)
      (commit->product ? inside_->products : inside_->copies).commits = true;
    if (const auto* wait = std::get_if<Wait>(&s.what))
      eachLoopOf(where, [&](TextLoop& l) {
        TextGroups& groups = wait->product ? l.products : l.copies;
        groups.pending = std::max(groups.pending, static_cast<i64>(wait->pending));
        groups.waits = groups.waits || always;
      });
  }

  Result<void> counted(const Statement& s, const Mbarrier& m, const TextPlace& where) {
    const int storage = sites_.storageOf(sites_.mbarriers.at(&s));
    if (storage < 0) return Diag{"a barrier has no storage"};
    out_.stored.push_back({storage, &m.barrier, where});
    if (m.op == Mbarrier::Op::Init) fix(m.value, where);
    if (m.op == Mbarrier::Op::Wait) out_.waited.push_back({storage, &m, where});
    for (const Tensor& t : m.data)
      for (const Mode& mode : modesOf(t)) fix(mode.size, where);
    return {};
  }

  // Whether the iterations do not see each other.
  [[nodiscard]] Result<void> apart(const Loop& loop, const TextPlace& where) const {
    const std::string name = nameOf(repeats_);
    if (!where.ways.empty()) return Diag{fmt::format("the loop {} is inside a condition", name)};
    for (Walk walk(loop.body); const Statement* s = walk.next();) {
      const auto* sync = std::get_if<Sync>(&s->what);
      const bool waits = (sync != nullptr && !sync->warp) || std::holds_alternative<Commit>(s->what) ||
                         std::holds_alternative<Wait>(s->what) || std::holds_alternative<Fence>(s->what) ||
                         std::holds_alternative<Mbarrier>(s->what);
      if (waits) return Diag{fmt::format("the iterations of {} wait for each other", name)};
    }
    for (const Site& site : sites_.sites) {
      const bool inside = std::ranges::find(site.loops, repeats_) != site.loops.end();
      if (site.specs.front() != kernel_ || !inside) continue;
      if (site.spec->attribute.starts_with("async") || site.spec->attribute.starts_with("bulk"))
        return Diag{fmt::format("the iterations of {} start copies", name)};
      if (site.accesses.size() != site.spec->outputs.size() + site.spec->inputs.size())
        return Diag{"an operand has no storage"};
      for (const Access& a : site.accesses) {
        if (a.storage < 0) return Diag{"an operand has no storage"};
        const Storage& storage = sites_.of(a);
        const bool own = std::ranges::find(storage.loops, repeats_) != storage.loops.end();
        if (storage.declared.memory == Memory::Shared)
          return Diag{fmt::format("the iterations of {} share memory", name)};
        if (!a.write || own) continue;
        if (storage.declared.memory != Memory::Global || isRead(a.storage))
          return Diag{fmt::format("an iteration of {} may read what another writes", name)};
      }
    }
    return {};
  }
  [[nodiscard]] bool isRead(int storage) const {
    return std::ranges::any_of(sites_.sites, [&](const Site& s) {
      return s.specs.front() == kernel_ &&
             std::ranges::any_of(s.accesses, [&](const Access& a) { return a.storage == storage && a.read; });
    });
  }

  Result<void> specification(int number, const TextPlace& where) {
    const SpecNode& node = sites_.specs[number];
    const Spec& spec = *node.spec;
    if (spec.kind == SpecKind::Allocate) return {};
    for (const auto* groups : {&spec.blocks, &spec.threads})
      for (const Tensor& t : *groups)
        if (t.threads && groups == &spec.threads) {
          fix(t.offset, where);
          for (const Mode& m : modesOf(t)) fix(m.size, where);
        }
    const bool leaf = node.leaf >= 0, states = functionOf(spec) != SpecKind::Generic || spec.meaning;
    const bool ofAll = isAround(spec);
    for (std::size_t k = 0; k < spec.outputs.size() + spec.inputs.size(); ++k) {
      const bool output = k < spec.outputs.size();
      const int storage = sites_.storageOf(output ? node.outputs[k] : node.inputs[k - spec.outputs.size()]);
      if (storage < 0) return Diag{"an operand has no storage"};
      if (leaf || output || states) TESSERA_CHECKED(operand(operandOf(spec, k), storage, where, ofAll && !output));
      if (!leaf) continue;
      const Memory memory = sites_.of(storage).declared.memory;
      out_.shares = out_.shares || memory == Memory::Shared;
      if (k == 0) TESSERA_CHECKED(instruction(spec, node, memory, where));
      if (!output || memory != Memory::Global) continue;
      out_.written.insert(storage);
      if (where.where == TextRegion::Inside)
        return Diag{fmt::format("{} is written in each step of {}", graphene::nameOf(operandOf(spec, k)),
                                nameOf(inside_->variable))};
    }
    if (spec.meaning && !leaf)
      for (const MeaningNode& n : spec.meaning->nodes) {
        std::vector<Expr>& all = ofAll ? out_.statedOfAll : out_.stated;
        all.insert(all.end(), n.at.begin(), n.at.end());
        for (const Comparison& c : n.condition) all.insert(all.end(), {c.left, c.right});
        all.insert(all.end(), {n.lo, n.hi});
      }
    return {};
  }

  // `memory`: of its output.
  Result<void> instruction(const Spec& spec, const SpecNode& node, Memory memory, const TextPlace& where) {
    const auto site = std::ranges::find(sites_.sites, node.leaf, &Site::leaf);
    if (site == sites_.sites.end() || !site->atom) return Diag{"a leaf is an instruction only at some sizes"};
    const bool copies = site->atom->async, products = site->atom->deferred, bulk = site->atom->box.has_value();
    for (const Access& a : site->accesses)
      if ((products || bulk) && sites_.of(a).declared.memory == Memory::Shared) out_.proxied.insert(a.storage);
    if (inside_ != nullptr && memory == Memory::Shared && !bulk)
      inside_->plain.insert(sites_.storageOf(node.outputs[0]));
    eachLoopOf(where, [&](TextLoop& l) {
      l.copies.issued = l.copies.issued || copies;
      l.products.issued = l.products.issued || products;
    });
    for (std::size_t b = 0; b < spec.barriers.size(); ++b) {
      const int storage = sites_.storageOf(node.barriers[b]);
      if (storage < 0) return Diag{"a barrier has no storage"};
      out_.stored.push_back({storage, &spec.barriers[b], where});
    }
    return {};
  }

  [[nodiscard]] bool isAround(const Spec& spec) const {
    for (Walk walk(spec.body); const Statement* s = walk.next();)
      if (const auto* l = std::get_if<Loop>(&s->what);
          l != nullptr && std::ranges::find(loops_, l->variable) != loops_.end())
        return true;
    return false;
  }

  // `ofAll`: it may have more elements with more steps.
  Result<void> operand(const Tensor& t, int storage, const TextPlace& where, bool ofAll) {
    const bool global = sites_.of(storage).declared.memory == Memory::Global;
    if (global && !t.swizzle.isIdentity()) return Diag{fmt::format("{} is swizzled", graphene::nameOf(t))};
    for (const Mode& m : modesOf(t)) {
      if (!ofAll || !global) fix(m.size, where);
      fix(m.step, where);
      if (!global) fix(m.stride, where);
    }
    if (global) {
      out_.placed.push_back({storage, t.origin, where});
    } else {
      out_.stored.push_back({storage, &t, where});
    }
    return {};
  }

  const Sites& sites_;
  const int kernel_;
  const std::vector<int>& loops_;
  const int repeats_;
  KernelText out_;
  TextLoop* inside_ = nullptr;  // of out_.loops: the one around the statement
};

}  // namespace

Result<KernelText> kernelText(const Sites& sites, int kernel, const std::vector<int>& loops, int repeats) {
  return TextReader(sites, kernel, loops, repeats).read();
}

}  // namespace tessera::graphene
