// O2, O4, O5 and O6: which places the instances of a kernel access.
#include <fmt/format.h>

#include <algorithm>

#include "solver/graphene/certificate/goal_proofs.h"

namespace tessera::graphene {
namespace {

constexpr const char* kNoProduct = "the product is not accumulated in place by scalar instructions";

class PlaceGoals {
 public:
  explicit PlaceGoals(GoalProofs& proofs) : p_(proofs) {}

  // ---- O2

  bool bounds() {
    for (std::size_t s = 0; s < p_.count(); ++s)
      for (const Access& access : p_.site(s).accesses) {
        p_.instances.restart();
        const SiteCopy a = p_.instances.copy(p_.site(s), "");
        const SiteSpot spot = p_.instances.spot(a, access);
        Conditions all = a.conditions;
        append(all, spot.conditions);
        const std::vector<Expr> extents = p_.instances.extentsOf(access.storage);
        for (std::size_t d = 0; d < extents.size(); ++d) {
          const std::string name = fmt::format("{}/{}/{}", s, access.operand, d);
          if (!p_.prove(name + "/below", all, Expr::constant(-1) - spot.coordinate[d]) ||
              !p_.prove(name + "/beyond", all, spot.coordinate[d] - extents[d]))
            return false;
        }
      }
    return true;
  }
  bool coverage() {
    if (const std::string view = p_.kernel.partial(!p_.isProduct()); !view.empty()) return p_.fail(view + " is a view");
    if (hasSums()) return p_.fail("contributions to a sum");
    std::size_t number = 0;
    for (const int storage : p_.kernel.outputs()) {
      if (!covers(number++, storage)) return p_.fail("no site is known to cover an output");
    }
    return true;
  }

  // Of a sum, every contribution must be present, not only the element. Those of equations belong to the value (O8).
  [[nodiscard]] bool hasSums() const {
    return p_.spec.kind == SpecKind::Reduction || (!p_.isProduct() && functionOf(p_.spec) == SpecKind::MatMul);
  }

  bool covers(std::size_t number, int storage) {
    for (std::size_t s = 0; s < p_.count(); ++s) {
      const Access* access = p_.kernel.accessOf(p_.site(s), storage, true);
      const bool registers = p_.memoryOf(storage) == Memory::Register;
      if (registers ? p_.isProduct() : p_.memoryOf(storage) != Memory::Global) return p_.fail("a product in registers");
      if (access == nullptr || !(registers ? Instances::ends(p_.site(s)) : Instances::isSingle(p_.site(s)))) continue;
      const GoalProofs::Mark before = p_.mark();
      if (coversBy(number, storage, s, *access)) return true;
      p_.forget(before);
    }
    return false;
  }

  bool coversBy(std::size_t number, int storage, std::size_t s, const Access& access) {
    p_.instances.restart();
    const SiteCopy a = p_.instances.copy(p_.site(s), "");
    Conditions conditions = a.conditions;
    std::vector<Expr> at, reach;
    if (p_.isProduct()) {
      auto all = p_.contributions(a);
      if (!all) return p_.fail(kNoProduct);
      at = std::move(all->at);
      reach = std::move(all->extents);
    } else {
      const SiteSpot spot = p_.instances.spot(a, access);
      append(conditions, spot.conditions);
      if (p_.memoryOf(storage) == Memory::Register) {  // of each thread
        at = owner(a);
        reach = p_.instances.launched();
      }
      const std::vector<Expr> extents = p_.instances.extentsOf(storage);
      append(at, spot.coordinate);
      append(reach, extents);
    }
    std::vector<Expr> places = p_.sizeAxes(), axes = places;
    append(axes, at);
    std::vector<i64> extents;
    for (const Expr& e : places) extents.push_back(p_.instances.most(e) + 1);
    for (const Expr& e : reach) extents.push_back(std::max<i64>(1, p_.instances.most(e)));
    const auto inverse = p_.inverted(axes, extents, conditions);
    if (!inverse) return p_.fail("the digits of an element do not determine the instance that writes it");
    Conditions given;
    const std::vector<Expr> element = p_.instances.element(reach, given);
    append(places, element);
    const std::string name = std::to_string(number);
    return p_.isInstance(name, given, conditions, p_.choose(name, s, *inverse, places), at, element);
  }

