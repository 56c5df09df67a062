// Resolves names to storage, compiles expressions to columns, and flattens the tree into steps.
#include "solver/emulate/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/arith.h"
#include "core/base/check.h"
#include "core/base/mapped.h"
#include "core/graphene/assumptions.h"
#include "solver/emulate/guards/open_program.h"

namespace tessera::graphene {
namespace {

constexpr std::size_t kMaxLeafSlots = 4096, kMaxBoxSlots = 1 << 16, kMaxColumns = 20'000, kMaxSlots = 1'000'000;
constexpr std::ptrdiff_t kMaxVariables = 64;

// The result; an error without a place is at `span`.
template <typename T>
Result<T> at(Span span, Result<T> result) {
  if (!result && result.error().span.empty()) result.error().span = span;
  return result;
}

class Planner {
 public:
  Planner(const Program& program, const PlanOptions& options) : program_(program), options_(options) {}

  Result<Plan> run() {
    TESSERA_CHECKED(variables());
    plan_.guards = options_.guards;
    scopes_.emplace_back();
    for (std::size_t k = 0; k < program_.operands.size(); ++k) {
      if (program_.operands[k].threads) continue;
      TESSERA_CHECKED(addRoot(program_.operands[k], {}, true));
      TESSERA_TRY(plan_.roots.back().guarded, open_.extentsOf(k));
    }
    for (const Statement& s : program_.specs) TESSERA_CHECKED(topLevel(s));
    TESSERA_CHECKED(copies());
    for (PlanLeaf& leaf : plan_.leaves) findOutsiders(leaf);
    return std::move(plan_);
  }

 private:
  using Code = PlanStep::Code;
  struct Scope {
    std::map<std::string, int> roots;                    // by view name, "%10"
    std::vector<std::pair<std::string, int>> variables;  // with their columns
  };

  // ---- variables and expressions

  Result<void> variables() {
    for (const Variable& v : program_.variables) switch (v.kind) {
        case Variable::Kind::Block:
          values_.push_back(Expr::digit(0));
          break;
        case Variable::Kind::Thread:
          values_.push_back(Expr::digit(1));
          break;
        case Variable::Kind::Size: {
          const auto given = options_.sizes.find(v.name);
          if (given == options_.sizes.end())
            return Diag{fmt::format("{0} is not known, so nothing can be run (--size {0}=... gives a number)", v.name),
                        "a number for each size"};
          if (given->second < 1) return Diag{fmt::format("{} is {}", v.name, given->second), "sizes of at least 1"};
          values_.push_back(Expr::constant(given->second));
          break;
        }
        case Variable::Kind::Loop:
          loopOf_[static_cast<int>(values_.size())] = static_cast<int>(plan_.loops.size());
          values_.push_back(Expr::digit(2 + static_cast<int>(plan_.loops.size())));
          plan_.loops.push_back({v.name, 0, 0, v.step, -1, {}});
          break;
        case Variable::Kind::Index:
          values_.push_back(substitute(v.value, {}, values_));
          break;
      }
    return holdAt(program_, options_.sizes);
  }

  [[nodiscard]] Expr known(const Expr& e) const { return substitute(e, {}, values_); }

  Tensor known(Tensor t) const {
    for (Level& level : t.levels)
      for (Dim& dim : level.dims)
        for (Mode& m : dim)
          for (Expr* e : {&m.size, &m.stride, &m.step}) *e = known(*e);
    for (Expr& e : t.extents) e = known(e);
    for (Expr& e : t.origin) e = known(e);
    t.offset = known(t.offset);
    return t;
  }
  [[nodiscard]] std::vector<Tensor> known(const std::vector<Tensor>& all) const {
    return mapped<Tensor>(all, [&](const Tensor& t) { return known(t); });
  }

  // The column of an expression already resolved by `known`.
  Result<int> column(const Expr& e, Span span) {
    if (const auto found = columnOf_.find(e.id()); found != columnOf_.end()) return found->second;
    TESSERA_TRY(std::vector<int> loops, at(span, loopsOf(e)));
    if (plan_.columns.size() >= kMaxColumns)
      return Diag{"this program has too many distinct index expressions to be run", "a shorter one", "", span};
    const int index = static_cast<int>(plan_.columns.size());
    plan_.columns.push_back({e, tessera::Program::compile(e), std::move(loops)});
    columnOf_[e.id()] = index;
    return index;
  }

