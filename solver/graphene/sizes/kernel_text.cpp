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
  TextReader(const Sites& sites, int kernel, int loop, int repeats)
      : sites_(sites), kernel_(kernel), loop_(loop), repeats_(repeats) {}

  Result<KernelText> read() {
    int number = kernel_;
    bool reached = false;
    for (Walk walk(sites_.specs[kernel_].spec->body); const Statement* s = walk.next();) {
      spend(1);
      const auto loops = walk.around<Loop>();
      const bool inside = std::ranges::any_of(loops, [&](const Loop* l) { return l->variable == loop_; });
      TextPlace where{inside ? TextRegion::Inside : reached && loop_ >= 0 ? TextRegion::After : TextRegion::Before};
      for (const Walk::Level& level : walk.open())
        if (const auto* around = level.of == nullptr ? nullptr : std::get_if<Branch>(&level.of->what))
          where.ways.push_back({around, level.body == &around->then});
      if (const auto* loop = std::get_if<Loop>(&s->what)) {
        if (loop->variable == loop_ || loop->variable == repeats_) {
          if (!loops.empty() || !walk.around<Branch>().empty())
            return Diag{fmt::format("the loop {} is inside another loop or a condition", nameOf(loop->variable))};
          if (loop->variable == repeats_) TESSERA_CHECKED(apart(*loop));
          reached = true;
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
      if (std::holds_alternative<Mbarrier>(s->what)) return Diag{"mbarriers are not followed"};
      if (const auto* fence = std::get_if<Fence>(&s->what); fence != nullptr) return Diag{"wgmma is not followed"};
      const bool always = inside && isUnconditional(walk);
      if (const auto* sync = std::get_if<Sync>(&s->what)) out_.meets = out_.meets || (always && !sync->warp);
      if (std::holds_alternative<Commit>(s->what)) out_.commits = out_.commits || always;
      if (const auto* wait = std::get_if<Wait>(&s->what)) {
        out_.pending = std::max(out_.pending, static_cast<i64>(wait->pending));
        out_.waits = out_.waits || always;
      }
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
  // In each iteration of the loop that grows.
  [[nodiscard]] bool isUnconditional(const Walk& walk) const {
    const auto loops = walk.around<Loop>();
    return walk.around<Branch>().empty() && std::ranges::all_of(loops, [&](const Loop* l) {
             return l->variable == loop_ || isConstantLoop(variable(l->variable));
           });
  }

  // Whether the iterations do not see each other.
  [[nodiscard]] Result<void> apart(const Loop& loop) const {
    const std::string name = nameOf(repeats_);
    for (Walk walk(loop.body); const Statement* s = walk.next();) {
      const auto* sync = std::get_if<Sync>(&s->what);
      const bool waits = (sync != nullptr && !sync->warp) || std::holds_alternative<Commit>(s->what) ||
                         std::holds_alternative<Wait>(s->what);
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
      out_.copies = out_.copies || spec.attribute == "async";
      if (!output || memory != Memory::Global) continue;
      out_.written.insert(storage);
      if (where.where == TextRegion::Inside)
        return Diag{
            fmt::format("{} is written in each step of {}", graphene::nameOf(operandOf(spec, k)), nameOf(loop_))};
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

  [[nodiscard]] bool isAround(const Spec& spec) const {
    for (Walk walk(spec.body); const Statement* s = walk.next();)
      if (const auto* l = std::get_if<Loop>(&s->what); l != nullptr && l->variable == loop_) return true;
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
  int kernel_, loop_, repeats_;
  KernelText out_;
};

}  // namespace

Result<KernelText> kernelText(const Sites& sites, int kernel, int loop, int repeats) {
  return TextReader(sites, kernel, loop, repeats).read();
}

}  // namespace tessera::graphene