  // ---- O5, O6

  // Where two copies have equal places in one storage: the coordinates, for a register with block and thread.
  void meet(Conditions& all, const SiteCopy& a, const SiteSpot& x, const SiteCopy& b, const SiteSpot& y,
            Memory memory) {
    equate(all, x.coordinate, y.coordinate);
    if (memory != Memory::Global) equate(all, a.blocks, b.blocks);
    if (memory == Memory::Register) equate(all, a.threads, b.threads);
  }
  static bool accumulates(const Access& a) { return a.read && a.write; }
  static std::vector<Expr> owner(const SiteCopy& a) {
    std::vector<Expr> out = a.blocks;
    out.insert(out.end(), a.threads.begin(), a.threads.end());
    return out;
  }

  bool uniqueness() {
    for (const int storage : p_.kernel.outputs()) {
      if (!p_.kernel.injective(storage)) return p_.fail("an output with a layout that is not injective");
      for (std::size_t i = 0; i < p_.count(); ++i) {
        const Access* x = p_.kernel.accessOf(p_.site(i), storage, true);
        if (x == nullptr) continue;
        if (!once(i, *x)) return false;
        for (std::size_t j = accumulates(*x) ? i : i + 1; j < p_.count(); ++j)
          if (const Access* y = p_.kernel.accessOf(p_.site(j), storage, true);
              y != nullptr && !apart(i, *x, j, *y, storage))
            return false;
      }
    }
    return true;
  }

  bool once(std::size_t i, const Access& x) {
    p_.instances.restart();
    const SiteCopy a = p_.instances.copy(p_.site(i), ""), b = p_.instances.copy(p_.site(i), "'");
    Conditions all = a.conditions;
    append(all, b.conditions);
    std::vector<Expr> mine = a.own, other = b.own;
    if (accumulates(x)) {
      if (!p_.isProduct()) return p_.fail("a sum outside of a product");
      const auto p = p_.contributions(a), q = p_.contributions(b);
      if (!p || !q) return p_.fail(kNoProduct);
      equate(all, p->at, q->at);
    } else {
      const SiteSpot p = p_.instances.spot(a, x), q = p_.instances.spot(b, x);
      append(all, p.conditions);
      append(all, q.conditions);
      meet(all, a, p, b, q, p_.memoryOf(x.storage));
      addSlots(mine, p);
      addSlots(other, q);
    }
    return p_.agree(fmt::format("{}/once", i), all, mine, other, true);
  }
  static void addSlots(std::vector<Expr>& to, const SiteSpot& spot) {
    for (const Expr& e : spot.slots)
      if (!e.isConstant()) to.push_back(e);
  }

  bool apart(std::size_t i, const Access& x, std::size_t j, const Access& y, int storage) {
    p_.instances.restart();
    const SiteCopy a = p_.instances.copy(p_.site(i), ""), b = p_.instances.copy(p_.site(j), "'");
    const SiteSpot p = p_.instances.spot(a, x), q = p_.instances.spot(b, y);
    Conditions all = a.conditions;
    append(all, b.conditions);
    append(all, p.conditions);
    append(all, q.conditions);
    meet(all, a, p, b, q, p_.memoryOf(storage));
    const std::string name = fmt::format("{}/{}", i, j);
    const auto starts = [](const Site& s) { return s.spec->kind == SpecKind::Init; };
    if (accumulates(x) || accumulates(y) || starts(p_.site(i)) || starts(p_.site(j)))
      return p_.agree(name, all, owner(a), owner(b), i == j);
    return p_.prove(name + "/never", all, Expr::constant(0));
  }