  // ---- storage

  Result<void> addRoot(const Tensor& tensor, Span span, bool operand) {
    Root root{.tensor = known(tensor), .span = span, .operand = operand, .memory = tensor.memory};
    if (tensor.memory == Memory::None)
      return Diag{fmt::format("{} has no memory space", nameOf(tensor)), ".GL, .SH or .RF after the element type", "",
                  span};
    if (!operand && tensor.memory == Memory::Global)
      return Diag{fmt::format("{} is a temporary in global memory", nameOf(tensor)), ".SH or .RF", "", span};
    TESSERA_TRY(root.type, at(span, numberFormat(isBarrier(tensor) ? "u32" : tensor.element)));
    TESSERA_TRY(root.places, at(span, placesOf(root.tensor)));
    if (isBarrier(tensor)) TESSERA_CHECKED(addBarriers(root, span));
    total_ += root.places;
    if (total_ > kMaxPlaces)
      return Diag{"the tensors of this program are too large to be run", "smaller ones", "", span};
    scopes_.back().roots[nameOf(tensor)] = static_cast<int>(plan_.roots.size());
    owners_.push_back(parent_);
    plan_.roots.push_back(std::move(root));
    return {};
  }

  Result<void> addBarriers(Root& root, Span span) {
    constexpr i64 kMost = 1024;
    if (!loopsHere_.empty())
      return Diag{"a barrier is declared inside a loop", "the declaration before the loop", "", span};
    root.barriers = static_cast<int>(plan_.barrierCount);
    plan_.barrierCount += root.places;
    if (plan_.barrierCount > kMost)
      return Diag{"this program has too many barriers to be run", fmt::format("at most {}", kMost), "", span};
    return {};
  }

  // Requires that every kernel has been read.
  Result<void> copies() {
    for (const int k : plan_.kernels) {
      plan_.blocks = std::max(plan_.blocks, plan_.specs[k].blocks);
      plan_.threads = std::max(plan_.threads, plan_.specs[k].threads);
    }
    i64 total = 0;
    for (Root& r : plan_.roots) {
      if (r.memory != Memory::Global && r.operand) r.copies *= plan_.blocks;
      if (r.memory == Memory::Register) r.copies *= plan_.threads;
      const auto all = checkedMul(r.places, r.copies);
      if (!all || (total += std::min(*all, kMaxPlaces)) >= kMaxPlaces)
        return Diag{"the tensors of this program, over all threads, are too large to be run",
                    fmt::format("at most {} places", kMaxPlaces), "", r.span};
    }
    return {};
  }

  [[nodiscard]] int rootOf(const std::string& name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto found = scope->roots.find(name); found != scope->roots.end()) return found->second;
    LAYOUT_CHECK(false, "readProgram accepts no unknown names");
    return 0;
  }

  [[nodiscard]] std::vector<std::pair<std::string, int>> visible() const {
    std::vector<std::pair<std::string, int>> out;
    for (const Scope& scope : scopes_) out.insert(out.end(), scope.variables.begin(), scope.variables.end());
    if (std::ssize(out) > kMaxVariables) out.erase(out.begin(), out.end() - kMaxVariables);  // keep the innermost
    return out;
  }

  // ---- operands

  Result<PlanOperand> place(const Tensor& tensor, Span span) {
    PlanOperand out;
    out.name = nameOf(tensor);
    out.root = rootOf(out.name);
    const Tensor t = known(tensor);
    TESSERA_TRY(out.offset, column(t.offset, span));
    for (const Expr& e : t.origin) {
      TESSERA_TRY(const int c, column(e, span));
      out.origin.push_back(c);
    }
    for (const Expr& e : t.extents) {
      if (!e.isConstant()) return Diag{fmt::format("an extent of {} is not known", out.name), "a number", "", span};
      out.extents.push_back(e.value());
    }
    if (const Root& root = plan_.roots[out.root]; !root.guarded.empty() && t.extents != root.tensor.extents)
      return Diag{fmt::format("{} has other extents than its tensor, which has a guarded size", out.name),
                  "the tensor's", "", span};
    out.swizzle = t.swizzle;
    return out;
  }

