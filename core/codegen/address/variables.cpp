#include "core/codegen/address/variables.h"

#include <algorithm>
#include <set>

#include "core/codegen/operand/place.h"
#include "core/graphene/slots/slots.h"
#include "core/graphene/walk.h"

namespace tessera::codegen {

using namespace graphene;

namespace {

constexpr i64 kMostStages = 8;

constexpr i64 kFewTrips = 8;  // so many iterations are unrolled whole if registers depend on them

struct Staged {
  int variable = 0;
  i64 stages = 1;
  bool ofRegisters = false;  // the number of a register depends on it
};

// The loops of a body, at any depth, whose variable is used modulo a number of stages, (kt + c) mod n.
std::vector<Staged> stagedLoops(const Program& program, const Body& body) {
  std::vector<Staged> found;
  std::set<int> ofRegisters;
  for (Walk walk(body); const Statement* s = walk.next();) {
    const auto* spec = std::get_if<Spec>(&s->what);
    if (spec == nullptr) continue;
    const std::vector<const Loop*> around = walk.around<Loop>();
    const auto look = [&](const Expr& x) {
      if (x.op() != Op::Mod || !x.rhs().isConstant()) return;
      const i64 n = x.rhs().value();
      Expr left = x.lhs();
      if (left.op() == Op::Add && left.rhs().isConstant()) left = left.lhs();
      if (n < 2 || n > kMostStages || left.op() != Op::Param) return;
      const int k = left.index();
      const Variable& v = program.variables[static_cast<std::size_t>(k)];
      if (v.step != 1 || !v.lo.isConstant()) return;
      const bool open = std::ranges::any_of(around, [&](const Loop* l) { return l->variable == k; });
      // The first number of stages decides.
      const bool known = std::ranges::find(found, k, &Staged::variable) != found.end();
      if (open && !known) found.push_back({k, n});
    };
    for (const auto* tensors : {&spec->outputs, &spec->inputs})
      for (const Tensor& t : *tensors) {
        childrenFirst(t.offset, look);
        if (t.memory != Memory::Register) continue;
        for (const int p : paramsOf(t.offset)) ofRegisters.insert(p);
      }
  }
  for (Staged& s : found) s.ofRegisters = ofRegisters.count(s.variable) != 0;
  return found;
}

// The number by which a size may be multiplied within the number of blocks, which is below 2^31: 32 of B*H*32*T.
i64 multipleOf(const Expr& size, const Expr& blocks, const Program& program) {
  i64 number = 1;
  bool found = false;
  for (const Expr& e : chainOf(blocks, Op::Mul)) {
    const bool isSize =
        e.op() == Op::Param && program.variables[static_cast<std::size_t>(e.index())].kind == Variable::Kind::Size;
    if (e.isConstant() ? e.value() < 1 : !isSize) return 1;
    if (e.isConstant()) number = std::min<i64>(number * std::min<i64>(e.value(), INT32_MAX), INT32_MAX);
    found = found || e == size;
  }
  return found ? number : 1;
}

}  // namespace

Result<Variables> Variables::of(const graphene::Program& program, const graphene::Spec& spec, Span span) {
  if (spec.blocks.empty() || spec.threads.empty())
    return Diag{"a kernel states its blocks and threads", "<<<#blocks, #threads>>>", "", span};
  Variables out(program);
  TESSERA_TRY(out.threads_, threadsOf(spec.threads[0], span));
  out.blocks_ = elementCount(spec.blocks[0]);
  Environment box;
  out.ranges(box);
  out.rotations(spec, box);
  out.facts_ = FactBase(std::move(box));
  return out;
}

// The ranges of threads, blocks, indices() and loops.
void Variables::ranges(Environment& box) {
  const auto intervalOf = [&](const Expr& e) { return factsOf(e, box).interval; };
  for (const Variable& v : program_.variables) {
    Range range{1, INT32_MAX};
    Expr value;
    if (v.kind == Variable::Kind::Size)
      range.hi /= multipleOf(Expr::param(static_cast<int>(values_.size())), blocks_, program_);
    if (v.kind == Variable::Kind::Thread) range = {0, threads_ - 1};
    if (v.kind == Variable::Kind::Block)
      range = {0, blocks_.isConstant() ? std::max<i64>(blocks_.value(), 1) - 1 : i64{INT32_MAX} - 1};
    if (v.kind == Variable::Kind::Index) {
      value = simplified(v.value, box);
      range = intervalOf(value);
    }
    if (v.kind == Variable::Kind::Loop) {
      const Range lo = intervalOf(v.lo), hi = intervalOf(v.hi);
      range = {lo.lo, std::max(hi.hi - 1, lo.lo)};
      if (lo.lo == lo.hi && hi.lo == hi.hi && hi.hi > lo.lo) range.hi = lo.lo + (hi.hi - 1 - lo.lo) / v.step * v.step;
    }
    box.params.push_back(range);
    values_.push_back(value);
  }
}

void Variables::rotations(const graphene::Spec& spec, Environment& box) {
  std::unordered_map<Expr, int> first;  // by value
  for (int v = 0; v < static_cast<int>(program_.variables.size()); ++v) {
    const bool index = (*this)[v].kind == Variable::Kind::Index;
    meaning_.push_back(Expr::param(index ? first.try_emplace(valueOf(v), v).first->second : v));
  }
  for (const auto& [variable, stages, ofRegisters] : stagedLoops(program_, spec.body)) {
    const Variable& v = (*this)[variable];
    Rotation r;
    r.variable = variable;
    r.stages = stages;
    r.round = static_cast<int>(box.params.size());
    r.stage = r.round + 1;
    const Expr trips = simplified(v.hi - v.lo, box);
    r.rounds = simplified(floorDiv(trips, stages), box);
    if (trips.isConstant()) {
      if (trips.value() <= (ofRegisters ? std::max(stages, kFewTrips) : stages)) continue;
      r.skipped = (stages - trips.value() % stages) % stages;
      r.rounds = Expr::constant((trips.value() + stages - 1) / stages);
    } else if (const Expr left = simplified(mod(trips, Expr::constant(stages)), box); !left.isConstant(0)) {
      r.left = left;
      if (factsOf(trips, box).interval.lo < 0) r.trips = trips;
    }
    // The remaining iterations are a round after the full ones.
    box.params.push_back({0, std::max<i64>(factsOf(r.rounds, box).interval.hi - (r.left ? 0 : 1), 0)});
    box.params.push_back({0, stages - 1});
    meaning_[static_cast<std::size_t>(variable)] =
        v.lo - r.skipped.value_or(0) + Expr::param(r.round) * stages + Expr::param(r.stage);
    rotations_.push_back(std::move(r));
  }
}

int Variables::firstWithValueOf(int index) const { return meaning_[static_cast<std::size_t>(index)].index(); }

bool Variables::isSize(int param) const {
  return param < static_cast<int>(values_.size()) && (*this)[param].kind == Variable::Kind::Size;
}

std::vector<int> Variables::sizes() const {
  std::vector<int> out;
  for (int v = 0; v < static_cast<int>(values_.size()); ++v)
    if (isSize(v)) out.push_back(v);
  return out;
}

Rotation* Variables::rotationOf(int loop) {
  const auto found = std::ranges::find(rotations_, loop, &Rotation::variable);
  return found == rotations_.end() ? nullptr : &*found;
}

Expr Variables::small(const Expr& e) {
  const auto [at, fresh] = small_.try_emplace(e, Expr());
  if (fresh) at->second = simple(known(e));
  return at->second;
}

bool Variables::inLoop(const Expr& e) const {
  return anyParam(
      e, [&](int p) { return p >= static_cast<int>(values_.size()) || (*this)[p].kind == Variable::Kind::Loop; });
}

i64 Variables::unrolledTrips(int loop) const {
  if (loop < 0 || loop >= static_cast<int>(values_.size())) return 0;
  const Variable& v = (*this)[loop];
  if (v.kind != Variable::Kind::Loop || v.step != 1 || !v.lo.isConstant(0) || !v.hi.isConstant()) return 0;
  return v.hi.value() <= 8 ? v.hi.value() : 0;
}

}  // namespace tessera::codegen