  bool races() {
    if (!spans_.prepare(true)) return false;
    for (std::size_t i = 0; i < p_.count(); ++i)
      for (std::size_t j = i; j < p_.count(); ++j)
        for (const Access& x : p_.site(i).accesses)
          for (const Access& y : p_.site(j).accesses) {
            const Memory memory = p_.memoryOf(x.storage);
            if (x.storage != y.storage || (!x.write && !y.write) || memory == Memory::Register) continue;
            if (i == j && x.operand > y.operand) continue;
            if (!ordered(i, x, j, y, true) || (memory == Memory::Global && !ordered(i, x, j, y, false))) return false;
          }
    return true;
  }

  // Of one block: the same thread, or different phases (if an instruction is of several threads, or a copy, always
  // these). Of two blocks: never at one place.
  bool ordered(std::size_t i, const Access& x, std::size_t j, const Access& y, bool block) {
    if (!p_.kernel.injective(x.storage)) return p_.fail("a layout that is not injective");
    if (!p_.site(i).phase || !p_.site(j).phase) return p_.fail("the number of barriers depends on a condition");
    p_.instances.restart();
    const SiteCopy a = p_.instances.copy(p_.site(i), "");
    const SiteCopy b = p_.instances.copy(p_.site(j), "'", &a, {block, false, p_.kernel.sites().of(x).loops});
    const SiteSpot p = p_.instances.spot(a, x), q = p_.instances.spot(b, y);
    Conditions all = a.conditions;
    append(all, b.conditions);
    append(all, p.conditions);
    append(all, q.conditions);
    equate(all, p.coordinate, q.coordinate);
    const bool symmetric = i == j && x.operand == y.operand;
    const std::string name = fmt::format("{}/{}/{}/{}/{}", i, x.operand, j, y.operand, block ? "threads" : "blocks");
    AgreeHelpers helpers;
    for (std::size_t k = 0; k < std::min(a.loops.size(), b.loops.size()); ++k) {
      helpers.a.push_back(a.loops[k].second);
      helpers.b.push_back(b.loops[k].second);
    }
    if (!block) return p_.agree(name, all, a.blocks, b.blocks, symmetric, helpers);
    const auto decided = [&](const Spans::Span& one, const Spans::Span& other) {
      const std::string full = name + one.path + other.path;
      if (isPlain(i) && isPlain(j)) return p_.agree(full, all, a.threads, b.threads, symmetric, helpers);
      // All threads of an instruction access all its places, and a copy shares them with no access.
      if (!symmetric || !Instances::isCopy(p_.site(i))) return p_.prove(full + "/never", all, Expr::constant(0));
      std::vector<Expr> mine = a.threads, others = b.threads;
      append(mine, helpers.a);
      append(others, helpers.b);
      addSlots(mine, p);
      addSlots(others, q);
      return p_.agree(full, all, mine, others, one.path == other.path);
    };
    for (const Spans::Span& one : spans_.of(a))
      for (const Spans::Span& other : spans_.of(b)) {
        const auto before = sum(one.last, other.first, -1), after = sum(other.last, one.first, -1);
        if (!before || !after) return p_.fail("a phase that is no sum");
        p_.cases = {*before, *after};
        p_.cases.insert(p_.cases.end(), one.cases.begin(), one.cases.end());
        p_.cases.insert(p_.cases.end(), other.cases.begin(), other.cases.end());
        const bool done = decided(one, other);
        p_.cases.clear();
        if (!done) return false;
      }
    return true;
  }
  // Whether the instruction is of one thread and has ended when the thread passes it.
  [[nodiscard]] bool isPlain(std::size_t s) const {
    return Instances::isSingle(p_.site(s)) && Instances::ends(p_.site(s));
  }

 private:
  GoalProofs& p_;
  Spans spans_{p_};
};

}  // namespace

bool boundsGoals(GoalProofs& proofs) { return PlaceGoals(proofs).bounds(); }
bool coverageGoals(GoalProofs& proofs) { return PlaceGoals(proofs).coverage(); }
bool uniquenessGoals(GoalProofs& proofs) { return PlaceGoals(proofs).uniqueness(); }
bool raceGoals(GoalProofs& proofs) { return PlaceGoals(proofs).races(); }

}  // namespace tessera::graphene