  Result<PlanOperand> leafOperand(const Tensor& tensor, Span span, std::size_t most) {
    TESSERA_TRY(PlanOperand out, place(tensor, span));
    TESSERA_TRY(out.slots, at(span, slotsOf(known(tensor), static_cast<i64>(most))));
    slots_ += out.slots.count;
    if (slots_ > kMaxSlots)
      return Diag{"the instructions of this program have too many operands to be run", "a shorter one", "", span};
    out.reach.resize(out.slots.dims);
    for (std::size_t k = 0; k < out.slots.coordinates.size(); ++k) {
      auto& [from, to] = out.reach[k % out.slots.dims];
      from = std::min(from, out.slots.coordinates[k]);
      to = std::max(to, out.slots.coordinates[k]);
    }
    out.dense = out.swizzle.isIdentity();
    for (std::size_t s = 0; s < out.slots.count; ++s)
      out.dense = out.dense && out.slots.addresses[s] == static_cast<i64>(s);
    return out;
  }

  // ---- statements

  Result<void> topLevel(const Statement& s) {
    const auto* spec = std::get_if<Spec>(&s.what);
    if (spec == nullptr) return statement(s);
    if (spec->kind == SpecKind::Allocate && !spec->decomposed) return {};
    if (spec->blocks.empty())
      return Diag{"a kernel states its blocks and threads", "<<<#blocks, #threads>>>", "", s.span};
    kernel_ = static_cast<int>(plan_.specs.size());
    plan_.kernels.push_back(kernel_);
    TESSERA_CHECKED(decomposition(*spec, s.span));
    return plain(Code::Stop, 0, s.span);
  }

  std::size_t step(Code code, int index, Span span) {
    plan_.steps.push_back({code, index, 0, span});
    return plan_.steps.size() - 1;
  }
  Result<void> plain(Code code, int index, Span span) {
    step(code, index, span);
    return {};
  }

  // `variables`: those that the body begins with.
  Result<void> scoped(const Body& statements, const std::vector<std::pair<std::string, int>>& variables = {}) {
    scopes_.push_back({{}, variables});
    for (const Statement& s : statements) TESSERA_CHECKED(statement(s));
    scopes_.pop_back();
    return {};
  }

  Result<void> statement(const Statement& s) {
    return std::visit([&](const auto& what) { return one(what, s.span); }, s.what);
  }

