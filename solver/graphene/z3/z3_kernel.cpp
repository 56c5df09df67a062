#include "solver/graphene/z3/z3_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/base/mapped.h"
#include "core/expr/facts.h"
#include "core/expr/simplify.h"
#include "core/expr/walk.h"

namespace tessera::graphene {

using prover::Answer;
using prover::Goal;
using prover::Pointwise;

namespace {

// A box without its unused digits.
struct Smaller {
  std::vector<Digit> digits;
  std::vector<Expr> renamed;  // by old digit
  std::vector<int> old;       // by new digit
  std::size_t before = 0;

  explicit Smaller(const Box& box, const std::vector<Expr>& exprs) : before(box.digits.size()) {
    std::set<int> used;
    for (const Expr& e : exprs) used.merge(digitsIn(e));
    for (const Guard& g : box.assumed) used.merge(digitsIn(g.value));
    renamed.assign(before, Expr::constant(0));
    for (const int d : used) {
      renamed[d] = Expr::digit(static_cast<int>(digits.size()));
      digits.push_back(box.digits[d]);
      digits.back().name = fmt::format("{}{}", digits.back().name, d);
      old.push_back(d);
    }
  }
  static std::set<int> digitsIn(const Expr& e) {
    const std::vector<int> digits = leavesIn(e, Op::Digit);
    return {digits.begin(), digits.end()};
  }
  template <typename T>  // Goal, Guard
  [[nodiscard]] std::vector<T> of(const std::vector<T>& list) const {
    return mapped<T>(list, [&](const T& one) { return prover::substituted(one, renamed); });
  }
  [[nodiscard]] std::vector<i64> back(const std::vector<i64>& point) const {
    std::vector<i64> out(before, 0);
    for (std::size_t k = 0; k < old.size(); ++k) out[old[k]] = point[k];
    return out;
  }
};

bool breaks(const Pointwise& p, const std::vector<i64>& point) {
  return prover::meets(p.assume, p.digits, point) && std::ranges::any_of(p.goals, [&](const Goal& g) {
           const i64 left = evaluate(g.left, point);
           return g.right ? left != evaluate(*g.right, point) : left < g.lo || left > g.hi;
         });
}

Answer decide(const Pointwise& p, const prover::Budget& budget) {
  Answer answer = prover::bySimplify(p);
  if (answer.truth == Truth::Unknown) answer = prover::byZ3(p, "graphene", false, budget);
  if (answer.truth == Truth::Refuted && (answer.points.empty() || !breaks(p, answer.points.front())))
    return prover::unknown("z3", "a counterexample did not replay");
  return answer;
}

}  // namespace

Z3Kernel::Z3Kernel(const Sites& sites, int kernel, const prover::Budget& budget)
    : all_(sites), kernel_(sites.specs[kernel]), budget_(budget) {
  for (const Site& s : sites.sites)
    if (s.specs.front() == kernel) own_.push_back(&s);
}

std::vector<const Site*> Z3Kernel::writers(int storage) const {
  std::vector<const Site*> out;
  for (const Site* s : own_)
    if (accessOf(*s, storage, true) != nullptr) out.push_back(s);
  return out;
}

const Access* Z3Kernel::accessOf(const Site& site, int storage, bool write) const {
  for (const Access& a : site.accesses)
    if (a.storage == storage && (write ? a.write : !a.write)) return &a;
  return nullptr;
}

std::vector<int> Z3Kernel::outputs() const {
  std::vector<int> out;
  for (const int n : kernel_.outputs)
    if (n >= 0) out.push_back(all_.storageOf(n));
  return out;
}

bool Z3Kernel::isOutput(int storage) const { return std::ranges::count(outputs(), storage) > 0; }

std::string Z3Kernel::partial(bool outputsOnly) const {
  const auto look = [&](const std::vector<int>& nodes, const std::vector<Tensor>& views) -> std::string {
    for (std::size_t k = 0; k < nodes.size() && k < views.size(); ++k) {
      if (nodes[k] < 0) continue;
      const Tensor& declared = all_.of(all_.storageOf(nodes[k])).declared;
      if (!isWhole(views[k], declared) || (!outputsOnly && declared.levels.size() > 1)) return "%" + views[k].name;
    }
    return "";
  };
  const std::string out = look(kernel_.outputs, kernel_.spec->outputs);
  return outputsOnly || !out.empty() ? out : look(kernel_.inputs, kernel_.spec->inputs);
}

bool Z3Kernel::injective(int storage) const {
  std::vector<Mode> modes = modesOf(all_.of(storage).declared);
  std::erase_if(modes, [](const Mode& m) { return m.size.isConstant(1); });
  Environment env;
  env.params.assign(all_.program->variables.size(), {1, Box::kMostSize});
  // The strides nest: each is at least the reach of the modes below it. Symbolic ones must be the running product.
  const bool known =
      std::ranges::all_of(modes, [](const Mode& m) { return m.size.isConstant() && m.stride.isConstant(); });
  if (known) {
    std::ranges::sort(modes, [](const Mode& a, const Mode& b) { return a.stride.value() < b.stride.value(); });
    i64 reach = 0;
    for (const Mode& m : modes) {
      if (m.stride.value() <= reach) return false;
      reach += m.stride.value() * (m.size.value() - 1);
    }
    return true;
  }
  Expr running = Expr::constant(1);
  while (!modes.empty()) {
    const auto next = std::ranges::find_if(
        modes, [&](const Mode& m) { return simplified(m.stride, env) == simplified(running, env); });
    if (next == modes.end()) return false;
    running = running * next->size;
    modes.erase(next);
  }
  return true;
}

std::vector<Expr> Z3Kernel::extentsOf(int storage, const Box& box, const Box::Copy& copy) const {
  return mapped<Expr>(all_.of(storage).declared.extents, [&](const Expr& e) { return box.in(copy, e); });
}

Place Z3Kernel::place(Box& box, const Site& site, const Access& access, const Box::Copy* from,
                      const Share& share) const {
  Place at{&site, &access, box.copy(site, from, share), {}, {}, {}};
  return placeAt(box, at, access);
}

Place Z3Kernel::placeAt(Box& box, const Place& of, const Access& access) const {
  Place at{of.site, &access, of.copy, box.slots(access.view), {}, {}};
  at.coordinate = box.coordinate(at.copy, access.view, at.slots);
  at.location =
      injective(access.storage) ? at.coordinate : std::vector<Expr>{box.address(at.copy, access.view, at.slots)};
  return at;
}

Answer Z3Kernel::ask(const Box& box, std::vector<Goal> goals) const {
  const std::vector<Expr> exprs = prover::goalExprs(goals);
  const auto outside = [](const Expr& root) {
    return anyLeaf(root, [](const Expr& e) { return e.op() == Op::Param; });
  };
  if (std::ranges::any_of(exprs, outside) ||
      std::ranges::any_of(box.assumed, [&](const Guard& g) { return outside(g.value); }))
    return prover::unknown("z3", "a loop variable outside of its loop");
  const Smaller smaller(box, exprs);
  Answer answer = decide({smaller.digits, {}, smaller.of(box.assumed), smaller.of(goals)}, budget_);
  for (auto& point : answer.points) point = smaller.back(point);
  return answer;
}

std::optional<WriterOf> writerOf(const Map& map) {
  auto p = prover::coverByWitness(map);
  if (!p) return std::nullopt;
  // The digits' parts are followed by one goal per digit (its range), per guard, and per axis.
  const std::size_t digits = map.digits().size(), rest = map.guards().size() + map.axes().size();
  WriterOf out;
  for (std::size_t d = 0; d < digits; ++d) out.digits.push_back(p->goals[p->goals.size() - rest - digits + d].left);
  out.goals = std::move(p->goals);
  return out;
}

Answer Z3Kernel::covered(const Box& box, const std::vector<Expr>& axes, const std::vector<Expr>& extents) const {
  const Environment env = prover::boxOf(box.digits);
  std::vector<Axis> all;
  const auto sizes = static_cast<std::size_t>(box.sizes());
  for (std::size_t s = 0; s < sizes; ++s)
    all.push_back({box.digits[s].name, Expr::digit(static_cast<int>(s)), box.digits[s].extent});
  std::vector<Guard> places;  // over the places: axis k is digit k
  for (std::size_t a = 0; a < axes.size(); ++a) {
    all.push_back(
        {fmt::format("c{}", a), axes[a], std::max<i64>(1, std::min(factsOf(extents[a], env).interval.hi, Box::kFar))});
    if (!extents[a].isConstant())
      places.push_back({extents[a] - Expr::digit(static_cast<int>(sizes + a)), 1, Box::kFar});
  }
  for (const Guard& g : box.assumed) {  // keep the assumptions that involve only sizes
    const auto other = [&](const Expr& e) { return e.op() == Op::Digit && e.index() >= box.sizes(); };
    if (!anyLeaf(g.value, other)) places.push_back(g);
  }
  auto map = Map::create(box.digits, all, box.assumed);
  if (!map) return prover::unknown("z3", map.error().message);
  if (const auto writer = writerOf(*map)) {
    Pointwise p{{}, {}, places, writer->goals};
    for (const Axis& a : all) p.digits.push_back({a.name, *a.extent, DigitKind::Index, 0});
    Answer answer = decide(p, budget_);
    if (answer.truth == Truth::Proved)
      return prover::proved("z3", "the digits of each element determine the instance that writes it");
  }
  if (sizes > 0)
    return prover::unknown("z3", "the digits of the elements do not determine the instances, and sizes are symbolic");
  const Smaller smaller(box, axes);
  std::vector<Axis> few;
  for (const Axis& a : all) few.push_back({a.name, substitute(a.value, smaller.renamed), a.extent});
  map = Map::create(smaller.digits, few, smaller.of(box.assumed));
  if (!map) return prover::unknown("z3", map.error().message);
  Answer answer = prover::byStridedCover(*map);
  if (answer.truth == Truth::Unknown) answer = prover::byZ3Cover(*map, 4096, "graphene", false, budget_);
  if (answer.truth == Truth::Unknown) answer = prover::exhaustiveCover(*map, i64{1} << 22, budget_);
  return answer;
}

Answer Z3Kernel::distinct(const Box& box, const std::vector<Expr>& axes) const {
  std::vector<Axis> all;
  for (int s = 0; s < box.sizes(); ++s) all.push_back({box.digits[s].name, Expr::digit(s), std::nullopt});
  for (std::size_t a = 0; a < axes.size(); ++a) all.push_back({fmt::format("c{}", a), axes[a], std::nullopt});
  auto map = Map::create(box.digits, all, box.assumed);
  if (!map) return prover::unknown("z3", map.error().message);
  Answer answer = prover::bySimplify(*map);
  if (answer.truth == Truth::Unknown) answer = prover::byStrided(*map);
  if (answer.truth == Truth::Unknown) answer = prover::byZ3(*map, "graphene", false, budget_);
  if (answer.truth == Truth::Refuted) {
    const bool real = answer.points.size() == 2 && answer.points[0] != answer.points[1] &&
                      map->isReal(answer.points[0]) && map->isReal(answer.points[1]) &&
                      map->at(answer.points[0]) == map->at(answer.points[1]);
    if (!real) return prover::unknown("z3", "a counterexample did not replay");
  }
  return answer;
}

std::string Z3Kernel::element(int storage, const std::vector<i64>& coordinate) const {
  return fmt::format("%{}[{}]", all_.of(storage).declared.name, fmt::join(coordinate, ","));
}

Finding Z3Kernel::finding(Obligation o, const Box& box, const Place& at, const std::vector<i64>& point) const {
  Finding f{.obligation = o, .span = at.site->span, .tensor = "%" + all_.of(*at.access).declared.name};
  for (const Expr& c : at.coordinate) f.coordinate.push_back(evaluate(c, point));
  f.address = at.access->view.swizzle(evaluate(box.address(at.copy, at.access->view, at.slots), point));
  if (at.site->phase) f.phase = evaluate(box.in(at.copy, *at.site->phase), point);
  f.instances.push_back(box.instance(at.copy, at.site->span, point));
  return f;
}

SpecKind functionOf(const Spec& spec) {
  if (spec.kind != SpecKind::Generic) return spec.kind;
  const std::string word = spec.attribute.substr(0, spec.attribute.find('<'));
  for (const SpecKind kind : {SpecKind::Move, SpecKind::MatMul})
    if (word == name(kind)) return kind;
  return SpecKind::Generic;
}

ObligationVerdict verdict(Obligation o, Standing standing, std::string reason) {
  return {o, standing, "z3", std::move(reason), std::nullopt, 0};
}

ObligationVerdict unknownBy(Obligation o, const Answer& answer, const std::string& what) {
  return verdict(o, Standing::Unknown, fmt::format("{}: {}", what, answer.detail));
}

// dp4a: one contribution per vector component, the same component of both operands. Slots of the right operand, from
// the left's digit.
static std::optional<std::vector<Expr>> sameSlots(const Site& site, const Place& left) {
  const auto& terms = site.atom->terms.front();
  for (std::size_t s = 0; s < terms.size(); ++s)
    if (terms[s].a != static_cast<int>(s) || terms[s].b != static_cast<int>(s)) return std::nullopt;
  std::vector<Expr> digits, out;
  for (const Expr& e : left.slots)
    if (e.op() == Op::Digit) digits.push_back(e);
  std::size_t used = 0;
  for (const Mode& mode : modesOf(site.accesses[2].view))
    out.push_back(mode.size.isConstant(1) || digits.empty() || used++ > 0 ? Expr::constant(0) : digits[0]);
  return digits.size() == 1 && used == 1 ? std::optional(out) : std::nullopt;
}

std::optional<Contribution> contribution(const Z3Kernel& kernel, Box& box, const Site& site) {
  if (!site.atom || site.atom->function != AtomFunction::MultiplyAdd || site.atom->lanes != 1) return std::nullopt;
  if (site.atom->slots.empty() || site.atom->slots[0] != 1 || site.accesses.size() != 3) return std::nullopt;
  Contribution c;
  c.out = kernel.place(box, site, site.accesses[0]);
  c.a = kernel.placeAt(box, c.out, site.accesses[1]);
  if (site.atom->terms.front().size() == 1) {
    c.b = kernel.placeAt(box, c.out, site.accesses[2]);
  } else {
    // It adds no digit: the sum's digits identify the instance.
    const auto slots = sameSlots(site, c.a);
    if (!slots) return std::nullopt;
    const Access& access = site.accesses[2];
    c.b = {&site, &access, c.out.copy, *slots, {}, box.coordinate(c.out.copy, access.view, *slots)};
  }
  const bool matrices = c.out.coordinate.size() == 2 && c.a.coordinate.size() == 2 && c.b.coordinate.size() == 2;
  const auto isInput = [&](const Access& a) { return kernel.sites().of(a).operand; };
  if (!matrices || !isInput(site.accesses[0]) || !isInput(site.accesses[1]) || !isInput(site.accesses[2]))
    return std::nullopt;
  return c;
}

}  // namespace tessera::graphene