  Result<void> one(const Define& d, Span) {
    if (!d.tensor.threads) scopes_.back().roots[nameOf(d.tensor)] = rootOf(d.source);
    return {};
  }
  Result<void> one(const Temporary& t, Span span) {
    TESSERA_CHECKED(addRoot(t.tensor, span, false));
    return plain(Code::Fresh, static_cast<int>(plan_.roots.size()) - 1, span);
  }
  Result<void> one(const Indices& indices, Span span) {
    for (const auto& level : indices.variables)
      for (const auto& dim : level)
        for (const int v : dim) {
          TESSERA_TRY(const int c, column(values_[v], span));
          scopes_.back().variables.emplace_back(program_.variables[v].name, c);
        }
    return {};
  }
  Result<void> one(const Loop& loop, Span span) {
    const Variable& v = program_.variables[loop.variable];
    const int index = loopOf_.at(loop.variable);
    PlanLoop& row = plan_.loops[index];
    TESSERA_TRY(row.lo, column(known(v.lo), span));
    TESSERA_TRY(row.hi, column(known(v.hi), span));
    TESSERA_CHECKED(open_.ends(loop, row, span));
    const std::size_t head = step(Code::Loop, index, span);
    TESSERA_TRY(const int self, column(Expr::digit(2 + index), span));
    loopsHere_.push_back(index);
    TESSERA_CHECKED(scoped(loop.body, {{v.name, self}}));
    loopsHere_.pop_back();
    const std::size_t tail = step(Code::EndLoop, index, span);
    plan_.steps[tail].target = head + 1;
    plan_.steps[head].target = tail + 1;
    return {};
  }
  Result<void> one(const Branch& branch, Span span) {
    std::vector<PlanComparison> condition;
    for (std::size_t k = 0; k < branch.condition.size(); ++k) {
      const Comparison& c = branch.condition[k];
      TESSERA_TRY(const GuardedComparison guard, open_.comparison(branch, k, span));
      TESSERA_TRY(const int left, column(known(guard.size.guard < 0 ? c.left : guard.left), span));
      TESSERA_TRY(const int right, column(known(c.right), span));
      condition.push_back({left, right, guard.size.guard < 0 ? c.op : guard.op, guard.size.guard, guard.size.unit});
    }
    plan_.conditions.push_back(std::move(condition));
    const std::size_t head = step(Code::If, static_cast<int>(plan_.conditions.size()) - 1, span);
    TESSERA_CHECKED(scoped(branch.then));
    const std::size_t middle = step(Code::Else, 0, span);
    TESSERA_CHECKED(scoped(branch.otherwise));
    const std::size_t tail = step(Code::EndIf, 0, span);
    plan_.steps[head].target = middle;
    plan_.steps[middle].target = tail;
    return {};
  }
  Result<void> one(const Sync& s, Span span) { return plain(s.warp ? Code::SyncWarp : Code::Sync, 0, span); }
  Result<void> one(const Commit& c, Span span) {
    return plain(c.product ? Code::ProductCommit : Code::Commit, 0, span);
  }
  Result<void> one(const Wait& w, Span span) {
    return plain(w.product ? Code::ProductWait : Code::Wait, w.pending, span);
  }
  Result<void> one(const Fence& f, Span span) {
    return plain(f.async ? Code::AsyncFence : Code::ProductFence, 0, span);
  }
  Result<void> one(const Mbarrier& m, Span span) {
    TESSERA_TRY(PlanBarrier out, barrier(m.barrier, span));
    out.op = m.op;
    if (m.op == Mbarrier::Op::Init || m.op == Mbarrier::Op::Wait) {
      TESSERA_TRY(out.value, column(known(m.value), span));
    }
    for (const Tensor& t : m.data) {
      TESSERA_TRY(const FlatSlots slots, at(span, slotsOf(known(t), kMaxPlaces)));
      TESSERA_TRY(const NumberFormat type, numberFormat(t.element));
      out.bytes += static_cast<i64>(slots.count) * type.bits / 8;
    }
    step(Code::Barrier, static_cast<int>(plan_.barriers.size()), span);
    plan_.barriers.push_back(out);
    return {};
  }
  Result<PlanBarrier> barrier(const Tensor& tensor, Span span) {
    PlanBarrier out;
    out.root = rootOf(nameOf(tensor));
    TESSERA_TRY(out.offset, column(known(tensor.offset), span));
    return out;
  }
  Result<void> one(const Spec& spec, Span span) {
    if (spec.decomposed) return decomposition(spec, span);
    if (spec.kind != SpecKind::Allocate) return leaf(spec, span);
    return plain(Code::Fresh, rootOf(nameOf(spec.outputs[0])), span);
  }

  // ---- specifications

  // Threads of a group relative to its offset; none if each thread works alone.
  template <class Of>
  Result<void> group(const Tensor& threads, Of& of) {
    TESSERA_TRY(FlatSlots slots, at(of.span, slotsOf(known(threads), kMaxThreads)));
    if (slots.count != 1) of.members = std::move(slots.addresses);
    TESSERA_TRY(of.group, column(known(threads.offset), of.span));
    return {};
  }
  template <class Of, class Place>
  Result<void> operands(const Spec& spec, Of& of, Place placed) {
    for (std::size_t k = 0; k < spec.outputs.size() + spec.inputs.size(); ++k) {
      TESSERA_TRY(PlanOperand operand, placed(operandOf(spec, k)));
      of.operands.push_back(std::move(operand));
    }
    return {};
  }

  Result<void> decomposition(const Spec& spec, Span span) {
    const int index = static_cast<int>(plan_.specs.size());
    PlanSpec out{.spec = &spec,
                 .span = span,
                 .outputs = static_cast<int>(spec.outputs.size()),
                 .parent = parent_,
                 .kernel = kernel_,
                 .loops = loopsHere_,
                 .variables = visible()};
    TESSERA_CHECKED(operands(spec, out, [&](const Tensor& t) { return place(t, span); }));
    if (!spec.threads.empty()) TESSERA_CHECKED(group(spec.threads[0], out));
    if (index == kernel_) {
      TESSERA_TRY(out.blocks, launchOf(known(spec.blocks[0]), i64{1} << 24, span));
      TESSERA_TRY(out.threads, launchOf(known(spec.threads[0]), kMaxThreads, span));
    }
    out.begin = step(Code::Enter, index, span);
    plan_.specs.push_back(std::move(out));
    if (!plan_.guards.empty()) plan_.open.push_back(open_.of(spec));
    const int outer = std::exchange(parent_, index);
    if (spec.decomposed) {
      TESSERA_CHECKED(scoped(spec.body));
    } else {
      TESSERA_CHECKED(leaf(spec, span));
    }
    parent_ = outer;
    plan_.specs[index].end = step(Code::Exit, index, span);
    return {};
  }

  Result<void> leaf(const Spec& spec, Span span) {
    Spec numbers = spec;
    for (auto* tensors : {&numbers.outputs, &numbers.inputs, &numbers.blocks, &numbers.threads})
      *tensors = known(*tensors);
    TESSERA_TRY(Atom atom, at(span, matchAtom(numbers, options_.architecture)));
    PlanLeaf out{.spec = &spec, .span = span, .atom = std::move(atom), .parent = parent_, .variables = visible()};
    out.outputs = static_cast<int>(spec.outputs.size());
    const std::size_t most = out.atom.box ? kMaxBoxSlots : kMaxLeafSlots;
    TESSERA_CHECKED(operands(spec, out, [&](const Tensor& t) { return leafOperand(t, span, most); }));
    if (out.atom.lanes > 1) {
      if (spec.threads.empty())
        return Diag{fmt::format("{} is executed by {} threads, but none are given", out.atom.name, out.atom.lanes),
                    "<<<#blocks, #threads>>>", "", span};
      TESSERA_CHECKED(group(spec.threads[0], out));
    }
    TESSERA_CHECKED(fitAtom(out));
    for (int k = 0; k < out.outputs; ++k) plan_.roots[out.operands[k].root].written = true;
    for (const PlanOperand& op : out.operands) {
      Root& root = plan_.roots[op.root];
      root.sums = root.sums || (out.atom.deferred && !op.matrix);
      root.matrix = root.matrix || op.matrix || (out.atom.box && root.memory == Memory::Shared);
    }
    if (out.atom.box) {
      TESSERA_TRY(const PlanBarrier where, barrier(spec.barriers[0], span));
      out.barrier = static_cast<int>(plan_.barriers.size());
      plan_.barriers.push_back(where);
    }
    step(Code::Leaf, static_cast<int>(plan_.leaves.size()), span);
    plan_.leaves.push_back(std::move(out));
    return {};
  }

  // O3: every decomposition between the leaf and the declaration of the root must name the root.
  void findOutsiders(PlanLeaf& leaf) const {
    for (std::size_t k = 0; k < leaf.operands.size(); ++k) {
      PlanOperand& operand = leaf.operands[k];
      const bool writes = static_cast<int>(k) < leaf.outputs;
      const int owner = owners_[operand.root];
      for (int s = leaf.parent; s >= 0 && s != owner; s = plan_.specs[s].parent) {
        const PlanSpec& spec = plan_.specs[s];
        const std::size_t count = writes ? static_cast<std::size_t>(spec.outputs) : spec.operands.size();
        const bool named = std::ranges::any_of(std::span(spec.operands).first(count),
                                               [&](const PlanOperand& o) { return o.root == operand.root; });
        operand.outside = operand.outside || !named;
      }
    }
  }

  const Program& program_;
  const PlanOptions& options_;
  OpenProgram open_{program_, options_};
  Plan plan_;
  std::vector<Expr> values_;   // of the variables, over digits
  std::map<int, int> loopOf_;  // by variable
  std::map<const void*, int> columnOf_;
  std::vector<Scope> scopes_;
  std::vector<int> owners_;  // by root: the decomposition it is declared in
  std::vector<int> loopsHere_;
  int parent_ = -1, kernel_ = 0;
  i64 total_ = 0;
  std::size_t slots_ = 0;
};

}  // namespace

i64 valueOf(const Plan& plan, int column, i64 block, i64 thread, std::span<const i64> loops) {
  std::vector<i64> digits{block, thread};
  digits.insert(digits.end(), loops.begin(), loops.end());
  digits.resize(2 + plan.loops.size(), 0);
  return plan.columns[column].program.run(digits);
}

Result<Plan> makePlan(const Program& program, const PlanOptions& options) { return Planner(program, options).run(); }

}  // namespace tessera::graphene
